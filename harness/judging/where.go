package judging

// Where in a text a byte is, for the causes by which refusals are counted.

// where says at what byte a valid text is refused.
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
	return "a character of a string" // which one is seldom the reason
}

// inAString is what jsonPlace says of characters.
const inAString = "a string"

// jsonPlace says where in a JSON text its end is.
func jsonPlace(text []byte) string {
	quoted, escape := false, false
	number := false
	for _, c := range text {
		switch {
		case escape:
			escape = false
		case quoted && c == '\\':
			escape = true
		case c == '"':
			quoted, number = !quoted, false
		case !quoted:
			number = c >= '0' && c <= '9' || c == '-' || number && (c == '.' || c|' ' == 'e' || c == '+')
		}
	}
	switch {
	case escape:
		return "an escape"
	case quoted:
		return inAString
	case number:
		return "a number"
	}
	return "between values"
}
