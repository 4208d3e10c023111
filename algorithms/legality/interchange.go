package legality

import (
	"cmp"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// Interchangeable terminals (section 6.2), for the parser.
//
// The paper calls two terminals interchangeable if each rule with one of them is there with the
// other in its place, too (package rules has that). If so, two sequences that differ only in
// such terminals are jointly legal. Masks use the same property of the tables: two LR states
// are alike if on every terminal and nonterminal they do the same, up to states that are alike;
// two terminals are interchangeable if in every state they cause the same, up to states that
// are alike. The stack is then the same word of classes after either, so the parser cannot tell
// them apart. This holds for tables whose conflicts were resolved or kept, whatever the rules
// say. It finds all that the paper's definition finds: rules that are alike give items that are
// alike.
//
// The classes are the coarsest, found by Moore's refinement.

// interchange maps each terminal to the first of its class.
type interchange struct {
	first []grammar.Terminal
}

// noInterchange lets each terminal be a class of its own.
func noInterchange(t *lr.Tables) interchange {
	i := interchange{make([]grammar.Terminal, t.NumTerminals())}
	for x := range i.first {
		i.first[x] = grammar.Terminal(x)
	}
	return i
}

// newInterchange finds the classes. Terminals that the layout step or the lexer tells apart stay
// apart, and so do all where the parser can reduce for ever: which reductions those are depends on
// the terminal.
func newInterchange(r *recognizer.Recognizer, loops bool) interchange {
	classes := noInterchange(r.Tables)
	if loops {
		return classes
	}
	rows := entriesOf(r.Tables)
	columns := columnsOf(r.Tables, rows, alikeStates(rows))
	var known intern.Lists[int32]
	var firsts []grammar.Terminal // by number in known
	for x := range classes.first {
		if apart(r, grammar.Terminal(x)) {
			continue
		}
		key := columns[x]
		if r.Layout != nil {
			key = append(key, int32(r.Layout.Depth(grammar.Terminal(x))), int32(r.Grammar.Terminals[x].Next))
		}
		id, isNew := known.Take(key)
		if isNew {
			firsts = append(firsts, grammar.Terminal(x))
		}
		classes.first[x] = firsts[id]
	}
	return classes
}

// apart tells whether a terminal means something beside what the parser does with it.
func apart(r *recognizer.Recognizer, x grammar.Terminal) bool {
	return r.Grammar.Terminals[x].Ignored || r.Layout.Makes(x)
}

// An entry is one thing that a state does on a symbol: kind and lhs and length of a reduction, or
// the state to go to.
type entry struct {
	symbol, kind, a, b int32
}

// alikeStates is the coarsest partition of the states, by class number.
func alikeStates(rows [][]entry) []int32 {
	n := len(rows)
	class := make([]int32, n)
	var number intern.Lists[int32]
	var key []int32
	for count := 1; ; {
		next := make([]int32, n)
		number.Reset()
		for s, row := range rows {
			key = appendEntries(append(key[:0], class[s]), row, class)
			next[s], _ = number.ID(key)
		}
		class = next
		if number.Len() == count {
			return class
		}
		count = number.Len()
	}
}

const (
	entryShift int32 = iota
	entryReduce
	entryAccept
	entryGoto
)

// entriesOf lists everything that each state does, on terminals and then on nonterminals, both
// ascending. It visits only entries that exist: a schema may have twenty thousand states and
// five thousand nonterminals.
func entriesOf(t *lr.Tables) [][]entry {
	rows := make([][]entry, t.NumStates())
	actions := make([]int, len(rows)) // how many
	for s := range rows {
		rows[s] = actionsOf(t, int32(s))
		actions[s] = len(rows[s])
	}
	for to := range int32(t.NumStates()) {
		if sym, ok := t.Accessing(to); ok && !sym.IsTerminal() {
			for _, s := range t.Predecessors(to) {
				rows[s] = append(rows[s], entry{int32(sym.Nonterminal()), entryGoto, to, 0})
			}
		}
	}
	for s, row := range rows {
		slices.SortFunc(row[actions[s]:], func(a, b entry) int { return cmp.Compare(a.symbol, b.symbol) })
	}
	return rows
}

// actionsOf lists what a state does on terminals.
func actionsOf(t *lr.Tables, s int32) []entry {
	var list []entry
	for x := range bitset.All[int32](t.Live(s)) {
		for _, a := range t.Actions(s, grammar.Terminal(x)) {
			list = append(list, entryOf(t, x, a))
		}
	}
	return list
}

// entryOf is an action on a terminal.
func entryOf(t *lr.Tables, x int32, a lr.Action) entry {
	switch a.Kind() {
	case lr.KindShift:
		return entry{x, entryShift, a.Target(), 0}
	case lr.KindReduce:
		lhs, length := t.Rule(a.Target())
		return entry{x, entryReduce, int32(lhs), int32(length)}
	}
	return entry{x, entryAccept, 0, 0}
}

// appendEntries writes entries with classes for states. The several actions of a conflict are
// ordered by content, as their order in the table is by rule.
func appendEntries(key []int32, list []entry, class []int32) []int32 {
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j].symbol == list[i].symbol && list[j].kind != entryGoto && list[i].kind != entryGoto {
			j++
		}
		cell := list[i:j]
		if len(cell) > 1 {
			cell = slices.Clone(cell)
			slices.SortFunc(cell, func(a, b entry) int {
				return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
			})
			cell = slices.Compact(cell)
		}
		for _, e := range cell {
			key = appendEntry(key, e, class)
		}
		i = j
	}
	return key
}

