package lr

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Grammars of textbooks. The numbers of states do not count one for the end of input: a text that
// shifts an end marker has one more.
var classics = []struct {
	name, grammar  string
	states, sr, rr int
	unresolved     bool // Build fails unless conflicts are kept
	accept, refuse []string
}{
	{
		name: "expressions", states: 12,
		grammar: "E -> E + T | T; T -> T * F | F; F -> ( E ) | id",
		accept:  []string{"id", "id + id * id", "( id + id ) * id"},
		refuse:  []string{"", "id +", "( id", "id id", "* id"},
	}, {
		name: "LALR but not SLR", states: 10,
		grammar: "S -> L = R | R; L -> * R | id; R -> L",
		accept:  []string{"id", "id = id", "* * id = * id"},
		refuse:  []string{"id = id = id", "="},
	}, {
		name: "LR(1) but not LALR", states: 13, rr: 2, unresolved: true,
		grammar: "S -> a A d | b B d | a B e | b A e; A -> c; B -> c",
		accept:  []string{"a c d", "b c d", "a c e", "b c e"},
		refuse:  []string{"a c", "c d", "a c d d"},
	}, {
		name: "LR(1) with twins", states: 7,
		grammar: "S -> C C; C -> c C | d",
		accept:  []string{"d d", "c c d c d"},
		refuse:  []string{"d", "c d", "d d d"},
	}, {
		name: "dangling else", states: 7, sr: 1,
		grammar: "S -> i S e S | i S | a",
		accept:  []string{"a", "i a", "i a e a", "i i a e a", "i i a e a e a"},
		refuse:  []string{"i", "a e a", "i a e a e a"},
	}, {
		name: "ambiguous expressions", states: 10, sr: 4,
		grammar: "E -> E + E | E * E | ( E ) | id",
		accept:  []string{"id", "id + id * id", "( id + id ) * id"},
		refuse:  []string{"", "id +", "id id"},
	}, {
		name: "reduce/reduce by priority", states: 5, rr: 1,
		grammar: "S -> A | B; A -> x {2}; B -> x",
		accept:  []string{"x"},
		refuse:  []string{"", "x x"},
	}, {
		name: "reduce/reduce without priority", states: 5, rr: 1, unresolved: true,
		grammar: "S -> A | B; A -> x; B -> x",
		accept:  []string{"x"},
		refuse:  []string{"", "x x"},
	}, {
		name: "empty language but for nothing", states: 2,
		grammar: "S -> ",
		accept:  []string{""},
	}, {
		name: "left recursion from nothing", states: 3,
		grammar: "S -> S a | ",
		accept:  []string{"", "a", "a a a a"},
	}, {
		name: "palindromes are not LR", sr: 2, states: 8,
		grammar: "S -> a S a | b S b | ",
		accept:  []string{""}, // with the shift preferred there is no way to the middle
		refuse:  []string{"a", "a b"},
	},
}

func TestClassics(t *testing.T) {
	for _, c := range classics {
		t.Run(c.name, func(t *testing.T) {
			g := compact(c.grammar)
			modes := []grammar.ConflictMode{grammar.KeepConflicts}
			if c.unresolved {
				var ce *ConflictError
				if _, err := Build(context.Background(), g, Options{}); !errors.As(err, &ce) {
					t.Errorf("conflicts resolved: got %v, want a ConflictError", err)
				}
			} else {
				modes = append(modes, grammar.ResolveConflicts)
			}
			for _, mode := range modes {
				checkClassic(t, tablesOf(t, c.grammar, mode), c.states, c.sr, c.rr, c.accept, c.refuse)
			}
		})
	}
}

func checkClassic(t *testing.T, tables *Tables, states, sr, rr int, accept, refuse []string) {
	t.Helper()
	if n := tables.NumStates(); n != states {
		t.Errorf("%d states, want %d", n, states)
	}
	if s, r := tables.CountConflicts(); s != sr || r != rr {
		t.Errorf("%d shift/reduce and %d reduce/reduce conflicts, want %d and %d", s, r, sr, rr)
	}
	if want := tables.Mode() == grammar.ResolveConflicts || sr+rr == 0; tables.Deterministic() != want {
		t.Errorf("Deterministic is %t", !want)
	}
	for _, text := range accept {
		terms := words(t, tables.Grammar(), text)
		if s, n := read(tables, terms); n != len(terms) || !tables.AcceptsEnd(s) {
			t.Errorf("%s: %q is refused at %d", tables.Mode(), text, n)
		}
	}
	for _, text := range refuse {
		terms := words(t, tables.Grammar(), text)
		if s, n := read(tables, terms); n == len(terms) && tables.AcceptsEnd(s) {
			t.Errorf("%s: %q is accepted", tables.Mode(), text)
		}
	}
}

// Kept conflicts lose nothing.
func TestKeptPalindromes(t *testing.T) {
	tables := tablesOf(t, "S -> a S a | b S b | ", grammar.KeepConflicts)
	for text, want := range map[string]bool{
		"": true, "a a": true, "a b b a": true, "a b a": false, "b b b b b b": true, "a a b b": false,
	} {
		terms := words(t, tables.Grammar(), text)
		s, n := read(tables, terms)
		if n != len(terms) || tables.AcceptsEnd(s) != want {
			t.Errorf("%q: read %d, accepted %t", text, n, !want)
		}
	}
}

