package lexer

import "gcdbench/grammar/automata"

// mergeClasses computes the coarsest partition of the bytes that refines every terminal's classes.
// Terminals of one automaton are looked at once.
func (p *product) mergeClasses() {
	var m classMerger
	seen := make(map[*automata.DFA]bool, len(p.dfas))
	m.num = 1
	for _, d := range p.dfas {
		if d != nil && !seen[d] {
			seen[d] = true
			m.refine(d)
		}
	}
	if p.front != nil {
		m.refine(p.front)
	}
	p.classes = m.classes
	p.repr = make([]byte, m.num)
	for b := 255; b >= 0; b-- {
		p.repr[p.classes[b]] = byte(b)
	}
}

// everyByte has each byte be a class of its own: terminals that are still to come may tell any two
// apart.
func (p *product) everyByte() {
	p.repr = make([]byte, 256)
	for b := range p.repr {
		p.repr[b], p.classes[b] = byte(b), uint8(b)
	}
}

// A classMerger refines a partition of the bytes again and again.
type classMerger struct {
	classes [256]uint8
	num     int
	// The new classes that an old one is split into are a list.
	head [256]int16 // by old class: one of its new ones, -1 for none
	next [256]int16 // by new class: another one of the same old class, -1 for none
	of   [256]uint8 // by new class: the class in the automaton at hand
}

// refine splits the classes whose bytes an automaton tells apart. New classes are numbered in order
// of their first bytes.
func (m *classMerger) refine(d interface{ Classes() ([256]uint8, int) }) {
	of, n := d.Classes()
	if n == 1 || m.num == 256 {
		return
	}
	for c := range m.num {
		m.head[c] = -1
	}
	count := int16(0)
	for b, old := range m.classes {
		c := m.head[old]
		for c >= 0 && m.of[c] != of[b] {
			c = m.next[c]
		}
		if c < 0 {
			c = count
			count++
			m.of[c], m.next[c], m.head[old] = of[b], m.head[old], c
		}
		m.classes[b] = uint8(c)
	}
	m.num = int(count)
}
