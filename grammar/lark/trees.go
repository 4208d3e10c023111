package lark

import "gcdbench/internal/intern"

// A tree is the body of a rule without repeats: alternatives of sequences of trees, down to
// symbols. Equal trees are stored once, so that equality, which decides whether two repeats share
// their helper rule, is that of numbers. Trees are equal if they are built the same: x and (x) are
// not, though they mean the same. Lark tells them apart, and so gives them different helpers.
type treeID int32

// A treeKind is the kind of a tree.
type treeKind byte

const (
	tSymbol       treeKind = iota
	tSequence              // its kids in a row
	tAlternatives          // one of its kids
)

// A symbol of a tree; see forest.symbols.
type symbolID int32

// hole is the symbol that stands for a left-out optional item, one for each node that Lark would
// put a None into the parse tree for. It matches nothing. While a rule is expanded it makes
// alternatives differ that are otherwise the same, and that Lark therefore refuses as duplicates.
const hole symbolID = 0

type tree struct {
	kind   treeKind
	symbol symbolID
	kids   []treeID
}

// A forest holds all trees of a grammar, and its symbols.
type forest struct {
	trees   []tree
	keys    intern.Lists[int32] // the trees written out
	symbols []symbolName
	byName  map[symbolName]symbolID
	key     []int32 // scratch
}

// A symbolName names a terminal or a rule.
type symbolName struct {
	name     string
	terminal bool
}

func newForest() *forest {
	return &forest{
		symbols: []symbolName{{}}, // the hole
		byName:  map[symbolName]symbolID{},
	}
}

// intern returns the number of a tree.
func (f *forest) intern(t tree) treeID {
	f.key = append(f.key[:0], int32(t.kind), int32(t.symbol))
	for _, k := range t.kids {
		f.key = append(f.key, int32(k))
	}
	id, isNew := f.keys.ID(f.key)
	if isNew {
		f.trees = append(f.trees, t)
	}
	return treeID(id)
}

func (f *forest) sequence(kids ...treeID) treeID {
	return f.intern(tree{kind: tSequence, kids: kids})
}

func (f *forest) alternatives(kids ...treeID) treeID {
	return f.intern(tree{kind: tAlternatives, kids: kids})
}

// symbol is the symbol of a name.
func (f *forest) symbol(name string, terminal bool) symbolID {
	n := symbolName{name, terminal}
	id, ok := f.byName[n]
	if !ok {
		id = symbolID(len(f.symbols))
		f.symbols = append(f.symbols, n)
		f.byName[n] = id
	}
	return id
}

func (f *forest) leaf(s symbolID) treeID { return f.intern(tree{kind: tSymbol, symbol: s}) }
