package lr

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"gcdbench/grammar"
)

// exponential is a grammar of about n*n rules with more than 2^n LR states: which a were read has
// to be remembered for each i.
func exponential(n int) *grammar.Grammar {
	var b strings.Builder
	b.WriteString("S -> A0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, " | A%d", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "\nA%d -> a%d B%d | b%d", i, i, i, i)
		for j := range n {
			if j != i {
				fmt.Fprintf(&b, " | a%d A%d", j, i)
			}
		}
		fmt.Fprintf(&b, "\nB%d -> b%d", i, i)
		for j := range n {
			if j != i {
				fmt.Fprintf(&b, " | a%d B%d", j, i)
			}
		}
	}
	return compact(b.String())
}

func TestExponentialGrammar(t *testing.T) {
	tables, err := Build(context.Background(), exponential(7), Options{})
	if err != nil || tables.NumStates() < 1<<7 {
		t.Fatalf("%v states, %v", tables, err)
	}
	if os.Getenv("GCDBENCH_FULL") == "" {
		t.Skip("the limit itself is reached with GCDBENCH_FULL=1 only")
	}
	_, err = Build(context.Background(), exponential(20), Options{})
	if err == nil || !strings.Contains(err.Error(), "more than 262144 states") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, exponential(20), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestMalformedGrammars(t *testing.T) {
	for name, g := range map[string]*grammar.Grammar{
		"nothing":           {},
		"start":             {Nonterminals: make([]grammar.NonterminalDef, 1), Start: 4},
		"left-hand side":    {Nonterminals: make([]grammar.NonterminalDef, 1), Rules: []grammar.Rule{{LHS: 1}}},
		"no such terminal":  {Nonterminals: make([]grammar.NonterminalDef, 1), Rules: []grammar.Rule{{RHS: []grammar.Symbol{0}}}},
		"no such rule":      {Nonterminals: make([]grammar.NonterminalDef, 1), Rules: []grammar.Rule{{RHS: []grammar.Symbol{grammar.N(1)}}}},
		"start has no rule": {Nonterminals: make([]grammar.NonterminalDef, 1)},
	} {
		if _, err := Build(context.Background(), g, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A grammar of 1,000 rules: every row of its tables is sound, and its programs can be read.
func TestLargeGrammar(t *testing.T) {
	g := language(1000)
	tables, err := Build(context.Background(), g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for s := range int32(tables.NumStates()) {
		checkRow(t, tables, s)
	}
	terms := program(g, 500)
	if _, n := read(tables, terms); n != len(terms) {
		t.Errorf("read %d of %d terminals", n, len(terms))
	}
}
