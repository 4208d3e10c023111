package load

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Neighbour is a schema that somebody sends, by mistake or not, and that costs a server more than
// others; with an instance of it.
type Neighbour struct {
	Name     string
	Schema   []byte
	Instance []byte
}

// Neighbours are bad ones: alternatives in alternatives, patterns whose automata explode, an enum
// of 3 MB, and 10,000 keys. They are made here, and no two kinds are alike.
func Neighbours() []Neighbour {
	return []Neighbour{
		{"oneOf, 12 deep", nested(12), []byte(`{"x0": 1}`)},
		{"patterns that explode", exploding(), []byte(`{"code": "a` + strings.Repeat("b", 24) + `"}`)},
		{"an enum of 3 MB", wideEnum(3 << 20), []byte(`{"value": "v0-` + strings.Repeat("x", 64) + `"}`)},
		{"10,000 keys", manyKeys(10_000), []byte(`{"k0": 0}`)},
	}
}

// nested are two alternatives, each of which has two, and so on.
func nested(depth int) []byte {
	at := func(key string, of any) any {
		return map[string]any{"type": "object", "properties": map[string]any{key: of}, "additionalProperties": false}
	}
	var s any = map[string]any{"type": "integer"}
	for i := depth; i >= 0; i-- {
		s = map[string]any{"oneOf": []any{at(fmt.Sprintf("x%d", i), map[string]any{"type": "integer"}), at(fmt.Sprintf("y%d", i), s)}}
	}
	return text(s)
}

// exploding has a text whose 24th character from the end is an a: an automaton that knows where
// remembers 24 characters.
func exploding() []byte {
	return text(map[string]any{"type": "object", "required": []string{"code"}, "additionalProperties": false,
		"properties": map[string]any{"code": map[string]any{"type": "string", "pattern": "^[ab]*a[ab]{24}$"}}})
}

// wideEnum has values of 70 bytes or so.
func wideEnum(bytes int) []byte {
	var values []string
	for size := 0; size < bytes; size += len(values[len(values)-1]) + 4 {
		values = append(values, fmt.Sprintf("v%d-%s", len(values), strings.Repeat("x", 64)))
	}
	return text(map[string]any{"type": "object", "required": []string{"value"}, "additionalProperties": false,
		"properties": map[string]any{"value": map[string]any{"enum": values}}})
}

// manyKeys are optional.
func manyKeys(n int) []byte {
	keys := map[string]any{}
	for i := range n {
		keys[fmt.Sprintf("k%d", i)] = map[string]any{"type": "integer"}
	}
	return text(map[string]any{"type": "object", "properties": keys, "additionalProperties": false})
}

// text is a value as JSON.
func text(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values only
	}
	return out
}
