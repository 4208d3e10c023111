package spanner

import (
	"gcdbench/tokenizers"
)

// Inside of a name, a number, a string or a comment most tokens lead a lexer back to where it is,
// or end inside of a character on the way back. Where that holds for all that is below a node of
// the prefix tree, the walk takes the subtree whole. On the 923 lexer states of Python that leaves
// 260,265 of 1,135,314 steps, with the vocabulary of Llama 3.

// stays tells whether all tokens below node i, whose byte led to p, emit nothing and leave the
// pending lexeme what it can become.
func (w *walk) stays(i int, p place) bool {
	kinds := w.trie.Below(i)
	if kinds&tokenizers.BeyondBytes == 0 {
		return w.loopsOn(p, kinds)
	}
	x := w.insideOf(p)
	return x.home >= 0 && w.trie.WellFormed(i, x.state) && w.loopsOn(x.home, kinds&^tokenizers.BeyondBytes)
}

// loops are the kinds of bytes of which all lead from a place to itself, as far as that was asked:
// all digits inside of most numbers, all letters inside of a name.
type loops struct{ asked, yes tokenizers.ByteKinds }

// loopsOn tells whether all bytes of some kinds lead from p to itself.
func (w *walk) loopsOn(p place, kinds tokenizers.ByteKinds) bool {
	for len(w.loops) <= int(p) {
		w.loops = append(w.loops, loops{})
	}
	for left := kinds &^ w.loops[p].yes; left != 0; left &= left - 1 {
		kind := left & -left
		if w.loops[p].asked&kind != 0 {
			return false
		}
		w.loops[p].asked |= kind
		if !w.loopsOnAll(p, kind) {
			return false
		}
		w.loops[p].yes |= kind
	}
	return true
}

// loopsOnAll is loopsOn for one kind, for the first time.
func (w *walk) loopsOnAll(p place, kind tokenizers.ByteKinds) bool {
	for _, b := range tokenizers.BytesOf(kind) {
		if at := w.places[p]; at.column.kind == columnNone {
			if !w.lex.Stays(at.q, b) {
				return false
			}
		} else if to, ok := w.silently(p, b); !ok || to != p {
			return false
		}
	}
	return true
}

// silently reads a byte from p; ok is false if it is illegal, or ends a lexeme.
func (w *walk) silently(p place, b byte) (to place, ok bool) {
	to, emitted, next, ok := w.step(p, b, 0)
	return to, ok && emitted == silent && next == 0
}

// An inside says that a place is at home, or inside of a character on the way back there: every
// character beyond ASCII leads from home to home. home is -1 if there is none.
type inside struct {
	home  place
	state tokenizers.CharacterState // at home 0
	asked bool                      // whether the place is a home
}

// insideOf is where a place is.
func (w *walk) insideOf(p place) inside {
	w.knowInside(p)
	if x := w.inside[p]; x.asked || x.home >= 0 {
		return x
	}
	w.inside[p].asked = true
	way := w.wayHome(p)
	for _, x := range way {
		w.knowInside(x.at)
		w.inside[x.at] = inside{home: p, state: x.state, asked: true}
	}
	return w.inside[p]
}

// knowInside makes room for what is known of a place.
func (w *walk) knowInside(p place) {
	for len(w.inside) <= int(p) {
		w.inside = append(w.inside, inside{home: -1})
	}
}

// A passage is a place on the way home.
type passage struct {
	at    place
	state tokenizers.CharacterState
}

// maxPassages bounds the places inside of characters. A lexer has seven that tell apart no more
// than what well-formed text is.
const maxPassages = 16

// wayHome is p and all places inside of characters that begin there, if all of these lead back to
// p, emit nothing and can become the same terminals; nil otherwise.
func (w *walk) wayHome(p place) []passage {
	if half, ok := w.silently(p, 0xC2); !ok { // one character tells most places that are no homes
		return nil
	} else if to, ok := w.silently(half, 0x80); !ok || to != p {
		return nil
	}
	way := []passage{{p, 0}}
	seen := map[passage]bool{}
	for i := 0; i < len(way); i++ {
		for b := 0x80; b < 0x100; b++ {
			state, ok := way[i].state.Next(byte(b))
			if !ok {
				continue
			}
			to, ok := w.silently(way[i].at, byte(b))
			switch {
			case !ok || (state == 0) != (to == p) || w.reachOf(to) != w.reachOf(p):
				return nil
			case state != 0 && !seen[passage{to, state}]:
				if len(way) == maxPassages {
					return nil
				}
				seen[passage{to, state}] = true
				way = append(way, passage{to, state})
			}
		}
	}
	return way
}
