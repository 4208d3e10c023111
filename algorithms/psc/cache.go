package psc

import (
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/table"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
)

// maxBytes bounds the memory that an engine holds: 3 GiB leaves a machine that can afford 4 GiB for
// a compile room for the garbage that building makes.
const maxBytes = 3 << 30

// A said is a list of outputs, put out on the way down a stack: the list before it, and one output
// more. The first one is empty, and stands for the root of the trees that the walk began with.
// Masks hang here, as they depend on nothing else. The paper's determinized automaton has a state
// for each combination of a said with a state.
type said struct {
	before *said // nil for the first
	id     int32
	out    int32
	root   spanner.NodeID
	next   edges[said] // by output
	// masks are the finished masks without and with EOS added (with a layout; else EOS is among the
	// tokens, and only the first is used). They are shared between generations, and never written
	// again once they are here.
	masks [2]atomic.Pointer[[]uint64]
	met   atomic.Bool // one was asked for
}

// A core is everything that an engine has built. Building takes its lock, walking takes none.
type core struct {
	engine *engine
	// problem is the engine's, with as much of its grammar as there was when the core was made.
	problem *algorithms.Problem
	mu      sync.Mutex
	auto    *automaton
	// entries are by lexer state.
	entries growing[entry]

	starts  []*start
	byStart table.Table // state and said -> start
	saids   []*said
	byRoot  table.Table // root -> the empty list
	// view is what finished masks are made of: they are made without the lock. lists has what those
	// of programs have in common, and masks are all of them.
	view  atomic.Pointer[view]
	lists lists
	masks maskPool

	// visited is how many lexer states are built offline, and offline is how much was built by then.
	visited int
	offline int64
	left    map[left]struct{} // from which texts were read on

	rows   int64 // bytes of rows
	sparse bool  // rows are
	built  int
}

// A view is what masks are finished from: lists of groups, and of tokens, as far as they were there
// when the last list of outputs was made. Nothing in it changes any more, and whoever has a list
// finds a view that has all of it.
type view struct {
	outs  [][]int32
	spans *spanner.Reader
}

// An entry is the starts of a lexer state.
type entry struct {
	// plain is the only row, in a grammar without layout.
	plain *row
	// need is what the tokens of the state can tell about the layout registers, and rows the starts
	// by that; the map is replaced when it grows.
	need *need
	rows atomic.Pointer[map[string]*row]
}

// A start is where a walk begins after a lexer state and the top of the stack: a state of the
// automaton, and what it has put out.
type start struct {
	id    int32
	state *state
	said  *said
}

// A row is the starts of a lexer state and a class of registers, by the top of the stack.
type row struct {
	q     lexer.State
	class int32
	// root is the root of q's tree, -1 if it was not needed; parts are q's where a string or number
	// is pending.
	root   spanner.NodeID
	parts  []lexer.Part
	starts byTop[start]
}

// newCore is an empty core.
func newCore(e *engine) *core {
	p := e.problem.Now()
	return newCoreOver(e, p, newTrees(p, e.spans))
}

