package legality

import (
	"cmp"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/intern"
)

// Building rows: a walk follows the sequences of a lexer state with all stacks that a basis
// allows, and puts each group where the proofs say that its question must be asked.

// proofs are the proofs that are used; the zero value uses none.
type proofs struct{ never, always, joint bool }

// A builder builds rows. It is not safe for concurrent use.
type builder struct {
	problem *algorithms.Problem
	spanner *spanner.Spanner
	machine *machine
	classes interchange
	proofs  proofs

	symbols []builtSymbol // by spanner symbol
	reaches []builtReach
	counts  []int32              // by node of the spanner's graph: groups in its subtree
	shared  intern.Lists[uint64] // bit sets of rows
	known   knownTokens
	live    map[liveKey][]uint64 // what relevant has found out
	row     *row
	last    lexer.State // the state that the row built last is of

	takings map[taker]taking
	strings map[string]*row // rows of pending strings, by what of them is taken
	parts   []lexer.Part    // scratch
	ids     []int32
	key     []byte

	slices      bool
	treeLimit   int64 // bytes that trees may hold
	startedOver int   // how often the trees were dropped
}

// A builtSymbol is a spanner's symbol as the machine has it. Symbols of interchangeable terminals
// have the same one.
type builtSymbol struct {
	known bool
	sym   int32
}

// A builtReach is a reach as the machine has it.
type builtReach struct {
	known   bool
	terms   int32 // classes of terminals
	ignored bool
	newline bool
}

// A sketch is a node of a row being built.
type sketch struct {
	symbol spanner.Symbol
	tokens []spanner.LeafID
	checks []sketchCheck
	kids   []*sketch
	lines  *lines
}

type sketchCheck struct {
	terms   []uint64
	newline bool
	tokens  []spanner.LeafID
}

func (b *builder) step(s stance, sym int32) (to stance, refuses bool) {
	one := b.machine.stepAll(s.all, sym)
	to = stance{one.to, one.to}
	if b.machine.forks {
		to.may = b.machine.mayAll(s.may, sym)
	}
	return to, one.refuses
}

func (b *builder) judge(s stance, terms int32) judgement {
	j := b.machine.judgeSet(s.all, terms)
	if b.machine.forks {
		j = j&mayRefuse | b.machine.judgeSet(s.may, terms)&mayAccept
	}
	return j
}

// renew forgets what the machine has remembered; rows that were built do not refer to it.
func (b *builder) renew() {
	old := b.machine
	b.machine = newMachine(old.tables, old.several, int(old.height))
	b.machine.runs, b.machine.collapses = old.runs, old.collapses
	b.symbols, b.reaches, b.takings, b.live = nil, nil, nil, nil
}

// build makes the row of some bases for the groups below a node of a lexer state's tree. known
// is whether the same row was built before.
func (b *builder) build(q lexer.State, from spanner.NodeID, bases []basis) (r *row, known bool) {
	b.last = q
	s := b.machine.start(bases)
	if b.parts = b.spanner.Pending(b.parts[:0], q); len(b.parts) > 0 && !slices.ContainsFunc(b.parts, b.spanner.Beside) {
		return b.buildString(s, bases)
	}
	if from == whole {
		from = b.spanner.Shared(q)
	}
	return b.finish(func(root *sketch) { b.walk([]spanner.NodeID{from}, s, root, root) }), false
}

// finish makes the row that draw sketches below a root.
func (b *builder) finish(draw func(root *sketch)) *row {
	b.row = &row{}
	root := &sketch{symbol: -1}
	draw(root)
	b.flatten(root, 0)
	b.row.groups = b.row.tally.Groups() - b.row.tally.Deferred
	return b.row
}

// walk places the groups at some nodes of the tree, whose sequences are the same for the
// parser, and goes on to their children. here is the sketch of the sequence. home is the sketch
// of its longest prefix whose last symbol some stack may have refused: a stack that takes this
// prefix takes the whole sequence.
func (b *builder) walk(nodes []spanner.NodeID, s stance, here, home *sketch) {
	for _, n := range nodes {
		for _, leaf := range b.spanner.Node(n).Leaves {
			b.place(leaf, s, here, home)
		}
	}
	for _, kid := range b.kids(nodes) {
		b.descend(kid, s, here, home)
	}
}

// A kid is children of the nodes of a walk that are one symbol to the machine.
type kid struct {
	sym    int32
	symbol spanner.Symbol
	nodes  []spanner.NodeID
}

