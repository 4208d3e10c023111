package lr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/seed"
)

// A union accepts what either side does, now and later, and holds the stacks of both.
func TestMerge(t *testing.T) {
	merged := 0
	seed := seed.New(t)
	overGrammars(t, 800, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.KeepConflicts)
		if tables == nil {
			return fault
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		a, b := wander(tables, rng, tables.Start()), wander(tables, rng, tables.Start())
		both := tables.Merge(a, b)
		for range 4 {
			merged++
			before := snapshot(tables, a) + snapshot(tables, b)
			tables.Merge(a, b)
			if snapshot(tables, a)+snapshot(tables, b) != before {
				return "a merged state was changed"
			}
			if fault := mergeFault(tables, a, b, both); fault != "" {
				return fault
			}
			x := grammar.Terminal(rng.IntN(int(tables.End()) + 1))
			a, _ = tables.Shift(a, x)
			b, _ = tables.Shift(b, x)
			both, _ = tables.Shift(both, x)
			if both.NumTops() == 0 {
				break
			}
		}
		return ""
	})
	if merged < 300 {
		t.Errorf("only %d unions", merged)
	}
}

// wander shifts up to four random terminals.
func wander(t *Tables, rng *rand.Rand, s Stacks) Stacks {
	for range rng.IntN(5) {
		if all := t.Acceptable(s, nil); len(all) > 0 {
			if next, ok := t.Shift(s, all[rng.IntN(len(all))]); ok {
				s = next
			}
		}
	}
	return s
}

func mergeFault(t *Tables, a, b, both Stacks) string {
	for x := range t.End() + 1 {
		if want := t.Accepts(a, x) || t.Accepts(b, x); t.Accepts(both, x) != want {
			return fmt.Sprintf("terminal %d: accepted by the union %t, should be %t\na %s\nb %s", x, !want, want, graph(a), graph(b))
		}
	}
	// A plain list of stacks is complete only while it is short.
	union, got := stackTexts(a), stackTexts(both)
	for _, stack := range stackTexts(b) {
		if !slices.Contains(union, stack) {
			union = append(union, stack)
		}
	}
	slices.Sort(union)
	if len(union) < maxDescribed && !slices.Equal(union, got) {
		return fmt.Sprintf("stacks %v, should be %v", got, union)
	}
	return ""
}

func stackTexts(s Stacks) []string {
	var texts []string
	for _, stack := range s.Describe() {
		texts = append(texts, fmt.Sprint(stack))
	}
	slices.Sort(texts)
	return texts
}

func TestMergeWithNothing(t *testing.T) {
	tables := tablesOf(t, "S -> a S | b", grammar.ResolveConflicts)
	s, _ := read(tables, words(t, tables.Grammar(), "a a"))
	for name, got := range map[string]Stacks{
		"nothing first":  tables.Merge(Stacks{}, s),
		"nothing second": tables.Merge(s, Stacks{}),
		"itself":         tables.Merge(s, s),
	} {
		if !got.Equal(s) || got.Key() != s.Key() {
			t.Errorf("union with %s: %v", name, got.Describe())
		}
	}
	start := tables.Merge(tables.Start(), tables.Start())
	if !start.Equal(tables.Start()) {
		t.Errorf("union of start states: %v", start.Describe())
	}
}
