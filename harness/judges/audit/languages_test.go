package audit_test

import (
	"errors"
	"runtime"
	"testing"

	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
	"gcdbench/harness/judges/audit"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// embeddedCases are the embedded grammars: how many mutants are judged in the long
// form (half as many usually), and how many of the valid
// or invalid ones may be judged otherwise. Where a grammar is said to be its language, none may.
var embeddedCases = []struct {
	name            string
	mutants         int
	narrower, wider float64 // percent
}{
	{name: "go", mutants: 600},
	{name: "json", mutants: 2000},
	{name: "python", mutants: 600},
	{name: "java", mutants: 400, narrower: 2, wider: 3}, // a constructor is not compared with the name of its class
	{name: "sql", mutants: 400, narrower: 4, wider: 1},
}

// TestEmbedded compares each embedded grammar with its language's own parser, on the samples and on
// mutants of them.
func TestEmbedded(t *testing.T) {
	seed.Usual(t)
	for _, c := range seed.Some(t, embeddedCases, 4, 1, 1) {
		t.Run(c.name, func(t *testing.T) {
			opt := optionsOf(t, c.name)
			opt.Mutants, opt.Seed = c.mutants/seed.Rounds(2, 2, 1), seed.New(t)
			found, err := audit.Run(t.Context(), opt)
			var missing *judges.MissingError
			if errors.As(err, &missing) {
				t.Skip(err)
			}
			must.OK(t, err)
			checkFound(t, found, c.narrower, c.wider)
		})
	}
}

// optionsOf are the options of an audit of an embedded grammar on its samples.
func optionsOf(t *testing.T, name string) audit.Options {
	t.Helper()
	g := must.Get(languages.Load(t.Context(), name))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	language, ok := audit.LanguageOf(name)
	if !ok {
		t.Fatalf("%s has no judge", name)
	}
	source := must.Get(datasets.Lookup(name + "-samples"))(t)
	corpus := must.Get(language.Corpus(t.Context(), "samples", source))(t)
	return audit.Options{Grammar: r, Covers: languages.Covers(name), Language: language, Corpora: []audit.Corpus{corpus}, Kinds: language.Kinds(), Examples: 2, Jobs: min(4, runtime.NumCPU()),
		Judge: func() (judges.Judge, error) { return judges.OfLanguage(name, judges.Options{Compile: true}) }}
}

// checkFound holds the counts of mutants to what is allowed.
func checkFound(t *testing.T, found *audit.Result, narrower, wider float64) {
	t.Helper()
	var sum audit.Row
	for _, r := range found.Rows {
		if r.Mutants {
			sum.ValidAccepted += r.ValidAccepted
			sum.ValidRefused += r.ValidRefused
			sum.InvalidAccepted += r.InvalidAccepted
			sum.InvalidRefused += r.InvalidRefused
		}
	}
	t.Logf("%s %s: of %d valid mutants %d refused, of %d invalid ones %d accepted", found.Judge, found.Version, sum.Valid(), sum.ValidRefused, sum.Invalid(), sum.InvalidAccepted)
	if sum.Valid() < 20 || sum.Invalid() < 20 {
		t.Errorf("%+v: too few of a kind", sum)
	}
	beyond := func(n, of int, percent float64) bool { return float64(n)*100 > percent*float64(of) }
	if beyond(sum.ValidRefused, sum.Valid(), narrower) || !found.Older && beyond(sum.InvalidAccepted, sum.Invalid(), wider) {
		for _, e := range found.Examples {
			t.Errorf("%+v", e)
		}
	}
}
