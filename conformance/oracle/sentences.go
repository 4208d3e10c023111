package oracle

// Completes tells whether a sentence begins with text and goes on for at most more letters, which
// are bytes and the texts of special tokens, by trying every continuation, shorter ones first. A
// branch is cut only where the text cannot be read at all.
func (c *Contract) Completes(text string, letters []string, more int) bool {
	layer := []string{text}
	for ; len(layer) > 0; more-- {
		var next []string
		for _, s := range layer {
			if s != "" {
				if _, ok := c.read(s); !ok {
					continue
				}
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
