package jsontext

import (
	"bytes"
	"encoding/json"
)

// RepeatsKey reports whether an object of a JSON text has a key twice. It reads tokens, since a
// decoded value has one of two equal keys; the keys "a" and "\u0061" are equal.
func RepeatsKey(text []byte) bool {
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	type level struct {
		keys  map[string]bool // nil in an array
		value bool            // the next token is a value
	}
	var stack []level
	for {
		token, err := tokens.Token()
		if err != nil {
			return false
		}
		top := len(stack) - 1
		delim, _ := token.(json.Delim)
		switch key, isText := token.(string); {
		case delim == '}' || delim == ']':
			stack = stack[:top]
			continue
		case top >= 0 && stack[top].keys != nil && !stack[top].value:
			if isText && stack[top].keys[key] {
				return true
			}
			stack[top].keys[key], stack[top].value = true, true
			continue
		case top >= 0:
			stack[top].value = false
		}
		switch delim {
		case '{':
			stack = append(stack, level{keys: map[string]bool{}})
		case '[':
			stack = append(stack, level{})
		}
	}
}
