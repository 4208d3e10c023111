package psc

import (
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
)

// maxBytes bounds the memory that an engine holds: 3 GiB leaves a machine that can afford 4 GiB for
// a compile room for the garbage that building makes.
const maxBytes = 3 << 30

// A path is a way down a stack, as far as it matters: the state of the stack automaton at its
// end, and the outputs on the way. The paper's determinized automaton has a state for each. Paths
// are interned, made when first walked, and immutable but for the pointers that are filled in.
type path struct {
	state *state
	id    int32
	root  spanner.NodeID // of the trees that it began with
	// skip is the state's, and -1 if the state is done.
	skip  int32
	edges edges[path]
	// said is the interned list of outputs so far.
	said int32
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
	lazy    bool
	mu      sync.Mutex
	auto    *automaton
	// entries are by lexer state.
	entries growing[entry]

	paths   []*path
	byState table64  // state and said -> path
	said    table64  // said so far and output -> said
	outputs []output // by said
	// view is what finished masks are made of: those of programs are made without the lock. lists
	// has what they have in common, and masks are all of them, but those that are composed.
	view  atomic.Pointer[view]
	lists lists
	masks maskPool

	// composer has the parts of masks if masks are composed, else it is nil; starts are by number.
	composer *composer
	// frozen is what was built, once that is everything; else nil.
	frozen atomic.Pointer[frozen]

	// builtStates are the lexer states whose starts are built ahead, and builtAhead is how much was
	// built by then.
	builtStates int
	warm        atomic.Bool // aheadOfSchemas has been called
	grown       bool        // the core took the place of one that knew less of the grammar
	builtAhead  int64

	pathEdges      int
	startCount     int64 // starts of rows that were set
	rows           int64 // bytes of rows
	sparse         bool  // rows are
	built          int
	usualRegisters []layout.Registers
}

// A view is what masks are finished from: lists of groups, outputs and tokens, as far as they were
// there when the last path was made. Nothing in it changes any more, and whoever has a path finds a
// view that has all of it.
type view struct {
	outs    [][]int32
	outputs []output
	spans   *spanner.Reader
}

// An output is an element of a list of outputs: the element before it (-1 for the first), a list
// of groups, and the root of the trees that the path began with.
type output struct {
	before, out int32
	root        spanner.NodeID
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

// A row is the starts of a lexer state and a class of registers.
type row struct {
	q     lexer.State
	class int32
	// root is the root of q's tree, -1 if it was not needed; parts are q's where a string or number
	// is pending.
	root  spanner.NodeID
	parts []lexer.Part
	// halves are what the starts depend on besides the top of the stack, where masks are composed,
	// and key is the class's key.
	halves *halves
	key    string
	// paths are by the top of the stack, states if nothing is cached.
	paths  pages[path]
	states pages[start]
}

// A start is the state of the automaton after a lexer state and the top of the stack, and the root
// of the trees that it is for. Where masks are composed, the root's own groups have a state apart
// (halves); mask is the finished mask of what both states put out, and own are the parts of the
// root's own groups. after and inside are the records of the two states, once they are frozen;
// before, they are unwritten.
type start struct {
	state, within *state
	root          spanner.NodeID
	id            int32 // where masks are composed
	mask          *part
	own           *ownParts
	after, inside int32
}

// newCore is an empty core, of an engine that builds lazily or of one that builds offline.
func newCore(e *engine, lazy bool) *core {
	p := e.problem.Now()
	return newCoreOver(e, lazy, p, newTrees(p, e.spans))
}

// latest is the engine's core, an empty one if the grammar has grown since it was made.
func (e *engine) latest() *core {
	c := e.core.Load()
	if !c.outgrown() {
		return c
	}
	next := newCore(e, c.lazy)
	next.grown = true
	e.core.CompareAndSwap(c, next)
	return e.core.Load()
}

// outgrown tells whether the grammar has grown since the core was made. A mask that was made of
// the core by then may lack tokens.
func (c *core) outgrown() bool { return c.problem.Current() != c.problem.Recognizer }

// newCoreOver is newCore over trees that others may use as well.
func newCoreOver(e *engine, lazy bool, p *algorithms.Problem, spans *trees) *core {
	c := &core{engine: e, problem: p, lazy: lazy, auto: newAutomaton(p, spans)}
	if lazy {
		c.auto.decider.most = lazyUnder
		if e.onDemand() {
			c.auto.decider.most = noneUnder
		}
		c.auto.bunching = c.auto.sym.bunchable() && !e.onDemand()
		c.auto.bunches.ofNode, c.auto.bunches.ofRoot = map[spanner.NodeID]nodeBunch{}, map[spanner.NodeID]nodeBunch{}
	}
	c.lists.auto, c.lists.off = c.auto, !e.lists
	_, c.sparse = p.Lexer.(*lexer.OnDemand)
	if e.composed() && !lazy {
		c.composer = newComposer(c.auto)
	}
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
	c.rows += 200
	if n := c.problem.Tables.NumStates(); c.engine.cached && c.composer == nil {
		r.paths.init(n, c.sparse)
	} else {
		r.states.init(n, c.sparse)
	}
	c.rows += r.paths.bytes() + r.states.bytes()
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
	made.key = string(key)
	grown[made.key] = made
	e.rows.Store(&grown)
	return made
}

// begin is the start of a row at top x; c.mu is held.
func (c *core) begin(r *row, x int32) start {
	if len(r.parts) > 0 {
		if sure, ok := c.auto.narrow(x, r.parts); ok {
			root := c.auto.spans.Root(sure)
			return start{state: c.auto.startParts(root, sure, x), root: root}
		}
	}
	if c.sparse && c.problem.Lexer.Begins(r.q) { // the start of a text: one top, which takes few terminals
		root := c.auto.spans.Beginning(r.q, c.auto.tables.Live(x))
		return start{state: c.auto.start(root, r.q, r.class, x), root: root}
	}
	if r.root < 0 {
		r.root = c.auto.spans.Shared(r.q)
	}
	return start{state: c.auto.start(r.root, r.q, r.class, x), root: r.root}
}

// firstState is the start of a row at top x, made unless somebody else did meanwhile.
func (c *core) firstState(r *row, x int32) *start {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.startThere(r, x); s != nil {
		return s
	}
	s := c.makeStart(r, x)
	c.tidy()
	return s
}

// startThere is firstState if it was made, else nil.
func (c *core) startThere(r *row, x int32) *start {
	if s := c.frozen.Load().start(r.q, x); s != nil {
		return s
	}
	return r.states.get(x)
}

// nextState is the state after the next symbol that is read, x, made unless somebody else did.
func (c *core) nextState(s *state, x int32) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.auto.transition(s, x)
	c.tidy()
	return to
}

