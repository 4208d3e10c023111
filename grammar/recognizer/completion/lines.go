package completion

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lr"
)

// Lines: what a layout costs. Whatever follows a newline or a dedent terminal begins a line, at the
// column of a block that is open: so many blanks, or tabs. A search that did not know would find
// them out one blank at a time, and try all other texts of that length first.

// columns is what a grammar's layout says about columns.
type columns struct {
	layout  *layout.Layout // nil: none
	tabs    bool           // whether there may be tabs
	charged bool
}

func newColumns(y *yields, l *layout.Layout, avoid []byte) columns {
	c := columns{layout: l, charged: chargesColumns(y, l)}
	if l != nil && !slices.Contains(avoid, '\t') {
		c.tabs = true
	}
	return c
}

// chargesColumns tells whether the level of a block can be read off a stack: whether the indents
// and dedents of each nonterminal's texts are balanced, each dedent ends its rule, and an indent is
// read right after its newline only. Else columns cost nothing, and searches take longer.
func chargesColumns(y *yields, l *layout.Layout) bool {
	if l == nil {
		return false
	}
	newline, indent, dedent := int32(l.Newline()), int32(l.Indent()), int32(l.Dedent())
	begins := y.beginsWith(indent)
	for _, rhs := range y.rules {
		depth := 0
		for i, x := range rhs {
			switch {
			case x == indent:
				depth++
			case x == dedent:
				depth--
			}
			if x == dedent && i != len(rhs)-1 || i > 0 && begins[x] && rhs[i-1] != newline {
				return false
			}
		}
		if depth != 0 || slices.Contains(rhs, dedent) && !slices.Contains(rhs, indent) {
			return false
		}
	}
	return true
}

// beginsWith marks the symbols with a text that begins with a terminal.
func (y *yields) beginsWith(t int32) []bool {
	begins := make([]bool, len(y.of))
	begins[t] = true
	for changed := true; changed; {
		changed = false
		for r, rhs := range y.rules {
			x := y.left(int32(r))
			if y.reduced[r] && !begins[x] && y.beginsAny(rhs, begins) {
				begins[x], changed = true, true
			}
		}
	}
	return begins
}

// beginsAny tells whether a string of symbols begins with a marked one, those that can be empty
// left out.
func (y *yields) beginsAny(rhs []int32, begins []bool) bool {
	for _, x := range rhs {
		if begins[x] {
			return true
		}
		if x < y.terminals || slices.Min(y.of[x]) > 0 {
			return false
		}
	}
	return false
}

// indentation is the bytes of the blanks before a line on the level of node n.
func (r *rests) indentation(n *lr.Node, open []layout.Column) cost {
	level := int(r.level(n))
	if level <= 0 || level > len(open) {
		return 0
	}
	return cost(r.columns.blanks(layout.Column{}, open[level-1]))
}

// level is how many blocks are open at node n.
func (r *rests) level(n *lr.Node) int32 {
	var path []*lr.Node
	for ; n.NumUnder() > 0; n = n.Under(0) {
		if _, ok := r.levels[n]; ok {
			break
		}
		path = append(path, n)
	}
	level := r.levels[n]
	for _, x := range slices.Backward(path) {
		switch sym, _ := r.tables.Accessing(x.State); sym {
		case grammar.T(r.columns.layout.Indent()):
			level++
		case grammar.T(r.columns.layout.Dedent()):
			level--
		}
		r.levels[x] = level
	}
	return level
}

// blanks is a number of bytes that is needed from a column to one that is not less: the fewest that
// one of the two counts needs.
func (c *columns) blanks(from, to layout.Column) int {
	return max(c.count(from.Stops, to.Stops, c.layout.Tab()), c.count(from.Alternate, to.Alternate, c.layout.Alternate()))
}

// count is the fewest bytes from a column to one that is not less, for tab stops at a distance.
func (c *columns) count(from, to int32, stops int) int {
	tab := int32(stops)
	if c.tabs && to/tab > from/tab {
		return int(to/tab - from/tab + to%tab)
	}
	return int(to - from)
}

// further is a number of bytes that is needed from a column to one that is greater than a given
// one.
func (c *columns) further(from, than layout.Column) int {
	return max(c.beyond(from.Stops, than.Stops, c.layout.Tab()), c.beyond(from.Alternate, than.Alternate, c.layout.Alternate()))
}

// beyond is the fewest bytes from a column to one that is greater, for tab stops at a distance.
func (c *columns) beyond(from, than int32, stops int) int {
	tab := int32(stops)
	switch {
	case from > than:
		return 0
	case c.tabs:
		return int(min(than+1-from, than/tab+1-from/tab))
	}
	return int(than + 1 - from)
}

// A lineEnd is a way on for a newline lexeme: the line after it begins at an open column, or
// further in, and the rest costs so much.
type lineEnd struct {
	column layout.Column
	inner  bool // at any column greater than this
	rest   cost
}

// lineEnds are the ways on of a newline lexeme that is pending in a place.
type lineEnds struct {
	list []lineEnd
	ends bool // the text may end with it
}

// findLineEnds tries what the layout step can make of a newline lexeme.
func (r *rests) findLineEnds(s lr.Stacks, open []layout.Column) lineEnds {
	var l lineEnds
	s, ok := r.tables.Shift(s, r.columns.layout.Newline())
	if !ok {
		return l
	}
	levels := append([]layout.Column{{}}, open...)
	if inner, ok := r.tables.Shift(s, r.columns.layout.Indent()); ok {
		l.list = append(l.list, lineEnd{levels[len(levels)-1], true, r.of(inner, 0, open)})
	}
	for level := len(open); ; level-- {
		l.list = append(l.list, lineEnd{levels[level], false, r.of(s, 0, open)})
		if level == 0 {
			break
		}
		if s, ok = r.tables.Shift(s, r.columns.layout.Dedent()); !ok {
			return l
		}
	}
	l.ends = r.tables.AcceptsEnd(s)
	return l
}

// lineCost is the least cost to the end of the text of a pending newline lexeme that needs some
// bytes at least.
func (r *rests) lineCost(l lineEnds, bytes cost, regs layout.Registers) cost {
	if l.ends {
		return bytes
	}
	least := unreachable
	for _, e := range l.list {
		least = min(least, plus(max(bytes, cost(r.columns.toLine(e, regs))), e.rest))
	}
	return least
}

// toLine is a number of bytes that a newline lexeme with these registers needs to end at a column
// of e.
func (c *columns) toLine(e lineEnd, regs layout.Registers) int {
	line := regs.Line().Joined()
	at := line.Column
	newLine := 1 + c.blanks(layout.Column{}, e.column)
	if e.inner {
		newLine = 1 + c.further(layout.Column{}, e.column)
	}
	switch {
	case e.inner && at.Stops > e.column.Stops && at.Alternate > e.column.Alternate, !e.inner && at == e.column:
		return 0
	case line.Final():
		return newLine
	case e.inner:
		return min(c.further(at, e.column), newLine)
	case at.Stops > e.column.Stops || at.Alternate > e.column.Alternate:
		return newLine
	}
	return min(c.blanks(at, e.column), newLine)
}
