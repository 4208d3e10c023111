package automata

import "slices"

// Automata that are made as they are read. What a construction meets is a node: a pair of states
// (product.go), or a value of any kind (graph.go). A node is made when a text first comes to it, so
// that an automaton costs what is met of it, however large it would be. Whoever wants all of it
// visits all of it (whole).
//
// A mask asks of a node whether something is accepted from it. That is found out by a search
// forward (settle).

// A search has the nodes that were met, by number. Node i is state 2i, or 2i+1 if it accepts; node
// 0 is the start, and state 0.
type search struct {
	nodes  []searched
	expand func(i int32) []int32 // makes the row of a node
	empty  bool                  // the start accepts
	filled []uint8               // scratch
}

// A searched is what is known of a node.
type searched struct {
	accepting bool
	lives     liveness
	row       []int32 // the nodes that follow, by class; nil before they are made, and once the row of the state is
}

// A liveness says whether something is accepted from a node.
type liveness uint8

const (
	unsettled liveness = iota
	settling           // it is being found out
	lives
	dies
)

// add adds the next node. It is sure if something is known to be accepted from it.
func (x *search) add(accepting, sure bool) {
	s := searched{accepting: accepting}
	if accepting || sure {
		s.lives = lives
	}
	x.empty = x.empty || accepting && len(x.nodes) == 0
	x.nodes = append(x.nodes, s)
}

// follow lists the nodes after one, by class.
func (x *search) follow(i int32) []int32 {
	if x.nodes[i].row == nil {
		row := x.expand(i)
		x.nodes[i].row = row
	}
	return x.nodes[i].row
}

// whole is all of the automaton; an error if that is larger than b allows. There is a first node.
func (x *search) whole(classOf [256]uint8, classes int, b *budget) (*DFA, error) {
	raw := rawDFA{classOf: classOf, classes: classes}
	for i := int32(0); int(i) < len(x.nodes); i++ {
		if err := b.states(len(x.nodes)); err != nil {
			return nil, err
		}
		if err := b.hold(setBytes + 4*classes); err != nil {
			return nil, err
		}
		raw.table = append(raw.table, x.follow(i)...)
		raw.accepting = append(raw.accepting, x.nodes[i].accepting)
	}
	return raw.finish(b)
}

// leads tells whether something is accepted from a node.
func (x *search) leads(i int32) bool {
	if x.nodes[i].lives == unsettled {
		x.settle(i)
	}
	return x.nodes[i].lives == lives
}

// settle finds out whether something is accepted from a node, by a search forward, depth first.
//
// It ends when it meets a node from which something is accepted, and then something is from all on
// the way there. The others that it met it has left behind: all that follows them was met as well.
// So of these something is accepted exactly from those that lead, by others of them, to a node so
// found; from the rest nothing is, as nothing accepts among all that follows. If the search does
// not meet such a node, that is said of all. Thus every node that is met is settled at once, and a
// node is met by one search only: all searches together take a step for each transition.
func (x *search) settle(start int32) {
	type step struct {
		node  int32
		class int // the next one to follow
	}
	way, left := []step{{node: start}}, []int32(nil)
	x.nodes[start].lives = settling
	for len(way) > 0 {
		top := &way[len(way)-1]
		row := x.follow(top.node)
		if top.class == 0 && x.anyLives(row) {
			break
		}
		for top.class < len(row) && (row[top.class] == Dead || x.nodes[row[top.class]].lives != unsettled) {
			top.class++
		}
		if top.class == len(row) {
			left = append(left, top.node)
			way = way[:len(way)-1]
			continue
		}
		next := row[top.class]
		x.nodes[next].lives = settling
		way = append(way, step{node: next})
	}
	for _, s := range way {
		x.nodes[s.node].lives = lives
	}
	x.settleLeft(left)
}

// settleLeft settles the nodes that a search has left behind.
func (x *search) settleLeft(left []int32) {
	for changed := true; changed; {
		changed = false
		for _, i := range left { // what follows a node was mostly left before it
			if s := &x.nodes[i]; s.lives == settling && x.anyLives(s.row) {
				s.lives, changed = lives, true
			}
		}
	}
	for _, i := range left {
		if s := &x.nodes[i]; s.lives == settling {
			s.lives = dies
		}
	}
}

// anyLives tells whether a node of a row is known to live.
func (x *search) anyLives(row []int32) bool {
	return slices.ContainsFunc(row, func(i int32) bool { return i != Dead && x.nodes[i].lives == lives })
}

// Row writes the row of a state: see Rows.
func (x *search) Row(s int32, to []int32) (filled []uint8) {
	filled = x.filled[:0]
	if int(s>>1) >= len(x.nodes) {
		return filled
	}
	row := x.follow(s >> 1)
	for c, i := range row {
		if i == Dead || !x.leads(i) {
			continue
		}
		if to[c] = 2 * i; i > 0 && x.nodes[i].accepting {
			to[c]++
		}
		filled = append(filled, uint8(c))
	}
	x.nodes[s>>1].row = nil // a node that lives is not searched again
	x.filled = filled
	return filled
}

// Accepting tells whether a state accepts.
func (x *search) Accepting(s int32) bool { return s&1 == 1 || s == 0 && x.empty }
