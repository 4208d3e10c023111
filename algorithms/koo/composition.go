package koo

import (
	"slices"
	"sync"
	"unsafe"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
	"gcdbench/tokenizers"
)

// A composition is the detokenizing transducer composed with one state of the terminals'
// automaton. The mask has the tokens that need no stack: those that stay within the terminals
// already begun, or within ignored ones (the paper's terminal edge). The tree has the other
// tokens that may be legal: they end a terminal, and are composed with the parser at run time.
// A composition is immutable and shares its parts with the compositions of states that behave
// alike.
type composition struct {
	mask []uint64
	tree *tree
}

// A tree is the part of the vocabulary's prefix tree that leads to some tokens, as steps in
// depth-first order, over classes of bytes.
type tree struct {
	steps  []step
	depths []uint8 // number of bytes before that of the step
}

// A step is a byte of some tokens.
type step struct {
	token int32  // that ends with it, or -1
	link  uint32 // number of steps in the subtree <<8 | class of the byte
}

func (s step) class() uint8 { return uint8(s.link) }
func (s step) size() int    { return int(s.link >> 8) }

// An abstract is a state of the composition while a token is read. within has the terminals
// begun before the token. across has the terminals that may have begun since, by which
// terminals can follow which, on any stack.
type abstract struct {
	within *lexical
	across *lexical
	next   []*abstract // by class; nil: not computed yet
}

// maxAbstracts bounds the abstract states remembered between compositions: some thousands in
// practice, of about 600 bytes.
const maxAbstracts = 1 << 16

// composer makes compositions. It is safe for concurrent use, one composition at a time.
type composer struct {
	*lexicon
	follow [][]uint64
	trie   *tokenizers.Trie
	n      int // |V|
	limit  int64
	also   func() // what else forgetting means; called with the lock held

	mu    sync.Mutex
	pairs map[[2]*lexical]*abstract
	dead  *abstract
	masks intern.Lists[uint64]
	trees []*tree
	seen  index.Index // of trees, by their steps
	held  []*lexical  // that have a composition
	count composerCounts
}

// composerCounts are a composer's counts for Stats.
type composerCounts struct {
	compositions, masks, trees, undecided, visited, forgotten int
	bytes                                                     int64
}

func newComposer(x *lexicon, follow [][]uint64, v *tokenizers.Vocabulary, limit int64) *composer {
	c := &composer{lexicon: x, follow: follow, trie: v.Trie(), n: v.Len(), limit: limit, dead: &abstract{}}
	c.forget()
	c.count.forgotten = 0
	return c
}

// forget drops everything remembered.
func (c *composer) forget() {
	for _, l := range c.held {
		l.composed.Store(nil)
	}
	c.held = nil
	c.pairs = map[[2]*lexical]*abstract{}
	c.masks, c.trees, c.seen = intern.Lists[uint64]{}, nil, index.Index{}
	forgotten := c.count.forgotten + 1
	c.count = composerCounts{forgotten: forgotten}
	if c.also != nil {
		c.also()
	}
}

