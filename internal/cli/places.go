package cli

import (
	"encoding/json"
	"strconv"
	"strings"

	"gcdbench/internal/words"
)

// Places in a JSON text: the JSON pointer of a byte, where an instance is refused, and the line and
// column of a JSON pointer, where a keyword of a schema has a mistake.

// place is an object or array that is open at a byte of a JSON text.
type place struct {
	object bool
	key    string
	index  int
	inKey  bool // the next string is a key
}

// walkPlaces reads a JSON text up to a byte and returns the values that are open there. visit is
// called with each byte outside of strings, before it is read, and with each beginning of a string;
// it returns false to end the walk. A text that is not JSON has some places as well.
func walkPlaces(text []byte, offset int, visit func(i int, open []place) bool) (open []place) {
	for i := 0; i < offset && i < len(text); i++ {
		if !visit(i, open) {
			break
		}
		top := &place{}
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		switch text[i] {
		case '{', '[':
			open = append(open, place{object: text[i] == '{', inKey: text[i] == '{'})
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case ',':
			top.key, top.inKey = "", top.object
			top.index++
		case ':':
			top.inKey = false
		case '"':
			end := stringEnd(text, i)
			if end <= offset && top.inKey {
				top.key = unquoteJSON(text[i:end])
			}
			i = end - 1
		}
	}
	return open
}

// pointerOf is the JSON pointer of the innermost of some open values, or of its member or item at
// hand.
func pointerOf(open []place) string {
	var b strings.Builder
	for _, p := range open {
		switch {
		case !p.object:
			b.WriteString("/" + strconv.Itoa(p.index))
		case !p.inKey:
			b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p.key))
		}
	}
	return b.String()
}

// instancePlace is the JSON pointer of the value or key that begins at, or holds, the byte at
// offset. The text before offset is taken for the beginning of JSON, as it is for a text a grammar
// has accepted that far; "" is the whole instance.
func instancePlace(text []byte, offset int) string {
	return pointerOf(walkPlaces(text, offset, func(int, []place) bool { return true }))
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
	depth := strings.Count(pointer, "/")
	walkPlaces(text, len(text), func(i int, open []place) bool {
		begins := strings.IndexByte(" \t\n\r,:}]", text[i]) < 0 && len(open) == depth && (depth == 0 || !open[depth-1].inKey)
		if begins && pointerOf(open) == pointer {
			line, column = words.LineColumn(text, i)
		}
		return line == 0
	})
	return line, column
}
