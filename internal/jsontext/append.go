package jsontext

import (
	"bytes"
	"encoding/json"
)

// Append appends the text of a value, on one line with a space after each comma and colon.
func (v *Value) Append(b []byte) []byte {
	switch v.Kind {
	case Null:
		return append(b, "null"...)
	case Bool:
		if v.Truth {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case Number:
		return append(b, v.Text...)
	case String:
		return AppendString(b, v.Text)
	}
	brackets := "[]"
	if v.Kind == Object {
		brackets = "{}"
	}
	b = append(b, brackets[0])
	for i, x := range v.Items {
		if i > 0 {
			b = append(b, ", "...)
		}
		if v.Kind == Object {
			b = append(AppendString(b, v.Keys[i]), ": "...)
		}
		b = x.Append(b)
	}
	return append(b, brackets[1])
}

// Quoted is a string in quotes. What JSON lets stand stays as it is, such as < and &.
func Quoted(text string) string { return string(AppendString(nil, text)) }

// AppendString appends a string in quotes, as Quoted writes it.
func AppendString(b []byte, text string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // every string has a text
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
