package greatgramma

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
	"gcdbench/lexer"
	"gcdbench/lexical/spanner"
)

// The algorithm as its authors publish it (option form), for comparisons with their figures.
//
//   - Algorithm 4: one sequence T1...Tk T for each terminal T that the pending lexeme may become.
//     Re is the set of these over all lexer states, and Tinv(q, sequence) the tokens.
//   - Algorithm 5: for each LR state p, a sequence is always accepted if the parser accepts it on a
//     stack of p alone (proposition 3.4). It is always rejected if the LR automaton without its
//     stack rejects it: there a reduction to A leads to every state that A leads to from anywhere
//     (proposition 3.5). The others are D(p). A(q, p) are the tokens of the always accepted
//     sequences of q.
//   - Algorithm 6: a mask is a copy of A(q, p), and one run of the parser from the stack for each
//     sequence of D(q, p).
//
// Three things stay ours. Composing the lexing and the detokenizing transducer is package spanner's
// walk, whose memo has one entry for each state of the composition. Equal masks, token sets and
// lists of sequences are stored once, and each is made once: the paper's tables have hundreds of
// thousands of entries of |V| bits. A pending lexeme that may become an ignored terminal needs
// nothing of the parser, so its sequence is T1...Tk.
//
// The paper has one terminal for each lexeme, one stack and one byte of lookahead. Anything else is
// unsupported.

// published is the compiled problem.
type published struct {
	problem *algorithms.Problem
	re      *sequenceTree
	byLexer []lexerEntries // by lexer state
	tokens  groups         // the token sets of Tinv
	always  []int32        // by lexer state and LR state: a mask
	depends []int32        // by lexer state and LR state: a list of sequences of the lexer state
	masks   [][]uint64
	lists   intern.Lists[int32]

	masksMade, parsed, checked atomic.Int64
}

// lexerEntries are the sequences of a lexer state with their tokens: Tinv(q, .).
type lexerEntries struct {
	sequences []int32 // nodes of the tree, ascending
	groups    []int32 // by place in sequences
}

// sequenceTree is Re as a tree: a node is a sequence, with the terminal that it ends in.
type sequenceTree struct {
	keys     intern.Keys[[2]int32] // (parent, terminal); node i is key i-1, node 0 the empty sequence
	realizes []bool                // by node: it is a member of Re
	kids     [][]int32
}

func newSequenceTree() *sequenceTree {
	return &sequenceTree{realizes: []bool{false}, kids: [][]int32{nil}}
}

// kid is the node of a sequence with one more terminal.
func (s *sequenceTree) kid(node int32, x grammar.Terminal) int32 {
	id, isNew := s.keys.ID([2]int32{node, int32(x)})
	if isNew {
		s.realizes, s.kids = append(s.realizes, false), append(s.kids, nil)
		s.kids[node] = append(s.kids[node], id+1)
	}
	return id + 1
}

// last is the terminal that the sequence of a node ends in, and parent the sequence without it.
func (s *sequenceTree) last(node int32) grammar.Terminal {
	return grammar.Terminal(s.keys.At(node - 1)[1])
}

func (s *sequenceTree) parent(node int32) int32 { return s.keys.At(node - 1)[0] }

// len is the number of nodes, size that of the members of Re.
func (s *sequenceTree) len() int { return len(s.kids) }

func (s *sequenceTree) size() (n int) {
	for _, is := range s.realizes {
		if is {
			n++
		}
	}
	return n
}

// compilePublished compiles a problem by the paper's algorithms.
func compilePublished(ctx context.Context, p *algorithms.Problem) (algorithms.Engine, error) {
	dfa, ahead := p.Lexer.(*lexer.DFA)
	unsupported := func(why string) error {
		return &algorithms.UnsupportedError{Algorithm: "greatgramma (form=published)", Reason: "the paper has no " + why}
	}
	switch {
	case p.Layout != nil:
		return nil, unsupported("layout step")
	case !p.Tables.Deterministic():
		return nil, unsupported("tables with kept conflicts")
	case !ahead:
		return nil, unsupported("lexer that is built on demand")
	case !dfa.Uniform():
		return nil, unsupported("lexemes that end by what follows, or modes")
	}
	for set := range dfa.NumSets() {
		if len(dfa.Members(lexer.Set(set))) != 1 {
			return nil, unsupported("lexemes that are several terminals (%lexer all)")
		}
	}
	e := &published{problem: p, re: newSequenceTree(), tokens: groups{bySum: map[[2]uint64]int32{}}}
	if err := e.invert(ctx, dfa); err != nil {
		return nil, err
	}
	return e, e.preprocess(ctx)
}

