// Package trie computes a mask by one walk of the vocabulary's prefix tree.
//
// # What it is
//
// Tokens share prefixes, and a prefix that is illegal makes every token behind it illegal. The walk
// visits the tree's nodes depth first, carrying the lexer's state down; a node that is refused
// prunes its subtree. This is the design of LLGuidance's core, of Outlines-core's and XGrammar's
// token tries, and of the "vocabulary preprocessing" of the PSC paper's section 2.2. The tree is a
// flat array in depth-first order, so that going on is i++ and pruning is i += size.
//
// # Why it is fast
//
// Three things keep the parser off the hot path, which is one table lookup per visited node:
//
//   - The parser only moves where a lexeme ends, and what it does then depends on where it stood (a
//     context: the parser's stacks and the layout registers after some terminals of this token) and
//     on the set of terminals emitted. So contexts are numbered as they arise, and each (context,
//     set) asks the parser once per mask, however many nodes ask.
//   - Whether a pending lexeme can still become something the parser accepts depends on the context
//     and on the lexer state only. The verdict is kept per (context, state), and asked at every
//     node, not just where a token ends: if it is "no", every continuation is illegal too, since
//     the terminals in reach only become fewer as the lexeme goes on. That prunes most of the tree:
//     where the grammar wants an operator, all words die at their first byte.
//   - What the walk needs is packed: 8 bytes a node, and the lexer's transitions as one array.
//
// # Slices
//
// Where almost everything is legal, inside a string or a comment, the walk would visit most of the
// tree. LLGuidance takes slices of the vocabulary whole there, and so does this one unless the
// option slices is off: tokens of plain text up to the length that the lexer allows, whatever it
// is, are one bit set of the vocabulary, and the walk visits what is left, 4,000 nodes of Llama 3's
// 274,521 (plain.go). LLGuidance has three slices by length, whose tokens it walks if it cannot
// take one whole; here every length has its set, so that counted strings gain as well. It is on
// because it is what the engine that people compare with does, and never slower. Means over a
// document each, and 60 MaskBench schemas, Llama 3, in microseconds:
//
//	            json    java   python   schemas
//	slices=on     49   1,054      828        51
//	slices=off   775   1,060    1,018     1,421
//
// # What bounds it
//
// A mask visits at most every node of the tree (274,521 at 128,000 tokens), where words of all
// kinds are legal but not all plain text is: a name may begin, a pattern allows letters. It applies
// to every grammar and vocabulary; a lexer built on demand takes a slower loop.
package trie

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/intern"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "trie" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "walks the vocabulary's prefix tree once, pruning what is refused"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return algorithms.SemanticsContract }

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "slices", Default: "on", Values: []string{"on", "off"}, Help: "take plain text whole where strings and comments allow any, from bit sets of the vocabulary that all grammars share"},
	}
}

// Grows implements algorithms.Grower.
func (algorithm) Grows(algorithms.Options) bool { return true }

// Compile implements algorithms.Algorithm. Its only work is the vocabulary's tree, which is shared.
func (a algorithm) Compile(_ context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	o, err := algorithms.Resolve(a, o)
	if err != nil {
		return nil, err
	}
	e := &engine{problem: p.Keeping(), trie: p.Vocabulary.Trie(), sliced: o.Bool("slices")}
	if dfa, ok := p.Lexer.(*lexer.DFA); ok {
		e.pack(dfa)
	}
	return algorithms.ComparingItems(p, e), nil
}

// A node is a tokenizers.TrieNode with the lexer's class of its byte in place of the byte.
type node struct {
	token int32
	link  uint32 // size<<8 | class
}

func (n node) class() byte { return byte(n.link) }
func (n node) size() int   { return int(n.link >> 8) }

// packed is the vocabulary's tree, or what is left of it without some subtrees.
type packed struct {
	nodes  []node
	depths []uint8
	places []int32 // by node: its index in the whole tree; nil for that itself
}

// origin is the index of a node in the whole tree.
func (t *packed) origin(i int32) int32 {
	if t.places == nil {
		return i
	}
	return t.places[i]
}

// A way is one to go on where a byte does not belong to the pending lexeme: the lexeme ends as set,
// and the byte leads the next one to the state to.
type way struct {
	set  lexer.Set
	to   int32
	more bool // if the parser does not take set, the way after this one is tried
}

// noWay is the entry of the packed table for a byte that no lexeme can go on with. An entry x below
// it is for a byte that ends the lexeme: its first way is ways[^x-1].
const noWay = int32(lexer.None)

