package lr

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"gcdbench/grammar"
)

// A parser state is a value: both continuations start from the same one.
func Example() {
	// s: "if" "x" s "else" s | "if" "x" s | "a"
	s := grammar.N(0)
	literal := func(text string) grammar.TerminalDef {
		return grammar.TerminalDef{Name: strings.ToUpper(text), Source: text, Literal: true}
	}
	g := &grammar.Grammar{
		Name:         "conditionals",
		Terminals:    []grammar.TerminalDef{literal("if"), literal("x"), literal("else"), literal("a")},
		Nonterminals: []grammar.NonterminalDef{{Name: "s"}},
		Rules: []grammar.Rule{
			{LHS: 0, RHS: []grammar.Symbol{0, 1, s, 2, s}},
			{LHS: 0, RHS: []grammar.Symbol{0, 1, s}},
			{LHS: 0, RHS: []grammar.Symbol{3}},
		},
	}
	tables, err := Build(context.Background(), g, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range tables.Conflicts() {
		fmt.Println(c.Outcome, "in", c.Example)
	}
	state := tables.Start()
	for _, term := range []grammar.Terminal{0, 1, 3} {
		state, _ = tables.Shift(state, term)
	}
	fmt.Println("a sentence:", tables.AcceptsEnd(state))
	for _, term := range tables.Acceptable(state, nil) {
		fmt.Println("next:", g.TerminalName(term))
	}
	_, ok := tables.Shift(state, 1)
	fmt.Println("x:", ok)
	// Output:
	// shift wins in "if" "x" "if" "x" "a" • "else"
	// a sentence: true
	// next: "else"
	// next: end of input
	// x: false
}

// Examples of conflicts are true: the text can be read, it comes to the state of the conflict, and
// the lookahead can follow.
func TestExamplesAreTrue(t *testing.T) {
	told := 0
	overGrammars(t, 1000, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.KeepConflicts)
		if tables == nil {
			return fault
		}
		for _, c := range tables.Conflicts() {
			if len(c.Items) < 2 || c.Example == "" {
				return fmt.Sprintf("state %d: %d items, example %q", c.State, len(c.Items), c.Example)
			}
			for _, it := range c.Items {
				if it.Example == "" {
					continue
				}
				told++
				if fault := checkExample(t, tables, &c, it.Example); fault != "" {
					return fault
				}
			}
		}
		return ""
	})
	if told == 0 {
		t.Error("no examples")
	}
}

func checkExample(t *testing.T, tables *Tables, c *Conflict, example string) string {
	before, after, _ := strings.Cut(example, dot)
	if want := tables.Grammar().TerminalName(c.Lookahead); strings.TrimSpace(after) != want {
		return fmt.Sprintf("%q: the lookahead is %s", example, want)
	}
	terms := words(t, tables.Grammar(), before)
	s, n := read(tables, terms)
	if n < len(terms) || !tables.Accepts(s, c.Lookahead) {
		return fmt.Sprintf("%q: only %d terminals can be read", example, n)
	}
	reduced := tables.closure(int32(c.Lookahead))
	defer reduced.release()
	reached := false
	for _, top := range s.Tops() {
		reduced.look(top)
		reached = reached || top.State == c.State
	}
	reduced.run()
	if !reached && reduced.slot[c.State] == 0 {
		return fmt.Sprintf("%q does not come to state %d", example, c.State)
	}
	return ""
}

// Tables and stacks may be used by many goroutines at once.
func TestConcurrentUse(t *testing.T) {
	tables := tablesOf(t, "E -> E + E | E E | id | ", grammar.KeepConflicts)
	text := words(t, tables.Grammar(), "id + id id + id + id id")
	shared, _ := read(tables, text[:3])
	want := snapshot(tables, shared)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				s := shared
				for _, x := range text {
					s, _ = tables.Shift(s, x)
				}
				if !tables.AcceptsEnd(s) || len(tables.Conflicts()) == 0 || snapshot(tables, shared) != want {
					t.Error("another goroutine interfered")
					return
				}
			}
		})
	}
	all.Wait()
}
