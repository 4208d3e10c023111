package legality

import (
	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// A row is the store's entry for a lexer state and a basis: a ready mask, and questions for the
// parser. It is immutable.
//
// The questions are a tree over terminal sequences, in depth-first order. At each node the
// parser has read the node's sequence; if it refuses, the whole subtree is refused. The tokens
// of a node are legal once the node is reached: a token whose own sequence is longer is there
// because that sequence is jointly legal with the node's. A check is a further question, about
// the lexeme that may be pending at the node. It is asked once for all tokens that share it.
type row struct {
	nodes []node // nodes[0] is the empty sequence; its tokens are always legal
	bytes int
	// groups are those that the row decides, after newlines not counted.
	groups int
	tally  Tally
}

// always is the tokens that are legal without a question.
func (r *row) always() tokenSet { return r.nodes[0].tokens }

// A node is one sequence of a row.
type node struct {
	// set is the last lexeme of the sequence, one of those that are interchangeable.
	set lexer.Set
	// terms are the terminals that the lexeme is, if no set of the lexer has them; set is NoSet then.
	terms []grammar.Terminal
	// plain is the only member of set, if nothing is asked after it. Then it is enough that the
	// parser accepts it, and no stack is built. Otherwise -1.
	plain grammar.Terminal
	// size is the number of nodes in the subtree, this one included.
	size   int32
	depth  int32
	tokens tokenSet
	checks []check
	// lines leads to the groups after a newline lexeme of the layout. They have rows of their
	// own, as only the run knows what the lexeme becomes. It is nil for every other lexeme.
	lines *lines
}

// A check is a set of terminals one of which must be accepted.
type check struct {
	terms   []uint64
	newline bool // a newline lexeme may become of it, which is legal without the parser inside brackets
	tokens  tokenSet
}

// lines says how a newline lexeme ends.
type lines struct {
	column spanner.Column
	roots  []spanner.NodeID // of the rows
}

// A tokenSet is a list of ids, or if it is large a whole bit set.
type tokenSet struct {
	ids   []int32
	words []uint64
}

// addTo adds the tokens to a mask.
func (t tokenSet) addTo(words []uint64) {
	if t.words != nil {
		algorithms.Unite(words, t.words)
		return
	}
	for _, id := range t.ids {
		bitset.Add(words, id)
	}
}

// copyTo writes the tokens over the words of a mask.
func (t tokenSet) copyTo(words []uint64) {
	if t.words != nil {
		copy(words, t.words)
		return
	}
	clear(words)
	t.addTo(words)
}

// A Tally counts what decided the groups of rows: pairs of a basis and a terminal sequence with
// what may follow it.
type Tally struct {
	// Never, Always and Joint are the groups that a proof decided: refused after the basis, accepted
	// after it, accepted whenever a prefix is (the representative that is asked).
	Never, Always, Joint int
	// Merged is the groups that share a question with another one because their terminals are
	// interchangeable, or differ only in terminals that cannot follow.
	Merged int
	// Asked is the groups that are a question of their own.
	Asked int
	// Deferred is the groups after a newline lexeme of a layout: they are decided by rows of their
	// own.
	Deferred int
}

func (t *Tally) add(o Tally) {
	t.Never += o.Never
	t.Always += o.Always
	t.Joint += o.Joint
	t.Merged += o.Merged
	t.Asked += o.Asked
	t.Deferred += o.Deferred
}

// Groups is the number of all groups.
func (t Tally) Groups() int {
	return t.Never + t.Always + t.Joint + t.Merged + t.Asked + t.Deferred
}
