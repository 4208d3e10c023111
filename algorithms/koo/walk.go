package koo

import (
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
	"gcdbench/tokenizers"
)

// walk composes the transducer with the parser at run time, for one mask: it reads the tokens
// that depend on the stack. It is the subset construction of the composed automaton, restricted
// to the one stack at hand, on two levels. Groups are numbered, and the successors of a group
// on a class of bytes are found once. A context is a set of groups, numbered too; its successor
// is the union of its groups' successors. So most steps of the walk are one lookup, most others
// put lists of numbers together, and few ask the parser.
type walk struct {
	p     *pushdown
	reads *reads // nil: the looks at the stack are not noted

	groups  []group
	groupNo index.Index // of groups, by key
	moves   []int32     // by group and class: a list, unknown, or refused
	lists   [][]int32   // groups, ascending; the first stands for none

	contexts intern.Lists[int32] // groups, ascending; the first stands for none
	after    []int32             // by context and class: a context, unknown, or refused

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
	w.groupNo.Reset()
	w.contexts.Reset()
	w.groups, w.moves, w.after, w.visited = w.groups[:0], w.moves[:0], w.after[:0], 0
	w.lists = append(w.lists[:0], nil)
	w.contexts.ID(nil)
	w.after = w.grow(w.after)
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
	if i := w.groupNo.Find(h, func(i int32) bool { return w.groups[i].equal(g) }); i >= 0 {
		return i
	}
	w.groups = append(w.groups, g)
	w.moves = w.grow(w.moves)
	return w.groupNo.Add(h)
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
	i, isNew := w.contexts.ID(set)
	if isNew {
		w.after = w.grow(w.after)
	}
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

// move is the groups that a group becomes on a class, as the number of a list.
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

// next is the context that a context becomes on a class.
func (w *walk) next(context int32, class uint8) int32 {
	w.room = w.room[:0]
	for _, g := range w.contexts.At(context) {
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
			bitset.Add(words, s.token)
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
