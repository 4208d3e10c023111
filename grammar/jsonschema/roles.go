package jsonschema

import (
	"slices"

	"gcdbench/grammar"
)

// The state of an object whose keys come in any order remembers a property by its role.
//
//   - A key that a case requires or forbids: the state has the demands that are left
//     (demands.go). A key that every demand requires comes once.
//   - A key that counts: towards minProperties until there are enough properties, and towards a
//     literal that asks for some property. It comes once, too.
//   - Any other key leaves no trace, and may come again. Each of its values is checked against
//     the same schema, so that the text is valid whichever of them a reader keeps.

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

// demandRoles are the roles of declared keys by the demands on them, and the keys that no demand
// lets come.
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

// step is the state of a case after a property with this role; false if it may not come.
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

// demand removes a key from the demands that are left in a state; it is false if the key may not
// come.
func (e *objectEmitter) demand(st *objectState, r role) bool {
	if len(e.sequence) > 0 {
		came := st.came | 1<<r.key
		ok := came != st.came
		st.came = came
		return ok
	}
	before := st.open
	st.open = e.open.came(before, r.key)
	return st.open >= 0 && !(r.once && st.open == before)
}

// endsAnyOrder tells whether no key is missing in a state.
func (e *objectEmitter) endsAnyOrder(st objectState) bool {
	if n := len(e.sequence); n > 0 {
		return st.came == 1<<n-1 && e.enough(st)
	}
	return e.open.met(st.open) && e.enough(st)
}
