package spanner

import (
	"maps"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// The inverse token spanner table as GreatGramma publishes it (section 3.2, algorithm 4), for
// algorithms in the form of their papers: a sequence ends in one terminal that the pending lexeme
// may become, and a token is in as many entries. A Tree instead has one group for all of them.
//
// A pending lexeme that may become an ignored terminal asks nothing of the parser: its sequence is
// that of the terminals before it.

// An Inverse has the realizable terminal sequences met so far as a tree: a node is a sequence, node
// 0 the empty one.
type Inverse struct {
	spanner *Spanner
	keys    intern.Keys[[2]int32] // of node i: (parent, last terminal), under i-1
	kids    [][]int32
}

// An Entry of a lexer state is a sequence with its tokens.
type Entry struct {
	Node   int32
	Tokens []int32
}

// NotPublished names a feature of a grammar that GreatGramma's paper lacks, as the end of "the
// paper has no ..."; "" if it lacks none.
func NotPublished(r *recognizer.Recognizer) string {
	dfa, ahead := r.Lexer.(*lexer.DFA)
	switch {
	case r.Layout != nil:
		return "layout step"
	case !r.Tables.Deterministic():
		return "tables with kept conflicts"
	case !ahead:
		return "lexer that is built on demand"
	case !dfa.Uniform():
		return "lexemes that end by what follows, or modes"
	}
	for set := range dfa.NumSets() {
		if len(dfa.Members(lexer.Set(set))) != 1 {
			return "lexemes that are several terminals (%lexer all)"
		}
	}
	return ""
}

// NewInverse is the table of a Spanner, for a grammar that NotPublished has nothing against.
func NewInverse(s *Spanner) *Inverse { return &Inverse{spanner: s, kids: [][]int32{nil}} }

// Entries is Tinv(q, .): the sequences of a lexer state with their tokens, ascending by node. They
// are the caller's.
func (v *Inverse) Entries(q lexer.State) []Entry {
	tokens := map[int32][]int32{}
	tree := v.spanner.Tree(q)
	at := make([]int32, len(tree.Nodes)) // by node of the tree, which come after their parents
	for i, n := range tree.Nodes {
		if i > 0 {
			at[i] = v.after(at[n.Parent], v.spanner.Members(n.Symbol)[0])
		}
		for leaf := n.LeafLo; leaf < n.LeafHi; leaf++ {
			ids := v.spanner.AppendTokens(nil, tree, leaf)
			reach := v.spanner.rec.Lexer.ReachSet(tree.Leaves[leaf].Reach)
			if reach.Ignored { // whatever else it may become asks for more
				tokens[at[i]] = append(tokens[at[i]], ids...)
				continue
			}
			for x := range bitset.All[grammar.Terminal](reach.Parser) {
				to := v.kid(at[i], x)
				tokens[to] = append(tokens[to], ids...)
			}
		}
	}
	entries := make([]Entry, 0, len(tokens))
	for _, node := range slices.Sorted(maps.Keys(tokens)) {
		entries = append(entries, Entry{node, tokens[node]})
	}
	return entries
}

// after is a sequence with the terminal of one more lexeme, which an ignored one leaves as it is.
func (v *Inverse) after(node int32, x grammar.Terminal) int32 {
	if v.spanner.rec.Grammar.Terminals[x].Ignored {
		return node
	}
	return v.kid(node, x)
}

// kid is the node of a sequence with one more terminal.
func (v *Inverse) kid(node int32, x grammar.Terminal) int32 {
	id, isNew := v.keys.ID([2]int32{node, int32(x)})
	if isNew {
		v.kids = append(v.kids, nil)
		v.kids[node] = append(v.kids[node], id+1)
	}
	return id + 1
}

// Len is the number of nodes.
func (v *Inverse) Len() int { return len(v.kids) }

// Kids are the sequences that have one terminal more than a node's; read only.
func (v *Inverse) Kids(node int32) []int32 { return v.kids[node] }

// Last is the terminal that the sequence of a node other than 0 ends in, Parent the sequence
// without it.
func (v *Inverse) Last(node int32) grammar.Terminal { return grammar.Terminal(v.keys.At(node - 1)[1]) }

// Parent is the sequence of a node other than 0 without its last terminal.
func (v *Inverse) Parent(node int32) int32 { return v.keys.At(node - 1)[0] }

// Terminals appends the sequence of a node to dst.
func (v *Inverse) Terminals(dst []grammar.Terminal, node int32) []grammar.Terminal {
	from := len(dst)
	for ; node > 0; node = v.Parent(node) {
		dst = append(dst, v.Last(node))
	}
	slices.Reverse(dst[from:])
	return dst
}
