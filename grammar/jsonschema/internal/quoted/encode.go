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
// The rows are written down when a text first comes to them (automata.OnDemand). A string of up to
// a thousand characters has 25,000 states, and its first mask comes to a few hundred.
//
// What bounds it: the rows that texts reach. Written down as a whole, escapes cost up to thirty
// states for each state.
package quoted

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/constants"
	"gcdbench/internal/index"
)

// Any is the automaton of all JSON strings.
var Any = constants.Of(&dfa.Constants, func() *automata.DFA {
	return Encode(automata.AnyText()).Whole()
})

// OtherKeys is the automaton of the JSON texts of all strings but keys: those that an object does
// not declare.
func OtherKeys(keys []string) (*automata.DFA, error) {
	d, err := automata.AnyText().Without(keys, dfa.Limits)
	if err != nil {
		return nil, err
	}
	return Encode(d), nil
}

// An encoder writes the rows of the automaton over JSON text. States are 0 before the opening quote
// and 1 after the closing one. Of the others every third is a state of d, the one after it what
// follows a backslash there, and the third of each three a node, a state inside of escapes, which
// is made when a row needs it.
type encoder struct {
	d       *automata.DFA
	bound   int // above the states of d
	classOf [256]uint8
	tails   []uint8         // the classes of bytes that continue a character
	leads   []uint8         // the classes of bytes that begin one above ASCII
	escaped []uint8         // the classes of characters that may be written as escapes
	spans   map[int32]tails // by state inside a character: what the rest of one leads to
	list    []span          // scratch
	one     [1]span         // scratch
	row     []int32         // scratch: a row of d, as ids
	layout  *columns        // where the rows have their bytes

	aboves    index.Index // by the targets of leads
	aboveKeys []int32
	above     []aboveASCII

	nodes     []node
	hexes     index.Index  // of digits
	digits    [][16]int32  // of the nodes that read a hexadecimal digit
	digitIDs  []int32      // of the same
	escs      index.Index  // of letters
	letters   []escapeNode // of the nodes after a backslash
	letterIDs []int32      // of the same
	before    memo         // nodes that read a backslash only, by target
	same      [4]memo      // uniform, by digits and target
	lows      memo         // lowSurrogate, by target if that is one
}

// A node is a state inside of an escape.
type node struct {
	kind nodeKind
	at   int32 // its number among those of the kind; of a backslash the target
}

type nodeKind uint8

const (
	digitNode     nodeKind = iota // reads a hexadecimal digit
	letterNode                    // reads what follows a backslash
	backslashNode                 // reads a backslash
)

// A memo maps ids to ids other than 0, which stands for none.
type memo map[int32]int32

