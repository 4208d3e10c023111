package lexer

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"gcdbench/grammar"
)

// Preference ranks the terminals: rank[t] is smaller for the terminal that wins when two match the
// same lexeme. The order is the contract's: highest priority, then lazy over others, then literal
// over regex, and then as the basic lexer of Lark 1.x sorts terminals: the greater MaxWidth, the
// longer pattern text in characters, the name by code points.
func Preference(g *grammar.Grammar) []int {
	order, length := make([]int, len(g.Terminals)), make([]int, len(g.Terminals))
	for i := range order {
		order[i] = i
		length[i] = utf8.RuneCountInString(g.Terminals[i].Source)
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &g.Terminals[a], &g.Terminals[b]
		switch { // of thousands of names most differ in width
		case x.Priority != y.Priority:
			return cmp.Compare(y.Priority, x.Priority)
		case x.Lazy != y.Lazy:
			return before(x.Lazy)
		case x.Literal != y.Literal:
			return before(x.Literal)
		case x.MaxWidth != y.MaxWidth:
			return cmp.Compare(y.MaxWidth, x.MaxWidth)
		case length[a] != length[b]:
			return cmp.Compare(length[b], length[a])
		}
		return cmp.Compare(x.Name, y.Name)
	})
	rank := make([]int, len(order))
	for i, t := range order {
		rank[t] = i
	}
	return rank
}

// before compares what comes first with another, or the other way round.
func before(first bool) int {
	if first {
		return -1
	}
	return 1
}
