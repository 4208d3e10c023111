package greatgramma

import (
	"gcdbench/lexer"
	"gcdbench/tokenizers"
)

// sequences is the inverse token spanner table of one lexer state: the terminal sequences that tokens
// realize from there, as a tree, and the tokens of each.
//
// An entry is a symbol (an inner node: everything behind it in its subtree has emitted it) or a reach (a
// leaf: a token may end here, with a lexeme pending that can become any terminal of the reach). The tree is
// flat and depth first, so that a walk goes on with i+1 and skips a subtree with i+size.
type sequences struct {
	entries []entry
	depths  []uint8
	groups  [][]int32 // by leaf: the tokens, ascending by place in the trie
}

// entry is one node of the tree.
type entry struct {
	what int32 // a symbol, or ^reach
	link int32 // of a symbol the size of its subtree, of a reach its group
}

// seqNode is a node in the course of building.
type seqNode struct {
	set      setID // what the stack-free automaton thinks of it
	first    int32 // child
	sibling  int32
	last     int32
	symbol   int32
	leaves   []int32 // groups
	leafKind []lexer.ReachID
}

type walker struct {
	m        *symbolic
	dfa      *lexer.DFA
	trie     *tokenizers.Trie
	prune    bool
	nodes    []seqNode
	child    []int32 // by node and symbol: 0 none, -1 pruned
	leaf     []int32 // by node and reach: 1 + group, -1 pruned
	groups   [][]int32
	states   [256]lexer.State
	at       [256]int32
	visited  int
}

func (w *walker) newNode(set setID, symbol int32) int32 {
	w.nodes = append(w.nodes, seqNode{set: set, symbol: symbol})
	for range w.m.symbols {
		w.child = append(w.child, 0)
	}
	for range w.m.reaches {
		w.leaf = append(w.leaf, 0)
	}
	return int32(len(w.nodes) - 1)
}

func (w *walker) walk(q lexer.State) *sequences {
	w.nodes, w.child, w.leaf, w.groups = w.nodes[:0], w.child[:0], w.leaf[:0], nil
	w.newNode(w.m.anyTop, 0)
	w.states[0], w.at[0] = q, 0
	depths := w.trie.Depths()
	nodes := w.trie.Nodes
	nsym, nreach := len(w.m.symbols), len(w.m.reaches)
	for i := 0; i < len(nodes); {
		w.visited++
		n := nodes[i]
		d := depths[i]
		from, at := w.states[d], w.at[d]
		to := w.dfa.Next(from, n.Byte())
		if to < 0 {
			set := w.dfa.Accept(from)
			to = w.dfa.Next(0, n.Byte())
			if to < 0 || set < 0 {
				i += n.Size()
				continue
			}
			c := w.child[int(at)*nsym+int(set)]
			if c == 0 {
				c = w.grow(at, int32(set))
			}
			if c < 0 {
				i += n.Size()
				continue
			}
			at = c
		}
		reach := w.dfa.Reach(to)
		g := w.leaf[int(at)*nreach+int(reach)]
		if g == 0 {
			g = w.open(at, reach)
		}
		if g < 0 {
			i += n.Size()
			continue
		}
		w.states[d+1], w.at[d+1] = to, at
		if id := n.Token(); id >= 0 {
			w.groups[g-1] = append(w.groups[g-1], id)
		}
		i++
	}
	return w.flatten()
}

func (w *walker) grow(at, sym int32) int32 {
	to := w.m.stepSet(setID(w.nodes[at].set), sym)
	c := int32(-1)
	if to != dead || !w.prune {
		c = w.newNode(setID(^to), sym)
		if w.nodes[at].first == 0 {
			w.nodes[at].first = c
		} else {
			w.nodes[w.nodes[at].last].sibling = c
		}
		w.nodes[at].last = c
	}
	w.child[int(at)*len(w.m.symbols)+int(sym)] = c
	return c
}

func (w *walker) open(at int32, r lexer.ReachID) int32 {
	g := int32(-1)
	if !w.prune || w.m.judgeSet(w.nodes[at].set, r) != never {
		w.groups = append(w.groups, nil)
		g = int32(len(w.groups))
		w.nodes[at].leaves = append(w.nodes[at].leaves, g-1)
		w.nodes[at].leafKind = append(w.nodes[at].leafKind, r)
	}
	w.leaf[int(at)*len(w.m.reaches)+int(r)] = g
	return g
}

func (w *walker) flatten() *sequences {
	s := &sequences{}
	w.flat(s, 0, 0)
	return s
}

func (w *walker) flat(s *sequences, n int32, d uint8) {
	for k, g := range w.nodes[n].leaves {
		if len(w.groups[g]) > 0 {
			s.entries = append(s.entries, entry{^int32(w.nodes[n].leafKind[k]), int32(len(s.groups))})
			s.depths = append(s.depths, d)
			s.groups = append(s.groups, w.groups[g])
		}
	}
	for c := w.nodes[n].first; c != 0; c = w.nodes[c].sibling {
		at := len(s.entries)
		s.entries = append(s.entries, entry{w.nodes[c].symbol, 0})
		s.depths = append(s.depths, d)
		w.flat(s, c, d+1)
		if len(s.entries) == at+1 {
			s.entries, s.depths = s.entries[:at], s.depths[:at]
			continue
		}
		s.entries[at].link = int32(len(s.entries) - at)
	}
}