func (m *memo) set(id, to int32) {
	if *m == nil {
		*m = memo{}
	}
	(*m)[id] = to
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
// accepts, on demand. d must accept valid UTF-8 only, and each of its states lead to acceptance.
func Encode(d *automata.DFA) *automata.DFA {
	if d.IsEmpty() {
		return d
	}
	e := newEncoder(d)
	return automata.OnDemand(e.layout.of, e.layout.n, e)
}

func newEncoder(d *automata.DFA) *encoder {
	e := &encoder{d: d, bound: d.Bound()}
	e.classOf, _ = d.Classes()
	e.layout = newColumns(&e.classOf)
	return e
}

// begin finds out about the classes, before the first row.
func (e *encoder) begin() {
	_, n := e.d.Classes()
	e.tails, e.leads = classesOf(&e.classOf, n, 0x80, 0xbf), classesOf(&e.classOf, n, 0xc2, 0xf4)
	e.escaped = e.escapedClasses()
	e.row, e.spans = make([]int32, n), map[int32]tails{}
}

// escapedClasses lists the classes of the bytes that begin a character which may be written as an
// escape.
func (e *encoder) escapedClasses() []uint8 {
	var list []uint8
	add := func(c uint8) {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for b := range byte(utf8.RuneSelf) {
		add(e.classOf[b])
	}
	for _, c := range e.leads {
		add(c)
	}
	return list
}

// escapes tells whether an escape may follow in a state with this row.
func (e *encoder) escapes(row []int32) bool {
	return e.isBetween(row) && slices.ContainsFunc(e.escaped, func(c uint8) bool { return row[c] >= 0 })
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
	return firstState + 3*s
}

// isBetween tells a state between characters, which can go on with a first byte or end.
func (e *encoder) isBetween(row []int32) bool {
	for _, c := range e.tails {
		if row[c] >= 0 {
			return false
		}
	}
	return true
}

// escapesOf is what follows a backslash in a state with this row.
func (e *encoder) escapesOf(row []int32) escapeNode {
	for c, to := range row {
		e.row[c] = e.of(to)
	}
	high := e.aboveOf(row)
	third := high.third
	for i := range int32(8) {
		third[i] = e.ascii(i)
	}
	second, first := high.second, high.first
	second[0] = e.hexNode(&third)
	first[0] = e.hexNode(&second)
	var node escapeNode
	for i, x := range shortEscapes {
		node[i] = e.row[e.classOf[x.char]]
	}
	node[8] = e.hexNode(&first)
	return node
}

// ascii is the node that reads the last digit of 16 code points, in the state with the row e.row.
func (e *encoder) ascii(i int32) int32 {
	t := noDigit
	live := false
	for j := range t {
		c := byte(i<<4) + byte(j)
		t[j] = e.row[e.classOf[c]]
		live = live || t[j] >= 0
	}
	if !live {
		return -1
	}
	return e.hexNode(&t)
}

// aboveOf is what \u does in a state with this row, beyond ASCII. It is valid until the next call.
func (e *encoder) aboveOf(row []int32) *aboveASCII {
	h, n := uint64(0), len(e.leads)
	key := e.aboveKeys
	for _, c := range e.leads {
		key = append(key, row[c])
		h = index.Mix(h ^ uint64(uint32(row[c])))
	}
	key = key[len(e.aboveKeys):]
	if i := e.aboves.Find(h, func(i int32) bool { return slices.Equal(e.aboveKeys[int(i)*n:int(i+1)*n], key) }); i >= 0 {
		return &e.above[i]
	}
	e.aboves.Add(h)
	e.aboveKeys = append(e.aboveKeys, key...)
	a, spans := aboveASCII{noDigit, noDigit, noDigit}, e.characters(row)
	for i := range rune(16) {
		if len(spans) == 0 {
			break
		}
		if i > 0 {
			a.first[i] = e.basic(spans, i<<12, 3)
			a.second[i] = e.basic(spans, i<<8, 2)
		}
		if i >= 8 {
			a.third[i] = e.basic(spans, i<<4, 1)
		}
	}
	e.above = append(e.above, a)
	return &e.above[len(e.above)-1]
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
	return e.after(first, size/16, func(lo rune) int32 { return e.basic(spans, lo, digits-1) })
}

// after is the node that reads one digit, each of which stands for size code points from first on.
func (e *encoder) after(first, size rune, after func(lo rune) int32) int32 {
	var t [16]int32
	for i := range t {
		t[i] = after(first + rune(i)*size)
	}
	return e.hexNode(&t)
}

// uniform is the node that reads any digits and then is in state to.
func (e *encoder) uniform(to int32, digits int) int32 {
	if digits == 0 || to < 0 {
		return to
	}
	id := e.same[digits][to]
	if id == 0 {
		next := e.uniform(to, digits-1)
		var t [16]int32
		for i := range t {
			t[i] = next
		}
		id = e.hexNode(&t)
		e.same[digits].set(to, id)
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
		if id := e.lows[key]; id != 0 {
			return id
		}
	}
	third, second, none := noDigit, noDigit, noLetter
	for i := range rune(4) {
		third[12+i] = e.low(spans, first+i<<8, 2)
	}
	second[0xd] = e.hexNode(&third)
	none[8] = e.hexNode(&second)
	id := e.backslash(e.escNode(&none))
	if key >= 0 {
		e.lows.set(key, id)
	}
	return id
}

// low reads the last digits of a low surrogate.
func (e *encoder) low(spans []span, first rune, digits int) int32 {
	size := rune(1) << (4 * digits)
	if constant(spans, first, first+size-1) {
		return e.uniform(e.lookup(spans, first), digits)
	}
	return e.after(first, size/16, func(lo rune) int32 { return e.low(spans, lo, digits-1) })
}

// noDigit and noLetter are the nodes that read nothing.
var (
	noDigit  = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
	noLetter = escapeNode{-1, -1, -1, -1, -1, -1, -1, -1, -1}
)

// add makes a node and returns its id.
func (e *encoder) add(kind nodeKind, at int32) int32 {
	e.nodes = append(e.nodes, node{kind, at})
	return firstState - 1 + 3*int32(len(e.nodes))
}

// hexNode interns a node that reads a hexadecimal digit; -1 if it has no transitions.
func (e *encoder) hexNode(t *[16]int32) int32 {
	if *t == noDigit {
		return -1
	}
	h := hashDigits(t)
	if i := e.hexes.Find(h, func(i int32) bool { return e.digits[i] == *t }); i >= 0 {
		return e.digitIDs[i]
	}
	id := e.add(digitNode, e.hexes.Add(h))
	e.digits, e.digitIDs = append(e.digits, *t), append(e.digitIDs, id)
	return id
}

// hashDigits is a hash of 16 targets.
func hashDigits(t *[16]int32) uint64 {
	h := uint64(0)
	for i := 0; i < 16; i += 4 {
		hi, lo := bits.Mul64(uint64(uint32(t[i]))<<32|uint64(uint32(t[i+1]))^0x9e3779b97f4a7c15, uint64(uint32(t[i+2]))<<32|uint64(uint32(t[i+3]))^0xbf58476d1ce4e5b9+uint64(i))
		h = h<<7 ^ h>>57 ^ hi ^ lo
	}
	return index.Mix(h)
}

// escNode interns a node after a backslash; -1 if it has no transitions.
func (e *encoder) escNode(t *escapeNode) int32 {
	if *t == noLetter {
		return -1
	}
	h := index.Hash(t[:])
	if i := e.escs.Find(h, func(i int32) bool { return e.letters[i] == *t }); i >= 0 {
		return e.letterIDs[i]
	}
	id := e.add(letterNode, e.escs.Add(h))
	e.letters, e.letterIDs = append(e.letters, *t), append(e.letterIDs, id)
	return id
}

// backslash interns a node that reads a backslash and goes on in to.
func (e *encoder) backslash(to int32) int32 {
	if to < 0 {
		return -1
	}
	id := e.before[to]
	if id == 0 {
		id = e.add(backslashNode, to)
		e.before.set(to, id)
	}
	return id
}
