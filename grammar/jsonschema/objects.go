package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gcdbench/automata"
	"gcdbench/grammar"
)

// An objectState is a place inside an object: which key may come next, and what is still owed.
type objectState struct {
	at    int    // keys before this one are done; with any order, a set of keys done
	count int    // properties so far, as far as they matter
	met   uint32 // exists literals that are satisfied
	open  int    // in the order of the schema: what is asked for from here on
	used  uint64 // the few keys that came, as long as there are not enough properties
}

// An objectEmitter writes the rules of one clause.
type objectEmitter struct {
	c       *compiler
	s       *objectShape
	top     int // counts stop here
	keys    []grammar.Symbol
	anyway  bool // keys in any order
	open    openDemands
	start   int // of open: what is asked for in the beginning
	needed  int // in any order: the set of keys that are required
	members []grammar.Symbol
	few     []grammar.Symbol // by few key
}

// maxAnyOrder bounds the keys that may come in any order: every subset of them is a state.
const maxAnyOrder = 12

// anyOrderRules bounds the rules of a grammar with objects whose keys come in any order: one of 12 keys and others
// takes 45,000, and there must be some left for its values. Objects beyond it keep the order of the schema, which is
// noted; so do smaller ones with more thrift.
const anyOrderRules = maxRules * 5 / 6

// maxKeys bounds the keys of an object. Any later key may follow a key, so that the parser's states
// hold all pairs of them: at 2,000 keys that takes some ten seconds.
const maxKeys = 2000

// maxExists bounds the literals that ask for some property: every subset of them is a state.
const maxExists = 6

// emitObject adds the rules for the objects of clauses that differ in their demands.
func (c *compiler) emitObject(nt grammar.Nonterminal, g *objectGroup) error {
	x := g.common
	s, err := c.shapeOf(x)
	if err != nil {
		return c.locate(x, err)
	}
	if len(s.keys) > maxKeys {
		return c.locate(x, refusal("too many keys", "an object has more than %d keys", maxKeys))
	}
	if len(s.exists) > maxExists {
		c.narrow(s.exists[0], fmt.Sprintf("cases in which more than %d properties are asked for without their names are left out", maxExists))
		c.dropped = true
		return nil
	}
	e := &objectEmitter{c: c, s: s, anyway: c.anyOrder(s)}
	if c.opt.AnyOrder && !e.anyway && len(s.keys) > 1 {
		c.noteOrder(x, len(s.keys))
	}
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
			return c.locate(x, err)
		}
		e.keys = append(e.keys, t)
	}
	if err := e.extraMembers(); err != nil {
		return c.locate(x, err)
	}
	for _, k := range s.extras {
		if k.d != nil {
			c.noteSpelling(k.d, x, opNames, opExists)
		}
	}
	q := &sequence[objectState]{c: c, open: "{", close: "}", ends: e.ends, members: e.next, skip: e.skip}
	if err := q.write(nt, objectState{open: e.start}); err != nil {
		return c.locate(x, err)
	}
	return nil
}

// anyOrder tells whether the keys of an object may come in any order. Each set of them has two rules, three more if
// other keys may come between, and one for each key that is not in it: half of them on average.
func (c *compiler) anyOrder(s *objectShape) bool {
	n := len(s.keys)
	if !c.opt.AnyOrder || n > maxAnyOrder {
		return false
	}
	twice := n + 4
	if len(s.extras) > 0 {
		twice += 6
	}
	c.reordered = c.reordered || n > 1
	return len(c.g.Rules)+twice<<n/2 <= c.thrifty(anyOrderRules)
}

// noteOrder notes that keys keep the order of the schema although any was asked for.
func (c *compiler) noteOrder(x clause, keys int) {
	reason := fmt.Sprintf("keys must come in the order of the schema: an object with more than %d declares too many for any order", maxAnyOrder)
	if keys <= maxAnyOrder {
		reason = "keys must come in the order of the schema: the grammar would be too large with any order"
	}
	for _, l := range x {
		if l.op == opProps && len(l.props.keys) > 0 && !forbids(l) || l.op == opRequired {
			c.narrow(l, reason)
		}
	}
}

// locate gives an error the place of a clause.
func (c *compiler) locate(x clause, err error) error {
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
		for _, i := range d.required {
			e.needed |= 1 << (i % maxAnyOrder)
		}
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
			d, err = e.c.kept.encoded(k.d)
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
	if e.c.opt.LooseOrder {
		return st.count >= e.s.n && st.met == 1<<len(e.s.exists)-1
	}
	if !e.anyway && !e.open.met(st.open) || e.anyway && st.at&e.needed != e.needed {
		return false
	}
	return st.count >= e.s.n && st.met == 1<<len(e.s.exists)-1
}

// skip leaves out the next key, if the order is fixed and it is optional.
func (e *objectEmitter) skip(st objectState) (objectState, bool) {
	if e.anyway || e.c.opt.LooseOrder || st.at == len(e.s.keys) {
		return st, false
	}
	st.open = e.open.skip(st.open, st.at)
	st.at++
	return st, st.open >= 0
}

// next calls add for the properties that may come next.
func (e *objectEmitter) next(st objectState, add func(objectState, []grammar.Symbol)) {
	behind := st
	switch {
	case e.c.opt.LooseOrder:
		for i := range e.s.keys {
			e.key(st, i, behind, add)
		}
	case e.anyway:
		for i := range e.s.keys {
			if behind.at = st.at | 1<<i; behind.at != st.at {
				e.key(st, i, behind, add)
			}
		}
	case st.at < len(e.s.keys):
		behind.at++
		if behind.open = e.open.take(st.open, st.at); behind.open >= 0 {
			e.key(st, st.at, behind, add)
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
func (e *objectEmitter) key(st objectState, i int, behind objectState, add func(objectState, []grammar.Symbol)) {
	counts := make([]bool, len(e.s.exists))
	for j := range counts {
		counts[j] = e.s.accepts[j][i]
	}
	e.member(st, behind, e.keys[i], e.s.values[i], counts, add)
}

// member calls add for the ways in which a property with this key can come next; behind it the state is next,
// but for the counts.
func (e *objectEmitter) member(st, next objectState, key grammar.Symbol, values []ref, counts []bool, add func(objectState, []grammar.Symbol)) {
	next.count = min(st.count+1, e.top+1)
	if e.s.m < 0 {
		next.count = min(next.count, e.top)
	} else if next.count > e.s.m {
		return
	}
	if next.count >= e.s.n { // one that comes again makes no difference any more
		next.used = 0
	}
	write := func(next objectState, values []ref) {
		g, ok := e.c.goalOf(values)
		if !ok {
			return
		}
		add(next, []grammar.Symbol{key, e.c.literalColon(), grammar.N(g.nt)})
	}
	// One property may be what several literals ask for: every choice of them is an alternative.
	choices := []existsChoice{{next, values}}
	for j, l := range e.s.exists {
		if !counts[j] || st.met&(1<<j) != 0 {
			continue
		}
		for _, x := range choices {
			x.next.met |= 1 << j
			choices = append(choices, existsChoice{x.next, append(slices.Clone(x.values), l.goal)})
		}
	}
	for _, x := range choices {
		write(x.next, x.values)
	}
}

// An existsChoice is a way in which a property satisfies some of the exists literals.
type existsChoice struct {
	next   objectState
	values []ref
}
