package psc

import (
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// trees is the spanner of an automaton. To read the vocabulary from a new lexer state takes a lock
// of its own: where Shared is asked before the lock of the core is taken, one generation reads the
// vocabulary while another goes on with the automaton. What was read is seen without a lock.
type trees struct {
	*spanner.Spanner
	mu     sync.Mutex
	reader atomic.Pointer[spanner.Reader]
	roots  growing[spanner.NodeID] // by lexer state
}

func newTrees(p *algorithms.Problem, options spanner.Options) *trees {
	t := &trees{Spanner: spanner.New(p.Recognizer, p.Vocabulary, options)}
	t.publish()
	return t
}

// grown are trees for a grammar that has grown to p; t goes on with less.
func (t *trees) grown(p *algorithms.Problem) *trees {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := &trees{Spanner: t.Spanner.Grown(p.Recognizer, p.Vocabulary)}
	n.publish()
	return n
}

// Shared is the root of a lexer state's tree.
func (t *trees) Shared(q lexer.State) spanner.NodeID {
	if id := t.roots.get(int32(q)); id != nil {
		return *id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.Spanner.Shared(q)
	t.publish()
	t.roots.set(int32(q), &id)
	return id
}

// Beginning is the root of a state in which no lexeme is pending, for some terminals.
func (t *trees) Beginning(q lexer.State, terminals []uint64) spanner.NodeID {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.publish()
	return t.Spanner.Beginning(q, terminals)
}

// Root is the root of the tree of some parts of a lexer state.
func (t *trees) Root(parts []lexer.Part) spanner.NodeID {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.publish()
	return t.Spanner.Root(parts)
}

// Pending appends the parts of a lexer state where a string or number is pending.
func (t *trees) Pending(dst []lexer.Part, q lexer.State) []lexer.Part {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Spanner.Pending(dst, q)
}

// Word is what a string may go on with.
func (t *trees) Word(p lexer.Part) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Spanner.Word(p)
}

// Release drops what only new nodes need.
func (t *trees) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Spanner.Release()
}

// Flatten lays out the groups that there are.
func (t *trees) Flatten() {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.publish()
	t.Spanner.Flatten()
}

// publish has readers see what was built; t.mu is held.
func (t *trees) publish() {
	r := t.Spanner.Reader()
	if old := t.reader.Load(); old == nil || !old.Same(&r) {
		t.reader.Store(&r)
	}
}

// Reader is what was built so far.
func (t *trees) Reader() *spanner.Reader { return t.reader.Load() }

// Node is a node of the trees.
func (t *trees) Node(id spanner.NodeID) *spanner.SharedNode { return t.reader.Load().Node(id) }

// Members are the terminals of a symbol; see spanner.Symbols for this and what follows.
func (t *trees) Members(x spanner.Symbol) []grammar.Terminal { return t.reader.Load().Members(x) }

// Ignored tells whether a member of a symbol is ignored.
func (t *trees) Ignored(x spanner.Symbol) bool { return t.reader.Load().Ignored(x) }

// Newline tells whether a symbol is a newline lexeme.
func (t *trees) Newline(x spanner.Symbol) bool { return t.reader.Load().Newline(x) }

// Column is how the column of a newline symbol follows.
func (t *trees) Column(x spanner.Symbol) spanner.Column { return t.reader.Load().Column(x) }

// SetLeaf sets the bits of a group's ids in words.
func (t *trees) SetLeaf(words []uint64, leaf spanner.LeafID) { t.reader.Load().SetLeaf(words, leaf) }

// Stats counts what has been built so far.
func (t *trees) Stats() spanner.Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Spanner.Stats()
}

// NumNodes counts the nodes of the trees so far.
func (t *trees) NumNodes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Spanner.NumNodes()
}

// NumLeaves counts the groups of tokens so far.
func (t *trees) NumLeaves() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Spanner.NumLeaves()
}
