package engines

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/internal/must"
)

// TestSemanticsWithOptions: an option that changes the language makes another one of it; a limit
// does not.
func TestSemanticsWithOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		options algorithms.Options
		want    string
	}{
		{"xgrammar", nil, "xgrammar"},
		{"xgrammar", algorithms.Options{"strict_mode": "false", "any_whitespace": "true"}, "xgrammar any_whitespace=true strict_mode=false"},
		{"xgrammar", algorithms.Options{"any_whitespace": "false"}, "xgrammar any_whitespace=false"},
		{"llguidance", algorithms.Options{"step_max_items": "9"}, "llguidance"},
		{"glrmask", algorithms.Options{"mask_strategy": "TOKEN_TRIE"}, "glrmask"},
	} {
		a := must.Get(algorithms.Lookup(c.name))(t)
		full := must.Get(algorithms.Resolve(a, c.options))(t)
		if got := algorithms.SemanticsOf(a, full); got != c.want {
			t.Errorf("%s with %v: %q, want %q", c.name, c.options, got, c.want)
		}
	}
}

// TestCatalogueIsWhole: an entry names only options that it has, and each says what it means when
// it is not given.
func TestCatalogueIsWhole(t *testing.T) {
	for i := range Catalogue {
		e := &Catalogue[i]
		for _, name := range e.Language {
			if !slices.ContainsFunc(e.Options, func(o algorithms.OptionInfo) bool { return o.Name == name }) {
				t.Errorf("%s has no option %s", e.Name, name)
			}
		}
		for _, o := range e.Options {
			if !strings.Contains(o.Help, "unless given") {
				t.Errorf("%s: %s does not say what it is unless given: %q", e.Name, o.Name, o.Help)
			}
		}
	}
}
