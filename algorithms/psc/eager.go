package psc

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// atOnce is how many states a builder builds at most before it looks at its budget.
const atOnce = 256

// A budget bounds the memory that an engine holds while it builds all states, in bytes. What is
// left then is built when it is met. Beyond caches, results that can be found again are dropped.
type budget struct{ all, caches int64 }

// eagerBudget is the budget of a compile. The garbage that building makes comes on top of it.
var eagerBudget = budget{all: 3 << 28, caches: 1 << 26}

// A situation is a state with the number of the list of the symbols that it can read.
type situation struct {
	state *state
	list  int32
}

// A builder builds every reachable state, some at a time: the starts of all lexer states with all
// tops of a stack, and from there on. It begins with the lexer states that documents are likely in,
// and stops where the budget is used up. Then it makes the sums of own groups.
type builder struct {
	core    *core
	auto    *automaton
	limit   budget
	columns *columns
	order   []lexer.State // likely ones first, as far as lexer states are known; nil if not asked for
	begun   int           // lexer states
	garbage int64         // bytes that were made or dropped since they were collected last, roughly
	held    int64         // bytes held by then
	starts  []top         // of the lexer state begun last
	todo    []situation
	sums    *sums   // once all states are built
	seen    table64 // set of items, number of a list: queued
	// edges are the lists of transitions. Of three states, two have one that is there already, and
	// share it (frozen.go has figures).
	edges   []*edgeList[state]
	byEdges interned
	ids     []uint32 // scratch of connect
}

// A top is a start to be made: of a row, at a top of the stack.
type top struct {
	row *row
	at  int32
}

func newBuilder(c *core, limit budget) *builder {
	return &builder{core: c, auto: c.auto, limit: limit, columns: newColumns(c.auto)}
}

// buildAll builds every reachable state.
func (c *core) buildAll(ctx context.Context, limit budget) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := newBuilder(c, limit)
	for more := true; more; {
		if err := algorithms.Step(ctx, "lexer states", max(0, b.begun-1), c.problem.Lexer.NumStates()); err != nil {
			return err
		}
		more = b.some()
		b.collect(more)
	}
	return nil
}

// collectEvery is how many bytes a builder makes or drops before the garbage is collected.
const collectEvery = 1 << 27

// collect collects the garbage early. Left to itself the collector waits until the heap is twice
// what was live, so that the peak of a compile would be twice what it holds.
//
// At the end that of the builder itself is collected, before the states are frozen beside it.
func (b *builder) collect(more bool) {
	if b.garbage < collectEvery && (more || b.held < collectEvery) {
		return
	}
	runtime.GC()
	b.garbage = 0
}

// some builds some states, or makes some sums; the lock is held. It tells whether there is more to
// do.
func (b *builder) some() (more bool) {
	if b.sums != nil {
		return b.sums.some()
	}
	if b.columns.bytes()+b.auto.cacheBytes() > b.limit.caches {
		b.garbage += b.columns.bytes() + b.auto.cacheBytes()
		b.auto.forget()
		b.columns = newColumns(b.auto)
	}
	held := b.core.bytes() + b.columns.bytes() + b.bytes()
	b.garbage += max(0, held-b.held)
	b.held = held
	if held > b.limit.all {
		b.end()
		return false
	}
	for n := 0; n < atOnce; n++ {
		switch {
		case len(b.starts) > 0:
			t := b.starts[len(b.starts)-1]
			b.starts = b.starts[:len(b.starts)-1]
			b.start(t.row, t.at)
		case len(b.todo) > 0:
			b.build()
		default:
			return b.next()
		}
	}
	return true
}

// next begins the next lexer state, or what comes after all of them.
func (b *builder) next() (more bool) {
	c := b.core
	c.builtStates = b.begun
	q, ok := b.upcoming()
	if !ok {
		b.end()
		c.release()
		if m := c.composer; m != nil {
			b.sums = m.newSums(b.limit.caches)
		}
		return b.sums != nil
	}
	b.begun++
	for _, r := range b.rows(q) {
		for x := range int32(c.problem.Tables.NumStates()) {
			if c.canTop(x) && c.canPend(q, x) {
				b.starts = append(b.starts, top{r, x})
			}
		}
	}
	return true
}

