package koo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/regular"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
	"gcdbench/tokenizers"
)

// regularMachine is the automaton of a pattern, or of a grammar that has one, composed with a
// vocabulary (section 2). It is deterministic over bytes, so composition leaves it deterministic;
// only labels, each of which reads whole tokens that other edges may read too, make sets of states.
// Those are determinized as they are met (the paper follows one edge by a heuristic and so loses
// the others).
type regularMachine struct {
	dfa    *automata.DFA
	v      *tokenizers.Vocabulary
	kinds  [][]uint64 // by index in labels: the tokens that a label stands for
	limit  int64
	shared bool

	mu     sync.Mutex
	rows   []*row // by state; nil: not composed yet
	masks  intern.Lists[uint64]
	known  intern.Lists[int32] // members of states, which are in states
	states []*tokenState
	count  struct{ rows, masks, edges, forgotten int }
	bytes  int64

	asked atomic.Int64
}

// A row is a state composed with the transducer: the tokens on its edges, and EOS if it accepts.
// The tokens of labels are not among them but in the labels' own masks. Where a token leads is
// found by reading its bytes, so that a row is a bit set that equal rows share: any two states in
// the middle of free text, say.
type row struct {
	words  []uint64
	labels []int // indexes of labels with an edge here
	edges  int   // distinct states that the tokens lead to
}

// A tokenState is a state of the composed and determinized automaton: a set of states of the
// byte automaton, all between two tokens. Equal sets are one tokenState until the machine
// forgets.
type tokenState struct {
	members []int32 // ascending
	row     *row    // of the only member, or nil
}

// compilePattern makes the byte automaton of a pattern.
func compilePattern(pattern string) (*automata.DFA, error) {
	e, err := ParsePattern(pattern)
	if err != nil {
		return nil, err
	}
	d, err := automata.Compile(e, automata.DefaultLimits)
	if err == nil && d.HasContexts() {
		err = fmt.Errorf("the pattern %s: %w; the text ends with the match, so leave it out", pattern, automata.ErrContext)
	}
	if err == nil && d.IsEmpty() {
		err = fmt.Errorf("the pattern %s matches no text at all", pattern)
	}
	return d, err
}

// compileFinite makes the byte automaton of a grammar (section 5.1). A grammar that has none, or
// one that is too large, is outside of the algorithm's scope.
func compileFinite(ctx context.Context, g *grammar.Grammar) (*automata.DFA, error) {
	d, err := regular.Compile(ctx, g, automata.Limits{})
	var recursion *regular.RecursionError
	var limit *automata.LimitError
	if errors.As(err, &recursion) || errors.As(err, &limit) || errors.Is(err, regular.ErrLayout) {
		err = &algorithms.UnsupportedError{Algorithm: name + " with automaton=finite", Reason: err.Error(), Cause: err}
	}
	if err == nil && d.IsEmpty() {
		err = errors.New("the grammar has no text at all")
	}
	return d, err
}

// compileRegular composes an automaton over bytes with the vocabulary of a problem. The tokens of
// labels depend on the vocabulary alone, and are kept for the next problem.
func compileRegular(ctx context.Context, d *automata.DFA, p *algorithms.Problem, o settings) (*regularMachine, error) {
	v := p.Vocabulary
	kinds := algorithms.KeptValue(p.Keeping().Kept, labelsOf{v}, func() [][]uint64 { return labelMasks(v) })
	m := &regularMachine{dfa: d, v: v, limit: o.memory, shared: o.shared, kinds: kinds}
	m.forget()
	m.count.forgotten = 0
	if !o.eager {
		return m, nil
	}
	for s := range int32(d.NumStates()) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("composing state %d of %d: %w", s, d.NumStates(), err)
		}
		m.row(s)
		if m.bytes > o.memory {
			return nil, &LimitError{"bytes of composed states", o.memory, "raise the option memory, or use compile=lazy, which forgets what outgrows it"}
		}
	}
	return m, nil
}

// labelsOf is the key of a vocabulary's label masks in a Kept.
type labelsOf struct{ v *tokenizers.Vocabulary }

// labelMasks computes the tokens of each label. Text is valid UTF-8: a token that ends inside a
// character is none.
func labelMasks(v *tokenizers.Vocabulary) [][]uint64 {
	masks := make([][]uint64, len(labels))
	for i := range masks {
		masks[i] = make([]uint64, algorithms.MaskWords(v.Len()))
	}
	for id := range v.Len() {
		if !v.Legal(id) || !utf8.Valid(v.Token(id)) {
			continue
		}
		bitset.Add(masks[0], id)
		if !slices.ContainsFunc(v.Token(id), func(b byte) bool { return b == '\n' || b == '\r' }) {
			bitset.Add(masks[1], id)
		}
	}
	return masks
}

// forget drops everything composed.
func (m *regularMachine) forget() {
	m.rows = make([]*row, m.dfa.NumStates())
	m.masks, m.known, m.states = intern.Lists[uint64]{}, intern.Lists[int32]{}, nil
	m.count.rows, m.count.masks, m.count.edges = 0, 0, 0
	m.count.forgotten++
	m.bytes = 0
}

