package parserdwa

import (
	"cmp"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// The composition of terminal DWA and templates: a weighted automaton that reads the parser's stack
// from the top.
//
// A state of it, an item, is a place in a template that waits for a stack symbol, with the node
// of the terminal DWA that comes once the template's terminal is shifted. When a symbol is
// read, the template goes on above it. When the terminal is shifted, the states that it pushed
// are a known piece of stack, and the templates of the next terminals read that piece first:
// pushes and pops cancel. A new item arises only when a template pops below the known piece. A
// symbol that was read and is not popped belongs to the known piece.
//
// The weight of an item is the set of its node's tokens. A node's tokens are among those of any
// node above it, so the intersection along a path is the weight of its last item and need not
// be computed (frontier.go computes it, for comparison). A token whose final is accepted is
// legal whatever stack remains: it is decided.
type composer struct {
	problem   *algorithms.Problem
	terminals *terminalDWA
	templates *templates
	weights   *weights
	items     items
	registers registers
	// plain is whether the tables have one action per entry, so that templates apply.
	plain   bool
	arena   []cell
	closure closure

	// What a step finds out.
	accepted []int32 // finals
	pending  []item
	decided  []uint32 // by final: the step that accepted it
	steps    uint32
	ids      []int32
	reaches  []int32 // by reach: 1 + its set
	mask     []uint64

	strings map[stringArc]outcome
	taken   lookup // of (terminal, state on top); takings by number
	takings []spanner.Takes
}

// An item waits for a stack symbol.
type item struct {
	// target is the node to go on in after the terminal, or, complemented, the final that is
	// accepted if it can be shifted.
	target int32
	// terminal is to be shifted; for a target that is a final, where templates apply, a set of
	// which one is.
	terminal int32
	// then is what the layout step adds after it.
	then layout.Blocks
	// pops states are skipped, and lhs is gone to from the next.
	pops, lhs int32
	// registers are those of the layout step after the lexeme, 0 where they do not matter.
	registers int32
}

// A cell is a state on the known piece of the stack.
type cell struct {
	state int32
	under int32   // the cell below, bottom if what is below was not read
	more  []int32 // further cells below, where actions are in conflict
}

// bottom is below the lowest cell.
const bottom = -1

func newComposer(p *algorithms.Problem, ws *weights, sliced bool) *composer {
	c := &composer{problem: p, terminals: newTerminalDWA(p, ws, sliced), templates: newTemplates(p.Tables), weights: ws, mask: make([]uint64, ws.size), plain: p.Tables.Deterministic()}
	c.registers.list = append(c.registers.list, layout.Registers{})
	c.closure.c = c
	return c
}

// resume reads a symbol of the stack for an item that has no pops left.
func (c *composer) resume(it item, symbol int32) {
	c.arena = append(c.arena[:0], cell{state: symbol, under: bottom})
	switch {
	case !c.plain:
		c.proceed(it, c.closure.resume(it, symbol))
	case it.target < 0:
		c.probe(it, c.templates.overSet(it.terminal, symbol, it.lhs), 0)
	default:
		if top := c.apply(it, c.templates.over(it.terminal, symbol, it.lhs), 0); top >= 0 {
			c.proceed(it, []int32{top})
		}
	}
}

// accept notes that the tokens of a final are legal.
func (c *composer) accept(final int32) {
	for int(final) >= len(c.decided) {
		c.decided = append(c.decided, 0)
	}
	if c.decided[final] != c.steps {
		c.decided[final] = c.steps
		c.accepted = append(c.accepted, final)
	}
}

func (c *composer) isDecided(final int32) bool {
	return int(final) < len(c.decided) && c.decided[final] == c.steps
}

// wait notes an item.
func (c *composer) wait(it item) { c.pending = append(c.pending, it) }

func compareItems(a, b item) int {
	return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.terminal, b.terminal), cmp.Compare(a.then, b.then),
		cmp.Compare(a.pops, b.pops), cmp.Compare(a.lhs, b.lhs), cmp.Compare(a.registers, b.registers))
}

// enter goes on in a node of the terminal DWA with a known piece of stack, given by its tops.
func (c *composer) enter(id int32, tops []int32, registers int32) {
	n := c.terminals.expand(id)
	for _, f := range n.finals {
		c.end(f, tops, registers)
	}
	for _, e := range n.edges {
		c.shift(e, tops, registers)
	}
}

// end accepts the tokens of a final if the parser accepts a terminal that their pending lexeme
// can become.
func (c *composer) end(final int32, tops []int32, registers int32) {
	if c.isDecided(final) {
		return
	}
	if c.terminals.finals[final].reach == spanner.Sure {
		c.accept(final)
		return
	}
	lex := c.problem.Lexer
	reach := lex.ReachSet(c.terminals.finals[final].reach)
	l := c.problem.Layout
	if reach.Ignored || l != nil && reach.Has(l.Newline()) && l.Dropped(c.registers.list[registers], l.Newline()) {
		c.accept(final)
		return
	}
	if !c.plain {
		for x := range bitset.All[int32](reach.Parser) {
			it := item{target: ^final, terminal: x}
			if found := c.closure.run(it, tops); len(found) > 0 {
				c.accept(final)
				return
			}
		}
		return
	}
	label := c.labelOf(c.terminals.finals[final].reach, reach)
	for _, top := range tops {
		it := item{target: ^final, terminal: label}
		c.probe(it, c.templates.startSet(label, c.arena[top].state), top)
	}
}

