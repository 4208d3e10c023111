package legality

import (
	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// What the proofs say of pairs of terminals, for stores that look at pairs only.

// A Verdict is the proof about a terminal directly after another one.
type Verdict uint8

// The verdicts. Unknown is no proof of either.
const (
	Unknown Verdict = iota
	Never           // no parser that has shifted the first takes the second
	Always          // every parser that has shifted the first takes the second
)

// Pairs has what the tables of one problem prove. It is immutable.
type Pairs struct {
	after   []*fate // by the terminal that was shifted last, and for none
	classes interchange
}

// NewPairs makes the proofs for a problem whose lexemes are one terminal each and whose parser does
// not fork.
func NewPairs(p *algorithms.Problem) *Pairs {
	m := newMachine(p.Tables, false, DefaultStack)
	return &Pairs{afterEach(m), newInterchange(p.Recognizer, m.hasLoops)}
}

// afterEach is the fates after each terminal, and at last those at the start.
func afterEach(m *machine) []*fate {
	sets := make([][]int32, len(m.entered), len(m.entered)+1)
	for x, states := range m.entered {
		for _, s := range states {
			sets[x] = append(sets[x], m.cell(s, -1))
		}
	}
	sets = append(sets, []int32{m.cell(0, -1)})
	return flowFrom(m, sets)
}

// AtStart is the x of Pairs.After where no terminal was shifted yet.
const AtStart grammar.Terminal = -1

// After is is_always_legal and is_never_legal of x and the sequence of y alone. Both are terminals
// that the parser sees.
func (p *Pairs) After(x, y grammar.Terminal) Verdict {
	of := p.after[len(p.after)-1]
	if x != AtStart {
		of = p.after[x]
	}
	switch {
	case !bitset.Has(of.accepts, y):
		return Never
	case !bitset.Has(of.refuses, y):
		return Always
	}
	return Unknown
}

// Class is the first of the terminals that are interchangeable with y: sequences that differ in
// such terminals only are jointly legal.
func (p *Pairs) Class(y grammar.Terminal) grammar.Terminal { return p.classes.first[y] }
