package lr

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/seed"
)

// A property is checked on a grammar; it returns what is wrong, "" if nothing.
type property func(g *grammar.Grammar) string

// overGrammars checks a property on random small grammars: nullable and useless rules, cycles,
// hidden recursion and ambiguity are all common among them. GCDBENCH_FULL=1 makes the run
// ten times as long.
func overGrammars(t *testing.T, count int, check property) {
	t.Helper()
	count = seed.Rounds(count/4, count/2, count*10)
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range count {
		g := randomGrammar(rng)
		if fault := check(g); fault != "" {
			g, fault = shrink(g, fault, check)
			t.Fatalf("seed %d: %s\n  %s", seed, notation(g), fault)
		}
	}
}

func randomGrammar(rng *rand.Rand) *grammar.Grammar {
	nonterminals, terminals := 1+rng.IntN(4), 1+rng.IntN(3)
	longest := 2 + rng.IntN(3)
	var rules []string
	for n := range nonterminals {
		var alternatives []string
		for range 1 + rng.IntN(4) {
			var words []string
			for range rng.IntN(longest + 1) {
				if rng.IntN(2) == 0 {
					words = append(words, string(rune('A'+rng.IntN(nonterminals))))
				} else {
					words = append(words, string(rune('a'+rng.IntN(terminals))))
				}
			}
			if rng.IntN(6) == 0 {
				words = append(words, fmt.Sprintf("{%d}", rng.IntN(3)))
			}
			alternatives = append(alternatives, strings.Join(words, " "))
		}
		rules = append(rules, string(rune('A'+n))+" -> "+strings.Join(alternatives, " | "))
	}
	return compact(strings.Join(rules, ";"))
}

// shrink leaves out rules and symbols as long as the property still fails.
func shrink(g *grammar.Grammar, fault string, check property) (*grammar.Grammar, string) {
	for again := true; again; {
		again = false
		for _, smaller := range smallerThan(g) {
			if f := check(smaller); f != "" {
				g, fault, again = smaller, f, true
				break
			}
		}
	}
	return g, fault
}

func smallerThan(g *grammar.Grammar) []*grammar.Grammar {
	var all []*grammar.Grammar
	for i, r := range g.Rules {
		less := *g
		less.Rules = slices.Delete(slices.Clone(g.Rules), i, i+1)
		all = append(all, &less)
		for k := range r.RHS {
			less := *g
			less.Rules = slices.Clone(g.Rules)
			less.Rules[i].RHS = slices.Delete(slices.Clone(r.RHS), k, k+1)
			all = append(all, &less)
		}
	}
	return all
}

// build makes tables for a property; nil if the grammar has none by rights.
func build(g *grammar.Grammar, mode grammar.ConflictMode) (*Tables, string) {
	return buildWith(g, Options{Conflicts: &mode})
}

func buildWith(g *grammar.Grammar, opt Options) (*Tables, string) {
	tables, err := Build(context.Background(), g, opt)
	var conflict *ConflictError
	var empty *grammar.Error
	switch {
	case err == nil:
		return tables, ""
	case errors.As(err, &conflict) && *opt.Conflicts == grammar.ResolveConflicts:
		return nil, ""
	case errors.As(err, &empty) && !slices.Contains(newEarley(g).finishes, true):
		return nil, ""
	case errors.As(err, &empty):
		e := newEarley(g)
		if len(e.sets[0]) == 0 {
			return nil, ""
		}
	}
	return nil, err.Error()
}

// Wherever no conflict was resolved away, the parser accepts exactly the language, and after each
// prefix exactly the terminals that some sentence has there.
func TestAgainstEarley(t *testing.T) {
	overGrammars(t, 1500, func(g *grammar.Grammar) string {
		for _, mode := range []grammar.ConflictMode{grammar.ResolveConflicts, grammar.KeepConflicts} {
			for _, onDemand := range []bool{false, true} {
				tables, fault := buildWith(g, Options{Conflicts: &mode, OnDemand: onDemand})
				if tables == nil && fault == "" {
					continue
				}
				if fault == "" {
					exact := mode == grammar.KeepConflicts || len(tables.clashes) == 0
					x := &explorer{tables: tables, oracle: newEarley(g), exact: exact}
					x.explore(tables.Start(), nil, 5)
					fault = x.fault
				}
				if fault != "" {
					return fmt.Sprintf("%s, on demand %t: %s", mode, onDemand, fault)
				}
			}
		}
		return ""
	})
}

// An explorer walks the tree of all prefixes, parser and oracle side by side.
type explorer struct {
	tables *Tables
	oracle *earley
	exact  bool // the parser is to accept what the oracle does; else no more than that
	budget int
	fault  string
}

// maxExplored bounds the prefixes of one grammar.
const maxExplored = 120

func (x *explorer) explore(s Stacks, prefix []string, depth int) {
	if x.budget++; x.budget > maxExplored || x.fault != "" {
		return
	}
	t := x.tables
	x.compare(t.AcceptsEnd(s), x.oracle.sentence(), "end of input", prefix)
	x.consistent(s, prefix)
	for term := range t.End() {
		name := t.Grammar().TerminalName(term)
		next, ok := t.Shift(s, term)
		if ok != t.Accepts(s, term) {
			x.fail("Shift is %t, Accepts is not, on %s after %v", ok, name, prefix)
		}
		read := x.oracle.push(term)
		x.compare(ok, read, name, prefix)
		if read && ok && depth > 0 {
			x.explore(next, append(prefix, name), depth-1)
		}
		if read {
			x.oracle.pop()
		}
	}
	x.exploreSet(s, prefix, depth)
}

// exploreSet reads the first two terminals at once.
func (x *explorer) exploreSet(s Stacks, prefix []string, depth int) {
	if x.tables.NumTerminals() < 2 || depth < 2 {
		return
	}
	next, ok := x.tables.Shift(s, 0, 1)
	read := x.oracle.push(0, 1)
	x.compare(ok, read, "either", prefix)
	if read {
		if ok {
			x.explore(next, append(prefix, "either"), depth-2)
		}
		x.oracle.pop()
	}
}

func (x *explorer) compare(got, want bool, what string, prefix []string) {
	if got && !want || x.exact && want && !got {
		x.fail("%s after %v: accepted %t, should be %t", what, prefix, got, want)
	}
}

// consistent compares the ways to ask what is acceptable.
func (x *explorer) consistent(s Stacks, prefix []string) {
	t := x.tables
	var all []grammar.Terminal
	for term := range t.End() + 1 {
		if t.Accepts(s, term) {
			all = append(all, term)
		}
		if t.AcceptsAny(s, t.NewSet(term)) != t.Accepts(s, term) {
			x.fail("AcceptsAny of terminal %d alone differs after %v", term, prefix)
		}
	}
	if got := t.Acceptable(s, nil); !slices.Equal(got, all) {
		x.fail("Acceptable is %v, want %v after %v", got, all, prefix)
	}
	if t.AcceptsAny(s, t.NewSet(t.End(), 0)) != (slices.Contains(all, 0) || slices.Contains(all, t.End())) {
		x.fail("AcceptsAny of two differs after %v", prefix)
	}
}

func (x *explorer) fail(format string, args ...any) {
	if x.fault == "" {
		x.fault = fmt.Sprintf(format, args...)
	}
}