// invert makes Re and Tinv: algorithm 4.
func (e *published) invert(ctx context.Context, dfa *lexer.DFA) error {
	s := spanner.New(e.problem.Recognizer, e.problem.Vocabulary, spanner.Options{NoSlices: true})
	e.byLexer = make([]lexerEntries, dfa.NumStates())
	for q := range e.byLexer {
		if err := algorithms.Step(ctx, "spanner table", q, len(e.byLexer)); err != nil {
			return err
		}
		ids := map[int32][]int32{} // by sequence
		tree := s.Tree(lexer.State(q))
		at := make([]int32, len(tree.Nodes)) // by node of the tree, which come after their parents
		for i, n := range tree.Nodes {
			if i > 0 {
				at[i] = e.after(at[n.Parent], s.Members(n.Symbol)[0])
			}
			for leaf := n.LeafLo; leaf < n.LeafHi; leaf++ {
				tokens := s.AppendTokens(nil, tree, leaf)
				reach := dfa.ReachSet(tree.Leaves[leaf].Reach)
				if reach.Ignored {
					ids[at[i]] = append(ids[at[i]], tokens...)
					continue // whatever else it may become asks for more
				}
				for x := range bitset.All[grammar.Terminal](reach.Parser) {
					to := e.re.kid(at[i], x)
					ids[to] = append(ids[to], tokens...)
				}
			}
		}
		e.keepEntries(q, ids)
	}
	return nil
}

// after is a sequence with the terminal of one more lexeme, which an ignored one leaves as it is.
func (e *published) after(node int32, x grammar.Terminal) int32 {
	if e.problem.Grammar.Terminals[x].Ignored {
		return node
	}
	return e.re.kid(node, x)
}

// keepEntries keeps the sequences of a lexer state with their tokens.
func (e *published) keepEntries(q int, ids map[int32][]int32) {
	of := &e.byLexer[q]
	for node := range ids {
		of.sequences = append(of.sequences, node)
		e.re.realizes[node] = true
	}
	slices.Sort(of.sequences)
	for _, node := range of.sequences {
		of.groups = append(of.groups, e.tokens.add(ids[node]))
	}
}

// The verdicts on a sequence for an LR state.
const (
	rejected uint8 = iota
	dependent
	accepted
)

// preprocess makes A and D: algorithm 5.
func (e *published) preprocess(ctx context.Context) error {
	tables := e.problem.Tables
	free := newStackless(tables.NumStates(), e.problem)
	e.always = make([]int32, len(e.byLexer)*tables.NumStates())
	e.depends = make([]int32, len(e.always))
	m := masker{e: e, known: map[maskKey]int32{}, same: map[[2]uint64]int32{}}
	verdicts := make([]uint8, e.re.len())
	for p := range int32(tables.NumStates()) {
		if err := algorithms.Step(ctx, "always accepted and context-dependent sequences", int(p), tables.NumStates()); err != nil {
			return err
		}
		clear(verdicts)
		free.judge(verdicts, e.re, 0, free.single(p), []int32{p})
		for q := range e.byLexer {
			if err := m.pair(q, int(p), verdicts); err != nil {
				return err
			}
		}
	}
	return nil
}

// masker makes the masks of pairs and the lists of their context-dependent sequences.
type masker struct {
	e       *published
	accepts []int32 // scratch: places in the lexer state's list
	asks    []int32
	known   map[maskKey]int32 // masks by lexer state and places
	same    map[[2]uint64]int32
	lists   intern.Lists[int32]
	bytes   int64
}

// maskKey is a lexer state, and the number of a list of places.
type maskKey struct{ q, list int32 }

// errMasks is the error of tables that do not fit into memory.
var errMasks = errors.New("the always-accepted masks take more than")

// pair makes A(q, p) and D(q, p) of the verdicts for p.
func (m *masker) pair(q, p int, verdicts []uint8) error {
	e := m.e
	m.accepts, m.asks = m.accepts[:0], m.asks[:0]
	for i, node := range e.byLexer[q].sequences {
		switch verdicts[node] {
		case accepted:
			m.accepts = append(m.accepts, int32(i))
		case dependent:
			m.asks = append(m.asks, int32(i))
		}
	}
	at := q*e.problem.Tables.NumStates() + p
	e.depends[at], _ = e.lists.ID(m.asks)
	list, _ := m.lists.ID(m.accepts)
	key := maskKey{int32(q), list}
	mask, done := m.known[key]
	if !done {
		mask = m.make(q)
		if m.known[key] = mask; m.bytes > MaxBytes {
			return fmt.Errorf("greatgramma (form=published): %w %d MiB, at lexer state %d of %d: choose a smaller vocabulary or grammar, or form=engineered",
				errMasks, MaxBytes>>20, q, len(e.byLexer))
		}
	}
	e.always[at] = mask
	return nil
}

