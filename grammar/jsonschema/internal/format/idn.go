package format

import (
	"strings"
	"unicode"
	"unicode/utf8"

	folding "golang.org/x/text/cases"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/pattern"
)

// The formats idn-hostname and idn-email: host names with labels above ASCII (RFC 5890 to 5893),
// and mailboxes at them (RFC 6531). Whether a label is right depends on the length of its form in
// ASCII, which is a code of all its characters, on normalization, on contexts and on directions of
// writing. So this is what is right whatever those say: labels of few characters, each of which is
// valid in any label, needs no context, is written from left to right, and joins with none before
// it. That has most letters that names are written with; it lacks marks, the scripts that are
// written with them or from the right, and A-labels, whose code would have to be checked.

const (
	// mostInternational is how many characters a label above ASCII has. Its form in ASCII has at
	// most 63: four for xn--, and no more than five for each character (idn_test.go).
	mostInternational = 10
	// mostIDNLabels is how many labels a name has, so that its form in ASCII has at most 253
	// characters.
	mostIDNLabels = 3
	// mostIDNLocal is how many characters above ASCII and others a local part has, each of up to 4
	// of 64 bytes.
	mostIDNLocal = mostLocal / utf8.UTFMax

	idnNarrower = "at most 3 labels, without -- in them: of ASCII, or of at most 10 characters, letters that are written from left to right without marks"
	// What is surely no name has a character of ASCII that names do not have, or none.
	idnWider      = `[\-.0-9A-Za-z\u0080-\U0010ffff]+`
	idnEmailWider = `[\x00-\U0010ffff]+@[\x00-\U0010ffff]+`
)

// idnLetters are the letters above ASCII that labels may have anywhere. RFC 5892 derives what is
// valid from the tables of Unicode: letters that stay as they are when normalized and folded to
// lower case, with few exceptions.
func idnLetters() (valid pattern.Set) {
	fold := folding.Fold()
	letters := pattern.FromTable(unicode.Ll).Union(pattern.FromTable(unicode.Lo)).Union(pattern.FromTable(unicode.Lm))
	for i := 0; i < len(letters); i += 2 {
		for r := max(letters[i], 0x80); r <= letters[i+1]; r++ {
			if !validLetter(r, fold) {
				continue
			}
			if n := len(valid); n > 0 && valid[n-1] == r-1 {
				valid[n-1] = r
			} else {
				valid = append(valid, r, r)
			}
		}
	}
	return valid
}

// validLetter tells whether a letter is valid, and stays by itself: it has no other form, joins
// with nothing before it and is written from left to right.
func validLetter(r rune, fold folding.Caser) bool {
	s := string(r)
	if direction, _ := bidi.LookupRune(r); direction.Class() != bidi.L || !norm.NFKC.IsNormalString(s) {
		return false
	}
	if r == 'ß' || r == 'ς' { // RFC 5892, section 2.6
		return true
	}
	exception := strings.ContainsRune("\u3031\u3032\u3033\u3034\u3035\u303b", r)
	ignorable := unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	if oldHangul(r) || exception || ignorable || !norm.NFC.PropertiesString(s).BoundaryBefore() {
		return false
	}
	return !unicode.IsLower(r) || norm.NFKC.String(fold.String(s)) == s
}

// oldHangul is the conjoining letters, which join to syllables.
func oldHangul(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97f || r >= 0xd7b0 && r <= 0xd7ff
}

// idnHostname is the automaton of host names.
func idnHostname() (*automata.DFA, error) {
	lower := pattern.Set{'0', '9', 'a', 'z'}
	ascii, err := labelOf(lower.Union(pattern.Set{'A', 'Z'}), 63)
	if err != nil {
		return nil, err
	}
	international, err := labelOf(lower.Union(idnLetters()), mostInternational)
	if err != nil {
		return nil, err
	}
	label, err := ascii.Union(international, dfa.Limits)
	if err != nil {
		return nil, err
	}
	one := automata.FromDFA(label)
	more := automata.Repeat(automata.Concat(automata.Literal(".", 0), one), 0, mostIDNLabels-1)
	return automata.Compile(automata.Concat(one, more), dfa.Limits)
}

// labelOf is the automaton of labels: at most so many characters of a set, with single hyphens
// inside.
func labelOf(set pattern.Set, most int) (*automata.DFA, error) {
	return upTo(most, set.String()+`(?:-?`+set.String()+`)*`)
}

// idnEmail is the automaton of mailboxes: those of ASCII, and at host names those with a short
// local part.
func idnEmail() (*automata.DFA, error) {
	ascii, err := emailAutomaton()
	if err != nil {
		return nil, err
	}
	atom := `[\u0080-\U0010ffff` + strings.TrimPrefix(atom, "[")
	local, err := upTo(mostIDNLocal, atom+`(?:\.`+atom+`)*`)
	if err != nil {
		return nil, err
	}
	host, err := idnHostname()
	if err != nil {
		return nil, err
	}
	d, err := automata.Compile(automata.Concat(automata.FromDFA(local), automata.Literal("@", 0), automata.FromDFA(host)), dfa.Limits)
	if err != nil {
		return nil, err
	}
	return d.Union(ascii, dfa.Limits)
}
