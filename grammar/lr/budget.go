package lr

import (
	"context"
	"fmt"
)

// What bounds the building of tables. The sizes of an automaton, of its lookaheads and of its
// tables are not linear in the grammar: n rules may need n*n transitions, n*n bits of lookahead
// and, in the worst case, 2^n states. So all are counted, whatever the grammar looks like, and a
// grammar that needs too much is refused while there is still time and memory. Together the limits
// allow some 400 MiB and a few seconds. Of real grammars SQL's, the largest of ours, takes a
// fortieth of maxCells and less of the others.
const (
	// maxStates bounds the LR automaton. Real languages have 600 to 2,000 states and large JSON
	// schemas some ten thousand; a quarter of a million states is over a hundred times a real one.
	maxStates = 1 << 18
	// maxCells bounds what is held of 4 to 16 bytes each: items of states, transitions, relations
	// between transitions and entries of the tables.
	maxCells = 1 << 23
	// maxSetWords bounds the words of all sets of terminals that are held at a time: 128 MiB.
	maxSetWords = 1 << 24
	// maxBuildSteps bounds the work, in steps of 2 to 20 ns each: an item looked at, a symbol of a
	// rule run through, a word of a set united.
	maxBuildSteps = 1 << 28
	// checkEvery is how many steps are taken between two looks at the context: about a millisecond.
	checkEvery = 1 << 16
)

// A LimitError says that the tables of a grammar would be larger than allowed.
type LimitError struct {
	Grammar string
	// What there would be too much of, as a noun in the plural, and how much of it is allowed.
	What  string
	Limit int
	// Hint says what to do about it.
	Hint string
}

// Error names the grammar, the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("grammar %s: its LR tables need more than %d %s; %s", e.Grammar, e.Limit, e.What, e.Hint)
}

// A budget is what building the tables of one grammar has used up, and the context that may end it.
type budget struct {
	ctx                 context.Context
	grammar             string
	steps, cells, words int
	nextCheck           int // the number of steps at which the context is looked at again
}

// step counts n steps.
func (b *budget) step(n int) error {
	if b.steps += n; b.steps < b.nextCheck {
		return nil
	}
	b.nextCheck = b.steps + checkEvery
	if b.steps > maxBuildSteps {
		return &LimitError{b.grammar, "steps to build", maxBuildSteps,
			"simplify its longest rules, and those with the most alternatives"}
	}
	return b.check()
}

// checkStates is the error of too many states.
func (b *budget) checkStates(n int) error {
	if n <= maxStates {
		return nil
	}
	return &LimitError{b.grammar, "states", maxStates, "split or simplify the rules"}
}

// check is the context's error, if it has ended.
func (b *budget) check() error {
	if err := b.ctx.Err(); err != nil {
		return fmt.Errorf("grammar %s: building LALR tables: %w", b.grammar, err)
	}
	return nil
}

// hold counts n items, transitions or entries as held. What is counted stays so until the tables
// are built.
func (b *budget) hold(n int) error {
	if b.cells += n; b.cells > maxCells {
		return &LimitError{b.grammar, "items, transitions and table entries", maxCells,
			"have fewer places where very many alternatives can begin or end, or split the grammar"}
	}
	return b.step(n)
}

// holdSets counts sets of so many words as held; a negative number releases them.
func (b *budget) holdSets(sets, words int) error {
	if b.words += sets * words; b.words > maxSetWords {
		return &LimitError{b.grammar, "words of 64 bits for its sets of lookahead terminals", maxSetWords,
			"have fewer terminals (many keywords can be one regexp), or fewer rules"}
	}
	return b.step(max(0, sets*words))
}
