package lr

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// canonical is the canonical LR(1) automaton (Knuth's), by the definition: states are sets of items
// with a terminal that may follow each. LALR's lookaheads are, by definition too, those of all its
// states with the same items, so it is the measure of the method that finds them without it.
type canonical struct {
	*automaton
	first  []map[int32]bool // by symbol: terminals that a sentence of it can begin with
	states map[string]int   // by items
	items  []map[lr1Item]bool
	under  []int32 // by state: the state of the LR(0) automaton with its items
}

type lr1Item struct{ rule, dot, follow int32 }

// newCanonical is nil if the automaton gets larger than a random grammar deserves.
func newCanonical(a *automaton) *canonical {
	const most = 2000
	c := &canonical{automaton: a, states: map[string]int{}}
	c.findFirst()
	c.state(map[lr1Item]bool{{int32(len(a.rules) - 1), 0, a.end}: true}, 0)
	for s := 0; s < len(c.items); s++ {
		moved := map[int32]map[lr1Item]bool{}
		for it := range c.items[s] {
			if rhs := a.rules[it.rule].rhs; int(it.dot) < len(rhs) {
				x := rhs[it.dot]
				if moved[x] == nil {
					moved[x] = map[lr1Item]bool{}
				}
				moved[x][lr1Item{it.rule, it.dot + 1, it.follow}] = true
			}
		}
		for x, kernel := range moved {
			c.state(kernel, a.to(c.under[s], x))
		}
		if len(c.items) > most {
			return nil
		}
	}
	return c
}

func (c *canonical) findFirst() {
	c.first = make([]map[int32]bool, c.numSyms)
	for x := range c.first {
		c.first[x] = map[int32]bool{}
		if c.isTerminal(int32(x)) {
			c.first[x][int32(x)] = true
		}
	}
	for size := -1; ; {
		sum := 0
		for _, rules := range c.rulesOf {
			for _, r := range rules {
				maps.Copy(c.first[c.rules[r].lhs], c.firstOf(c.rules[r].rhs))
			}
		}
		for _, set := range c.first {
			sum += len(set)
		}
		if sum == size {
			return
		}
		size = sum
	}
}

// firstOf is what sentences of a string of symbols can begin with.
func (c *canonical) firstOf(symbols []int32) map[int32]bool {
	set := map[int32]bool{}
	for _, x := range symbols {
		maps.Copy(set, c.first[x])
		if c.isTerminal(x) || !c.nullable[x] {
			break
		}
	}
	return set
}

// state closes a kernel, and adds the state if it is new.
func (c *canonical) state(items map[lr1Item]bool, under int32) {
	work := slices.Collect(maps.Keys(items))
	for len(work) > 0 {
		it := work[0]
		work = work[1:]
		rhs := c.rules[it.rule].rhs
		if int(it.dot) == len(rhs) || c.isTerminal(rhs[it.dot]) {
			continue
		}
		rest := rhs[it.dot+1:]
		follow := c.firstOf(rest)
		if !slices.ContainsFunc(rest, func(x int32) bool { return c.isTerminal(x) || !c.nullable[x] }) {
			follow[it.follow] = true
		}
		for _, r := range c.rulesOf[rhs[it.dot]] {
			for x := range follow {
				if next := (lr1Item{r, 0, x}); !items[next] {
					items[next] = true
					work = append(work, next)
				}
			}
		}
	}
	all := slices.Collect(maps.Keys(items))
	slices.SortFunc(all, func(x, y lr1Item) int {
		return slices.Compare([]int32{x.rule, x.dot, x.follow}, []int32{y.rule, y.dot, y.follow})
	})
	key := fmt.Sprint(all)
	if _, ok := c.states[key]; !ok {
		c.states[key] = len(c.items)
		c.items = append(c.items, items)
		c.under = append(c.under, under)
	}
}

// TestLookaheads: LALR's lookaheads are those of the canonical LR(1) automaton, merged.
func TestLookaheads(t *testing.T) {
	compared := 0
	overGrammars(t, 1500, func(g *grammar.Grammar) string {
		l, err := analyse(t.Context(), g)
		if err != nil {
			return ""
		}
		a := l.automaton
		c := newCanonical(a)
		if c == nil {
			return ""
		}
		compared++
		want := map[[3]int32]bool{} // state, rule, terminal
		for s, items := range c.items {
			for it := range items {
				if int(it.dot) == len(a.rules[it.rule].rhs) && int(it.rule) != len(a.rules)-1 {
					want[[3]int32{c.under[s], it.rule, it.follow}] = true
				}
			}
		}
		for s, rules := range a.complete {
			for i, r := range rules {
				if int(r) == len(a.rules)-1 {
					continue
				}
				for x := range a.end + 1 {
					if got := bitset.Has(l.lookahead(int32(s), int32(i)), x); got != want[[3]int32{int32(s), r, x}] {
						return fmt.Sprintf("state %d, rule %d: before terminal %d: %t", s, r, x, got)
					}
				}
			}
		}
		return ""
	})
	if compared < seed.Rounds(250, 500, 10_000) {
		t.Errorf("only %d grammars were compared", compared)
	}
}
