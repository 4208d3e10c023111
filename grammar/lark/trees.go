package lark

import "gcdbench/internal/intern"

// A tree is the body of a rule without repeats: alternatives of sequences of trees, down to
// symbols. Equal trees are stored once, so that equality, which decides whether two repeats share
// their helper rule, is that of numbers. Trees are equal if they are built the same: x and (x) are
// not, though they mean the same. Lark tells them apart, and so gives them different helpers.
// A treeID is negative for a symbol alone.
type treeID int32

// The kinds of trees that are no symbols.
const (
	tSequence     treeID = iota // its kids in a row
	tAlternatives               // one of its kids
)

// A symbolID is the number of a symbol in forest.symbols.
type symbolID int32

// hole is the symbol that stands for a left-out optional item, one for each node that Lark would
// put a None into the parse tree for. It matches nothing. While a rule is expanded it makes
// alternatives differ that are otherwise the same, and that Lark therefore refuses as duplicates.
const hole symbolID = 0

// A forest holds all trees of a grammar, and its symbols.
type forest struct {
	trees   intern.Lists[treeID] // of each its kind, and then its kids
	symbols []symbol
	rules   map[string]symbolID
	key     []treeID // scratch
}

// A symbol is a rule, or a terminal.
type symbol struct {
	name     string
	terminal *terminal // nil: a rule
}

func newForest() *forest {
	return &forest{symbols: []symbol{{}}, rules: map[string]symbolID{}} // the hole is there
}

// intern returns the number of a tree.
func (f *forest) intern(kind treeID, kids []treeID) treeID {
	f.key = append(append(f.key[:0], kind), kids...)
	id, _ := f.trees.ID(f.key)
	return treeID(id)
}

func (f *forest) sequence(kids ...treeID) treeID { return f.intern(tSequence, kids) }

func (f *forest) alternatives(kids ...treeID) treeID { return f.intern(tAlternatives, kids) }

// leaf is the tree of a symbol alone.
func (f *forest) leaf(s symbolID) treeID { return ^treeID(s) }

// add adds a symbol.
func (f *forest) add(s symbol) symbolID {
	f.symbols = append(f.symbols, s)
	return symbolID(len(f.symbols) - 1)
}

// rule is the symbol of a rule.
func (f *forest) rule(name string) symbolID {
	id, ok := f.rules[name]
	if !ok {
		id = f.add(symbol{name: name})
		f.rules[name] = id
	}
	return id
}

// terminal is the symbol of a terminal.
func (f *forest) terminal(t *terminal) symbolID {
	if t.symbol == hole {
		t.symbol = f.add(symbol{t.name, t})
	}
	return t.symbol
}
