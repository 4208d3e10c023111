package jsontokens

import (
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
)

// The effect on a set of live states can be put together from those of its members, unless two of
// them are completed by the same quote of a token. A token leaves the set alive if it leaves a
// member alive, and a quote completes the members that it completes one by one. So the literal
// walks of a set are added to the effect on its other live states. That is mostly one, the keys
// that are not declared. Along an object only the literal walks change, so this one effect is
// found once. Declared keys are different texts and none of them is an undeclared key, so they
// are not completed by the same quote; where other strings are, the set is walked.

// maxMerged is how many tokens of literal walks are kept as a list. It is more than maxFew, as
// the tokens are lists already.
const maxMerged = 2048

// A merger puts effects together.
type merger struct {
	l        *Lexicon
	literals []*literalWalk
	parts    []int32  // of the literals
	seen     []uint64 // scratch: bits of tokens, none between calls
	spots    []uint64 // scratch
}

// merge is the effect on the live states of v and the literal walks, whose members are numbered
// after these. It is nil if one of the live states accepts where a literal walk is completed, or
// if two literal walks are completed by the same quote.
func (m *merger) merge(v *Effect, lives []Live) *Effect {
	if !m.apart(lives) {
		return nil
	}
	w := &Effect{Closings: v.Closings}
	m.unite(w, v)
	count := 0
	for _, t := range m.literals {
		if len(t.list.Tokens) > 0 {
			count++
		}
	}
	if count == 0 {
		return w
	}
	w.Closings = append(make([]Closing, 0, len(v.Closings)+count), v.Closings...)
	members := make([]int32, len(m.literals))
	for i, t := range m.literals {
		if members[i] = int32(len(lives) + i); len(t.list.Tokens) > 0 {
			w.Closings = append(w.Closings, Closing{members[i : i+1 : i+1], t.list})
		}
	}
	return w
}

// apart tells whether no quote completes two of the literal walks, or one of them and one of the
// live states.
func (m *merger) apart(lives []Live) bool {
	m.spots = m.spots[:0]
	for _, t := range m.literals {
		for i, at := range t.ends {
			for k := range lives {
				if lives[k].after(t.texts[i]) != automata.Dead {
					return false
				}
			}
			m.spots = append(m.spots, uint64(at.slice)<<32|uint64(at.node))
		}
	}
	slices.Sort(m.spots)
	return len(slices.Compact(m.spots)) == len(m.spots)
}

// unite sets the tokens that leave w alive: those of v and of the literal walks.
func (m *merger) unite(w, v *Effect) {
	if v.Alive == nil {
		m.uniteFew(w, v.Few)
		return
	}
	if m.seen == nil {
		m.seen = make([]uint64, m.l.words)
	}
	// seen has the exceptions from v.Alive.
	bitset.AddAll(m.seen, v.Minus)
	bitset.AddAll(m.seen, v.Plus)
	back := 0
	plus := slices.Clip(v.Plus)
	for _, t := range m.literals {
		for _, id := range t.few {
			at, bit := id>>6, uint64(1)<<(uint(id)&63)
			switch seen := m.seen[at]&bit != 0; {
			case v.Alive[at]&bit == 0 && !seen:
				m.seen[at] |= bit
				plus = append(plus, id)
			case v.Alive[at]&bit != 0 && seen:
				m.seen[at] &^= bit
				back++
			}
		}
	}
	minus := v.Minus
	if back > 0 {
		minus = make([]int32, 0, len(v.Minus)-back)
		for _, id := range v.Minus {
			if bitset.Has(m.seen, id) {
				minus = append(minus, id)
			}
		}
	}
	bitset.RemoveAll(m.seen, v.Minus)
	bitset.RemoveAll(m.seen, plus)
	w.Alive, w.Minus, w.Plus = v.Alive, minus, plus
}

// uniteFew is unite where v has few tokens.
func (m *merger) uniteFew(w *Effect, few []int32) {
	if len(few) == 0 && len(m.literals) == 1 {
		w.Few = m.literals[0].few
		return
	}
	if m.seen == nil {
		m.seen = make([]uint64, m.l.words)
	}
	size := len(few)
	for _, t := range m.literals {
		size += len(t.few)
	}
	w.Few = append(make([]int32, 0, size), few...)
	bitset.AddAll(m.seen, few)
	for _, t := range m.literals {
		for _, id := range t.few {
			if at, bit := id>>6, uint64(1)<<(uint(id)&63); m.seen[at]&bit == 0 {
				m.seen[at] |= bit
				w.Few = append(w.Few, id)
			}
		}
	}
	if len(w.Few) > maxMerged {
		w.Alive, w.Few, m.seen = m.seen, nil, nil
		return
	}
	bitset.RemoveAll(m.seen, w.Few)
}
