package jsonschema

import (
	"fmt"
	"maps"
	"slices"

	"gcdbench/internal/jsontext"
)

// Joining normal forms, and keeping them small.

// product is the conjunction of two normal forms, without the cases that are plainly impossible.
func (c *normalizer) product(a, b normalForm, s scope, n *node) (normalForm, error) {
	partial := a.partial || b.partial
	switch {
	case len(a.clauses) == 1 && len(a.clauses[0]) == 0:
		return normalForm{b.clauses, partial}, nil
	case len(b.clauses) == 1 && len(b.clauses[0]) == 0:
		return normalForm{a.clauses, partial}, nil
	}
	cost := 0
	for _, x := range a.clauses {
		cost += joins(x, b.clauses)
	}
	free := cost <= c.free
	if free {
		c.free -= cost
	} else {
		c.limited++
	}
	var all []clause
	for _, x := range a.clauses {
		if err := c.ctx.Err(); err != nil {
			return normalForm{}, err
		}
		if slices.ContainsFunc(b.clauses, func(y clause) bool { return contains(x, y) }) {
			all = append(all, x) // its conjunctions with the others are a part of it
			continue
		}
		if !free {
			c.pairs += joins(x, b.clauses)
		}
		if !free && c.pairs > s.pairs {
			if s.pairs < maxPairs {
				return normalForm{}, errTooLong
			}
			return normalForm{}, refusal(reasonCombinations, "combining what the schema says takes more than %d steps", maxPairs).at(n, applying(n))
		}
		for _, y := range b.clauses {
			if z, ok := c.both(x, y, s.kind); ok {
				all = append(all, z)
			}
		}
		// A list that grows far beyond the limit is cut in between: at the end it might not fit
		// into memory. Before that, clauses without instances go, which may be nearly all.
		if most, kept := c.clauseLimits(); !free && len(all) > 4*most {
			if all = c.living(distinct(all), s); len(all) > most {
				return normalForm{c.fewest(all, kept, n), true}, nil
			}
		}
	}
	all = distinct(all)
	if free {
		return normalForm{all, partial}, nil
	}
	if len(all) > manyClauses {
		all = c.living(all, s)
	}
	if most, kept := c.clauseLimits(); len(all) > most {
		return normalForm{c.fewest(all, kept, n), true}, nil
	}
	return normalForm{all, partial}, nil
}

// joins is how often joining a clause with each of a list counts as a pair.
func joins(x clause, list []clause) int {
	return len(list) * (1 + len(x)/16 + len(x)*len(x)/quadratic)
}

// both is the conjunction of two clauses; ok is false if it is plainly impossible.
func (c *normalizer) both(x, y clause, k jsontext.Kind) (z clause, ok bool) {
	z = append(c.joining[:0], x...) // most are impossible
	for _, l := range y {
		if !slices.Contains(z, l) {
			z = append(z, l)
		}
	}
	c.joining = z
	if !possible(z, k) {
		return nil, false
	}
	if k == jsontext.Object {
		settled, changed, ok := c.settle(z)
		if changed || !ok {
			return settled, ok && possible(settled, k)
		}
	}
	return slices.Clone(z), true
}

// clauseLimits is how many cases a combination may have, and how many are kept of one that has
// more. A goal, or a compile of all rules, that has used up a part of its pairs is content with a
// tenth of both, so that it comes to an end.
func (c *normalizer) clauseLimits() (most, kept int) {
	most, kept = c.budget.of(c.opt.maxClauses), c.budget.of(c.opt.keptClauses)
	if c.pairs > maxPairs/5 {
		return max(1, most/10), max(1, kept/10)
	}
	return most, kept
}

// keptClauses is how many cases of a combination with too many are kept.
const keptClauses = 100

