// Package quoted makes automata over the JSON text of strings. The constraints of a schema speak of
// decoded characters; a lexer reads the bytes between the quotes. Encode maps an automaton over
// UTF-8 to one over JSON string literals: every character may be written as itself (unless JSON
// forbids that), by its short escape, or as \uXXXX; outside of the basic plane as a surrogate pair.
// Lone surrogates denote no character and are left out.
//
// For a state between characters, the function from code points to next states is piecewise
// constant, with few pieces (spans.go). The hexadecimal digits are a trie over that function,
// built from the pieces, with equal subtries shared. The part of the trie above ASCII is the same
// for most states of a language, and is built once for them. A language that does not tell
// characters apart costs about 15 states for each of its own.
//
// What bounds it: large automata are encoded with fewer escapes (Spelling says which), since
// escapes cost up to thirty states for each state.
package quoted

import (
	"gcdbench/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/constants"
)

const (
	// plainStates is the size from which on an automaton over characters is encoded without \u
	// escapes of printable ASCII, which nobody needs: they cost about five states for each state.
	plainStates = 2000
	// literalStates is the size from which on characters above ASCII, too, are written as
	// themselves: where a pattern tells some of them apart, \u escapes cost thirty states for each
	// state, or most of the time of a compile. Strings of any counted length stay below it, as long
	// as their characters may be any.
	literalStates = 20_000
)

// Spelling says why not all escapes of the strings of an automaton are accepted; "" if they are.
func Spelling(d *automata.DFA) string {
	switch n := d.NumStates(); {
	case n > literalStates:
		return "the automaton is large, so characters must be written as themselves, not as \\u escapes, unless JSON asks for those"
	case n > plainStates:
		return "the automaton is large, so printable ASCII must be written as itself (a, not \\u0061)"
	}
	return ""
}

// Any is the automaton of all JSON strings.
var Any = constants.Of(&dfa.Constants, func() *automata.DFA {
	d, err := Encode(automata.AnyText())
	if err != nil {
		panic(err) // it has some twenty states
	}
	return d
})

// nothingAbove has no escapes.
var nothingAbove = aboveASCII{noDigit, noDigit, noDigit}

// A Machine is a deterministic automaton over the UTF-8 of strings: a *automata.DFA, or one that is
// only written down to be encoded (keySet). State 0 is the start.
type Machine interface {
	NumStates() int
	Accepting(s int32) bool
	Row(s int32) []int32 // by class
	Classes() (classOf [256]uint8, n int)
}

// An encoder builds the automaton over JSON text.
type encoder struct {
	d       Machine
	classOf [256]uint8
	plain   bool                // no \u escapes of printable ASCII
	literal bool                // nor of anything above ASCII
	tails   []uint8             // the classes of bytes that continue a character
	leads   []uint8             // the classes of bytes that begin one above ASCII
	spans   map[[2]int32][]span // by state inside a character and bytes missing
	above   map[string]*aboveASCII
	key     []byte

	hex    map[[16]int32]int32  // nodes that read a hexadecimal digit, by what they do
	escs   map[escapeNode]int32 // nodes after a backslash
	before map[int32]int32      // nodes that read a backslash only, by target
	same   map[[2]int32]int32   // uniform, by target and digits
	lows   map[int32]int32      // lowSurrogate, by target if that is one

	states      int32
	transitions []automata.Transition
}

// An escapeNode has the states after each letter of shortEscapes, then the one after u; -1 for
// none.
type escapeNode [9]int32

