package psc

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/lexical/jsontokens"
)

// own are the mechanisms of this package that can be left out, beside those of package jsontokens.
type own uint32

const (
	starts own = 1 << iota // starts built ahead
	tables                 // tables that grow by a page, instead of maps
	rows                   // rows in pages, instead of arrays
)

var ownNames = []string{"starts", "tables", "rows"}

// parseWithout reads names with a plus between them; "none" is the empty set.
func parseWithout(text string) (theirs jsontokens.Mechanisms, ours own, err error) {
	var rest []string
	for name := range strings.SplitSeq(text, "+") {
		if at := slices.Index(ownNames, name); at >= 0 {
			ours |= 1 << at
		} else {
			rest = append(rest, name)
		}
	}
	if rest != nil {
		if theirs, err = jsontokens.ParseMechanisms(strings.Join(rest, "+")); err != nil {
			err = fmt.Errorf("%w, %s", err, strings.Join(ownNames, ", "))
		}
	}
	return theirs, ours, err
}
