package jsontokens

import (
	"bytes"
	"slices"
)

// maxWord bounds the bytes of a word.
const maxWord = 64

// liked are the bytes that a word is written with, if it can be: ordinary ones first.
var liked = func() []byte {
	list := []byte("eatoinsrhldcumfpgwybvkxjqz0123456789EATOINSRHLDCUMFPGWYBVKXJQZ .-/:@_")
	for b := range 256 {
		if bytes.IndexByte(list, byte(b)) < 0 && b != '\\' {
			list = append(list, byte(b))
		}
	}
	return append(list, '\\')
}()

// Word is what a string may go on with in a state, up to its quote: as long as few bytes can be
// next, the first of them that is liked. Where many can, it is one that leads to a state that it
// stays in.
func (p *Profile) Word(q int32) (text []byte) {
	for len(text) < maxWord && p.phase(q) == inside {
		alive := p.alive(q)
		i := slices.IndexFunc(liked, func(b byte) bool { return b != '"' && alive.has(b) })
		if i < 0 {
			break
		}
		to := p.d.Next(q, liked[i])
		if alive.count() > maxLiteralBytes {
			if len(text) == 0 && to != q && p.d.Next(to, liked[i]) == to {
				text = append(text, liked[i])
			}
			break
		}
		text = append(text, liked[i])
		q = to
	}
	return text
}
