package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/internal/must"
)

// parse reads a grammar.
func parse(t testing.TB, text string) *grammar.Grammar {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	return g
}

func automaton(t testing.TB, g *grammar.Grammar) *DFT {
	t.Helper()
	d := must.Get(NewDFT(g))(t)
	return d
}

// The grammar of all figures: S ::= aSb | ε. Lark's start rule and terminals are named by its own
// rules.
const anbn = "start: A start B |\nA: \"a\"\nB: \"b\"\n"

// rename gives the symbols of anbn their names in the figures.
var rename = strings.NewReplacer("start", "S", "A", "a", "B", "b")

func (d *DFT) transitionNames() []string {
	var list []string
	for s := range d.transitions {
		for _, t := range d.transitions[s] {
			read, pop, push := "ε", "ε", "ε"
			if t.Read != NoTerminal {
				read = d.g.Terminals[t.Read].Name
			}
			if t.Pop != NoSymbol {
				pop = d.symbolName(t.Pop)
			}
			if t.Push != NoSymbol {
				push = d.symbolName(t.Push)
			}
			list = append(list, rename.Replace(fmt.Sprintf("%s, %s, %s, %s, %s", d.stateName(t.From), read, pop, push, d.stateName(t.To))))
		}
	}
	slices.Sort(list)
	return list
}

