package lr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// larkScript reads one JSON object a line, {"grammar", "start", "texts"}, and answers with what
// Lark's LALR mode makes of it: {"error"}, or {"states", "accepted"}.
const larkScript = `
import json, sys
from lark import Lark
from lark.exceptions import LarkError
for line in sys.stdin:
    case = json.loads(line)
    try:
        parser = Lark(case["grammar"], parser="lalr", lexer="basic", start=case["start"])
    except LarkError as e:
        print(json.dumps({"error": str(e)}))
        continue
    accepted = []
    for text in case["texts"]:
        try:
            parser.parse(text)
            accepted.append(True)
        except LarkError:
            accepted.append(False)
    print(json.dumps({"states": len(parser.parser.parser._parse_table.states), "accepted": accepted}))
`

type larkAnswer struct {
	Error    string
	States   int
	Accepted []bool
}

// larkCase is a grammar and all short texts over its terminals.
type larkCase struct {
	Grammar string   `json:"grammar"`
	Start   string   `json:"start"`
	Texts   []string `json:"texts"`
	source  *grammar.Grammar
}

// Lark itself, where it is installed (python3, or the interpreter GCDBENCH_PYTHON names): the same
// grammars are refused, the tables have the same number of states, and the same texts are accepted,
// conflicts and priorities included.
//
// Lark's lookahead sets are LALR's and some more (see larkLookaheads), which it can find a
// collision in, or decide differently by, where LALR has none. So it is compared with our tables of
// its sets; that the others are LALR's is TestLookaheads. For nearly all grammars the two are the
// same tables.
func TestAgainstLark(t *testing.T) {
	python := must.Python(t, "lark")
	n, seed := seed.Rounds(150, 300, 400), seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 2))
	var cases []larkCase
	for len(cases) < n {
		if c, ok := newLarkCase(rng); ok {
			cases = append(cases, c)
		}
	}
	refused, wider := 0, 0
	for i, answer := range askLark(t, python, cases) {
		if answer.Error != "" {
			refused++
		}
		same, fault := compareLark(cases[i], answer)
		if fault != "" {
			t.Fatalf("seed %d: %s\n  %s", seed, notation(cases[i].source), fault)
		}
		if !same {
			wider++
		}
	}
	t.Logf("Lark's tables are others than ours for %d of %d grammars", wider, len(cases))
	if wider > len(cases)/4 {
		t.Errorf("Lark's tables are others than ours for %d of %d grammars: hardly our tables were compared", wider, len(cases))
	}
	if refused == 0 || refused == len(cases) {
		t.Errorf("Lark refused %d of %d grammars: one side is untested", refused, len(cases))
	}
}

// newLarkCase makes a random grammar that Lark can judge: priorities are by rule, nothing is
// useless (Lark keeps rules that can never end), and no input makes the parser reduce for ever.
func newLarkCase(rng *rand.Rand) (larkCase, bool) {
	g := randomGrammar(rng)
	priority := make([]int, len(g.Nonterminals))
	for _, r := range g.Rules {
		priority[r.LHS] = max(priority[r.LHS], r.Priority)
	}
	for i := range g.Rules {
		g.Rules[i].Priority = priority[g.Rules[i].LHS]
	}
	kept := grammar.KeepConflicts
	all, err := Build(context.Background(), g, Options{Conflicts: &kept})
	if err != nil || len(all.Warnings()) > 0 {
		return larkCase{}, false
	}
	if resolved, err := larkTables(g); err == nil && resolved.loops != nil {
		return larkCase{}, false
	}
	c := larkCase{Grammar: larkGrammar(g, priority), Start: larkName(g, g.Start), Texts: []string{""}, source: g}
	for i := 0; i < len(c.Texts) && len(c.Texts) < 120; i++ {
		for _, def := range g.Terminals {
			c.Texts = append(c.Texts, c.Texts[i]+def.Name)
		}
	}
	return c, true
}

func larkName(g *grammar.Grammar, n grammar.Nonterminal) string {
	return "r" + strings.ToLower(g.Nonterminals[n].Name)
}

func larkGrammar(g *grammar.Grammar, priority []int) string {
	alternatives := make([][]string, len(g.Nonterminals))
	for _, r := range g.Rules {
		var words []string
		for _, s := range r.RHS {
			if s.IsTerminal() {
				words = append(words, `"`+g.Terminals[s.Terminal()].Name+`"`)
			} else {
				words = append(words, larkName(g, s.Nonterminal()))
			}
		}
		alternatives[r.LHS] = append(alternatives[r.LHS], strings.Join(words, " "))
	}
	text := ""
	for n, a := range alternatives {
		text += fmt.Sprintf("%s.%d: %s\n", larkName(g, grammar.Nonterminal(n)), priority[n], strings.Join(a, " | "))
	}
	return text
}