// pack prepares the fast loop: the transitions, and the ways behind a lexeme's end, as one array
// each, and the tree over byte classes.
func (e *engine) pack(dfa *lexer.DFA) {
	e.dfa, e.width = dfa, dfa.NumClasses()
	table := dfa.Table()
	e.table = make([]int32, len(table))
	for i, to := range table {
		e.table[i] = int32(to)
	}
	e.packEnds()
	classes := dfa.Classes()
	e.all = packed{nodes: make([]node, len(e.trie.Nodes)), depths: e.trie.Depths()}
	for i, n := range e.trie.Nodes {
		e.all.nodes[i] = node{n.Token(), uint32(n.Size())<<8 | uint32(classes[n.Byte()])}
	}
}

// packEnds writes the ways behind the ends of lexemes into the packed table. They depend on the
// list of ends, of which there are few, and the byte.
func (e *engine) packEnds() {
	var lists intern.Lists[uint64]
	var behind [][]int32 // by list of ends: the entries, by class
	key := []uint64{}
	for q := range e.dfa.NumStates() {
		key = key[:0]
		for _, end := range e.dfa.Ends(lexer.State(q)) {
			key = append(key, uint64(end.Set)<<32|uint64(end.Start))
		}
		id, isNew := lists.ID(key)
		if isNew {
			behind = append(behind, e.waysBehind(e.dfa.Ends(lexer.State(q))))
		}
		for class, to := range behind[id] {
			if cell := &e.table[q*e.width+class]; *cell == noWay {
				*cell = to
			}
		}
	}
}

// waysBehind adds the ways behind a list of ends and returns the entries for them, by class.
func (e *engine) waysBehind(ends []lexer.End) (entries []int32) {
	table := e.dfa.Table()
	entries = slices.Repeat([]int32{noWay}, e.width)
	for class := range entries {
		first := len(e.ways)
		for _, end := range ends {
			if to := table[int(end.Start)*e.width+class]; to != lexer.None {
				e.ways = append(e.ways, way{end.Set, int32(to), true})
			}
		}
		if len(e.ways) > first {
			e.ways[len(e.ways)-1].more = false
			entries[class] = ^int32(first + 1)
		}
	}
	return entries
}

// engine is the compiled problem; the counters add up over all its states.
type engine struct {
	problem *algorithms.Problem
	trie    *tokenTrie
	// dfa is set if the fast loop applies, that is for a lexer built ahead; then table, ways, width
	// and all are its packed form.
	dfa   *lexer.DFA
	table []int32
	ways  []way
	width int
	all   packed

	sliced bool // option slices
	text   atomic.Pointer[jsontokens.Plain]
	rest   atomic.Pointer[packed] // see others
	mu     sync.RWMutex
	known  map[lexer.State][]endurance // what was found out about lexer states

	masks, visited, contexts, verdicts, taken atomic.Int64
}

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State { return algorithms.NewFilling(e.problem, e.begin) }

// begin is how one generation fills rows. The walk's scratch memory is its own, so that a mask
// allocates nothing once that has grown.
func (e *engine) begin() algorithms.Fill {
	w := new(walk)
	return func(at *algorithms.Position, row []uint64) {
		for p := e.problem.Now(); ; p = e.problem.Now() {
			clear(row)
			if e.fill(w, p, at.State, row); p.Current() == p.Recognizer {
				break // otherwise the grammar grew meanwhile
			}
		}
		algorithms.AddEqual(row, e.trie)
		e.masks.Add(1)
	}
}

// fill adds the legal tokens to an empty row, as far as p has the grammar.
func (e *engine) fill(w *walk, p *algorithms.Problem, s recognizer.State, row []uint64) {
	visited := 0
	w.reset(p, s)
	if w.taken = 0; e.sliced {
		if w.taken = e.take(p, row, s); w.taken > 0 {
			w.need = e.plain().Need()
			e.taken.Add(1)
		}
	}
	if e.dfa != nil {
		visited = w.fast(e, row)
	} else {
		visited = w.general(e.trie, row)
	}
	e.visited.Add(int64(visited))
	e.contexts.Add(int64(len(w.contexts)))
	e.verdicts.Add(int64(w.asked))
}

// Stats implements algorithms.Engine. The vocabulary's tree is not the engine's; its packed form
// is. What is remembered of lexer states (plain.go), of maxEndurances at the most, is not counted.
func (e *engine) Stats() algorithms.Stats {
	bytes := 8*len(e.all.nodes) + 4*len(e.table) + 12*len(e.ways)
	if rest := e.rest.Load(); rest != nil {
		bytes += 13 * len(rest.nodes)
	}
	return algorithms.Stats{Bytes: int64(bytes), Counters: []algorithms.Counter{
		{Name: "trie nodes", Value: float64(len(e.trie.Nodes))},
		{Name: "masks", Value: float64(e.masks.Load())},
		{Name: "nodes visited", Value: float64(e.visited.Load())},
		{Name: "masks with plain text taken whole", Value: float64(e.taken.Load())},
		{Name: "parser contexts", Value: float64(e.contexts.Load())},
		{Name: "parser verdicts", Value: float64(e.verdicts.Load())},
	}}
}