// TestFigure2 is the DFT pushdown automaton of S ::= aSb | ε.
func TestFigure2(t *testing.T) {
	want := []string{
		"S•, b, S ::= a S, S ::= a S b, b",
		"S•, ε, Z0, ε, $END",
		"a, ε, S ::= a, S ::= a S, •S",
		"b, ε, S ::= a S b, ε, S•",
		"•S, a, ε, S ::= a, a",
		"•S, ε, ε, ε, S•",
	}
	if got := automaton(t, parse(t, anbn)).transitionNames(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// run tells whether the automaton accepts a word, by trying everything with at most height symbols
// on the stack.
func (d *DFT) run(word []grammar.Terminal, height int) bool {
	type config struct {
		state DFTState
		read  int
		stack string
	}
	start := config{d.begin(grammar.N(d.g.Start)), 0, string(rune(Bottom))}
	seen := map[config]bool{start: true}
	for todo := []config{start}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.state == d.End() && c.read == len(word) {
			return true
		}
		for _, tr := range d.transitions[c.state] {
			next := config{tr.To, c.read, c.stack}
			if tr.Read != NoTerminal {
				if c.read == len(word) || word[c.read] != tr.Read {
					continue
				}
				next.read++
			}
			if tr.Pop != NoSymbol {
				if !strings.HasPrefix(next.stack, string(rune(tr.Pop))) {
					continue
				}
				next.stack = strings.TrimPrefix(next.stack, string(rune(tr.Pop)))
			}
			if tr.Push != NoSymbol {
				next.stack = string(rune(tr.Push)) + next.stack
			}
			if len(next.stack) <= height && !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// TestFigure3 runs the automaton on aabb, as the figure does, and on words that are not of the
// language (lemma 1).
func TestFigure3(t *testing.T) {
	g := parse(t, anbn)
	d := automaton(t, g)
	for _, c := range []struct {
		word string
		want bool
	}{{"aabb", true}, {"", true}, {"ab", true}, {"aaabbb", true}, {"a", false}, {"abb", false}, {"ba", false}, {"aabbab", false}} {
		if got := d.run(word(g, c.word), 20); got != c.want {
			t.Errorf("%q: %v", c.word, got)
		}
	}
}

// sequence is word as a sequence of single terminals.
func sequence(g *grammar.Grammar, text string) (s Sequence) {
	for _, t := range word(g, text) {
		s = append(s, []grammar.Terminal{t})
	}
	return s
}

// word turns letters into the terminals that are those letters.
func word(g *grammar.Grammar, letters string) []grammar.Terminal {
	var w []grammar.Terminal
	for _, c := range letters {
		for i := range g.Terminals {
			if g.Terminals[i].Source == string(c) {
				w = append(w, grammar.Terminal(i))
			}
		}
	}
	return w
}

// edges writes down the part of a debt NFA from which a final node is reached, and what else is
// owed where it is.
func (n *debts) edgeNames() []string {
	leads := make([]bool, n.nodes.Len())
	for range n.nodes.Len() {
		for i := range n.nodes.Len() {
			k := n.nodes.At(int32(i))
			leads[i] = leads[i] || n.final(k)
			for _, e := range n.edges[i] {
				leads[i] = leads[i] || leads[e.to]
			}
		}
	}
	name := func(i int32) string {
		k := n.nodes.At(i)
		var stack []string
		for c := k.stack; c != 0; c = n.stacks.At(c).under {
			stack = append(stack, n.d.symbolName(n.stacks.At(c).symbol))
		}
		if stack == nil {
			stack = []string{"ε"}
		}
		return "(" + n.d.stateName(k.state) + ", " + strings.Join(stack, " | ") + ")"
	}
	var list []string
	for i := range n.nodes.Len() {
		if !leads[i] {
			continue
		}
		for _, e := range n.edges[i] {
			owed := "ε"
			if e.owed != NoSymbol {
				owed = n.d.symbolName(e.owed)
			}
			if leads[e.to] {
				list = append(list, rename.Replace(fmt.Sprintf("%s -%s-> %s", name(int32(i)), owed, name(e.to))))
			}
		}
	}
	return list
}

// TestFigure4 is unlimited_credit_exploration on S ::= aSb | ε: the debt NFAs, as far as they lead
// to the goal, and what follows from them.
func TestFigure4(t *testing.T) {
	g := parse(t, anbn)
	d := automaton(t, g)
	for _, c := range []struct {
		x, s          string
		nfa           []string
		always, never bool
	}{
		{"a", "a", []string{
			"(a, ε) -S ::= a-> (•S, S ::= a S)",
			"(•S, S ::= a S) -ε-> (a, S ::= a | S ::= a S)",
		}, true, false},
		{"a", "b", []string{
			"(a, ε) -S ::= a-> (•S, S ::= a S)",
			"(•S, S ::= a S) -ε-> (S•, S ::= a S)",
			"(S•, S ::= a S) -ε-> (b, S ::= a S b)",
		}, true, false},
		{"b", "a", nil, false, true},
		{"b", "b", []string{
			"(b, ε) -S ::= a S b-> (S•, ε)",
			"(S•, ε) -S ::= a S-> (b, S ::= a S b)",
		}, false, false},
	} {
		x, s := word(g, c.x)[0], sequence(g, c.s)
		if got := d.explore(x, s, Bounds{}).edgeNames(); !slices.Equal(got, c.nfa) {
			t.Errorf("X = %s, Y = %s: got\n%s", c.x, c.s, strings.Join(got, "\n"))
		}
		if got := d.IsAlwaysLegal(x, s, Bounds{}); got != c.always {
			t.Errorf("X = %s, Y = %s: always legal: %v", c.x, c.s, got)
		}
		if got := d.IsNeverLegal(x, s); got != c.never {
			t.Errorf("X = %s, Y = %s: never legal: %v", c.x, c.s, got)
		}
	}
}

// TestAlwaysByHand has cases with the reason why they are, or are not, proved.
func TestAlwaysByHand(t *testing.T) {
	for _, c := range []struct {
		about, grammar string
		x, s           string
		bounds         Bounds
		want           bool
	}{
		{"a list may always go on", `start: "[" list "]"
			list: "x" | "x" "," list`, "x", ",x", Bounds{}, true},
		{"and may always end, but a proof would go round in a circle", `start: "[" list "]"
			list: "x" | "x" "," list`, "x", "]", Bounds{}, false},
		{"a circle of debts is left some time", `start: "[" list "]"
			list: "x" | "x" "," list`, "x", "]", Bounds{Circles: true}, true},
		{"but not for the end of the text", `start: "[" start "]" |`, "]", "]", Bounds{Circles: true}, false},
		{"left recursion is guessed ahead, so that a guess may be wrong", `start: "[" list "]"
			list: "x" | list "," "x"`, "x", ",x", Bounds{}, false},
		{"two brackets need two open ones", `start: "[" start "]" |`, "]", "]", Bounds{}, false},
		{"two open ones were just read", `start: "[" start "]" |`, "[", "[]]", Bounds{}, true},
		{"one of them may be the outermost", `start: "[" start "]" |`, "[", "]]", Bounds{}, false},
		{"a rule that begins alike shares its place", `start: "[" "]" | "[" "x" "]"`, "[", "x", Bounds{}, true},
		{"an operator may follow any operand", `start: e
			e: t | t "+" e
			t: "x" | "(" e ")"`, "x", "+", Bounds{}, true},
		{"and so may the operand after it", `start: e
			e: t | t "+" e
			t: "x" | "(" e ")"`, ")", "+(x", Bounds{}, true},
		{"not with so small a stack", `start: e
			e: t | t "+" e
			t: "x" | "(" e ")"`, ")", "+(x", Bounds{Stack: 2}, false},
		{"nor with so few nodes", `start: e
			e: t | t "+" e
			t: "x" | "(" e ")"`, ")", "+(x", Bounds{Nodes: 2}, false},
		{"nothing at all is always legal", `start: "a"`, "a", "", Bounds{}, true},
	} {
		g := parse(t, c.grammar)
		if got := automaton(t, g).IsAlwaysLegal(word(g, c.x)[0], sequence(g, c.s), c.bounds); got != c.want {
			t.Errorf("%s: after %q, %q: %v", c.about, c.x, c.s, got)
		}
	}
}

// TestChoices: a step may be any of several terminals.
func TestChoices(t *testing.T) {
	g := parse(t, `start: "a" "b" | "c" "d"`)
	d := automaton(t, g)
	either := Sequence{append(word(g, "b"), word(g, "d")...)}
	for _, x := range word(g, "ac") {
		if !d.IsAlwaysLegal(x, either, Bounds{}) || d.IsNeverLegal(x, either) {
			t.Errorf("one of b and d always follows %s", g.TerminalName(x))
		}
	}
	if x := word(g, "b")[0]; !d.IsNeverLegal(x, either) {
		t.Error("neither b nor d follows b")
	}
}

func TestJointly(t *testing.T) {
	for _, c := range []struct {
		about, grammar, x, s1, s2 string
		want                      Route
	}{
		{"operators are alike", "start: e\ne: \"x\" | e \"+\" e | e \"*\" e", "x", "+x", "*x", ByInterchange},
		{"every place counts on its own", "start: \"x\" \"a\" \"a\" | \"x\" \"b\" \"b\"", "x", "a", "b", NoRoute},
		{"all mixtures are there", "start: \"x\" \"a\" \"a\" | \"x\" \"b\" \"b\" | \"x\" \"a\" \"b\" | \"x\" \"b\" \"a\"", "x", "aa", "ba", ByInterchange},
		{"the rest always follows", "start: \"(\" e \")\"\ne: \"x\" | \"x\" \"+\" e", "(", "x", "x+x", ByAlways},
		{"the order does not matter", "start: \"(\" e \")\"\ne: \"x\" | \"x\" \"+\" e", "(", "x+x", "x", ByAlways},
		{"both routes at once", "start: \"(\" e \")\"\ne: v | v \"+\" e\nv: \"x\" | \"y\"", "(", "x", "y+y", ByAlways},
		{"a bracket more is another matter", "start: \"(\" start \")\" |", ")", ")", "))", NoRoute},
		{"a sequence and itself", "start: \"(\" start \")\" |", ")", "))", "))", ByInterchange},
	} {
		g := parse(t, c.grammar)
		got := automaton(t, g).AreJointlyLegal(word(g, c.x)[0], sequence(g, c.s1), sequence(g, c.s2), Bounds{})
		if got != c.want {
			t.Errorf("%s: after %q, %q and %q: %v", c.about, c.x, c.s1, c.s2, got)
		}
	}
}

// stateName writes a state as the paper does: a, •S, S•, $END.
func (d *DFT) stateName(s DFTState) string {
	terminals := len(d.g.Terminals)
	switch {
	case s == d.End():
		return "$END"
	case int(s) < terminals:
		return d.g.Terminals[s].Name
	case (int(s)-terminals)%2 == 0:
		return "•" + d.g.Nonterminals[(int(s)-terminals)/2].Name
	}
	return d.g.Nonterminals[(int(s)-terminals)/2].Name + "•"
}

// symbolName writes a stack symbol as the paper does: Z0, or the part of a rule that it has
// reached.
func (d *DFT) symbolName(y StackSymbol) string {
	if y == Bottom {
		return "Z0"
	}
	var parts []string
	for at := y; at != Bottom; at = d.places.At(int32(at)).before {
		name := ""
		if a := d.places.At(int32(at)).last; a.IsTerminal() {
			name = d.g.Terminals[a.Terminal()].Name
		} else {
			name = d.g.Nonterminals[a.Nonterminal()].Name
		}
		parts = append(parts, name)
	}
	slices.Reverse(parts)
	return d.g.Nonterminals[d.places.At(int32(y)).lhs].Name + " ::= " + strings.Join(parts, " ")
}
