package greatgramma

import (
	"context"
	"math/bits"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/algorithms/spanner"
	"gcdbench/lexer"
)

// MaxBytes bounds the ready masks of an engine: 1 GiB holds 32,000 of Gemma 3's 262,145 ids, where Java needs
// 1,400. Tokens that no ready mask is left for are added group by group instead, which gives the same.
const MaxBytes = 1 << 30

// A bitmap is a set of entries of a shape.
type bitmap []uint64

func (b bitmap) set(i int)      { b[i>>6] |= 1 << (uint(i) & 63) }
func (b bitmap) has(i int) bool { return b[i>>6]&(1<<(uint(i)&63)) != 0 }

// next is the first member from i on; -1 if there is none.
func (b bitmap) next(i int) int {
	w := i >> 6
	if w >= len(b) {
		return -1
	}
	word := b[w] &^ (1<<(uint(i)&63) - 1)
	for word == 0 {
		if w++; w == len(b) {
			return -1
		}
		word = b[w]
	}
	return w<<6 + bits.TrailingZeros64(word)
}

// bitmaps interns bitmaps of one shape.
type bitmaps struct {
	list  []bitmap
	byKey map[string]int32
}

// add interns b, which it does not keep. key is scratch.
func (s *bitmaps) add(b bitmap, key *[]byte) int32 {
	k := (*key)[:0]
	for _, w := range b {
		k = append(k, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	*key = k
	if i, ok := s.byKey[string(k)]; ok {
		return i
	}
	if s.byKey == nil {
		s.byKey = map[string]int32{}
	}
	i := int32(len(s.list))
	s.byKey[string(k)] = i
	s.list = append(s.list, append(bitmap(nil), b...))
	return i
}

// A row is what a shape's sequences are with one LR state on top: the leaves always accepted, and the
// leaves that depend on the stack with all nodes above them. Both are indexes of the shape's bitmaps.
type row struct{ always, context int32 }

// unmade marks a row or mask that was not made. (A row without bits has indexes like others.)
const unmade = -1

// engine is the compiled problem. With lazy set, mu guards everything that grows.
type engine struct {
	problem  *algorithms.Problem
	set      settings
	lazy     bool
	spanner  *spanner.Spanner
	symbolic *symbolic
	tops     []int32 // LR states that may be on top
	topOf    []int32 // by LR state: its index in tops, -1

	mu      sync.Mutex
	view    view
	class   []int32 // by spanner.Symbol: its index in symbolic.symbols
	lineOf  int32   // the class of all newline lexemes, -1
	roots   []*root // by lexer state; nil: not made
	shapes  []*shape
	shapeOf map[string]*shape
	groups  groups
	maskOf  map[[2]uint64]int32
	flat    flattener
	key     []byte

	fragments map[fragmentKey]*fragment
	configs   [257]config
	always    bitmap
	context   bitmap
	rows      int // made
	pairs     int // (q, p) that can occur, as far as looked at
}

// view is what masks read; it only grows, by appending.
type view struct {
	groups []group
	masks  [][]uint64
	emits  []emission
}

// An emission is what a symbol stands for.
type emission struct {
	set     lexer.Set
	newline bool
	column  spanner.Column
}

func newEngine(p *algorithms.Problem, set settings) *engine {
	e := &engine{problem: p, set: set, lazy: set.lazy, lineOf: -1, shapeOf: map[string]*shape{}, maskOf: map[[2]uint64]int32{}, fragments: map[fragmentKey]*fragment{}}
	if _, ahead := p.Lexer.(*lexer.DFA); !ahead {
		e.lazy = true
	}
	e.spanner = spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{Prune: set.prune, NoMemo: !set.memo})
	e.symbolic = newSymbolic(p.Recognizer)
	e.groups.bySum = map[[2]uint64]int32{}
	e.flat.e = e
	e.tops = tops(p.Tables)
	e.topOf = make([]int32, p.Tables.NumStates())
	for i := range e.topOf {
		e.topOf[i] = -1
	}
	for i, s := range e.tops {
		e.topOf[s] = int32(i)
	}
	return e
}

// learn takes note of the symbols and reaches that a tree brought up.
func (e *engine) learn() {
	s := e.spanner
	for x := spanner.Symbol(len(e.class)); int(x) < s.NumSymbols(); x++ {
		em := emission{set: s.Set(x), newline: s.Newline(x)}
		class := e.lineOf
		if em.newline {
			em.column = s.Column(x)
		}
		if !em.newline || class < 0 {
			class = e.symbolic.addSymbol(e.problem.Recognizer, em)
		}
		if em.newline {
			e.lineOf = class
		}
		e.class = append(e.class, class)
		e.view.emits = append(e.view.emits, em)
	}
	e.symbolic.addReaches(e.problem.Recognizer)
}

// buildAll makes all roots, and the rows of all pairs that can occur.
func (e *engine) buildAll(ctx context.Context) error {
	e.roots = make([]*root, e.problem.Lexer.NumStates())
	for q := range e.roots {
		if q%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e.roots[q] = e.flat.root(lexer.State(q))
	}
	e.spanner.Release()
	for top, p := range e.tops {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		start := e.symbolic.start(p)
		for q, r := range e.roots {
			if e.occurs(lexer.State(q), p, start) {
				e.makeRow(r, top, start)
			}
		}
	}
	e.view.groups = e.groups.list
	return nil
}

// occurs tells whether a lexeme can be pending in q with p on top: something that it can become must be
// acceptable there. In the lexer's start state nothing was read yet.
func (e *engine) occurs(q lexer.State, p int32, start config) bool {
	if q == e.problem.Lexer.Start() {
		return p == 0
	}
	return e.symbolic.judge(start, e.problem.Lexer.Reach(q)) != never
}

// makeRow makes the row of a shape for an LR state, and the mask of a root for it.
func (e *engine) makeRow(r *root, top int, start config) {
	e.pairs++
	at := &r.shape.rows[top]
	if at.always == unmade {
		*at = e.classify(r.shape, start)
		e.rows++
	}
	for len(r.masks) <= int(at.always) {
		r.masks = append(r.masks, -1)
	}
	if r.masks[at.always] < 0 {
		r.masks[at.always] = e.mask(r, r.shape.always.list[at.always])
	}
}

// classify runs a shape's sequences from a configuration.
func (e *engine) classify(s *shape, start config) row {
	n := (len(s.entries) + 63) / 64
	for len(e.always) < n {
		e.always, e.context = append(e.always, 0), append(e.context, 0)
	}
	all, some := e.always[:n], e.context[:n]
	clear(all)
	clear(some)
	var path [257]int32
	marked := 0 // path[:marked] are in some
	m, c := e.symbolic, &e.configs
	c[0] = start
	for i := 0; i < len(s.entries); {
		x, d := s.entries[i], int(s.depths[i])
		marked = min(marked, d)
		if !x.isReach() {
			to := m.step(c[d], e.class[x.what])
			if to == dead {
				i += int(x.link)
				continue
			}
			if to < 0 && x.link >= minFragment {
				if e.fragment(s, i, to).addTo(some) {
					for ; marked < d; marked++ {
						some.set(int(path[marked]))
					}
				}
				i += int(x.link)
				continue
			}
			c[d+1], path[d] = to, int32(i)
			i++
			continue
		}
		v := m.judge(c[d], x.reach())
		if v == always && e.set.always {
			all.set(i)
		} else if v != never {
			some.set(i)
			for ; marked < d; marked++ {
				some.set(int(path[marked]))
			}
		}
		i++
	}
	return row{s.always.add(all, &e.key), s.context.add(some, &e.key)}
}

// A fragment is what a subtree of a shape is from a set of LR states: the context-dependent leaves and the
// nodes above them, as words of a bitmap from word lo on. The set does not depend on the LR state being
// worked on, so the fragment is made once for all of them.
type fragment struct {
	words bitmap
	lo    int
	some  bool
}

type fragmentKey struct {
	shape *shape
	entry int32
	from  config
}

// minFragment is the smallest subtree that is worth keeping: below, looking for it takes longer.
const minFragment = 12

// addTo adds the fragment to a bitmap of the shape; false if there is nothing in it.
func (f *fragment) addTo(b bitmap) bool {
	if f.some {
		out := b[f.lo : f.lo+len(f.words)]
		for i, w := range f.words {
			out[i] |= w
		}
	}
	return f.some
}

// fragment is the subtree at entry at of a shape, whose symbol led to the configuration from, a set.
func (e *engine) fragment(s *shape, at int, from config) *fragment {
	key := fragmentKey{s, int32(at), from}
	if f, ok := e.fragments[key]; ok {
		return f
	}
	end := at + int(s.entries[at].link)
	f := &fragment{lo: at >> 6}
	f.words = make(bitmap, (end-1)>>6-f.lo+1)
	set := func(i int) { f.words[i>>6-f.lo] |= 1 << (uint(i) & 63) }
	m, c := e.symbolic, &e.configs
	var path [257]int32
	d0 := int(s.depths[at])
	marked := d0
	c[d0+1], path[d0] = from, int32(at)
	for i := at + 1; i < end; {
		x, d := s.entries[i], int(s.depths[i])
		marked = min(marked, d)
		if !x.isReach() {
			to := m.step(c[d], e.class[x.what])
			if to == dead {
				i += int(x.link)
				continue
			}
			c[d+1], path[d] = to, int32(i)
		} else if m.judge(c[d], x.reach()) != never {
			f.some = true
			set(i)
			for ; marked < d; marked++ {
				set(int(path[marked]))
			}
		}
		i++
	}
	e.fragments[key] = f
	return f
}

// mask is the ready mask of the leaves in b, -1 if there is no room for it.
func (e *engine) mask(r *root, b bitmap) int32 {
	var sum [2]uint64
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		g := &e.groups.list[r.groups[r.shape.entries[i].link]]
		sum[0] += g.sum[0]
		sum[1] += g.sum[1]
	}
	if m, ok := e.maskOf[sum]; ok {
		return m
	}
	words := algorithms.MaskWords(e.problem.Vocabulary.Len())
	if 8*words*(len(e.view.masks)+1) > MaxBytes {
		return -1
	}
	mask := make([]uint64, words)
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		e.groups.list[r.groups[r.shape.entries[i].link]].addTo(mask)
	}
	m := int32(len(e.view.masks))
	e.view.masks = append(e.view.masks, mask)
	e.maskOf[sum] = m
	return m
}