func appendEntry(key []int32, e entry, class []int32) []int32 {
	a := e.a
	if e.kind == entryShift || e.kind == entryGoto {
		a = class[a]
	}
	return append(key, e.symbol, e.kind, a, e.b)
}

// columnsOf writes down, for each terminal, what every state does on it.
func columnsOf(t *lr.Tables, rows [][]entry, class []int32) [][]int32 {
	columns := make([][]int32, t.NumTerminals())
	var same []entry
	for s, list := range rows {
		for i := 0; i < len(list) && list[i].kind != entryGoto; {
			x, j := list[i].symbol, i
			for j < len(list) && list[j].kind != entryGoto && list[j].symbol == x {
				j++
			}
			if int(x) < len(columns) {
				same = append(same[:0], list[i:j]...)
				for k := range same {
					same[k].symbol = 0
				}
				columns[x] = append(appendEntries(append(columns[x], int32(s)), same, class), -1)
			}
			i = j
		}
	}
	return columns
}

// set is the classes that a set of terminals touches, as the set of their first members.
func (c interchange) set(terms []uint64) []uint64 {
	out := make([]uint64, len(terms))
	for x, first := range c.first {
		if bitset.Has(terms, x) {
			bitset.Add(out, first)
		}
	}
	return out
}

// members are the classes of those of a symbol's members that are parsed, by their first members,
// ascending.
func (c interchange) members(r *recognizer.Recognizer, list []grammar.Terminal) (parsed []grammar.Terminal, ignored bool) {
	for _, x := range list {
		if r.Grammar.Terminals[x].Ignored {
			ignored = true
		} else {
			parsed = append(parsed, c.first[x])
		}
	}
	slices.Sort(parsed)
	return slices.Compact(parsed), ignored
}

// list is the classes of some terminals, by their first members, ascending.
func (c interchange) list(terms []grammar.Terminal) []grammar.Terminal {
	list := make([]grammar.Terminal, len(terms))
	for i, x := range terms {
		list[i] = c.first[x]
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// classes counts the classes.
func (c interchange) classes() int {
	n := 0
	for x, first := range c.first {
		if grammar.Terminal(x) == first {
			n++
		}
	}
	return n
}
