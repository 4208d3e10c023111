package koo

import (
	"context"
	"fmt"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// grammarMachine is a grammar's pushdown automaton composed with a vocabulary (section 3).
type grammarMachine struct {
	*pushdown
	composer *composer
	whole    *tree // without shared masks: what every mask reads
	v        *tokenizers.Vocabulary

	decided *decided // nil: not wanted

	masks, hits, graphs, lost, visited, groups, contexts atomic.Int64
}

// compileGrammar makes the machine of a problem's grammar.
func compileGrammar(ctx context.Context, p *algorithms.Problem, o settings) (*grammarMachine, error) {
	if p.Layout != nil {
		return nil, &algorithms.UnsupportedError{Algorithm: name,
			Reason: "a layout grammar's lines and columns are no part of a character-level pushdown automaton"}
	}
	if p.Compares() {
		return nil, &algorithms.UnsupportedError{Algorithm: name,
			Reason: "items of arrays that are compared (uniqueItems) are no part of a character-level pushdown automaton"}
	}
	if !p.Lexer.Uniform() {
		return nil, &algorithms.UnsupportedError{Algorithm: name,
			Reason: "terminals that ask what follows them, or modes of the lexer, are no part of a character-level pushdown automaton"}
	}
	pd, err := newPushdown(p.Grammar, p.Tables)
	if err != nil {
		return nil, err
	}
	m := &grammarMachine{pushdown: pd, v: p.Vocabulary}
	if !o.shared {
		m.whole = wholeTree(pd.lexicon, p.Vocabulary)
		return m, nil
	}
	m.composer = newComposer(pd.lexicon, follow(p.Tables), p.Vocabulary, o.memory)
	if o.remember {
		m.decided = newDecided()
		m.composer.also = m.decided.forget
	}
	if o.eager {
		return m, m.composeAll(ctx, o)
	}
	return m, nil
}

// composeAll composes ahead of time: for every state of the parser on top of which terminals begin,
// every state of the terminals' automaton that can be reached while one terminal, or ignored ones,
// are read. Which terminals the parser accepts may depend on more of the stack than its top; what
// then remains is composed at run time like all is otherwise.
func (m *grammarMachine) composeAll(ctx context.Context, o settings) error {
	states, err := m.reachable(ctx)
	if err != nil {
		return err
	}
	for i, l := range states {
		if err := algorithms.Step(ctx, "composing states", i, len(states)); err != nil {
			return fmt.Errorf("composing state %d of %d: %w", i, len(states), err)
		}
		m.composer.of(l)
		if held := m.composer.counts(); held.forgotten > 0 || held.bytes > o.memory {
			return &LimitError{"bytes of composed states", o.memory, "raise the option memory, or use compile=lazy, which forgets what outgrows it"}
		}
	}
	return nil
}

// reachable lists the states that composeAll composes.
func (m *grammarMachine) reachable(ctx context.Context) ([]*lexical, error) {
	seen := map[*lexical]bool{}
	var states []*lexical
	visit := func(l *lexical) {
		if l != nil && !seen[l] {
			seen[l] = true
			states = append(states, l)
		}
	}
	for _, q := range m.tables.Tops() {
		visit(m.beginAny(q))
	}
	for i := 0; i < len(states); i++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("finding states, %d so far: %w", len(states), err)
		}
		if len(states) > maxEagerStates {
			return nil, &LimitError{"states of the terminals' automaton", maxEagerStates, "use the option compile=lazy, which composes the states that a text visits"}
		}
		for class := range m.width {
			visit(m.lexicon.step(states[i], uint8(class)).to)
		}
	}
	return states, nil
}

// beginAny is the state in which any terminal begins that LR state q has an action on.
func (m *grammarMachine) beginAny(q int32) *lexical {
	allowed := m.tables.NewSet()
	copy(allowed, m.tables.Live(q))
	end := m.tables.End()
	bitset.Remove(allowed, end)
	return m.begin(allowed)
}

func (m *grammarMachine) vocabulary() *tokenizers.Vocabulary { return m.v }

// read implements machine.
func (m *grammarMachine) read(c configuration, token int) (configuration, bool) {
	c = m.pushdown.read(c, m.v.Token(token))
	return c, len(c) > 0
}

