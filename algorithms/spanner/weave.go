package spanner

import (
	"slices"

	"gcdbench/automata"
	"gcdbench/lexer"
)

// The verdict on a set is nothing but those of its members: alive is what any leaves alive, and a quote closes those that
// it closes one by one. So the strands of a set are added to the verdict on its other endings, mostly one, the keys that
// are not declared. Along an object only strands go, and the others' verdict is found once. What is left of a walk is where
// two end at the same quote; declared keys do not, as they are different texts, and the others are none of them.

// maxWoven is how many tokens of strands are kept as a list: some more than crawl keeps, as they are there already.
const maxWoven = 2048

// A loom puts verdicts together.
type loom struct {
	l       *lexicon
	strands []*strand
	parts   []int32  // of the strands
	seen    []uint64 // scratch: bits of tokens, none between calls
	spots   []uint64 // scratch
}

// weave is the verdict on the endings of v and the strands, whose members have the numbers from first on. It is nil if an
// ending accepts where a strand ends, or two of those end in the same place.
func (m *loom) weave(v *verdict, endings []ending) *verdict {
	if !m.apart(endings) {
		return nil
	}
	w := &verdict{closers: v.closers}
	m.unite(w, v)
	count := 0
	for _, t := range m.strands {
		if len(t.list.tokens) > 0 {
			count++
		}
	}
	if count == 0 {
		return w
	}
	w.closers = append(make([]closer, 0, len(v.closers)+count), v.closers...)
	members := make([]int32, len(m.strands))
	for i, t := range m.strands {
		if members[i] = int32(len(endings) + i); len(t.list.tokens) > 0 {
			w.closers = append(w.closers, closer{members[i : i+1 : i+1], t.list})
		}
	}
	return w
}

// apart tells whether no two of the endings and strands end in the same place, but for two endings.
func (m *loom) apart(endings []ending) bool {
	m.spots = m.spots[:0]
	for _, t := range m.strands {
		for i, at := range t.ends {
			for k := range endings {
				if x := &endings[k]; runs(x.d, x.state, t.texts[i]) != automata.Dead {
					return false
				}
			}
			m.spots = append(m.spots, uint64(at.slice)<<32|uint64(at.node))
		}
	}
	slices.Sort(m.spots)
	return len(slices.Compact(m.spots)) == len(m.spots)
}

// unite sets the tokens after which w is alive to those of v and of the strands.
func (m *loom) unite(w, v *verdict) {
	if v.alive == nil {
		m.uniteFew(w, v.few)
		return
	}
	if m.seen == nil {
		m.seen = make([]uint64, m.l.words)
	}
	// What is seen are the exceptions from v.alive.
	setBits(m.seen, v.minus)
	setBits(m.seen, v.plus)
	back := 0
	plus := slices.Clip(v.plus)
	for _, t := range m.strands {
		for _, id := range t.few {
			at, bit := id>>6, uint64(1)<<(uint(id)&63)
			switch seen := m.seen[at]&bit != 0; {
			case v.alive[at]&bit == 0 && !seen:
				m.seen[at] |= bit
				plus = append(plus, id)
			case v.alive[at]&bit != 0 && seen:
				m.seen[at] &^= bit
				back++
			}
		}
	}
	minus := v.minus
	if back > 0 {
		minus = make([]int32, 0, len(v.minus)-back)
		for _, id := range v.minus {
			if m.seen[id>>6]&(1<<(uint(id)&63)) != 0 {
				minus = append(minus, id)
			}
		}
	}
	clearBits(m.seen, v.minus)
	clearBits(m.seen, plus)
	w.alive, w.minus, w.plus = v.alive, minus, plus
}

// uniteFew is unite for few tokens.
func (m *loom) uniteFew(w *verdict, few []int32) {
	if len(few) == 0 && len(m.strands) == 1 {
		w.few = m.strands[0].few
		return
	}
	if m.seen == nil {
		m.seen = make([]uint64, m.l.words)
	}
	size := len(few)
	for _, t := range m.strands {
		size += len(t.few)
	}
	w.few = append(make([]int32, 0, size), few...)
	setBits(m.seen, few)
	for _, t := range m.strands {
		for _, id := range t.few {
			if at, bit := id>>6, uint64(1)<<(uint(id)&63); m.seen[at]&bit == 0 {
				m.seen[at] |= bit
				w.few = append(w.few, id)
			}
		}
	}
	if len(w.few) > maxWoven {
		w.alive, w.few, m.seen = m.seen, nil, nil
		return
	}
	clearBits(m.seen, w.few)
}

// verdict is the verdict on parts. Its endings are the parts in the order of q.order.
func (s *Spanner) verdict(parts []lexer.Part) *verdict {
	q := &s.quoted
	m := &q.loom
	m.l = s.lexicon
	m.strands, m.parts = m.strands[:0], m.parts[:0]
	q.order, q.endings = q.order[:0], q.endings[:0]
	for i, x := range parts {
		if t := s.strand(x); t != nil {
			m.strands, m.parts = append(m.strands, t), append(m.parts, int32(i))
		} else {
			q.order = append(q.order, int32(i))
		}
	}
	v := &verdict{}
	if len(q.order) > 0 {
		v = s.walked(parts)
	}
	if len(m.strands) > 0 {
		if w := m.weave(v, q.endings); w != nil {
			q.order = append(q.order, m.parts...)
			return w
		}
		q.order = append(q.order, m.parts...)
		return s.walked(parts)
	}
	return v
}
