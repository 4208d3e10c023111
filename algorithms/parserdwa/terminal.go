package parserdwa

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/intern"
	"gcdbench/tokenizers"
)

// The terminal DWA: which terminal sequences the tokens are lexed to, as an acyclic automaton whose
// weights are token sets.
//
// Its nondeterministic form has a state for each node v of the vocabulary's tree: "a lexeme has
// just ended, and the byte of v began another". The rest does not depend on how v was reached, so
// it is worked out once for each v, as a span. (Where lexemes begin in several start states of the
// lexer, it is for each of them; v is then a node of as many copies of the tree.) A span has ends:
// the tokens that end before another lexeme does, with the reach of their pending lexeme. And it
// has events: the places where the next lexeme ends, with the set it is emitted as. The start
// states are the lexer states.
//
// Determinized, a node is a set of such v. Lexing is deterministic, unless a lexeme may end in
// several ways before a byte (lexer.End): else each token lies below exactly one member of a node,
// and on exactly one path from a start state; its children's token sets are disjoint. Lexemes that
// the parser never sees are epsilon transitions and disappear here.
//
// Nodes are expanded when the composition first comes to them. The grammar rules out most of
// the lexer's sequences by the first or second terminal, and nodes after those are never built.
type terminalDWA struct {
	problem *algorithms.Problem
	trie    *tokenizers.Trie
	weights *weights
	labels  labels
	spans   []*[spanPage]*span // by node of the tree, in pages; nil where not needed yet
	starts  []lexer.State      // the start state of each copy of the tree
	line    []int8             // by node of the tree: 0 unknown, 1 not sensitive to the layout registers, 2 sensitive
	nodes   []*node
	byPlace intern.Lists[int32] // sets of places in the tree
	placed  []int32             // by number of such a set: its node
	finals  []final

	// What strings need, and what stands for what of the spanner's shared graph.
	spanner  *spanner.Spanner // nil: strings are read like other lexemes
	byShared map[spanner.NodeID]int32
	byLeaf   map[spanner.LeafID]*weight
	bySymbol map[spanner.Symbol]int32

	// scratch of expand and walk
	byReach [][]int32
	byLabel [][]int32
	path    [tokenizers.MaxTokenLength + 1]byte
	edges   int
	places  int // members of all nodes
	entries int // ends and events of the spans kept
	pages   int // of spans
}

// A span is the lexing from one place in the tree until the first lexeme ends.
type span struct {
	ends   []end
	events []event
}

// spanPage is how many spans are kept together. A large vocabulary's tree has 300,000 nodes, and
// lexemes of a grammar begin at some hundreds of them; clearing room for all costs more than what a
// small schema needs besides.
const spanPage = 256

// An end is a token that ends while its lexeme is pending.
type end struct {
	reach lexer.ReachID
	token int32
}

// An event is a node of the tree whose byte begins a new lexeme, and the label of the one it ended.
type event struct {
	label int32
	at    int32
}

// A node of the terminal DWA.
type node struct {
	at       []int32 // the nodes of the tree it stands for, ascending
	expanded bool
	line     bool           // the layout registers matter below
	isShared bool           // it stands for:
	shared   spanner.NodeID // a node of the spanner's graph
	finals   []int32
	edges    []edge
	below    *weight // all tokens below; see tokens
	summed   bool
}

// An edge of the terminal DWA leads to a node by a label. Its weight is the tokens of that node.
type edge struct{ label, to int32 }

// A final is the set of tokens that end in a node with the same reach; spanner.Sure is that of
// tokens that end inside a string which the parser takes.
type final struct {
	reach  lexer.ReachID
	weight *weight
}

func newTerminalDWA(p *algorithms.Problem, ws *weights, sliced bool) *terminalDWA {
	t := &terminalDWA{problem: p, trie: p.Vocabulary.Trie(), weights: ws, labels: newLabels(p)}
	t.place(p.Lexer.Start(), 0)
	if _, onDemand := p.Lexer.(*lexer.OnDemand); onDemand && sliced {
		t.spanner = spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{Prune: true, Kept: p.Kept})
		t.byShared, t.byLeaf, t.bySymbol = map[spanner.NodeID]int32{}, map[spanner.LeafID]*weight{}, map[spanner.Symbol]int32{}
	}
	return t
}