// A plan is what a mask needs to know about a lexer state and an LR state on top.
type plan struct {
	view    view
	root    *root
	mask    []uint64 // the always-accepted tokens, or nil:
	always  bitmap   // then these leaves hold them
	context bitmap
}

// plan finds the row of a pair; false if nothing is accepted there. Tables made at compile time are only
// looked at.
func (e *engine) plan(q lexer.State, p int32) (plan, bool) {
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.provide(q, p) {
			return plan{}, false
		}
	}
	r := e.roots[q]
	at := r.shape.rows[e.topOf[p]]
	if at.always == unmade {
		return plan{}, false
	}
	pl := plan{view: e.view, root: r, context: r.shape.context.list[at.context]}
	if m := r.masks[at.always]; m >= 0 {
		pl.mask = e.view.masks[m]
	} else {
		pl.always = r.shape.always.list[at.always]
	}
	return pl, true
}

// provide makes what plan looks for, if it is not there.
func (e *engine) provide(q lexer.State, p int32) bool {
	for len(e.roots) <= int(q) {
		e.roots = append(e.roots, nil)
	}
	r := e.roots[q]
	if r == nil {
		r = e.flat.root(q)
		e.roots[q] = r
		e.view.groups = e.groups.list
	}
	top := int(e.topOf[p])
	if at := r.shape.rows[top].always; at == unmade || int(at) >= len(r.masks) || r.masks[at] == unmade {
		start := e.symbolic.start(p)
		if !e.occurs(q, p, start) {
			return false
		}
		e.makeRow(r, top, start)
	}
	return true
}