func askLark(t *testing.T, python string, cases []larkCase) []larkAnswer {
	t.Helper()
	var in, complaint bytes.Buffer
	for _, c := range cases {
		line := must.Get(json.Marshal(c))(t)
		in.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", larkScript)
	cmd.Stdin, cmd.Stderr = &in, &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	answers := make([]larkAnswer, len(cases))
	for i, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		must.OK(t, json.Unmarshal(line, &answers[i]))
	}
	return answers
}

// larkLookaheads are the sets that Lark computes. Of the relations of DeRemer and Pennello its
// includes has too much (compute_includes_lookback in lark/parsers/lalr_analysis.py, to 1.3.1 at
// least): to find the B -> beta A gamma for a transition on B from p it goes through all items of
// p, also those whose dot has moved, which began in a state before p and have nothing to do with
// that transition.
func larkLookaheads(a *automaton) (*lookaheads, error) {
	l, err := newLookaheads(a)
	if err != nil {
		return nil, err
	}
	nullableFrom := l.nullableTails()
	for p, kernel := range a.kernels {
		for _, item := range kernel {
			r := a.itemRule[item]
			dot := item - a.itemOf[r]
			if dot == 0 || a.to(int32(p), a.rules[r].lhs) < 0 {
				continue
			}
			x := l.transition(int32(p), a.rules[r].lhs)
			s, rhs := int32(p), a.rules[r].rhs
			for k := int(dot); k < len(rhs); k++ {
				if !l.isTerminal(rhs[k]) && nullableFrom[r] <= int32(k)+1 {
					y := l.transition(s, rhs[k])
					l.includes[y] = append(l.includes[y], include{x, r, int32(k)})
				}
				s = l.to(s, rhs[k])
			}
		}
	}
	if err := l.findFollow(); err != nil {
		return nil, err
	}
	return l, l.unite()
}

// larkTables are tables of Lark's lookaheads.
func larkTables(g *grammar.Grammar) (*Tables, error) {
	exact, err := analyse(context.Background(), g)
	if err != nil {
		return nil, err
	}
	l, err := larkLookaheads(exact.automaton)
	if err != nil {
		return nil, err
	}
	return newTables(l, g.Conflicts)
}

// compareLark compares our tables of Lark's lookaheads with Lark. same reports that they are our
// tables: of the same actions, or refused alike. Where they are not, a Lark whose sets are LALR's
// agrees with ours.
func compareLark(c larkCase, answer larkAnswer) (same bool, fault string) {
	ours, ourErr := Build(context.Background(), c.source, Options{})
	larks, larksErr := larkTables(c.source)
	same = (larksErr != nil) == (ourErr != nil) && (larksErr != nil || sameActions(larks, ours))
	fault = compareTables(larks, larksErr, c, answer)
	if fault != "" && !same && compareTables(ours, ourErr, c, answer) == "" {
		fault = ""
	}
	return same, fault
}

// compareTables compares tables, or the error in their place, with Lark.
func compareTables(tables *Tables, err error, c larkCase, answer larkAnswer) string {
	var conflict *ConflictError
	switch {
	case err != nil && !errors.As(err, &conflict):
		return err.Error()
	case (err != nil) != (answer.Error != ""):
		return fmt.Sprintf("our error: %v; Lark's: %s", err, answer.Error)
	case err != nil:
		return ""
	}
	return compareTexts(tables, c, answer)
}

// sameActions reports whether two tables of one automaton decide alike.
func sameActions(x, y *Tables) bool {
	for s := range int32(x.NumStates()) {
		for term := range x.End() + 1 {
			if x.Action(s, term) != y.Action(s, term) {
				return false
			}
		}
	}
	return true
}

// compareTexts compares the number of states, and what is accepted.
func compareTexts(tables *Tables, c larkCase, answer larkAnswer) string {
	if answer.States != tables.NumStates() {
		return fmt.Sprintf("%d states, Lark has %d", tables.NumStates(), answer.States)
	}
	for i, text := range c.Texts {
		var terms []grammar.Terminal
		for _, letter := range text {
			x, _ := c.source.Lookup(string(letter))
			terms = append(terms, x)
		}
		s, n := read(tables, terms)
		if got := n == len(terms) && tables.AcceptsEnd(s); got != answer.Accepted[i] {
			return fmt.Sprintf("%q: accepted %t, by Lark %t", text, got, answer.Accepted[i])
		}
	}
	return ""
}
