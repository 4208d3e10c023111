package psc

import (
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/layout"
	"gcdbench/lexer"
)

// maxBytes bounds the memory that an engine holds: 3 GiB leaves a machine that can afford 4 GiB for
// a compile room for the garbage that building makes.
const maxBytes = 3 << 30

// A path is a way down a stack, as far as it matters: the state of the stack automaton it has led to, and
// what was put out on the way. It is what the paper's determinized automaton has for a state. Paths
// are interned, made when first walked, and immutable but for the pointers that are filled in.
type path struct {
	state *state
	// below are the symbols that can come next, next the paths they lead to; both empty if the state is
	// done.
	below []int32
	next  []atomic.Pointer[path]
	// said is the interned list of outputs so far.
	said int32
	// masks are the finished masks without and with EOS added (with a layout; else EOS is among the
	// tokens, and only the first is used). They are shared between generations, and never written
	// again once they are here.
	masks [2]atomic.Pointer[[]uint64]
}

// A core is everything an engine has built, behind one lock for building. Walking takes no lock.
type core struct {
	engine *engine
	mu     sync.Mutex
	auto   *automaton
	// entries are by lexer state; the slice is replaced when it grows.
	entries atomic.Pointer[[]*entry]

	paths   map[uint64]*path // by state and said
	said    map[uint64]int32 // by said so far and output
	outputs []output         // by said
	masks   map[uint64][][]uint64
	numMask int
}

// An output is an element of a list of outputs: the list before it, and a list of groups.
type output struct{ before, out int32 }

// An entry is the starts of a lexer state.
type entry struct {
	// plain is the only row, in a grammar without layout.
	plain *row
	// need is what the tokens of the state can tell about the layout registers, and rows the starts by
	// that; the map is replaced when it grows.
	need *need
	rows atomic.Pointer[map[string]*row]
}

// A row is the starts of a lexer state and a class of registers.
type row struct {
	q     lexer.State
	class int32
	// paths are by the top of the stack, states if nothing is cached.
	paths  []atomic.Pointer[path]
	states []atomic.Pointer[state]
}

func newCore(e *engine) *core {
	c := &core{engine: e, auto: newAutomaton(e.problem, e.spans), paths: map[uint64]*path{}, said: map[uint64]int32{}, masks: map[uint64][][]uint64{}}
	c.outputs = append(c.outputs, output{-1, 0})
	c.entries.Store(&[]*entry{})
	return c
}

