// Package jsontokens finds out what the tokens of a vocabulary do inside JSON strings and numbers.
//
// # What it is
//
// The lexer of a JSON schema follows hundreds of terminals that are strings at once: keys, values,
// patterns, bounded strings. The question is what a token does to a few of them, those that the
// parser takes, each in some state of its own DFA (Live). The answer (Effect) lists the tokens that
// leave one of them alive, and for each set of them the tokens that go on after a quote which
// completes that set.
//
// # Why that is possible
//
//   - All strings end at the same byte, the first quote without a backslash (Profile). So each
//     terminal can be followed without the others.
//   - An effect depends on DFAs and the vocabulary only. So what every schema has is found once for
//     all of them: the effects on free strings, on declared keys and on numbers (Lexicon). What
//     follows the quote depends on the grammar and is left to the caller, but few distinct texts do
//     (List).
//
// # How it is found
//
//   - 95% of a vocabulary is plain text. The vocabulary is cut into slices, prefix trees of their
//     own, so that plain tokens are decided by their length, by the kinds of their characters, or
//     a subtree at a time (crawl).
//   - "Any key but the declared ones" is a free string but for the few tokens that go along a
//     declared key. So the effect on it is computed as a difference to that on the free string
//     (delta).
//   - A string whose characters are counted is alike in all places that are farther from its end
//     than a token reaches: one effect is for all of them, of all schemas with the same pattern
//     (wide).
//   - A declared key has a few tokens of its own. They are found once per key (literalWalk), and
//     the effect on a set of keys is put together from them and from the effect on the other
//     strings (merger).
//   - Numbers have fifteen bytes, and a vocabulary has a thousand tokens made of them, in a tree
//     whose subtrees are decided at once (NumberEffect).
//
// # What bounds it
//
// On the schemas of MaskBench and Llama 3's vocabulary an effect takes some 1 to 5 us the first
// time, on a new place in a pattern some 20 to 100 us, and up to a millisecond where it looks
// for a word that it excludes or counts words and characters at once. Cutting the vocabulary takes
// 50 to 100 ms, once. Each of the tables that keep effects is bounded, and emptied when it is
// full.
package jsontokens

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

// A Live is a live state: a state of a terminal's DFA in which a string is pending, and from which
// the terminal can still be completed.
type Live struct {
	p     *Profile
	state int32
}

// At is the live state of a profile's DFA.
func (p *Profile) At(state int32) Live { return Live{p, state} }

// Closed tells whether the string is complete: its second quote was read.
func (x Live) Closed() bool { return x.p.phase(x.state) == closed }

// appendKey appends what tells a live state from all others of its Lexicon.
func (x Live) appendKey(dst []byte) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, x.p.id), uint32(x.state))
}

// An Effect says how the tokens of a vocabulary change some live states. A token is in one of three
// groups: it leaves one of them alive, it goes on after a quote that completes one of them, or
// neither, and then it is in none of the lists. An Effect is immutable.
type Effect struct {
	// Few are the tokens that leave a live state alive. If they are many, Few is empty, and Alive
	// is a bit set of them, without those in Minus and with those in Plus.
	Few         []int32
	Alive       []uint64
	Minus, Plus []int32
	Closings    []Closing
}

// A Closing is the tokens that go on after a quote which completes some of the live states, and not
// the others.
type Closing struct {
	Members []int32 // the live states, by their place in the order of Effects.Of
	List    *List
}

// setAlive sets Alive, Minus and Plus, unless no token remains.
func (v *Effect) setAlive(words []uint64, minus, plus []int32) {
	count := len(plus) - len(minus)
	for _, w := range words {
		if count += bits.OnesCount64(w); count > 0 {
			v.Alive, v.Minus, v.Plus = words, minus, plus
			return
		}
	}
}

// add adds a Closing, unless it has no tokens.
func (v *Effect) add(members []int32, list *List) {
	if len(list.Tokens) > 0 {
		v.Closings = append(v.Closings, Closing{members, list})
	}
}

// memory has effects by the keys of their live states.
type memory struct {
	sync.Mutex
	of map[string]*Effect
}

// maxEffects bounds a memory: some 20 KB each make 80 MB at most.
const maxEffects = 4096

func (m *memory) get(key []byte) *Effect {
	m.Lock()
	defer m.Unlock()
	return m.of[string(key)]
}

func (m *memory) put(key []byte, v *Effect) {
	m.Lock()
	defer m.Unlock()
	if m.of == nil || len(m.of) >= maxEffects {
		m.of = map[string]*Effect{}
	}
	m.of[string(key)] = v
}

// Effects finds effects for one grammar, and keeps them. What all grammars have in common is in the
// Lexicon. It is not safe for concurrent use.
type Effects struct {
	l      *Lexicon
	found  memory // by live states
	merger merger
	walker literalWalker
	order  []int32
	lives  []Live
	key    []byte
}

// NewEffects is an Effects that has found out nothing yet.
func (l *Lexicon) NewEffects() *Effects { return &Effects{l: l, merger: merger{l: l}} }

// Of is the effect of all tokens on some live states, none of which is closed. order lists the live
// states, by their index in list, in the order that the effect's members count in; it is valid
// until the next call.
func (e *Effects) Of(list []Live) (v *Effect, order []int32) {
	m := &e.merger
	m.literals, m.parts, e.order = m.literals[:0], m.parts[:0], e.order[:0]
	for i, x := range list {
		if t := e.literal(x); t != nil {
			m.literals, m.parts = append(m.literals, t), append(m.parts, int32(i))
		} else {
			e.order = append(e.order, int32(i))
		}
	}
	v = &Effect{}
	var wide []Live
	if len(e.order) > 0 {
		v, wide = e.walked(list, e.order)
	}
	if len(m.literals) == 0 {
		return v, e.order
	}
	merged := m.merge(v, wide)
	if e.order = append(e.order, m.parts...); merged == nil {
		merged, _ = e.walked(list, e.order)
	}
	return merged, e.order
}

// walked is the effect on list[i] for each i of order, which it sorts so that the order does not
// depend on the grammar. The live states in that order are valid until the next call.
func (e *Effects) walked(list []Live, order []int32) (*Effect, []Live) {
	slices.SortFunc(order, func(a, b int32) int {
		x, y := list[a], list[b]
		return cmp.Or(cmp.Compare(x.p.id, y.p.id), cmp.Compare(x.state, y.state))
	})
	e.lives, e.key = e.lives[:0], e.key[:0]
	for _, i := range order {
		x := list[i]
		e.lives, e.key = append(e.lives, x), x.appendKey(e.key)
	}
	v := e.found.get(e.key)
	if v == nil {
		v = e.l.effect(e.lives)
		e.found.put(e.key, v)
	}
	return v, e.lives
}

// literal is the literal walk of a live state, nil if it has none.
func (e *Effects) literal(x Live) *literalWalk {
	if e.l.without&Literals != 0 {
		return nil
	}
	if t := e.l.literalWalk(&e.walker, x); t != noLiteral {
		return t
	}
	return nil
}