// row is the composed state s. The caller holds the lock, or is alone.
func (m *regularMachine) row(s int32) *row {
	if m.rows[s] == nil {
		m.rows[s] = m.compose(s)
		m.count.rows++
	}
	return m.rows[s]
}

// compose reads every token from a state, along the transducer's tree.
func (m *regularMachine) compose(s int32) *row {
	r := &row{}
	b := algorithms.NewBuffer(m.v.Len())
	trie := m.v.Trie()
	depths := trie.Depths()
	targets := map[int32]bool{}
	var at [tokenizers.MaxTokenLength + 1]int32
	at[0] = s
	for i := 0; i < len(trie.Nodes); {
		n, d := trie.Nodes[i], depths[i]
		to := automata.Dead
		if n.Byte() <= maxTextByte {
			to = m.dfa.Next(at[d], n.Byte())
		}
		if to == automata.Dead {
			i += n.Size()
			continue
		}
		at[d+1] = to
		if id := n.Token(); id >= 0 {
			b.Set(int(id))
			targets[to] = true
		}
		i++
	}
	finish(b.Words(), m.v, m.dfa.Accepting(s))
	for i, l := range labels {
		if m.dfa.Next(s, byte(l)) != automata.Dead {
			r.labels = append(r.labels, i)
		}
	}
	r.edges = len(targets) + len(r.labels)
	m.count.edges += r.edges
	r.words = m.intern(b)
	return r
}

// intern returns words equal to the buffer's, shared if the option says so.
func (m *regularMachine) intern(b *algorithms.Buffer) []uint64 {
	if m.shared {
		if id, isNew := m.masks.Take(b.Words()); !isNew {
			return m.masks.At(id)
		}
	}
	m.count.masks++
	m.bytes += int64(8 * len(b.Words()))
	return b.Words()
}

// state interns a set of states. It takes ownership of members.
func (m *regularMachine) state(members []int32) *tokenState {
	slices.Sort(members)
	members = slices.Compact(members)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes > m.limit {
		m.forget()
	}
	id, isNew := m.known.Take(members)
	if !isNew {
		return m.states[id]
	}
	t := &tokenState{members: members}
	if len(members) == 1 {
		if r := m.row(members[0]); len(r.labels) == 0 {
			t.row = r
		}
	}
	m.states = append(m.states, t)
	m.bytes += int64(8*len(members) + 96)
	return t
}

func (m *regularMachine) vocabulary() *tokenizers.Vocabulary { return m.v }

// start implements machine.
func (m *regularMachine) start() *tokenState { return m.state([]int32{m.dfa.Start()}) }

// end implements machine.
func (m *regularMachine) end(t *tokenState) bool {
	return slices.ContainsFunc(t.members, m.dfa.Accepting)
}

// read implements machine.
func (m *regularMachine) read(t *tokenState, token int) (*tokenState, bool) {
	var next []int32
	for _, s := range t.members {
		if to := m.spell(s, m.v.Token(token)); to != automata.Dead {
			next = append(next, to)
		}
		for i, l := range labels {
			if to := m.dfa.Next(s, byte(l)); to != automata.Dead && bitset.Has(m.kinds[i], token) {
				next = append(next, to)
			}
		}
	}
	if len(next) == 0 {
		return nil, false
	}
	return m.state(next), true
}

// spell reads the bytes of a token.
func (m *regularMachine) spell(s int32, text []byte) int32 {
	for _, b := range text {
		if b > maxTextByte {
			return automata.Dead
		}
		if s = m.dfa.Next(s, b); s == automata.Dead {
			break
		}
	}
	return s
}

// kept implements keeper. The mask of a single state without labels is the shared one itself.
func (m *regularMachine) kept(t *tokenState) []uint64 {
	if t.row == nil {
		return nil
	}
	m.asked.Add(1)
	return t.row.words
}

// fill implements machine.
func (m *regularMachine) fill(t *tokenState, _ *scratch, row []uint64) {
	m.asked.Add(1)
	clear(row)
	for _, q := range t.members {
		m.mu.Lock()
		r := m.row(q)
		m.mu.Unlock()
		algorithms.Unite(row, r.words)
		for _, i := range r.labels {
			algorithms.Unite(row, m.kinds[i])
		}
	}
}

// stats implements machine.
func (m *regularMachine) stats() algorithms.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return algorithms.Stats{
		Bytes: m.bytes + int64(m.dfa.Bytes()+8*len(m.rows)+8*len(labels)*algorithms.MaskWords(m.v.Len())),
		Counters: []algorithms.Counter{
			{Name: "automaton states", Value: float64(m.dfa.NumStates())},
			{Name: "compositions", Value: float64(m.count.rows)},
			{Name: "edges", Value: float64(m.count.edges)},
			{Name: "shared masks", Value: float64(m.count.masks)},
			{Name: "token states", Value: float64(m.known.Len())},
			{Name: "masks", Value: float64(m.asked.Load())},
			{Name: "times forgotten", Value: float64(m.count.forgotten)},
		},
	}
}

var _ keeper[*tokenState] = (*regularMachine)(nil)
