package automata

import (
	"slices"

	"gcdbench/internal/index"
)

// FromMinimal is FromTransitions for an automaton that is known to be minimal and trimmed: every
// state can be reached, can reach acceptance, and differs from every other in what it accepts. This
// is not checked, but is most of the work of FromTransitions. Of one that is not, the result still
// has the right language, but is not equal to others of that language, and a lexer takes what
// states without a way to acceptance have read for the beginning of a lexeme.
func FromMinimal(states int, accepting []int32, transitions []Transition, lim Limits) (*DFA, error) {
	b := newBudget(lim)
	cut, err := b.checkTransitions(states, accepting, transitions)
	if err != nil {
		return nil, err
	}
	if states == 0 {
		return emptyDFA(), nil
	}
	classes := newByteClasses(cut)
	if err := b.hold(states * (setBytes + 4*classes.num())); err != nil {
		return nil, err
	}
	m := newMerger(classes, transitions)
	raw, ok := m.fill(states, transitions)
	if !ok { // transitions given twice or in contradiction, or a collision of hashes: the long way
		if raw, err = rawFromTransitions(newBudget(lim), states, accepting, transitions); err != nil {
			return nil, err
		}
		return raw.minimal(), nil
	}
	for _, s := range accepting {
		raw.accepting[s] = true
	}
	return raw.numbered(), nil
}

// A merger joins byte classes on which an automaton behaves alike before its table is made: of the
// ranges that its transitions are given by, most are the same as others in the end.
type merger struct {
	classes byteClasses
	count   []int32 // by class: the transitions on it
	merged  []uint8 // by class: its number among those that are left
	first   []uint8 // by number: the first of the classes that it stands for
}

func newMerger(classes byteClasses, transitions []Transition) *merger {
	n := classes.num()
	m := &merger{classes: classes, count: make([]int32, n), merged: make([]uint8, n)}
	hashes := make([]uint64, n) // sums, so that the order of the transitions does not matter
	for _, t := range transitions {
		h := index.Mix(uint64(t.From)<<32 | uint64(t.To))
		for c := int(classes.of[t.Lo]); c <= int(classes.of[t.Hi]); c++ {
			hashes[c] += h
			m.count[c]++
		}
	}
	for c, h := range hashes {
		i := slices.IndexFunc(m.first, func(f uint8) bool { return hashes[f] == h })
		if i < 0 {
			i = len(m.first)
			m.first = append(m.first, uint8(c))
		}
		m.merged[c] = uint8(i)
	}
	return m
}

// fill makes the table. It is not ok if merged classes turn out to differ, or if the automaton is
// not deterministic.
func (m *merger) fill(states int, transitions []Transition) (raw *rawDFA, ok bool) {
	n := len(m.first)
	raw = &rawDFA{classes: n, table: slices.Repeat([]int32{Dead}, states*n), accepting: make([]bool, states)}
	for b, c := range m.classes.of {
		raw.classOf[b] = m.merged[c]
	}
	// A class is the same as the first it was merged with if each of its transitions is one of the
	// first's, and it has as many.
	for c, i := range m.merged {
		if m.count[c] != m.count[m.first[i]] {
			return nil, false
		}
	}
	for pass := range 2 { // those of the first classes, then the others
		for _, t := range transitions {
			row := raw.row(t.From)
			for c := int(m.classes.of[t.Lo]); c <= int(m.classes.of[t.Hi]); c++ {
				i := m.merged[c]
				switch isFirst := int(m.first[i]) == c; {
				case isFirst && pass == 0 && row[i] == Dead:
					row[i] = t.To
				case isFirst && pass == 0, !isFirst && pass == 1 && row[i] != t.To:
					return nil, false
				}
			}
		}
	}
	return raw, true
}
