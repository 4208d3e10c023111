package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// Objects. The rules of an object follow the keys of the schema, each of which may be skipped if
// no demand is left without it, and then all other keys in a loop. A state is the next key and all
// that the text so far decides about the rest: the demands that are left, and counts as far as
// they matter. Cases that differ in their demands only share one set of rules (demands.go). Where
// keys may come in any order, the same cases are written by anyorder.go; only if that is too large
// are they written here.

// An objectState is a place inside an object: which key may come next, and which are still missing.
type objectState struct {
	at    int    // in the order of the schema: keys before this one are done
	count int    // properties so far, as far as they matter
	met   uint32 // exists literals that are satisfied
	open  int    // what is still asked for
	used  uint64 // keys that came, of those that are remembered by name
	came  uint64 // in any order: keys that came, of those that are required
}

// An objectEmitter writes the rules of one clause.
type objectEmitter struct {
	c       *emitter
	x       clause // for messages; of a group the common part
	s       *objectShape
	top     int              // counts of properties stop here
	keys    []grammar.Symbol // terminals of the declared keys
	members []grammar.Symbol // terminals of the classes of other keys
	few     []grammar.Symbol // terminals of the few other keys
	open    openDemands      // the keys that are still missing
	start   int              // of open, in the beginning

	// In any order:
	always   uint64 // of the keys that are remembered, the keys that are to the end
	sequence []int  // the required keys in the order of the schema, if all demands are the same and up to 64
}

// maxKeys bounds the keys of an object. Any later key may follow a key, so that the parser's states
// hold all pairs of them: at 2,000 keys that takes some ten seconds.
const maxKeys = 2000

// maxLateKeys is maxKeys where states are made on demand, of which a text meets few.
const maxLateKeys = 50_000

func (c *ledger) mostKeys() int {
	if c.late {
		return maxLateKeys
	}
	return maxKeys
}

// maxExists bounds the literals that ask for some property: every subset of them is a state.
const maxExists = 8

// emitObjects adds the rules for the objects of clauses.
func (c *emitter) emitObjects(nt grammar.Nonterminal, clauses []clause) error {
	var cases []*objectEmitter
	for _, group := range c.groupObjects(clauses) {
		e, err := c.prepareObject(group)
		if err != nil {
			return err
		}
		if e != nil {
			cases = append(cases, e)
		}
	}
	if len(cases) > 0 && c.opt.AnyOrder && !c.opt.LooseOrder {
		if done, err := c.anyOrder(nt, cases, clauses); done || err != nil {
			return err
		}
	}
	for _, e := range cases {
		if err := e.write(nt); err != nil {
			return err
		}
	}
	return nil
}

// prepareObject prepares the objects of clauses that differ in their demands; nil if they are left
// out.
func (c *emitter) prepareObject(g *objectGroup) (*objectEmitter, error) {
	x := g.common
	if err := c.countable(x, "properties"); err != nil {
		return nil, err
	}
	s, err := c.shapeOf(x)
	if err != nil {
		return nil, locate(x, err)
	}
	if len(s.exists) > maxExists {
		c.narrow(s.exists[0], fmt.Sprintf("cases in which more than %d properties are asked for without their names are left out", maxExists))
		c.dropped = true
		return nil, nil
	}
	e := &objectEmitter{c: c, x: x, s: s}
	demands := g.demandsOf(s.keys)
	e.start = e.open.intern(demands, 0)
	e.simplifyCounts(demands)
	if s.m >= 0 {
		s.m = c.mostCounted(x, s.m, max(s.n, len(s.keys)), "properties")
		e.top = s.m
	}
	for _, key := range s.keys {
		t, err := c.keyTerminal(key)
		if err != nil {
			return nil, locate(x, err)
		}
		e.keys = append(e.keys, t)
	}
	if err := e.extraMembers(); err != nil {
		return nil, locate(x, err)
	}
	return e, nil
}

// write adds the rules for the objects whose keys are in the order of the schema.
func (e *objectEmitter) write(nt grammar.Nonterminal) error {
	q := &sequence[objectState]{c: e.c, open: "{", close: "}", ends: e.ends, members: e.next, skip: e.skip}
	if err := q.write(nt, objectState{open: e.start}); err != nil {
		return locate(e.x, err)
	}
	return nil
}

