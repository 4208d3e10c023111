package completion

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/layout"
)

// Lines: what a layout costs. Whatever follows a newline or a dedent terminal begins a line, at the column of a
// block that is open: so many blanks, or tabs. A search that did not know would find them out one blank at a time, and try all
// other texts of that length first.

// chargesColumns tells whether the level of a block can be read off a stack: whether the
// indents and dedents of each nonterminal's texts are balanced, each dedent ends its rule, and an indent is read
// right behind its newline only. Else columns cost nothing, and searches take longer.
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
			lhs, _ := y.tables.Rule(int32(r))
			x := y.terminals + int32(lhs)
			if y.reduced[r] && !begins[x] && y.beginsAny(rhs, begins) {
				begins[x], changed = true, true
			}
		}
	}
	return begins
}

// beginsAny tells whether a string of symbols begins with a marked one, those that can be empty left out.
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
func (r *rests) indentation(n *lr.Node, columns []int) cost {
	level := int(r.level(n))
	if level <= 0 || level > len(columns) {
		return 0
	}
	return cost(r.blanks(0, columns[level-1]))
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
		case grammar.T(r.layout.Indent()):
			level++
		case grammar.T(r.layout.Dedent()):
			level--
		}
		r.levels[x] = level
	}
	return level
}

// blanks is the fewest bytes that lead from a column to one that is not less.
func (r *rests) blanks(from, to int) int {
	tab := r.layout.Tab()
	if tabs := to/tab - from/tab; tabs > 0 {
		return tabs + to%tab
	}
	return to - from
}

// further is the fewest bytes that lead from a column to one that is greater than a given one.
func (r *rests) further(from, than int) int {
	if from > than {
		return 0
	}
	tab := r.layout.Tab()
	return min(r.blanks(from, than+1), than/tab+1-from/tab)
}

// A lineEnd is a way on for a newline lexeme: the line behind it begins at an open column, or
// further in, and the rest costs so much.
type lineEnd struct {
	column int
	inner  bool // at any column greater than this
	rest   cost
}

// lineEnds are the ways on of a newline lexeme that is pending in a place.
type lineEnds struct {
	list []lineEnd
	ends bool // the text may end with it
}

// findLineEnds tries what the layout step can make of a newline lexeme.
func (r *rests) findLineEnds(s lr.Stacks, columns []int) lineEnds {
	var l lineEnds
	s, ok := r.tables.Shift(s, r.layout.Newline())
	if !ok {
		return l
	}
	open := append([]int{0}, columns...)
	if inner, ok := r.tables.Shift(s, r.layout.Indent()); ok {
		l.list = append(l.list, lineEnd{open[len(open)-1], true, r.of(inner, 0, columns)})
	}
	for level := len(open) - 1; ; level-- {
		l.list = append(l.list, lineEnd{open[level], false, r.of(s, 0, columns)})
		if level == 0 {
			break
		}
		if s, ok = r.tables.Shift(s, r.layout.Dedent()); !ok {
			return l
		}
	}
	l.ends = r.tables.AcceptsEnd(s)
	return l
}

// cost is the least cost to the end of the text of a pending newline lexeme that needs some bytes at least.
func (r *rests) lineCost(l lineEnds, bytes cost, regs layout.Registers) cost {
	if l.ends {
		return bytes
	}
	least := unreachable
	for _, e := range l.list {
		more := 1 + r.blanks(0, e.column) // on a line of its own
		if e.inner {
			more = 1 + r.further(0, e.column)
		}
		if at := regs.Column(); !regs.Final() || at == e.column || e.inner && at > e.column {
			if e.inner {
				more = min(more, r.further(at, e.column))
			} else if at <= e.column {
				more = min(more, r.blanks(at, e.column))
			}
		}
		least = min(least, plus(max(bytes, cost(more)), e.rest))
	}
	return least
}
