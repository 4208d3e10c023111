package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// jsonText is a JSON text with its place, so that errors can say file, line and column.
type jsonText struct {
	name string // of the file; empty in errors if there is none
	line int    // of the text's first line, counted from 1; 0 is 1
	text []byte
	// laidOut is whether values are handed out on one line instead of as they are.
	laidOut bool
	// known is the last place that was asked for. The next one mostly follows it, so that a text of a
	// million values is counted once and not a million times.
	known struct{ at, lines, column int }
}

// place is file:line:column of an offset. Columns count characters.
func (d *jsonText) place(at int) string {
	k := &d.known
	if at < k.at {
		*k = struct{ at, lines, column int }{}
	}
	between := d.text[k.at:at]
	k.at = at
	if end := bytes.LastIndexByte(between, '\n'); end >= 0 {
		k.lines += bytes.Count(between, []byte{'\n'})
		k.column = 0
		between = between[end+1:]
	}
	k.column += utf8.RuneCount(between)
	line := max(d.line, 1) + k.lines
	if d.name == "" {
		return fmt.Sprintf("%d:%d", line, k.column+1)
	}
	return fmt.Sprintf("%s:%d:%d", d.name, line, k.column+1)
}

// errorf is an error at an offset.
func (d *jsonText) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{d.place(at)}, args...)...)
}

// check refuses a text that is not one JSON value in UTF-8.
func (d *jsonText) check() error {
	if at := invalidUTF8(d.text); at >= 0 {
		return d.errorf(at, "%s", notUTF8("the text", d.text))
	}
	s := jsonScanner{text: d.text}
	_, err := s.value(nil)
	if err == nil {
		err = s.end()
	}
	if e, ok := err.(*jsonError); ok {
		return d.errorf(e.at, "not JSON: %s", e.what)
	}
	return err
}

// whole is the span of the text's only value.
func (d *jsonText) whole() span {
	trimmed := bytes.TrimLeft(d.text, " \t\r\n")
	return span{len(d.text) - len(trimmed), len(bytes.TrimRight(d.text, " \t\r\n"))}
}

// The methods below take a text that check has let pass.

// content is a value as it is handed out, a copy.
func (d *jsonText) content(v span) []byte {
	if d.laidOut {
		return appendOneLine(nil, d.text[v.from:v.to])
	}
	return bytes.Clone(d.text[v.from:v.to])
}

// kind says what a value is, with its article.
func (d *jsonText) kind(v span) string {
	switch d.text[v.from] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// fields stores the values of an object's members that want names; others are left alone. What
// names the object in errors.
func (d *jsonText) fields(object span, what string, want map[string]*span) error {
	if d.text[object.from] != '{' {
		return d.errorf(object.from, "%s must be an object, is %s", what, d.kind(object))
	}
	s := jsonScanner{text: d.text, at: object.from}
	list, err := s.members()
	if err != nil {
		return err
	}
	for _, m := range list {
		into := want[m.name]
		switch {
		case into == nil:
		case *into != span{}:
			return d.errorf(m.at, "%q is given twice", m.name)
		default:
			*into = m.value
		}
	}
	return nil
}

// list is the values of an array. What names it in errors.
func (d *jsonText) list(array span, what string) ([]span, error) {
	if d.text[array.from] != '[' {
		return nil, d.errorf(array.from, "%s must be an array, is %s", what, d.kind(array))
	}
	s := jsonScanner{text: d.text, at: array.from}
	return s.items()
}

// str is the value of a string, or empty if there is none or it is null.
func (d *jsonText) str(v span, what string) (string, error) {
	if v == (span{}) || d.text[v.from] == 'n' {
		return "", nil
	}
	var value string
	if d.text[v.from] != '"' {
		return "", d.errorf(v.from, "%s must be a string, is %s", what, d.kind(v))
	}
	if err := json.Unmarshal(d.text[v.from:v.to], &value); err != nil {
		return "", d.errorf(v.from, "%s: %w", what, err)
	}
	return value, nil
}

// identifier is the value of a string, or a number as it is written, or fallback if there is none.
func (d *jsonText) identifier(v span, what, fallback string) (string, error) {
	if v == (span{}) {
		return fallback, nil
	}
	if k := d.kind(v); k != "a string" && k != "a number" && k != "null" {
		return "", d.errorf(v.from, "%s must be a string or a number, is %s", what, k)
	}
	return documentID(d.text[v.from:v.to], fallback)
}
