package jsonschema

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"gcdbench/automata"
)

// JSON text of a string language. The constraints of a schema speak about decoded characters; the
// lexer reads the bytes between the quotes. encodeStrings maps an automaton over UTF-8 to one over
// JSON string literals: every character may be written as itself (unless JSON forbids that), by its
// short escape, or as \uXXXX, outside of the basic plane as a surrogate pair. Lone surrogates denote
// no character and are left out.
//
// For a state between characters, the function from code points to next states is piecewise
// constant, with few pieces. The hexadecimal digits are a trie over that function, built from the
// pieces, with equal subtries shared; a language that does not care about characters costs about 15
// states for each of its own.

// A span sends the code points lo..hi to a state.
type span struct {
	lo, hi rune
	to     int32
}

// plainStates is the size from which on an automaton over characters is encoded without \u escapes of
// printable ASCII, which nobody needs: they cost about five states for each of its own.
const plainStates = 2000

// withoutPrintable drops the printable ASCII characters that JSON need not escape.
func withoutPrintable(spans []span) []span {
	var list []span
	keep := func(lo, hi rune, to int32) {
		if lo <= hi {
			list = append(list, span{lo, hi, to})
		}
	}
	for _, x := range spans {
		for _, part := range [][2]rune{{0, ' ' - 1}, {'"', '"'}, {'\\', '\\'}, {0x7f, 0x10ffff}} {
			keep(max(x.lo, part[0]), min(x.hi, part[1]), x.to)
		}
	}
	return list
}

// An encoder builds the automaton over JSON text.
type encoder struct {
	d           *automata.DFA
	plain       bool                // no \u escapes of printable ASCII
	spans       map[[2]int32][]span // by state inside a character and bytes missing
	nodes       map[string]int32    // hexadecimal nodes by what they do
	same        map[[2]int32]int32  // uniform, by target and digits
	lows        map[int32]int32     // lowSurrogate, by target if that is one
	states      int32
	transitions []automata.Transition
}

var shortEscapes = []struct{ letter, char byte }{
	{'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
}

// encodeStrings returns the automaton of the JSON string literals, quotes included, whose characters
// d accepts. d must accept valid UTF-8 only.
func encodeStrings(d *automata.DFA, lim automata.Limits) (*automata.DFA, error) {
	if d.IsEmpty() {
		return d, nil
	}
	// State numbers: 0 before the opening quote, 1 after the closing one, then those of d, then nodes.
	e := &encoder{d: d, plain: d.NumStates() > plainStates, spans: map[[2]int32][]span{}, nodes: map[string]int32{}, same: map[[2]int32]int32{}, lows: map[int32]int32{}, states: int32(d.NumStates()) + 2}
	e.edge(0, '"', '"', e.of(d.Start()))
	between := e.between()
	for s := range int32(d.NumStates()) {
		e.raw(s, between[s])
		if between[s] {
			if d.Accepting(s) {
				e.edge(e.of(s), '"', '"', 1)
			}
			e.escapes(s)
		}
	}
	return automata.FromTransitions(int(e.states), []int32{1}, e.transitions, lim)
}

func (e *encoder) of(s int32) int32 { return s + 2 }

func (e *encoder) edge(from int32, lo, hi byte, to int32) {
	e.transitions = append(e.transitions, automata.Transition{From: from, Lo: lo, Hi: hi, To: to})
}

// between marks the states between characters: those that can go on with a first byte or end.
func (e *encoder) between() []bool {
	between := make([]bool, e.d.NumStates())
	for s := range between {
		between[s] = true
		for b := 0x80; b < 0xc0; b++ {
			if e.d.Next(int32(s), byte(b)) != automata.Dead {
				between[s] = false
				break
			}
		}
	}
	return between
}

// raw copies the transitions of s on bytes that may stand for themselves.
func (e *encoder) raw(s int32, between bool) {
	for lo := 0x20; lo < 0x100; {
		to := e.d.Next(s, byte(lo))
		hi := lo
		for hi+1 < 0x100 && e.d.Next(s, byte(hi+1)) == to {
			hi++
		}
		if to != automata.Dead {
			e.rawRange(s, lo, hi, to)
		}
		lo = hi + 1
	}
}

func (e *encoder) rawRange(s int32, lo, hi int, to int32) {
	for _, special := range []int{'"', '\\'} {
		if lo <= special && special <= hi {
			if lo < special {
				e.rawRange(s, lo, special-1, to)
			}
			if special < hi {
				e.rawRange(s, special+1, hi, to)
			}
			return
		}
	}
	e.edge(e.of(s), byte(lo), byte(hi), e.of(to))
}

// escapes adds what a backslash begins in state s.
func (e *encoder) escapes(s int32) {
	spans := e.characters(s)
	if e.plain {
		spans = withoutPrintable(spans)
	}
	node := e.node(func(add func(lo, hi byte, to int32)) {
		for _, x := range shortEscapes {
			if to := e.d.Next(s, x.char); to != automata.Dead {
				add(x.letter, x.letter, e.of(to))
			}
		}
		if to := e.basic(spans, 0, 4); to >= 0 {
			add('u', 'u', to)
		}
	})
	if node >= 0 {
		e.edge(e.of(s), '\\', '\\', node)
	}
}

// basic is the node that reads the last digits of \uXXXX, the code points from first on; 0x10000 and
// above are reached through surrogates. -1 if nothing is accepted.
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
		return e.uniform(lookup(spans, first, e), digits)
	}
	if digits == 0 {
		return e.lowSurrogate(spans, 0x10000+(first-0xd800)<<10)
	}
	return e.digits(first, size/16, func(lo rune) int32 { return e.basic(spans, lo, digits-1) })
}

