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

// TestLengths asks the automata of patterns for strings of the lengths that a look at their trees
// shows.
func TestLengths(t *testing.T) {
	for _, text := range []string{
		"^a$", "abc", "^$|(^(?:\\S+\\s+){0,9}\\S+$)", "^[a-f]{8}-[a-f]{4}$", "^(ab|cde){2,3}$", "^(a{7}|b{11})*$",
		"^[a-z]{70}$", "^[a-z]{3,}x?$", "^x{0}$", "^(?:a?b?){5}$", "^(?:a?b?){80}$", "^(a{40}){2,3}$", "^(ab){31}(c{2})?$", "a$b", "^(a|b^)c$", "^é{2}\\d$",
	} {
		lengths := must.Get(Parse(text))(t).Lengths()
		d := must.Get(Compile(text))(t)
		if some := !d.IsEmpty(); some != (lengths != 0) {
			t.Errorf("%s: it matches some string: %v, lengths %b", text, some, lengths)
		}
		for n := range manyLengths + 1 {
			most := n
			if n == manyLengths { // or more
				most = -1
			}
			if lengths&(1<<n) != 0 && must.Get(d.WithLength(n, most))(t).IsEmpty() {
				t.Errorf("%s: no string has %d characters", text, n)
			}
		}
	}
}
