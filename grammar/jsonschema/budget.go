package jsonschema

import "errors"

// Three things are left out of a grammar on account of its size alone: cases of combinations
// (combine.go), items beyond those that are counted, and orders of keys (anyorder.go). How many
// are kept is a trade: one schema is better served by a hundred cases of each combination;
// another, which has such combinations inside of others, has no grammar then. So when the grammar
// is too large, or takes too many steps, the schema is compiled once more with a tenth of all, if
// it has something that would be left out; and then with a tenth of that. The attempts are bounded
// each, and only schemas that would be unsupported pay for them.

// A budget is how much of these is kept.
type budget struct {
	level   int  // 0 at first; each level keeps a tenth
	shrinks bool // less would be kept on the next level
}

// lastLevel keeps 10 cases of a combination, lists of 100 items, and keys in any order where that
// takes a hundredth of what it may.
const lastLevel = 2

// of is how many of n are kept.
func (b *budget) of(n int) int {
	for range b.level {
		n /= 10
	}
	return max(1, n)
}

// Reasons that are about size.
const (
	reasonTooLarge     = "the grammar is too large"
	reasonCombinations = "too many combinations of alternatives"
)

// ofSize tells whether an error is about size.
func ofSize(err error) bool {
	var refused *UnsupportedError
	return errors.As(err, &refused) && (refused.Reason == reasonTooLarge || refused.Reason == reasonCombinations)
}

// couldBeSmaller tells whether another level may help against an error.
func (c *ledger) couldBeSmaller(err error) bool {
	return ofSize(err) && (c.dropped || c.budget.shrinks)
}
