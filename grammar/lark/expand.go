package lark

import (
	"encoding/binary"
)

// Expansion writes out the alternatives of a tree. Alternatives inside a sequence are distributed
// over it: a (b | c) d becomes a b d | a c d. Equal ones are merged, the first one staying, as
// early as possible: x? x? x? has 4 alternatives, and never 8.
type expander struct {
	*forest
	stopped func() error // the error of the context once it has ended
	done    map[treeID][][]symbolID
	total   int // symbols written
	at      place
	rule    string
}

// tree writes out a tree. Equal trees are one, and are written out once; what is returned must not
// be changed.
func (x *expander) tree(id treeID) ([][]symbolID, error) {
	if alts, ok := x.done[id]; ok {
		return alts, nil
	}
	t := x.trees[id]
	var alts [][]symbolID
	var err error
	switch t.kind {
	case tSymbol:
		alts = [][]symbolID{{t.symbol}}
	case tSequence:
		alts, err = x.sequence(t.kids)
	case tAlternatives:
		var set sequenceSet
		for _, kid := range t.kids {
			more, err := x.tree(kid)
			if err != nil {
				return nil, err
			}
			for _, seq := range more {
				if set.add(seq) {
					alts = append(alts, seq)
				}
			}
			if err := x.check(len(alts)); err != nil {
				return nil, err
			}
		}
	}
	if err != nil {
		return nil, err
	}
	x.done[id] = alts
	return alts, nil
}

// sequence writes out trees in a row. The first one varies slowest.
func (x *expander) sequence(kids []treeID) ([][]symbolID, error) {
	done := [][]symbolID{nil}
	for _, kid := range kids {
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
	var set sequenceSet
	var both [][]symbolID
	for _, first := range a {
		for _, second := range b {
			seq := make([]symbolID, 0, len(first)+len(second))
			seq = append(append(seq, first...), second...)
			if err := x.count(len(seq)); err != nil {
				return nil, err
			}
			if set.add(seq) {
				both = append(both, seq)
			}
		}
		if err := x.check(len(both)); err != nil {
			return nil, err
		}
	}
	return both, nil
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

// A sequenceSet is a set of sequences of symbols.
type sequenceSet struct {
	seen map[string]struct{}
	key  []byte
}

// add adds a sequence and reports whether it is new.
func (s *sequenceSet) add(seq []symbolID) bool {
	s.key = s.key[:0]
	for _, sym := range seq {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(sym))
	}
	if _, ok := s.seen[string(s.key)]; ok {
		return false
	}
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}
	s.seen[string(s.key)] = struct{}{}
	return true
}