// of is the composition of a state, made on first use. When the compositions outgrow the limit,
// all are forgotten, and made again as they are needed.
func (c *composer) of(l *lexical) *composition {
	if k := l.composed.Load(); k != nil {
		return k
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := l.composed.Load(); k != nil {
		return k
	}
	if c.count.bytes > c.limit {
		c.forget()
	}
	if len(c.pairs) > maxAbstracts {
		c.pairs = map[[2]*lexical]*abstract{}
	}
	k := c.compose(l)
	l.composed.Store(k)
	c.held = append(c.held, l)
	c.count.compositions++
	return k
}

// compose walks the vocabulary's tree from a state.
func (c *composer) compose(l *lexical) *composition {
	mask := make([]uint64, algorithms.MaskWords(c.n))
	var t tree
	var at [tokenizers.MaxTokenLength + 1]*abstract
	at[0] = c.pair(l, nil)
	depths := c.trie.Depths()
	nodes := c.trie.Nodes
	var path [tokenizers.MaxTokenLength]int32
	kept := 0 // the path's first nodes that are steps already
	for i := 0; i < len(nodes); {
		n, d := nodes[i], int(depths[i])
		kept = min(kept, d)
		path[d] = int32(i)
		class := c.classes[n.Byte()]
		ended, to := c.advance(at[d], class)
		if id := n.Token(); id >= 0 && (ended || to.within != nil) {
			bitset.Add(mask, id)
		} else if id >= 0 && to.across != nil {
			for ; kept <= d; kept++ {
				t.steps = append(t.steps, step{-1, uint32(c.classes[nodes[path[kept]].Byte()])})
				t.depths = append(t.depths, uint8(kept))
			}
			t.steps[len(t.steps)-1].token = id
			c.count.undecided++
		}
		if to == c.dead {
			i += n.Size()
			continue
		}
		at[d+1] = to
		i++
		c.count.visited++
	}
	t.measure()
	return &composition{c.internMask(mask), c.internTree(&t)}
}

// measure fills in the sizes of the subtrees.
func (t *tree) measure() {
	var open [tokenizers.MaxTokenLength + 1]int32 // by depth: the step whose subtree is being read
	deepest := -1
	closeTo := func(depth, end int) {
		for ; deepest >= depth; deepest-- {
			t.steps[open[deepest]].link |= uint32(end-int(open[deepest])) << 8
		}
	}
	for i, d := range t.depths {
		closeTo(int(d), i)
		open[d], deepest = int32(i), int(d)
	}
	closeTo(0, len(t.steps))
	t.steps, t.depths = slices.Clip(t.steps), slices.Clip(t.depths)
}

// advance is where an abstract state goes on a class of bytes. ended is whether a terminal
// begun before the token may end with this very byte. The stack accepts that terminal, so the
// text up to here is legal on any stack.
func (c *composer) advance(a *abstract, class uint8) (ended bool, to *abstract) {
	var e *edge
	if a.within != nil {
		if e = a.within.next[class].Load(); e == nil {
			e = c.step(a.within, class)
		}
		ended = len(e.done) > 0
	}
	if to = a.next[class]; to != nil {
		return ended, to
	}
	var within, across *lexical
	if e != nil {
		within, across = e.to, c.after(e.done)
	}
	if a.across != nil {
		e := c.step(a.across, class)
		across = c.union(c.union(across, e.to), c.after(e.done))
	}
	to = c.pair(within, across)
	a.next[class] = to
	return ended, to
}

// after is the state in which the terminals begin that may follow one of some terminals, on any
// stack; nil if there are no such terminals.
func (c *composer) after(done []grammar.Terminal) *lexical {
	if len(done) == 0 {
		return nil
	}
	allowed := make([]uint64, c.words)
	for _, t := range done {
		bitset.Unite(allowed, c.follow[t])
	}
	return c.begin(allowed)
}

// pair interns an abstract state.
func (c *composer) pair(within, across *lexical) *abstract {
	if within == nil && across == nil {
		return c.dead
	}
	key := [2]*lexical{within, across}
	a := c.pairs[key]
	if a == nil {
		a = &abstract{within, across, make([]*abstract, c.width)}
		c.pairs[key] = a
	}
	return a
}

// share is internMask for a mask that is remembered elsewhere, with some bytes of bookkeeping.
func (c *composer) share(words []uint64, more int) []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count.bytes > c.limit {
		c.forget()
	}
	c.count.bytes += int64(more)
	return c.internMask(words)
}

// internMask returns an equal mask seen before, or this one.
func (c *composer) internMask(words []uint64) []uint64 {
	id, isNew := c.masks.Take(words)
	if isNew {
		c.count.masks++
		c.count.bytes += int64(8 * len(words))
	}
	return c.masks.At(id)
}

// internTree returns an equal tree seen before, or this one.
func (c *composer) internTree(t *tree) *tree {
	h := uint64(len(t.steps))
	for _, s := range t.steps {
		h = index.Mix(h ^ uint64(uint32(s.token))<<32 ^ uint64(s.link))
	}
	if i := c.seen.Find(h, func(i int32) bool { return slices.Equal(c.trees[i].steps, t.steps) }); i >= 0 {
		return c.trees[i]
	}
	c.seen.Add(h)
	c.trees = append(c.trees, t)
	c.count.trees++
	c.count.bytes += int64(len(t.steps)) * int64(unsafe.Sizeof(step{})+1)
	return t
}

// counts is a snapshot for Stats.
func (c *composer) counts() composerCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}
