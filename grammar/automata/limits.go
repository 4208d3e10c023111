package automata

import (
	"context"
	"fmt"
)

// Limits bounds the work and the result of one call. The zero value of a field
// means its value in DefaultLimits.
type Limits struct {
	// MaxRepeat is the largest count allowed in {m,n}.
	MaxRepeat int
	// MaxPositions bounds the nodes of the expression once its counted repeats
	// are written out, which is the size of the NFA.
	MaxPositions int
	// MaxStates bounds the states of the DFA before it is minimized, and the
	// states of the result.
	MaxStates int
	// MaxSteps bounds the elementary steps of the subset construction: one
	// per member of a set that is followed over one byte class.
	MaxSteps int
	// MaxBytes bounds the memory held at one time, as estimated from the
	// sizes of the tables (slices grow by doubling, so up to twice as much may
	// be allocated).
	MaxBytes int
	// Context ends the call early, with its error, when it ends; nil never does.
	Context context.Context
}

// DefaultLimits suit terminals of real grammars with room to spare.
//
//   - MaxStates: the largest patterns met in practice are length-bounded strings.
//     "." is 8 states in UTF-8, so .{0,1000} has 8,001 and the limit of 131,072
//     allows lengths of about 16,000; the lexers of whole programming languages
//     have a few hundred states.
//   - MaxRepeat: a repeat adds at least one state per count, so beyond half of
//     MaxStates nothing else would fit.
//   - MaxPositions: four times MaxStates, since minimization seldom shrinks an
//     automaton by more; 50 bytes each, so 25 MiB.
//   - MaxSteps: 2^24 steps of some 20 to 40 ns each, so half a second. A terminal of
//     8,000 states takes 50,000.
//   - MaxBytes: a quarter of a GiB, so that even two at a time fit on a small machine.
var DefaultLimits = Limits{
	MaxRepeat:    1 << 16,
	MaxPositions: 1 << 19,
	MaxStates:    1 << 17,
	MaxSteps:     1 << 24,
	MaxBytes:     1 << 28,
}

// maxDepth bounds the nesting of groups in a pattern, and of expressions built
// by calls. Every pass over an expression is recursive with under 500 bytes of
// stack a level, so that this is half a megabyte; patterns written by people
// stay under 20.
const maxDepth = 1000

// withDefaults fills the fields that are zero.
func (l Limits) withDefaults() Limits {
	fill := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	fill(&l.MaxRepeat, DefaultLimits.MaxRepeat)
	fill(&l.MaxPositions, DefaultLimits.MaxPositions)
	fill(&l.MaxStates, DefaultLimits.MaxStates)
	fill(&l.MaxSteps, DefaultLimits.MaxSteps)
	fill(&l.MaxBytes, DefaultLimits.MaxBytes)
	return l
}

// A LimitError reports that an automaton would have been larger than allowed.
type LimitError struct {
	// Name is the field of Limits that was exceeded, such as "MaxStates".
	Name string
	// Limit is its value.
	Limit int
	// What says what there was too much of.
	What string
	// Hint says what to do about it.
	Hint string
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("automaton too large: %s (limit %s = %d); %s", e.What, e.Name, e.Limit, e.Hint)
}

const (
	hintRepeat = "lower the counts of the repeats {m,n}, or use * or + and check the length elsewhere"
	hintStates = "lower the counts of the repeats, or rewrite the pattern so that what follows a repeat does not overlap with what it repeats"
	hintDepth  = "flatten the nested groups"
)

// A budget is what is left of Limits during one call. It is shared with the
// automata of lookarounds, so that nesting does not multiply the limits.
type budget struct {
	bodies map[lookBody]*DFA // automata of lookarounds that are known; nil for none
	Limits
	steps int
	bytes int
}

func newBudget(lim Limits) *budget { return &budget{Limits: lim.withDefaults()} }

// checkEvery is how many steps are taken between two looks at the context: some
// hundred microseconds.
const checkEvery = 1 << 13

// step counts n steps.
func (b *budget) step(n int) error {
	before := b.steps
	b.steps += n
	if b.Context != nil && before/checkEvery != b.steps/checkEvery {
		if err := b.Context.Err(); err != nil {
			return err
		}
	}
	if b.steps > b.MaxSteps {
		return &LimitError{"MaxSteps", b.MaxSteps, "the subset construction takes too many steps", hintStates}
	}
	return nil
}

// hold counts n bytes as held; n < 0 releases them.
func (b *budget) hold(n int) error {
	b.bytes += n
	if b.bytes > b.MaxBytes {
		return &LimitError{"MaxBytes", b.MaxBytes, "the tables need too much memory", hintStates}
	}
	return nil
}

// note counts n bytes like hold, but leaves the check to the next hold.
func (b *budget) note(n int) { b.bytes += n }

// took counts n steps like step, but leaves the check to the next step.
func (b *budget) took(n int) { b.steps += n }

// states checks a number of DFA states.
func (b *budget) states(n int) error {
	if n > b.MaxStates {
		return &LimitError{"MaxStates", b.MaxStates, "the automaton has too many states", hintStates}
	}
	return nil
}
