package automata

import (
	"cmp"
	"errors"
	"slices"
)

// The characters of an automaton: its transitions on whole code points instead of bytes. Only an
// automaton whose strings are all UTF-8 has such a view. Its states are those that can stand
// between two characters.

// ErrNotText says that an automaton accepts byte strings that are no UTF-8.
var ErrNotText = errors.New("the automaton accepts byte strings that are no UTF-8 text")

// A charEdge goes to a state on any character of a set.
type charEdge struct {
	set runeSet
	to  int32
}

// A tail is what the last bytes of a character can be from a state on: the values that their
// payload bits form, with the state after them.
type tail struct {
	lo, hi rune
	to     int32
}

// A charReader finds the characters that lead out of a state.
type charReader struct {
	dfa   *DFA
	tails [4]map[int32][]tail // by the number of bytes that are missing, and state
}

func newCharReader(d *DFA) *charReader {
	c := &charReader{dfa: d}
	for i := range c.tails {
		c.tails[i] = map[int32][]tail{}
	}
	return c
}

// edges lists the characters that lead out of s, by the state that they lead to.
func (c *charReader) edges(s int32) ([]charEdge, error) {
	ranges := map[int32][]runeRange{}
	add := func(lo, hi rune, to int32) { ranges[to] = append(ranges[to], runeRange{lo, hi}) }
	for _, e := range c.dfa.edges(s) {
		for b := int(e.lo); b <= int(e.hi); b++ {
			missing, payload, least := leadByte(byte(b))
			if missing < 0 {
				return nil, ErrNotText
			}
			list, err := c.rest(e.to, missing)
			if err != nil {
				return nil, err
			}
			for _, t := range list {
				lo, hi := payload+t.lo, payload+t.hi
				if lo < least || hi > 0x10FFFF || lo <= surrogateMax && hi >= surrogateMin {
					return nil, ErrNotText
				}
				add(lo, hi, t.to)
			}
		}
	}
	var out []charEdge
	for to, list := range ranges {
		out = append(out, charEdge{newRuneSet(list...), to})
	}
	slices.SortFunc(out, func(a, b charEdge) int { return cmp.Compare(a.to, b.to) })
	return out, nil
}

// rest lists the tails of missing bytes from s on.
func (c *charReader) rest(s int32, missing int) ([]tail, error) {
	if missing == 0 {
		return []tail{{0, 0, s}}, nil
	}
	if list, ok := c.tails[missing][s]; ok {
		return list, nil
	}
	if c.dfa.Accepting(s) {
		return nil, ErrNotText
	}
	var out []tail
	for _, e := range c.dfa.edges(s) {
		if e.lo < 0x80 || e.hi > 0xBF {
			return nil, ErrNotText
		}
		list, err := c.rest(e.to, missing-1)
		if err != nil {
			return nil, err
		}
		for b := e.lo; b <= e.hi; b++ {
			payload := rune(b&0x3F) << (6 * (missing - 1))
			for _, t := range list {
				out = appendTail(out, tail{payload + t.lo, payload + t.hi, t.to})
			}
		}
	}
	c.tails[missing][s] = out
	return out, nil
}

// appendTail joins a tail to the last one where they touch.
func appendTail(list []tail, t tail) []tail {
	if n := len(list); n > 0 && list[n-1].to == t.to && list[n-1].hi+1 == t.lo {
		list[n-1].hi = t.hi
		return list
	}
	return append(list, t)
}

// leadByte is what the first byte of a character says: how many bytes follow it (-1 if it begins
// none), the value of its payload bits, and the least character that so many bytes may encode.
func leadByte(b byte) (missing int, payload, least rune) {
	switch {
	case b < 0x80:
		return 0, rune(b), 0
	case b >= 0xC0 && b < 0xE0:
		return 1, rune(b&0x1F) << 6, 0x80
	case b >= 0xE0 && b < 0xF0:
		return 2, rune(b&0x0F) << 12, 0x800
	case b >= 0xF0 && b < 0xF8:
		return 3, rune(b&0x07) << 18, 0x10000
	}
	return -1, 0, 0
}

// A CharEdge leads to a state on any character of some ranges.
type CharEdge struct {
	Ranges []RuneRange // sorted; they neither overlap nor touch
	To     int32
}

// ByCharacters is d read by characters instead of bytes: what it returns lists the edges of a state
// that stands between two characters, by the state that they lead to. The error is ErrNotText, if a
// string of d is no UTF-8.
func (d *DFA) ByCharacters() func(s int32) ([]CharEdge, error) {
	chars := newCharReader(d)
	return func(s int32) ([]CharEdge, error) {
		edges, err := chars.edges(s)
		list := make([]CharEdge, len(edges))
		for i, e := range edges {
			list[i] = CharEdge{e.set.ranges(), e.to}
		}
		return list, err
	}
}

// BreakingCharacters are the characters that break a context. It is not ok if the context asks for
// more than a character.
func (d *DFA) BreakingCharacters(context int32) (ranges []RuneRange, ok bool) {
	var broken []runeRange
	ok = true
	var least rune // that the first byte may begin
	var visit func(c int32, missing int, first rune)
	visit = func(c int32, missing int, first rune) {
		switch {
		case c == 0:
		case c == Dead:
			broken = append(broken, runeRange{max(first, least), first + 1<<(6*missing) - 1})
		case missing == 0:
			ok = false
		default:
			for b := range rune(0x40) {
				visit(d.NextContext(c, byte(0x80|b)), missing-1, first+b<<(6*(missing-1)))
			}
		}
	}
	for b := range 256 {
		missing, payload, lowest := leadByte(byte(b))
		if least = lowest; missing >= 0 {
			visit(d.NextContext(context, byte(b)), missing, payload)
		}
	}
	return newRuneSet(broken...).ranges(), ok
}
