package psc

import (
	"maps"
	"slices"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// Compiled eagerly, the masks are finished offline (the paper's Lambda_s), in two layers: that of
// what a start puts out, and what each state further down adds to it. Both are parts: sets of
// tokens, of which equal ones are one. What a state adds is a few words as a rule, and is kept as
// those. Where a part is many words, it mostly contains one that is there already, and is kept as
// that one and what it has beyond it. So are most finished masks of starts, since they differ
// little (Java and Llama 3: 234,374 starts, 2,044 masks; of 18,796 parts, masks among them, 1,237
// have all of their words). A mask is then a copy of one with a few words put in. Where that is
// much work all the same, the result is kept once it is asked for again (recall.go).
//
// The paper has one finished mask for each state of an automaton that remembers what it has put
// out. There, the number of states is that of the combinations of outputs, which nobody has
// bounded; here, outputs add up. (Java and Llama 3: 83,939 states. With what was put out before
// they would be 20,000 for the lexer state's own groups, see halves.go, and more than 3 million for
// the rest, where the count was stopped.) Of the own groups, the sums that masks can meet are made
// offline where everything is built, since there are few: 694 of more than four groups, of 54 in
// the mean.

// A part is a set of tokens as it is put into a mask: all words, or those that are not zero. With a
// base, which is all words of another part that it contains, the others are what it has beyond it.
type part struct {
	all, base []uint64
	few       fewWords
}

// denseShare bounds a part of few words: one in so many of a mask's words is not zero. A word of a
// few takes 10 bytes rather than 8, and is somewhere in the mask. sparseWork is the work of putting
// it, in words that are put one after the other.
const (
	denseShare = 4
	sparseWork = 4
)

// maxBases is with how many parts, those made last that may be a base, a part is compared, and
// baseShare bounds what it has beyond its base: one in so many of a mask's words.
const (
	maxBases  = 64
	baseShare = 8
)

// put adds the tokens of a part to a mask. It returns the work of that, in words that are put one
// after the other.
func (p *part) put(words []uint64) (work int) {
	if p.all != nil {
		algorithms.Unite(words, p.all)
		return len(p.all)
	}
	if p.base != nil {
		algorithms.Unite(words, p.base)
	}
	p.few.put(words)
	return len(p.base) + sparseWork*p.few.len()
}

// write writes the tokens of a part over a mask.
func (p *part) write(words []uint64) {
	switch {
	case p.all != nil:
		copy(words, p.all)
	case p.base != nil:
		copy(words, p.base)
	default:
		clear(words)
	}
	p.few.put(words)
}

// has tells whether a part has a token.
func (p *part) has(token int) bool {
	return p.all != nil && bitset.Has(p.all, token) || p.base != nil && bitset.Has(p.base, token) || p.few.word(token/64)>>(token%64)&1 != 0
}

// A delta is what a state puts out: a part, and groups of the lexer state's own node, by number.
type delta struct {
	part
	id  int32
	own []int32
}

// composer has the finished masks and the parts. It is used under the lock of its core; what it
// returns is never changed.
type composer struct {
	auto   *automaton
	leaves []*part // by LeafID
	eos    *part
	parts  []*part
	memory arena   // of parts
	large  []large // bases of parts
	byPart interned
	deltas []*delta // by output
	own    map[spanner.NodeID]*ownParts
	kept   keptMasks
	within map[int32]*withinHalf // by shape
	bases  map[baseKey]*part
	// shapes numbers the halves of rows; starts are the states of the halves, by number and top.
	shapes  map[string]int32
	starts  table64
	list    map[startKey]*start
	scratch []uint64 // zero between calls
	words   []uint64 // scratch
	groups  []int32
	held    int64 // bytes
}

func newComposer(a *automaton) *composer {
	return &composer{
		auto: a, own: map[spanner.NodeID]*ownParts{}, bases: map[baseKey]*part{}, shapes: map[string]int32{}, within: map[int32]*withinHalf{}, list: map[startKey]*start{},
		kept: keptMasks{limit: maxRecalled}, scratch: make([]uint64, algorithms.MaskWords(a.problem.Vocabulary.Len())),
	}
}

// partOf is the part of a group.
func (m *composer) partOf(group int32) *part {
	if group == eosLeaf {
		if m.eos == nil {
			m.auto.setGroup(m.scratch, eosLeaf)
			m.eos = m.take()
		}
		return m.eos
	}
	for len(m.leaves) <= int(group) {
		m.leaves = append(m.leaves, nil)
	}
	if m.leaves[group] == nil {
		m.auto.setGroup(m.scratch, group)
		m.leaves[group] = m.take()
	}
	return m.leaves[group]
}

// take makes a part of the scratch, and clears that.
func (m *composer) take() *part {
	defer clear(m.scratch)
	h := index.Hash(m.scratch)
	if id := m.byPart.find(h, func(id int32) bool { return m.scratchIs(m.parts[id]) }); id >= 0 {
		return m.parts[id]
	}
	p := &part{}
	n := count(m.scratch, nil)
	dense := denseShare*n > len(m.scratch)
	if dense {
		p.base = m.baseOf()
	}
	switch {
	case p.base != nil:
		p.few = sparse(m.scratch, p.base, m.memory.take)
	case dense:
		p.all = m.memory.clone(m.scratch)
		m.large = append(m.large, large{signed(p.all), p.all})
	default:
		p.few = sparse(m.scratch, nil, m.memory.take)
	}
	m.byPart.add(h)
	m.parts = append(m.parts, p)
	m.held += 8*int64(len(p.all)+len(p.few)) + 80
	return p
}

// scratchIs tells whether the scratch has the tokens of a part.
func (m *composer) scratchIs(p *part) bool {
	words := slices.Grow(m.words[:0], len(m.scratch))[:len(m.scratch)]
	clear(words)
	p.put(words)
	m.words = words
	return slices.Equal(words, m.scratch)
}

// A large is a part that has all words, and some of them: where these have a token that others
// lack, it is no base for those.
type large struct {
	sign  [4]uint64
	words []uint64
}

// signed are some words of a mask.
func signed(words []uint64) (sign [4]uint64) {
	for i := range sign {
		sign[i] = words[(2*i+1)*len(words)/(2*len(sign))]
	}
	return sign
}

// baseOf is the base that what is in the scratch has least beyond, of some that were made last; nil
// if there is none.
func (m *composer) baseOf() (best []uint64) {
	sign, looks, least := signed(m.scratch), 0, len(m.scratch)/baseShare+1
	for k := len(m.large) - 1; k >= 0 && looks < maxBases; k-- {
		l := &m.large[k]
		if l.sign[0]&^sign[0]|l.sign[1]&^sign[1]|l.sign[2]&^sign[2]|l.sign[3]&^sign[3] != 0 {
			continue
		}
		looks++
		if n := m.beyond(l.words, least); n < least {
			best, least = l.words, n
		}
	}
	return best
}

// beyond is how many words of the scratch have tokens beyond a base, which it must contain; limit
// if it does not, or if there are as many.
func (m *composer) beyond(base []uint64, limit int) (n int) {
	for i, w := range base {
		if w&^m.scratch[i] != 0 {
			return limit
		}
		if m.scratch[i] != w {
			if n++; n >= limit {
				return limit
			}
		}
	}
	return n
}

// deltaOf is what the output numbered out puts into a mask.
func (m *composer) deltaOf(out int32) *delta {
	for len(m.deltas) <= int(out) {
		m.deltas = append(m.deltas, nil)
	}
	if m.deltas[out] == nil {
		d := &delta{}
		m.groups = m.auto.appendOut(m.groups[:0], out)
		for _, g := range m.groups {
			if g >= ownLeaf && g != eosLeaf {
				d.own = append(d.own, g-ownLeaf)
			} else {
				m.partOf(g) // before the scratch is used
			}
		}
		for _, g := range m.groups {
			if g < ownLeaf || g == eosLeaf {
				m.partOf(g).put(m.scratch)
			}
		}
		d.part = *m.take()
		d.id = out
		m.deltas[out] = d
		m.held += 40 + 4*int64(len(d.own))
	}
	return m.deltas[out]
}

// ownParts are the parts of a root's own groups, by number, and the sums of those that deltas have,
// as far as they were made ahead, by the delta's number. The map of sums is read without a lock,
// and replaced when it grows.
type ownParts struct {
	list []*part
	sums atomic.Pointer[map[int32]*part]
}

// sumOf is the sum of a delta's own groups, nil if it was not made.
func (o *ownParts) sumOf(d *delta) *part {
	if len(d.own) <= fewOwn {
		return nil
	}
	if sums := o.sums.Load(); sums != nil {
		return (*sums)[d.id]
	}
	return nil
}

// fewOwn is how many own groups a delta has at most that are put one by one.
const fewOwn = 4

// put adds the own groups of a delta to a mask, and returns the work of that.
func (o *ownParts) put(d *delta, words []uint64) (work int) {
	if sum := o.sumOf(d); sum != nil {
		return sum.put(words)
	}
	for _, i := range d.own {
		work += o.list[i].put(words)
	}
	return work
}

// sum makes the sums of the own groups of deltas that have more than a few.
func (o *ownParts) sum(m *composer, deltas []*delta) {
	grown := map[int32]*part{}
	if old := o.sums.Load(); old != nil {
		grown = maps.Clone(*old)
	}
	for _, d := range deltas {
		if grown[d.id] != nil {
			continue
		}
		for _, i := range d.own {
			o.list[i].put(m.scratch)
		}
		grown[d.id] = m.take()
		m.held += 40
	}
	o.sums.Store(&grown)
}

// ownOf is the parts of a root's own groups.
func (m *composer) ownOf(root spanner.NodeID) *ownParts {
	o := m.own[root]
	if o == nil {
		o = &ownParts{}
		for _, l := range m.auto.spans.Node(root).Leaves {
			o.list = append(o.list, m.partOf(int32(l.ID)))
		}
		m.own[root] = o
		m.held += 60 + 8*int64(len(o.list))
	}
	return o
}

// A baseKey is what the mask of a start depends on: the outputs of its states, and the root if own
// groups are among them.
type baseKey struct {
	root        spanner.NodeID
	out, within int32
}

// base is the finished mask of what a start puts out.
func (m *composer) base(key baseKey) *part {
	p := m.bases[key]
	if p == nil {
		m.sum(key)
		p = m.take()
		m.bases[key] = p
		m.held += 32
	}
	return p
}

// sum sets the words of base in the scratch.
func (m *composer) sum(key baseKey) {
	all := m.deltaOf(key.out)
	if key.within == 0 {
		all.put(m.scratch)
		return
	}
	within, own := m.deltaOf(key.within), m.ownOf(key.root)
	all.put(m.scratch)
	for _, i := range within.own {
		own.list[i].put(m.scratch)
	}
}

// bytes is the memory held, roughly.
func (m *composer) bytes() int64 {
	kept, _ := m.kept.bytes()
	return m.held + kept + m.starts.bytes() + 140*int64(len(m.list))
}

// deltaOf is what a state puts into a mask.
func (c *core) deltaOf(s *state) *delta {
	if d := s.delta.Load(); d != nil {
		return d
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeDelta(s)
}

// makeDelta is deltaOf with c.mu held.
func (c *core) makeDelta(s *state) *delta {
	d := c.composer.deltaOf(s.out)
	s.delta.Store(d)
	return d
}

// composing is a generation of an engine with finished parts of masks: it copies one and adds
// others. While these are built beside it, it is like that of a lazy engine.
type composing struct{ *gen }

// Mask implements algorithms.State. The mask is a view of a finished one if there is one, and else
// in the generation's buffer.
func (g composing) Mask() algorithms.Mask {
	if g.Ended {
		return g.own().Mask()
	}
	c, p := g.engine.core.Load(), g.engine.problem
	if c.composer == nil {
		return g.maskFrom(c)
	}
	defer g.counted()
	m := g.compose(c)
	if m.words != nil && (p.Layout == nil || !p.End(g.State)) {
		return algorithms.MaskOf(m.words, p.Vocabulary.Len())
	}
	b := g.space()
	g.put(c, m, b.Words())
	return b.Mask()
}

// Fill implements algorithms.Filler.
func (g composing) Fill(row []uint64) {
	if g.Ended {
		clear(row)
		return
	}
	c := g.engine.core.Load()
	if c.composer == nil {
		g.fillFrom(c, row)
		return
	}
	defer g.counted()
	g.put(c, g.compose(c), row)
}

// A composition is what a walk down a stack came to, together with g.deltas.
type composition struct {
	first *start   // nil if the stack forks
	words []uint64 // the finished mask if there is one
	hash  uint64   // of the context
}

// put writes the mask that compose found over the words of a row.
func (g *gen) put(c *core, m composition, row []uint64) {
	switch {
	case m.first == nil:
		g.unite(c, g.row(c), row)
		return
	case m.words != nil:
		copy(row, m.words)
	default:
		m.first.mask.write(row)
		work := 0
		for _, d := range g.deltas {
			work += d.put(row) + m.first.own.put(d, row)
		}
		if lightShare*work > len(c.composer.scratch) {
			c.composer.kept.meet(m.hash, m.first, g.deltas, row[:len(c.composer.scratch)])
		}
	}
	if g.engine.problem.Layout != nil {
		g.MarkEnd(row)
	}
}

// compose walks down a stack. What the states after the start put out is in g.deltas then.
func (g *gen) compose(c *core) (m composition) {
	g.deltas, g.last = g.deltas[:0], lastMask{}
	if g.State.Stacks.NumTops() != 1 {
		return composition{}
	}
	top := g.State.Stacks.TopNode(0)
	f := c.frozen.Load()
	if m.first = f.start(g.State.Lexer, top.State); m.first == nil {
		m.first = g.firstState(c, g.row(c), top.State)
	}
	m.hash = index.Mix(uint64(m.first.id)) // mixed, as the numbers of outputs are small, too
	depth, ok := g.descendBoth(c, f, m.first, top, &m.hash)
	if !ok {
		return composition{}
	}
	g.sheet().depths[min(depth, maxDepth)].Add(1)
	if len(g.deltas) == 0 {
		m.words = m.first.mask.all
	} else {
		m.words = c.composer.kept.find(m.hash, m.first, g.deltas)
	}
	g.last = lastMask{at: g.State.Lexer, top: top, registers: g.State.Layout, words: m.words}
	if m.words == nil {
		g.last.first, g.last.deltas = m.first.mask, g.deltas
	}
	return m
}

// composable tells whether all that the mask is composed of is there.
func (g *gen) composable(c *core, r *row) bool {
	g.deltas, g.last = g.deltas[:0], lastMask{}
	top := g.State.Stacks.TopNode(0)
	first := c.startThere(r, top.State)
	if first == nil {
		return false
	}
	var hash uint64
	_, ok := g.descendBoth(nil, c.frozen.Load(), first, top, &hash)
	return ok
}

// descendBoth is descend from both states of a start, on records if it is frozen.
func (g *gen) descendBoth(c *core, f *frozen, from *start, top *lr.Node, hash *uint64) (depth int, ok bool) {
	if depth, ok = g.descendOn(c, f, from.state, from.after, top, hash); ok && from.within != nil {
		var d int
		d, ok = g.descendOn(c, f, from.within, from.inside, top, hash)
		depth = max(depth, d)
	}
	return depth, ok
}

// descendOn is descend on records if there is one for the state.
func (g *gen) descendOn(c *core, f *frozen, s *state, at int32, n *lr.Node, hash *uint64) (depth int, ok bool) {
	if at != unwritten {
		return f.descend(g, at, n, hash)
	}
	return g.descend(c, s, n, hash)
}

// descend walks from a state down the stack under n and adds what the states after it put out to
// g.deltas, and to their hash. It is not ok where the stack forks. Without a core it builds
// nothing, and is not ok where something is missing either.
func (g *gen) descend(c *core, s *state, n *lr.Node, hash *uint64) (depth int, ok bool) {
	depth = 1
	for !s.done() {
		under, ok := pass(n, s.skip+1)
		if under == nil {
			return depth, ok
		}
		n = under
		depth += int(s.skip) + 1
		to := s.edges.find(n.State)
		if c == nil && (to == nil || to.out != 0 && to.delta.Load() == nil) {
			return depth, false
		}
		if to == nil {
			to = g.nextState(c, s, n.State)
		}
		if s = to; s.out != 0 {
			g.deltas = append(g.deltas, c.deltaOf(s))
			*hash = mixOut(*hash, s.out)
		}
	}
	return depth, true
}

// mixOut is the hash of a context with one output more.
func mixOut(hash uint64, out int32) uint64 { return index.Mix(hash ^ uint64(out)) }
