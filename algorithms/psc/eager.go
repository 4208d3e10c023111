package psc

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/algorithms/psc/table"
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// Compiled eagerly, the automaton is that of a lazy engine, of which everything that a text can
// reach is visited before the first one: the starts of all lexer states with all tops of a stack,
// and what they lead to.

// atOnce is how many states a visitor builds at most before it looks at its budget.
const atOnce = 256

// A budget bounds the memory that an engine holds while all states are visited, in bytes. What is
// left then is built when it is met. Beyond caches, results that can be found again are dropped.
type budget struct{ all, caches int64 }

// eagerBudget is the budget of a compile. The garbage that building makes comes on top of it.
var eagerBudget = budget{all: 3 << 28, caches: 1 << 26}

// A situation is a state with the number of the list of the symbols that can come next.
type situation struct {
	state *state
	list  int32
}

// A visitor visits everything that can be reached.
type visitor struct {
	core  *core
	auto  *automaton
	limit budget
	usual []layout.Registers
	todo  []situation
	seen  table.Table           // set of items, number of a list: queued
	below table.Table           // state, n -> the list of states n below it
	lists table.Numbered[int32] // of states, ascending
	// edges are the lists of transitions. Of three states, two have one that is there already, and
	// share it.
	edges   []*edgeList[state]
	byEdges index.Index

	// Scratch of build.
	symbols []int32
	to      []*state
	ids     []uint32
	words   []uint64 // of finish
}

// visitAll visits the starts of all lexer states, and what they lead to, within a budget.
func (c *core) visitAll(ctx context.Context, limit budget) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.publish()
	v := &visitor{core: c, auto: c.auto, limit: limit}
	if c.problem.Layout != nil {
		v.usual = c.usual()
	}
	for q := 0; q < c.problem.Lexer.NumStates(); q++ { // a lexer on demand may get more
		for _, r := range v.rows(lexer.State(q)) {
			for x := range int32(c.problem.Tables.NumStates()) {
				if c.canTop(x) && c.canPend(r.q, x) {
					v.start(r, x)
				}
			}
		}
		for first := true; first || len(v.todo) > 0; first = false {
			if err := algorithms.Step(ctx, "lexer states", q, c.problem.Lexer.NumStates()); err != nil {
				return err
			}
			if !v.within() {
				return nil
			}
			for range min(atOnce, len(v.todo)) {
				v.build()
			}
		}
		c.visited = q + 1
	}
	c.auto.forget()
	c.auto.spans.Release()
	c.publish()
	if v.words != nil {
		c.lists.keepAll(c.view.Load(), v.words)
	}
	return nil
}

// within tells whether there is room for more states. It drops what can be found again where that
// is much: the garbage is collected then, as the collector would wait until it is as much as all
// that is held.
func (v *visitor) within() bool {
	if v.auto.forgettable() > v.limit.caches {
		v.auto.forget()
		runtime.GC()
	}
	held := v.seen.Bytes() + v.below.Bytes() + v.byEdges.Bytes() + 8*int64(cap(v.edges)) + 16*int64(cap(v.todo))
	return v.core.bytes()+held <= v.limit.all
}

// rows are the rows of a lexer state that are visited. With a layout their number is unbounded, as
// a line can close any number of blocks; those of the usual registers are built, the others when
// they come.
func (v *visitor) rows(q lexer.State) []*row {
	e := v.core.makeEntry(q)
	if e.plain != nil {
		return []*row{e.plain}
	}
	var list []*row
	var key []byte
	for _, r := range v.usual {
		key = e.need.appendKey(key[:0], v.core.problem.Layout, r)
		if (*e.rows.Load())[string(key)] == nil {
			list = append(list, v.core.makeRow(e, q, r, key))
		}
	}
	return list
}

// start makes the start of a row at top x, and queues it.
func (v *visitor) start(r *row, x int32) {
	s := r.starts.get(x)
	if s == nil {
		s = v.core.makeStart(r, x)
	}
	v.finish(s.said)
	v.add(s.state, x)
}

// finish makes the mask of what a start put out.
func (v *visitor) finish(s *said) {
	if v.core.sparse || s.masks[0].Load() != nil {
		return
	}
	if v.words == nil {
		v.words = make([]uint64, algorithms.MaskWords(v.core.problem.Vocabulary.Len()))
	}
	v.core.unite(v.core.view.Load(), v.words, s, 0)
	words := v.core.masks.share(v.words)
	s.masks[0].Store(&words)
}

// add queues a state where x was read last, unless it was.
func (v *visitor) add(s *state, x int32) {
	if s.done() {
		return
	}
	list := v.under(x, s.skip+1)
	if key := table.Pair(s.pending.id, list); v.seen.Get(key) == table.Absent {
		v.seen.Put(key, 0)
		v.todo = append(v.todo, situation{s, list})
	}
}

// under is the number of the list of the states that can lie n below x in a stack.
func (v *visitor) under(x, n int32) int32 {
	key := table.Pair(x, n)
	if id := v.below.Get(key); id != table.Absent {
		return id
	}
	list := v.auto.tables.Predecessors(x)
	if n > 1 {
		list = nil
		for _, y := range v.lists.At(v.under(x, n-1)) {
			list = append(list, v.auto.tables.Predecessors(y)...)
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	id := v.lists.Of(list)
	v.below.Put(key, id)
	return id
}

// build builds the transitions of the state that was queued last, and queues what they lead to.
func (v *visitor) build() {
	w := v.todo[len(v.todo)-1]
	v.todo = v.todo[:len(v.todo)-1]
	symbols := v.readable(w)
	v.to, v.ids = v.to[:0], v.ids[:0]
	for _, y := range symbols {
		to := w.state.edges.find(y)
		if to == nil {
			to = v.auto.step(w.state, y)
		}
		v.to, v.ids = append(v.to, to), append(v.ids, uint32(to.id))
		v.add(to, y)
	}
	v.connect(w.state, symbols)
}

// readable are the symbols that can come next and that the state can read: every goal whose
// reduction goes on from there must have a goto on it.
func (v *visitor) readable(w situation) []int32 {
	v.symbols = append(v.symbols[:0], v.lists.At(w.list)...)
	last := int32(-1)
	for _, item := range w.state.pending.items {
		g := &v.auto.sym.Goals[item>>32]
		if g.Pops == w.state.skip && g.Lhs != last {
			last = g.Lhs
			v.symbols = slices.DeleteFunc(v.symbols, func(y int32) bool { return v.auto.tables.Goto(y, grammar.Nonterminal(last)) < 0 })
		}
	}
	return v.lists.At(v.lists.Of(v.symbols))
}

// connect adds transitions to the targets in the scratch.
func (v *visitor) connect(s *state, symbols []int32) {
	if s.edges.list.Load() != nil {
		v.auto.transitions += s.edges.addAll(symbols, v.to)
		s.share()
		return
	}
	h := index.Hash(v.ids) ^ index.Mix(index.Hash(symbols))
	id := v.byEdges.Find(h, func(id int32) bool {
		return slices.Equal(v.edges[id].symbols, symbols) && slices.Equal(v.edges[id].to, v.to)
	})
	if id < 0 {
		id = v.byEdges.Add(h)
		v.edges = append(v.edges, &edgeList[state]{symbols: symbols, to: slices.Clone(v.to)})
	} else {
		v.auto.shared += len(v.to)
	}
	s.edges.list.Store(v.edges[id])
	s.share()
	v.auto.transitions += len(v.to)
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
