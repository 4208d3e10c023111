package lr

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"gcdbench/grammar"
)

// Tables with lookaheads where they are needed have the states, the gotos and the conflicts of
// others. Their actions differ only in that they may reduce before terminals that others refuse at
// once.
func TestNeededAgainstAll(t *testing.T) {
	overGrammars(t, 4000, func(g *grammar.Grammar) string {
		for _, fold := range []bool{false, true} {
			if fault := compareLookaheads(t, g, fold); fault != "" {
				return fmt.Sprintf("folded %t: %s", fold, fault)
			}
		}
		return ""
	})
}

func compareLookaheads(t *testing.T, g *grammar.Grammar, fold bool) string {
	a, err := analyse(t.Context(), g, fold)
	if err != nil {
		return "" // no sentence
	}
	all, err := newLookaheads(a)
	if err != nil {
		return err.Error()
	}
	exact, err := newTables(all, grammar.KeepConflicts, true, fold)
	if err != nil {
		return err.Error()
	}
	needed, err := newNeededLookaheads(a)
	if err != nil {
		return err.Error()
	}
	quick, err := newTables(needed, grammar.KeepConflicts, true, fold)
	if err != nil {
		return err.Error()
	}
	return compareQuick(exact, quick)
}

func compareQuick(exact, quick *Tables) string {
	if exact.NumStates() != quick.NumStates() || !reflect.DeepEqual(exact.clashes, quick.clashes) || !reflect.DeepEqual(exact.loops, quick.loops) {
		return fmt.Sprintf("%d states, %v, quick: %d, %v", exact.NumStates(), exact.clashes, quick.NumStates(), quick.clashes)
	}
	for s := range int32(exact.NumStates()) {
		for n := range exact.g.Nonterminals {
			if a, b := exact.Goto(s, grammar.Nonterminal(n)), quick.Goto(s, grammar.Nonterminal(n)); a != b {
				return fmt.Sprintf("state %d goes to %d on nonterminal %d, quick: %d", s, a, n, b)
			}
		}
		if !slices.Equal(exact.Predecessors(s), quick.Predecessors(s)) {
			return fmt.Sprintf("predecessors of state %d: %v, quick: %v", s, exact.Predecessors(s), quick.Predecessors(s))
		}
		if fault := compareQuickState(exact, quick, s); fault != "" {
			return fault
		}
	}
	return ""
}

func compareQuickState(exact, quick *Tables, s int32) string {
	rule, only := quick.DefaultReduction(s)
	if exactRule, exactOnly := exact.DefaultReduction(s); only != exactOnly || rule != exactRule {
		return fmt.Sprintf("default reduction of state %d: %d %t, quick: %d %t", s, exactRule, exactOnly, rule, only)
	}
	if !slices.Equal(exact.Shiftable(s), quick.Shiftable(s)) {
		return fmt.Sprintf("state %d shifts %b, quick: %b", s, exact.Shiftable(s), quick.Shiftable(s))
	}
	for x := range exact.End() + 1 {
		a, b := exact.Actions(s, x), quick.Actions(s, x)
		if slices.Equal(a, b) || len(a) == 0 && len(b) == 1 && b[0].Kind() == KindReduce && (!only || b[0] == reduce(rule)) {
			continue
		}
		return fmt.Sprintf("state %d on %s: %v, quick: %v", s, exact.g.TerminalName(x), a, b)
	}
	return ""
}

// What comes after a nonterminal depends on where it stands, and is looked at only where that
// decides something.
func TestNeededLookaheads(t *testing.T) {
	keep := grammar.KeepConflicts
	for _, c := range []struct {
		name, grammar string
		exact         int // sets beyond those of the grammar's symbols
	}{
		{"nothing to decide", "S -> a A c | b B d; A -> x; B -> x y", 0},
		{"what follows anywhere decides: shift", "S -> A c | b; A -> x | x y", 0},
		{"what follows anywhere decides: reductions", "S -> A c | B d; A -> x; B -> x", 0},
		{"what follows anywhere decides: empty rule", "S -> L; L -> | L x", 0},
		{"what follows here decides", "S -> A a | b A c | d c | b d a; A -> d", 4},
		{"what follows here, behind others", "S -> L = R | R; L -> * R | id; R -> L", 3},
	} {
		g := compact(c.grammar)
		a, err := analyse(t.Context(), g, false)
		if err != nil {
			t.Fatal(err)
		}
		l, err := newNeededLookaheads(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(l.sets.words)/l.sets.width - int(a.numSyms); got != c.exact {
			t.Errorf("%s: %d sets, want %d", c.name, got, c.exact)
		}
		tables, err := Build(t.Context(), g, Options{Conflicts: &keep, Quick: true})
		if err != nil || !tables.Deterministic() {
			t.Errorf("%s: %v, or conflicts", c.name, err)
		}
	}
}

func TestListTable(t *testing.T) {
	for _, lists := range [][][]int32{{}, {{}}, {{1}}, {{}, {3, 1, 3}, {}, {2}, {}}} {
		table := newListTable(len(lists), func(add func(list, value int32)) {
			for i, l := range lists {
				for _, v := range l {
					add(int32(i), v)
				}
			}
		})
		for i, want := range lists {
			if got := table.of(int32(i)); !slices.Equal(got, want) {
				t.Errorf("list %d of %v is %v", i, lists, got)
			}
		}
	}
}

// What an arena hands out does not overlap, at any size.
func TestArena(t *testing.T) {
	var a arena[int]
	var all [][]int
	for i := range 3000 {
		s := a.take(i * 7 % 300)
		for k := range s {
			s[k] = i
		}
		all = append(all, s)
	}
	all = append(all, a.take(5*mostRoom), a.clone([]int{1, 2}))
	for i, s := range all[:3000] {
		if len(s) != i*7%300 || slices.ContainsFunc(s, func(v int) bool { return v != i }) {
			t.Fatalf("slice %d was overwritten: %v", i, s)
		}
	}
	if !slices.Equal(all[3001], []int{1, 2}) || cap(all[3001]) != 2 {
		t.Errorf("clone: %v", all[3001])
	}
}
