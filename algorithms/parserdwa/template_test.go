package parserdwa

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// named are the LR states of a small grammar, named by the symbols that lead to them from the start
// state, terminals by their strings.
type named struct {
	t     testing.TB
	p     *algorithms.Problem
	names map[int32]string
}

func nameStates(t testing.TB, p *algorithms.Problem, paths ...string) named {
	t.Helper()
	n := named{t, p, map[int32]string{0: "0"}}
	for _, path := range paths {
		n.names[n.state(path)] = path
	}
	return n
}

// state is the state that a path leads to: terminals are shifted, a nonterminal is gone to from the
// state before.
func (n named) state(path string) int32 {
	n.t.Helper()
	at := int32(0)
	if path == "0" {
		return at
	}
	for _, word := range strings.Fields(path) {
		to := int32(-1)
		if i := slices.IndexFunc(n.p.Grammar.Nonterminals, func(x grammar.NonterminalDef) bool { return x.Name == word }); i >= 0 {
			to = n.p.Tables.Goto(at, grammar.Nonterminal(i))
		} else if a := n.p.Tables.Action(at, n.terminal(word)); a.Kind() == lr.KindShift {
			to = a.Target()
		}
		if to < 0 {
			n.t.Fatalf("%q leads nowhere at %q", path, word)
		}
		at = to
	}
	return at
}

func (n named) terminal(text string) grammar.Terminal {
	n.t.Helper()
	for x := range n.p.Grammar.Terminals {
		if n.p.Grammar.Terminals[x].Source == text {
			return grammar.Terminal(x)
		}
	}
	n.t.Fatalf("no terminal is %q", text)
	return 0
}

// text writes an effect down.
func (n named) text(e effect) string {
	switch e.kind {
	case push:
		var list []string
		for _, s := range e.pushes {
			list = append(list, n.names[s])
		}
		return "push " + strings.Join(list, ", ")
	case pop:
		return fmt.Sprintf("pop %d more, %s", e.pops, n.p.Grammar.Nonterminals[e.lhs].Name)
	}
	return "refuse"
}

// TestTemplatesByHand is the stack effect of terminals ("Terminal -> stack effect") in a grammar of
// brackets around sums.
//
// Read in a start state, the top says what happens at once; what has to pop deeper goes on in a
// state (k, A), and reads, below k more states, the one from which A is gone to.
func TestTemplatesByHand(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" sum \")\"\nsum: one | sum \"+\" one\none: \"x\" | start\n", true, []string{"x"})
	n := nameStates(t, p, "(", "( x", "( sum", "( one", "( sum +", "( sum + one", "( sum )", "( start")
	templates := newTemplates(p.Tables)
	for _, c := range []struct{ terminal, top, want string }{
		{"(", "0", "push ("},
		{")", "0", "refuse"},
		{"x", "0", "refuse"},
		{"x", "(", "push ( x"},
		{")", "(", "refuse"},
		// one: "x" is reduced: it is popped, and what is below says where to.
		{")", "( x", "pop 0 more, one"},
		{"+", "( x", "pop 0 more, one"},
		{"x", "( x", "refuse"},
		// LALR reduces before it sees what follows only where that may follow somewhere.
		{"(", "( x", "refuse"},
		{"+", "( sum", "push ( sum +"},
		{")", "( sum", "push ( sum )"},
		// sum: sum "+" one pops two more states.
		{")", "( sum + one", "pop 2 more, sum"},
		{")", "( sum )", "pop 2 more, start"},
		{"+", "( sum )", "pop 2 more, start"},
	} {
		if got := n.text(templates.start(int32(n.terminal(c.terminal)), n.state(c.top))); got != c.want {
			t.Errorf("%s with %q on top: %s, want %s", c.terminal, c.top, got, c.want)
		}
	}
	for _, c := range []struct{ terminal, under, lhs, want string }{
		// From (0, one): a chain of unit rules is one step, and what it pushes is there for the next.
		{")", "(", "one", "push ( sum, ( sum )"},
		{"+", "(", "one", "push ( sum, ( sum +"},
		{"x", "(", "one", "refuse"},
		{"(", "(", "one", "refuse"},
		// Behind a plus, it completes a sum: two more below it.
		{")", "( sum +", "one", "pop 1 more, sum"},
		{")", "(", "sum", "push ( sum, ( sum )"},
		// A sentence in brackets is an operand within others, and the end of the text outside.
		{")", "(", "start", "push ( sum, ( sum )"},
		{")", "0", "start", "refuse"},
	} {
		lhs := slices.IndexFunc(p.Grammar.Nonterminals, func(x grammar.NonterminalDef) bool { return x.Name == c.lhs })
		if got := n.text(templates.over(int32(n.terminal(c.terminal)), n.state(c.under), int32(lhs))); got != c.want {
			t.Errorf("%s, over %q to %s: %s, want %s", c.terminal, c.under, c.lhs, got, c.want)
		}
	}
}

// TestSetTemplatesByHand is the same for sets of terminals, one of which is to be accepted: at
// once, never, or by groups that reduce alike and go on in states of their own.
func TestSetTemplatesByHand(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" sum \")\"\nsum: one | sum \"+\" one\none: \"x\" | start\n", true, []string{"x"})
	n := nameStates(t, p)
	templates := newTemplates(p.Tables)
	for _, c := range []struct{ terminals, top, want string }{
		{") +", "( sum", "accepts"},
		{") x", "( sum", "accepts"},
		{"x (", "( sum", ""},
		{"x", "(", "accepts"},
		{") +", "( x", "[) +] 0 one"}, // they reduce alike: together
		{") x", "( x", "[)] 0 one"},   // x is refused
		{"x (", "( x", ""},
		{") + x (", "( sum + one", "[) +] 2 sum"},
	} {
		var terms []grammar.Terminal
		for _, word := range strings.Fields(c.terminals) {
			terms = append(terms, n.terminal(word))
		}
		probe := templates.startSet(templates.set(p.Tables.NewSet(terms...)), n.state(c.top))
		got := ""
		if probe.accepts {
			got = "accepts"
		}
		for _, e := range probe.pops {
			var members []string
			for x := range bitset.All[int](templates.labels.At(e.label)) {
				members = append(members, p.Grammar.Terminals[x].Source)
			}
			slices.SortFunc(members, func(a, b string) int { return strings.Index(c.terminals, a) - strings.Index(c.terminals, b) })
			got += fmt.Sprintf("%v %d %s", members, e.pops, p.Grammar.Nonterminals[e.lhs].Name)
		}
		if got != c.want {
			t.Errorf("one of %s with %q on top: %q, want %q", c.terminals, c.top, got, c.want)
		}
	}
}
