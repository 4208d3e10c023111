package jsonschema

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"gcdbench/grammar"
)

// Keys in any order. An object is a list of properties, and the grammar needs a state for each set of
// properties after which different texts may follow. No grammar does with less than 2^n states for n keys
// that must all come once: so only those keys are remembered that something depends on.
//
//   - Keys that a case requires or forbids: the state is what is still asked for (demands.go), not what came. A key
//     that all cases require comes once.
//   - Keys that count: towards minProperties, until there are enough, and towards a literal that asks for
//     some property. They come once, too.
//   - All others leave no trace, and may come again. Every value of theirs is checked against the same
//     schema, so that it makes no difference which one a reader of the text keeps.
//
// So an object of a hundred optional keys has one state, and r required keys make 2^r. The cases of an object are
// run side by side, as the subset construction does it, so that a property which several cases allow is
// no conflict.
//
// Where that makes too many states, required keys may be out of the order of the schema, but only few
// at a time: the sets of required keys are those that differ in up to d keys from the first ones of the
// schema, about r^d/d! times r. And where this is too much or impossible, keys keep the order of the
// schema (objects.go).
//
// The rules are left recursive:
//
//	object -> "{" "}" | "{" list_s "}"                         s may end
//	list_t -> member | list_s comma member                     s goes to t by the member
//	member -> key colon value
//
// The stack inside of an object is the brace, a list and a comma, however long the text is; there is one
// parser state with all the keys for each state s, and behind a key all states are alike.

// anyOrderCells bounds the sizes of the automata of all objects of a grammar: the properties that may come
// next, summed over the states, which is what parser tables take. It is some 60 ms, parser tables included.
const anyOrderCells = 40_000

// allOrdersCells bounds that of one object with all orders: 12 required keys, or 10 and 20 others, or 8 and 100.
const allOrdersCells = 33_000

// someOrdersCells bounds that of one object with some: of 14 required keys 2 at a time may be out of order, of 50 one.
const someOrdersCells = 12_000

// orderSteps bounds the time of making one automaton of cases that run side by side, some 10 ms: each takes a step.
const orderSteps = 100_000

// A role is what a property means to one case of an object.
type role struct {
	key    int    // the declared key that demands are about, by its number among those; -1 for none
	once   bool   // every demand requires it
	bit    int    // by which it is remembered that it came; -1 if it is not
	always bool   // it is remembered to the end, not until there are enough properties
	early  bool   // it may come only while there are not enough properties
	late   bool   // it may come only when there are
	meets  uint32 // exists literals that it satisfies
}

// plain is the role of a property that leaves no trace but a count.
var plain = role{key: -1, bit: -1}

// A casting is a role in a case, by the number of the case.
type casting struct {
	in   int
	role role
}

// A memberClass is properties with the same roles.
type memberClass struct {
	roles   []casting
	members []classMember
}

type classMember struct {
	key   grammar.Symbol
	value grammar.Nonterminal
}

// A caseState is a state of one case. A list of them, sorted, is a state of the object.
type caseState struct {
	in int
	st objectState
}

// A keyOrder is the automaton of the objects of some cases: what it reads are classes of members.
type keyOrder struct {
	cases   []*objectEmitter
	classes []memberClass
	states  [][]caseState
	index   map[string]int
	edges   [][]orderEdge
	cells   int
	steps   int
}

type orderEdge struct{ class, to int }

// writeAnyOrder adds the rules for objects whose keys come in any order, as far as possible. It is false if the keys
// must keep the order of the schema, which is noted.
func (c *compiler) writeAnyOrder(nt grammar.Nonterminal, cases []*objectEmitter) bool {
	q := &keyOrder{cases: cases}
	if !q.fit(c.thrifty(anyOrderCells) - c.orderCells) {
		for _, e := range cases {
			c.noteOrder(e, "keys must come in the order of the schema: the grammar would be too large with any order")
		}
		return false
	}
	for _, e := range cases {
		switch n := len(e.sequence); {
		case e.inOrder() || n > 1 && e.disorder == 0:
			c.noteOrder(e, "the keys that are required must come in the order of the schema: the grammar would be too large with any order")
		case e.disorder < n/2:
			c.noteOrder(e, fmt.Sprintf("of %d keys that are required, at most %d at a time may be out of the order of the schema", n, e.disorder))
		}
	}
	c.reordered = c.reordered || len(q.states) > 1
	c.orderCells += q.cells
	q.write(c, nt)
	return true
}

