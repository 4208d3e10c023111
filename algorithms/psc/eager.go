package psc

import (
	"context"
	"fmt"
	"os"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/layout"
	"gcdbench/lexer"
)

// A situation is a state with the number of the list of the symbols that it can read.
type situation struct {
	state *state
	list  int32
}

// A builder builds every reachable state.
type builder struct {
	ctx     context.Context
	core    *core
	auto    *automaton
	columns *columns
	todo    []situation
	seen    table64 // state, number of a list: queued
}

// buildAll builds every reachable state: the starts of all lexer states with all tops of a stack,
// and from there on.
func (c *core) buildAll(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := builder{ctx: ctx, core: c, auto: c.auto, columns: newColumns(c.auto)}
	p := c.engine.problem
	for q := lexer.State(0); int(q) < p.Lexer.NumStates(); q++ {
		if err := algorithms.Step(ctx, "lexer states", int(q), p.Lexer.NumStates()); err != nil {
			return err
		}
		for _, r := range b.rows(q) {
			for x := range int32(p.Tables.NumStates()) {
				if c.canTop(x) && c.canPend(q, x) {
					b.start(r, x)
				}
			}
		}
		if err := b.run(); err != nil {
			return err
		}
		if os.Getenv("BIG") != "" && q%32 == 0 {
			println("q", q, p.Lexer.NumStates(), "starts", b.auto.starts, "states", len(b.auto.states), "trans", b.auto.transitions, "items", b.auto.itemCount, "cells", len(b.auto.sym.cells), "rows", len(b.columns.list), "vias", b.columns.vias.used, "unions", b.columns.unions.used, "lists", len(b.auto.decider.lists), "MB", c.bytes()>>20, b.columns.bytes()>>20)
		}
	}
	return nil
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
// most, and usualIndent is the width of a block: lines that close more, or are indented otherwise,
// are met rarely, and cost a build of some microseconds a state then.
const (
	usualBlocks = 4
	usualDepth  = 4
	usualIndent = 4
)

// usual lists layout registers as they usually are: no brackets, some blocks open, and a line that
// begins at the column of one of them or one further in; and some brackets.
func (c *core) usual() []layout.Registers {
	if c.usualRegisters != nil {
		return c.usualRegisters
	}
	p := c.engine.problem
	newline := func(r layout.Registers, column int) layout.Registers {
		r = p.Layout.Begin(r)
		for range column {
			r = p.Layout.Read(r, ' ')
		}
		return r
	}
	var open layout.Registers
	list := []layout.Registers{open}
	for blocks := range usualBlocks + 1 {
		for k := range blocks + 2 {
			list = append(list, newline(open, k*usualIndent))
		}
		_, open, _ = p.Layout.Lexeme(newline(open, (blocks+1)*usualIndent), p.Layout.Newline())
	}
	in := layout.Registers{}
	for range usualDepth {
		if len(p.Grammar.Layout.Open) > 0 {
			_, in, _ = p.Layout.Lexeme(in, p.Grammar.Layout.Open[0])
			list = append(list, in)
		}
	}
	c.usualRegisters = list
	return list
}

// start builds the start of a row at top x.
func (b *builder) start(r *row, x int32) {
	c := b.core
	if c.engine.cached && c.composer == nil {
		b.add(c.makePath(r, x).state, x)
		return
	}
	s := c.makeStart(r, x)
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
	if key := pair(s.id, list); b.seen.get(key) == absent {
		b.seen.put(key, 0)
		b.todo = append(b.todo, situation{s, list})
	}
}

// run builds the transitions of all that is queued, and of what they lead to.
func (b *builder) run() error {
	a := b.auto
	for n := 0; len(b.todo) > 0; n++ {
		if n%256 == 0 {
			if err := b.check(); err != nil {
				return err
			}
		}
		w := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		list := b.columns.readable(w.state, w.list)
		symbols, to := a.decider.lists[list], b.columns.targets(w.state, list)
		a.transitions += w.state.edges.addAll(symbols, to)
		for i, y := range symbols {
			s := to[i]
			b.add(s, y)
			if s.out != 0 && b.core.composer != nil && s.delta.Load() == nil {
				b.core.makeDelta(s)
			}
		}
	}
	return nil
}

// check is why building should stop: the context is done, or the limit on memory is reached.
func (b *builder) check() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if held, limit := b.core.bytes(), b.core.engine.limit; held > limit {
		return &LimitError{Limit: limit, States: len(b.auto.states)}
	}
	return nil
}

// A LimitError says that eager compilation outgrew the limit on memory.
type LimitError struct {
	Limit  int64 // bytes
	States int   // built by then
}

// Error names the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the stack automaton needs more than %d MiB (%d states so far): compile lazily (compile: lazy), which builds what decoding meets", e.Limit>>20, e.States)
}

// canTop tells whether an LR state can be on top of a stack between tokens: only after a shift, or
// at the start.
func (c *core) canTop(x int32) bool {
	sym, ok := c.engine.problem.Tables.Accessing(x)
	return !ok || sym.IsTerminal()
}

// canPend tells whether a text can lead to q with x on top. It can at the start, where the
// pending lexeme may be ignored or dropped by the layout step, and where x has an action on
// something that the lexeme can become. On a forked stack another top may have that action.
func (c *core) canPend(q lexer.State, x int32) bool {
	p := c.engine.problem
	if p.Lexer.Begins(q) {
		return q == p.Lexer.Start()
	}
	reach, live := p.Lexer.ReachSet(p.Lexer.Reach(q)), p.Tables.Live(x)
	any := !p.Tables.Deterministic() || p.Grammar.Lexer == grammar.LexAll || reach.Ignored || p.Layout != nil && reach.Has(p.Layout.Newline())
	for i, w := range reach.Parser {
		any = any || w&live[i] != 0
	}
	return any
}
