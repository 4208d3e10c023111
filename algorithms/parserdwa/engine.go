package parserdwa

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar/lr"
)

// engine is a compiled problem.
type engine struct {
	problem *algorithms.Problem
	current atomic.Pointer[automaton]
	cached  bool // option masks
	direct  bool // option determinize=none
	sliced  bool // option slices
	limit   int  // bytes
	masks   atomic.Int64
	depth   atomic.Int64 // symbols read
	anew    atomic.Int64 // automata given up at the limit
}

func checkLimit(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 1<<20 {
		return fmt.Errorf("%q is not a number of MiB from 1 to %d", value, 1<<20)
	}
	return nil
}

func compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	p = p.Keeping()
	e := &engine{problem: p, limit: o.Int("limit") << 20, cached: o["masks"] == "cached", direct: o["determinize"] == "none", sliced: o.Bool("slices")}
	a := newAutomaton(p, e.limit, e.sliced)
	e.current.Store(a)
	if o["determinize"] == "eager" {
		if err := (&eager{a: a, ctx: ctx}).build(); err != nil {
			return nil, err
		}
	}
	return e, ctx.Err()
}

// renew gives up an automaton that has outgrown its limit. Whoever is reading it goes on in peace.
// It returns the one that takes its place.
func (e *engine) renew(old *automaton) *automaton {
	if e.current.CompareAndSwap(old, newAutomaton(e.problem, e.limit, e.sliced)) {
		e.anew.Add(1)
	}
	return e.current.Load()
}

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	return &generation{Position: algorithms.NewPosition(e.problem), engine: e, buffer: algorithms.NewBuffer(e.problem.Vocabulary.Len())}
}

// generation is one generation.
type generation struct {
	algorithms.Position
	engine   *engine
	buffer   *algorithms.Buffer
	run      run
	frontier frontier
}

// Clone implements algorithms.State.
func (g *generation) Clone() algorithms.State {
	return &generation{Position: g.Position, engine: g.engine, buffer: algorithms.NewBuffer(g.buffer.Mask().Len())}
}

// Mask implements algorithms.State.
func (g *generation) Mask() algorithms.Mask {
	e := g.engine
	a := e.current.Load()
	if a.full() {
		a = e.renew(a)
	}
	e.masks.Add(1)
	roots := a.root(g.State.Lexer)
	if e.cached && roots.line < 0 && !g.Ended {
		if m, read, ok := roots.paths.read(a, g.State.Stacks); ok {
			e.depth.Add(int64(read))
			return g.shared(m)
		}
	}
	g.buffer.Reset()
	if g.Ended {
		return g.buffer.Mask()
	}
	words := g.buffer.Words()
	read := g.unite(a, roots.plain, words)
	if line := a.lineRoot(roots, g.State.Lexer, g.State.Layout); line != nil {
		read += g.unite(a, line, words)
	}
	e.depth.Add(int64(read))
	g.MarkEnd(g.buffer)
	return g.buffer.Mask()
}

// shared is a mask that others hold too, with the EOS ids if the text may end.
func (g *generation) shared(words []uint64) algorithms.Mask {
	if !g.Problem().End(g.State) {
		return algorithms.MaskOf(words, g.Problem().Vocabulary.Len())
	}
	copy(g.buffer.Words(), words)
	g.MarkEnd(g.buffer)
	return g.buffer.Mask()
}

// unite adds what a start state accepts to a mask, and returns the number of symbols read.
func (g *generation) unite(a *automaton, s *state, mask []uint64) int {
	if g.engine.direct {
		return g.frontier.stacks(a, s, g.State.Stacks, mask)
	}
	g.run.read = 0
	g.run.stacks(a, s, g.State.Stacks, mask)
	return g.run.read
}

// A run reads stacks with the automaton. What it keeps is scratch for stacks that fork.
type run struct {
	read int
	seen map[place]bool
	todo []place
}

// A place is a node of the stacks, in a state of the automaton.
type place struct {
	node *lr.Node
	at   *state
}

// stacks unites what the automaton accepts on all stacks.
func (r *run) stacks(a *automaton, s *state, stacks lr.Stacks, mask []uint64) {
	if len(r.seen) > 0 {
		clear(r.seen)
	}
	for i := range stacks.NumTops() {
		r.path(a, s, stacks.TopNode(i), mask)
	}
	for len(r.todo) > 0 {
		last := len(r.todo) - 1
		p := r.todo[last]
		r.todo = r.todo[:last]
		r.path(a, p.at, p.node, mask)
	}
}

// path reads a stack from node down until everything is decided, the stack ends or it forks. The
// ways on from a fork are put off; each is taken once in each state of the automaton, so that a
// graph with cycles is read to its end.
func (r *run) path(a *automaton, s *state, node *lr.Node, mask []uint64) {
	for {
		r.read++
		arc := a.step(s, node.State)
		arc.weight.orInto(mask)
		if arc.to == nil {
			return
		}
		s = arc.to
		switch node.NumUnder() {
		case 0:
			return
		case 1:
			node = node.Under(0)
			continue
		}
		here := place{node, s}
		if r.seen[here] {
			return
		}
		if r.seen == nil {
			r.seen = map[place]bool{}
		}
		r.seen[here] = true
		for i := range node.NumUnder() {
			r.todo = append(r.todo, place{node.Under(i), s})
		}
		return
	}
}

// Stats implements algorithms.Engine.
func (e *engine) Stats() algorithms.Stats {
	a := e.current.Load()
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.composer.terminals
	return algorithms.Stats{Bytes: int64(a.bytes()), Counters: []algorithms.Counter{
		{Name: "states", Value: float64(len(a.states))},
		{Name: "transitions", Value: float64(a.arcs)},
		{Name: "items", Value: float64(len(a.composer.items.list))},
		{Name: "shared transitions", Value: float64(len(a.composer.items.outcomes))},
		{Name: "weights", Value: float64(a.weights.count)},
		{Name: "dense weights", Value: float64(a.weights.dense)},
		{Name: "weight bytes", Value: float64(a.weights.held), Unit: "B"},
		{Name: "terminal nodes", Value: float64(len(t.nodes))},
		{Name: "terminal edges", Value: float64(t.edges)},
		{Name: "template transitions", Value: float64(len(a.composer.templates.effects) + len(a.composer.templates.probes))},
		{Name: "paths kept", Value: float64(a.paths)},
		{Name: "masks", Value: float64(e.masks.Load())},
		{Name: "depth read", Value: float64(e.depth.Load())},
		{Name: "started anew", Value: float64(e.anew.Load())},
	}}
}