// digits is the node that reads one digit, each of which stands for size code points from first on.
func (e *encoder) digits(first, size rune, after func(lo rune) int32) int32 {
	return e.node(func(add func(lo, hi byte, to int32)) {
		for i := range rune(16) {
			hexDigit(add, i, after(first+i*size))
		}
	})
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
		key = lookup(spans, first, e)
		if key < 0 {
			return -1
		}
		if id, ok := e.lows[key]; ok {
			return id
		}
	}
	id := e.node(func(add func(lo, hi byte, to int32)) {
		for i := range rune(4) {
			hexDigit(add, 12+i, e.low(spans, first+i<<8, 2))
		}
	})
	for _, text := range []string{"dD", "u", "\\"} {
		next := id
		id = e.node(func(add func(lo, hi byte, to int32)) {
			for _, c := range []byte(text) {
				if next >= 0 {
					add(c, c, next)
				}
			}
		})
	}
	if key >= 0 {
		e.lows[key] = id
	}
	return id
}

// low reads the last digits of a low surrogate.
func (e *encoder) low(spans []span, first rune, digits int) int32 {
	size := rune(1) << (4 * digits)
	if constant(spans, first, first+size-1) {
		return e.uniform(lookup(spans, first, e), digits)
	}
	return e.digits(first, size/16, func(lo rune) int32 { return e.low(spans, lo, digits-1) })
}

func hexDigit(add func(lo, hi byte, to int32), digit rune, to int32) {
	if to < 0 {
		return
	}
	c := "0123456789abcdef"[digit]
	add(c, c, to)
	if c >= 'a' {
		add(c-32, c-32, to)
	}
}

// node interns a state by its transitions; -1 if it has none.
func (e *encoder) node(fill func(add func(lo, hi byte, to int32))) int32 {
	var edges []automata.Transition
	var key []byte
	fill(func(lo, hi byte, to int32) {
		edges = append(edges, automata.Transition{Lo: lo, Hi: hi, To: to})
		key = binary.AppendVarint(append(key, lo, hi), int64(to))
	})
	if len(edges) == 0 {
		return -1
	}
	id, ok := e.nodes[string(key)]
	if !ok {
		id = e.states
		e.states++
		e.nodes[string(key)] = id
		for _, t := range edges {
			e.edge(id, t.Lo, t.Hi, t.To)
		}
	}
	return id
}