// latest is the engine's core, a new one if the grammar has grown since it was made.
func (e *engine) latest() *core {
	c := e.core.Load()
	if !c.outgrown() {
		return c
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.core.Load() == c {
		p := e.problem.Now()
		next := newCoreOver(e, p, c.auto.spans.grown(p))
		e.core.Store(next)
	}
	return e.core.Load()
}

// outgrown tells whether the grammar has grown since the core was made. A mask that was made of
// the core by then may lack tokens.
func (c *core) outgrown() bool { return c.problem.Current() != c.problem.Recognizer }

// newCoreOver is newCore over trees that others may use as well.
func newCoreOver(e *engine, p *algorithms.Problem, spans *trees) *core {
	c := &core{engine: e, problem: p, auto: newAutomaton(p, spans), left: map[left]struct{}{}}
	c.lists.auto, c.lists.masks, c.lists.off = c.auto, &c.masks, !e.lists
	_, c.sparse = p.Lexer.(*lexer.OnDemand)
	return c
}

// entry is the entry of a lexer state.
func (c *core) entry(q lexer.State) *entry {
	if e := c.entries.get(int32(q)); e != nil {
		return e
	}
	if c.problem.Layout != nil && !c.sparse {
		c.auto.spans.Shared(q) // not under the lock
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeEntry(q)
}

// makeEntry makes the entry of a lexer state; c.mu is held.
func (c *core) makeEntry(q lexer.State) *entry {
	if e := c.entries.get(int32(q)); e != nil {
		return e
	}
	e := &entry{}
	if c.problem.Layout == nil {
		e.plain = c.newRow(q, 0)
		e.plain.parts = c.auto.spans.Pending(nil, q)
	} else {
		need := *c.auto.lines.need(c.auto.spans.Shared(q)) // the table of needs may move
		e.need = &need
		e.rows.Store(&map[string]*row{})
	}
	e, _ = c.entries.set(int32(q), e)
	return e
}

func (c *core) newRow(q lexer.State, class int32) *row {
	r := &row{q: q, class: class, root: -1}
	r.starts.init(c.problem.Tables.NumStates(), c.sparse)
	c.rows += 200 + r.starts.bytes()
	return r
}

// row is the row of a lexer state and registers. key is scratch.
func (c *core) row(q lexer.State, r layout.Registers, key *[]byte) *row {
	e := c.entry(q)
	if found := c.rowOf(e, r, key); found != nil {
		return found
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeRow(e, q, r, *key)
}

// rowThere is row if it was made, else nil.
func (c *core) rowThere(q lexer.State, r layout.Registers, key *[]byte) *row {
	if e := c.entries.get(int32(q)); e != nil {
		return c.rowOf(e, r, key)
	}
	return nil
}

// rowOf is the row of an entry, nil if it was not made; key is then that of the registers.
func (c *core) rowOf(e *entry, r layout.Registers, key *[]byte) *row {
	if e.plain != nil {
		return e.plain
	}
	*key = e.need.appendKey((*key)[:0], c.auto.problem.Layout, r)
	return (*e.rows.Load())[string(*key)]
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

// begin is the state after a row's lexer state and top x, and the root of the trees that it is for;
// c.mu is held.
func (c *core) begin(r *row, x int32) (s *state, root spanner.NodeID) {
	if len(r.parts) > 0 {
		if sure, ok := c.auto.narrow(x, r.parts); ok {
			root := c.auto.spans.Root(sure)
			return c.auto.startParts(root, sure, x), root
		}
	}
	if c.sparse && c.problem.Lexer.Begins(r.q) { // the start of a text: one top, which takes few terminals
		root := c.auto.spans.Beginning(r.q, c.auto.tables.Live(x))
		return c.auto.start(root, r.q, r.class, x), root
	}
	if r.root < 0 {
		r.root = c.auto.spans.Shared(r.q)
	}
	return c.auto.start(r.root, r.q, r.class, x), r.root
}

// nextState is the state after the next symbol that is read, x, made unless somebody else did.
func (c *core) nextState(s *state, x int32) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.auto.transition(s, x)
	c.tidy()
	return to
}

// put adds the tokens of an output, put out on the way from a root, to a mask.
func (c *core) put(words []uint64, root spanner.NodeID, out int32) {
	if out == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := view{c.auto.outs.List, c.auto.spans.Reader()}
	for _, group := range v.appendGroups(nil, root, out) {
		c.auto.setGroup(words, group)
	}
}

// publish has generations see the lists of groups that there are; c.mu is held.
func (c *core) publish() {
	if v := c.view.Load(); v == nil || len(v.outs) < len(c.auto.outs.List) || v.spans != c.auto.spans.Reader() {
		c.view.Store(&view{c.auto.outs.List, c.auto.spans.Reader()})
	}
}

// firstStart is the start of a row at top x, made unless somebody else did.
func (c *core) firstStart(r *row, x int32) *start {
	if !c.sparse {
		c.auto.spans.Shared(r.q) // not under the lock
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := r.starts.get(x); s != nil {
		return s
	}
	return c.makeStart(r, x)
}

// makeStart is the start of a row at top x, which was not made; c.mu is held.
func (c *core) makeStart(r *row, x int32) *start {
	at, root := c.begin(r, x)
	so := c.sayNothing(root)
	if at.out != 0 {
		so = c.say(so, at.out)
	}
	key := table.Pair(at.id, so.id)
	id := c.byStart.Get(key)
	if id == table.Absent {
		id = int32(len(c.starts))
		c.starts = append(c.starts, &start{id, at, so})
		c.byStart.Put(key, id)
	}
	c.publish() // the root may be new
	c.rows += r.starts.set(x, c.starts[id])
	c.tidy()
	return c.starts[id]
}

// sayMore is a list of outputs with one output more, made unless somebody else did.
func (c *core) sayMore(before *said, out int32) *said {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.say(before, out)
	c.tidy()
	return s
}

// sayNothing is the list of a walk that began at a root and has put out nothing; c.mu is held.
func (c *core) sayNothing(root spanner.NodeID) *said {
	id := c.byRoot.Get(uint64(root))
	if id == table.Absent {
		id = int32(len(c.saids))
		c.saids = append(c.saids, &said{id: id, root: root})
		c.byRoot.Put(uint64(root), id)
	}
	return c.saids[id]
}

// say interns a list of outputs: an earlier list, and one output more; c.mu is held.
func (c *core) say(before *said, out int32) *said {
	if s := before.next.find(out); s != nil {
		return s
	}
	c.publish()
	s := &said{before: before, id: int32(len(c.saids)), out: out, root: before.root}
	c.saids = append(c.saids, s)
	before.next.add(out, s)
	return s
}

// things is how many starts and transitions there are: what a mask may have to build. c.mu is held.
func (c *core) things() int64 {
	return int64(c.auto.starts + c.auto.transitions)
}

// tidyEvery is the number of things built between two looks at the memory held.
const tidyEvery = 64

// tidy has the engine start over with an empty core if this one holds too much. A generation that
// is reading the old core goes on with it; masks stay valid, as they are memory of their own. The
// trees of a program, which are as many as its lexer states, stay as they were built offline.
// c.mu is held.
func (c *core) tidy() {
	c.built++
	e := c.engine
	if c.built%tidyEvery != 0 || c.bytes() <= e.limit {
		return
	}
	p, spans := e.problem.Now(), c.auto.spans
	if c.sparse {
		spans = newTrees(p, e.spans)
	}
	if e.core.CompareAndSwap(c, newCoreOver(e, p, spans)) {
		e.flushes.Add(1)
	}
}

// tidySoon is tidy where the lock is not held: it is left to others where that would wait.
func (c *core) tidySoon() {
	if c.mu.TryLock() {
		c.tidy()
		c.mu.Unlock()
	}
}

// bytes is the memory held, roughly; c.mu is held.
func (c *core) bytes() int64 {
	masks, _ := c.masks.size()
	return c.auto.bytes() + masks + c.lists.bytes() + c.byStart.Bytes() + c.byRoot.Bytes() +
		110*int64(len(c.saids)) + 24*int64(len(c.starts)) + c.rows
}
