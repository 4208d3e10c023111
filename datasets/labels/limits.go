package labels

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxDepth is the deepest nesting that is judged. An error of the validator holds the path to it at
// each level, so its memory grows with the square of the depth: at 1,000 levels that is 16 MB, at
// 10,000 it would be 1.6 GB. The deepest instance of a corpus in use has about 20 levels.
const maxDepth = 1000

// maxDigits is the longest number of a schema, in digits written out: a fraction of 10,000 digits
// is divided in under a millisecond, and an exponent of a million would take a gigabyte in a few
// operations. Of an instance's numbers it is the longest without the exponent.
const maxDigits = 10_000

// farExponent is an exponent so large that no schema tells two larger ones apart: the bounds of a
// schema are within 10^±maxDigits, and what it asks multiples of has fewer factors 2 and 5 than 10
// to this power.
const farExponent = 5 * maxDigits

// maxMatch is how long a pattern may be tried on one string. Backtracking can be exponential in the
// string; the patterns of corpora take microseconds.
const maxMatch = time.Second

// withinLimits refuses a value that would take the validator too far. It returns the value with the
// numbers that number says.
func withinLimits(value any, depth int, number func(json.Number) (json.Number, error)) (_ any, err error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	switch value := value.(type) {
	case json.Number:
		return number(value)
	case []any:
		for i, item := range value {
			if value[i], err = withinLimits(item, depth+1, number); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key, item := range value {
			if value[key], err = withinLimits(item, depth+1, number); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// short refuses a number that has too many digits when it is written without an exponent.
func short(number json.Number) (json.Number, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
	e, err := strconv.Atoi("0" + strings.TrimLeft(exponent, "+-"))
	if err != nil || e > maxDigits-len(mantissa) {
		return "", fmt.Errorf("the number %.30s... has more than %d digits", string(number), maxDigits)
	}
	return number, nil
}

// counts are the keywords that are a number of things. The validator keeps 64 bits of it.
var counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"}

// withCounts writes counts of a schema that are beyond an integer as the largest one, which no
// instance reaches either. What const and enum list is no schema.
func withCounts(doc any) {
	eachMember(doc, func(object map[string]any, key string) bool {
		number, ok := object[key].(json.Number)
		if n, read := new(big.Rat).SetString(string(number)); ok && read && slices.Contains(counts, key) && n.IsInt() && n.Sign() > 0 && !n.Num().IsInt64() {
			object[key] = json.Number(strconv.Itoa(math.MaxInt))
		}
		return key != "const" && key != "enum"
	})
}

// near is a function for the numbers of one instance, which writes those beyond farExponent with
// other exponents beyond it. No verdict changes: equal numbers stay equal, and others different.
func near() func(json.Number) (json.Number, error) {
	powers := map[string]int{}
	return func(number json.Number) (json.Number, error) {
		mantissa, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
		whole, fraction, _ := strings.Cut(mantissa, ".")
		digits := strings.TrimRight(whole+fraction, "0")
		power, ok := new(big.Int).SetString(cmp.Or(exponent, "0"), 10)
		if len(mantissa) > maxDigits || !ok {
			return short(number)
		}
		power.Add(power, big.NewInt(int64(len(whole)-len(digits))))
		switch {
		case power.CmpAbs(big.NewInt(farExponent)) <= 0:
			return number, nil
		case strings.Trim(digits, "-") == "":
			return "0e0", nil
		}
		key := power.String()
		if powers[key] == 0 {
			powers[key] = farExponent + 1 + len(powers)
		}
		return json.Number(fmt.Sprintf("%se%d", digits, power.Sign()*powers[key])), nil
	}
}

// pattern is a regular expression of a schema.
type pattern struct{ *regexp2.Regexp }

// slowPattern is the panic of a pattern that takes too long; Explain makes an error of it.
type slowPattern struct{ pattern string }

func (s slowPattern) Error() string {
	return fmt.Sprintf("the pattern %q takes longer than %v on one string", s.pattern, maxMatch)
}

func (p pattern) MatchString(s string) bool {
	ok, err := p.Regexp.MatchString(s)
	if err != nil {
		panic(slowPattern{p.String()})
	}
	return ok
}

// compilePattern compiles a pattern as ECMAScript does with its flag u.
func compilePattern(text string) (jsonschema.Regexp, error) {
	re, err := regexp2.Compile(asECMAScript(unpaired.ReplaceAllStringFunc(text, pair)), regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = maxMatch
	return pattern{re}, nil
}

// unpaired finds the escapes that regexp2 reads otherwise than ECMAScript: a character written as
// two surrogates, and a script by its long name. An escaped backslash is found too, to be passed
// over.
var unpaired = regexp.MustCompile(`\\\\|\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|\\[pP]\{(?:Script|sc|General_Category|gc)=\w+\}`)

// pair writes such an escape as regexp2 does.
func pair(escape string) string {
	switch escape[1] {
	case 'u':
		high, _ := strconv.ParseUint(escape[2:6], 16, 16) // the expression let only digits pass
		low, _ := strconv.ParseUint(escape[8:], 16, 16)
		return fmt.Sprintf(`\u{%x}`, utf16.DecodeRune(rune(high), rune(low)))
	case 'p', 'P':
		return escape[:3] + escape[strings.IndexByte(escape, '=')+1:]
	}
	return escape
}

// regexp2 differs from ECMAScript in two points: its dot matches U+2028 and U+2029, and its \b
// knows the letters of all scripts. All else was compared with a browser's engine, class by class
// and character by character.
const (
	anyCharacter = `[^\n\r\u2028\u2029]`
	inWord       = `[0-9A-Z_a-z]`
	atBoundary   = `(?:(?<=` + inWord + `)(?!` + inWord + `)|(?<!` + inWord + `)(?=` + inWord + `))`
	noBoundary   = `(?:(?<=` + inWord + `)(?=` + inWord + `)|(?<!` + inWord + `)(?!` + inWord + `))`
)

// asECMAScript writes the dot and \b out, wherever they are not in a class.
func asECMAScript(text string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			switch {
			case text[i] == 'b' && !class:
				b.WriteString(atBoundary)
			case text[i] == 'B' && !class:
				b.WriteString(noBoundary)
			default:
				b.WriteString(text[i-1 : i+1])
			}
			continue
		case c == '.' && !class:
			b.WriteString(anyCharacter)
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
