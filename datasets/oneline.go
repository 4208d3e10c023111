package datasets

// CheckJSON refuses a text that is not one JSON value in UTF-8. The error says what was expected
// and at which line and column. It takes linear time, and a byte a level of nesting.
func CheckJSON(text []byte) error { return (&jsonText{text: text}).check() }

// appendOneLine appends a text that is known to be JSON to dst, laid out as Python's
// json.dumps(value, ensure_ascii=False) does with its default separators: on one line, ", " after a
// value and ": " after a name, no other white space. Strings and numbers stay byte for byte as they
// are, where Python would write \u00e9 as é and 1e-7 as 1e-07; a member that is given twice stays
// twice. So the value is the same, and so are the choices that a corpus makes in its bytes (1.0 or
// 1, an escape or a character).
//
// The time is linear, and the depth of nesting is bounded by memory (a byte a level) and not by the
// stack.
func appendOneLine(dst, text []byte) []byte {
	s := jsonScanner{text: text}
	_, err := s.value(func(token []byte) {
		dst = append(dst, token...)
		if c := token[0]; c == ',' || c == ':' {
			dst = append(dst, ' ')
		}
	})
	if err != nil {
		panic("datasets: the text was to be JSON: " + err.Error())
	}
	return dst
}
