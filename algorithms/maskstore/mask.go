package maskstore

import (
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// engine is the compiled problem, with what was counted online.
type engine struct {
	*store
	made, asked, read atomic.Int64 // masks; questions to the parser; tokens that the parser read
}

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	return algorithms.NewFilling(e.problem, func() algorithms.Fill { return e.fill })
}

// fill unites the masks that the parser asks for.
func (e *engine) fill(s *algorithms.Position, words []uint64) {
	q := int(s.State.Lexer)
	r := &e.rows[e.rowOf[q*e.bases+int(e.baseOf[s.State.Stacks.TopNode(0).State])]]
	copy(words, e.mask(r.ready))
	asked := 0
	for i := range r.asks {
		asked += e.ask(s.State.Stacks, words, &r.asks[i])
	}
	e.made.Add(1)
	e.asked.Add(int64(asked))
	if e.config.exact {
		e.check(s, words, e.mask(e.inside[q]))
	}
}

// ask adds what a terminal that the lexeme may become allows, and the terminals after it. It
// returns how many questions the parser was asked.
func (e *engine) ask(stacks lr.Stacks, words []uint64, a *ask) (asked int) {
	tables := e.problem.Tables
	if !a.sure {
		if asked++; !tables.Accepts(stacks, a.terminal) {
			return asked
		}
	}
	algorithms.Unite(words, e.mask(a.mask))
	if a.after < 0 {
		return asked
	}
	if !e.ignored[a.terminal] {
		stacks, _ = tables.Shift(stacks, a.terminal)
	}
	for _, next := range e.afters[a.after].next {
		if !e.ignored[next.terminal] {
			if asked++; !tables.Accepts(stacks, next.terminal) {
				continue
			}
		}
		algorithms.Unite(words, e.mask(next.mask))
	}
	return asked
}

// check removes the tokens that the grammar does not allow. The sure ones need not be read: they
// stay inside the only terminal that the lexeme can become.
func (e *engine) check(s *algorithms.Position, words, sure []uint64) {
	p, read := s.Problem(), 0
	for id := range bitset.All[int](words) {
		if bitset.Has(sure, id) {
			continue
		}
		read++
		if _, ok := p.Read(s.State, p.Vocabulary.Token(id)); !ok {
			bitset.Remove(words, id)
		}
	}
	e.read.Add(int64(read))
}

// Stats implements algorithms.Engine.
func (e *engine) Stats() algorithms.Stats {
	t := &e.tally
	list := []algorithms.Counter{
		{Name: "states of terminals", Value: float64(t.states)},
		{Name: "(state, sequence) pairs", Value: float64(t.pairs)},
		{Name: "a mask for each pair", Value: 8 * float64(t.pairs) * float64(e.words), Unit: "B"},
		{Name: "distinct masks", Value: float64(e.masks.Len())},
		{Name: "rows", Value: float64(len(e.rows))},
	}
	add := func(name string, value float64) { list = append(list, algorithms.Counter{Name: name, Value: value}) }
	if e.config.lookahead > 0 {
		add("(state, sequence) pairs asked", float64(t.kept))
		add("(state, sequence) pairs within a ready mask", float64(t.contained))
	}
	if e.config.streamlined {
		add("pairs of terminals", float64(t.proved))
		add("pairs of terminals never legal", float64(t.never))
		add("pairs of terminals always legal", float64(t.always))
		add("pairs of terminals jointly legal", float64(t.joint))
		add("pairs of terminals left for the parser", float64(t.proved-t.never-t.always-t.joint))
	}
	masks := float64(max(e.made.Load(), 1))
	add("masks", float64(e.made.Load()))
	add("questions per mask", float64(e.asked.Load())/masks)
	if e.config.exact {
		add("tokens read per mask", float64(e.read.Load())/masks)
	}
	return algorithms.Stats{Bytes: e.held, Counters: list}
}
