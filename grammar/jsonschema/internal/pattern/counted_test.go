package pattern

import (
	"testing"

	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/must"
)

// TestCounted is a table of patterns, with whether they are of the form that is counted: then they
// are the pattern without the count, with the lengths.
func TestCounted(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^[a-z]{1,64}$`:                true,
		`^@[\p{L}\p{N}_]{1,16}$`:       true,
		`^.{0,30}$`:                    true,
		`^[A-Z]{2}[0-9]{0,9}(ab){2}x$`: true,
		`^\u00e9{3,12}ü$`:              true,
		`^[a-z]{1,4}$`:                 false, // few rounds
		`^[a-z]{9}$`:                   false, // one length
		`^[a-z]{1,}$`:                  false,
		`^[a-z]{1,64}`:                 false,
		`[a-z]{1,64}$`:                 false,
		`^a{1,20}b{1,20}$`:             false,
		`^a{1,20}b?$`:                  false,
		`^(ab){1,20}$`:                 false,
		`^a{1,20}|b$`:                  false,
		`^a{1,20}\b$`:                  false,
	} {
		base, least, most, ok := Counted(pattern)
		if ok != want {
			t.Errorf("%s is counted: %v", pattern, ok)
		}
		if !ok {
			continue
		}
		d := must.Get(must.Get(dfa.Text(base))(t).WithLength(least, most))(t)
		if !d.Equal(must.Get(Compile(pattern))(t)) {
			t.Errorf("%s is another language than %s with %d to %d characters", pattern, base, least, most)
		}
	}
}
