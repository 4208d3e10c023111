package lr

import (
	"slices"

	"gcdbench/internal/intern"
)

// Folding makes a grammar smaller that a program wrote. Two changes keep its language and what is
// read of it terminal by terminal:
//
//   - Nonterminals with the same rules become one. A JSON schema says {"type": "string"} in a
//     hundred places, and each is a nonterminal of its own; where two of them can come next, the
//     parser would have to follow both until something tells them apart, and nothing ever does.
//   - A nonterminal whose only rule is a single symbol becomes that symbol, which saves a state and
//     a reduction wherever it occurs.
//
// Both are done from the bottom up, so that what has become equal below makes equal above, and in
// time linear in the grammar. Nonterminals that refer to themselves stay as they are. Of rules that
// become the same the first is kept, so priorities must not matter: it is for grammars that keep
// conflicts.

// A folder folds one grammar.
type folder struct {
	*cfg
	stand []int32 // by symbol: the one that stands for it; 0 while it is not known, else 1 + symbol

	rights intern.Lists[int32] // right-hand sides
	lists  intern.Lists[int32] // lists of right-hand sides: sorted numbers in rights
	owner  []int32             // by list: the nonterminal that has it
}

// fold replaces symbols in the rules and drops the rules that no longer are of use.
func (c *cfg) fold() error {
	f := &folder{cfg: c, stand: make([]int32, c.numSyms)}
	s := newSearch(int(c.numSyms), c.step)
	s.successors, s.closed = f.uses, f.component
	if err := s.from(c.start); err != nil {
		return err
	}
	for x := range c.rulesOf {
		if s := f.stand[x]; s != int32(x)+1 {
			c.rulesOf[x] = nil // another symbol stands for it, or it is not used
		}
	}
	return nil
}

// uses appends the nonterminals in the rules of x.
func (f *folder) uses(dst []int32, x int32) []int32 {
	for _, r := range f.rulesOf[x] {
		for _, y := range f.rules[r].rhs {
			if !f.isTerminal(y) {
				dst = append(dst, y)
			}
		}
	}
	return dst
}

// component folds nonterminals that refer to each other, or one by itself, all below being folded.
func (f *folder) component(members []int32) error {
	if len(members) > 1 || slices.Contains(f.uses(nil, members[0]), members[0]) {
		for _, y := range members {
			f.stand[y] = y + 1
		}
	}
	for _, y := range members {
		f.replace(y)
	}
	return nil
}

// replace puts the symbols that stand for others into the rules of x, and finds the one for x if it
// is not known.
func (f *folder) replace(x int32) {
	var numbers []int32
	kept := f.rulesOf[x][:0]
	for _, r := range f.rulesOf[x] {
		rhs := f.rules[r].rhs
		for k, y := range rhs {
			if !f.isTerminal(y) {
				rhs[k] = f.stand[y] - 1
			}
		}
		n, _ := f.rights.Take(rhs)
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
			kept = append(kept, r)
		}
	}
	f.rulesOf[x] = kept
	switch {
	case f.stand[x] != 0:
	case x == f.start || x == f.nonterminal(f.src.Start):
		f.stand[x] = x + 1
	case len(kept) == 1 && len(f.rules[kept[0]].rhs) == 1:
		f.stand[x] = f.rules[kept[0]].rhs[0] + 1
	default:
		slices.Sort(numbers)
		f.stand[x] = f.ownerOf(numbers, x) + 1
	}
}

// ownerOf is the first nonterminal with this list of right-hand sides: x if there was none.
func (f *folder) ownerOf(numbers []int32, x int32) int32 {
	n, isNew := f.lists.Take(numbers)
	if isNew {
		f.owner = append(f.owner, x)
	}
	return f.owner[n]
}