// locate gives an error the place of a clause.
func locate(x clause, err error) error {
	switch e := err.(type) {
	case *SchemaError, *RefError:
		return err
	case *UnsupportedError:
		if e.Pointer != "" {
			return err
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	for _, l := range x {
		if l.node != nil {
			return refusalOf(err).at(l.node, l.keyword)
		}
	}
	return refusalOf(err).at(nil, "")
}

// simplifyCounts drops bounds on the number of properties that hold anyway.
func (e *objectEmitter) simplifyCounts(demands []demand) {
	required := len(e.s.keys)
	for _, d := range demands {
		required = min(required, len(d.required))
	}
	if required >= e.s.n || e.c.opt.LooseOrder {
		e.s.n = 0
	}
	if e.c.opt.LooseOrder {
		e.s.m = -1
	}
	if len(e.s.extras) == 0 && e.s.m >= len(e.s.keys) {
		e.s.m = -1
	}
	e.top = e.s.n
	if e.s.m >= 0 {
		e.top = e.s.m
	}
}

// extraMembers makes a nonterminal for each class of other keys.
func (e *objectEmitter) extraMembers() error {
	for _, k := range e.s.extras {
		var d *automata.DFA
		var err error
		if k.d == nil {
			d, err = e.c.kept.otherKeys(e.s.keys)
		} else {
			d = e.c.kept.encoded(k.d)
		}
		if err != nil {
			return err
		}
		e.members = append(e.members, e.c.automatonTerminal("other_key", d))
	}
	for _, f := range e.s.few {
		t, err := e.c.keyTerminal(f.key)
		if err != nil {
			return err
		}
		e.few = append(e.few, t)
	}
	return nil
}

// ends tells whether no key is missing in a state.
func (e *objectEmitter) ends(st objectState) bool {
	if !e.c.opt.LooseOrder && !e.open.met(st.open) {
		return false
	}
	return e.enough(st)
}

// enough tells whether no property is missing but those that are required.
func (e *objectEmitter) enough(st objectState) bool {
	return st.count >= e.s.n && st.met == 1<<len(e.s.exists)-1
}

// skip leaves out the next key, if it is optional.
func (e *objectEmitter) skip(st objectState) (objectState, bool) {
	if e.c.opt.LooseOrder || st.at == len(e.s.keys) {
		return st, false
	}
	st.open = e.open.skip(st.open, st.at)
	st.at++
	return st, st.open >= 0
}

// next calls add for the properties that may come next.
func (e *objectEmitter) next(st objectState, add func(objectState, []grammar.Symbol)) {
	after := st
	switch {
	case e.c.opt.LooseOrder:
		for i := range e.s.keys {
			e.key(st, i, after, add)
		}
	case st.at < len(e.s.keys):
		after.at++
		if after.open = e.open.take(st.open, st.at); after.open >= 0 {
			e.key(st, st.at, after, add)
		}
		return
	}
	for i, k := range e.s.extras {
		if !k.few || st.count >= e.s.n {
			e.member(st, st, e.members[i], k.values, k.counts, add)
		}
	}
	for i, f := range e.s.few {
		if k, next := e.s.extras[f.class], st; st.count < e.s.n && st.used&(1<<i) == 0 {
			next.used |= 1 << i
			e.member(st, next, e.few[i], k.values, k.counts, add)
		}
	}
}

// key calls add for the ways in which key i comes next.
func (e *objectEmitter) key(st objectState, i int, after objectState, add func(objectState, []grammar.Symbol)) {
	e.member(st, after, e.keys[i], e.s.values[i], e.s.countsOf(i), add)
}

// member calls add for the ways in which a property with this key can come next. The state after it
// is next, but for the counts.
func (e *objectEmitter) member(st, next objectState, key grammar.Symbol, values []ref, counts []bool, add func(objectState, []grammar.Symbol)) {
	next, ok := e.counted(st, next)
	if !ok {
		return
	}
	for _, x := range e.choices(values, counts, st.met) {
		g, ok := e.c.goalOf(x.values)
		if !ok {
			continue
		}
		after := next
		after.met |= x.meets
		add(after, []grammar.Symbol{key, e.c.colon(), grammar.N(g.nt)})
	}
}

// counted is the state next with one property more than st has; false if there may not be as many.
func (e *objectEmitter) counted(st, next objectState) (objectState, bool) {
	next.count = min(st.count+1, e.top+1)
	if e.s.m < 0 {
		next.count = min(next.count, e.top)
	} else if next.count > e.s.m {
		return next, false
	}
	if next.count >= e.s.n { // one that comes again makes no difference any more
		next.used &= e.always
	}
	return next, true
}

// choices are the ways in which a property satisfies exists literals that are not met: one
// property may be what several of them ask for, and every choice of them is an alternative.
func (e *objectEmitter) choices(values []ref, counts []bool, met uint32) []existsChoice {
	all := []existsChoice{{0, values}}
	for j, l := range e.s.exists {
		if !counts[j] || met&(1<<j) != 0 {
			continue
		}
		for _, x := range all {
			all = append(all, existsChoice{x.meets | 1<<j, append(slices.Clone(x.values), l.goal)})
		}
	}
	return all
}

// An existsChoice is a way in which a property satisfies some of the exists literals.
type existsChoice struct {
	meets  uint32
	values []ref
}
