package lr_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func tablesOf(t *testing.T, text string) *lr.Tables {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{}))(t)
	tables := must.Get(lr.Build(t.Context(), g, lr.Options{}))(t)
	return tables
}

func pairOf(t *testing.T, tables *lr.Tables, a, b string) lr.TerminalPair {
	t.Helper()
	x, okX := tables.Grammar().Lookup(a)
	y, okY := tables.Grammar().Lookup(b)
	if !okX || !okY {
		t.Fatalf("no terminal %s or %s", a, b)
	}
	return lr.TerminalPair{A: x, B: y}
}

func TestTakeBoth(t *testing.T) {
	const terminals = "\nA: \"a\"\nB: \"b\"\nC: \"c\"\nX: \"x\"\nY: \"y\"\nZ: \"z\"\n"
	for _, c := range []struct{ rules, want string }{
		{"start: A X | B Y", ""},
		{"start: A X | A Y", "A"},
		{"start: X | Y", "at the start"},
		{"start: A e X | B e Y\ne: C | e Z", ""},    // the reductions before are the same
		{"start: A e X | A e Y\ne: C | e Z", "A C"}, // what lies under e is too
		{"start: A e X | A B e Y\ne: C | e Z | B", ""},
		{"start: A e X | B e Y\ne: C | Z e Z | Z f\nf: C C e", ""}, // any number of states below
		{"start: A n X | B n Y\nn: ", ""},
		{"start: A n X | A m Y\nn: \nm: C", ""},
		{"start: A n X | A m\nm: Y\nn: ", "A"},
		{"start: A start X | B e Y | Z\ne: start", ""},
		{"start: A start X | B e Y | Z\ne: A start | C", ""},
		{"start: A start X | B e Y | Z\ne: A e | C | start", "B A Z"},
		{"%conflicts keep\nstart: A e X | A f Y\ne: C\nf: C", "A C"},
	} {
		tables := tablesOf(t, c.rules+terminals)
		found, after, err := tables.TakeBoth([]lr.TerminalPair{pairOf(t, tables, "X", "Y")})
		must.OK(t, err)
		got := ""
		if found == 0 {
			names := []string{}
			for _, s := range after {
				names = append(names, tables.Grammar().SymbolName(s))
			}
			if got = strings.ReplaceAll(strings.Join(names, " "), `"`, ""); got == "" {
				got = "at the start"
			}
		}
		if !strings.EqualFold(got, c.want) {
			t.Errorf("%s: %q, want %q", c.rules, got, c.want)
		}
	}
}

// A terminal that is always taken is taken beside every one that some rule has.
func TestTakeBothOfIgnored(t *testing.T) {
	tables := tablesOf(t, "start: \"a\" X\nX: \"x\"\nY: \"y\"\n%ignore Y\n")
	p := pairOf(t, tables, "X", "Y")
	p.AlwaysB = true
	if found, after, err := tables.TakeBoth([]lr.TerminalPair{p}); found != 0 || err != nil || len(after) != 1 {
		t.Errorf("%v %v %v", found, after, err)
	}
	p = lr.TerminalPair{A: p.B, B: p.B, AlwaysA: true, AlwaysB: true}
	if found, _, _ := tables.TakeBoth([]lr.TerminalPair{p}); found != 0 {
		t.Error("two ignored terminals are both taken")
	}
}

// TestTakeBothAgainstStacks compares with all texts of a few terminals: if the parser takes both
// after one of them, TakeBoth has to say so; if it says so and no short text shows it, the longest
// text must have been too short, which is rare.
func TestTakeBothAgainstStacks(t *testing.T) {
	yes, no, unseen := 0, 0, 0
	for s := range seed.Each(t, 400) {
		rng := rand.New(rand.NewPCG(s, 9))
		g, err := lark.Parse([]byte(conformance.RandomCFG(rng, s%2 == 0)), lark.Options{})
		if err != nil {
			continue
		}
		tables, err := lr.Build(t.Context(), g, lr.Options{})
		if err != nil || len(g.Terminals) < 2 || !tables.Deterministic() {
			continue
		}
		var never []lr.TerminalPair
		for a := range grammar.Terminal(len(g.Terminals)) {
			for b := range a {
				// Those before it, which the parser never takes, share what was found out for them.
				found, _, err := tables.TakeBoth(append(never, lr.TerminalPair{A: a, B: b}))
				if err != nil || found >= 0 && found < len(never) {
					t.Fatalf("seed %d: %v, found pair %d of %d", s, err, found, len(never)+1)
				}
				both := found >= 0
				if !both {
					never = append(never, lr.TerminalPair{A: a, B: b})
				}
				switch text, shown := takesBoth(tables, tables.Start(), a, b, 6); {
				case shown && !both:
					t.Fatalf("seed %d: the parser takes %d and %d after %s, and TakeBoth says never\n%v", s, a, b, text, g.Rules)
				case shown:
					yes++
				case both:
					unseen++
				default:
					no++
				}
			}
		}
	}
	t.Logf("both: %d, never: %d, both and not shown by six terminals: %d", yes, no, unseen)
	if yes < 50 || no < 50 || unseen > (yes+no)/20 {
		t.Errorf("both %d, never %d, not shown %d", yes, no, unseen)
	}
}

// takesBoth tries all texts of so many terminals.
func takesBoth(tables *lr.Tables, s lr.Stacks, a, b grammar.Terminal, more int) (text string, ok bool) {
	if tables.Accepts(s, a) && tables.Accepts(s, b) {
		return "", true
	}
	for x := range grammar.Terminal(tables.NumTerminals()) {
		if more == 0 {
			break
		}
		if next, ok := tables.Shift(s, x); ok {
			if text, ok := takesBoth(tables, next, a, b, more-1); ok {
				return fmt.Sprint(x, " ", text), true
			}
		}
	}
	return "", false
}