// fewest keeps some cases of a list of more: the cases that say least. That is sound, since a
// normal form is not negated: all that is dropped are valid texts.
func (c *normalizer) fewest(list []clause, kept int, n *node) []clause {
	c.cut = c.cut || c.pairs > maxPairs/5
	c.leftOut(n, applying(n), fmt.Sprintf("of too many combinations of alternatives, the %d that ask for least are kept", kept))
	slices.SortStableFunc(list, func(x, y clause) int { return len(x) - len(y) })
	return list[:min(kept, len(list))]
}

// applying is the keyword of a schema that other schemas are combined by, or that has alternatives
// itself; "" if there is none.
func applying(n *node) string {
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "not", "if", "dependencies", "dependentSchemas", "dependentRequired", "$ref", "enum", "const"} {
		if n.get(keyword) != nil {
			return keyword
		}
	}
	return ""
}

// manyClauses is when it pays to look closer for clauses that have no instance.
const manyClauses = 40

// freePairs is how many pairs of clauses are joined for a schema without being counted. Most
// schemas need no more. Their normal forms depend on no limit, so that all goals share them.
const freePairs = 64

// maxPairs bounds the pairs of clauses that are joined for a goal, or in a compile of all rules,
// at some 5 us each. Pairs of long clauses count more often: what is required is held against what
// each literal says of it.
const (
	maxPairs  = 500_000
	quadratic = 1000 // comparisons of literals that take as long as a pair of short clauses
)

// lookPairs is how many pairs of clauses are joined in the time of a look for an instance.
const lookPairs = 25

// living drops the clauses that are seen to have no instance. To look at a clause takes other
// normal forms, whose clauses are not looked at in turn.
func (c *normalizer) living(list []clause, s scope) []clause {
	c.limited++
	if s.nested || c.pairs > maxPairs/5 {
		return list
	}
	s.nested = true
	c.pairs += lookPairs * len(list)
	return slices.DeleteFunc(list, func(x clause) bool { return c.ctx.Err() == nil && !c.alive(x, s, 2) })
}

// distinct removes repeated clauses, and clauses that another one includes.
func distinct(list []clause) []clause {
	if len(list) < 2 {
		return list
	}
	seen := map[string]bool{}
	var once []clause
	for _, x := range list {
		if len(x) == 0 {
			return []clause{nil}
		}
		if key := x.key(); !seen[key] {
			seen[key] = true
			once = append(once, x)
		}
	}
	if len(once) > 300 { // absorption is quadratic
		return once
	}
	var kept []clause
	for i, x := range once {
		absorbed := false
		for j, y := range once {
			absorbed = absorbed || i != j && len(y) < len(x) && contains(x, y)
		}
		if !absorbed {
			kept = append(kept, x)
		}
	}
	return kept
}

// mergeFinite makes one clause of all clauses that are only a list of strings, or of numbers. It is
// the first of the result.
func mergeFinite(list []clause, k jsontext.Kind) []clause {
	finite := func(x clause) bool {
		return len(x) == 1 && !x[0].not && (k == jsontext.String && x[0].op == opStrings || k == jsontext.Number && x[0].op == opNumbers)
	}
	n := 0
	for _, x := range list {
		if finite(x) {
			n++
		}
	}
	if n < 2 {
		return list
	}
	var all *literal
	merged := []clause{nil}
	for _, x := range list {
		switch {
		case !finite(x):
			merged = append(merged, x)
		case all == nil:
			first := *x[0]
			all = &first
			all.id, all.set, all.strs, all.nums = 0, nil, slices.Clone(all.strs), slices.Clone(all.nums)
			all.places, all.notes = maps.Clone(all.places), nil
		default:
			maps.Copy(all.places, x[0].places)
			all.strs, all.nums = append(all.strs, x[0].strs...), append(all.nums, x[0].nums...)
		}
	}
	merged[0] = clause{all}
	return merged
}

func contains(x, y clause) bool {
	for _, l := range y {
		if !slices.Contains(x, l) {
			return false
		}
	}
	return true
}
