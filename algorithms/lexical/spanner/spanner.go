// Package spanner is the lexical preprocessing that the LR-based algorithms share: what reading a
// token from a lexer state emits, for all tokens at once.
//
// # What it is
//
// For a lexer state q and a token, the entry (w, q') has the terminal sequence w that is emitted
// while the token is read, and the state q' of the lexeme that is then pending. GreatGramma calls
// this the token spanner table (section 2.3), and its inversion, from what was emitted to the
// tokens, the inverse token spanner table (section 3.2, algorithm 4,
// "BuildInverseTokenSpannerTable"). PSC (section 3.1) takes GreatGramma's lexical preprocessing
// over. Which terminals q' can still become, reach(q'), is all that the grammar asks about q', so
// tokens are grouped by (w, reach(q')), and a group shares one list of tokens. The groups of one
// state, arranged by their sequences, are a Tree: its nodes are the sequences, its leaves the
// groups.
//
// # How it is built
//
// One walk of the vocabulary's prefix tree per lexer state would do the same work many times over:
// after a byte or two nearly all states have come to one of a few, and what follows the first
// emitted terminal is always a walk from the start state. So the walk is memoised on (trie node,
// lexer state), across all states. The result of a pair is a list of spans: a run of tokens that
// lie side by side in the order of the trie, with their sequence and reach. Sequences are interned
// as lists that share their tails, so that a terminal is put before a whole result by looking at it
// once. Pairs of one trie node are few (Java and Llama 3: 1.05 M pairs on 274,521 nodes), and are
// kept as a short chain from the node: no hashing.
//
// At the first bytes of tokens the results are turned round, spans to groups; what results, a
// Block, is shared by all the lexer states that come to the same pair, and equal ones are one. A
// Tree refers to Blocks; no list of tokens is ever copied.
//
// # Strings and numbers
//
// A JSON schema's lexer has hundreds of terminals that are strings, and nearly all of a vocabulary
// can go on with one. Every lexer state inside a string would cost a walk of the whole trie. So an
// algorithm may ask for the tree of some terminals of a lexer state alone (parts.go): those that
// its parser takes. What the tokens do to these is found by package jsontokens, which keeps what
// all schemas have in common. The grammar's part remains here: the lexemes that follow a closing
// quote or the end of a number.
//
// # Names
//
// Where one of a thousand names may come, each prefix of one is a lexer state with a reach of its
// own. If the parser takes all of them (grammar.Mode.Shifted), the walk goes down the prefix tree
// of their texts instead, and makes no such states (literals.go).
//
// # Pruning
//
// Most sequences cannot occur: two terminals that the grammar never puts side by side. If no state
// that terminal a is shifted to has an action on b, then b is refused after a wherever that is.
// With Options.Prune such sequences are dropped as soon as they arise. They are the shortest of
// those that GreatGramma drops when it looks at whole sequences: what its stack-free automaton
// refuses (section 3.3, proposition 3.5). Nothing is dropped that any parser stack accepts.
//
// # Sets, ignored terminals, layout
//
// A lexeme is emitted as a set of terminals (lexer.Set); in "first" mode each has one member. A set
// with ignored members only emits nothing. In a grammar with a layout step the effect of a newline
// lexeme depends on its column, so there the emitted Symbol is a set with a Column: how the column
// follows from what was pending before the token (package layout defines it, Column evaluates it).
//
// # What bounds it
//
// The memoised pairs, and the spans in them: at most lexer states x trie nodes in theory, a few
// million in practice. Trees are built when first asked for, so that an algorithm that works lazily
// pays for the lexer states it meets.
package spanner

import (
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/kept"
	"gcdbench/tokenizers"
)

// A Symbol is an element of sequences: an interned lexer.Set, for newline lexemes of a layout
// together with a Column.
type Symbol int32

// Options choose how a Spanner works. The zero value is the plain algorithm.
type Options struct {
	// Prune drops sequences with neighbours that no parser stack accepts one after the other.
	Prune bool
	// NoMemo walks the trie anew for each lexer state. It is there to measure what the memo buys.
	NoMemo bool
	// NoSlices has strings and numbers read like other lexemes: Strings and Numbers return nil.
	NoSlices bool
	// Without are the mechanisms that are left out. A Kept is shared by Spanners that leave out the
	// same.
	Without jsontokens.Mechanisms
	// Kept has what is known about the vocabulary, and gets what this Spanner finds out; nil if the
	// Spanner is to know nothing beforehand and to leave nothing.
	Kept *kept.Kept
}

