package koo

import (
	"gcdbench/algorithms"
	"gcdbench/tokenizers"
)

// walk composes the transducer with the parser at run time, for one mask: it reads the tokens that
// depend on the stack. The configurations that arise are numbered, and the way from one to the next
// on a class of bytes is found once, so that most steps are one lookup. That is the subset
// construction of the composed automaton, restricted to the one stack at hand.
type walk struct {
	p *pushdown
	// contexts are the configurations that arose; the first stands for none.
	contexts []configuration
	number   map[uint64][]int32 // by key
	after    []int32            // by context and class: a context, unknown, or refused
	visited  int
}

const (
	unknown int32 = 0
	refused int32 = -1
)

// reset prepares for another mask.
func (w *walk) reset(p *pushdown) {
	w.p = p
	clear(w.contexts)
	clear(w.number)
	w.contexts, w.after, w.visited = append(w.contexts[:0], nil), w.after[:0], 0
	w.after = w.grow(w.after)
	if w.number == nil {
		w.number = map[uint64][]int32{}
	}
}

// grow appends a row to after.
func (w *walk) grow(s []int32) []int32 {
	for range w.p.width {
		s = append(s, unknown)
	}
	return s
}

// context numbers a configuration.
func (w *walk) context(c configuration) int32 {
	if len(c) == 0 {
		return refused
	}
	h := c.key()
	for _, i := range w.number[h] {
		if w.contexts[i].equal(c) {
			return i
		}
	}
	i := int32(len(w.contexts))
	w.contexts = append(w.contexts, c)
	w.number[h] = append(w.number[h], i)
	w.after = w.grow(w.after)
	return i
}

// run reads a tree from a configuration and marks the tokens that survive.
func (w *walk) run(t *tree, from configuration, words []uint64) {
	var at [tokenizers.MaxTokenLength + 1]int32
	at[0] = w.context(from)
	width := w.p.width
	for i := 0; i < len(t.steps); {
		w.visited++
		s := t.steps[i]
		d := t.depths[i]
		to := w.after[int(at[d])*width+int(s.class())]
		if to == unknown {
			to = w.context(w.p.step(w.contexts[at[d]], s.class()))
			w.after[int(at[d])*width+int(s.class())] = to
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

// mark sets the bits of words in dst.
func mark(dst *algorithms.Buffer, words []uint64) {
	out := dst.Words()
	for i, w := range words {
		out[i] |= w
	}
}
