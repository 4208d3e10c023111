package jsontext

// Cursor is a place in a JSON text that may be incomplete, as far as strings and numbers go. The
// zero value is the beginning of a text.
type Cursor struct {
	Quoted bool // in a string
	Escape bool // after a backslash there
	Number bool // in a number
}

// Step reads a byte.
func (c *Cursor) Step(b byte) {
	switch {
	case c.Escape:
		c.Escape = false
	case c.Quoted && b == '\\':
		c.Escape = true
	case b == '"':
		c.Quoted, c.Number = !c.Quoted, false
	case !c.Quoted:
		c.Number = b >= '0' && b <= '9' || b == '-' || c.Number && (b == '.' || b|' ' == 'e' || b == '+')
	}
}

// After is the place after some more text.
func (c Cursor) After(text []byte) Cursor {
	for _, b := range text {
		c.Step(b)
	}
	return c
}
