package automata

import (
	"fmt"
	"slices"
	"strings"
)

// A FreeText makes the automata of the free texts of one grammar, within limits. These are mostly
// about the same strings, so it keeps what it made.
type FreeText struct {
	Limits Limits
	ends   map[string]*DFA // by the strings: see ending
}

// ending accepts the texts that end with one of some strings.
func (f *FreeText) ending(strings []string) (*DFA, error) {
	strings = slices.Sorted(slices.Values(strings))
	key := fmt.Sprintf("%q", strings)
	if d := f.ends[key]; d != nil {
		return d, nil
	}
	parts := make([]*Expr, len(strings))
	for i, s := range strings {
		parts[i] = Literal(s, 0)
	}
	d, err := Compile(Concat(FromDFA(AnyText()), Alternate(parts...)), f.Limits)
	if err != nil {
		return nil, err
	}
	if f.ends == nil {
		f.ends = map[string]*DFA{}
	}
	f.ends[key] = d
	return d, nil
}

// Until accepts the shortest texts that end with one of some strings, if none of the others comes
// before. Of strings that end at the same byte the longest counts.
func (f *FreeText) Until(ends, others []string) (*DFA, error) {
	d, err := f.ending(slices.Concat(ends, others))
	if err != nil {
		return nil, err
	}
	d = d.Lazy()
	for _, other := range others {
		longer := slices.DeleteFunc(slices.Clone(ends), func(end string) bool { return len(end) <= len(other) || !strings.HasSuffix(end, other) })
		counts, err := f.ending([]string{other})
		if err == nil {
			counts, err = f.without(counts, longer)
		}
		if err == nil {
			d, err = d.Difference(counts, f.Limits)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// without is what d accepts and what ends with none of some strings.
func (f *FreeText) without(d *DFA, ends []string) (*DFA, error) {
	o, err := f.ending(ends)
	if err != nil {
		return nil, err
	}
	return d.Difference(o, f.Limits)
}

// Lacking accepts the texts of a character or more in which none of some strings occurs.
func (f *FreeText) Lacking(strings []string) (*DFA, error) {
	d, err := f.ending(strings)
	if err != nil {
		return nil, err
	}
	return someText().Difference(d.thenAny(), f.Limits)
}