// entry is the entry of a lexer state.
func (c *core) entry(q lexer.State) *entry {
	if list := *c.entries.Load(); int(q) < len(list) && list[q] != nil {
		return list[q]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeEntry(q)
}

// makeEntry makes the entry of a lexer state; c.mu is held.
func (c *core) makeEntry(q lexer.State) *entry {
	list := *c.entries.Load()
	if int(q) < len(list) && list[q] != nil {
		return list[q]
	}
	grown := make([]*entry, max(len(list), int(q)+1, c.engine.problem.Lexer.NumStates()))
	copy(grown, list)
	e := &entry{}
	root := c.auto.spans.Shared(q)
	if c.engine.problem.Layout == nil {
		e.plain = c.newRow(q, 0)
	} else {
		need := *c.auto.lines.need(root) // the table of needs may move
		e.need = &need
		e.rows.Store(&map[string]*row{})
	}
	grown[q] = e
	c.entries.Store(&grown)
	return e
}

func (c *core) newRow(q lexer.State, class int32) *row {
	r := &row{q: q, class: class}
	if n := c.engine.problem.Tables.NumStates(); c.engine.cached {
		r.paths = make([]atomic.Pointer[path], n)
	} else {
		r.states = make([]atomic.Pointer[state], n)
	}
	return r
}

// row is the row of a lexer state and registers. key is scratch.
func (c *core) row(q lexer.State, r layout.Registers, key *[]byte) *row {
	e := c.entry(q)
	if e.plain != nil {
		return e.plain
	}
	*key = e.need.appendKey((*key)[:0], c.auto.spans, r)
	if found := (*e.rows.Load())[string(*key)]; found != nil {
		return found
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeRow(e, q, r, *key)
}

// makeRow makes the row of a class of registers; c.mu is held.
func (c *core) makeRow(e *entry, q lexer.State, r layout.Registers, key []byte) *row {
	old := *e.rows.Load()
	if found := old[string(key)]; found != nil {
		return found
	}
	grown := make(map[string]*row, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	made := c.newRow(q, c.auto.lines.class(c.auto.spans.Shared(q), r))
	grown[string(key)] = made
	e.rows.Store(&grown)
	return made
}

// firstState is the state of the automaton after a row's lexer state and top x.
func (c *core) firstState(r *row, x int32) *state {
	if s := r.states[x].Load(); s != nil {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.auto.start(r.q, r.class, x)
	r.states[x].Store(s)
	return s
}

// nextState is the state after the i-th of the symbols that can come next, x.
func (c *core) nextState(s *state, i int, x int32) *state {
	if to := s.next[i].Load(); to != nil {
		return to
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.auto.transition(s, i, x)
}

// firstPath is the path after a row's lexer state and top x.
func (c *core) firstPath(r *row, x int32) *path {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := r.paths[x].Load(); p != nil {
		return p
	}
	p := c.pathTo(c.auto.start(r.q, r.class, x), 0)
	r.paths[x].Store(p)
	return p
}

// nextPath is the path that goes on by the i-th of the symbols that can come next, x.
func (c *core) nextPath(p *path, i int, x int32) *path {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := p.next[i].Load(); to != nil {
		return to
	}
	to := c.pathTo(c.auto.transition(p.state, i, x), p.said)
	p.next[i].Store(to)
	return to
}

// pathTo interns the path to a state behind a list of outputs; c.mu is held.
func (c *core) pathTo(s *state, said int32) *path {
	if s.out != 0 {
		key := pair(said, s.out)
		id, ok := c.said[key]
		if !ok {
			id = int32(len(c.outputs))
			c.outputs = append(c.outputs, output{said, s.out})
			c.said[key] = id
		}
		said = id
	}
	key := pair(s.id, said)
	p := c.paths[key]
	if p == nil {
		p = &path{state: s, said: said, next: make([]atomic.Pointer[path], len(s.next))}
		if s.x >= 0 {
			p.below = c.auto.tables.Predecessors(s.x)
		}
		c.paths[key] = p
	}
	return p
}

// finished is the mask of a path, with EOS added or not, made at the first call.
func (c *core) finished(p *path, end int) *[]uint64 {
	if m := p.masks[end].Load(); m != nil {
		return m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := algorithms.NewBuffer(c.engine.problem.Vocabulary.Len())
	for id := p.said; id > 0; id = c.outputs[id].before {
		c.auto.setTokens(b.Words(), c.outputs[id].out)
	}
	if end == 1 {
		for _, id := range c.engine.problem.Vocabulary.EOS() {
			b.Set(id)
		}
	}
	words := c.share(b)
	p.masks[end].Store(&words)
	return &words
}

// share returns words equal to those of b, the same for equal masks.
func (c *core) share(b *algorithms.Buffer) []uint64 {
	h := b.Mask().Hash()
	for _, words := range c.masks[h] {
		if slices.Equal(words, b.Words()) {
			return words
		}
	}
	c.masks[h] = append(c.masks[h], b.Words())
	c.numMask++
	return b.Words()
}

// unite adds the tokens of an output to a mask.
func (c *core) unite(words []uint64, out int32) {
	if out == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.auto.setTokens(words, out)
}

// bytes is the memory held, roughly; c.mu is held.
func (c *core) bytes() int64 {
	n := c.auto.bytes() + int64(len(c.outputs))*(8+40) + int64(c.numMask)*int64(8*algorithms.MaskWords(c.engine.problem.Vocabulary.Len())+60)
	for _, p := range c.paths {
		n += 120 + 8*int64(len(p.next))
	}
	for _, e := range *c.entries.Load() {
		switch {
		case e == nil:
		case e.plain != nil:
			n += 8 * int64(len(e.plain.paths)+len(e.plain.states))
		default:
			for range *e.rows.Load() {
				n += 8*int64(c.engine.problem.Tables.NumStates()) + 150
			}
		}
	}
	return n
}