// labelOf is the interned set of the parser's terminals in a reach.
func (c *composer) labelOf(id lexer.ReachID, reach *lexer.Reach) int32 {
	for int(id) >= len(c.reaches) {
		c.reaches = append(c.reaches, 0)
	}
	if c.reaches[id] == 0 {
		c.reaches[id] = c.templates.set(reach.Parser) + 1
	}
	return c.reaches[id] - 1
}

// shift goes along an edge of the terminal DWA with a known piece of stack.
func (c *composer) shift(e edge, tops []int32, registers int32) {
	l := &c.terminals.labels.list[e.label]
	it := item{target: e.to}
	var found []int32
	if l.ignored {
		found = append(found, tops...)
	}
	for _, terminal := range l.terms {
		it.terminal = terminal
		if c.problem.Layout == nil {
			found = c.merge(found, c.one(it, tops))
			continue
		}
		out, next, ok := c.registers.after(c, e, terminal, registers)
		switch {
		case !ok:
			return
		case !out.HasFirst:
			c.enter(e.to, tops, next)
			return
		}
		it.terminal, it.registers, it.then = int32(out.First), next, out.Then
		c.proceed(it, c.one(it, tops))
		return
	}
	if len(found) > 0 {
		c.enter(e.to, found, 0)
	}
}

// proceed goes on once an item's terminal was shifted, tops being the known piece of stack: with
// the terminals of the layout step that follow it, then in its node.
func (c *composer) proceed(it item, tops []int32) {
	for it.then != 0 && len(tops) > 0 {
		var t grammar.Terminal
		t, it.then = c.problem.Layout.Next(it.then)
		it.terminal = int32(t)
		tops = c.one(it, tops)
	}
	switch {
	case len(tops) == 0:
	case it.target < 0:
		c.accept(^it.target)
	default:
		c.enter(it.target, tops, it.registers)
	}
}

// one shifts the item's terminal on a known piece of stack. A way that pops below the piece
// becomes an item.
func (c *composer) one(it item, tops []int32) []int32 {
	if c.plain && len(tops) == 1 {
		top := tops[0]
		if cell := &c.arena[top]; cell.more == nil {
			if top = c.apply(it, c.templates.start(it.terminal, cell.state), top); top >= 0 {
				return []int32{top}
			} else if top != unsure {
				return nil
			}
		}
	}
	return c.closure.run(it, tops)
}

// Results of apply beside a cell.
const (
	none   = -1 // refused, or waiting for what lies below
	unsure = -2 // the known piece forks
)

// apply composes the known piece of stack under at, at included, with the effect that a template
// has on reading at. It returns the top of the piece that results.
func (c *composer) apply(it item, e effect, at int32) int32 {
	for e.kind == pop {
		under, left := c.descend(at, e.pops+1)
		switch {
		case under == unsure:
			return unsure
		case under == bottom:
			it.pops, it.lhs = left-1, e.lhs
			c.wait(it)
			return none
		}
		at = under
		e = c.templates.over(it.terminal, c.arena[at].state, e.lhs)
	}
	if e.kind == refuse {
		return none
	}
	for _, state := range e.pushes {
		c.arena = append(c.arena, cell{state: state, under: at})
		at = int32(len(c.arena) - 1)
	}
	return at
}

// descend goes n cells down. If that is below the known piece it returns bottom, and how many of
// the n remain: 1 for the state directly below.
func (c *composer) descend(at, n int32) (under, left int32) {
	for ; n > 0; n-- {
		if c.arena[at].more != nil {
			return unsure, 0
		}
		if at = c.arena[at].under; at == bottom {
			return bottom, n
		}
	}
	return at, 0
}

// probe is apply for a set of terminals, of which one must be accepted to make a final legal.
func (c *composer) probe(it item, p *probe, at int32) {
	if p.accepts {
		c.accept(^it.target)
		return
	}
	for _, e := range p.pops {
		under, left := c.descend(at, e.pops+1)
		it.terminal = e.label
		switch {
		case c.isDecided(^it.target):
			return
		case under == unsure:
			c.probeForked(it, at, e)
		case under == bottom:
			it.pops, it.lhs = left-1, e.lhs
			c.wait(it)
		default:
			c.probe(it, c.templates.overSet(e.label, c.arena[under].state, e.lhs), under)
		}
	}
}

// probeForked is probe where the known piece forks: on each way down.
func (c *composer) probeForked(it item, at int32, e setPop) {
	ends, lefts := c.closure.descend(at, e.pops+1)
	for _, left := range lefts {
		it.pops, it.lhs = left-1, e.lhs
		c.wait(it)
	}
	for _, under := range slices.Clone(ends) {
		c.probe(it, c.templates.overSet(e.label, c.arena[under].state, e.lhs), under)
	}
}

// merge unites two lists of tops; tops of equal state become one.
func (c *composer) merge(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
next:
	for _, top := range b {
		for i, o := range a {
			if o == top {
				continue next
			}
			if c.arena[o].state == c.arena[top].state {
				a[i] = c.unite(o, top)
				continue next
			}
		}
		a = append(a, top)
	}
	return a
}

// unite is a cell for two of the same state. One may be the lowest cell, so bottom may be among
// what is below it.
func (c *composer) unite(a, b int32) int32 {
	x, y := c.arena[a], c.arena[b]
	both := cell{state: x.state, under: x.under, more: append(append([]int32{y.under}, x.more...), y.more...)}
	c.arena = append(c.arena, both)
	return int32(len(c.arena) - 1)
}
