package jsonschema

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/intern"
)

// Keys in any order. An object is a list of properties, and a grammar needs a state for each set of
// properties after which different texts may follow. For all orders of n keys that must come no
// context-free grammar is smaller than exponential in n (Ellul, Krawetz, Shallit and Wang, "Regular
// expressions: new results and open problems", 2005). So a state only remembers the keys that
// something depends on (roles.go): an object of a hundred optional keys has one state, one of r
// required keys has 2^r. Where that is too much, its states are written when a text comes to them
// (places.go). A grammar of which all rules are written accepts the order of the schema alone
// (objects.go).
//
// The cases of an object (the clauses of its schema) run side by side, as in the subset
// construction, so that a property which several cases allow is no conflict in the parser tables.
//
// The rules are left recursive. For states s and t of the automaton:
//
//	object -> "{" "}" | "{" list_s "}"       where the object may end in s
//	list_t -> member | list_s comma member   where the member leads from s to t
//	member -> key colon value
//
// Inside an object the parser's stack holds the brace, a list and a comma, however long the text
// is. Each s has one parser state with all the keys; after a key the parser states are shared.

// anyOrderCells bounds the automata of all objects of a grammar together, in cells: the properties
// that may come next, summed over the states. Parser tables grow with them. It is some 60 ms,
// tables included. Where rules are written on demand, it bounds that of each goal.
const anyOrderCells = 40_000

// fewCells is what every object may take, also when the cells are used up: 7 required keys in all
// orders.
const fewCells = 1000

// fewLateCells is what an object may take before its states are written on demand: 6 required keys.
const fewLateCells = 400

// orderSteps bounds the time of making one automaton of cases that run side by side, some 10 ms:
// each case takes a step.
const orderSteps = 100_000

// A memberClass is properties with the same roles.
type memberClass struct {
	roles   []casting // by case, ascending
	members []classMember
}

// A classMember is a property: the terminal of its key, and the goal of its value.
type classMember struct {
	key   grammar.Symbol
	value grammar.Nonterminal
}

// A caseState is a state of one case. A sorted list of them is a state of the object.
type caseState struct {
	in int // number of the case
	st objectState
}

// A keyOrder is the automaton of the objects of some cases. It reads classes of members.
type keyOrder struct {
	cases   []*objectEmitter
	classes []memberClass
	states  [][]caseState // 0 is the start
	single  intern.Keys[caseState]
	index   intern.Lists[int32] // of states, by the numbers of single ones
	edges   [][]orderEdge       // by state
	cells   int                 // members that may come next, summed over the states
	steps   int                 // of cases, taken so far
}

// An orderEdge reads a class of members and leads to a state.
type orderEdge struct{ class, to int }

// anyOrder writes objects whose keys come in any order. Where that takes many states, and rules are
// written on demand, a state is written when a text comes to it (places.go). It is false if the
// keys keep the order of the schema, which is noted.
func (c *emitter) anyOrder(nt grammar.Nonterminal, cases []*objectEmitter, clauses []clause) (done bool, err error) {
	q, most := &keyOrder{cases: cases}, max(c.budget.of(anyOrderCells)-c.orderCells, c.budget.of(fewCells))
	fits := c.later != nil && q.fit(min(fewLateCells, most))
	if c.later != nil && !fits {
		if done, err = c.factored(nt, []*factoring{{forms: []normalForm{{clauses: clauses}}}}, true); done || err != nil {
			return done, err
		}
		q = &keyOrder{cases: cases}
	}
	if !fits && !q.fit(most) {
		for _, e := range cases {
			c.noteOrder(e)
		}
		return false, nil
	}
	c.budget.shrinks = c.budget.shrinks || len(q.states) > 1
	if c.later == nil {
		c.orderCells += q.cells
	}
	q.write(c, nt)
	return true, nil
}

// fit makes the automaton. It is false if that takes more cells than the limit.
func (q *keyOrder) fit(limit int) bool {
	return q.cast() && !slices.ContainsFunc(q.cases, func(e *objectEmitter) bool { return e.mustHave() > bits.Len(uint(limit)) }) && q.build(limit)
}

// mustHave is how many keys a case requires in each of its alternatives, at least.
func (e *objectEmitter) mustHave() int {
	least := len(e.keys)
	for _, d := range e.open.lists[e.start] {
		least = min(least, len(d.required))
	}
	return least
}

// noteOrder notes that not all orders of the keys are accepted although that was asked for.
func (c *emitter) noteOrder(e *objectEmitter) {
	c.cut = true
	for _, l := range e.x {
		if l.op == opProps && len(l.props.keys) > 0 && !forbids(l) || l.op == opRequired {
			c.narrow(l, "keys must come in the order of the schema: the grammar would be too large with any order")
		}
	}
}

