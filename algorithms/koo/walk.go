package koo

import (
	"slices"

	"gcdbench/tokenizers"
)

// walk composes the transducer with the parser at run time, for one mask: it reads the tokens that
// depend on the stack. It is the subset construction of the composed automaton, restricted to the
// one stack at hand, and on two levels. The groups that arise are numbered, and what one becomes on a
// class of bytes is found once; a context is a set of groups, numbered too, and what it becomes is the
// union of what its groups become. So most steps of the walk are one lookup, most others put lists
// of numbers together, and only few ask the parser.
type walk struct {
	p     *pushdown
	reads *reads // nil: nobody wants to know what is looked at

	groups  []group
	groupNo map[uint64][]int32 // by key
	moves   []int32            // by group and class: a list, unknown, or refused
	lists   [][]int32          // groups, ascending; the first stands for none

	contexts  [][]int32 // groups, ascending; the first stands for none
	contextNo map[uint64][]int32
	after     []int32 // by context and class: a context, unknown, or refused

	visited int
	room    []int32 // scratch
}

const (
	unknown int32 = 0
	refused int32 = -1
)

// reset prepares for another mask.
func (w *walk) reset(p *pushdown) {
	w.p, w.reads = p, nil
	clear(w.groups)
	clear(w.groupNo)
	clear(w.contextNo)
	w.groups, w.moves, w.after, w.visited = w.groups[:0], w.moves[:0], w.after[:0], 0
	w.lists, w.contexts = append(w.lists[:0], nil), append(w.contexts[:0], nil)
	w.after = w.grow(w.after)
	if w.groupNo == nil {
		w.groupNo, w.contextNo = map[uint64][]int32{}, map[uint64][]int32{}
	}
}

// grow appends a row of unknowns.
func (w *walk) grow(s []int32) []int32 {
	n := len(s)
	s = slices.Grow(s, w.p.width)[:n+w.p.width]
	clear(s[n:])
	return s
}

// group numbers a group.
func (w *walk) group(g group) int32 {
	h := g.key()
	for _, i := range w.groupNo[h] {
		if w.groups[i].equal(g) {
			return i
		}
	}
	i := int32(len(w.groups))
	w.groups = append(w.groups, g)
	w.groupNo[h] = append(w.groupNo[h], i)
	w.moves = w.grow(w.moves)
	return i
}

// context numbers a set of groups, given in any order; the slice may be changed and is not kept.
func (w *walk) context(set []int32) int32 {
	if len(set) == 0 {
		return refused
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if len(set) > maxPlain {
		set = w.merge(set)
	}
	h := uint64(len(set))
	for _, g := range set {
		h = (h ^ uint64(g)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	for _, i := range w.contextNo[h] {
		if slices.Equal(w.contexts[i], set) {
			return i
		}
	}
	i := int32(len(w.contexts))
	w.contexts = append(w.contexts, slices.Clone(set))
	w.contextNo[h] = append(w.contextNo[h], i)
	w.after = w.grow(w.after)
	return i
}

// merge makes fewer groups of a large set, so that sets cannot grow without bound.
func (w *walk) merge(set []int32) []int32 {
	var c configuration
	for _, g := range set {
		c = w.p.add(c, w.groups[g], 0)
	}
	set = set[:0]
	for _, g := range c {
		set = append(set, w.group(g))
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// move is what a group becomes on a class, as the number of a list.
func (w *walk) move(g int32, class uint8) int32 {
	at := int(g)*w.p.width + int(class)
	if w.moves[at] != unknown {
		return w.moves[at]
	}
	var list []int32
	w.p.successors(w.groups[g], class, w.reads, func(next group) { list = append(list, w.group(next)) })
	to := refused
	if len(list) > 0 {
		to = int32(len(w.lists))
		w.lists = append(w.lists, list)
	}
	w.moves[at] = to
	return to
}

// next is what a context becomes on a class.
func (w *walk) next(context int32, class uint8) int32 {
	w.room = w.room[:0]
	for _, g := range w.contexts[context] {
		if to := w.move(g, class); to != refused {
			w.room = append(w.room, w.lists[to]...)
		}
	}
	return w.context(w.room)
}

// run reads a tree from a configuration and marks the tokens that survive.
func (w *walk) run(t *tree, from configuration, words []uint64) {
	if len(t.steps) == 0 {
		return
	}
	var at [tokenizers.MaxTokenLength + 1]int32
	w.room = w.room[:0]
	for _, g := range from {
		w.room = append(w.room, w.group(g))
	}
	at[0] = w.context(w.room)
	width := w.p.width
	for i := 0; i < len(t.steps); {
		w.visited++
		s := t.steps[i]
		d := t.depths[i]
		known := int(at[d])*width + int(s.class())
		to := w.after[known]
		if to == unknown {
			to = w.next(at[d], s.class())
			w.after[known] = to
		}
		if to == refused {
			i += s.size()
			continue
		}
		at[d+1] = to
		if s.token >= 0 {
			words[s.token>>6] |= 1 << (uint(s.token) & 63)
		}
		i++
	}
}

// wholeTree is the vocabulary's tree over classes of bytes.
func wholeTree(x *lexicon, v *tokenizers.Vocabulary) *tree {
	trie := v.Trie()
	t := &tree{steps: make([]step, len(trie.Nodes)), depths: trie.Depths()}
	for i, n := range trie.Nodes {
		t.steps[i] = step{n.Token(), uint32(n.Size())<<8 | uint32(x.classes[n.Byte()])}
	}
	return t
}