// find is the index of the first span that ends at or after r.
func find(spans []span, r rune) int {
	lo, hi := 0, len(spans)
	for lo < hi {
		if m := (lo + hi) / 2; spans[m].hi < r {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

func lookup(spans []span, r rune, e *encoder) int32 {
	if i := find(spans, r); i < len(spans) && spans[i].lo <= r {
		return e.of(spans[i].to)
	}
	return -1
}

// constant tells whether all of lo..hi go the same way.
func constant(spans []span, lo, hi rune) bool {
	i := find(spans, lo)
	if i == len(spans) || spans[i].lo > hi {
		return true
	}
	return spans[i].lo <= lo && hi <= spans[i].hi
}

// characters is the function from code points to states that one character from s on computes.
func (e *encoder) characters(s int32) []span {
	var list []span
	for b := 0; b < 0xf8; b++ {
		next := e.d.Next(s, byte(b))
		if next == automata.Dead {
			continue
		}
		switch {
		case b < 0x80:
			list = appendSpan(list, span{rune(b), rune(b), next})
		case b >= 0xf0:
			list = e.appendTail(list, rune(b&7)<<18, next, 3)
		case b >= 0xe0:
			list = e.appendTail(list, rune(b&15)<<12, next, 2)
		case b >= 0xc0:
			list = e.appendTail(list, rune(b&31)<<6, next, 1)
		}
	}
	return list
}

func (e *encoder) appendTail(list []span, base rune, s int32, missing int32) []span {
	for _, x := range e.tail(s, missing) {
		list = appendSpan(list, span{base + x.lo, base + x.hi, x.to})
	}
	return list
}

// tail is the same for the rest of a character of which some bytes are missing.
func (e *encoder) tail(s, missing int32) []span {
	if missing == 0 {
		return []span{{0, 0, s}}
	}
	key := [2]int32{s, missing}
	list, ok := e.spans[key]
	if !ok {
		for b := 0x80; b < 0xc0; b++ {
			if next := e.d.Next(s, byte(b)); next != automata.Dead {
				list = e.appendTail(list, rune(b&0x3f)<<(6*(missing-1)), next, missing-1)
			}
		}
		e.spans[key] = list
	}
	return list
}

// appendSpan joins neighbours that lead to the same state.
func appendSpan(list []span, x span) []span {
	if n := len(list); n > 0 && list[n-1].hi+1 == x.lo && list[n-1].to == x.to {
		list[n-1].hi = x.hi
		return list
	}
	return append(list, x)
}

// literalPattern is a pattern for the JSON texts of one string.
func literalPattern(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		b.WriteString("(?:")
		if r >= ' ' && r != '"' && r != '\\' {
			fmt.Fprintf(&b, `\U%08x|`, r)
		}
		for _, x := range shortEscapes {
			if rune(x.char) == r {
				fmt.Fprintf(&b, `\\\x%02x|`, x.letter)
			}
		}
		if high, low := utf16.EncodeRune(r); r >= 0x10000 {
			b.WriteString(hexPattern(high) + hexPattern(low))
		} else {
			b.WriteString(hexPattern(r))
		}
		b.WriteByte(')')
	}
	b.WriteByte('"')
	return b.String()
}

// hexPattern is a pattern for \uXXXX, in either case.
func hexPattern(r rune) string {
	var b strings.Builder
	b.WriteString(`\\u`)
	for _, c := range fmt.Sprintf("%04x", r) {
		if c >= 'a' {
			fmt.Fprintf(&b, "[%c%c]", c, c-32)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
