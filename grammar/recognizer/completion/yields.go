package completion

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// Yields: the least cost of a text of each symbol (Knuth, "A generalization of Dijkstra's
// algorithm", 1977, with a matrix over contexts for each symbol in place of a number), and from
// them what each LR state can do: the items in it, with the cost of what follows the dot.
//
// All is read off the tables, not off the grammar, since tables may be those of a folded grammar. A
// rule that a state reduces by spells its right-hand side backwards along the states under it, and
// each of those has the item with the dot that far before the end.

// A yields is what symbols cost. Symbols are numbered with terminals first.
type yields struct {
	*contexts
	tables    *lr.Tables
	terminals int32
	of        []matrix   // by symbol
	rules     [][]int32  // by rule: its right-hand side; nil if no state reduces by it
	reduced   []bool     // by rule: some state reduces by it
	options   [][]option // by LR state
	start     int32      // the symbol of whole texts
	accepting []bool     // by LR state: the whole text was read
}

// An option is what can come of a state on top of a stack: at the cost of the rest of an item, a
// reduction that takes pops states off, this one among them, and goes on with a nonterminal.
type option struct {
	pops int32
	lhs  int32 // a nonterminal, as the grammar numbers them
	cost matrix
}

// An item is a rule with a dot before its at-th symbol.
type item struct{ rule, at int32 }

func newYields(t *lr.Tables, c *contexts) *yields {
	y := &yields{contexts: c, tables: t, terminals: int32(t.NumTerminals())}
	y.rules, y.reduced = make([][]int32, t.NumRules()+1), make([]bool, t.NumRules()+1)
	y.accepting = make([]bool, t.NumStates())
	items := y.findItems()
	y.findYields()
	y.findOptions(items)
	return y
}

// symbol numbers a symbol.
func (y *yields) symbol(s grammar.Symbol) int32 {
	if s.IsTerminal() {
		return int32(s.Terminal())
	}
	return y.terminals + int32(s.Nonterminal())
}

// findItems finds the items of each state with the dot after a symbol, and on the way the rules
// and the states that accept.
func (y *yields) findItems() [][]item {
	items := make([][]item, y.tables.NumStates())
	for s := range int32(len(items)) {
		for _, r := range y.reductions(s) {
			y.addItems(items, s, r)
		}
		if y.accepting[s] {
			sym, _ := y.tables.Accessing(s)
			y.start = y.symbol(sym)
		}
	}
	return items
}

// addItems adds the items of rule r on the ways down from state s, which reduces by it.
func (y *yields) addItems(items [][]item, s, r int32) {
	_, length := y.tables.Rule(r)
	y.reduced[r] = true
	if y.rules[r] == nil {
		y.rules[r] = make([]int32, length)
	}
	layer := []int32{s}
	for at := int32(length); at > 0; at-- {
		var below []int32
		for _, p := range layer {
			if has(items[p], item{r, at}) {
				continue // met on the way down from another state
			}
			items[p] = append(items[p], item{r, at})
			sym, _ := y.tables.Accessing(p)
			y.rules[r][at-1] = y.symbol(sym)
			below = append(below, y.tables.Predecessors(p)...)
		}
		layer = below
	}
}

// has tells whether a list has an item. A state's items of one rule are added together, so that it
// is near the end.
func has(list []item, x item) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == x {
			return true
		}
	}
	return false
}

// reductions lists the rules that state s reduces by, and notes whether it accepts.
func (y *yields) reductions(s int32) (rules []int32) {
	if r, ok := y.tables.DefaultReduction(s); ok {
		return []int32{r}
	}
	seen := map[int32]bool{}
	for x := range y.terminals + 1 {
		if live := y.tables.Live(s); !bitset.Has(live, x) {
			continue
		}
		for _, a := range y.tables.Actions(s, grammar.Terminal(x)) {
			switch {
			case a.Kind() == lr.KindAccept:
				y.accepting[s] = true
			case a.Kind() == lr.KindReduce && !seen[a.Target()]:
				seen[a.Target()] = true
				rules = append(rules, a.Target())
			}
		}
	}
	return rules
}

// findYields lowers the costs of left-hand sides by their rules until nothing changes.
func (y *yields) findYields() {
	y.of = append(y.of, y.steps...)
	for range y.tables.Grammar().Nonterminals {
		y.of = append(y.of, y.nothing())
	}
	uses := y.uses()
	var queue []int32 // rules, the last first: most grammars go from the whole to its parts
	waits := make([]bool, len(y.rules))
	for r := int32(len(y.rules)) - 1; r >= 0; r-- {
		if y.reduced[r] {
			queue, waits[r] = append(queue, r), true
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		r := queue[0]
		waits[r] = false
		x := y.left(r)
		if !lower(y.of[x], y.text(y.rules[r])) {
			continue
		}
		for _, u := range uses[x] {
			if !waits[u] {
				queue, waits[u] = append(queue, u), true
			}
		}
	}
}

// left is the symbol of a rule's left-hand side.
func (y *yields) left(rule int32) int32 {
	lhs, _ := y.tables.Rule(rule)
	return y.terminals + int32(lhs)
}

// uses lists, by symbol, the rules that a nonterminal occurs in.
func (y *yields) uses() [][]int32 {
	uses := make([][]int32, len(y.of))
	for r, rhs := range y.rules {
		for _, x := range rhs {
			if n := len(uses[x]); x >= y.terminals && (n == 0 || uses[x][n-1] != int32(r)) {
				uses[x] = append(uses[x], int32(r))
			}
		}
	}
	return uses
}

// text is the cost of a string of symbols.
func (y *yields) text(symbols []int32) matrix {
	m := y.empty()
	for _, x := range symbols {
		m = y.then(m, y.of[x])
	}
	return m
}

// findOptions turns items into options. Of items that take off the same states for the same
// nonterminal the cheaper one counts.
func (y *yields) findOptions(items [][]item) {
	y.options = make([][]option, len(items))
	rest := map[item]matrix{}
	for s, list := range items {
		for _, x := range list {
			m, ok := rest[x]
			if !ok {
				m = y.text(y.rules[x.rule][x.at:])
				rest[x] = m
			}
			lhs, _ := y.tables.Rule(x.rule)
			y.options[s] = y.add(y.options[s], option{x.at, int32(lhs), m})
		}
	}
}

// add adds an option to a list, which may share its matrices.
func (y *yields) add(list []option, o option) []option {
	if !possible(o.cost) {
		return list
	}
	for i := range list {
		if list[i].pops == o.pops && list[i].lhs == o.lhs {
			m := append(matrix{}, list[i].cost...)
			lower(m, o.cost)
			list[i].cost = m
			return list
		}
	}
	return append(list, o)
}
