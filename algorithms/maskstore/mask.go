package maskstore

import (
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/lexer"
	"gcdbench/recognizer"
)

// engine is the compiled problem, with what was counted online.
type engine struct {
	*store
	made, asked, read atomic.Int64 // masks; questions to the parser; tokens that the parser read
}

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	n := e.problem.Vocabulary.Len()
	return &state{Position: algorithms.NewPosition(e.problem), engine: e, buffer: algorithms.NewBuffer(n)}
}

// state is one generation.
type state struct {
	algorithms.Position
	engine *engine
	buffer *algorithms.Buffer
	// steps and legal are scratch of check: a state for each byte of a token, and the result.
	steps []recognizer.State
	legal []uint64
}

// Clone implements algorithms.State.
func (s *state) Clone() algorithms.State {
	return &state{Position: s.Position, engine: s.engine, buffer: algorithms.NewBuffer(s.buffer.Mask().Len())}
}

// Mask implements algorithms.State.
func (s *state) Mask() algorithms.Mask {
	s.Fill(s.buffer.Words())
	return s.buffer.Mask()
}

// Fill implements algorithms.Filler.
func (s *state) Fill(words []uint64) {
	if s.Ended {
		clear(words)
		return
	}
	e, q := s.engine, int(s.State.Lexer)
	r := &e.rows[e.rowOf[q*e.bases+int(e.baseOf[s.State.Stacks.TopNode(0).State])]]
	copy(words, e.mask(r.ready))
	asked := 0
	for i := range r.asks {
		asked += s.ask(words, &r.asks[i])
	}
	e.made.Add(1)
	e.asked.Add(int64(asked))
	if e.config.exact {
		s.check(words, e.mask(e.inside[q]))
	}
	s.MarkEnd(words)
}

// ask adds what a terminal that the lexeme may become allows, and the terminals behind it. It
// returns how many questions the parser was asked.
func (s *state) ask(words []uint64, a *ask) (asked int) {
	e, tables, stacks := s.engine, s.engine.problem.Tables, s.State.Stacks
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

// check leaves of a mask the tokens that the grammar allows. It walks the prefix tree with the
// lexer and the parser. The sure tokens need no answer: they stay inside the only terminal that
// the lexeme can become.
func (s *state) check(words, sure []uint64) {
	p := s.Problem()
	trie := p.Vocabulary.Trie()
	order, first := trie.Order(), trie.First()
	if s.steps == nil {
		s.steps, s.legal = make([]recognizer.State, trie.MaxDepth()+1), make([]uint64, len(words))
	}
	clear(s.legal)
	known := map[place]bool{}
	s.steps[0] = s.State
	read := 0
	for i := 0; i < len(trie.Nodes); {
		node, depth := trie.Nodes[i], trie.Depth(i)
		next, ok := p.Step(s.steps[depth], node.Byte())
		if !ok {
			i += node.Size()
			continue
		}
		s.steps[depth+1] = next
		for _, id := range order[first[i]:first[i+1]] {
			if !bitset.Has(words, id) {
				continue
			}
			allowed := bitset.Has(sure, id)
			if !allowed {
				read++
				at := place{next.Stacks.TopNode(0), p.Lexer.Reach(next.Lexer)}
				if allowed, ok = known[at]; !ok {
					allowed = p.Legal(next)
					known[at] = allowed
				}
			}
			if allowed {
				bitset.Add(s.legal, id)
			}
		}
		i++
	}
	copy(words, s.legal)
	s.engine.read.Add(int64(read))
}

// A place is all that the parser is asked about a token at its end.
type place struct {
	stack *lr.Node
	reach lexer.ReachID
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
