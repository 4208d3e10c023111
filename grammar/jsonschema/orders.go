package jsonschema

import "math/bits"

// Which orders are accepted. For all orders of r required keys there are 2^r sets. Where that is
// too many, only those sets are kept that differ in up to d keys from the first keys of the schema,
// some r^(d+1)/d! of them: up to d keys at a time may come too early or too late. With d = 0
// required keys come in the order of the schema, and all others anywhere between them.

// allOrdersCells bounds the automaton of one object with all orders: 12 required keys, 10 and 20
// others, or 8 and 100.
const allOrdersCells = 33_000

// someOrdersCells bounds the automaton of one object with some orders: of 14 required keys 2 at a
// time may be out of order, of 50 one.
const someOrdersCells = 12_000

// chooseOrders says for each case how many required keys may be out of order at a time, so that
// its states alone take no more cells than the limit. It returns the sum, and false if there is
// a case for which even the order of the schema takes more.
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

// orderSets is how many sets of n keys differ in up to d keys from the first keys, for the best
// number of these. A set of k keys is a walk of n steps from k to n-k, down for a key that is in
// the set and up for any other: after i steps it is at the difference from the first i keys. The
// walks that come down to d are counted by reflection.
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

// ordered tells whether few of the required keys are out of order: the set of those that came
// differs in few keys from the first ones.
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

// inOrder tells whether there are so many required keys that they keep the order of the schema,
// since a set of them does not fit into a word.
func (e *objectEmitter) inOrder() bool {
	all := e.open.lists[e.start]
	return len(all) == 1 && len(all[0].required) > 64
}
