package format

import (
	"fmt"
	"strings"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
)

// The format regex: strings that are regular expressions of ECMA-262 with the flag u (section
// 22.2.1). Groups nest to any depth there, back references name groups that must exist, and {n,m}
// and ranges of characters are in the right order, none of which is regular as a whole. This is
// what people write, and all of it is right: groups nested a few deep, lookarounds without groups
// in them, counts of up to two digits before a comma, and ranges from letters and digits, or
// between escapes that are far apart.

const (
	// regexDepth is how deep groups are nested: each level has the states of one without them, some
	// 250.
	regexDepth = 3

	// A character that stands for itself outside of classes, or an escape.
	regexChar   = `[^()\[\]{}*+?\\|^$]|` + regexEscape
	regexEscape = `\\[dDwWsStnvfr^$.*+?()\[\]{}|/\\]|\\c[a-zA-Z]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|` +
		`\\[pP]\{(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}`
	// What matches no character takes no quantifier.
	regexPlace = `[|^$]|\\[bB]`
	lookOpen   = `\(\?<?[=!]`
	groupOpen  = `\((?:\?:)?`
)

const regexNarrower = "regular expressions with groups nested at most 3 deep, lookarounds without groups, counts of at most two digits before a comma, and few ranges but those of letters and digits"

// regexAutomaton is that of the format.
func regexAutomaton() (*automata.DFA, error) {
	var failed error
	parse := func(pattern string) *automata.Expr {
		e, err := automata.Parse(pattern, automata.ASCII)
		if err != nil {
			failed = err
		}
		return e
	}
	small := func(e *automata.Expr) *automata.Expr { // determinized, so that levels do not multiply
		d, err := automata.Compile(e, dfa.Limits)
		if err != nil {
			failed = err
			return automata.Alternate()
		}
		return automata.FromDFA(d)
	}
	place, quantifier := parse(regexPlace), parse(regexQuantifier())
	char := small(parse(regexChar + `|` + regexClass()))
	if failed != nil {
		return nil, failed
	}
	body := func(atom, place *automata.Expr) *automata.Expr {
		return small(automata.Repeat(automata.Alternate(place, automata.Concat(atom, quantifier)), 0, -1))
	}
	flat := body(char, place)
	level := flat
	for depth := range regexDepth {
		group := automata.Concat(parse(groupOpen), level, parse(`\)`))
		around := place
		if depth == regexDepth-1 {
			around = automata.Alternate(place, automata.Concat(parse(lookOpen), flat, parse(`\)`)))
		}
		level = body(automata.Alternate(char, group), around)
	}
	if failed != nil {
		return nil, failed
	}
	return automata.Compile(level, dfa.Limits)
}

// regexQuantifier is *, +, ?, {n}, {n,} and {n,m}, each greedy or lazy, or nothing.
func regexQuantifier() string {
	ways := []string{`[*+?]`, `\{\d{1,3}(?:,)?\}`, `\{\d,[1-9]\d{1,3}\}`, `\{[1-9]\d,[1-9]\d{2,3}\}`}
	for n := range 10 {
		ways = append(ways, fmt.Sprintf(`\{%d,[%d-9]\}`, n, n))
	}
	for tens := 1; tens <= 9; tens++ { // the second number is in the same ten, where every number is at least the first
		ways = append(ways, fmt.Sprintf(`\{%d0,%d\d\}`, tens, tens))
		if tens < 9 {
			ways = append(ways, fmt.Sprintf(`\{%d\d,[%d-9]\d\}`, tens, tens+1))
		}
	}
	return `(?:(?:` + strings.Join(ways, "|") + `)\??)?`
}

// regexClass is a class of characters in brackets. A hyphen between two characters makes a range,
// which is in the right order; at the beginning or end, and after a range, it stands for itself.
// The first character must not be ^.
func regexClass() string {
	// An empty class has no character, and ^ alone all.
	const special = `\\\]\[\-`
	one := regexEscape + `|\\[b\-]|(?:` + strings.Join(regexRanges(), "|") + `)-?`
	return `\[\^?(?:-?|-?(?:` + one + `|[^\^` + special + `])(?:` + one + `|[^` + special + `])*-?)\]`
}

// regexRanges are the ranges from a letter or digit of ASCII to another that is not before it, or
// above ASCII; those of all that is printed; and some between escapes.
func regexRanges() []string {
	ranges := []string{` -~`, `!-~`,
		`\\x0[0-9a-fA-F]-\\x[1-9a-fA-F][0-9a-fA-F]`, `\\x2[0-9a-fA-F]-\\x[3-9a-fA-F][0-9a-fA-F]`, `\\x[0-7][0-9a-fA-F]-\\x[89a-fA-F][0-9a-fA-F]`,
		`\\u0[0-9a-fA-F]{3}-\\u[1-9a-fA-F][0-9a-fA-F]{3}`, `\\u[0-7][0-9a-fA-F]{3}-\\u[89a-fA-F][0-9a-fA-F]{3}`}
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for i, from := range letters {
		ranges = append(ranges, string(from)+`-[`+letters[i:]+`\u0080-\U0010ffff]`)
	}
	return ranges
}
