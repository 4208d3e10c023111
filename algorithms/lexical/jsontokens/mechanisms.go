package jsontokens

import (
	"fmt"
	"slices"
	"strings"
)

// Mechanisms is a set of the parts of this package that make an effect come sooner and can be left
// out. The effect is the same without them; what each of them buys is in
// results/ablations-json.md.
type Mechanisms uint32

// The mechanisms that can be left out, each alone. The rest of the package stands on slices of the
// vocabulary, the walk of them (crawl), and string profiles, which cannot.
const (
	Depths       Mechanisms = 1 << iota // plain characters that may follow a state (depth.go)
	Shapes                              // plain tokens by their characters (shapes.go, stays.go)
	Deltas                              // differences to a free string (delta.go)
	Literals                            // declared keys one by one (literal.go, merge.go)
	Lists                               // tokens after a quote, kept by their quotes (lists.go)
	NumbersApart                        // numbers followed without the other terminals (numbers.go)
	Digits                              // subtrees that stay in a lexeme, taken whole (spanner)
)

// MechanismNames are the names that ParseMechanisms knows, in the order of the mechanisms.
var MechanismNames = []string{
	"depths", "shapes", "deltas", "literals", "lists", "numbers", "digits",
}

// ParseMechanisms reads names with a plus between them; "none" is the empty set.
func ParseMechanisms(text string) (set Mechanisms, err error) {
	for name := range strings.SplitSeq(text, "+") {
		at := slices.Index(MechanismNames, name)
		switch {
		case at >= 0:
			set |= 1 << at
		case name != "none":
			return 0, fmt.Errorf("there is no mechanism %q; there are: %s", name, strings.Join(MechanismNames, ", "))
		}
	}
	return set, nil
}
