package automata

import (
	"encoding/binary"
	"slices"
)

// The strings of an automaton but a few: the keys of an object that are not declared, say. The
// automaton follows the few as a trie and, from where a text leaves the trie on, does what the one
// that they are taken out of does. So it is one on demand: what is made at once is the trie, with
// equal subtries shared.

// A remainder has the rows of an automaton without some strings. State 0 is the start, state s+1 is
// state s of the automaton, and the states of the trie follow.
type remainder struct {
	d       *DFA
	states  int32 // of d
	classOf [256]uint8
	of      []uint8 // by class: the class in d
	nodes   []trieState
	known   map[string]int32 // the states of tries by what they accept
	classes []uint8          // scratch
}

// A trieState is a state of d in which some of the strings go on.
type trieState struct {
	at    int32 // of d
	isOne bool  // one of the strings ends here
	edges []trieWay
}

// A trieWay is a byte of some strings, and the state after it; Dead if nothing else begins so.
type trieWay struct {
	b  byte
	to int32
}

// Without accepts what d accepts but for some texts. It is d itself if it accepts none of them, or
// else an automaton on demand with up to as many states more as the texts have bytes, of which it
// need not be minimal. The error is ErrContext.
func (d *DFA) Without(texts []string) (*DFA, error) {
	if d.HasContexts() {
		return nil, ErrContext
	}
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !d.MatchString(text) })
	if len(texts) == 0 {
		return d, nil
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	d = d.Whole()
	x := &remainder{d: d, states: int32(d.NumStates()), known: map[string]int32{}}
	x.refineClasses(texts)
	x.nodes = make([]trieState, 1, 16)
	x.nodes[0] = x.node(texts, 0, d.Start())
	if !x.lives(&x.nodes[0]) {
		return emptyDFA(), nil
	}
	return OnDemand(x.classOf, len(x.of), x), nil
}

// refineClasses puts every byte of the texts into a class of its own.
func (x *remainder) refineClasses(texts []string) {
	var used [256]bool
	for _, text := range texts {
		for i := range len(text) {
			used[text[i]] = true
		}
	}
	shared := slices.Repeat([]int{-1}, x.d.classes)
	for b, c := range x.d.classOf {
		if !used[b] && shared[c] >= 0 {
			x.classOf[b] = uint8(shared[c])
			continue
		}
		if !used[b] {
			shared[c] = len(x.of)
		}
		x.classOf[b] = uint8(len(x.of))
		x.of = append(x.of, c)
	}
}

// node is the state of d after the first bytes of texts, which are sorted and have these in common.
func (x *remainder) node(texts []string, depth int, at int32) (n trieState) {
	n.at = at
	if len(texts[0]) == depth {
		n.isOne, texts = true, texts[1:]
	}
	for len(texts) > 0 {
		b, end := texts[0][depth], 1
		for end < len(texts) && texts[end][depth] == b {
			end++
		}
		n.edges = append(n.edges, trieWay{b, x.trie(texts[:end], depth+1, x.d.Next(at, b))})
		texts = texts[end:]
	}
	return n
}

// trie is the number of a node; Dead if nothing is left there.
func (x *remainder) trie(texts []string, depth int, at int32) int32 {
	n := x.node(texts, depth, at)
	key := binary.AppendVarint(nil, int64(at))
	if n.isOne {
		key = append(key, 1)
	}
	for _, e := range n.edges {
		key = binary.AppendVarint(append(key, e.b), int64(e.to))
	}
	id, ok := x.known[string(key)]
	if !ok {
		if id = Dead; x.lives(&n) {
			id = x.states + int32(len(x.nodes))
			x.nodes = append(x.nodes, n)
		}
		x.known[string(key)] = id
	}
	return id
}

// lives tells whether something is accepted from a node.
func (x *remainder) lives(n *trieState) bool {
	if !n.isOne && x.d.Accepting(n.at) {
		return true
	}
	taken := make([]bool, len(x.of))
	for _, e := range n.edges {
		if e.to != Dead {
			return true
		}
		taken[x.classOf[e.b]] = true
	}
	row := x.d.Row(n.at)
	for c, of := range x.of {
		if !taken[c] && row[of] != Dead {
			return true
		}
	}
	return false
}

// split is the state of d that a state is at, and its node if it is one of the trie.
func (x *remainder) split(s int32) (at int32, n *trieState) {
	switch {
	case s == 0:
		n = &x.nodes[0]
	case s > x.states:
		n = &x.nodes[s-x.states]
	default:
		return s - 1, nil
	}
	return n.at, n
}

// Row writes the row of a state: see Rows.
func (x *remainder) Row(s int32, to []int32) (filled []uint8) {
	at, n := x.split(s)
	row := x.d.Row(at)
	for c, of := range x.of {
		to[c] = Dead
		if t := row[of]; t != Dead {
			to[c] = t + 1
		}
	}
	if n != nil {
		for _, e := range n.edges {
			to[x.classOf[e.b]] = e.to
		}
	}
	filled = x.classes[:0]
	for c := range x.of {
		if to[c] != Dead {
			filled = append(filled, uint8(c))
		}
	}
	x.classes = filled
	return filled
}

// Accepting tells whether a state accepts.
func (x *remainder) Accepting(s int32) bool {
	at, n := x.split(s)
	return (n == nil || !n.isOne) && x.d.Accepting(at)
}

// Bound is a number above those of all states.
func (x *remainder) Bound() int { return int(x.states) + len(x.nodes) }