// firstPath is the path after a row's lexer state and top x.
func (c *core) firstPath(r *row, x int32) *path {
	if !c.sparse {
		c.auto.spans.Shared(r.q) // not under the lock
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := r.paths.get(x); p != nil {
		return p
	}
	return c.makePath(r, x)
}

// makePath is firstPath with c.mu held.
func (c *core) makePath(r *row, x int32) *path {
	s := c.begin(r, x)
	p := c.pathTo(s.state, c.list(-1, 0, s.root))
	c.rows += r.paths.set(x, p)
	c.tidy()
	return p
}

// nextPath is the path that goes on by the next symbol that is read, x.
func (c *core) nextPath(p *path, x int32) *path {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := p.edges.find(x); to != nil {
		return to
	}
	to := c.pathTo(c.auto.transition(p.state, x), p.said)
	p.edges.add(x, to)
	c.pathEdges++
	c.tidy()
	return to
}

// pathTo interns the path to a state after a list of outputs; c.mu is held.
func (c *core) pathTo(s *state, said int32) *path {
	if s.out != 0 {
		said = c.list(said, s.out, c.outputs[said].root)
	}
	key := pair(s.id, said)
	if id := c.byState.get(key); id != absent {
		return c.paths[id]
	}
	p := &path{state: s, id: int32(len(c.paths)), root: c.outputs[said].root, said: said, skip: s.skip}
	c.byState.put(key, p.id)
	c.paths = append(c.paths, p)
	if v := c.view.Load(); v == nil || len(v.outs) < len(c.auto.outs.list) || len(v.outputs) < len(c.outputs) {
		c.view.Store(&view{c.auto.outs.list, c.outputs, c.auto.spans.Reader()})
	}
	return p
}

// list interns a list of outputs: an earlier list, and one output more. A path that has put out
// nothing yet has a list that stands for the root it began with.
func (c *core) list(before, out int32, root spanner.NodeID) int32 {
	key := pair(before, out)
	if before < 0 {
		key = pair(before, int32(root))
	}
	id := c.said.get(key)
	if id == absent {
		id = int32(len(c.outputs))
		c.outputs = append(c.outputs, output{before, out, root})
		c.said.put(key, id)
	}
	return id
}

// finished is mask of a path, with EOS added or not. If the path was met before, the mask is kept
// with it: to keep it at once would take the visit that builds the path 7 us more, a tenth of it.
func (c *core) finished(p *path, end int, again bool, b *algorithms.Buffer) []uint64 {
	words := c.mask(b, end, again, p)
	if words != nil {
		p.masks[end].Store(&words)
		c.tidySoon()
	}
	return words
}

// dearMask is the number of tokens that are set one by one from which on a schema's mask is dear:
// to read a kept one, which nobody has read for long, takes as long as to set these.
const dearMask = 256

// mask sets what a path has put out in b, with EOS added if end is 1, and is the words if they are
// kept; equal ones are the same words. Nobody waits for them, and they wait for nobody. A mask is
// kept when it is asked for again, and a schema's only if it is dear: most are one large group,
// whose words are there, and few tokens more.
func (c *core) mask(b *algorithms.Buffer, end int, again bool, p *path) []uint64 {
	v := c.view.Load()
	if c.sparse {
		words, dear := v.fill(c.auto, b.Words(), p, end)
		if words == nil && dear && again {
			words = c.masks.share(b.Words())
		}
		return words
	}
	b.Reset()
	for id := p.said; id >= 0; id = v.outputs[id].before {
		c.lists.put(v, b.Words(), p.root, v.outputs[id].out)
	}
	if end == 1 {
		c.auto.setGroup(b.Words(), eosLeaf)
	}
	if !again {
		return nil
	}
	return c.masks.share(b.Words())
}

// fill sets the tokens of what a path has put out in words, whatever was in them: a large group as
// a whole, and the others over it. It tells whether that was dear. Of a group alone whose words are
// kept, these are returned.
func (v *view) fill(a *automaton, words []uint64, p *path, end int) (whole []uint64, dear bool) {
	var some [64]int32
	groups := some[:0]
	for id := p.said; id >= 0; id = v.outputs[id].before {
		groups = v.appendGroups(groups, p.root, v.outputs[id].out)
	}
	if end == 1 {
		groups = append(groups, eosLeaf)
	}
	if len(groups) == 1 && groups[0] != eosLeaf {
		if whole = v.spans.LeafBits(spanner.LeafID(groups[0])); whole != nil {
			return whole, false
		}
	}
	first := slices.IndexFunc(groups, func(g int32) bool { return g != eosLeaf && v.spans.CopyLeaf(words, spanner.LeafID(g)) })
	if first < 0 {
		clear(words)
	}
	tokens := 0
	for i, g := range groups {
		switch {
		case i == first:
		case g == eosLeaf:
			a.setGroup(words, g)
		default:
			v.spans.SetLeaf(words, spanner.LeafID(g))
			tokens += v.spans.LeafLen(spanner.LeafID(g))
		}
	}
	return nil, tokens >= dearMask
}

// appendGroups appends the groups of an output, which a path that began at a root put out: leaves
// of the shared graph, and eosLeaf.
func (v *view) appendGroups(dst []int32, root spanner.NodeID, out int32) []int32 {
	for _, leaf := range v.outs[out] {
		switch {
		case leaf < 0:
			dst = v.appendGroups(dst, root, ^leaf)
		case leaf == eosLeaf:
			dst = append(dst, leaf)
		default:
			dst = append(dst, int32(v.leafOf(root, leaf)))
		}
	}
	return dst
}

// leafOf is the spanner's number of a group, other than eosLeaf, which a path that began at a root
// put out.
func (v *view) leafOf(root spanner.NodeID, group int32) spanner.LeafID {
	if group >= ownLeaf {
		return v.spans.Node(root).Leaves[group-ownLeaf].ID
	}
	return spanner.LeafID(group)
}

// things is how many starts and transitions there are: what a mask may have to build. c.mu is held.
func (c *core) things() int64 {
	return c.startCount + int64(c.auto.transitions)
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
	if e.core.CompareAndSwap(c, newCoreOver(e, c.lazy, p, spans)) {
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

// unite adds the tokens of an output to a mask.
func (c *core) unite(words []uint64, root spanner.NodeID, out int32) {
	if out == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.auto.setTokens(words, root, out)
}

// bytes is the memory held, roughly; c.mu is held.
func (c *core) bytes() int64 {
	masks, _ := c.masks.size()
	if m := c.composer; m != nil {
		masks += m.bytes()
	}
	return c.auto.bytes() + masks + c.lists.bytes() + c.frozen.Load().bytes() + c.byState.bytes() + c.said.bytes() +
		12*int64(len(c.outputs)) + 110*int64(len(c.paths)) + 12*int64(c.pathEdges) + c.rows
}
