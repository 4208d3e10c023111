package judging

import "gcdbench/internal/jsontext"

// The place of a byte in a text names the cause of a refusal.

// where names the place at which a valid text is refused.
func (q *question) where(text []byte, at int) string {
	if at >= len(text) {
		return "the end"
	}
	b := text[at]
	class := classOf(b)
	if q.order == nil {
		if class > ' ' && class < 0x7F && class != '0' {
			return "punctuation"
		}
		return class.String()
	}
	place := jsonPlace(text[:at])
	switch {
	case place != inAString:
		return place + ": " + class.String()
	case b == '"':
		return "the end of a string"
	case b == '\\':
		return "an escape"
	case b < ' ' || b == 0x7F:
		return place + ": " + class.String()
	}
	return "a character of a string" // its value is seldom the reason
}

// inAString is the place of characters.
const inAString = "a string"

// jsonPlace names the place at the end of a JSON text.
func jsonPlace(text []byte) string {
	switch place := (jsontext.Cursor{}).After(text); {
	case place.Escape:
		return "an escape"
	case place.Quoted:
		return inAString
	case place.Number:
		return "a number"
	}
	return "between values"
}
