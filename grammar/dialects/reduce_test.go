package dialects

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// What takes part in no text is left out, in every dialect but Lark's own.
func TestReduce(t *testing.T) {
	g := parse(t, `start: a | b | IGNORED | NEVER "x" | "y"
a: a "z"
b: "b" | a
lost: "l" lost2
lost2: lost | "m"
IGNORED: / +/
%ignore IGNORED
%declare NEVER
`)
	s := sourceOf(t, g)
	var rules, terminals []string
	for _, n := range s.order {
		rules = append(rules, g.Nonterminals[n].Name)
	}
	for _, u := range s.used {
		terminals = append(terminals, g.TerminalName(u))
	}
	slices.Sort(terminals)
	if got := strings.Join(rules, " "); got != "start b" {
		t.Errorf("rules: %s", got)
	}
	if got := strings.Join(terminals, " "); got != `"b" "y"` {
		t.Errorf("terminals: %s", got)
	}
	if len(s.rules[g.Start]) != 2 || len(s.ignored) != 1 {
		t.Errorf("%d rules of the start, %d ignored terminals", len(s.rules[g.Start]), len(s.ignored))
	}
	for _, name := range Names()[1:] {
		if text := translate(t, g, name).Text; strings.Contains(text, `"z"`) || strings.Contains(text, "lost") {
			t.Errorf("%s has what no text uses:\n%s", name, text)
		}
	}
	if text := translate(t, g, "lark").Text; !strings.Contains(text, "lost2:") || !strings.Contains(text, "%declare NEVER") {
		t.Errorf("lark lacks what no text uses:\n%s", text)
	}
}

func TestNullable(t *testing.T) {
	g := parse(t, "start: a b c \"x\"\na: | \"a\"\nb: a a\nc: b \"c\" | a b")
	null := sourceOf(t, g).nullable()
	for n, def := range g.Nonterminals {
		if want := def.Name != "start"; null[n] != want {
			t.Errorf("%s may be empty: %v", def.Name, null[n])
		}
	}
}

// withTerminal is a grammar of one terminal, which a front end other than Lark's could make.
func withTerminal(e *automata.Expr) *grammar.Grammar {
	return &grammar.Grammar{
		Name:         "test",
		Terminals:    []grammar.TerminalDef{{Name: "X", Expr: e}},
		Nonterminals: []grammar.NonterminalDef{{Name: "start"}},
		Rules:        []grammar.Rule{{LHS: 0, RHS: []grammar.Symbol{grammar.T(0)}}},
	}
}

func TestTerminalsThatCannotBeWritten(t *testing.T) {
	for _, name := range Names() {
		checkUnsupported(t, withTerminal(automata.Literal("a\xff", 0)), name, "no UTF-8 text, as terminal X has")
		checkUnsupported(t, withTerminal(automata.Literal("", 0)), name, "matches the empty string, as X does")
	}
	// nothing can follow it, as a and b continue it
	tangle := withTerminal(automata.FromDFA(automata.MustCompile(`[ab]*a[ab]{9}`, 0)))
	_, err := Translate(t.Context(), tangle, "ebnf")
	if err == nil || !strings.Contains(err.Error(), "terminal X_END in ebnf: automaton too large") {
		t.Errorf("an automaton without a short expression: %v", err)
	}
}

// A terminal that came as an automaton is written as an expression of it.
func TestTerminalOfAnAutomaton(t *testing.T) {
	g := withTerminal(automata.FromDFA(automata.MustCompile(`"[^"]*"`, 0)))
	for name, want := range map[string]string{
		"llguidance-lark": `X: /"[^"]*"/`, "ebnf": `X ::= "\"" [^"]* "\""`, "kbnf": `X ::= #"\"[^\"]*\"";`, "lark": `X.1: /"[^"]*"/`,
	} {
		if text := translate(t, g, name).Text; !strings.Contains(text, want+"\n") {
			t.Errorf("%s: want %s in\n%s", name, want, text)
		}
	}
}