var shortEscapes = [8]struct{ letter, char byte }{
	{'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
}

// An aboveASCII is what the nodes of \uXXXX do for code points from 0x80 on: those that read the
// first, second and third digit, the latter two after zeros. What leads to ASCII is left open.
type aboveASCII struct{ first, second, third [16]int32 }

// Encode is the automaton of the JSON string literals, quotes included, whose characters d
// accepts. d must be minimal and accept valid UTF-8 only.
func Encode(d Machine) (*automata.DFA, error) {
	if x, ok := d.(*automata.DFA); ok && x.IsEmpty() {
		return x, nil
	}
	e := newEncoder(d)
	e.edge(0, '"', '"', e.of(0))
	for s := range int32(d.NumStates()) {
		row := d.Row(s)
		e.raw(s, row)
		if e.between(row) {
			if d.Accepting(s) {
				e.edge(e.of(s), '"', '"', 1)
			}
			e.escapes(s, row)
		}
	}
	// Nothing is left to minimize. States of d stay different, since every character can be
	// written in some way. Nodes are interned by what they do, and each is made for a state that
	// reaches it.
	return automata.FromMinimal(int(e.states), []int32{1}, e.transitions, dfa.Limits)
}

// newEncoder numbers the states: 0 before the opening quote, 1 after the closing one, then those of
// d, then nodes.
func newEncoder(d Machine) *encoder {
	n := d.NumStates()
	e := &encoder{
		d: d, plain: n > plainStates, literal: n > literalStates, states: int32(n) + 2, transitions: make([]automata.Transition, 0, 12*n),
		spans: map[[2]int32][]span{}, above: map[string]*aboveASCII{},
		hex: make(map[[16]int32]int32, 2*n), escs: make(map[escapeNode]int32, n/2), before: map[int32]int32{},
		same: map[[2]int32]int32{}, lows: map[int32]int32{},
	}
	e.classOf, n = d.Classes()
	e.tails, e.leads = classesOf(&e.classOf, n, 0x80, 0xbf), classesOf(&e.classOf, n, 0xc2, 0xf4)
	return e
}

// classesOf lists the classes of the bytes lo..hi.
func classesOf(classOf *[256]uint8, n int, lo, hi int) []uint8 {
	var list []uint8
	seen := make([]bool, n)
	for b := lo; b <= hi; b++ {
		if c := classOf[b]; !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	return list
}

// of is the number of a state of d; -1 for no state.
func (e *encoder) of(s int32) int32 {
	if s < 0 {
		return -1
	}
	return s + 2
}

func (e *encoder) edge(from int32, lo, hi byte, to int32) {
	e.transitions = append(e.transitions, automata.Transition{From: from, Lo: lo, Hi: hi, To: to})
}

// between tells a state between characters, which can go on with a first byte or end.
func (e *encoder) between(row []int32) bool {
	for _, c := range e.tails {
		if row[c] >= 0 {
			return false
		}
	}
	return true
}

// raw copies the transitions of s on bytes that may stand for themselves.
func (e *encoder) raw(s int32, row []int32) {
	for _, part := range [][2]int{{0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, 0xff}} {
		for lo := part[0]; lo <= part[1]; {
			to, hi := row[e.classOf[lo]], lo
			for hi < part[1] && row[e.classOf[hi+1]] == to {
				hi++
			}
			if to >= 0 {
				e.edge(e.of(s), byte(lo), byte(hi), e.of(to))
			}
			lo = hi + 1
		}
	}
}

// escapes adds what a backslash begins in state s.
func (e *encoder) escapes(s int32, row []int32) {
	high := e.aboveOf(row)
	third := high.third
	for i := range int32(8) {
		third[i] = e.ascii(row, i)
	}
	second, first := high.second, high.first
	second[0] = e.hexNode(third)
	first[0] = e.hexNode(second)
	var node escapeNode
	for i, x := range shortEscapes {
		node[i] = e.of(row[e.classOf[x.char]])
	}
	node[8] = e.hexNode(first)
	if id := e.escNode(node); id >= 0 {
		e.edge(e.of(s), '\\', '\\', id)
	}
}

// ascii is the node that reads the last digit of 16 code points.
func (e *encoder) ascii(row []int32, i int32) int32 {
	var t [16]int32
	for j := range t {
		c := byte(i<<4) + byte(j)
		if e.plain && c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			t[j] = -1
		} else {
			t[j] = e.of(row[e.classOf[c]])
		}
	}
	return e.hexNode(t)
}

// aboveOf is what \u does in a state with this row, beyond ASCII.
func (e *encoder) aboveOf(row []int32) *aboveASCII {
	if e.literal {
		return &nothingAbove
	}
	e.key = e.key[:0]
	for _, c := range e.leads {
		to := row[c]
		e.key = append(e.key, byte(to), byte(to>>8), byte(to>>16), byte(to>>24))
	}
	if a, ok := e.above[string(e.key)]; ok {
		return a
	}
	key := string(e.key)
	a, spans := &aboveASCII{}, e.characters(row)
	for i := range rune(16) {
		if i > 0 {
			a.first[i] = e.basic(spans, i<<12, 3)
			a.second[i] = e.basic(spans, i<<8, 2)
		}
		if i >= 8 {
			a.third[i] = e.basic(spans, i<<4, 1)
		}
	}
	e.above[key] = a
	return a
}

// basic is the node that reads the last digits of \uXXXX, of the code points from first on; 0x10000
// and above are reached through surrogates. It is -1 if nothing is accepted.
func (e *encoder) basic(spans []span, first rune, digits int) int32 {
	size := rune(1) << (4 * digits)
	high := first < 0xdc00 && 0xd800 < first+size
	if first >= 0xd800 && first+size <= 0xdc00 {
		// Only high surrogates, each of which stands for 1,024 code points.
		above := 0x10000 + (first-0xd800)<<10
		if constant(spans, above, above+size<<10-1) {
			return e.uniform(e.lowSurrogate(spans, above), digits)
		}
	} else if !high && constant(spans, first, first+size-1) {
		return e.uniform(e.lookup(spans, first), digits)
	}
	if digits == 0 {
		return e.lowSurrogate(spans, 0x10000+(first-0xd800)<<10)
	}
	return e.digits(first, size/16, func(lo rune) int32 { return e.basic(spans, lo, digits-1) })
}

// digits is the node that reads one digit, each of which stands for size code points from first on.
func (e *encoder) digits(first, size rune, after func(lo rune) int32) int32 {
	var t [16]int32
	for i := range t {
		t[i] = after(first + rune(i)*size)
	}
	return e.hexNode(t)
}

// uniform is the node that reads any digits and then is in state to.
func (e *encoder) uniform(to int32, digits int) int32 {
	if digits == 0 || to < 0 {
		return to
	}
	key := [2]int32{to, int32(digits)}
	id, ok := e.same[key]
	if !ok {
		next := e.uniform(to, digits-1)
		id = e.digits(0, 1, func(rune) int32 { return next })
		e.same[key] = id
	}
	return id
}

// lowSurrogate is the node that reads the \uDC00 to \uDFFF after a high surrogate whose code points
// begin at first.
func (e *encoder) lowSurrogate(spans []span, first rune) int32 {
	key := int32(-1)
	if constant(spans, first, first+1023) {
		key = e.lookup(spans, first)
		if key < 0 {
			return -1
		}
		if id, ok := e.lows[key]; ok {
			return id
		}
	}
	third, second, none := noDigit, noDigit, escapeNode{-1, -1, -1, -1, -1, -1, -1, -1, -1}
	for i := range rune(4) {
		third[12+i] = e.low(spans, first+i<<8, 2)
	}
	second[0xd] = e.hexNode(third)
	none[8] = e.hexNode(second)
	id := e.backslash(e.escNode(none))
	if key >= 0 {
		e.lows[key] = id
	}
	return id
}

// low reads the last digits of a low surrogate.
func (e *encoder) low(spans []span, first rune, digits int) int32 {
	size := rune(1) << (4 * digits)
	if constant(spans, first, first+size-1) {
		return e.uniform(e.lookup(spans, first), digits)
	}
	return e.digits(first, size/16, func(lo rune) int32 { return e.low(spans, lo, digits-1) })
}

// noDigit is the node that reads nothing.
var noDigit = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}

