package lark

import (
	"slices"

	"gcdbench/internal/intern"
)

// Expansion writes out the alternatives of a tree. Alternatives inside a sequence are distributed
// over it: a (b | c) d becomes a b d | a c d. Equal ones are merged, the first one staying, as
// early as possible: x? x? x? has 4 alternatives, and never 8.
type expander struct {
	*forest
	stopped func() error   // the error of the context once it has ended
	done    [][][]symbolID // by tree that is no symbol; nil: not yet
	total   int            // symbols written
	at      place
	rule    string
}

// tree writes out a tree. Equal trees are one, and are written out once; what is returned must not
// be changed.
func (x *expander) tree(id treeID) ([][]symbolID, error) {
	if id < 0 {
		return [][]symbolID{{symbolID(^id)}}, nil
	}
	if alts := x.done[id]; alts != nil {
		return alts, nil
	}
	var err error
	if kids := x.trees.At(int32(id))[1:]; x.trees.At(int32(id))[0] == tSequence {
		x.done[id], err = x.sequence(kids)
	} else {
		x.done[id], err = x.either(kids)
	}
	return x.done[id], err
}

// either writes out trees of which one is meant.
func (x *expander) either(kids []treeID) ([][]symbolID, error) {
	var set intern.Lists[symbolID]
	for _, kid := range kids {
		alts, err := x.tree(kid)
		if err != nil {
			return nil, err
		}
		for _, seq := range alts {
			set.Take(seq)
		}
		if err := x.check(set.Len()); err != nil {
			return nil, err
		}
	}
	return set.All(), nil
}

// sequence writes out trees in a row. The first one varies slowest.
func (x *expander) sequence(kids []treeID) ([][]symbolID, error) {
	done := [][]symbolID{make([]symbolID, 0, len(kids))}
	for _, kid := range kids {
		if kid < 0 && len(done) == 1 {
			done[0] = append(done[0], symbolID(^kid))
			if err := x.count(1); err != nil {
				return nil, err
			}
			continue
		}
		alts, err := x.tree(kid)
		if err != nil {
			return nil, err
		}
		if len(alts) == 1 && len(done) == 1 {
			done[0] = append(done[0], alts[0]...)
			if err := x.count(len(alts[0])); err != nil {
				return nil, err
			}
			continue
		}
		if done, err = x.product(done, alts); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// product is every member of a followed by every member of b, without repetitions. To drop them
// after each factor, and not at the end, is what keeps x? x? x? small. The order is that of
// dropping them at the end: the first of equal results is made of the first of equal members.
func (x *expander) product(a, b [][]symbolID) ([][]symbolID, error) {
	var set intern.Lists[symbolID]
	for _, first := range a {
		for _, second := range b {
			seq := slices.Concat(first, second)
			if err := x.count(len(seq)); err != nil {
				return nil, err
			}
			set.Take(seq)
		}
		if err := x.check(set.Len()); err != nil {
			return nil, err
		}
	}
	return set.All(), nil
}

// check refuses too many alternatives.
func (x *expander) check(n int) error {
	if n <= maxAlternatives {
		return nil
	}
	hint := "parts that may be left out multiply: move some of them, or the alternatives around them, into rules of their own"
	return x.at.errorf(hint, "rule %s expands to more than %d alternatives", x.rule, maxAlternatives)
}

// stoppedEvery is how many symbols, or rules, are written between two looks at the context.
const stoppedEvery = 1 << 12

// count refuses too many symbols.
func (x *expander) count(n int) error {
	if x.total/stoppedEvery != (x.total+n+1)/stoppedEvery {
		if err := x.stopped(); err != nil {
			return err
		}
	}
	if x.total += n + 1; x.total <= maxSymbols {
		return nil
	}
	hint := "repeats and optional parts multiply: move the inner ones into rules of their own"
	return x.at.errorf(hint, "writing out the alternatives of rule %s takes the grammar beyond %d symbols", x.rule, maxSymbols)
}