// upcoming is the lexer state that comes next, if there is one. A lexer on demand may get more.
func (b *builder) upcoming() (lexer.State, bool) {
	p := b.core.engine.problem
	if b.order == nil {
		b.order = likely(p)
	}
	if b.begun < len(b.order) {
		return b.order[b.begun], true
	}
	return lexer.State(b.begun), b.begun < p.Lexer.NumStates()
}

// end drops what only building states needs.
func (b *builder) end() {
	b.columns, b.todo, b.starts, b.seen = nil, nil, nil, table64{}
	b.edges, b.byEdges = nil, interned{}
	b.auto.forgetSplits()
}

// release drops what only building needs, once everything is built. Whatever is missing all the
// same, with a layout the starts of unusual registers, is found anew.
func (c *core) release() {
	c.auto.forget()
	c.auto.spans.Release()
}

// forget drops results that can be found again. States, goals and places keep their numbers.
func (a *automaton) forget() {
	a.sym.forget()
	a.forgetSplits()
	a.arrivals, a.results = table64{}, nil
	a.kept.items, a.kept.accepts = nil, nil
	a.decider.fates = table64{}
}

// forgetSplits drops splits and bunches. Built offline, no state has a bunch.
func (a *automaton) forgetSplits() { a.splits, a.bunches = newSplitter(a), bunches{} }

// cacheBytes is the memory of what forget drops, roughly.
func (a *automaton) cacheBytes() int64 {
	return a.sym.bytes() + a.arrivals.bytes() + 16*int64(len(a.results)) + 8*int64(cap(a.kept.items)) + 4*int64(cap(a.kept.accepts)) + a.decider.fates.bytes() + a.splits.bytes() + a.bunches.bytes()
}

// rows are the rows of a lexer state that are built ahead. With a layout their number is
// unbounded, as a line can close any number of blocks; the rows of the usual registers are built,
// the others when they come.
func (b *builder) rows(q lexer.State) []*row {
	e := b.core.makeEntry(q)
	if e.plain != nil {
		return []*row{e.plain}
	}
	var list []*row
	var key []byte
	for _, r := range b.core.usual() {
		key = e.need.appendKey(key[:0], b.auto.problem.Layout, r)
		if (*e.rows.Load())[string(key)] == nil {
			list = append(list, b.core.makeRow(e, q, r, key))
		}
	}
	return list
}

// usualBlocks and usualDepth are how many open blocks and brackets the usual registers have at
// most: lines that close more, or are indented otherwise, are met rarely, and cost a build of some
// microseconds a state then.
const (
	usualBlocks = 6
	usualDepth  = 6
)

// usualIndents are what the blocks of a text are indented by.
var usualIndents = [...]string{"    ", "\t", "  ", " ", "   "}

// usual lists layout registers as they usually are: no brackets, some blocks open, and a line that
// begins at the column of one of them or one further in, or a blank before it, as the last blank is
// in one token with the word behind it; and some brackets in some blocks.
func (c *core) usual() []layout.Registers {
	if c.usualRegisters != nil {
		return c.usualRegisters
	}
	p := c.problem
	newline := func(r layout.Registers, text string) layout.Registers {
		r = p.Layout.Begin(r)
		for i := range len(text) {
			r = p.Layout.Read(r, text[i])
		}
		return r
	}
	var list []layout.Registers
	for _, indent := range usualIndents {
		var open layout.Registers
		for blocks := range usualBlocks + 1 {
			for k := range blocks + 2 {
				text := strings.Repeat(indent, k)
				list = append(list, newline(open, text))
				if before, ok := strings.CutSuffix(text, " "); ok {
					list = append(list, newline(open, before))
				}
			}
			list = append(list, c.bracketed(open)...)
			_, open, _ = p.Layout.Lexeme(newline(open, strings.Repeat(indent, blocks+1)), p.Layout.Newline())
		}
	}
	c.usualRegisters = list
	return list
}

