package legality

import (
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
)

// What the walk of the vocabulary holds, and how it is kept from growing without end.
//
// A lexer that is built on demand may have a state for each character of a bounded string, and
// each state that a generation comes to needs a tree of its own. Once its rows are built, the
// tree serves only rows of the same state on another basis. So where trees hold too much, the
// spanner is dropped with all of them, and a tree is made again if a row needs it. With a
// layout step trees stay: there masks hold on to nodes of trees, and lexers are small.
//
// The memo of the walk goes more often (spanner.ReleaseLong).

const (
	// spannerShare is the part of the memory option that trees may hold, and minTrees the least
	// number of bytes they may hold all the same: a program's grammar needs so much at any one
	// time.
	spannerShare = 4
	minTrees     = 32 << 20
)

// startSpanner begins with a new spanner.
func (b *builder) startSpanner() {
	b.spanner = spanner.New(b.problem.Recognizer, b.problem.Vocabulary, spanner.Options{Prune: b.proofs.never, NoSlices: !b.slices, Kept: b.problem.Kept})
	b.symbols, b.counts, b.strings, b.known = nil, nil, nil, knownTokens{}
}

// forget makes room before a row of lexer state q is built. The tree that was used last stays for
// further rows.
func (b *builder) forget(q lexer.State) {
	if b.problem.Layout != nil || b.last == q {
		return
	}
	if b.spanner.NumNodes() > 0 && b.spanner.Stats().Bytes+4*int64(len(b.counts)) > b.treeLimit {
		b.startSpanner()
		b.startedOver++
		return
	}
	b.spanner.ReleaseLong()
}
