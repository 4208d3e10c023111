package greatgramma

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/naive"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// optionSets are all options, each away from its default alone and all together: all must give the
// same masks.
func optionSets() map[string]algorithms.Options {
	sets := map[string]algorithms.Options{"default": nil, "all off": {}}
	for _, o := range (algorithm{}).Options() {
		for _, v := range o.Values {
			if v != o.Default && o.Name != algorithms.FormOption {
				sets[o.Name+" "+v] = algorithms.Options{o.Name: v}
				sets["all off"][o.Name] = v
			}
		}
	}
	return sets
}

// tuned is the algorithm with other sizes from which on things pay, so that what only large
// grammars need is exercised on small ones.
type tuned struct {
	algorithm
	name string
	set  settings
	tune func(*engine)
}

func (a tuned) Name() string { return a.name }

func (a tuned) Compile(ctx context.Context, p *algorithms.Problem, _ algorithms.Options) (algorithms.Engine, error) {
	p, err := p.Whole(ctx)
	if err != nil {
		return nil, err
	}
	e := newEngine(p, a.set)
	if a.tune != nil {
		a.tune(e)
	}
	if !e.lazy {
		err = e.buildAll(ctx)
	}
	return algorithms.ComparingItems(p, e), err
}

var tunings = []tuned{
	{name: "everything pays", set: settings{memo: true, slices: true, prune: true, always: true, share: true, lines: true, maxBytes: MaxBytes, maxHeld: MaxHeld}},
	{name: "everything pays, lazy", set: settings{lazy: true, memo: true, slices: true, prune: true, always: true, share: true, lines: true, maxBytes: MaxBytes, maxHeld: MaxHeld}},
	{name: "no room for masks", set: settings{memo: true, slices: true, prune: true, always: true, share: true, lines: true, minMask: 2}},
	{name: "room for two masks", set: settings{memo: true, slices: true, always: true, share: true, lines: true, maxBytes: 16}},
	{name: "room for one root, lazy", set: settings{lazy: true, memo: true, slices: true, prune: true, always: true, share: true, lines: true, maxBytes: MaxBytes, maxHeld: 1}},
	{name: "room for three configurations", set: settings{memo: true, slices: true, prune: true, always: true, share: true, lines: true, maxBytes: MaxBytes, maxHeld: MaxHeld},
		tune: func(e *engine) { e.symbolic.limit = 3 }},
	{name: "room for no more sets", set: settings{memo: true, slices: true, prune: true, always: true, share: true, lines: true, maxBytes: MaxBytes, maxHeld: MaxHeld},
		tune: func(e *engine) { e.symbolic.free.limit = 0 }},
}

func entries() []conformance.Entry {
	var list []conformance.Entry
	sets := optionSets()
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		list = append(list, conformance.Entry{Algorithm: algorithm{}, Options: sets[name]})
	}
	for _, a := range tunings {
		list = append(list, conformance.Entry{Algorithm: a})
	}
	return list
}

// problemOf compiles a grammar with a vocabulary of the given tokens and EOS.
func problemOf(t testing.TB, grammar string, onDemand bool, tokens ...string) *algorithms.Problem {
	t.Helper()
	return realtext.Small(t, grammar, onDemand, tokens)
}

const nested = `
A: "a"
OPEN: "("
CLOSE: ")"
COMMA: ","
start: x
x: A | OPEN x (COMMA x)* CLOSE
%ignore " "
`

var nestedTokens = []string{"a", "(", ")", ",", " ", "((", "))", ")))", "(a", "a)", "a,", "),", "a,a", ")),((", " a"}

// generate commits random legal tokens to two states as long as their masks are alike.
func generate(a, b algorithms.State, rng *rand.Rand) string {
	for n := range 40 {
		got, want := a.Mask(), b.Mask()
		if !got.Equal(want) {
			return fmt.Sprintf("after %d tokens: %v, want %v", n, got.IDs(nil), want.IDs(nil))
		}
		ids := want.IDs(nil)
		if len(ids) == 0 {
			return ""
		}
		id := ids[rng.IntN(len(ids))]
		if a.Commit(id) != nil || b.Commit(id) != nil {
			return fmt.Sprintf("after %d tokens: %d is refused", n, id)
		}
	}
	return ""
}

// TestStats looks at an engine's figures: where every sequence is decided by the LR state on top,
// all tokens are context-independent, and where brackets must balance they are not.
func TestStats(t *testing.T) {
	figures := func(grammar string, tokens ...string) map[string]float64 {
		p := problemOf(t, grammar, false, tokens...)
		e := must.Get(algorithm{}.Compile(t.Context(), p, nil))(t)
		for seed := range uint64(8) {
			generate(e.Start(), e.Start(), rand.New(rand.NewPCG(seed, 1)))
		}
		stats := e.Stats()
		if stats.Bytes <= 0 {
			t.Error("no bytes")
		}
		byName := map[string]float64{}
		for _, c := range stats.Counters {
			byName[c.Name] = c.Value
		}
		return byName
	}
	flat := figures("A: \"a\"\nB: \"b\"\nstart: A B A B A B\n", "a", "b", "ab", "ba", "aba")
	if got := flat["context-independent, mean over pairs"]; got != 100 {
		t.Errorf("without recursion %v%% of the tokens are context-independent: %v", got, flat)
	}
	deep := figures(nested, nestedTokens...)
	if got := deep["context-independent, mean over pairs"]; got <= 0 || got >= 100 {
		t.Errorf("with brackets %v%% of the tokens are context-independent: %v", got, deep)
	}
	for _, name := range []string{"rows", "token groups", "always-accepted masks", "realizable terminal sequences", "masks", "sequences checked per mask"} {
		if deep[name] <= 0 {
			t.Errorf("%s: %v", name, deep[name])
		}
	}
}

// TestContract holds all options and tunings to the contract.
func TestContract(t *testing.T) { realtext.Contract(t, seed.Rounds(2, 60, 2000), entries()) }
