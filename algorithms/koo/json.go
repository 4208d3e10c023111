package koo

import (
	"fmt"
	"strings"
)

const (
	jsonBlank  = `[ \t\n\r]*`
	jsonString = `"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`
	jsonNumber = `-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`
	jsonScalar = jsonString + `|` + jsonNumber + `|true|false|null`
)

// maxJSONPattern bounds the text of a depth-limited JSON pattern, in bytes: an automaton of it has
// about as many states, and package automata's own limits hold from there on.
const maxJSONPattern = 1 << 20

// JSONPattern is a regular expression for JSON values (RFC 8259) with at most so many objects, and
// so many arrays, inside one another: section 5.1's limits k_O and k_A. It has no extensions. Each
// value inside occurs twice, as the first of a list and as the next, and as a member of either
// kind, so that the pattern grows by a factor of two to four with each depth; from 1 MiB on it is
// an error.
func JSONPattern(objects, arrays int) (string, error) {
	if objects < 0 || arrays < 0 {
		return "", fmt.Errorf("depths of JSON must not be negative: %d objects, %d arrays", objects, arrays)
	}
	known := map[[2]int]string{}
	var value func(o, a int) (string, bool)
	value = func(o, a int) (string, bool) {
		if text, ok := known[[2]int{o, a}]; ok {
			return text, true
		}
		parts := []string{jsonScalar}
		if o > 0 {
			inner, ok := value(o-1, a)
			member := jsonString + jsonBlank + `:` + jsonBlank + inner + jsonBlank
			if !ok || 2*len(member) > maxJSONPattern {
				return "", false
			}
			parts = append(parts, `\{`+jsonBlank+`(?:`+member+`(?:,`+jsonBlank+member+`)*)?\}`)
		}
		if a > 0 {
			inner, ok := value(o, a-1)
			item := inner + jsonBlank
			if !ok || 2*len(item) > maxJSONPattern {
				return "", false
			}
			parts = append(parts, `\[`+jsonBlank+`(?:`+item+`(?:,`+jsonBlank+item+`)*)?\]`)
		}
		text := `(?:` + strings.Join(parts, `|`) + `)`
		known[[2]int{o, a}] = text
		return text, len(text) <= maxJSONPattern
	}
	text, ok := value(objects, arrays)
	if !ok {
		return "", fmt.Errorf("a pattern for JSON with %d objects and %d arrays inside one another is longer than %d bytes: lower the depths, or use the grammar json",
			objects, arrays, maxJSONPattern)
	}
	return text, nil
}