func TestRawTables(t *testing.T) {
	tables := tablesOf(t, "E -> E + T | T; T -> T * F | F; F -> ( E ) | id", grammar.ResolveConflicts)
	id := words(t, tables.Grammar(), "id")[0]
	a := tables.Action(0, id)
	if a.Kind() != KindShift {
		t.Fatalf("state 0 on id: %v", a)
	}
	s := a.Target()
	if r, ok := tables.DefaultReduction(s); !ok || r != 5 {
		t.Errorf("after id: default reduction %d, %t; want 5 (F -> id)", r, ok)
	}
	if sym, ok := tables.Accessing(s); !ok || sym != grammar.T(id) {
		t.Errorf("after id: accessing symbol %v", sym)
	}
	if _, ok := tables.Accessing(0); ok {
		t.Error("the start state has an accessing symbol")
	}
	if lhs, n := tables.Rule(5); lhs != 2 || n != 1 {
		t.Errorf("rule 5 is %d of length %d", lhs, n)
	}
	for s := range int32(tables.NumStates()) {
		for _, p := range tables.Predecessors(s) {
			sym, _ := tables.Accessing(s)
			if sym.IsTerminal() && tables.Action(p, sym.Terminal()) != shift(s) {
				t.Errorf("state %d does not shift to %d", p, s)
			}
			if !sym.IsTerminal() && tables.Goto(p, sym.Nonterminal()) != s {
				t.Errorf("state %d does not go to %d", p, s)
			}
		}
		checkRow(t, tables, s)
	}
}

// checkRow compares the facts about a state that are stored with those that follow from actions.
func checkRow(t *testing.T, tables *Tables, s int32) {
	t.Helper()
	live, shifts := tables.Live(s), tables.Shiftable(s)
	rule, all := tables.DefaultReduction(s)
	for x := grammar.Terminal(0); x <= tables.End(); x++ {
		a, list := tables.Action(s, x), tables.Actions(s, x)
		if bitset.Has(live, int32(x)) != (a.Kind() != KindNone) || (len(list) > 0) != (a.Kind() != KindNone) {
			t.Errorf("state %d: terminal %d: live is wrong", s, x)
		}
		if bitset.Has(shifts, int32(x)) != (a.Kind() == KindShift || a.Kind() == KindAccept) {
			t.Errorf("state %d: terminal %d: shiftable is wrong", s, x)
		}
		if all && a.Kind() != KindNone && (len(list) != 1 || a != reduce(rule)) {
			t.Errorf("state %d: terminal %d: %v is not the default reduction", s, x, a)
		}
	}
}

func TestConflictReport(t *testing.T) {
	tables := tablesOf(t, "P -> S; S -> if E then S else S | if E then S | a; E -> x | E and x", grammar.ResolveConflicts)
	all := tables.Conflicts()
	if len(all) != 1 {
		t.Fatalf("%d conflicts", len(all))
	}
	c := all[0]
	if c.Outcome != ByShift || c.Chosen.Kind() != KindShift || !c.ShiftReduce() || c.ReduceReduce() {
		t.Errorf("outcome %v, chosen %v", c.Outcome, c.Chosen)
	}
	if want := "if x then if x then a • else"; c.Example != want {
		t.Errorf("example %q, want %q", c.Example, want)
	}
	var texts []string
	for _, it := range c.Items {
		texts = append(texts, it.Pos.String()+" "+it.Text)
	}
	want := "g:2:1 S: if E then S • else S\ng:2:2 S: if E then S •"
	if got := strings.Join(texts, "\n"); got != want {
		t.Errorf("items\n%s\nwant\n%s", got, want)
	}
}

func TestConflictError(t *testing.T) {
	_, err := Build(context.Background(), compact("S -> a A d | b B d | a B e | b A e; A -> c; B -> c"), Options{})
	want := `grammar test: 1 reduce/reduce conflict that no priority decides
  state 4: two ways to reduce at the dot in   a c • d
    g:2:1: A: c •
    g:3:1: B: c •
    (and with 1 more terminal after the dot)
  Give one of the rules a higher priority (name.2: ...), join the rules, or keep every way to parse with: %conflicts keep`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestUselessRules(t *testing.T) {
	tables := tablesOf(t, "S -> a | U b | a; U -> U c; V -> d | S", grammar.ResolveConflicts)
	var got []string
	for _, w := range tables.Warnings() {
		got = append(got, w.String())
	}
	want := []string{
		"g:1:2: S: U b can never be completed and is ignored",
		"g:1:3: S: a is written twice; the second is ignored",
		"g:2:1: U: U c can never be completed and is ignored",
		"g:2:1: rule U is not used by the start rule",
		"g:3:1: rule V is not used by the start rule",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("warnings\n%s", strings.Join(got, "\n"))
	}
	_, err := Build(context.Background(), compact("S -> S a | T; T -> ( S )"), Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "g:1:1: the start rule S derives nothing") {
		t.Errorf("empty language: %v", err)
	}
}
