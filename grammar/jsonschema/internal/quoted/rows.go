package quoted

import "gcdbench/grammar/automata"

// The rows of the automaton over JSON text, from the states of d and the nodes of its escapes.

// columns are the classes of bytes that the rows are written in: those of d, but each byte that is
// part of an escape, or ends a string, is in a class of its own. Classes are numbered by their
// first bytes, so that the classes of a list of ascending bytes ascend.
type columns struct {
	of     [256]uint8
	n      int
	raw    []rawColumn
	digits [22]digitColumn
	after  [9]letterColumn
	slash  uint8
	quote  uint8
	filled []uint8 // scratch
}

// A rawColumn is a class of bytes that stand for themselves, or begin an escape or end a string.
type rawColumn struct {
	class uint8
	b     byte  // the first of its bytes
	of    uint8 // its class in d
}

// A digitColumn is the class of a hexadecimal digit.
type digitColumn struct{ class, digit uint8 }

// A letterColumn is the class of a letter after a backslash; at is its place in an escapeNode.
type letterColumn struct{ class, at uint8 }

const (
	hexDigits = "0123456789ABCDEFabcdef" // ascending
	letters   = "\"/\\bfnrtu"            // what may follow a backslash, ascending
)

// letterAt are the places of letters in an escapeNode.
var letterAt = [9]uint8{0, 2, 1, 3, 4, 5, 6, 7, 8}

func newColumns(classOf *[256]uint8) *columns {
	const none = -1
	var special [256]bool
	for _, list := range []string{hexDigits, letters} {
		for i := range len(list) {
			special[list[i]] = true
		}
	}
	k := &columns{}
	number := [257]int{} // by class of d, and of the control characters: 1 + the class
	for b := range 256 {
		group := int(classOf[b])
		if b < ' ' {
			group = 256
		}
		c := number[group] + none
		if special[b] || c == none {
			c = k.n
			k.n++
			if !special[b] {
				number[group] = c + 1
			}
			if b >= ' ' {
				k.raw = append(k.raw, rawColumn{uint8(c), byte(b), classOf[b]})
			}
		}
		k.of[b] = uint8(c)
	}
	for i := range len(hexDigits) {
		digit := i
		if i >= 16 {
			digit = i - 6
		}
		k.digits[i] = digitColumn{k.of[hexDigits[i]], uint8(digit)}
	}
	for i := range len(letters) {
		k.after[i] = letterColumn{k.of[letters[i]], letterAt[i]}
	}
	k.slash, k.quote = k.of['\\'], k.of['"']
	return k
}

// Row writes the row of a state: see automata.Rows.
func (e *encoder) Row(id int32, to []int32) (filled []uint8) {
	if e.row == nil {
		e.begin()
	}
	k := e.layout
	filled = k.filled[:0]
	switch at := id - firstState; {
	case id == 0:
		to[k.quote] = e.of(0)
		filled = append(filled, k.quote)
	case id == closed:
	case at%3 < 2 && int(at/3) >= e.bound: // no state
	case at%3 == 0:
		filled = e.fillRaw(at/3, to, filled)
	case at%3 == 1:
		if row := e.d.Row(at / 3); e.escapes(row) {
			t := e.escapesOf(row)
			filled = e.fillLetters(&t, to, filled)
		}
	case int(at/3) < len(e.nodes):
		filled = e.fillNode(e.nodes[at/3], to, filled)
	}
	k.filled = filled
	return filled
}

// Accepting tells whether a state is after the closing quote.
func (e *encoder) Accepting(id int32) bool { return id == closed }

const (
	closed     = 1 // the state after the closing quote
	firstState = 2 // the first state of d
)

// Characters is the automaton over characters.
func (e *encoder) Characters() *automata.DFA { return e.d }

// Uncounted is the automaton over JSON text of the strings of any number of characters.
func (e *encoder) Uncounted() *automata.DFA { return Encode(e.d.Uncounted()) }

// Inside is the state of the automaton over characters that a state is in, and whether it is after
// a backslash there; at is negative for others: before and after the quotes, and inside of escapes.
func (e *encoder) Inside(id int32) (at int32, escaped bool) {
	if id < firstState || (id-firstState)%3 == 2 {
		return -1, false
	}
	return (id - firstState) / 3, (id-firstState)%3 == 1
}

// State is the inverse of Inside, for a state that is not after a backslash.
func (e *encoder) State(at int32) int32 { return e.of(at) }

// fillRaw writes the row of a state of d.
func (e *encoder) fillRaw(s int32, to []int32, filled []uint8) []uint8 {
	row := e.d.Row(s)
	for _, c := range e.layout.raw {
		next := int32(-1)
		switch {
		case c.b == '"':
			if e.d.Accepting(s) && e.isBetween(row) {
				next = closed
			}
		case c.b == '\\':
			if e.escapes(row) {
				next = firstState + 3*s + 1
			}
		default:
			next = e.of(row[c.of])
		}
		if next >= 0 {
			to[c.class] = next
			filled = append(filled, c.class)
		}
	}
	return filled
}

// fillLetters writes the row of what follows a backslash.
func (e *encoder) fillLetters(t *escapeNode, to []int32, filled []uint8) []uint8 {
	for _, c := range e.layout.after {
		if next := t[c.at]; next >= 0 {
			to[c.class] = next
			filled = append(filled, c.class)
		}
	}
	return filled
}

// fillNode writes the row of a node.
func (e *encoder) fillNode(x node, to []int32, filled []uint8) []uint8 {
	switch x.kind {
	case digitNode:
		t := &e.digits[x.at]
		for _, c := range e.layout.digits {
			if next := t[c.digit]; next >= 0 {
				to[c.class] = next
				filled = append(filled, c.class)
			}
		}
	case letterNode:
		return e.fillLetters(&e.letters[x.at], to, filled)
	case backslashNode:
		to[e.layout.slash] = x.at
		filled = append(filled, e.layout.slash)
	}
	return filled
}
