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
		return cmp.Or(
			cmp.Compare(y.Priority, x.Priority),
			compareBool(y.Lazy, x.Lazy),
			compareBool(y.Literal, x.Literal),
			cmp.Compare(y.MaxWidth, x.MaxWidth),
			cmp.Compare(length[b], length[a]),
			cmp.Compare(x.Name, y.Name),
		)
	})
	rank := make([]int, len(order))
	for i, t := range order {
		rank[t] = i
	}
	return rank
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