// place is node v of the copy of the tree for a start state, which is made if it is not there.
func (t *terminalDWA) place(start lexer.State, v int32) int32 {
	size := len(t.trie.Nodes)
	i := slices.Index(t.starts, start)
	if i < 0 {
		i = len(t.starts)
		t.starts = append(t.starts, start)
		t.spans = append(t.spans, make([]*[spanPage]*span, (i+1)*size/spanPage+1-len(t.spans))...)
		if t.problem.Layout != nil {
			t.line = append(t.line, make([]int8, size)...)
		}
	}
	return int32(i*size) + v
}

// root builds the start nodes of a lexer state: for the sequences that do not depend on the layout
// registers, and for those that do (-1 if there are none).
func (t *terminalDWA) root(q lexer.State) (plain, line int32) {
	s := t.walk(0, len(t.trie.Nodes), q, true)
	t.splice(s)
	plain, line = t.add(&node{}), -1
	if t.problem.Layout != nil {
		line = t.add(&node{line: true})
	}
	t.fill(plain, func(r lexer.ReachID) bool { return !t.lineReach(r) }, func(e event) bool { return !t.lineEvent(e) })
	if line >= 0 {
		t.fill(line, t.lineReach, t.lineEvent)
		if n := t.nodes[line]; len(n.finals) == 0 && len(n.edges) == 0 {
			line = -1
		}
	}
	t.reset()
	return plain, line
}

// expand makes the finals and edges of a node.
func (t *terminalDWA) expand(id int32) *node {
	n := t.nodes[id]
	switch {
	case n.expanded:
		return n
	case n.isShared:
		t.expandShared(n)
		return n
	}
	for _, v := range n.at {
		t.splice(t.span(v))
	}
	t.fill(id, func(lexer.ReachID) bool { return true }, func(event) bool { return true })
	t.reset()
	return n
}

// splice sorts the ends and events of a span into byReach and byLabel. After a lexeme that the
// parser never sees it goes on with the next span.
func (t *terminalDWA) splice(s *span) {
	for _, e := range s.ends {
		for int(e.reach) >= len(t.byReach) {
			t.byReach = append(t.byReach, nil)
		}
		t.byReach[e.reach] = append(t.byReach[e.reach], e.token)
	}
	for _, e := range s.events {
		if t.labels.list[e.label].silent() {
			t.splice(t.span(e.at))
			continue
		}
		for int(e.label) >= len(t.byLabel) {
			t.byLabel = append(t.byLabel, nil)
		}
		t.byLabel[e.label] = append(t.byLabel[e.label], e.at)
	}
}

// fill gives a node what splice collected, as far as it is wanted.
func (t *terminalDWA) fill(id int32, reach func(lexer.ReachID) bool, wanted func(event) bool) {
	n := t.nodes[id]
	for r, tokens := range t.byReach {
		if len(tokens) > 0 && reach(lexer.ReachID(r)) {
			n.finals = append(n.finals, int32(len(t.finals)))
			t.finals = append(t.finals, final{lexer.ReachID(r), t.weights.of(tokens)})
		}
	}
	for label := range t.byLabel {
		var at []int32
		for _, v := range t.byLabel[label] {
			if wanted(event{int32(label), v}) {
				at = append(at, v)
			}
		}
		if len(at) > 0 {
			slices.Sort(at)
			n.edges = append(n.edges, edge{int32(label), t.intern(at)})
			t.edges++
		}
	}
	n.expanded = true
}

func (t *terminalDWA) reset() {
	for i := range t.byReach {
		t.byReach[i] = t.byReach[i][:0]
	}
	for i := range t.byLabel {
		t.byLabel[i] = t.byLabel[i][:0]
	}
}

func (t *terminalDWA) add(n *node) int32 {
	t.nodes = append(t.nodes, n)
	t.places += len(n.at)
	return int32(len(t.nodes) - 1)
}

// intern is the node that stands for a set of places in the tree.
func (t *terminalDWA) intern(at []int32) int32 {
	place, isNew := t.byPlace.Take(at)
	if !isNew {
		return t.placed[place]
	}
	n := &node{at: at}
	if t.problem.Layout != nil {
		n.line = slices.ContainsFunc(at, t.lineBelow)
	}
	id := t.add(n)
	t.placed = append(t.placed, id)
	return id
}

