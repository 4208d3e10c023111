package psc

import (
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/table"
	"gcdbench/grammar/lr"
	"gcdbench/internal/tally"
)

// engine is the compiled problem. Everything that it has built is in its core. A core that holds
// too much is replaced by an empty one.
type engine struct {
	problem *algorithms.Problem
	ahead   bool
	cached  bool
	lazy    bool
	lists   bool
	spans   spanner.Options
	limit   int64
	core    atomic.Pointer[core]

	counts  tally.Sheets[sheet]
	flushes atomic.Int64
}

// maxDepth is the depth that the distribution of depths ends with; deeper reads count as it. Tokens
// like "))))))))" look as deep as they close brackets, some ten symbols a bracket.
const maxDepth = 127

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	g := &gen{Position: algorithms.NewPosition(e.problem), engine: e}
	if e.lazy {
		g.own() // not a mask's business to wait for
	}
	return g
}

// gen is one generation. Its buffer holds a mask that the engine has not finished before; with
// the cache off, every mask.
type gen struct {
	algorithms.Position
	engine *engine
	buffer *algorithms.Buffer
	lent   algorithms.Buffer // of a caller, while it is filled
	counts *sheet
	built  bool // something was, for the mask that is asked for
	key    []byte
	visits visits
	ahead  ahead
}

// Clone implements algorithms.State.
func (g *gen) Clone() algorithms.State {
	c := &gen{Position: g.Position, engine: g.engine}
	return c
}

// Idle implements algorithms.Idler: what the next mask of a schema's text may need is built while
// the model computes.
func (g *gen) Idle() (more bool) {
	e, c := g.engine, g.engine.latest()
	if !e.ahead || !e.lazy || !c.sparse || g.Ended {
		return false
	}
	return g.readOn(c)
}

// Fill implements algorithms.Filler: a mask that the engine does not keep is written into the
// caller's row.
func (g *gen) Fill(row []uint64) {
	if g.Ended {
		clear(row)
		return
	}
	g.lent = algorithms.BufferOn(row, g.engine.problem.Vocabulary.Len())
	if words := g.mask(&g.lent); words != nil {
		copy(row, words)
	}
	g.lent = algorithms.Buffer{}
}

// Mask implements algorithms.State. The words of a kept mask belong to the engine, are shared by
// all generations and never change; algorithms.Mask gives no way to write them. A mask that is
// not kept is in the generation's buffer.
func (g *gen) Mask() algorithms.Mask {
	if g.Ended {
		return g.own().Mask()
	}
	b := g.space()
	if words := g.mask(b); words != nil {
		return algorithms.MaskOf(words, g.engine.problem.Vocabulary.Len())
	}
	return b.Mask()
}

// mask is the words of the mask if the engine keeps it; else it is nil, and the tokens are set in
// b.
func (g *gen) mask(b *algorithms.Buffer) []uint64 {
	defer g.counted()
	for {
		c := g.engine.latest()
		if words := g.maskBy(c, b); !c.outgrown() {
			return words
		}
	}
}

// maskBy is mask as far as a core knows the grammar.
func (g *gen) maskBy(c *core, b *algorithms.Buffer) []uint64 {
	r := g.row(c)
	if g.engine.cached && g.State.Stacks.NumTops() == 1 {
		if s, depth := g.walk(c, r); s != nil {
			return g.finish(c, s, depth, b)
		}
	}
	g.unite(c, r, b.Words())
	return nil
}

// pass is the node n below another, nil where the stack ends before. It is not ok where the stack
// forks.
func pass(from *lr.Node, n int32) (under *lr.Node, ok bool) {
	for range n {
		switch from.NumUnder() {
		case 0:
			return nil, true
		case 1:
			from = from.Under(0)
		default:
			return nil, false
		}
	}
	return from, true
}

