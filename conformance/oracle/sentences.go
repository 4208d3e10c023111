package oracle

// Completes tells whether a sentence begins with text and goes on for at most more bytes, all from
// the alphabet, by trying every continuation, shorter ones first. A branch is cut only where the
// text cannot be read at all.
func (c *Contract) Completes(text, alphabet string, more int) bool {
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
			for i := range len(alphabet) {
				next = append(next, s+alphabet[i:i+1])
			}
		}
		layer = next
	}
	return false
}
