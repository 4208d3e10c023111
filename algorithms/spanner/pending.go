package spanner

import "gcdbench/lexer"

// Pending appends the parts of lexer state q to dst if a JSON string is pending there and Quoted can be asked
// about any of them; else it appends nothing. It builds nothing.
func (s *Spanner) Pending(dst []lexer.Part, q lexer.State) []lexer.Part {
	strings := s.Strings()
	if strings == nil || q == s.rec.Lexer.Start() {
		return dst
	}
	n := len(dst)
	dst = s.quoted.lex.Parts(dst, q)
	for _, p := range dst[n:] {
		if strings[p.Terminal>>6]&(1<<(uint(p.Terminal)&63)) == 0 {
			return dst[:n]
		}
	}
	return dst
}