// walk goes down a stack with one top. It is what was put out on the way, and how deep that looks;
// nil if the stack forks.
func (g *gen) walk(c *core, r *row) (so *said, depth int) {
	n := g.State.Stacks.TopNode(0)
	from := g.startAt(c, r, n.State)
	at, so := from.state, from.said
	for depth = 1; !at.done(); {
		under, ok := pass(n, at.skip+1)
		if !ok {
			return nil, depth
		}
		if under == nil {
			break
		}
		n = under
		depth += int(at.skip) + 1
		if at = g.nextState(c, at, n.State); at.out != 0 {
			so = g.say(c, so, at.out)
		}
	}
	return so, depth
}

// Unbuilt implements algorithms.Builder. Of forked stacks it is not looked for.
func (g *gen) Unbuilt() bool {
	if g.Ended || !g.engine.cached || g.State.Stacks.NumTops() != 1 {
		return false
	}
	c := g.engine.latest()
	r := c.rowThere(g.State.Lexer, g.State.Layout, &g.key)
	if r == nil {
		return true
	}
	n := g.State.Stacks.TopNode(0)
	from := r.starts.get(n.State)
	if from == nil {
		return true
	}
	at, so := from.state, from.said
	for so != nil && !at.done() {
		if n, _ = pass(n, at.skip+1); n == nil {
			return false
		}
		if at = at.edges.find(n.State); at == nil {
			return true
		}
		if at.out != 0 {
			so = so.next.find(at.out)
		}
	}
	return so == nil
}

// Build implements algorithms.Builder.
func (g *gen) Build() {
	if g.Ended || !g.engine.cached || g.State.Stacks.NumTops() != 1 {
		return
	}
	for {
		c := g.engine.latest()
		if g.walk(c, g.row(c)); !c.outgrown() {
			return
		}
	}
}

// end is 1 if the mask needs EOS added, else 0.
func (g *gen) end() int {
	if g.engine.problem.Layout != nil && g.engine.problem.End(g.State) {
		return 1
	}
	return 0
}

// finish is the mask of what was put out on the way down.
func (g *gen) finish(c *core, s *said, depth int, b *algorithms.Buffer) []uint64 {
	g.sheet().depths[min(depth, maxDepth)].Add(1)
	end := g.end()
	if words := s.masks[end].Load(); words != nil {
		return *words
	}
	again := s.met.Swap(true)
	if !again && g.engine.lazy {
		g.missed()
	}
	return c.finished(s, end, again, b)
}

// sheet is where the generation counts its masks.
func (g *gen) sheet() *sheet {
	if g.counts == nil {
		g.counts = tally.Of(&g.engine.counts, g)
	}
	return g.counts
}

// own is the generation's own buffer, empty.
func (g *gen) own() *algorithms.Buffer {
	b := g.space()
	b.Reset()
	return b
}

// space is the generation's own buffer, with whatever is in it.
func (g *gen) space() *algorithms.Buffer {
	if g.buffer == nil {
		g.buffer = algorithms.NewBuffer(g.engine.problem.Vocabulary.Len())
	}
	return g.buffer
}

// A visit is a state of the automaton at a node of the stack. The state has read the symbols
// above the node. It passes over skip symbols, the node's the first of them, before it reads one;
// with skip -1 it has read the node's symbol as well.
type visit struct {
	state *state
	node  *lr.Node
	skip  int32
	depth int
	root  spanner.NodeID // of the trees that the state is for
}

// visits is the scratch of a walk along all paths of a forked stack.
type visits struct {
	todo []visit
	seen map[visit]struct{}
	outs map[uint64]struct{}
}