// fresh numbers a new node.
func (e *encoder) fresh() int32 {
	e.states++
	return e.states - 1
}

// hexNode interns a node that reads a hexadecimal digit; -1 if it has no transitions.
func (e *encoder) hexNode(t [16]int32) int32 {
	if t == noDigit {
		return -1
	}
	id, ok := e.hex[t]
	if ok {
		return id
	}
	id = e.fresh()
	e.hex[t] = id
	for _, part := range [][2]int{{0, 9}, {10, 15}} {
		for lo := part[0]; lo <= part[1]; {
			hi := lo
			for hi < part[1] && t[hi+1] == t[lo] {
				hi++
			}
			if t[lo] >= 0 {
				e.edge(id, hexDigits[lo], hexDigits[hi], t[lo])
				if lo >= 10 {
					e.edge(id, hexDigits[lo]-32, hexDigits[hi]-32, t[lo])
				}
			}
			lo = hi + 1
		}
	}
	return id
}

const hexDigits = "0123456789abcdef"

// escNode interns a node after a backslash; -1 if it has no transitions.
func (e *encoder) escNode(t escapeNode) int32 {
	if t == (escapeNode{-1, -1, -1, -1, -1, -1, -1, -1, -1}) {
		return -1
	}
	id, ok := e.escs[t]
	if ok {
		return id
	}
	id = e.fresh()
	e.escs[t] = id
	for i, x := range shortEscapes {
		if t[i] >= 0 {
			e.edge(id, x.letter, x.letter, t[i])
		}
	}
	if t[8] >= 0 {
		e.edge(id, 'u', 'u', t[8])
	}
	return id
}

// backslash interns a node that reads a backslash and goes on in to.
func (e *encoder) backslash(to int32) int32 {
	if to < 0 {
		return -1
	}
	id, ok := e.before[to]
	if !ok {
		id = e.fresh()
		e.before[to] = id
		e.edge(id, '\\', '\\', to)
	}
	return id
}
