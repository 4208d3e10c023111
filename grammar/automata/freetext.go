package automata

import (
	"slices"
	"strings"
)

// ending accepts the texts that end with one of some strings.
func ending(strings []string, lim Limits) (*DFA, error) {
	parts := make([]*Expr, len(strings))
	for i, s := range strings {
		parts[i] = Literal(s, 0)
	}
	return Compile(Concat(FromDFA(AnyText()), Alternate(parts...)), lim)
}

// Until accepts the shortest texts that end with one of some strings, if none of the others comes
// before. Of strings that end at the same byte the longest counts.
func Until(ends, others []string, lim Limits) (*DFA, error) {
	d, err := ending(slices.Concat(ends, others), lim)
	if err != nil {
		return nil, err
	}
	d = d.Lazy()
	for _, other := range others {
		longer := slices.DeleteFunc(slices.Clone(ends), func(end string) bool { return len(end) <= len(other) || !strings.HasSuffix(end, other) })
		counts, err := ending([]string{other}, lim)
		if err == nil {
			counts, err = without(counts, longer, lim)
		}
		if err == nil {
			d, err = d.Difference(counts, lim)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// without is what d accepts and what ends with none of some strings.
func without(d *DFA, ends []string, lim Limits) (*DFA, error) {
	o, err := ending(ends, lim)
	if err != nil {
		return nil, err
	}
	return d.Difference(o, lim)
}

// Lacking accepts the texts of a character or more in which none of some strings occurs.
func Lacking(strings []string, lim Limits) (*DFA, error) {
	d, err := ending(strings, lim)
	if err != nil {
		return nil, err
	}
	return someText().Difference(d.thenAny(), lim)
}
