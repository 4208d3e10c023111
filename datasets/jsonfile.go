package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"gcdbench/internal/jsontext"
)

// jsonText is a JSON text with its place, so that errors can say file, line and column.
type jsonText struct {
	name string // of the file; empty in errors if there is none
	line int    // of the text's first line, counted from 1; 0 is 1
	text []byte
	// whole is the text's only value, once check has let it pass.
	whole *jsontext.Value
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
	return d.at(1+k.lines, k.column+1)
}

// at is file:line:column of a line and column of the text.
func (d *jsonText) at(line, column int) string {
	place := fmt.Sprintf("%d:%d", max(d.line, 1)+line-1, column)
	if d.name == "" {
		return place
	}
	return d.name + ":" + place
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
	var err error
	d.whole, err = jsontext.Parse(d.name, d.text)
	var wrong *jsontext.SyntaxError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: not JSON: %s", d.at(wrong.Line, wrong.Column), wrong.Message)
	}
	return err
}

// The methods below take a text that check has let pass.

// content is a value as it is handed out, a copy.
func (d *jsonText) content(v *jsontext.Value) []byte {
	if d.laidOut {
		return appendOneLine(nil, d.text[v.From:v.To])
	}
	return bytes.Clone(d.text[v.From:v.To])
}

// kind says what a value is, with its article.
func kind(v *jsontext.Value) string {
	switch v.Kind {
	case jsontext.Null:
		return "null"
	case jsontext.Array, jsontext.Object:
		return "an " + v.Kind.String()
	}
	return "a " + v.Kind.String()
}

// fields stores the values of an object's members that want names; others are left alone. What
// names the object in errors.
func (d *jsonText) fields(object *jsontext.Value, what string, want map[string]**jsontext.Value) error {
	if object.Kind != jsontext.Object {
		return d.errorf(object.From, "%s must be an object, is %s", what, kind(object))
	}
	for _, name := range object.Repeated {
		if want[name] != nil {
			return d.errorf(object.From, "%q is given twice", name)
		}
	}
	for i, name := range object.Keys {
		if into := want[name]; into != nil {
			*into = object.Items[i]
		}
	}
	return nil
}

// list is the values of an array. What names it in errors.
func (d *jsonText) list(array *jsontext.Value, what string) ([]*jsontext.Value, error) {
	if array.Kind != jsontext.Array {
		return nil, d.errorf(array.From, "%s must be an array, is %s", what, kind(array))
	}
	return array.Items, nil
}

// str is the value of a string, or empty if there is none or it is null.
func (d *jsonText) str(v *jsontext.Value, what string) (string, error) {
	if v != nil && v.Kind != jsontext.Null && v.Kind != jsontext.String {
		return "", d.errorf(v.From, "%s must be a string, is %s", what, kind(v))
	}
	if v == nil {
		return "", nil
	}
	return v.Text, nil
}

// identifier is the value of a string, or a number as it is written, or fallback if there is none.
func (d *jsonText) identifier(v *jsontext.Value, what, fallback string) (string, error) {
	switch {
	case v == nil || v.Kind == jsontext.Null:
		return fallback, nil
	case v.Kind == jsontext.String || v.Kind == jsontext.Number:
		return v.Text, nil
	}
	return "", d.errorf(v.From, "%s must be a string or a number, is %s", what, kind(v))
}
