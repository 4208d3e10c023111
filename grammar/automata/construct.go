package automata

import (
	"fmt"
	"slices"

	"gcdbench/internal/intern"
)

// Automata that do not come from a pattern.

// A Transition leads from a state to another on any byte of Lo..Hi.
type Transition struct {
	From   int32
	Lo, Hi byte
	To     int32
}

// FromTransitions builds an automaton of states 0 .. states-1, of which 0 is
// the start. It need be neither minimal nor trimmed, but deterministic: two
// transitions of a state on one byte with different targets are an error.
func FromTransitions(states int, accepting []int32, transitions []Transition, lim Limits) (*DFA, error) {
	b := newBudget(lim)
	raw, err := rawFromTransitions(b, states, accepting, transitions)
	if err != nil {
		return nil, err
	}
	return raw.finish(b)
}

// checkTransitions checks that an automaton is well formed, and returns where its byte classes
// begin.
func (b *budget) checkTransitions(states int, accepting []int32, transitions []Transition) (*[257]bool, error) {
	if err := b.states(states); err != nil {
		return nil, err
	}
	check := func(s int32) error {
		if s < 0 || int(s) >= states {
			return fmt.Errorf("automaton: state %d is not one of the %d states", s, states)
		}
		return nil
	}
	var cut [257]bool
	for i, t := range transitions {
		if err := check(t.From); err != nil {
			return nil, fmt.Errorf("transition %d: %w", i, err)
		}
		if err := check(t.To); err != nil {
			return nil, fmt.Errorf("transition %d: %w", i, err)
		}
		if t.Lo > t.Hi {
			return nil, fmt.Errorf("automaton: transition %d has its bytes %#02x..%#02x in the wrong order", i, t.Lo, t.Hi)
		}
		cut[t.Lo], cut[int(t.Hi)+1] = true, true
	}
	for _, s := range accepting {
		if err := check(s); err != nil {
			return nil, fmt.Errorf("accepting states: %w", err)
		}
	}
	return &cut, nil
}

func rawFromTransitions(b *budget, states int, accepting []int32, transitions []Transition) (*rawDFA, error) {
	cut, err := b.checkTransitions(states, accepting, transitions)
	if err != nil {
		return nil, err
	}
	classes := newByteClasses(cut)
	raw, err := newRaw(b, classes, states)
	if err != nil {
		return nil, err
	}
	for i, t := range transitions {
		row := raw.row(t.From)
		for c := classes.of[t.Lo]; ; c++ {
			if row[c] != Dead && row[c] != t.To {
				return nil, fmt.Errorf("automaton: transition %d: state %d already goes to %d on byte %#02x", i, t.From, row[c], classes.first[c])
			}
			row[c] = t.To
			if c == classes.of[t.Hi] {
				break
			}
		}
	}
	for _, s := range accepting {
		raw.accepting[s] = true
	}
	return raw, nil
}

// newRaw allocates an automaton without transitions.
func newRaw(b *budget, classes byteClasses, states int) (*rawDFA, error) {
	if err := b.hold(states * (setBytes + 4*classes.num())); err != nil {
		return nil, err
	}
	return &rawDFA{
		classOf: classes.of, classes: classes.num(),
		table:     slices.Repeat([]int32{Dead}, states*classes.num()),
		accepting: make([]bool, states),
	}, nil
}

// FromStrings accepts exactly the given strings. It adds them in sorted order
// and merges equal tails on the way (J. Daciuk et al., Incremental construction of
// minimal acyclic finite-state automata, 2000), so that it takes time linear in
// their total length. What that leaves is minimal.
func FromStrings(texts []string, lim Limits) (*DFA, error) {
	b := newBudget(lim)
	if len(texts) == 1 && 0 < len(texts[0]) && len(texts[0]) <= maxLiteral && b.states(len(texts[0])+1) == nil {
		return literalDFA(texts[0]), nil
	}
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	t := trieBuilder{budget: b, path: make([]trieNode, 1)}
	for _, s := range slices.Compact(sorted) {
		if err := t.add(s); err != nil {
			return nil, err
		}
	}
	return t.finish()
}

// A trieNode has its edges sorted by byte.
type trieNode struct {
	accepting bool
	edges     []edge
}

// A trieBuilder holds the nodes on the way to the last string, whose tails may
// still change, and the registered ones, which do not.
type trieBuilder struct {
	path     []trieNode // by length of the prefix
	last     string
	nodes    []trieNode
	registry intern.Lists[uint64] // of nodes
	key      []uint64
	budget   *budget
}

// add adds a string greater than all before.
func (t *trieBuilder) add(s string) error {
	common := 0
	for common < len(s) && common < len(t.last) && s[common] == t.last[common] {
		common++
	}
	if err := t.close(common); err != nil {
		return err
	}
	for i := common; i < len(s); i++ {
		t.extend()
	}
	if err := t.budget.states(len(t.path)); err != nil {
		return err
	}
	t.path[len(s)].accepting = true
	t.last = s
	return nil
}

// extend makes the path longer by a node, with the memory of a node that was not registered.
func (t *trieBuilder) extend() {
	n := len(t.path)
	if n == cap(t.path) {
		t.path = append(t.path, trieNode{})
		return
	}
	t.path = t.path[:n+1]
	t.path[n] = trieNode{edges: t.path[n].edges[:0]}
}

// close registers the nodes of the path beyond a length.
func (t *trieBuilder) close(length int) error {
	for n := len(t.path) - 1; n > length; n-- {
		id, err := t.register(&t.path[n])
		if err != nil {
			return err
		}
		t.path = t.path[:n]
		b := t.last[n-1]
		t.path[n-1].edges = append(t.path[n-1].edges, edge{b, b, id})
	}
	return nil
}

// register returns the number of a node with the given tails.
func (t *trieBuilder) register(n *trieNode) (int32, error) {
	t.key = t.key[:0]
	if n.accepting {
		t.key = append(t.key, 0)
	}
	for _, e := range n.edges {
		t.key = append(t.key, uint64(e.to+1)<<8|uint64(e.lo))
	}
	id, isNew := t.registry.ID(t.key)
	if !isNew {
		return id, nil
	}
	t.nodes = append(t.nodes, *n)
	n.edges = nil
	return id, t.budget.states(len(t.nodes))
}

// finish is the canonical automaton. The root comes first: bytes are of one class if all nodes read
// them alike.
func (t *trieBuilder) finish() (*DFA, error) {
	if err := t.close(0); err != nil {
		return nil, err
	}
	if len(t.nodes) == 0 && !t.path[0].accepting {
		return emptyDFA(), nil
	}
	nodes := append(t.path[:1:1], t.nodes...)
	classes := readAlike(nodes)
	raw, err := newRaw(t.budget, classes, len(nodes))
	if err != nil {
		return nil, err
	}
	for s, n := range nodes {
		raw.accepting[s] = n.accepting
		for _, e := range n.edges {
			raw.row(int32(s))[classes.of[e.lo]] = e.to + 1
		}
	}
	return raw.numbered(), nil
}

// readAlike puts the bytes into a class that lead from each node to the same.
func readAlike(nodes []trieNode) (classes byteClasses) {
	var moves [256][]int32 // by byte: nodes, and to which each leads
	for s, n := range nodes {
		for _, e := range n.edges {
			moves[e.lo] = append(moves[e.lo], int32(s), e.to)
		}
	}
	var sets intern.Lists[int32]
	for b := range moves {
		class, isNew := sets.Take(moves[b])
		if isNew {
			classes.first = append(classes.first, byte(b))
		}
		classes.of[b] = uint8(class)
	}
	return classes
}
