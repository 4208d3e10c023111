package legality

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/intern"
)

// The streamlined mask store: the rows that exist, and how more come to be.
//
// Rows are built when they are first needed, or all ahead of time. Either way the memory that
// rows hold is bounded. At the bound a lazy store drops all its rows and starts over (no
// generation holds on to a row between masks); an eager store fails. The ready masks of rows
// are mostly the same few, so equal bit sets are held once.

// A rowKey is a lexer state, a node of its tree (whole but for rows after a newline lexeme) and
// what is known of the parser's stacks.
type rowKey struct {
	q     lexer.State
	node  spanner.NodeID
	known knowledge
}

// whole stands for the root of a lexer state's tree.
const whole spanner.NodeID = -1

// knowledge describes the stacks of a row: one basis, or after a fork of the parser the several
// bases that store.forks has under a number.
type knowledge struct {
	basis basis
	forks int32 // 1 + the index; 0 for one basis
}

// store is safe for concurrent use.
type store struct {
	exact bool  // bases are LR states, not terminals
	limit int64 // bytes

	mu    sync.RWMutex // guards rows and bytes
	rows  map[rowKey]*row
	bytes int64

	building sync.Mutex // guards the builder and the fields after it
	builder  builder
	tally    Tally
	built    int
	dropped  int

	forking sync.Mutex // guards forks
	forks   intern.Lists[basis]

	masks, asked, saved atomic.Int64 // masks computed, questions asked of the parser and not asked
}

// newStore prepares the store of a problem; it builds no row.
func newStore(p *algorithms.Problem, c config) *store {
	m := newMachine(p.Tables, p.Grammar.EmitsSets(), c.height)
	classes := noInterchange(p.Tables)
	if c.proofs.joint {
		classes = newInterchange(p.Recognizer, m.hasLoops)
	}
	s := &store{exact: c.exact, limit: int64(c.memory) << 20, rows: map[rowKey]*row{}}
	s.builder = builder{
		problem: p.Keeping(), machine: m, classes: classes, proofs: c.proofs, last: lexer.None, slices: c.slices,
	}
	s.builder.treeLimit = max(s.limit/spannerShare, minTrees)
	s.builder.startSpanner()
	return s
}

// row finds or builds a row.
func (s *store) row(key rowKey) *row {
	if r := s.find(key); r != nil {
		return r
	}
	s.building.Lock()
	defer s.building.Unlock()
	if r := s.find(key); r != nil {
		return r
	}
	return s.add(key)
}

func (s *store) find(key rowKey) *row {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rows[key]
}

// checkEvery is the number of rows after which the memory of the exploration is checked. The
// exploration may hold as much as the rows.
const checkEvery = 512

// add builds a row and holds it. The caller has locked building.
func (s *store) add(key rowKey) *row {
	if s.built%checkEvery == checkEvery-1 && s.builder.machine.bytes() > s.limit {
		s.builder.renew()
	}
	s.builder.forget(key.q)
	r, known := s.builder.build(key.q, key.node, s.basesOf(key.known))
	bytes := int64(knownBytes)
	if !known {
		bytes += int64(r.bytes)
		s.built++
		s.tally.add(r.tally)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+bytes > s.limit && len(s.rows) > 0 {
		clear(s.rows)
		s.builder.shared, s.builder.known = intern.Lists[uint64]{}, knownTokens{}
		clear(s.builder.strings)
		s.bytes = 0
		s.dropped++
	}
	s.rows[key] = r
	s.bytes += bytes
	return r
}

// knownBytes is the memory of an entry of the rows.
const knownBytes = 48

// A LimitError says that an eager store does not fit the memory it was given.
type LimitError struct {
	MiB, Rows, States, OfStates int
}

// Error names the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("legality: the rows of %d of %d lexer states (%d rows) hold more than %d MiB: give option memory a larger value, or build rows lazily",
		e.States, e.OfStates, e.Rows, e.MiB)
}

// all builds every row there can be: for each lexer state and each basis, and those after newline
// lexemes. A lexer built on demand is explored to the end for it.
func (s *store) all(ctx context.Context) error {
	s.building.Lock()
	defer s.building.Unlock()
	lex, bases := s.builder.problem.Lexer, s.bases()
	for q := lexer.State(0); int(q) < lex.NumStates(); q++ {
		lex.Row(q)
		if err := lex.Err(); err != nil {
			return err
		}
		for _, x := range bases {
			if err := algorithms.Step(ctx, "rows by lexer state", int(q), lex.NumStates()); err != nil {
				return err
			}
			s.eager(rowKey{q, whole, knowledge{basis: x}}, bases)
		}
		if s.dropped > 0 {
			return &LimitError{int(s.limit >> 20), s.built, int(q) + 1, lex.NumStates()}
		}
	}
	s.builder.spanner.Release()
	return nil
}

// bases lists what may be known of a stack between two terminals.
func (s *store) bases() []basis {
	var list []basis
	t := s.builder.problem.Tables
	for _, p := range t.Tops() {
		list = append(list, basisOf(t, p, s.exact))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// eager builds a row, and the rows after its newline lexemes that a newline, indent or dedent
// terminal, or the row's own basis, leads to. Rows on a terminal of the token, where the
// newline is dropped, are built when needed, and so are rows after further newlines.
func (s *store) eager(key rowKey, bases []basis) {
	if s.find(key) != nil {
		return
	}
	r := s.add(key)
	l := s.builder.problem.Layout
	if l == nil {
		return
	}
	after := []grammar.Terminal{l.Newline(), l.Indent(), l.Dedent()}
	for i := range r.nodes {
		if r.nodes[i].lines == nil {
			continue
		}
		for _, root := range r.nodes[i].lines.roots {
			for _, x := range bases {
				if x == key.known.basis || isAfter(s.builder.problem.Tables, x, after) {
					s.eager(rowKey{key.q, root, knowledge{basis: x}}, bases)
				}
			}
		}
	}
}

// isAfter tells whether a basis is that one of some terminals was shifted last.
func isAfter(t *lr.Tables, x basis, terms []grammar.Terminal) bool {
	if x >= 0 {
		return slices.Contains(terms, grammar.Terminal(x))
	}
	sym, ok := t.Accessing(int32(^x))
	return ok && slices.Contains(terms, sym.Terminal())
}

// know is the knowledge that a row has of a parser's stacks.
func (s *store) know(stacks lr.Stacks) knowledge {
	t := s.builder.problem.Tables
	first := basisOf(t, stacks.TopNode(0).State, s.exact)
	var more []basis
	for i := 1; i < stacks.NumTops(); i++ {
		if x := basisOf(t, stacks.TopNode(i).State, s.exact); x != first && !slices.Contains(more, x) {
			more = append(more, x)
		}
	}
	if more == nil {
		return knowledge{basis: first}
	}
	return knowledge{forks: s.fork(append(more, first))}
}

// fork numbers several bases.
func (s *store) fork(bases []basis) int32 {
	slices.Sort(bases)
	s.forking.Lock()
	defer s.forking.Unlock()
	id, _ := s.forks.Take(bases)
	return id + 1
}

// basesOf lists the bases that are known.
func (s *store) basesOf(k knowledge) []basis {
	if k.forks == 0 {
		return []basis{k.basis}
	}
	s.forking.Lock()
	defer s.forking.Unlock()
	return s.forks.At(k.forks - 1)
}