// cast finds the properties of all cases and their roles. It returns false if more must be
// remembered than there are bits.
func (q *keyOrder) cast() bool {
	roles := map[classMember][]casting{}
	var order []classMember
	for i, e := range q.cases {
		ok := e.cast(func(key grammar.Symbol, values []ref, r role) {
			g, ok := e.c.goalOf(values)
			if !ok {
				return
			}
			m := classMember{key, g.nt}
			if roles[m] == nil {
				order = append(order, m)
			}
			roles[m] = append(roles[m], casting{i, r})
		})
		if !ok {
			return false
		}
	}
	var index intern.Keys[string]
	for _, m := range order {
		i, isNew := index.ID(fmt.Sprint(roles[m]))
		if isNew {
			q.classes = append(q.classes, memberClass{roles: roles[m]})
		}
		q.classes[i].members = append(q.classes[i].members, m)
	}
	return true
}

// build makes the automaton. It is false if that takes more cells than the limit.
func (q *keyOrder) build(limit int) bool {
	q.states, q.edges, q.index, q.cells, q.steps = nil, nil, intern.Lists[int32]{}, 0, 0
	var start []caseState
	for i, e := range q.cases {
		start = append(start, caseState{i, objectState{open: e.start}})
	}
	q.intern(start)
	for s := 0; s < len(q.states); s++ {
		q.edges = append(q.edges, nil)
		for i, class := range q.classes {
			if to := q.after(q.states[s], class.roles); len(to) > 0 {
				q.edges[s] = append(q.edges[s], orderEdge{i, q.intern(to)})
				q.cells += len(class.members)
			}
		}
		if q.cells > limit || len(q.cases) > 1 && q.steps > orderSteps || q.cases[0].c.ctx.Err() != nil {
			return false
		}
	}
	return true
}

// after is the state after a class of members.
func (q *keyOrder) after(state []caseState, roles []casting) []caseState {
	var to []caseState
	for _, x := range roles {
		at, _ := slices.BinarySearchFunc(state, x.in, func(p caseState, in int) int { return p.in - in })
		for ; at < len(state) && state[at].in == x.in; at++ {
			q.steps++
			if st, ok := q.cases[x.in].step(state[at].st, x.role); ok && !slices.Contains(to, caseState{x.in, st}) {
				to = append(to, caseState{x.in, st})
			}
		}
	}
	return to
}

// intern numbers a state.
func (q *keyOrder) intern(state []caseState) int {
	// Sorted, so that cases that reach the same states in another order are one state.
	slices.SortFunc(state, func(a, b caseState) int {
		return cmp.Or(a.in-b.in, a.st.count-b.st.count, cmp.Compare(a.st.met, b.st.met), a.st.open-b.st.open, cmp.Compare(a.st.used, b.st.used), cmp.Compare(a.st.came, b.st.came))
	})
	numbers := make([]int32, len(state))
	for i, p := range state {
		numbers[i], _ = q.single.ID(p)
	}
	s, isNew := q.index.Take(numbers)
	if isNew {
		q.states = append(q.states, state)
	}
	return int(s)
}

// ends tells whether the object may end in a state.
func (q *keyOrder) ends(s int) bool {
	return slices.ContainsFunc(q.states[s], func(p caseState) bool { return q.cases[p.in].endsAnyOrder(p.st) })
}

// write adds the rules.
func (q *keyOrder) write(c *emitter, nt grammar.Nonterminal) {
	open, closing := c.literalTerminal("{"), c.literalTerminal("}")
	lists := make([]grammar.Nonterminal, len(q.states)) // 0 is that of the schema, and so none of these
	list := func(s int) grammar.Symbol {
		if lists[s] == 0 {
			lists[s] = c.numbered("list")
			if q.ends(s) {
				c.rule(nt, open, grammar.N(lists[s]), closing)
			}
		}
		return grammar.N(lists[s])
	}
	if q.ends(0) {
		c.rule(nt, open, closing)
	}
	members := make([]grammar.Symbol, len(q.classes))
	for i, class := range q.classes {
		members[i] = c.memberOf(class)
	}
	for s, edges := range q.edges {
		for _, e := range edges {
			to := list(e.to).Nonterminal()
			if s == 0 {
				c.rule(to, members[e.class])
			}
			if s > 0 || slices.ContainsFunc(edges, func(e orderEdge) bool { return e.to == 0 }) {
				c.rule(to, list(s), c.comma(), members[e.class])
			}
		}
	}
}

// memberOf is a nonterminal for one property of a class.
func (c *emitter) memberOf(class memberClass) grammar.Symbol {
	nt := c.numbered("member")
	for _, m := range class.members {
		c.rule(nt, m.key, c.colon(), grammar.N(m.value))
	}
	return grammar.N(nt)
}