// tokens is the weight of a node: all tokens below it. It expands all that is below.
func (t *terminalDWA) tokens(id int32) *weight {
	n := t.expand(id)
	if n.summed {
		return n.below
	}
	for _, e := range n.edges {
		t.tokens(e.to)
	}
	mask := make([]uint64, t.weights.size)
	for _, f := range n.finals {
		t.finals[f].weight.orInto(mask)
	}
	for _, e := range n.edges {
		t.nodes[e.to].below.orInto(mask)
	}
	n.below, n.summed = t.weights.take(mask), true
	return n.below
}

// span is the span from node v, whose byte begins a lexeme.
func (t *terminalDWA) span(v int32) *span {
	page := t.spans[v/spanPage]
	if page == nil {
		page = new([spanPage]*span)
		t.spans[v/spanPage] = page
		t.pages++
	}
	s := page[v%spanPage]
	if s == nil {
		start, at := t.starts[int(v)/len(t.trie.Nodes)], int(v)%len(t.trie.Nodes)
		s = t.walk(at, at+t.trie.Nodes[at].Size(), start, false)
		page[v%spanPage] = s
		t.entries += len(s.ends) + len(s.events)
	}
	return s
}

// walk reads the nodes from lo to hi of the tree, each subtree until a lexeme ends, q being the
// lexer state before the first; pending is whether that lexeme began before the token.
func (t *terminalDWA) walk(lo, hi int, q lexer.State, pending bool) *span {
	var states [tokenizers.MaxTokenLength + 1]lexer.State
	lex, depths := t.problem.Lexer, t.trie.Depths()
	classes := lex.Classes()
	if hi <= lo {
		return &span{}
	}
	column := spanner.Fresh()
	if pending {
		column = spanner.Pending(t.problem.Recognizer, q)
	}
	base := int(depths[lo])
	states[base] = q
	s := &span{}
	for i := lo; i < hi; {
		n := t.trie.Nodes[i]
		d := int(depths[i])
		from := states[d]
		class := classes[n.Byte()]
		to := lex.Row(from)[class]
		if to == lexer.None {
			for _, end := range lex.Ends(from) {
				if lex.Row(end.Start)[class] != lexer.None {
					s.events = append(s.events, event{t.label(end.Set, t.path[base:d], column), t.place(end.Start, int32(i))})
				}
			}
			i += n.Size()
			continue
		}
		states[d+1], t.path[d] = to, n.Byte()
		if id := n.Token(); id >= 0 {
			s.ends = append(s.ends, end{lex.Reach(to), id})
		}
		i++
	}
	return s
}

// label is the label of a lexeme that is emitted as set, and whose part within the token is text.
func (t *terminalDWA) label(set lexer.Set, text []byte, c spanner.Column) int32 {
	if l := t.problem.Layout; l.IsNewline(t.problem.Lexer.Members(set)[0]) {
		return t.labels.newline(set, l, text, c)
	}
	return t.labels.of(set, noLine)
}

// lineReach tells whether the layout registers decide what may follow a pending lexeme: a
// newline is dropped between brackets.
func (t *terminalDWA) lineReach(r lexer.ReachID) bool {
	l := t.problem.Layout
	return l != nil && t.problem.Lexer.ReachSet(r).Has(l.Newline())
}

// lineEvent tells whether the rest of a token after an event depends on the layout registers.
func (t *terminalDWA) lineEvent(e event) bool {
	return t.problem.Layout != nil && (t.labels.list[e.label].line != noLine || t.lineBelow(e.at))
}

// lineBelow tells whether the lexing from node v on depends on the layout registers.
func (t *terminalDWA) lineBelow(v int32) bool {
	if t.line[v] == 0 {
		s := t.span(v)
		t.line[v] = 1
		if slices.ContainsFunc(s.ends, func(e end) bool { return t.lineReach(e.reach) }) ||
			slices.ContainsFunc(s.events, t.lineEvent) {
			t.line[v] = 2
		}
	}
	return t.line[v] == 2
}

// bytes is the memory t holds beside its weights, roughly.
func (t *terminalDWA) bytes() int {
	sum := 8*(len(t.spans)+spanPage*t.pages) + 8*t.entries + 120*len(t.nodes) + 4*t.places + 8*t.edges + 16*len(t.finals)
	if t.spanner != nil {
		sum += int(t.spanner.Stats().Bytes)
	}
	return sum
}
