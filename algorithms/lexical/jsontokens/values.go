package jsontokens

import (
	"bytes"
	"slices"

	"gcdbench/grammar/automata"
)

// The first walk of all tokens from a place in a pattern can take milliseconds: a mail address, or
// a text of at most so many words, is not like any string that was met before. A value of it will
// be written, though, so its first places are walked ahead: after the quote, and along one word
// that the pattern accepts, where tokens are apt to end.

const (
	// maxWord is how many characters of a word are written as they come before it goes the shortest
	// way to its end.
	maxWord = 4
	// maxLook bounds the states that are looked at on that way.
	maxLook = 400
	// maxPlaces bounds the places of one terminal that are walked ahead.
	maxPlaces = 6
)

// Places are the states after the quote and along a word, where its characters change from
// letters to digits or to signs.
func (p *Profile) Places() (list []int32) {
	if p.freeForGood().state != automata.Dead || p.l.without&AheadValues != 0 {
		return nil
	}
	d := p.d
	text := word(d)
	q := d.Start()
	for i, b := range text {
		q = d.Next(q, b)
		if p.phase(q) != inside || len(list) == maxPlaces {
			return list
		}
		if n := len(list); i+1 < len(text) && sortOf(b) != sortOf(text[i+1]) && (n == 0 || list[n-1] != q) {
			list = append(list, q)
		}
	}
	return list
}

// The sorts of characters, as tokens tell them apart.
const (
	letters = iota
	digits
	signs
)

func sortOf(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return digits
	case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80:
		return letters
	}
	return signs
}

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

// representatives are the first of the liked bytes of each class of d, in their order.
func representatives(d *automata.DFA) (list []byte) {
	classOf, classes := d.Classes()
	seen := make([]bool, classes)
	for _, b := range liked {
		if c := classOf[b]; !seen[c] {
			seen[c] = true
			list = append(list, b)
		}
	}
	return list
}

// word is a word of d: some characters that keep it alive, and then the shortest way to an end. If
// none is near it is cut off.
func word(d *automata.DFA) []byte {
	q, text, list := d.Start(), []byte(nil), representatives(d)
	for range maxWord + 1 { // a quote, too
		for _, b := range list {
			if to := d.Next(q, b); to != automata.Dead {
				text, q = append(text, b), to
				break
			}
		}
	}
	return append(text, shortest(d, q, list)...)
}

// shortest is the shortest way from state q to an end, by the bytes of a list; nothing if none is
// near.
func shortest(d *automata.DFA, q int32, list []byte) (text []byte) {
	type step struct {
		state int32
		from  int
		by    byte
	}
	seen := map[int32]bool{q: true}
	way := []step{{q, -1, 0}}
	for i := 0; i < len(way) && len(way) < maxLook; i++ {
		if d.Accepting(way[i].state) {
			for k := i; k > 0; k = way[k].from {
				text = append(text, way[k].by)
			}
			slices.Reverse(text)
			return text
		}
		for _, b := range list {
			if to := d.Next(way[i].state, b); to != automata.Dead && !seen[to] {
				seen[to] = true
				way = append(way, step{to, i, b})
			}
		}
	}
	return nil
}
