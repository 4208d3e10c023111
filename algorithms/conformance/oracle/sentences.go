package oracle

import "gcdbench/grammar"

// Completes tells whether a sentence begins with text and goes on for at most more letters, which
// are bytes and the texts of special tokens, by trying every continuation, shorter ones first. A
// branch is cut only where the text cannot be read at all.
func (c *Contract) Completes(text string, letters []string, more int) bool {
	layer := []string{text}
	for ; len(layer) > 0; more-- {
		var next []string
		for _, s := range layer {
			if s != "" && !c.readable(s) {
				continue
			}
			if c.End(s) {
				return true
			}
			if more == 0 {
				continue
			}
			for _, letter := range letters {
				next = append(next, s+letter)
			}
		}
		layer = next
	}
	return false
}

// readable tells whether a text can be read at all.
func (c *Contract) readable(text string) bool {
	if c.g.Lexer == grammar.LexDynamic {
		return c.Legal(text)
	}
	_, ok := c.read(text)
	return ok
}