// make makes the mask of the sequences m.accepts of a lexer state.
func (m *masker) make(q int) int32 {
	words := make([]uint64, algorithms.MaskWords(m.e.problem.Vocabulary.Len()))
	for _, i := range m.accepts {
		m.e.tokens.list[m.e.byLexer[q].groups[i]].addTo(words)
	}
	hash := index.Hash(words)
	sum := [2]uint64{hash, index.Mix(hash ^ uint64(bitset.Count(words)))}
	id, is := m.same[sum]
	if is && slices.Equal(m.e.masks[id], words) {
		return id
	}
	id = int32(len(m.e.masks))
	m.same[sum] = id
	m.e.masks = append(m.e.masks, words)
	m.bytes += 8 * int64(len(words))
	return id
}

// Start implements algorithms.Engine.
func (e *published) Start() algorithms.State {
	return &publishedState{algorithms.NewPosition(e.problem), e, algorithms.NewBuffer(e.problem.Vocabulary.Len()), nil}
}

// publishedState is one generation.
type publishedState struct {
	algorithms.Position
	engine   *published
	buffer   *algorithms.Buffer
	sequence []grammar.Terminal
}

// Mask implements algorithms.State.
func (s *publishedState) Mask() algorithms.Mask {
	s.Fill(s.buffer.Words())
	return s.buffer.Mask()
}

// Fill implements algorithms.Filler; it is algorithm 6.
func (s *publishedState) Fill(row []uint64) {
	if s.Ended {
		clear(row)
		return
	}
	e, stacks := s.engine, s.State.Stacks
	at := int(s.State.Lexer)*e.problem.Tables.NumStates() + int(stacks.TopNode(0).State)
	copy(row, e.masks[e.always[at]])
	of := &e.byLexer[s.State.Lexer]
	asks := e.lists.At(e.depends[at])
	for _, i := range asks {
		s.sequence = e.re.terminals(s.sequence[:0], of.sequences[i])
		e.parsed.Add(int64(len(s.sequence)))
		if e.takes(stacks, s.sequence) {
			e.tokens.list[of.groups[i]].addTo(row)
		}
	}
	e.masksMade.Add(1)
	e.checked.Add(int64(len(asks)))
	s.MarkEnd(row)
}

// takes tells whether the parser accepts a sequence.
func (e *published) takes(stacks lr.Stacks, sequence []grammar.Terminal) bool {
	ok := true
	for i := 0; ok && i < len(sequence); i++ {
		stacks, ok = e.problem.Tables.Shift(stacks, sequence[i])
	}
	return ok
}

// terminals appends the sequence of a node.
func (s *sequenceTree) terminals(dst []grammar.Terminal, node int32) []grammar.Terminal {
	from := len(dst)
	for ; node > 0; node = s.parent(node) {
		dst = append(dst, s.last(node))
	}
	slices.Reverse(dst[from:])
	return dst
}

// Clone implements algorithms.State.
func (s *publishedState) Clone() algorithms.State {
	return &publishedState{s.Position, s.engine, algorithms.NewBuffer(s.engine.problem.Vocabulary.Len()), nil}
}

// Stats implements algorithms.Engine.
func (e *published) Stats() algorithms.Stats {
	entries, asks := 0, 0.0
	for i := range e.byLexer {
		entries += len(e.byLexer[i].sequences)
	}
	for _, list := range e.depends {
		asks += float64(len(e.lists.At(list)))
	}
	bytes := e.tokens.bytes + 8*int64(len(e.always)+entries) + 24*int64(e.re.len())
	for _, m := range e.masks {
		bytes += 8 * int64(len(m))
	}
	for i := range e.lists.Len() {
		bytes += 4 * int64(len(e.lists.At(int32(i))))
	}
	masks := float64(max(e.masksMade.Load(), 1))
	return algorithms.Stats{Bytes: bytes, Counters: []algorithms.Counter{
		{Name: "lexer states", Value: float64(len(e.byLexer))},
		{Name: "realizable terminal sequences", Value: float64(e.re.size())},
		{Name: "entries of the inverse token spanner table", Value: float64(entries)},
		{Name: "token groups", Value: float64(len(e.tokens.list))},
		{Name: "(lexer state, LR state) pairs", Value: float64(len(e.always))},
		{Name: "always-accepted masks", Value: float64(len(e.masks))},
		{Name: "context-dependent sets", Value: float64(e.lists.Len())},
		{Name: "context-dependent sequences, mean over pairs", Value: asks / float64(max(len(e.depends), 1))},
		{Name: "masks", Value: float64(e.masksMade.Load())},
		{Name: "terminals parsed per mask", Value: float64(e.parsed.Load()) / masks},
		{Name: "sequences checked per mask", Value: float64(e.checked.Load()) / masks},
	}}
}
