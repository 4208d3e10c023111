package datasets

import "gcdbench/internal/jsontext"

// CheckJSON refuses a text that is not one JSON value in UTF-8. The error says what was expected
// and at which line and column.
func CheckJSON(text []byte) error { return (&jsonText{text: text}).check() }

// appendOneLine appends a text that is known to be JSON to dst, laid out as Python's
// json.dumps(value, ensure_ascii=False) does with its default separators: on one line, ", " after a
// value and ": " after a name, no other white space. Strings and numbers stay byte for byte as they
// are, where Python would write \u00e9 as é and 1e-7 as 1e-07; a member that is given twice stays
// twice. So the value is the same, and so are the choices that a corpus makes in its bytes (1.0 or
// 1, an escape or a character).
func appendOneLine(dst, text []byte) []byte {
	var at jsontext.Cursor
	for _, c := range text {
		switch {
		case !at.Quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		case !at.Quoted && (c == ',' || c == ':'):
			dst = append(dst, c, ' ')
		default:
			dst = append(dst, c)
		}
		at.Step(c)
	}
	return dst
}
