package greatgramma

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/algorithms/spanner"
	"gcdbench/grammar"
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

	counters counters

	fragments map[fragmentKey]*fragment
	configs   [257]config
	always    bitmap
	context   bitmap
	piece     bitmap
	rows      int // made
	lineRows  int // made for what follows newline lexemes
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
	parsed  []grammar.Terminal // the members that the parser sees
	ignored bool               // a member is ignored
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
		em.parsed, em.ignored = e.symbolic.symbols[class].parsed, e.symbolic.symbols[class].ignored
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
	for top, p := range e.tops {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		start := e.symbolic.start(p)
		for q, r := range e.roots {
			if e.occurs(lexer.State(q), p, start) {
				e.makeRow(r, top, start)
			}
			for entry := range r.shape.lines {
				e.makeLine(r, entry, top, start)
			}
		}
	}
	e.finish()
	return nil
}

// finish drops what only building needs.
func (e *engine) finish() {
	e.view.groups = slices.Clip(e.groups.list)
	m := e.symbolic
	e.symbolic = &symbolic{tables: m.tables, reductions: m.reductions, mayLoop: m.mayLoop}
	e.spanner, e.flat, e.fragments, e.shapeOf, e.maskOf, e.groups.bySum = nil, flattener{}, nil, nil, nil, nil
	e.key, e.always, e.context, e.piece = nil, nil, nil, nil
	for _, s := range e.shapes {
		s.always.byKey, s.context.byKey = nil, nil
	}
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
		*at = e.classify(r.shape, 0, len(r.shape.entries), start)
		e.rows++
	}
	e.makeMask(r, at.always, 0)
	e.countContext(r, at.context)
}

// countContext notes that a pair has some context-dependent leaves, and how many tokens they are.
func (e *engine) countContext(r *root, context int32) {
	for len(r.context) <= int(context) {
		r.context = append(r.context, contextUse{size: unmade})
	}
	c := &r.context[context]
	c.pairs++
	if c.size != unmade {
		return
	}
	c.size = 0
	b := r.shape.context.list[context]
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		if x := r.shape.entries[i]; x.isReach() {
			c.size += int32(e.groups.list[r.groups[x.link]].size)
		}
	}
}

// A contextUse is how many tokens some leaves of a root have, and for how many LR states they depend on the stack.
type contextUse struct{ size, pairs int32 }

// makeLine makes the row of what follows a newline lexeme, emitted at an entry of the root's shape.
func (e *engine) makeLine(r *root, entry int32, top int, start config) {
	at := &r.shape.lines[entry][top]
	if at.always == unmade {
		*at = e.classify(r.shape, int(entry)+1, int(entry+r.shape.entries[entry].link), start)
		e.lineRows++
	}
	e.makeMask(r, at.always, minMask)
}

// minMask is the number of tokens from which on a mask is worth |V|/8 bytes for what is only added to
// another mask: below, adding the tokens one by one costs about as much.
const minMask = 1 << 11

// noMask marks always-accepted tokens that have no ready mask.
const noMask = -2

// makeMask makes the ready mask of a root for some always-accepted leaves with at least fewest tokens.
func (e *engine) makeMask(r *root, always int32, fewest int) {
	for len(r.masks) <= int(always) {
		r.masks = append(r.masks, unmade)
	}
	if m := &r.masks[always]; *m == unmade || *m == noMask && fewest == 0 {
		*m = e.mask(r, r.shape.always.list[always], fewest)
	}
}

// classify runs the sequences of the entries from up to end of a shape, siblings, from a configuration.
func (e *engine) classify(s *shape, from, end int, start config) row {
	n := (len(s.entries) + 63) / 64
	for len(e.always) < n {
		e.always, e.context = append(e.always, 0), append(e.context, 0)
	}
	all, some := e.always[:n], e.context[:n]
	clear(all)
	clear(some)
	if from < end {
		e.classifyInto(all, some, s, from, end, start)
	}
	return row{s.always.add(all, &e.key), s.context.add(some, &e.key)}
}

