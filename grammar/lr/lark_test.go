package lr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gcdbench/grammar"
)

// larkScript reads one JSON object a line, {"grammar", "start", "texts"}, and answers with what Lark's LALR
// mode makes of it: {"error"}, or {"states", "accepted"}.
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
func TestAgainstLark(t *testing.T) {
	python := os.Getenv("GCDBENCH_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import lark").Run(); err != nil {
		t.Skipf("%s has no module lark: %v", python, err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	var cases []larkCase
	for len(cases) < 400 {
		if c, ok := newLarkCase(rng); ok {
			cases = append(cases, c)
		}
	}
	refused := 0
	for i, answer := range askLark(t, python, cases) {
		if answer.Error != "" {
			refused++
		}
		if fault := compareLark(cases[i], answer); fault != "" {
			t.Fatalf("seed %d: %s\n  %s", seed, notation(cases[i].source), fault)
		}
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
	if resolved, err := Build(context.Background(), g, Options{}); err == nil && resolved.loops != nil {
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
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-c", larkScript)
	cmd.Stdin, cmd.Stderr = &in, &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	answers := make([]larkAnswer, len(cases))
	for i, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		if err := json.Unmarshal(line, &answers[i]); err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

func compareLark(c larkCase, answer larkAnswer) string {
	tables, err := Build(context.Background(), c.source, Options{})
	var conflict *ConflictError
	switch {
	case err != nil && !errors.As(err, &conflict):
		return err.Error()
	case (err != nil) != (answer.Error != ""):
		return fmt.Sprintf("our error: %v; Lark's: %s", err, answer.Error)
	case err != nil:
		return ""
	}
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
