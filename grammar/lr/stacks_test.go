package lr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/seed"
)

// A snapshot is what can be seen of a parser state.
func snapshot(t *Tables, s Stacks) string {
	return fmt.Sprint(s.Key(), s.Describe(), t.Acceptable(s, nil), graph(s))
}

// graph writes down the graph under the tops, nodes numbered as they are met.
func graph(s Stacks) string {
	number := map[*Node]int{}
	text := ""
	var visit func(n *Node) int
	visit = func(n *Node) int {
		if i, ok := number[n]; ok {
			return i
		}
		i := len(number)
		number[n] = i
		line := fmt.Sprintf("%d:%d@%d[", i, n.State, n.Depth)
		for k := range n.NumUnder() {
			line += fmt.Sprint(visit(n.Under(k)), " ")
		}
		text += line + "]"
		return i
	}
	for _, n := range s.Tops() {
		visit(n)
	}
	return text
}

// size counts the nodes and links under the tops.
func size(s Stacks) (nodes, links int) {
	seen := map[*Node]bool{}
	todo := s.Tops()
	for ; len(todo) > 0; todo = todo[1:] {
		n := todo[0]
		if seen[n] {
			continue
		}
		seen[n] = true
		links += n.NumUnder()
		for i := range n.NumUnder() {
			todo = append(todo, n.Under(i))
		}
	}
	return len(seen), links
}

// Nothing that happens later changes a state, and the same way leads to an equal state.
func TestStacksAreValues(t *testing.T) {
	seed := seed.New(t)
	overGrammars(t, 400, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.KeepConflicts)
		if tables == nil {
			return fault
		}
		rng := rand.New(rand.NewPCG(seed, 7))
		states := []Stacks{tables.Start()}
		ways := [][]grammar.Terminal{nil}
		seen := []string{snapshot(tables, states[0])}
		for range 60 {
			i := rng.IntN(len(states))
			x := grammar.Terminal(rng.IntN(tables.NumTerminals() + 1))
			if next, ok := tables.Shift(states[i], x); ok {
				states = append(states, next)
				ways = append(ways, append(slices.Clone(ways[i]), x))
				seen = append(seen, snapshot(tables, next))
			} else if next.NumTops() != 0 || x == tables.End() && ok {
				return "a refused Shift returned stacks"
			}
		}
		for i, s := range states {
			if got := snapshot(tables, s); got != seen[i] {
				return fmt.Sprintf("after %v the state was changed\nfrom %s\nto   %s", ways[i], seen[i], got)
			}
			again, n := read(tables, ways[i])
			if n != len(ways[i]) || !again.Equal(s) || !s.Equal(again) || again.Key() != s.Key() {
				return fmt.Sprintf("%v leads to two different states", ways[i])
			}
		}
		return equalityFault(tables, states)
	})
}

// equalityFault compares states pairwise.
func equalityFault(t *Tables, states []Stacks) string {
	for i, a := range states {
		for _, b := range states[:i] {
			same := fmt.Sprint(a.Describe()) == fmt.Sprint(b.Describe())
			switch {
			case a.Equal(b) != b.Equal(a):
				return "Equal is not symmetric"
			case a.Equal(b) && a.Key() != b.Key():
				return "equal states with different keys"
			case a.Equal(b) && !same:
				return fmt.Sprintf("Equal, but %v and %v", a.Describe(), b.Describe())
			case t.Deterministic() && same && !a.Equal(b):
				return fmt.Sprintf("not Equal, but both %v", a.Describe())
			}
		}
	}
	return ""
}

func TestZeroStacks(t *testing.T) {
	tables := tablesOf(t, "S -> a", grammar.ResolveConflicts)
	var none Stacks
	_, shifted := tables.Shift(none, 0)
	if shifted || tables.Accepts(none, 0) || tables.AcceptsEnd(none) || tables.AcceptsAny(none, tables.NewSet(0)) {
		t.Error("no stack accepts something")
	}
	if _, ok := none.Top(); ok || none.Tops() != nil || none.Describe() != nil || tables.Acceptable(none, nil) != nil || !none.Equal(Stacks{}) {
		t.Error("the zero value has a stack")
	}
	if _, ok := tables.Shift(tables.Start()); ok {
		t.Error("no terminal was shifted")
	}
	if _, ok := tables.Shift(tables.Start(), tables.End()); ok {
		t.Error("the end of input was shifted")
	}
}

