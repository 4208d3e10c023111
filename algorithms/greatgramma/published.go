package greatgramma

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
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
	problem    *algorithms.Problem
	re         *spanner.Inverse
	realizable int            // the size of Re
	byLexer    []lexerEntries // by lexer state
	tokens     groups         // the token sets of Tinv
	always     []int32        // by lexer state and LR state: a mask
	depends    []int32        // by lexer state and LR state: a list of sequences of the lexer state
	masks      [][]uint64
	lists      intern.Lists[int32]

	masksMade, parsed, checked atomic.Int64
}

// lexerEntries are the sequences of a lexer state with their tokens: Tinv(q, .).
type lexerEntries struct {
	sequences []int32 // nodes of the tree, ascending
	groups    []int32 // by place in sequences
}

// compilePublished compiles a problem by the paper's algorithms.
func compilePublished(ctx context.Context, p *algorithms.Problem) (algorithms.Engine, error) {
	if why := spanner.NotPublished(p.Recognizer); why != "" {
		return nil, &algorithms.UnsupportedError{Algorithm: "greatgramma (form=published)", Reason: "the paper has no " + why}
	}
	s := spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{NoSlices: true})
	e := &published{problem: p, re: spanner.NewInverse(s), tokens: groups{bySum: map[[2]uint64]int32{}}}
	if err := e.invert(ctx); err != nil {
		return nil, err
	}
	return algorithms.ComparingItems(p, e), e.preprocess(ctx)
}

// invert makes Re and Tinv: algorithm 4.
func (e *published) invert(ctx context.Context) error {
	e.byLexer = make([]lexerEntries, e.problem.Lexer.NumStates())
	realized := []bool{}
	for q := range e.byLexer {
		if err := algorithms.Step(ctx, "spanner table", q, len(e.byLexer)); err != nil {
			return err
		}
		of := &e.byLexer[q]
		entries := e.re.Entries(lexer.State(q))
		for len(realized) < e.re.Len() {
			realized = append(realized, false)
		}
		for _, x := range entries {
			of.sequences = append(of.sequences, x.Node)
			of.groups = append(of.groups, e.tokens.add(x.Tokens))
			e.realizable += boolToInt(!realized[x.Node])
			realized[x.Node] = true
		}
	}
	return nil
}

// boolToInt is 1 for true.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
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
	verdicts := make([]uint8, e.re.Len())
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
	return algorithms.NewFilling(e.problem, func() algorithms.Fill {
		var sequence []grammar.Terminal
		return func(s *algorithms.Position, row []uint64) { e.fill(s, row, &sequence) }
	})
}

// fill is algorithm 6; sequence is memory.
func (e *published) fill(s *algorithms.Position, row []uint64, sequence *[]grammar.Terminal) {
	stacks := s.State.Stacks
	at := int(s.State.Lexer)*e.problem.Tables.NumStates() + int(stacks.TopNode(0).State)
	copy(row, e.masks[e.always[at]])
	of := &e.byLexer[s.State.Lexer]
	asks := e.lists.At(e.depends[at])
	for _, i := range asks {
		*sequence = e.re.Terminals((*sequence)[:0], of.sequences[i])
		e.parsed.Add(int64(len(*sequence)))
		if e.takes(stacks, *sequence) {
			e.tokens.list[of.groups[i]].addTo(row)
		}
	}
	e.masksMade.Add(1)
	e.checked.Add(int64(len(asks)))
}

// takes tells whether the parser accepts a sequence.
func (e *published) takes(stacks lr.Stacks, sequence []grammar.Terminal) bool {
	ok := true
	for i := 0; ok && i < len(sequence); i++ {
		stacks, ok = e.problem.Tables.Shift(stacks, sequence[i])
	}
	return ok
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
	bytes := e.tokens.bytes + 8*int64(len(e.always)+entries) + 24*int64(e.re.Len())
	for _, m := range e.masks {
		bytes += 8 * int64(len(m))
	}
	for i := range e.lists.Len() {
		bytes += 4 * int64(len(e.lists.At(int32(i))))
	}
	masks := float64(max(e.masksMade.Load(), 1))
	return algorithms.Stats{Bytes: bytes, Counters: []algorithms.Counter{
		{Name: "lexer states", Value: float64(len(e.byLexer))},
		{Name: "realizable terminal sequences", Value: float64(e.realizable)},
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