// unite walks all paths of the stack and writes the union of the outputs over the words of a
// mask. It serves every stack without cache, and forked stacks, which are too few for a cache of
// their own (JSON schemas: 273 of 324,000 masks of MaskBench). Each pair of a state and a node is
// visited once.
func (g *gen) unite(c *core, r *row, words []uint64) {
	v := &g.visits
	clear(words)
	if v.seen == nil {
		v.seen, v.outs = map[visit]struct{}{}, map[uint64]struct{}{}
	}
	clear(v.seen)
	clear(v.outs)
	v.todo = v.todo[:0]
	stacks := g.State.Stacks
	for i := range stacks.NumTops() {
		n := stacks.TopNode(i)
		s := g.startAt(c, r, n.State)
		v.add(visit{s.state, n, -1, 1, s.said.root})
	}
	deepest := 0
	for len(v.todo) > 0 {
		at := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		deepest = max(deepest, at.depth)
		switch {
		case at.skip == 0:
			v.add(visit{g.nextState(c, at.state, at.node.State), at.node, -1, at.depth, at.root})
			continue
		case at.skip < 0:
			out := table.Pair(int32(at.root), at.state.out)
			if _, said := v.outs[out]; !said {
				v.outs[out] = struct{}{}
				c.put(words, at.root, at.state.out)
			}
			if at.state.done() {
				continue
			}
			at.skip = at.state.skip + 1
		}
		for i := range at.node.NumUnder() {
			v.add(visit{at.state, at.node.Under(i), at.skip - 1, at.depth + 1, at.root})
		}
	}
	if stacks.NumTops() != 1 {
		g.sheet().forked.Add(1)
	}
	g.sheet().depths[min(deepest, maxDepth)].Add(1)
	if g.engine.problem.Layout != nil {
		g.MarkEnd(words)
	}
}

// add queues a visit that was not made.
func (v *visits) add(x visit) {
	key := visit{state: x.state, node: x.node, skip: x.skip, root: x.root}
	if _, seen := v.seen[key]; !seen {
		v.seen[key] = struct{}{}
		v.todo = append(v.todo, x)
	}
}

// A sheet counts the masks of one generation at a time.
type sheet struct {
	depths [maxDepth + 1]atomic.Int64 // masks by the depth that they looked to
	forked atomic.Int64               // masks on forked stacks
	built  atomic.Int64               // masks that had to build something
	_      [48]byte                   // whole cache lines
}

// counted is the counts of all generations so far.
func counted(s *tally.Sheets[sheet]) (depths [maxDepth + 1]int64, forked, built int64) {
	s.Each(func(x *sheet) {
		for d := range x.depths {
			depths[d] += x.depths[d].Load()
		}
		forked += x.forked.Load()
		built += x.built.Load()
	})
	return depths, forked, built
}

// A mask has to build where something that it needs was not there yet: a row, a start, a
// transition, or, of a lazy engine, the finished mask. These methods find what is there without a
// lock, and note what is not.

// missed notes that the mask that is asked for has to build.
func (g *gen) missed() { g.built = true }

// counted counts the mask that was asked for, if it had to build.
func (g *gen) counted() {
	if g.built {
		g.built = false
		g.sheet().built.Add(1)
	}
}

// row is the row of the generation's lexer state and registers.
func (g *gen) row(c *core) *row {
	if r := c.rowThere(g.State.Lexer, g.State.Layout, &g.key); r != nil {
		return r
	}
	g.missed()
	return c.row(g.State.Lexer, g.State.Layout, &g.key)
}

// nextState is the state after the next symbol that is read, x.
func (g *gen) nextState(c *core, s *state, x int32) *state {
	if to := s.edges.find(x); to != nil {
		return to
	}
	g.missed()
	return c.nextState(s, x)
}

// startAt is the start of a row at top x.
func (g *gen) startAt(c *core, r *row, x int32) *start {
	if s := r.starts.get(x); s != nil {
		return s
	}
	g.missed()
	return c.firstStart(r, x)
}

// say is a list of outputs with one output more. That is not built where the automaton is.
func (g *gen) say(c *core, s *said, out int32) *said {
	if next := s.next.find(out); next != nil {
		return next
	}
	return c.sayMore(s, out)
}
