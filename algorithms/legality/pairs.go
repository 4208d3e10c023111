package legality

import (
	"gcdbench/algorithms"
	"gcdbench/grammar"
)

// What the proofs say of pairs of terminals, for stores that look at pairs only.

// A Verdict is what is proved of a terminal directly after another one.
type Verdict uint8

// The verdicts. Unknown is no proof of either.
const (
	Unknown Verdict = iota
	Never           // no parser that has shifted the first takes the second
	Always          // every parser that has shifted the first takes the second
)

// Pairs proves over the tables of one problem. It is not safe for concurrent use.
type Pairs struct {
	machine *machine
	classes interchange
}

// NewPairs prepares the proofs for a problem whose lexemes are one terminal each and whose parser
// does not fork.
func NewPairs(p *algorithms.Problem) *Pairs {
	m := newMachine(p.Tables, false, DefaultStack)
	return &Pairs{m, newInterchange(p.Recognizer, m.hasLoops)}
}

// AtStart is the x of Pairs.After where no terminal was shifted yet.
const AtStart grammar.Terminal = -1

// After is is_always_legal and is_never_legal of x and the sequence of y alone. Both are terminals
// that the parser sees.
func (p *Pairs) After(x, y grammar.Terminal) Verdict {
	from := basis(x)
	if x == AtStart {
		from = basis(^int32(0)) // the state at the bottom
	}
	m := p.machine
	switch is := m.judgeSet(m.start([]basis{from}).all, m.anyTerminal(m.tables.NewSet(y))); {
	case is&mayAccept == 0:
		return Never
	case is&mayRefuse == 0:
		return Always
	}
	return Unknown
}

// Class is the first of the terminals that are interchangeable with y: sequences that differ in
// such terminals only are jointly legal.
func (p *Pairs) Class(y grammar.Terminal) grammar.Terminal { return p.classes.first[y] }
