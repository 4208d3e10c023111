package automata

import "slices"

// Automata that are made as they are read. What a construction meets is a node: a pair of states
// (product.go), or a value of any kind (graph.go). A node is made when a text first comes to it, so
// that an automaton costs what is met of it, however large it would be. Whoever wants all of it
// visits all of it (whole).
//
// A mask asks of a node whether something is accepted from it. That is found out by a search
// forward (settle), unless the factors of a product tell (outlook). Most searches end after a few
// nodes. One of more than maxSearch gives up: nothing more is accepted from the nodes that it met,
// and the automaton has an error (DFA.Failed).

// A search has the nodes that were met, by number. Node i is state 2i, or 2i+1 if it accepts; node
// 0 is the start, and state 0.
type search struct {
	nodes  []searched
	expand func(i int32) []int32 // makes the row of a node
	near   func(i int32) int32   // an estimate of the bytes from a node to acceptance
	empty  bool                  // the start accepts
	failed error                 // a search gave up
	filled []uint8               // scratch
}

// shortSearch is up to how many nodes a search does not ask how far they are from acceptance.
const shortSearch = 16

// maxSearch is how many nodes a search goes through before it gives up.
const maxSearch = 1 << 14

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

// settle finds out whether something is accepted from a node, by a search forward, depth first. One
// of more than shortSearch nodes takes of those that follow a node the nearest to acceptance first.
//
// It ends when it meets a node from which something is accepted, and then something is from all on
// the way there. The others that it met it has left behind: all that follows them was met as well.
// So of these something is accepted exactly from those that lead, by others of them, to a node so
// found; from the rest nothing is, as nothing accepts among all that follows. If the search does
// not meet such a node, that is said of all, and likewise if it gives up. Thus every node that is
// met is settled at once, and a node is met by one search only: all searches together take a step
// for each transition.
func (x *search) settle(start int32) {
	way, left := []int32{start}, []int32(nil)
	x.nodes[start].lives = settling
	for len(way) > 0 {
		if len(way)+len(left) > maxSearch {
			x.failed = &LimitError{"maxSearch", maxSearch, "nothing that ends a text was found", hintSearch}
			way, left = nil, append(left, way...)
			break
		}
		top := way[len(way)-1]
		next, found := x.nearest(x.follow(top), len(way)+len(left) > shortSearch)
		if found {
			break
		}
		if next == Dead {
			left = append(left, top)
			way = way[:len(way)-1]
			continue
		}
		x.nodes[next].lives = settling
		way = append(way, next)
	}
	for _, i := range way {
		x.nodes[i].lives = lives
	}
	x.settleLeft(left)
}

// nearest is a node of a row that is not settled, if it matters the nearest to acceptance; Dead if
// all are settled. found says that one is known to live.
func (x *search) nearest(row []int32, matters bool) (next int32, found bool) {
	next = Dead
	least := int32(0)
	for _, i := range row {
		if i == Dead || i == next {
			continue
		}
		switch s := &x.nodes[i]; {
		case s.lives == lives:
			return i, true
		case s.lives == unsettled && matters:
			if near := x.near(i); next == Dead || near < least {
				next, least = i, near
			}
		case s.lives == unsettled && next == Dead:
			next = i
		}
	}
	return next, false
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
			s.lives, s.row = dies, nil
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