// kids groups the children of some nodes. Newline symbols of a layout stay apart.
func (b *builder) kids(nodes []spanner.NodeID) []kid {
	var list []kid
	for _, n := range nodes {
		for _, k := range b.spanner.Node(n).Kids {
			list = append(list, kid{b.symbol(k.Symbol), k.Symbol, []spanner.NodeID{k.Node}})
		}
	}
	slices.SortStableFunc(list, func(a, b kid) int { return cmp.Compare(a.sym, b.sym) })
	merged := list[:0]
	for _, k := range list {
		if n := len(merged); n > 0 && merged[n-1].sym == k.sym && (b.proofs.joint || merged[n-1].symbol == k.symbol) {
			merged[n-1].nodes = append(merged[n-1].nodes, k.nodes...)
			continue
		}
		merged = append(merged, k)
	}
	return merged
}

// symbol is a spanner's symbol as the machine has it; a negative number that is its own for a
// newline symbol.
func (b *builder) symbol(x spanner.Symbol) int32 {
	for len(b.symbols) <= int(x) {
		b.symbols = append(b.symbols, builtSymbol{})
	}
	y := &b.symbols[x]
	if !y.known {
		y.known = true
		if b.spanner.Newline(x) {
			y.sym = ^int32(x)
		} else {
			y.sym = b.machine.symbol(b.classes.members(b.problem.Recognizer, b.spanner.Members(x)))
		}
	}
	return y.sym
}

// reach is a reach as the machine has it.
func (b *builder) reach(r lexer.ReachID) builtReach {
	for len(b.reaches) <= int(r) {
		b.reaches = append(b.reaches, builtReach{})
	}
	y := &b.reaches[r]
	if !y.known {
		set := b.problem.Lexer.ReachSet(r)
		l := b.problem.Layout
		*y = builtReach{true, b.machine.anyTerminal(b.classes.set(set.Parser)), set.Ignored, l != nil && set.Has(l.Newline())}
	}
	return *y
}

// descend goes on to a kid.
func (b *builder) descend(k kid, s stance, here, home *sketch) {
	next := &sketch{symbol: k.symbol}
	if b.spanner.Newline(k.symbol) {
		next.lines = &lines{b.spanner.Column(k.symbol), k.nodes}
		here.kids = append(here.kids, next)
		b.row.tally.Deferred += b.below(k.nodes)
		return
	}
	to, refuses := b.step(s, k.sym)
	if to.may == nothing && b.proofs.never {
		b.row.tally.Never += b.below(k.nodes)
		return
	}
	if refuses {
		home = next
	}
	b.walk(k.nodes, to, next, home)
	if len(next.tokens)+len(next.checks)+len(next.kids) > 0 {
		here.kids = append(here.kids, next)
	}
}

// below counts the groups in the subtrees of some nodes.
func (b *builder) below(nodes []spanner.NodeID) int {
	for len(b.counts) < b.spanner.NumNodes() { // a node comes after its children
		n := b.spanner.Node(spanner.NodeID(len(b.counts)))
		sum := int32(len(n.Leaves))
		for _, k := range n.Kids {
			sum += b.counts[k.Node]
		}
		b.counts = append(b.counts, sum)
	}
	sum := 0
	for _, n := range nodes {
		sum += int(b.counts[n])
	}
	return sum
}

// place puts a group where it must be asked.
func (b *builder) place(leaf spanner.SharedLeaf, s stance, here, home *sketch) {
	r := b.reach(leaf.Reach)
	j := mayAccept
	if !r.ignored {
		j = b.judge(s, r.terms)
	}
	if r.newline {
		j |= mayAccept
	}
	if s.may == nothing { // only where never legal is not asked
		j = mayAccept | mayRefuse
	}
	always := j&mayRefuse == 0 && b.proofs.always
	tally := &b.row.tally
	switch {
	case j&mayAccept == 0 && b.proofs.never:
		tally.Never++
	case always && home.symbol < 0:
		tally.Always++
		home.tokens = append(home.tokens, leaf.ID)
	case always && b.proofs.joint:
		tally.Joint++
		home.tokens = append(home.tokens, leaf.ID)
	case r.ignored:
		tally.Asked++
		here.tokens = append(here.tokens, leaf.ID)
	default:
		b.ask(leaf, r, s, here)
	}
}

// ask makes a group a check. With the proofs of joint legality it joins the group to a check
// that is the same question: interchangeable terminals count once, and terminals that no stack
// here takes do not count.
func (b *builder) ask(leaf spanner.SharedLeaf, r builtReach, s stance, here *sketch) {
	terms := b.problem.Lexer.ReachSet(leaf.Reach).Parser
	if b.proofs.joint {
		terms = b.relevant(r.terms, s.may)
		for i := range here.checks {
			if c := &here.checks[i]; c.newline == r.newline && slices.Equal(c.terms, terms) {
				b.row.tally.Merged++
				c.tokens = append(c.tokens, leaf.ID)
				return
			}
		}
	}
	b.row.tally.Asked++
	here.checks = append(here.checks, sketchCheck{terms, r.newline, []spanner.LeafID{leaf.ID}})
}