// fit makes an automaton of as many orders as the limit allows; false if it allows none but the schema's. Cases that
// run side by side may take more cells than each of them alone, and fewer orders of each are tried then.
func (q *keyOrder) fit(limit int) bool {
	if !q.cast() {
		return false
	}
	tried := -1 // required keys that could be out of order
	for share := limit; share > limit/20; share /= 4 {
		disorder, ok := q.chooseOrders(share)
		if !ok {
			return false
		}
		if disorder != tried && q.build(min(limit, allOrdersCells)) {
			return true
		}
		tried = disorder
	}
	return false
}

// noteOrder notes that not all orders of the keys are accepted although that was asked for.
func (c *compiler) noteOrder(e *objectEmitter, reason string) {
	for _, l := range e.x {
		if l.op == opProps && len(l.props.keys) > 0 && !forbids(l) || l.op == opRequired {
			c.narrow(l, reason)
		}
	}
}

// cast finds the properties of all cases and their roles. It is false if more must be remembered than there are bits.
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
	index := map[string]int{}
	for _, m := range order {
		key := fmt.Sprint(roles[m])
		i, ok := index[key]
		if !ok {
			i = len(q.classes)
			index[key] = i
			q.classes = append(q.classes, memberClass{roles: roles[m]})
		}
		q.classes[i].members = append(q.classes[i].members, m)
	}
	return true
}

// cast calls add for every property of a case, with its role.
func (e *objectEmitter) cast(add func(key grammar.Symbol, values []ref, r role)) bool {
	used := len(e.few) // bits
	roles, never := e.demandRoles()
	for i, symbol := range e.keys {
		if never[i] {
			continue
		}
		r := roles[i]
		counts := e.s.countsOf(i)
		r.always = slices.Contains(counts, true)
		if !r.once && (r.always || e.s.n > 1) {
			r.bit = used
			if r.always {
				e.always |= 1 << used
			}
			used++
		}
		for _, x := range e.choices(e.s.values[i], counts, 0) {
			r.meets = x.meets
			add(symbol, x.values, r)
		}
	}
	for i, k := range e.s.extras {
		r := plain
		r.late = k.few
		e.castExtra(e.members[i], k, r, add)
	}
	for i, f := range e.s.few {
		r := plain
		r.bit, r.early = i, true
		e.castExtra(e.few[i], e.s.extras[f.class], r, add)
	}
	return used <= 64
}

func (e *objectEmitter) castExtra(symbol grammar.Symbol, k extraKeys, r role, add func(key grammar.Symbol, values []ref, r role)) {
	for _, x := range e.choices(k.values, k.counts, 0) {
		r.meets = x.meets
		add(symbol, x.values, r)
	}
}

// demandRoles are the roles of declared keys by what is demanded of them, and the keys that no demand lets come.
func (e *objectEmitter) demandRoles() (roles []role, never []bool) {
	all := e.open.lists[e.start]
	roles, never = slices.Repeat([]role{plain}, len(e.keys)), make([]bool, len(e.keys))
	required, forbidden := make([]int, len(e.keys)), make([]int, len(e.keys))
	for _, d := range all {
		for _, i := range d.required {
			required[i]++
			roles[i].key = i
		}
		for _, i := range d.forbidden {
			forbidden[i]++
			roles[i].key = i
		}
	}
	for i := range e.keys {
		roles[i].once, never[i] = required[i] == len(all), forbidden[i] == len(all)
	}
	if len(all) == 1 && len(all[0].required) <= 64 {
		e.sequence = all[0].required
	}
	for n, i := range e.sequence {
		roles[i].key = n
	}
	return roles, never
}

// step is the state of a case behind a property with this role; false if it may not come.
func (e *objectEmitter) step(st objectState, r role) (objectState, bool) {
	enough := st.count >= e.s.n
	if r.early && enough || r.late && !enough || st.met&r.meets != 0 {
		return st, false
	}
	next := st
	if r.key >= 0 && !e.demand(&next, r) {
		return st, false
	}
	next.met |= r.meets
	if r.bit >= 0 && (r.always || !enough) {
		if st.used&(1<<r.bit) != 0 {
			return st, false
		}
		next.used |= 1 << r.bit
	}
	return e.counted(st, next)
}

// demand changes what is still asked for in a state; it is false if the key may not come.
func (e *objectEmitter) demand(st *objectState, r role) bool {
	if len(e.sequence) > 0 {
		came := st.came | 1<<r.key
		ok := came != st.came && e.ordered(came)
		st.came = came
		return ok
	}
	before := st.open
	if left := e.open.lists[before][0].required; e.inOrder() && (len(left) == 0 || left[0] != r.key) {
		return false
	}
	st.open = e.open.came(before, r.key)
	return st.open >= 0 && !(r.once && st.open == before)
}

