package format

import (
	"fmt"
	"slices"
	"unicode"

	folding "golang.org/x/text/cases"
	"golang.org/x/text/unicode/bidi"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
)

// The format hostname. A label that begins with xn-- is an A-label: the rest must be the code,
// Punycode (RFC 3492), of a right label above ASCII, which has such a code only (RFC 5890, section
// 2.3.1). The code is arithmetic on numbers of characters and places, which is not regular. Of the
// labels with one letter above ASCII it is a list for each length, and that is what is accepted:
// the characters in ASCII, and then the letter and its place as one number.

const (
	// mostBasic is how many letters and digits of ASCII an A-label encodes. The letters that it may
	// have beside are those up to lastCoded, of Latin-1 and of the block after it.
	mostBasic = 10
	lastCoded = 0x17f

	hostNarrower = "of labels that begin with xn--, which must be the codes of others, those in lower case with up to 10 letters and digits and one Latin letter up to U+017F beside"
)

// hostAutomaton is the automaton of host names.
func hostAutomaton() (*automata.DFA, error) {
	labels, err := dfa.ASCII(label)
	if err != nil {
		return nil, err
	}
	coded, err := dfa.ASCII(`[xX][nN]--[a-zA-Z0-9-]*`)
	if err != nil {
		return nil, err
	}
	if labels, err = labels.Difference(coded, dfa.Limits); err != nil {
		return nil, err
	}
	right, err := codedLabels()
	if err != nil {
		return nil, err
	}
	one, err := automata.Compile(automata.Alternate(automata.FromDFA(labels), right), dfa.Limits)
	if err != nil {
		return nil, err
	}
	more := automata.Repeat(automata.Concat(automata.Literal(".", 0), automata.FromDFA(one)), 0, -1)
	all, err := automata.Compile(automata.Concat(automata.FromDFA(one), more), dfa.Limits)
	if err != nil {
		return nil, err
	}
	return all.WithLength(1, mostHost)
}

// codedLabels are the A-labels that are accepted.
func codedLabels() (*automata.Expr, error) {
	var letters []int
	for r, fold := rune(0x80), folding.Fold(); r <= lastCoded; r++ {
		if unicode.IsLower(r) && validLetter(r, bidi.L, fold) {
			letters = append(letters, int(r)-0x80)
		}
	}
	var all []*automata.Expr
	for n := 1; n <= mostBasic; n++ {
		characters, err := automata.Parse(fmt.Sprintf(`[a-z0-9]{%d}-`, n), automata.ASCII)
		if err != nil {
			return nil, err
		}
		var codes []string
		for _, letter := range letters {
			for place := range n + 1 {
				codes = append(codes, codeOf(letter*(n+1)+place))
			}
		}
		slices.Sort(codes)
		numbers, err := automata.FromStrings(codes, dfa.Limits)
		if err != nil {
			return nil, err
		}
		all = append(all, automata.Concat(characters, automata.FromDFA(numbers)))
	}
	prefix, err := automata.Parse(`[xX][nN]--`, automata.ASCII)
	return automata.Concat(prefix, automata.Alternate(all...)), err
}

// codeOf writes the first number of a code: digits of base 36, of which each says whether it is the
// last. Those before the third count 35 numbers that are not the last, the others 10.
func codeOf(n int) string {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	var code []byte
	for at := 0; ; at++ {
		last := 1
		if at > 1 {
			last = 26
		}
		if n < last {
			return string(append(code, digits[n]))
		}
		code = append(code, digits[last+(n-last)%(36-last)])
		n = (n - last) / (36 - last)
	}
}
