package lr

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"gcdbench/grammar"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
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
	if !seed.Full() {
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
		for _, onDemand := range []bool{false, true} {
			if _, err := Build(context.Background(), g, Options{Conflicts: new(grammar.KeepConflicts), OnDemand: onDemand}); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
}

// A grammar of 1,000 rules: every row of its tables is sound, and its programs can be read.
func TestLargeGrammar(t *testing.T) {
	g := language(1000)
	tables := must.Get(Build(context.Background(), g, Options{}))(t)
	for s := range int32(tables.NumStates()) {
		checkRow(t, tables, s)
	}
	terms := program(g, 500)
	if _, n := read(tables, terms); n != len(terms) {
		t.Errorf("read %d of %d terminals", n, len(terms))
	}
}

// chained is a grammar of n rules that each are made of the next one, by a form such as "r%d -> r%d
// a", in which # is the number of the rule.
func chained(form string, n int) *grammar.Grammar {
	return compact(chain(form, n) + fmt.Sprintf("r%d -> z", n))
}

// chain is the rules of chained, all but the last.
func chain(form string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(form, "#", fmt.Sprint(i))+"; ", i, i+1)
	}
	return b.String()
}

// allocated is the bytes that f allocates in all.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestChainedRules: what it takes to build the tables of a chain of rules is linear in its length.
func TestChainedRules(t *testing.T) {
	for _, form := range []string{"r%d -> r%d", "r%d -> r%d a", "r%d -> a r%d", "r%d -> ( r%d )", "r%d -> a r%[2]d | b r%[2]d", "r%d -> r%d E#; E# -> | b"} {
		build := func(n int) int64 {
			g := chained(form, n)
			return allocated(func() {
				if _, err := Build(t.Context(), g, Options{}); err != nil {
					t.Fatalf("%d rules %s: %v", n, form, err)
				}
			})
		}
		small, large := build(3000), build(24000)
		if large > 12*small || large > 500<<20 {
			t.Errorf("%s: 3,000 rules take %d MiB, 24,000 take %d", form, small>>20, large>>20)
		}
	}
}

// TestRefusedEarly has grammars whose tables cannot be small: they are refused by a limit that is
// named, with less than 500 MiB allocated at any time.
func TestRefusedEarly(t *testing.T) {
	seed.Usual(t) // it fills memory
	var begins strings.Builder
	begins.WriteString("S -> R0")
	for i := range 3000 {
		fmt.Fprintf(&begins, " | R%d", i)
	}
	for i := range 3000 {
		fmt.Fprintf(&begins, "; R%d -> x%d S y | z", i, i)
	}
	for name, c := range map[string]struct {
		grammar *grammar.Grammar
		want    string
	}{
		"a terminal for each of many rules":    {chained("r%d -> x# r%d", 30000), "words of 64 bits for its sets of lookahead terminals"},
		"anything can begin in many places":    {compact(begins.String()), "items, transitions and table entries"},
		"levels of operators":                  {chained("r%d -> r%d p#; p# -> | p# + r%[2]d", 30000), "items, transitions and table entries"},
		"repeats of repeats":                   {chained("r%[1]d -> | h%[1]d; h%[1]d -> r%[2]d | h%[1]d r%[2]d", 30000), "items, transitions and table entries"},
		"a long rule with many empty ones":     {compact("S ->" + strings.Repeat(" X", 2000) + "; X ->" + strings.Repeat(" Y", 16000) + "; Y -> | a"), "items, transitions and table entries"},
		"a long rule that occurs in many ways": {compact("S ->" + strings.Repeat(" X", 20000) + "; X ->" + strings.Repeat(" a", 20000)), "steps to build"},
	} {
		keep := grammar.KeepConflicts
		_, err := Build(t.Context(), c.grammar, Options{Conflicts: &keep})
		var limit *LimitError
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), c.want) || limit.Hint == "" {
			t.Errorf("%s: got %v, want the limit on %s", name, err, c.want)
		}
		t.Logf("%s: %v", name, err)
	}
}

// TestRepeatsOfRepeats: chained rules that are all nullable have n*n transitions, and what their
// lookaheads take is no more than that.
func TestRepeatsOfRepeats(t *testing.T) {
	keep := grammar.KeepConflicts
	steps := func(n int) (perTransition int) {
		l := must.Get(analyse(t.Context(), chained("r%[1]d -> | h%[1]d; h%[1]d -> r%[2]d | h%[1]d r%[2]d", n)))(t)
		must.Get(newTables(l, keep))(t)
		return l.steps / len(l.from)
	}
	if small, large := steps(60), steps(240); large > 2*small {
		t.Errorf("%d steps for each transition with 60 rules, %d with 240", small, large)
	}
}

// TestBuildIsCancelledAnywhere: whenever the context ends, the build does, and it looks at it often
// enough that it takes less than a tenth of a second to notice.
func TestBuildIsCancelledAnywhere(t *testing.T) {
	g := chained("r%d -> ( r%d ) | x# a", 2000)
	counter := &must.Patience{Context: t.Context(), Left: 1 << 30}
	begin := time.Now()
	must.Get(Build(counter, g, Options{}))(t)
	looks := counter.Asked
	if each := time.Since(begin) / time.Duration(looks); each > 50*time.Millisecond {
		t.Errorf("a look at the context every %v on average", each)
	}
	for i := range looks {
		if i > 20 && i%(1+looks/40) != 0 {
			continue
		}
		if _, err := Build(&must.Patience{Context: t.Context(), Left: i}, g, Options{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended at look %d of %d: got %v", i, looks, err)
		}
	}
}

// TestDeepLoops: chains of reductions as long as the grammar are followed without recursion, where
// resolved conflicts can loop.
func TestDeepLoops(t *testing.T) {
	g := compact("S -> r0 | r0 x; c -> c {2} | X; " + chain("r%d -> r%d", 20000) + "r20000 -> y | c")
	resolve := grammar.ResolveConflicts
	debug.SetMaxStack(1 << 20) // a recursion of 20,000 levels would need more
	defer debug.SetMaxStack(1000 << 20)
	tables := must.Get(Build(t.Context(), g, Options{Conflicts: &resolve}))(t)
	if len(tables.Warnings()) == 0 {
		t.Error("nothing is said about the endless reduction of c to itself")
	}
}
