package koo

import (
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/tokenizers"
)

// An FST is a finite-state transducer from tokens to bytes: the detokenizing transducer of section
// 2.3. State 0 is the root, start and only final state. Each token is a cycle through it that
// generates the token's bytes: one by one on edges that read nothing, the last on an edge that
// reads the token. Tokens share the states of common prefixes.
//
// tokenizers.Trie stores the same: a node of the tree that leads to more nodes is a state here,
// and a node where a token ends is an edge back to the root. The engines read the tree. This
// form is the paper's, for its figures and for automata that are small enough to be written
// out.
type FST struct {
	// Edges are by state, ordered by byte, edges that read a token last among those of a byte.
	Edges [][]FSTEdge
}

// An FSTEdge reads Token, or nothing if that is -1, writes Byte and leads to a state.
type FSTEdge struct {
	Token int32
	Byte  byte
	To    int32
}

// Detokenizer is the detokenizing transducer of a vocabulary's legal tokens. Of tokens with equal
// bytes it has the first.
func Detokenizer(v *tokenizers.Vocabulary) *FST {
	trie := v.Trie()
	f := &FST{Edges: make([][]FSTEdge, 1)}
	var state [tokenizers.MaxTokenLength + 1]int32 // by depth: where the path is
	for i, n := range trie.Nodes {
		d := trie.Depth(i)
		from := state[d]
		if n.Size() > 1 {
			to := int32(len(f.Edges))
			f.Edges = append(f.Edges, nil)
			state[d+1] = to
			f.Edges[from] = append(f.Edges[from], FSTEdge{-1, n.Byte(), to})
		}
		if n.Token() >= 0 {
			f.Edges[from] = append(f.Edges[from], FSTEdge{n.Token(), n.Byte(), 0})
		}
	}
	return f
}

// Transduce is the bytes of a sequence of tokens, by following the transducer; ok is false if it
// has no path for it. It exists to be compared with Vocabulary.Decode.
func (f *FST) Transduce(tokens []int32) (text []byte, ok bool) {
	for _, t := range tokens {
		word, ok := f.cycle(0, t)
		if !ok {
			return nil, false
		}
		text = append(text, word...)
	}
	return text, true
}

// cycle is the output of the path from a state back to the root that reads one token.
func (f *FST) cycle(from, token int32) ([]byte, bool) {
	for _, e := range f.Edges[from] {
		if e.Token == token {
			return []byte{e.Byte}, true
		}
		if e.Token < 0 {
			if rest, ok := f.cycle(e.To, token); ok {
				return append([]byte{e.Byte}, rest...), true
			}
		}
	}
	return nil, false
}

// A TokenFSA is a deterministic automaton over tokens. State 0 is the start; it has no states if
// its language is empty.
type TokenFSA struct {
	// Edges are by state, ordered by token.
	Edges [][]TokenEdge
	// Accepting is by state.
	Accepting []bool
}

// A TokenEdge reads a token and leads to a state.
type TokenEdge struct{ Token, To int32 }

// Compose is the automaton of the token sequences whose bytes a character automaton accepts
// (section 2.4): the composition of the transducer with it, with the edges that read nothing
// removed. Since every token is one path through the transducer and the automaton is deterministic,
// the result is deterministic at once. States that lead to no accepting one by any tokens are left
// out. A state of the result is a state of the automaton at the transducer's root; they are
// numbered in the order in which a search from the start meets them.
func Compose(f *FST, d *automata.DFA) *TokenFSA {
	number := map[int32]int32{}
	var order []int32
	visit := func(s int32) int32 {
		id, ok := number[s]
		if !ok {
			id = int32(len(order))
			number[s] = id
			order = append(order, s)
		}
		return id
	}
	out := &TokenFSA{}
	if d.Start() == automata.Dead {
		return out
	}
	visit(d.Start())
	for i := 0; i < len(order); i++ {
		out.Accepting = append(out.Accepting, d.Accepting(order[i]))
		var edges []TokenEdge
		f.follow(0, func(b byte, s int32) int32 { return d.Next(s, b) }, order[i], func(token, s int32) {
			edges = append(edges, TokenEdge{token, visit(s)})
		})
		slices.SortFunc(edges, func(a, b TokenEdge) int { return int(a.Token - b.Token) })
		out.Edges = append(out.Edges, edges)
	}
	return out.trim()
}

// follow runs an automaton along all paths of the transducer from a state to the root.
func (f *FST) follow(from int32, next func(b byte, s int32) int32, s int32, found func(token, s int32)) {
	for _, e := range f.Edges[from] {
		to := next(e.Byte, s)
		if to == automata.Dead {
			continue
		}
		if e.Token >= 0 {
			found(e.Token, to)
		} else {
			f.follow(e.To, next, to, found)
		}
	}
}

// trim removes the states from which no accepting state can be reached.
func (a *TokenFSA) trim() *TokenFSA {
	alive := slices.Clone(a.Accepting)
	for again := true; again; {
		again = false
		for s, edges := range a.Edges {
			if !alive[s] && slices.ContainsFunc(edges, func(e TokenEdge) bool { return alive[e.To] }) {
				alive[s], again = true, true
			}
		}
	}
	if !alive[0] {
		return &TokenFSA{}
	}
	number := make([]int32, len(alive))
	out := &TokenFSA{}
	for s, ok := range alive {
		if ok {
			number[s] = int32(len(out.Accepting))
			out.Accepting = append(out.Accepting, a.Accepting[s])
		}
	}
	for s, ok := range alive {
		if !ok {
			continue
		}
		var edges []TokenEdge
		for _, e := range a.Edges[s] {
			if alive[e.To] {
				edges = append(edges, TokenEdge{e.Token, number[e.To]})
			}
		}
		out.Edges = append(out.Edges, edges)
	}
	return out
}

// Accepts tells whether a sequence of tokens is accepted.
func (a *TokenFSA) Accepts(tokens []int32) bool {
	if len(a.Accepting) == 0 {
		return false
	}
	s := int32(0)
	for _, t := range tokens {
		i, ok := slices.BinarySearchFunc(a.Edges[s], t, func(e TokenEdge, t int32) int { return int(e.Token - t) })
		if !ok {
			return false
		}
		s = a.Edges[s][i].To
	}
	return a.Accepting[s]
}
