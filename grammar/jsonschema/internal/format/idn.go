package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	folding "golang.org/x/text/cases"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/pattern"
	"gcdbench/internal/constants"
)

// The formats idn-hostname and idn-email: host names with labels above ASCII (RFC 5890 to 5893),
// and mailboxes at them (RFC 6531). Whether a label is right depends on the length of its form in
// ASCII, which is a code of all its characters, on normalization, on contexts and on directions of
// writing. So this is what is right whatever those say: labels of few characters, each of which is
// valid, joins with none before it, and stands in its context. That has most letters that names are
// written with; it lacks marks other than viramas, and A-labels, whose code would have to be
// checked.

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

	idnNarrower = "at most 3 labels, without -- in them: of ASCII, or of at most 10 characters, letters without marks"
	// What is surely no name has a character of ASCII that names do not have, or none.
	idnWider      = `[\-.0-9A-Za-z\u0080-\U0010ffff]+`
	idnEmailWider = `[\x00-\U0010ffff]+@[\x00-\U0010ffff]+`
)

// idnLetters are the letters above ASCII of a direction that labels may have anywhere. RFC 5892
// derives what is valid from the tables of Unicode: letters that stay as they are when normalized
// and folded to lower case, with few exceptions.
func idnLetters(direction bidi.Class) pattern.Set {
	fold := folding.Fold()
	letters := pattern.FromTable(unicode.Ll).Union(pattern.FromTable(unicode.Lo)).Union(pattern.FromTable(unicode.Lm))
	return choose(letters, func(r rune) bool { return r >= 0x80 && validLetter(r, direction, fold) })
}

// choose is what a set has of a kind.
func choose(set pattern.Set, is func(rune) bool) (chosen pattern.Set) {
	for i := 0; i < len(set); i += 2 {
		for r := set[i]; r <= set[i+1]; r++ {
			if n := len(chosen); n > 0 && chosen[n-1] == r-1 && is(r) {
				chosen[n-1] = r
			} else if is(r) {
				chosen = append(chosen, r, r)
			}
		}
	}
	return chosen
}

// validLetter tells whether a letter is valid, and stays by itself: it has no other form, joins
// with nothing before it and is written in a direction.
func validLetter(r rune, direction bidi.Class, fold folding.Caser) bool {
	s := string(r)
	if its, _ := bidi.LookupRune(r); its.Class() != direction || !norm.NFKC.IsNormalString(s) {
		return false
	}
	if r == 'ß' || r == 'ς' {
		return true
	}
	exception := strings.ContainsRune("\u0640\u07fa\u3031\u3032\u3033\u3034\u3035\u303b", r) // RFC 5892, section 2.6
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

// The parts of names, as classes and texts of patterns. RFC 5892, appendix A, allows some
// characters in contexts only: a middle dot between two l, a keraia before Greek, geresh and
// gershayim behind Hebrew, joiners behind a virama, and Arabic-Indic digits without the extended
// ones.
const (
	separator   = `[.\u3002\uff0e\uff61]` // RFC 3490, section 3.1
	labelDigits = `0-9\u06f0-\u06f9`
	arabicDigit = `\u0660-\u0669`
)

// internationalLabels are the labels above ASCII that are written from left to right, and those of
// names with others that are not, in which RFC 5893, section 2, says how each label begins and
// ends.
func internationalLabels() (left, right *automata.DFA, err error) {
	letters, hebraic, viramas := idnLetters(bidi.L), idnLetters(bidi.R), viramas()
	of := func(scripts ...*unicode.RangeTable) pattern.Set {
		return choose(letters, func(r rune) bool { return unicode.In(r, scripts...) })
	}
	greek, kana := of(unicode.Greek), of(unicode.Hiragana, unicode.Katakana, unicode.Han)
	hebrew := choose(hebraic, func(r rune) bool { return unicode.Is(unicode.Hebrew, r) })
	class := func(s string, sets ...pattern.Set) string {
		for _, x := range sets {
			s += strings.TrimSuffix(strings.TrimPrefix(x.String(), "["), "]")
		}
		return "[" + s + "]"
	}
	unit := `(?:` + class(`a-z`+labelDigits, letters) + class("", viramas) + `?|l·l|\u0375` + class("", greek) + `|` + class("", letters) + class("", viramas) + `[\u200c\u200d])`
	dotted := class(`a-z\u30fb`+labelDigits, letters)
	rtl := `(?:` + class("", hebraic, idnLetters(bidi.AL)) + `|` + class("", hebrew) + `[\u05f3\u05f4])`
	ltr := `[a-z](?:-?[a-z0-9])*`
	left, err = upTo(mostInternational, unit+`(?:-?`+unit+`)*|`+dotted+`*`+class("", kana)+dotted+`*`)
	if err != nil {
		return nil, nil, err
	}
	mixed := func(digits string) string {
		digits = "[" + digits + "]"
		return rtl + `(?:-?(?:` + rtl + `|` + digits + `))*`
	}
	right, err = upTo(mostInternational, mixed(labelDigits)+`|`+mixed(arabicDigit)+`|`+ltr)
	return left, right, err
}

// viramas are the marks that joiners may follow, and that join with nothing.
func viramas() pattern.Set {
	return choose(pattern.FromTable(unicode.Mn), func(r rune) bool {
		s := string(r)
		return norm.NFC.PropertiesString(s).CCC() == 9 && norm.NFKC.IsNormalString("a"+s)
	})
}

// idnHosts is the expression of host names, which mailboxes have as well.
var idnHosts = constants.Of(&International, func() *automata.Expr {
	e, err := buildIDNHosts()
	if err != nil {
		panic(fmt.Sprintf("the format idn-hostname: %v", err))
	}
	return e
})

func idnHostname() (*automata.DFA, error) { return dfa.OnDemand(idnHosts()) }

func buildIDNHosts() (*automata.Expr, error) {
	ascii, err := labelOf(pattern.Set{'0', '9', 'A', 'Z', 'a', 'z'}, 63)
	if err != nil {
		return nil, err
	}
	left, right, err := internationalLabels()
	if err != nil {
		return nil, err
	}
	var names []*automata.Expr
	for _, one := range []*automata.Expr{automata.Alternate(automata.FromDFA(left), automata.FromDFA(ascii)), automata.FromDFA(right)} {
		stop, err := automata.Parse(separator, 0)
		if err != nil {
			return nil, err
		}
		names = append(names, automata.Concat(one, automata.Repeat(automata.Concat(stop, one), 0, mostIDNLabels-1)))
	}
	return automata.Alternate(names...), nil
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
	local, err := upTo(mostIDNLocal, atom+`(?:\.`+atom+`)*|"[ !#-\[\]-~\u0080-\U0010ffff]*"`)
	if err != nil {
		return nil, err
	}
	above := automata.Concat(automata.FromDFA(local), automata.Literal("@", 0), idnHosts())
	return dfa.OnDemand(automata.Alternate(above, automata.FromDFA(ascii)))
}
