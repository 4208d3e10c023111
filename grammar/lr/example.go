package lr

import (
	"slices"
	"strings"

	"gcdbench/internal/bitset"
)

// What bounds the telling of conflicts. An example is searched for in a part of the automaton, and
// the items of a state may be as many as the rules; a grammar with more conflicts than this has
// other worries.
const (
	maxExamples  = 1000    // conflicts that get an example
	maxTellSteps = 1 << 22 // items and transitions looked at, after which conflicts get no example and no items
)

// maxSpelled bounds how many terminals a nonterminal is spelled out with in an example; a longer
// one is shown by its name, as <name>.
const maxSpelled = 40

// dot marks the place where the parser stands.
const dot = "•"

// A narrator describes conflicts.
type narrator struct {
	*lookaheads
	distance []int      // by state: terminals in the shortest way there
	way      [][2]int32 // by state: the state before it on that way, and the symbol between
	steps    int        // taken; see maxTellSteps
}

// describe tells conflicts. Errors are those of the context, and of the limit on steps.
func describe(l *lookaheads, clashes []clash) ([]Conflict, error) {
	n := &narrator{lookaheads: l}
	if err := n.findWays(); err != nil {
		return nil, err
	}
	told := undescribed(clashes)
	for i, c := range clashes {
		if n.steps > maxTellSteps {
			break
		}
		n.tell(&told[i], c, i < maxExamples)
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	return told, nil
}

// findWays finds a shortest way to every state, counted in terminals.
func (n *narrator) findWays() error {
	n.distance = make([]int, len(n.kernels))
	n.way = make([][2]int32, len(n.kernels))
	for s := range n.distance {
		n.distance[s] = maxYield
	}
	n.distance[0] = 0
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if err := n.step(len(n.edges[s])); err != nil {
			return err
		}
		for _, e := range n.edges[s] {
			if d := n.distance[s] + n.yield[e.sym]; d < n.distance[e.to] {
				n.distance[e.to] = d
				n.way[e.to] = [2]int32{s, e.sym}
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// tell adds the items of a conflict, and an example for each of its reductions.
func (n *narrator) tell(told *Conflict, c clash, withExample bool) {
	for _, a := range c.actions {
		if a.Kind() != KindReduce {
			told.Items = append(told.Items, n.shiftItems(a, c)...)
			continue
		}
		r := a.Target()
		length := len(n.rules[r].rhs)
		it := Item{Action: a, Rule: r, Dot: length, Pos: n.src.Rules[r].Pos, Text: n.ruleText(r, length)}
		if withExample && n.steps <= maxTellSteps {
			it.Example = n.example(c.state, r, c.terminal)
		}
		if told.Example == "" {
			told.Example = it.Example
		}
		told.Items = append(told.Items, it)
	}
}

// shiftItems are the items of a state whose next symbol is the terminal.
func (n *narrator) shiftItems(a Action, c clash) []Item {
	if a.Kind() == KindAccept {
		start := n.src.Nonterminals[n.src.Start]
		return []Item{{Action: a, Rule: -1, Dot: 1, Pos: start.Pos, Text: start.Name + " " + dot + " (the whole sentence)"}}
	}
	var items []Item
	for _, item := range n.closure(c.state) {
		if n.itemNext[item] == c.terminal {
			r := n.itemRule[item]
			k := int(item - n.itemOf[r])
			items = append(items, Item{Action: a, Rule: r, Dot: k, Pos: n.src.Rules[r].Pos, Text: n.ruleText(r, k)})
		}
	}
	return items
}

// closure is all items of a state.
func (n *narrator) closure(s int32) []int32 {
	items := slices.Clone(n.kernels[s])
	seen := make(map[int32]bool)
	for i := 0; i < len(items); i++ {
		x := n.itemNext[items[i]]
		if x < 0 || n.isTerminal(x) || seen[x] {
			continue
		}
		seen[x] = true
		for _, r := range n.rulesOf[x] {
			items = append(items, n.itemOf[r])
		}
	}
	n.steps += len(items)
	return items
}

// ruleText is rule r as in a grammar file, with a dot before its k-th symbol (k < 0: none).
func (c *cfg) ruleText(r int32, k int) string {
	var b strings.Builder
	b.WriteString(c.name(c.rules[r].lhs) + ":")
	for i, s := range c.rules[r].rhs {
		if i == k {
			b.WriteString(" " + dot)
		}
		b.WriteString(" " + c.name(s))
	}
	if k == len(c.rules[r].rhs) {
		b.WriteString(" " + dot)
	}
	return b.String()
}

// example is a start of a sentence that leads to state q, after which the reduction by r is right
// and terminal x can come next. It follows how x got into the lookahead: from the reduction back
// to a transition on r's left-hand side, from there along includes to a transition after which x
// is read. That transition's state is reached the shortest way; the symbols skipped by the
// includes follow, outermost first, then r's own right-hand side.
func (n *narrator) example(q, r, x int32) string {
	type step struct {
		transition int32
		parent     int
		via        include
		cost       int
	}
	var steps []step
	seen := make(map[int32]bool)
	for _, z := range n.lookback[n.reduction(q, r)] {
		seen[z] = true
		steps = append(steps, step{transition: z, parent: -1})
	}
	best := -1
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if bitset.Has(n.readBy(s.transition), x) {
			if best < 0 || s.cost+n.distance[n.from[s.transition]] < steps[best].cost+n.distance[n.from[steps[best].transition]] {
				best = i
			}
		}
		for _, in := range n.includes[s.transition] {
			if !seen[in.to] {
				seen[in.to] = true
				skipped, _ := n.yieldOf(n.rules[in.rule].rhs[:in.dot])
				steps = append(steps, step{in.to, i, in, s.cost + skipped})
			}
		}
	}
	n.steps += tellSteps * len(steps)
	if best < 0 {
		return ""
	}
	syms := n.wayTo(n.from[steps[best].transition])
	for i := best; steps[i].parent >= 0; i = steps[i].parent {
		syms = append(syms, n.rules[steps[i].via.rule].rhs[:steps[i].via.dot]...)
	}
	syms = append(syms, n.rules[r].rhs...)
	return strings.Join(append(n.spell(syms), dot, n.name(x)), " ")
}

// wayTo is the symbols on the shortest way to state s.
func (n *narrator) wayTo(s int32) []int32 {
	var syms []int32
	for ; s != 0; s = n.way[s][0] {
		syms = append(syms, n.way[s][1])
	}
	slices.Reverse(syms)
	return syms
}

// tellSteps is how many steps it takes to look at a transition for an example.
const tellSteps = 8

// spell replaces nonterminals by their shortest sentences.
func (n *narrator) spell(syms []int32) []string {
	var words []string
	todo := slices.Clone(syms) // in reverse
	slices.Reverse(todo)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case n.isTerminal(s):
			words = append(words, n.name(s))
		case n.yield[s] > maxSpelled:
			words = append(words, "<"+n.name(s)+">")
		default:
			n.steps++
			for _, x := range slices.Backward(n.rules[n.shortest[s]].rhs) {
				todo = append(todo, x)
			}
		}
	}
	return words
}