// fill implements machine: the union of the masks of the configuration's groups.
func (m *grammarMachine) fill(c configuration, s *scratch, row []uint64) {
	if m.whole != nil {
		clear(row)
		s.walk.reset(m.pushdown)
		s.walk.run(m.whole, c, row)
		m.note(&s.walk)
	} else {
		m.fillGroups(c, s, row)
	}
	finish(row, m.v, m.end(c))
	m.masks.Add(1)
}

// fillGroups writes the union of the masks of groups over row. A mask of the first one is copied:
// most configurations have no other.
func (m *grammarMachine) fillGroups(c configuration, s *scratch, row []uint64) {
	empty := true
	for _, g := range c {
		words := m.groupMask(g, s)
		switch {
		case words != nil && empty:
			copy(row, words)
		case words != nil:
			algorithms.Unite(row, words)
		default:
			if empty {
				clear(row)
			}
			m.compose(g, s, row, nil)
		}
		empty = false
	}
	if empty {
		clear(row)
	}
}

// note adds a walk to the counters.
func (m *grammarMachine) note(w *walk) {
	m.visited.Add(int64(w.visited))
	m.groups.Add(int64(len(w.groups)))
	m.contexts.Add(int64(w.contexts.Len() - 1))
}

// groupMask is the mask of one group: one remembered, or the shared mask of its lexical state and
// those of the tokens left to the stack that the parser takes. It is nil if masks are not
// remembered for such stacks.
func (m *grammarMachine) groupMask(g group, s *scratch) []uint64 {
	if m.decided == nil {
		return nil
	}
	if words := m.decided.find(g); words != nil {
		m.hits.Add(1)
		return words
	}
	if !s.reads.begin(m.tables, g.stacks) {
		m.graphs.Add(1)
		return nil
	}
	words := make([]uint64, algorithms.MaskWords(m.v.Len()))
	m.compose(g, s, words, &s.reads)
	if s.reads.lost {
		m.lost.Add(1)
		return words
	}
	words = m.composer.share(words, s.reads.bytes())
	m.decided.keep(g, &s.reads, words)
	return words
}

// compose adds the mask of a group to words.
func (m *grammarMachine) compose(g group, s *scratch, words []uint64, r *reads) {
	g = m.settle(g, r)
	k := m.composer.of(g.at)
	algorithms.Unite(words, k.mask)
	s.walk.reset(m.pushdown)
	s.walk.reads = r
	s.walk.run(k.tree, configuration{g}, words)
	m.note(&s.walk)
}

// stats implements machine.
func (m *grammarMachine) stats() algorithms.Stats {
	states, bytes := m.lexicon.stats()
	counters := []algorithms.Counter{
		{Name: "terminal places", Value: float64(len(m.owner))},
		{Name: "byte classes", Value: float64(m.width)},
		{Name: "lexical states", Value: float64(states)},
		{Name: "masks", Value: float64(m.masks.Load())},
		{Name: "nodes visited", Value: float64(m.visited.Load())},
		{Name: "groups", Value: float64(m.groups.Load())},
		{Name: "configurations", Value: float64(m.contexts.Load())},
	}
	if m.whole != nil {
		bytes += int64(8 * len(m.whole.steps))
	} else {
		k := m.composer.counts()
		bytes += k.bytes
		counters = append(counters,
			algorithms.Counter{Name: "compositions", Value: float64(k.compositions)},
			algorithms.Counter{Name: "shared masks", Value: float64(k.masks)},
			algorithms.Counter{Name: "shared trees", Value: float64(k.trees)},
			algorithms.Counter{Name: "tokens left to the stack", Value: float64(k.undecided)},
			algorithms.Counter{Name: "group masks remembered", Value: float64(m.remembered())},
			algorithms.Counter{Name: "group masks found", Value: float64(m.hits.Load())},
			algorithms.Counter{Name: "group masks of stack graphs", Value: float64(m.graphs.Load())},
			algorithms.Counter{Name: "group masks too deep to remember", Value: float64(m.lost.Load())},
			algorithms.Counter{Name: "times forgotten", Value: float64(k.forgotten)})
	}
	return algorithms.Stats{Bytes: bytes + int64(4*len(m.next)+6*len(m.owner)), Counters: counters}
}

// remembered is the number of group masks remembered.
func (m *grammarMachine) remembered() int {
	if m.decided == nil {
		return 0
	}
	return m.decided.size()
}

var _ machine[configuration] = (*grammarMachine)(nil)