// A Spanner builds Trees. It is not safe for concurrent use; Trees that it returned are immutable,
// and so is what Members, Column, AppendTokens and SetTokens read about them.
type Spanner struct {
	rec     *recognizer.Recognizer
	options Options
	lexicon *jsontokens.Lexicon
	walk    walk
	symbols
	follow   *follow // nil: no pruning
	trees    map[lexer.State]*Tree
	blocks   []block
	leaves   int32
	nodes    int32
	stats    Stats
	released int64 // steps of the walk when ReleaseLong dropped the memo
	shared   shared
	apart    *lexer.OnDemand // see followsApart
	quoted   quoted
	numbers  numbers
	// The roots of parts, by terminals and states, and the symbols of sets that the lexer does not
	// have, by members.
	partRoots   map[string]NodeID
	partSymbols map[string]Symbol
	key         []byte // scratch
	words       int    // of a set of tokens
}

// A block is a list of tokens: parts of an order.
type block struct {
	order  []int32
	ranges []tokenizers.Range
}

// A Tree is the groups of one lexer state, by their sequences: the inverse token spanner table of
// that state. It is immutable.
type Tree struct {
	// Nodes are the sequences, Nodes[0] the empty one. The children of a node are adjacent and come
	// after it, by ascending symbol.
	Nodes []Node
	// Leaves are the groups; those of a node lie side by side.
	Leaves []Leaf

	blocks []int32
}

// A Node is a sequence: that of its parent and one more symbol.
type Node struct {
	Symbol Symbol // meaningless in Nodes[0]
	Parent int32  // -1 in Nodes[0]
	Depth  int32  // the length of the sequence
	// Nodes[KidLo:KidHi] are its children, Leaves[LeafLo:LeafHi] the groups with exactly this
	// sequence.
	KidLo, KidHi, LeafLo, LeafHi int32
}

// A Leaf is a group: the tokens with the sequence of its Node whose last lexeme stays pending with
// this reach. It has at least one token. A token is in two groups of a Tree only if a lexeme in it
// may end in several ways (lexer.End).
type Leaf struct {
	Node             int32
	Reach            lexer.ReachID
	blockLo, blockHi int32
}

// Stats are the sizes of what a Spanner has built so far.
type Stats struct {
	Nodes     int   // of trees: their sequences
	Pairs     int   // memoised (trie node, lexer state) pairs
	Steps     int64 // trie nodes visited by all walks
	Spans     int   // spans in the memo
	Sequences int   // interned
	Pruned    int64 // spans dropped by pruning
	Bytes     int64 // memory held
}

// New prepares the preprocessing of a grammar and a vocabulary; it walks nothing yet.
func New(r *recognizer.Recognizer, v *tokenizers.Vocabulary, o Options) *Spanner {
	s := &Spanner{rec: r, options: o, lexicon: jsontokens.Of(o.Kept, v, o.Without), trees: map[lexer.State]*Tree{}, words: bitset.Words(v.Len())}
	s.apart, s.shared = followsApart(s), newShared(s)
	s.symbols.init(r)
	if o.Prune {
		s.follow = newFollow(r)
	}
	s.walk.init(s, v.Trie())
	return s
}

// NumSymbols is the number of symbols interned so far.
func (s *Spanner) NumSymbols() int { return len(s.symbols.list) }

// Sequence appends the symbols of node i of t to dst, first to last.
func (t *Tree) Sequence(dst []Symbol, i int32) []Symbol {
	n := len(dst)
	for range t.Nodes[i].Depth {
		dst = append(dst, 0)
	}
	for k := len(dst) - 1; k >= n; k-- {
		dst[k] = t.Nodes[i].Symbol
		i = t.Nodes[i].Parent
	}
	return dst
}

// AppendTokens appends the ids of a group to dst, in the order of Order.
func (s *Spanner) AppendTokens(dst []int32, t *Tree, leaf int32) []int32 {
	return s.appendBlocks(dst, t.list(leaf))
}

// list is the blocks of a group.
func (t *Tree) list(leaf int32) []int32 {
	l := &t.Leaves[leaf]
	return t.blocks[l.blockLo:l.blockHi]
}

func (s *Spanner) appendBlocks(dst, blocks []int32) []int32 {
	for _, b := range blocks {
		for _, r := range s.blocks[b].ranges {
			dst = append(dst, s.blocks[b].order[r.Lo:r.Hi]...)
		}
	}
	return dst
}
