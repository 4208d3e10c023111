package parserdwa

import (
	"context"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar/lr"
	"gcdbench/internal/tally"
)

// engine is a compiled problem.
type engine struct {
	problem *algorithms.Problem
	current atomic.Pointer[automaton]
	direct  bool // option determinize=none
	sliced  bool // option slices
	limit   int  // bytes
	counts  tally.Sheets[sheet]
	anew    atomic.Int64 // automata given up at the limit
}

// A sheet counts for one generation at a time.
type sheet struct {
	masks atomic.Int64
	depth atomic.Int64 // symbols read
	_     [48]byte     // a whole cache line
}

func compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	p = p.Keeping()
	e := &engine{problem: p, limit: o.Int("limit") << 20, direct: o["determinize"] == "none", sliced: o.Bool("slices")}
	a := newAutomaton(p, e.limit, e.sliced)
	e.current.Store(a)
	if o["determinize"] == "eager" {
		if err := (&eager{a: a, ctx: ctx}).build(); err != nil {
			return nil, err
		}
	}
	return algorithms.ComparingItems(p, e), ctx.Err()
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
	return algorithms.NewFilling(e.problem, func() algorithms.Fill { return (&reader{engine: e}).fill })
}

// A reader makes the masks of one generation.
type reader struct {
	engine   *engine
	counts   *sheet // nil before the first mask
	run      run
	frontier frontier
}

// automaton is the one to read a mask with: a new one if the last has outgrown its limit.
func (r *reader) automaton() *automaton {
	if r.counts == nil {
		r.counts = tally.Of(&r.engine.counts, r)
	}
	r.counts.masks.Add(1)
	a := r.engine.current.Load()
	if a.full() {
		a = r.engine.renew(a)
	}
	return a
}

// fill writes the union of the weights that the stacks meet over the words of a mask.
func (r *reader) fill(at *algorithms.Position, words []uint64) {
	a := r.automaton()
	roots := a.root(at.State.Lexer)
	line := a.lineRoot(roots, at.State.Lexer, at.State.Layout)
	read := 0
	if r.engine.direct {
		read = r.frontier.fill(a, roots.plain, line, at.State.Stacks, words)
	} else {
		read = r.run.fill(a, roots.plain, line, at.State.Stacks, words)
	}
	r.counts.depth.Add(int64(read))
}

// A run reads stacks with the automaton. What it keeps is scratch for stacks that fork.
type run struct {
	read  int
	found []*weight // accepted so far
	seen  map[place]bool
	todo  []place
}

// A place is a node of the stacks, in a state of the automaton.
type place struct {
	node *lr.Node
	at   *state
}

// fill writes what the automaton accepts on all stacks, from a start state and from line unless
// that is nil, over the words of a mask. It returns the number of symbols read.
func (r *run) fill(a *automaton, s, line *state, stacks lr.Stacks, mask []uint64) (read int) {
	r.read, r.found = 0, r.found[:0]
	r.stacks(a, s, stacks)
	if line != nil {
		r.stacks(a, line, stacks)
	}
	uniteAll(mask, r.found)
	return r.read
}

// stacks finds what the automaton accepts on all stacks.
func (r *run) stacks(a *automaton, s *state, stacks lr.Stacks) {
	if len(r.seen) > 0 {
		clear(r.seen)
	}
	for i := range stacks.NumTops() {
		r.path(a, s, stacks.TopNode(i))
	}
	for len(r.todo) > 0 {
		last := len(r.todo) - 1
		p := r.todo[last]
		r.todo = r.todo[:last]
		r.path(a, p.at, p.node)
	}
}

// path reads a stack from node down until everything is decided, the stack ends or it forks. The
// ways on from a fork are put off; each is taken once in each state of the automaton, so that a
// graph with cycles is read to its end.
func (r *run) path(a *automaton, s *state, node *lr.Node) {
	for {
		r.read++
		arc := a.step(s, node.State)
		if arc.weight != nil {
			r.found = append(r.found, arc.weight)
		}
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
	masks, depth := int64(0), int64(0)
	e.counts.Each(func(s *sheet) { masks, depth = masks+s.masks.Load(), depth+s.depth.Load() })
	return algorithms.Stats{Bytes: int64(a.bytes()), Counters: []algorithms.Counter{
		{Name: "states", Value: float64(len(a.states))},
		{Name: "transitions", Value: float64(a.arcs)},
		{Name: "items", Value: float64(a.composer.items.list.Len())},
		{Name: "shared transitions", Value: float64(len(a.composer.items.outcomes))},
		{Name: "weights", Value: float64(a.weights.count)},
		{Name: "dense weights", Value: float64(a.weights.dense)},
		{Name: "weight bytes", Value: float64(a.weights.held), Unit: "B"},
		{Name: "terminal nodes", Value: float64(len(t.nodes))},
		{Name: "terminal edges", Value: float64(t.edges)},
		{Name: "template transitions", Value: float64(len(a.composer.templates.effects) + len(a.composer.templates.probes))},
		{Name: "masks", Value: float64(masks)},
		{Name: "depth read", Value: float64(depth)},
		{Name: "started anew", Value: float64(e.anew.Load())},
	}}
}
