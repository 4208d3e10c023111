package cli

import (
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
	at := skipSpace(text, 0)
	if pointer != "" {
		for _, key := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
			key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
			if at = memberOf(text, at, key); at < 0 {
				return 0, 0
			}
		}
	}
	if at >= len(text) {
		return 0, 0
	}
	return lineColumn(text, at)
}

// memberOf is the first byte of the value of a key, or of the item of an index, in the object or
// array that begins at a byte; -1 if there is none.
func memberOf(text []byte, at int, key string) int {
	if at >= len(text) || text[at] != '{' && text[at] != '[' {
		return -1
	}
	object := text[at] == '{'
	at = skipSpace(text, at+1)
	for index := 0; at < len(text) && text[at] != '}' && text[at] != ']'; index++ {
		found := !object && key == strconv.Itoa(index)
		if object {
			end := valueEnd(text, at)
			found = unquoteJSON(text[at:end]) == key
			at = skipSpace(text, end)
			if at == len(text) || text[at] != ':' {
				return -1
			}
			at = skipSpace(text, at+1)
		}
		if found {
			return at
		}
		at = skipSpace(text, valueEnd(text, at))
		if at < len(text) && text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	return -1
}

// valueEnd is the end of the JSON value that begins at a byte. It counts brackets instead of
// recursing, so that any depth works.
func valueEnd(text []byte, at int) int {
	for depth := 0; at < len(text); {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		default:
			at = wordEnd(text, at)
		}
		if depth <= 0 {
			return at
		}
	}
	return at
}

// wordEnd is the end of the number or name that begins at a byte: the next delimiter, but at least
// one byte further.
func wordEnd(text []byte, at int) int {
	for at++; at < len(text) && strings.IndexByte(" \t\n\r,:{}[]\"", text[at]) < 0; at++ {
	}
	return at
}

// skipSpace is the next byte that is not JSON's white space.
func skipSpace(text []byte, at int) int {
	for at < len(text) && strings.IndexByte(" \t\n\r", text[at]) >= 0 {
		at++
	}
	return at
}

// lineColumn counts both from 1, columns in characters, as all messages do.
func lineColumn(text []byte, at int) (line, column int) {
	before := string(text[:at])
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}
