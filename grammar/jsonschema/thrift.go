package jsonschema

import (
	"errors"
	"fmt"
)

// Thrift. Three things are left out of a grammar on account of its size alone: cases of combinations (combine.go),
// items beyond those that are counted, and the orders of keys but that of the schema (objects.go). How many are kept is a trade: one schema is better served by a hundred cases
// of each combination, and another, which has such combinations inside of others, has no grammar then. So when the
// grammar is too large, or takes too many steps, the schema is compiled once more with a tenth of all, if it has
// something that would be left out; and then with a tenth of that. It costs the time of the attempts, which are
// bounded each, and only schemas that would be unsupported pay for it.

// maxThrift is how often less is tried: down to 10 cases of a combination, lists of 100 items,
// and keys in any order where that takes a hundredth of what it may.
const maxThrift = 2

// Reasons that are about size.
const (
	reasonTooLarge     = "the grammar is too large"
	reasonCombinations = "too many combinations of alternatives"
)

// couldBeSmaller tells whether more thrift may help against an error.
func (c *compiler) couldBeSmaller(err error) bool {
	var refused *UnsupportedError
	if c == nil || !errors.As(err, &refused) || refused.Reason != reasonTooLarge && refused.Reason != reasonCombinations {
		return false
	}
	return c.dropped || c.counting || c.reordered
}

// thrifty is a tenth of n for each time that less is tried.
func (c *compiler) thrifty(n int) int {
	for range c.thrift {
		n /= 10
	}
	return max(1, n)
}

// mostCounted is how many of the members that a clause allows are counted, at least as many as it asks for: m, or fewer,
// which is noted.
func (c *compiler) mostCounted(x clause, m, least int, what string) int {
	limit := max(c.thrifty(maxCounted), least)
	c.counting = c.counting || m > max(limit/10, least)
	if m <= limit {
		return m
	}
	for _, l := range x {
		if l.op == opLength && l.m > limit {
			c.narrow(l, fmt.Sprintf("no more than %d %s are counted", limit, what))
		}
	}
	return limit
}
