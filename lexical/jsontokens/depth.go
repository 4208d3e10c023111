package jsontokens

import (
	"slices"

	"gcdbench/automata"
)

// A depth says how many plain characters can follow a state that is between two characters: any
// least of them leave it alive, and no most+1 of them do. quote tells whether a quote may follow
// each number of characters that leaves it alive, or none of them.
type depth struct {
	least, most int32
	quote       quoteAfter
}

type quoteAfter uint8

const (
	quoteSometimes quoteAfter = iota
	quoteAlways
	quoteNever
)

// endless is the depth of a state that any number of characters can follow.
const endless = 1 << 30

// maxMeasured is the size of an automaton whose depths are not found out: at some 50 ns a state that
// would take longer than some walks. A bounded string of 1,000 characters has fewer.
const maxMeasured = 1 << 14

// depth is the depth of a state.
func (p *Profile) depth(s int32) depth {
	if p.l.without&Depths != 0 {
		return depth{most: endless}
	}
	// Most states of strings with a fixed beginning cannot go on with every letter. They are not
	// worth a look at the whole automaton.
	switch {
	case p.d.NumStates() > maxMeasured:
	case p.strict && p.alive[s].holds(plainASCII):
		p.once.Do(p.measure)
		return p.depths[s]
	case p.strict && !p.alive[s].meets(ordinary):
		return depth{}
	}
	return depth{most: endless}
}

// plainMoves are the moves of a DFA by step, over plain characters.
func (p *Profile) plainMoves() (moves [numSteps][]move) {
	of, _ := p.d.Classes()
	for step, ranges := range characterSteps {
		for _, r := range ranges {
			for b := int(r.lo); b <= int(r.hi); b++ {
				if x := (move{of[b], r.to}); !slices.Contains(moves[step], x) {
					moves[step] = append(moves[step], x)
				}
			}
		}
	}
	return moves
}

// A measurer computes the depths of states of a strict DFA. It finds least by a search backwards from the states that refuse a character, and most by one
// backwards from the states that refuse all; a state that leads to no such state is endless.
type measurer struct {
	p      *Profile
	moves  [numSteps][]move
	depths []depth // by state; of those seen
	seen   []bool
	states []int32 // in the order they were found
	left   []int32 // by state: moves whose target's most is not known yet
	last   []int32 // by state: the last of the arrows to it, -1 for none
	arrows []arrow
	// refusing are the states that refuse a character, ends those that refuse all.
	refusing, ends []int32
}

// An arrow is a move from a state; next is the next arrow to the same one.
type arrow struct{ from, next int32 }

// measure makes the depths, from the states inside a string that go on with any letter.
func (p *Profile) measure() {
	n := p.d.NumStates()
	m := &measurer{p: p, moves: p.plainMoves(), depths: make([]depth, n), seen: make([]bool, n), left: make([]int32, n), last: make([]int32, n)}
	for s := range int32(n) {
		if m.last[s] = -1; p.phases[s] == inside && p.alive[s].holds(plainASCII) {
			m.find(s)
		}
	}
	m.search()
	m.leasts(m.refusing)
	m.mosts(m.ends)
	m.quotes(quoteAlways)
	m.quotes(quoteNever)
	p.depths = m.depths
}

func (m *measurer) find(s int32) {
	if !m.seen[s] {
		m.seen[s] = true
		m.states = append(m.states, s)
		m.depths[s] = depth{least: endless, most: endless}
	}
}

// search explores the states.
func (m *measurer) search() {
	for i := 0; i < len(m.states); i++ { // find adds to states
		s := m.states[i]
		row := m.p.d.Row(s)
		for _, x := range m.moves[m.p.steps[s]] {
			to := row[x.class]
			if to == automata.Dead {
				m.depths[s].least = 0
				continue
			}
			m.find(to)
			m.arrows = append(m.arrows, arrow{s, m.last[to]})
			m.last[to] = int32(len(m.arrows) - 1)
			m.left[s]++
		}
		if m.depths[s].least == 0 {
			m.refusing = append(m.refusing, s)
		}
		if m.left[s] == 0 {
			m.depths[s].most = 0
			m.ends = append(m.ends, s)
		}
	}
}

// leasts spreads least backwards, smallest first. A move that completes a character counts one.
func (m *measurer) leasts(now []int32) {
	var later []int32
	for len(now) > 0 {
		for len(now) > 0 {
			s := now[len(now)-1]
			now = now[:len(now)-1]
			least := m.depths[s].least
			for k := m.last[s]; k >= 0; k = m.arrows[k].next {
				from := m.arrows[k].from
				if m.p.steps[s] == 0 && m.depths[from].least > least+1 {
					m.depths[from].least = least + 1
					later = append(later, from)
				} else if m.p.steps[s] != 0 && m.depths[from].least > least {
					m.depths[from].least = least
					now = append(now, from)
				}
			}
		}
		now, later = later, now
	}
}

// mosts spreads most backwards: a state's is known once it is known for all its successors.
func (m *measurer) mosts(todo []int32) {
	found := make([]int32, len(m.seen))
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		most := m.depths[s].most
		if m.p.steps[s] == 0 {
			most++
		}
		for k := m.last[s]; k >= 0; k = m.arrows[k].next {
			from := m.arrows[k].from
			found[from] = max(found[from], most)
			if m.left[from]--; m.left[from] == 0 {
				m.depths[from].most = found[from]
				todo = append(todo, from)
			}
		}
	}
}

// quotes finds the states after which a quote is always alive, or never: it searches backwards
// from the exceptions, which are between characters.
func (m *measurer) quotes(what quoteAfter) {
	not := make([]bool, len(m.seen))
	var todo []int32
	for _, s := range m.states {
		if m.p.steps[s] == 0 && m.p.alive[s].has('"') != (what == quoteAlways) {
			not[s] = true
			todo = append(todo, s)
		}
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for k := m.last[s]; k >= 0; k = m.arrows[k].next {
			if from := m.arrows[k].from; !not[from] {
				not[from] = true
				todo = append(todo, from)
			}
		}
	}
	for _, s := range m.states {
		if !not[s] {
			m.depths[s].quote = what
		}
	}
}