// Repetition must not make the state grow where the set of stacks does not.
func TestStacksStayBounded(t *testing.T) {
	for _, c := range []struct {
		name, grammar, unit string
		nodes, links        int // bounds
	}{
		{"a plain list", "L -> | L i", "i", 3, 2},
		{"two readings of an item", "L -> | L E; E -> A | B; A -> i; B -> i", "i", 5, 4},
		{"two lists anyhow divided", "S -> L M; L -> | L i; M -> | M i", "i", 8, 8},
		{"a list of lists", "L -> | L M; M -> i | M i", "i", 8, 8},
		{"three lists anyhow divided", "S -> L M N; L -> | L i; M -> | M i; N -> | N i", "i", 12, 16},
		{"hidden left recursion", "S -> E S i | i; E -> ", "i", 6, 9},
		{"a cycle", "L -> | L A; A -> B | i; B -> A", "i", 5, 4},
		{"statements of an ambiguous language", "P -> | P E end; E -> E + E | E * E | id", "id + id * id + id end", 4, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables := tablesOf(t, c.grammar, grammar.KeepConflicts)
			s := tables.Start()
			for i := range 60 {
				for _, x := range words(t, tables.Grammar(), c.unit) {
					var ok bool
					if s, ok = tables.Shift(s, x); !ok {
						t.Fatalf("round %d: refused", i)
					}
				}
				if nodes, links := size(s); nodes > c.nodes || links > c.links {
					t.Fatalf("round %d: %d nodes, %d links: %s", i, nodes, links, graph(s))
				}
			}
		})
	}
}

// Equal states have equal keys however they came about; here by texts of different length.
func TestKeysForgetTheWay(t *testing.T) {
	for _, text := range []string{
		"L -> | L E; E -> A | B; A -> i; B -> i",
		"S -> L M; L -> | L i; M -> | M i",
		"L -> | L E i; E -> | E E",
	} {
		tables := tablesOf(t, text, grammar.KeepConflicts)
		short, n := read(tables, words(t, tables.Grammar(), "i i i"))
		long, m := read(tables, words(t, tables.Grammar(), "i i i i i i i"))
		if n != 3 || m != 7 || !short.Equal(long) || short.Key() != long.Key() {
			t.Errorf("%s: %s and %s", text, graph(short), graph(long))
		}
	}
}

func TestForksBySets(t *testing.T) {
	tables := tablesOf(t, "S -> a x | b y | c z z", grammar.ResolveConflicts)
	g := tables.Grammar()
	s, ok := tables.Shift(tables.Start(), words(t, g, "a c b c")...)
	if !ok || s.NumTops() != 3 || len(s.Tops()) != 3 {
		t.Fatalf("%d tops", s.NumTops())
	}
	if _, ok := s.Top(); ok {
		t.Error("three tops are one")
	}
	if got, want := tables.Acceptable(s, nil), words(t, g, "x y z"); !slices.Equal(got, want) {
		t.Errorf("acceptable %v, want %v", got, want)
	}
	s, ok = tables.Shift(s, words(t, g, "a z")...)
	if top, one := s.Top(); !ok || !one || top != s.TopNode(0).State || tables.AcceptsEnd(s) {
		t.Errorf("after z: %v", s.Describe())
	}
}

// A plain stack costs one allocation for each Shift and none for a question.
func TestAllocations(t *testing.T) {
	tables := tablesOf(t, "E -> E + T | T; T -> T * F | F; F -> ( E ) | id", grammar.ResolveConflicts)
	g := tables.Grammar()
	s, _ := read(tables, words(t, g, "( ( ( id * id + id"))
	plus := words(t, g, "+")[0]
	set := tables.NewSet(tables.End(), plus)
	if n := testing.AllocsPerRun(100, func() { tables.Shift(s, plus) }); n > 1 {
		t.Errorf("Shift allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		tables.Accepts(s, plus)
		tables.AcceptsEnd(s)
		tables.AcceptsAny(s, set)
	}); n > 0 {
		t.Errorf("questions allocate %v times", n)
	}
}

// More empty rules in a row than a walk has room for.
func TestLongWalks(t *testing.T) {
	text := "S -> "
	for i := range 3 * walkRoom {
		text += fmt.Sprintf(" e%d", i)
	}
	text += " a"
	for i := range 3 * walkRoom {
		text += fmt.Sprintf("; e%d -> ", i)
	}
	for _, mode := range []grammar.ConflictMode{grammar.ResolveConflicts, grammar.KeepConflicts} {
		tables := tablesOf(t, text, mode)
		s, ok := tables.Shift(tables.Start(), 0)
		if !ok || !tables.AcceptsEnd(s) || len(s.Describe()[0]) != 3*walkRoom+2 {
			t.Errorf("%v: %v", mode, s.Describe())
		}
	}
}
