package lr

import "fmt"

// An Action is one entry of the action table: what the parser does in a state on a terminal. The
// zero Action is an error entry.
type Action int32

// A Kind is the kind of an Action.
type Kind uint8

const (
	KindNone   Kind = iota // no action: the terminal is refused here
	KindShift              // push state Target
	KindReduce             // pop the right-hand side of rule Target, go to its left-hand side
	KindAccept             // end of input after a whole sentence
)

// An Action keeps its kind in the two lowest bits and its target above them. Negative values never
// leave this package: in the tables they stand for a list of several actions.
const (
	kindBits = 2
	kindMask = 1<<kindBits - 1
)

const accept = Action(KindAccept)

func shift(state int32) Action { return Action(state<<kindBits) | Action(KindShift) }
func reduce(rule int32) Action { return Action(rule<<kindBits) | Action(KindReduce) }

// Kind is the kind of a.
func (a Action) Kind() Kind { return Kind(a & kindMask) }

// Target is the state a shift goes to, or the rule a reduction is by (an index in Grammar.Rules).
func (a Action) Target() int32 { return int32(a) >> kindBits }

// String is "shift 3", "reduce 7", "accept" or "none".
func (a Action) String() string {
	switch a.Kind() {
	case KindShift:
		return fmt.Sprintf("shift %d", a.Target())
	case KindReduce:
		return fmt.Sprintf("reduce %d", a.Target())
	case KindAccept:
		return "accept"
	}
	return "none"
}
