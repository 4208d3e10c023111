package automata

// Expressions taken apart, for a reader that writes them in another notation. The parts are shared
// with the expression and must not be changed.

// A Form says what an expression is made by.
type Form uint8

const (
	// FormLiteral matches exactly the bytes of Node.Text.
	FormLiteral Form = iota
	// FormClass matches one character of Node.Ranges, or no string if there are none.
	FormClass
	// FormConcat matches Node.Subs, one after the other.
	FormConcat
	// FormAlternate matches one of Node.Subs.
	FormAlternate
	// FormRepeat matches Node.Subs[0] from Node.Min to Node.Max times.
	FormRepeat
	// FormOther has no notation in plain regular expressions: a lookaround, or the language of an
	// automaton. DFA.Expr gives an expression of the other forms for the same language.
	FormOther
)

// A RuneRange is a range of characters, both ends included.
type RuneRange struct{ Lo, Hi rune }

// A Node is an expression taken apart by one step.
type Node struct {
	Form   Form
	Text   string
	Ranges []RuneRange // sorted; they neither overlap nor touch
	Subs   []*Expr
	Min    int
	Max    int // negative: unbounded
}

// Node takes e apart. A lazy quantifier is not seen here: e.HasLazy tells whether one occurs.
func (e *Expr) Node() Node {
	switch e.op {
	case opLiteral:
		return Node{Form: FormLiteral, Text: e.bytes}
	case opClass:
		return Node{Form: FormClass, Ranges: e.set.ranges()}
	case opConcat:
		return Node{Form: FormConcat, Subs: e.subs}
	case opAlternate:
		return Node{Form: FormAlternate, Subs: e.subs}
	case opRepeat:
		return Node{Form: FormRepeat, Subs: e.subs, Min: e.min, Max: e.max}
	}
	return Node{Form: FormOther}
}

// ranges is the set in the form that other packages see.
func (s runeSet) ranges() []RuneRange {
	list := make([]RuneRange, len(s))
	for i, r := range s {
		list[i] = RuneRange{r.lo, r.hi}
	}
	return list
}
