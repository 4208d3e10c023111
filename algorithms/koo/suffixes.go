package koo

import (
	"maps"
	"slices"

	"gcdbench/grammar/automata"
)

// suffixes is a suffix automaton under construction (A. Blumer et al., "The smallest automaton
// recognizing the subwords of a text", 1985): each state is a set of places where the same
// substrings end, link leads to the state of the longest suffix in another state.
type suffixes struct {
	next   []map[byte]int32
	link   []int32
	length []int32
	ends   []int32 // by state: a place in the text where its strings end
	last   int32
	text   []byte
}

func newSuffixes() *suffixes {
	return &suffixes{next: []map[byte]int32{{}}, link: []int32{-1}, length: []int32{0}, ends: []int32{0}}
}

func (m *suffixes) add(next map[byte]int32, link, length, end int32) int32 {
	m.next = append(m.next, next)
	m.link = append(m.link, link)
	m.length = append(m.length, length)
	m.ends = append(m.ends, end)
	return int32(len(m.next) - 1)
}

// extend adds a byte to the text.
func (m *suffixes) extend(b byte) {
	m.text = append(m.text, b)
	end := int32(len(m.text))
	now := m.add(map[byte]int32{}, 0, m.length[m.last]+1, end)
	s := m.last
	m.last = now
	for ; s >= 0; s = m.link[s] {
		if _, ok := m.next[s][b]; ok {
			break
		}
		m.next[s][b] = now
	}
	if s < 0 {
		return
	}
	to := m.next[s][b]
	if m.length[to] == m.length[s]+1 {
		m.link[now] = to
		return
	}
	// The strings of to that go through s end in more places than the longer ones: they get a state.
	split := m.add(maps.Clone(m.next[to]), m.link[to], m.length[s]+1, m.ends[to])
	m.link[to], m.link[now] = split, split
	for ; s >= 0 && m.next[s][b] == to; s = m.link[s] {
		m.next[s][b] = split
	}
}

// dfa is the automaton of the substrings that are whole characters.
func (m *suffixes) dfa() (*automata.DFA, error) {
	var transitions []automata.Transition
	var accepting []int32
	for s := range m.next {
		// Where a string ends is between characters in one of its places if it is in all, since that
		// depends on the byte after it alone; at the end of the text it is.
		if end := m.ends[s]; s == 0 || int(end) == len(m.text) || m.text[end]&0xC0 != 0x80 {
			accepting = append(accepting, int32(s))
		}
		for _, b := range slices.Sorted(maps.Keys(m.next[s])) {
			if s == 0 && b&0xC0 == 0x80 {
				continue // nor may it begin inside of one
			}
			transitions = append(transitions, automata.Transition{From: int32(s), Lo: b, Hi: b, To: m.next[s][b]})
		}
	}
	return automata.FromTransitions(len(m.next), accepting, transitions, automata.Limits{})
}