// classifyInto adds the leaves always accepted to all, and the others that may be, with the nodes above them, to
// some. From a set nothing is always accepted, and all is nil.
func (e *engine) classifyInto(all, some bitmap, s *shape, from, end int, start config) {
	var path [257]int32
	m, c := e.symbolic, &e.configs
	marked := int(s.depths[from]) // path[:marked] are in some, from the depth of from on
	c[marked] = start
	for i := from; i < end; {
		x, d := s.entries[i], int(s.depths[i])
		marked = min(marked, d)
		if !x.isReach() {
			to := m.step(c[d], e.class[x.what])
			path[d] = int32(i)
			switch {
			case to == dead:
				i += int(x.link)
				continue
			case to < 0 && x.link >= minFragment && all != nil:
				if e.fragment(s, i, to).addTo(some) {
					marked = some.mark(&path, marked, d)
				}
				i += int(x.link)
				continue
			}
			c[d+1] = to
			i++
			continue
		}
		v := m.judge(c[d], x.reach())
		if v == always && e.set.always {
			all.set(i)
		} else if v != never {
			some.set(i)
			marked = some.mark(&path, marked, d)
		}
		i++
	}
}

// mark adds path[marked:depth] and returns how far the path is marked now.
func (b bitmap) mark(path *[257]int32, marked, depth int) int {
	for ; marked < depth; marked++ {
		b.set(int(path[marked]))
	}
	return marked
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
	n := (end + 63) / 64
	for len(e.piece) < n {
		e.piece = append(e.piece, 0)
	}
	f := &fragment{lo: at >> 6}
	some := e.piece[:n]
	clear(some[f.lo:])
	e.classifyInto(nil, some, s, at+1, end, from)
	if f.some = some.next(at) >= 0; f.some {
		some.set(at)
		f.words = append(f.words, some[f.lo:]...)
	}
	e.fragments[key] = f
	return f
}

// mask is the ready mask of the leaves in b, noMask if there is no room for it, or if it has
// fewer tokens than asked for.
func (e *engine) mask(r *root, b bitmap, fewest int) int32 {
	var sum [2]uint64
	size := 0
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		g := &e.groups.list[r.groups[r.shape.entries[i].link]]
		sum[0] += g.sum[0]
		sum[1] += g.sum[1]
		size += g.size
	}
	if size < fewest {
		return noMask
	}
	if m, ok := e.maskOf[sum]; ok {
		return m
	}
	words := algorithms.MaskWords(e.problem.Vocabulary.Len())
	if 8*words*(len(e.view.masks)+1) > MaxBytes {
		return noMask
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
	size    int32 // tokens that depend on the stack, as far as known
}

// plan finds the row of a pair; false if nothing is accepted there. Tables made at compile time are only
// looked at.
func (e *engine) plan(q lexer.State, p int32) (plan, bool) {
	top := e.topOf[p]
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.provide(q, top) {
			return plan{}, false
		}
	}
	r := e.roots[q]
	at := r.shape.rows[top]
	if !r.has(at) {
		return plan{}, false
	}
	pl := e.planOf(r, at)
	pl.size = r.context[at.context].size
	return pl, true
}

// has tells whether a row was made, and for this root. (It may have been made for another of the same shape, where
// this root's lexeme cannot be pending: then it accepts nothing here.)
func (r *root) has(at row) bool {
	return at.always != unmade &&
		int(at.always) < len(r.masks) && r.masks[at.always] != unmade &&
		int(at.context) < len(r.context) && r.context[at.context].size != unmade
}

// planLine finds the row of what follows the newline lexeme emitted at an entry, with p on top then.
func (e *engine) planLine(r *root, entry, p int32) plan {
	top := e.topOf[p]
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		if at := r.shape.lines[entry][top].always; at == unmade || int(at) >= len(r.masks) || r.masks[at] == unmade {
			e.makeLine(r, entry, int(top), e.symbolic.start(p))
		}
	}
	return e.planOf(r, r.shape.lines[entry][top])
}

func (e *engine) planOf(r *root, at row) plan {
	p := plan{view: e.view, root: r, context: r.shape.context.list[at.context]}
	if m := r.masks[at.always]; m >= 0 {
		p.mask = e.view.masks[m]
	} else {
		p.always = r.shape.always.list[at.always]
	}
	return p
}

// provide makes what plan looks for, if it is not there.
func (e *engine) provide(q lexer.State, top int32) bool {
	for len(e.roots) <= int(q) {
		e.roots = append(e.roots, nil)
	}
	r := e.roots[q]
	if r == nil {
		r = e.flat.root(q)
		e.roots[q] = r
		e.view.groups = e.groups.list
	}
	if !r.has(r.shape.rows[top]) {
		start := e.symbolic.start(e.tops[top])
		if !e.occurs(q, e.tops[top], start) {
			return false
		}
		e.makeRow(r, int(top), start)
	}
	return true
}
