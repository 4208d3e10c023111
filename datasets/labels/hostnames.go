package labels

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	folding "golang.org/x/text/cases"
	"golang.org/x/text/secure/bidirule"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// International host names (RFC 5890 to 5893). A label above ASCII, a U-label, is written in ASCII
// as an A-label: xn-- and a code of its characters, Punycode (RFC 3492). A label that begins so and
// is no code of a right U-label is no label at all.

const prefixOfCode = "xn--"

// hostname1123 checks a host name of RFC 1123, section 2.1, whose labels may be A-labels.
func hostname1123(text string) error {
	if len(text) > mostOfName {
		return errTooLong
	}
	if err := labels1123(text); err != nil {
		return err
	}
	var decoded []string
	for _, label := range strings.Split(strings.ToLower(text), ".") {
		if code, coded := strings.CutPrefix(label, prefixOfCode); coded {
			characters, err := fromPunycode(code)
			if err != nil {
				return err
			}
			if toPunycode(characters) != code {
				return fmt.Errorf("%q is not how its characters are encoded", label)
			}
			if err := label5891(characters); err != nil {
				return err
			}
			label = string(characters)
		}
		decoded = append(decoded, label)
	}
	return directions5893(decoded)
}

// directions5893 checks the directions of writing: if one label of a name is written from the
// right, the rule holds for all.
func directions5893(name []string) error {
	fromRight := func(label string) bool { return bidirule.DirectionString(label) == bidi.RightToLeft }
	if slices.ContainsFunc(name, fromRight) && slices.ContainsFunc(name, func(label string) bool { return !bidirule.ValidString(label) }) {
		return errors.New("a label mixes directions of writing")
	}
	return nil
}

// mostOfName is how many characters a host name has in ASCII.
const mostOfName = 253

var errTooLong = errors.New("longer than 253 characters")

// hostname5890 checks a host name with labels above ASCII.
func hostname5890(text string) error {
	name := strings.Map(func(r rune) rune {
		if isDot(r) {
			return '.'
		}
		return r
	}, text)
	labels := strings.Split(name, ".")
	for i, label := range labels {
		if isASCII(label) {
			continue
		}
		if err := label5891([]rune(label)); err != nil {
			return err
		}
		labels[i] = prefixOfCode + toPunycode([]rune(label))
	}
	return hostname1123(strings.Join(labels, "."))
}

// isDot tells whether a character separates labels: a full stop, or one that IDNA takes for it.
func isDot(r rune) bool { return strings.ContainsRune(".\u3002\uff0e\uff61", r) }

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// mailbox6531 checks a Mailbox of RFC 5321 with the characters that RFC 6531 adds: those above
// ASCII in the local part, and the labels of host names.
func mailbox6531(text string) error {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || len(text[:at]) > mostOfLocalPart {
		return errors.New("there is no @, or more than 64 bytes before it")
	}
	local, domain := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return 'x'
		}
		return r
	}, text[:at]), text[at+1:]
	if isASCII(domain) {
		return mailbox5321(local + "@" + domain)
	}
	if err := localPart5321(local); err != nil {
		return err
	}
	return hostname5890(norm.NFC.String(domain)) // before a name is looked up it is normalized
}

// label5891 checks a label above ASCII: RFC 5891, section 4.2.
func label5891(label []rune) error {
	text := string(label)
	switch {
	case isASCII(text):
		return fmt.Errorf("%q needs no code", text)
	case !norm.NFC.IsNormalString(text):
		return fmt.Errorf("%q is not normalized", text)
	case label[0] == '-' || label[len(label)-1] == '-' || len(label) > 3 && string(label[2:4]) == "--":
		return fmt.Errorf("%q has a hyphen at an end, or two as an A-label has", text)
	case unicode.Is(unicode.M, label[0]):
		return fmt.Errorf("%q begins with a mark", text)
	}
	for i, r := range label {
		if !valid5892(r) && !validHere(label, i) {
			return fmt.Errorf("%q must not have %U there", text, r)
		}
	}
	return nil
}

// valid5892 tells whether a character is valid in any label, as RFC 5892, section 3, derives it
// from the properties of Unicode.
func valid5892(r rune) bool {
	s := string(r)
	switch {
	case strings.ContainsRune("\u00df\u03c2\u06fd\u06fe\u0f0b\u3007", r): // exceptions of section 2.6
		return true
	case strings.ContainsRune("\u00b7\u0375\u05f3\u05f4\u30fb\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b", r), isDigitOf(r, '\u0660'), isDigitOf(r, '\u06f0'):
		return false
	case r < utf8.RuneSelf:
		return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z'
	case r >= 0x1100 && r <= 0x11ff, r >= 0xa960 && r <= 0xa97f, r >= 0xd7b0 && r <= 0xd7ff: // conjoining letters
		return false
	case norm.NFKC.String(folding.Fold().String(norm.NFKC.String(s))) != s: // unstable
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false
	case r >= 0x20d0 && r <= 0x20ff, r >= 0x1d100 && r <= 0x1d24f: // marks for symbols, musical symbols
		return false
	}
	return unicode.In(r, unicode.Ll, unicode.Lu, unicode.Lo, unicode.Nd, unicode.Lm, unicode.Mn, unicode.Mc)
}

func isDigitOf(r, zero rune) bool { return r >= zero && r <= zero+9 }

