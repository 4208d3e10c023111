package oracle

import (
	"slices"

	"gcdbench/grammar"
)

// Completes tells whether a sentence begins with text and goes on for at most more letters, which
// are bytes and the texts of special tokens, by trying every continuation, shorter ones first. A
// branch is cut only where the text cannot be read at all.
func (c *Contract) Completes(text string, letters []string, more int) bool {
	begun, ok := c.extend(branch{places: c.begin()}, text)
	for exactly := 0; ok && exactly <= more; exactly++ {
		if c.endsBehind(begun, letters, exactly) {
			return true
		}
	}
	return false
}

// endsBehind tells whether a text may end so many letters behind a branch.
func (c *Contract) endsBehind(b branch, letters []string, more int) bool {
	if more == 0 {
		return c.endsAt(b)
	}
	return slices.ContainsFunc(letters, func(letter string) bool {
		longer, ok := c.extend(b, letter)
		return ok && c.endsBehind(longer, letters, more-1)
	})
}

// A branch is a text that can be read, with the places after it, so that a longer one need not be
// read from its beginning. Without a lexer there are no places.
type branch struct {
	text   string
	places []place
}

// extend reads on; ok is false if the longer text cannot be read at all.
func (c *Contract) extend(b branch, more string) (longer branch, ok bool) {
	longer.text = b.text + more
	if c.g.Lexer == grammar.LexDynamic {
		return longer, c.Legal(longer.text)
	}
	longer.places, ok = c.follow(b.places, more)
	return longer, ok
}

// endsAt tells whether the text of a branch may end.
func (c *Contract) endsAt(b branch) bool {
	if c.g.Lexer == grammar.LexDynamic {
		return c.End(b.text)
	}
	return slices.ContainsFunc(b.places, c.mayEnd)
}