// bracketed lists registers, and what they are in some brackets.
func (c *core) bracketed(in layout.Registers) []layout.Registers {
	p, list := c.problem, []layout.Registers{in}
	if len(p.Grammar.Layout.Open) > 0 {
		for range usualDepth {
			_, in, _ = p.Layout.Lexeme(in, p.Grammar.Layout.Open[0])
			list = append(list, in)
		}
	}
	return list
}

// start queues what the start of a row at top x leads to.
func (b *builder) start(r *row, x int32) {
	c := b.core
	if c.engine.cached && c.composer == nil {
		p := r.paths.get(x)
		if p == nil {
			p = c.makePath(r, x)
		}
		b.add(p.state, x)
		return
	}
	s := r.states.get(x)
	if s == nil {
		s = c.makeStart(r, x)
	}
	b.add(s.state, x)
	if s.within != nil {
		b.add(s.within, x)
	}
}

// add queues a state where x was read last, unless it was.
func (b *builder) add(s *state, x int32) {
	if s.done() {
		return
	}
	list := b.auto.underID(x, s.skip+1)
	if key := pair(s.pending.id, list); b.seen.get(key) == absent {
		b.seen.put(key, 0)
		b.todo = append(b.todo, situation{s, list})
	}
}

// build builds the transitions of the state that was queued last, and queues what they lead to.
func (b *builder) build() {
	a := b.auto
	w := b.todo[len(b.todo)-1]
	b.todo = b.todo[:len(b.todo)-1]
	list := b.columns.readable(w.state, w.list)
	symbols, to := a.decider.lists.at(list), b.columns.targets(w.state, list)
	b.connect(w.state, symbols, to)
	for i, y := range symbols {
		s := to[i]
		b.add(s, y)
		if s.out != 0 && b.core.composer != nil && s.delta.Load() == nil {
			b.core.makeDelta(s)
		}
	}
}

// connect adds the transitions of a state.
func (b *builder) connect(s *state, symbols []int32, to []*state) {
	a := b.auto
	if s.edges.list.Load() != nil {
		a.transitions += s.edges.addAll(symbols, to)
		s.share()
		return
	}
	b.ids = b.ids[:0]
	for _, t := range to {
		b.ids = append(b.ids, uint32(t.id))
	}
	h := index.Hash(b.ids) ^ index.Mix(index.Hash(symbols))
	id := b.byEdges.find(h, func(id int32) bool {
		return slices.Equal(b.edges[id].symbols, symbols) && slices.Equal(b.edges[id].to, to)
	})
	if id < 0 {
		id = b.byEdges.add(h)
		b.edges = append(b.edges, &edgeList[state]{symbols, slices.Clone(to)})
	} else {
		a.shared += len(to)
	}
	s.edges.list.Store(b.edges[id])
	s.share()
	a.transitions += len(to)
}

// bytes is the memory that only building needs, beside caches, roughly.
func (b *builder) bytes() int64 {
	return b.seen.bytes() + b.byEdges.bytes() + 8*int64(cap(b.edges)) + 16*int64(cap(b.todo))
}

// canTop tells whether an LR state can be on top of a stack between tokens: only after a shift, or
// at the start.
func (c *core) canTop(x int32) bool {
	sym, ok := c.problem.Tables.Accessing(x)
	return !ok || sym.IsTerminal()
}

// canPend tells whether a text can lead to q with x on top. It can at the start, where the
// pending lexeme may be ignored or dropped by the layout step, and where x has an action on
// something that the lexeme can become. Where stacks may fork it always can: another top may have
// that action.
func (c *core) canPend(q lexer.State, x int32) bool {
	p := c.problem
	if p.Lexer.Begins(q) {
		return q == p.Lexer.Start()
	}
	reach, live := p.Lexer.ReachSet(p.Lexer.Reach(q)), p.Tables.Live(x)
	return !p.Tables.Deterministic() || c.auto.emitsSets || reach.Ignored ||
		p.Layout != nil && reach.Has(p.Layout.Newline()) || bitset.Intersect(live, reach.Parser)
}
