package legality

import (
	"cmp"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/spanner"
	"gcdbench/grammar"
	"gcdbench/lexer"
)

// Building rows: the groups of a lexer state are walked by their sequences, with all stacks that a basis
// may have carried down, and each is put where the proofs say that it must be asked.

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
	counts  map[lexer.State][]int32 // by tree: groups in the subtree of each node
	shared  map[uint64][]uint64     // bit sets of rows, by hash
	row     *row
	tree    *spanner.Tree

	treeLimit   int64 // bytes that trees may hold
	countBytes  int64 // of counts
	startedOver int   // how often the trees were dropped
}

// A builtSymbol is a spanner's symbol as the machine has it. Symbols of interchangeable terminals have
// the same one.
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
	tokens []int32
	checks []sketchCheck
	kids   []*sketch
	lines  *lines
}

type sketchCheck struct {
	terms   []uint64
	newline bool
	tokens  []int32
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
	b.symbols, b.reaches = nil, nil
}

// build makes the row of some bases for the groups behind a node of a lexer state's tree; node 0 is the
// whole tree.
func (b *builder) build(q lexer.State, from int32, bases []basis) *row {
	b.tree = b.spanner.Tree(q)
	b.row = &row{}
	root := &sketch{symbol: -1}
	b.walk([]int32{from}, b.machine.start(bases), root, root)
	b.flatten(root, 0)
	b.row.groups = b.row.tally.Groups() - b.row.tally.Deferred
	return b.row
}

// walk places the groups at some nodes of the tree, whose sequences are the same for the parser, and goes
// on to their children. here is the sketch of the sequence; home that of its longest prefix after whose
// last symbol some stack may have been refused: what takes that, takes this.
func (b *builder) walk(nodes []int32, s stance, here, home *sketch) {
	for _, n := range nodes {
		at := &b.tree.Nodes[n]
		for leaf := at.LeafLo; leaf < at.LeafHi; leaf++ {
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
	nodes  []int32
}

// kids groups the children of some nodes. Newline symbols of a layout stay apart.
func (b *builder) kids(nodes []int32) []kid {
	var list []kid
	for _, n := range nodes {
		at := &b.tree.Nodes[n]
		for c := at.KidLo; c < at.KidHi; c++ {
			x := b.tree.Nodes[c].Symbol
			list = append(list, kid{b.symbol(x), x, []int32{c}})
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

// symbol is a spanner's symbol as the machine has it; a negative number that is its own for a newline
// symbol.
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
			y.sym = b.machine.symbol(b.classes.members(b.problem.Recognizer, b.spanner.Set(x)))
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
func (b *builder) below(nodes []int32) int {
	counts := b.counts[b.tree.State]
	if counts == nil {
		counts = make([]int32, len(b.tree.Nodes))
		for i := len(counts) - 1; i >= 0; i-- {
			n := &b.tree.Nodes[i]
			counts[i] += n.LeafHi - n.LeafLo
			if n.Parent >= 0 {
				counts[n.Parent] += counts[i]
			}
		}
		b.counts[b.tree.State] = counts
		b.countBytes += 4 * int64(len(counts))
	}
	sum := 0
	for _, n := range nodes {
		sum += int(counts[n])
	}
	return sum
}

// place puts a group where it must be asked.
func (b *builder) place(leaf int32, s stance, here, home *sketch) {
	r := b.reach(b.tree.Leaves[leaf].Reach)
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
		home.tokens = b.spanner.AppendTokens(home.tokens, b.tree, leaf)
	case always && b.proofs.joint:
		tally.Joint++
		home.tokens = b.spanner.AppendTokens(home.tokens, b.tree, leaf)
	case r.ignored:
		tally.Asked++
		here.tokens = b.spanner.AppendTokens(here.tokens, b.tree, leaf)
	default:
		b.ask(leaf, r, s, here)
	}
}

// ask makes a group a check, or with the proofs of joint legality joins it to one that is the same question:
// terminals that are interchangeable count once, and those that no stack here takes do not count.
func (b *builder) ask(leaf int32, r builtReach, s stance, here *sketch) {
	terms := b.problem.Lexer.ReachSet(b.tree.Leaves[leaf].Reach).Parser
	if b.proofs.joint {
		terms = b.relevant(b.machine.terms[r.terms], s.may)
		for i := range here.checks {
			if c := &here.checks[i]; c.newline == r.newline && slices.Equal(c.terms, terms) {
				b.row.tally.Merged++
				c.tokens = b.spanner.AppendTokens(c.tokens, b.tree, leaf)
				return
			}
		}
	}
	b.row.tally.Asked++
	here.checks = append(here.checks, sketchCheck{terms, r.newline, b.spanner.AppendTokens(nil, b.tree, leaf)})
}

// relevant is the terminals that some of the stacks has any action on.
func (b *builder) relevant(terms []uint64, may setID) []uint64 {
	m := b.machine
	out := make([]uint64, len(terms))
	for _, branch := range m.sets[may] {
		for _, c := range m.branches[branch] {
			for i, w := range m.tables.Live(m.cells[c].state) {
				out[i] |= w & terms[i]
			}
		}
	}
	return out
}

// flatten writes a sketch and what is below it as nodes.
func (b *builder) flatten(k *sketch, depth int32) {
	at := len(b.row.nodes)
	n := node{plain: -1, depth: depth, tokens: b.tokens(k.tokens), lines: k.lines}
	if k.symbol >= 0 {
		n.set = b.spanner.Set(k.symbol)
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

// plain is the terminal of a node behind which nothing is asked, if it has but one.
func (b *builder) plain(k *sketch) grammar.Terminal {
	members := b.spanner.Members(k.symbol)
	if len(k.checks)+len(k.kids) > 0 || k.lines != nil || len(members) != 1 {
		return -1
	}
	return members[0]
}

// tokens is a list of ids in the form that is smaller. Bit sets that are equal are held once.
func (b *builder) tokens(ids []int32) tokenSet {
	size := b.problem.Vocabulary.Len()
	words := algorithms.MaskWords(size)
	if len(ids) == 0 {
		return tokenSet{}
	}
	if len(ids) <= words {
		b.row.bytes += 4 * len(ids)
		return tokenSet{ids: slices.Clone(ids)}
	}
	t := tokenSet{words: make([]uint64, words)}
	tokenSet{ids: ids}.addTo(t.words)
	hash := algorithms.MaskOf(t.words, size).Hash()
	known, ok := b.shared[hash]
	if ok && slices.Equal(known, t.words) {
		return tokenSet{words: known}
	}
	if !ok {
		b.shared[hash] = t.words
	}
	b.row.bytes += 8 * words
	return t
}

// nodeBytes is the memory of a node beside its tokens: its fields and its checks.
func nodeBytes(n *node) int {
	const nodeSize, checkSize, linesSize = 120, 88, 64
	sum := nodeSize
	for i := range n.checks {
		sum += checkSize + 8*len(n.checks[i].terms)
	}
	if n.lines != nil {
		sum += linesSize + 4*len(n.lines.behind)
	}
	return sum
}
