package cli

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Places in a JSON text: the JSON pointer of a byte, where an instance is refused, and the line and
// column of a JSON pointer, where a keyword of a schema has a mistake.

// instancePlace is the JSON pointer of the value or key that begins at, or holds, the byte at
// offset. The text before offset is taken for the beginning of JSON, as it is for a text a grammar
// has accepted that far; "" is the whole instance.
func instancePlace(text []byte, offset int) string {
	type level struct {
		object bool
		key    string
		index  int
		inKey  bool // of an object: the next string is a key
	}
	var stack []level
	for i := 0; i < offset && i < len(text); {
		top := len(stack) - 1
		switch text[i] {
		case '{', '[':
			stack = append(stack, level{object: text[i] == '{', inKey: true})
		case '}', ']':
			if top >= 0 {
				stack = stack[:top]
			}
		case ',':
			if top >= 0 {
				stack[top].index++
				stack[top].key, stack[top].inKey = "", true
			}
		case ':':
			if top >= 0 {
				stack[top].inKey = false
			}
		case '"':
			end := stringEnd(text, i)
			if end <= offset && top >= 0 && stack[top].object && stack[top].inKey {
				stack[top].key = unquoteJSON(text[i:end])
			}
			i = end
			continue
		}
		i++
	}
	var b strings.Builder
	for _, l := range stack {
		switch {
		case !l.object:
			b.WriteString("/" + strconv.Itoa(l.index))
		case !l.inKey:
			b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(l.key))
		}
	}
	return b.String()
}

// stringEnd is the end of the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// unquoteJSON is the value of a JSON string, or its text if it is not one.
func unquoteJSON(text []byte) string {
	var s string
	if json.Unmarshal(text, &s) != nil {
		return string(text)
	}
	return s
}

// pointerPlace is the line and column, both from 1, of the value that a JSON pointer names in a
// JSON text; 0, 0 if there is none, as for a pointer into another document or a text that is not
// JSON. Of a repeated key it is the first one.
func pointerPlace(text []byte, pointer string) (line, column int) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if pointer != "" {
		for _, key := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
			if !enter(dec, strings.NewReplacer("~1", "/", "~0", "~").Replace(key)) {
				return 0, 0
			}
		}
	}
	rest := text[dec.InputOffset():]
	at := len(text) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
	if at >= len(text) {
		return 0, 0
	}
	return lineColumn(text, at)
}

// enter goes to the value of a key, or the item of an index, in the object or array that comes
// next; false if there is none.
func enter(dec *json.Decoder, key string) bool {
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return false
	}
	for index := 0; dec.More(); index++ {
		name := any(strconv.Itoa(index))
		if open == json.Delim('{') {
			if name, err = dec.Token(); err != nil {
				return false
			}
		}
		if name == key {
			return true
		}
		if !skip(dec) {
			return false
		}
	}
	return false
}

// skip reads a value; false if there is none. It counts brackets instead of descending into them,
// so that no depth is too much.
func skip(dec *json.Decoder) bool {
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}

// lineColumn counts both from 1, columns in characters, as all messages do.
func lineColumn(text []byte, at int) (line, column int) {
	before := string(text[:at])
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}