// A liveKey is a set of terminals and a set of stacks.
type liveKey struct {
	terms int32
	may   setID
}

// maxLive bounds what relevant remembers: Java's rows ask some 10,000 different questions.
const maxLive = 1 << 16

// relevant is the terminals of a set that some of the stacks has any action on; read only.
func (b *builder) relevant(terms int32, may setID) []uint64 {
	key := liveKey{terms, may}
	if out, ok := b.live[key]; ok {
		return out
	}
	m := b.machine
	set := m.terms.At(terms)
	out := make([]uint64, len(set))
	for _, branch := range m.branchesOf(may) {
		for _, c := range m.cellsOf(branch) {
			for i, w := range m.tables.Live(m.cells[c].state) {
				out[i] |= w & set[i]
			}
		}
	}
	if b.live == nil || len(b.live) == maxLive {
		b.live = map[liveKey][]uint64{}
	}
	b.live[key] = out
	return out
}

// flatten writes a sketch, with its subtree, as nodes.
func (b *builder) flatten(k *sketch, depth int32) {
	at := len(b.row.nodes)
	n := node{plain: -1, depth: depth, tokens: b.tokens(k.tokens), lines: k.lines}
	if k.symbol >= 0 {
		if n.set = b.spanner.Set(k.symbol); n.set == lexer.NoSet {
			n.terms = b.spanner.Members(k.symbol)
		}
		n.plain = b.plain(k)
	}
	for _, c := range k.checks {
		n.checks = append(n.checks, check{c.terms, c.newline, b.tokens(c.tokens)})
	}
	b.row.nodes = append(b.row.nodes, n)
	for _, next := range k.kids {
		b.flatten(next, depth+1)
	}
	b.row.nodes[at].size = int32(len(b.row.nodes) - at)
	b.row.bytes += nodeBytes(&n)
}

// plain is the terminal of a node after which nothing is asked, if it has but one.
func (b *builder) plain(k *sketch) grammar.Terminal {
	members := b.spanner.Members(k.symbol)
	if len(k.checks)+len(k.kids) > 0 || k.lines != nil || len(members) != 1 {
		return -1
	}
	return members[0]
}

// knownTokens is the tokens of lists of groups: rows have the same ones over and over.
type knownTokens struct {
	lists  intern.Lists[spanner.LeafID]
	tokens []tokenSet // by list
}

// tokens is the tokens of some groups, as ids or as a bit set, whichever is smaller.
func (b *builder) tokens(leaves []spanner.LeafID) tokenSet {
	if len(leaves) == 0 {
		return tokenSet{}
	}
	id, isNew := b.known.lists.ID(leaves)
	if isNew {
		b.row.bytes += listBytes(leaves)
		b.known.tokens = append(b.known.tokens, b.collect(leaves))
	}
	return b.known.tokens[id]
}

// listBytes is the memory of a list of groups in knownTokens, roughly.
func listBytes(leaves []spanner.LeafID) int { return 4*len(leaves) + 80 }

// collect is tokens for the first time.
func (b *builder) collect(leaves []spanner.LeafID) tokenSet {
	if len(leaves) == 1 {
		if bits := b.spanner.LeafBits(leaves[0]); bits != nil {
			return b.share(bits)
		}
	}
	for i, leaf := range leaves {
		if words := b.spanner.CloneLeaf(leaf); words != nil {
			b.setLeaves(words, leaves[:i])
			b.setLeaves(words, leaves[i+1:])
			return b.share(words)
		}
	}
	size := algorithms.MaskWords(b.problem.Vocabulary.Len())
	b.ids = b.ids[:0]
	for _, leaf := range leaves {
		if b.ids = b.spanner.AppendLeaf(b.ids, leaf); len(b.ids) > size {
			words := make([]uint64, size)
			b.setLeaves(words, leaves)
			return b.share(words)
		}
	}
	b.row.bytes += 4 * len(b.ids)
	return tokenSet{ids: append([]int32(nil), b.ids...)}
}

func (b *builder) setLeaves(words []uint64, leaves []spanner.LeafID) {
	for _, leaf := range leaves {
		b.spanner.SetLeaf(words, leaf)
	}
}

// share is a bit set, the same for equal ones.
func (b *builder) share(words []uint64) tokenSet {
	id, isNew := b.shared.Take(words)
	if isNew {
		b.row.bytes += 8 * len(words)
	}
	return tokenSet{words: b.shared.At(id)}
}

// nodeBytes is the memory of a node beside its tokens: its fields and its checks.
func nodeBytes(n *node) int {
	const nodeSize, checkSize, linesSize = 120, 88, 64
	sum := nodeSize
	for i := range n.checks {
		sum += checkSize + 8*len(n.checks[i].terms)
	}
	if n.lines != nil {
		sum += linesSize + 4*len(n.lines.roots)
	}
	return sum
}