// build makes the automaton. It is false if that takes more cells than the limit.
func (q *keyOrder) build(limit int) bool {
	q.states, q.edges, q.index, q.cells, q.steps = nil, nil, map[string]int{}, 0, 0
	var start []caseState
	for i, e := range q.cases {
		start = append(start, caseState{i, objectState{open: e.start}})
	}
	q.intern(start)
	for s := 0; s < len(q.states); s++ {
		q.edges = append(q.edges, nil)
		for i, class := range q.classes {
			if to := q.behind(q.states[s], class.roles); len(to) > 0 {
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

// behind is the state behind a class of members.
func (q *keyOrder) behind(state []caseState, roles []casting) []caseState {
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
	slices.SortFunc(state, func(a, b caseState) int {
		return cmp.Or(a.in-b.in, a.st.count-b.st.count, cmp.Compare(a.st.met, b.st.met), a.st.open-b.st.open, cmp.Compare(a.st.used, b.st.used), cmp.Compare(a.st.came, b.st.came))
	})
	var key []byte
	for _, p := range state {
		for _, x := range []uint64{uint64(p.in), uint64(p.st.count), uint64(p.st.met), uint64(p.st.open), p.st.used, p.st.came} {
			key = binary.AppendUvarint(key, x)
		}
	}
	s, ok := q.index[string(key)]
	if !ok {
		s = len(q.states)
		q.index[string(key)] = s
		q.states = append(q.states, state)
	}
	return s
}

// ends tells whether the object may end in a state.
func (q *keyOrder) ends(s int) bool {
	return slices.ContainsFunc(q.states[s], func(p caseState) bool { return q.cases[p.in].endsAnyOrder(p.st) })
}

// write adds the rules.
func (q *keyOrder) write(c *compiler, nt grammar.Nonterminal) {
	open, closing := c.literalTerminal("{"), c.literalTerminal("}")
	lists := make([]grammar.Nonterminal, len(q.states)) // 0 is that of the schema, and so none of these
	list := func(s int) grammar.Symbol {
		if lists[s] == 0 {
			lists[s] = c.nonterminal(fmt.Sprintf("list%d", len(c.g.Nonterminals)))
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
func (c *compiler) memberOf(class memberClass) grammar.Symbol {
	nt := c.nonterminal(fmt.Sprintf("member%d", len(c.g.Nonterminals)))
	for _, m := range class.members {
		c.rule(nt, m.key, c.literalColon(), grammar.N(m.value))
	}
	return grammar.N(nt)
}

// inOrder tells whether there are so many required keys that they keep the order of the schema.
func (e *objectEmitter) inOrder() bool {
	all := e.open.lists[e.start]
	return len(all) == 1 && len(all[0].required) > 64
}

// endsAnyOrder tells whether no key is missing in a state.
func (e *objectEmitter) endsAnyOrder(st objectState) bool {
	if n := len(e.sequence); n > 0 {
		return st.came == 1<<n-1 && e.enough(st)
	}
	return e.open.met(st.open) && e.enough(st)
}

// chooseOrders says for each case how many required keys may be out of order at a time, so that its states alone take
// no more cells than the limit, and returns the sum. It is false if there is a case for which even the order of the
// schema takes more.
func (q *keyOrder) chooseOrders(limit int) (disorder int, ok bool) {
	for _, e := range q.cases {
		required := len(e.sequence)
		others := len(e.keys) - required + len(e.s.extras) + len(e.s.few)
		for d := required / 2; d >= 0; d-- { // first all orders
			most := min(limit, someOrdersCells)
			if d == required/2 {
				most = min(limit, allOrdersCells)
			}
			e.disorder = d
			if orderSets(required, d)*float64(others+1+min(required/2, 2*d)) <= float64(most) {
				break
			}
			if d == 0 {
				return 0, false
			}
		}
		disorder += e.disorder
	}
	return disorder, true
}

// orderSets is how many sets of n keys differ in up to d keys from the first ones, as many as it may be. A set of k keys is
// a walk of n steps from k to n-k, down for a key that is in it and up for another: behind i steps it is at the
// difference from the first i keys. Those that come down to d are counted by reflection.
func orderSets(n, d int) float64 {
	sets, choose := 0.0, 1.0 // choose is n over k
	within := 1.0            // n over d
	for k := range n + 1 {
		if k == d {
			within = choose
		}
		if min(k, n-k) <= d {
			sets += choose
		}
		choose = choose * float64(n-k) / float64(k+1)
	}
	return sets + float64(max(0, n-2*d-1))*within
}

// ordered tells whether few of the required keys are out of order: the set of those that came differs in few
// from the first keys of the order.
func (e *objectEmitter) ordered(came uint64) bool {
	n := len(e.sequence)
	differ := bits.OnesCount64(came) // from no keys at all
	least := differ
	for i := range n {
		if came&(1<<i) != 0 {
			differ--
		} else {
			differ++
		}
		least = min(least, differ)
	}
	return least <= e.disorder
}