// validHere tells whether a character is valid for those around it: RFC 5892, appendix A.
func validHere(label []rune, i int) bool {
	before, after := rune(-1), rune(-1)
	if i > 0 {
		before = label[i-1]
	}
	if i+1 < len(label) {
		after = label[i+1]
	}
	has := func(is func(rune) bool) bool { return slices.ContainsFunc(label, is) }
	switch r := label[i]; {
	case r == '\u200c' || r == '\u200d':
		return i > 0 && isVirama(before) || r == '\u200c' && joins(label, i)
	case r == '\u00b7':
		return before == 'l' && after == 'l'
	case r == '\u0375':
		return unicode.Is(unicode.Greek, after)
	case r == '\u05f3' || r == '\u05f4':
		return unicode.Is(unicode.Hebrew, before)
	case r == '\u30fb':
		return has(func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
	case isDigitOf(r, '\u0660'):
		return !has(func(r rune) bool { return isDigitOf(r, '\u06f0') })
	case isDigitOf(r, '\u06f0'):
		return !has(func(r rune) bool { return isDigitOf(r, '\u0660') })
	}
	return false
}

func isVirama(r rune) bool { return norm.NFC.PropertiesString(string(r)).CCC() == 9 }

// joins tells whether letters would join across a place, with marks between them: of the Arabic
// letters, whose forms are known here.
func joins(label []rune, i int) bool {
	letter := func(step int) rune {
		for j := i + step; j >= 0 && j < len(label); j += step {
			if !unicode.Is(unicode.Mn, label[j]) {
				return label[j]
			}
		}
		return -1
	}
	isArabic := func(r rune) bool {
		return r >= 0x620 && r <= 0x6ff && unicode.IsLetter(r) && r != 0x621 && r != 0x674
	}
	before, after := letter(-1), letter(1)
	return isArabic(before) && !unicode.Is(endsJoin, before) && isArabic(after)
}

// endsJoin is the Arabic letters that join with the one before them only.
var endsJoin = &unicode.RangeTable{R16: []unicode.Range16{{0x622, 0x625, 1}, {0x627, 0x629, 2}, {0x62f, 0x632, 1}, {0x648, 0x648, 1}, {0x671, 0x673, 1},
	{0x675, 0x677, 1}, {0x688, 0x699, 1}, {0x6c0, 0x6c0, 1}, {0x6c3, 0x6cb, 1}, {0x6cd, 0x6cf, 2}, {0x6d2, 0x6d3, 1}, {0x6d5, 0x6d5, 1}, {0x6ee, 0x6ef, 1}}}

// Punycode, with the parameters of RFC 3492, section 5.
const (
	codeBase, codeLeast, codeMost, codeSkew, codeDamp = 36, 1, 26, 38, 700
	codeFirst, codeBias                               = 0x80, 72
)

const codeDigits = "abcdefghijklmnopqrstuvwxyz0123456789"

// threshold is how much the digit at a place counts for at most.
func threshold(place, bias int) int { return min(max(place-bias, codeLeast), codeMost) }

// adapted is the bias after a number.
func adapted(delta, count int, first bool) int {
	if first {
		delta /= codeDamp
	} else {
		delta /= 2
	}
	delta += delta / count
	k := 0
	for ; delta > (codeBase-codeLeast)*codeMost/2; k += codeBase {
		delta /= codeBase - codeLeast
	}
	return k + (codeBase-codeLeast+1)*delta/(delta+codeSkew)
}

// fromPunycode is the characters of a code in lower case.
func fromPunycode(code string) ([]rune, error) {
	wrong := fmt.Errorf("%q is no code of characters", code)
	var label []rune
	if at := strings.LastIndexByte(code, '-'); at >= 0 {
		label, code = []rune(code[:at]), code[at+1:]
	}
	n, i, bias := codeFirst, 0, codeBias
	for code != "" {
		before, weight := i, 1
		for place := codeBase; ; place += codeBase {
			if code == "" {
				return nil, wrong
			}
			digit := strings.IndexByte(codeDigits, code[0])
			if code = code[1:]; digit < 0 || weight > 1<<40 {
				return nil, wrong
			}
			i += digit * weight
			t := threshold(place, bias)
			if digit < t {
				break
			}
			weight *= codeBase - t
		}
		bias = adapted(i-before, len(label)+1, before == 0)
		n += i / (len(label) + 1)
		i %= len(label) + 1
		if n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return nil, wrong
		}
		label = slices.Insert(label, i, rune(n))
		i++
	}
	return label, nil
}

// toPunycode is the code of characters.
func toPunycode(label []rune) string {
	var code []byte
	for _, r := range label {
		if r < utf8.RuneSelf {
			code = append(code, byte(r))
		}
	}
	basic := len(code)
	if basic > 0 {
		code = append(code, '-')
	}
	n, delta, bias := rune(codeFirst), 0, codeBias
	for done := basic; done < len(label); n++ {
		next := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for place := codeBase; ; place += codeBase {
				t := threshold(place, bias)
				if q < t {
					break
				}
				code = append(code, codeDigits[t+(q-t)%(codeBase-t)])
				q = (q - t) / (codeBase - t)
			}
			code = append(code, codeDigits[q])
			bias = adapted(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
	}
	return string(code)
}
