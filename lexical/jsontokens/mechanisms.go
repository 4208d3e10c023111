package jsontokens

import (
	"fmt"
	"slices"
	"strings"
)

// Mechanisms is a set of the parts of this package that make an answer come sooner and can be left
// out: the answer is the same without them.
type Mechanisms uint32

// The mechanisms that can be left out, each alone. What is not here is what the rest is made of:
// the slices of the vocabulary, the walk of them (crawl), and the string profiles (profile).
const (
	Depths       Mechanisms = 1 << iota // how many plain characters may follow a state
	Alphabets                           // the same for some kinds of characters
	Loops                               // characters that lead back to their state
	Differs                             // answers as differences to those of free strings
	Detours                             // the same for one string of the automaton that is free
	Sinks                               // the states of an automaton that are free for good
	Frees                               // free states of strings of bounded length
	Dispatches                          // the states at a node by the next byte
	Strands                             // declared keys one by one, put together (literal walk, merge)
	Lists                               // lists of tokens behind quotes, kept
	Memory                              // answers kept for all schemas
	NumbersApart                        // numbers followed apart from the other terminals
	AheadKeys                           // built ahead: the literals and single deltas of keys
	AheadQuotes                         // built ahead: what follows the quote of a free string
	AheadValues                         // built ahead: the first places of patterns
	Digits                              // subtrees of digits taken whole
)

// mechanismNames are the names of the mechanisms, in their order.
var mechanismNames = []string{"depths", "alphabets", "loops", "differs", "detours", "sinks", "frees", "dispatches", "strands", "lists", "memory", "numbers", "ahead-keys", "ahead-quotes", "ahead-values", "digits"}

// MechanismNames lists the names that ParseMechanisms knows.
func MechanismNames() []string { return mechanismNames }

// ParseMechanisms reads names with a plus between them; "none" is the empty set.
func ParseMechanisms(text string) (set Mechanisms, err error) {
	for name := range strings.SplitSeq(text, "+") {
		at := slices.Index(mechanismNames, name)
		switch {
		case at >= 0:
			set |= 1 << at
		case name != "none":
			return 0, fmt.Errorf("there is no mechanism %q; there are: %s", name, strings.Join(mechanismNames, ", "))
		}
	}
	return set, nil
}
