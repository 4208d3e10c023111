package jsonschema

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
)

// maxCounted bounds the items, and the properties, that are counted: each takes a rule and a few LR
// states.
const maxCounted = 10_000

// maxUnique bounds the values of which subsets are tracked: 2^8 states.
const maxUnique = 8

// An arrayState is a place inside an array.
type arrayState struct {
	at   int      // items so far, as far as they matter
	seen [4]int16 // contains literals: items that satisfied each, as far as they matter
	used uint32   // unique items: the values that occurred, or one more than the last
}

// An arrayEmitter writes the rules of one clause.
type arrayEmitter struct {
	c        *compiler
	items    []*literal
	contains []*literal
	unique   []ref // the values, if items must be unique
	ordered  bool  // values in their order, each at most once
	n, m     int
	top      int // positions from here on are alike
}

func (c *compiler) emitArray(nt grammar.Nonterminal, x clause) error {
	e := &arrayEmitter{c: c}
	e.n, e.m = limits(x)
	var unique *literal
	for _, l := range x {
		switch l.op {
		case opItems:
			e.items = append(e.items, l)
			e.top = max(e.top, len(l.prefix))
		case opContains:
			e.contains = append(e.contains, l)
			e.top = max(e.top, l.at)
		case opUnique:
			unique = l
		}
	}
	if err := e.limit(x); err != nil {
		return err
	}
	if unique != nil {
		if err := e.makeUnique(unique); err != nil {
			return err
		}
	}
	e.top = max(e.top, e.n, e.m+1)
	q := &sequence[arrayState]{c: c, open: "[", close: "]", ends: e.ends, members: e.item, skip: e.skip}
	if err := q.write(nt, arrayState{}); err != nil {
		return c.locate(x, err)
	}
	return nil
}

// limit checks what is counted against the limits.
func (e *arrayEmitter) limit(x clause) error {
	if len(e.contains) > 4 {
		return e.c.locate(x, refusal("too many constraints count items", "at most 4 do"))
	}
	for _, l := range x {
		switch {
		case l.op == opLength && l.n > maxCounted, l.op == opContains && max(l.n, l.m) > maxCounted:
			return refusal("a minimum this large is not counted", "at most %d items are", maxCounted).at(l.node, l.keyword)
		case l.op == opLength && l.m > maxCounted:
			e.c.narrow(l, fmt.Sprintf("no more than %d items are counted", maxCounted))
		}
	}
	if e.m > maxCounted {
		e.m = maxCounted
	}
	return nil
}

// makeUnique prepares for items that must differ, if their values are few and known.
func (e *arrayEmitter) makeUnique(l *literal) error {
	if e.m >= 0 && e.m <= 1 {
		return nil
	}
	if len(e.items) > 0 && e.m >= 0 { // all items forbidden but one?
		forbidden := 0
		for i := range e.top + 1 {
			if _, ok := e.c.plainGoal(e.values(i)); !ok {
				break
			}
			forbidden++
		}
		if forbidden <= 1 && forbidden <= e.top {
			return nil
		}
	}
	list, finite, err := e.c.finiteValues(e.values(e.top))
	if err != nil {
		return err
	}
	if !finite || e.top > 0 {
		return e.c.unsupported(l.node, l.keyword, refusal("items are unbounded", "a grammar cannot tell apart items that have any of unboundedly many values; give them an enum"))
	}
	e.unique = list
	if len(list) > maxUnique {
		e.ordered = true
		e.c.narrow(l, fmt.Sprintf("items must come in the order of the enum, since it has more than %d values", maxUnique))
	}
	if e.m >= len(list) {
		e.m = -1 // there are no more values than that
	}
	return nil
}

// values is what item i must satisfy.
func (e *arrayEmitter) values(i int) []ref {
	var list []ref
	for _, l := range e.items {
		if i < len(l.prefix) {
			list = append(list, l.prefix[i])
		} else {
			list = append(list, l.rest)
		}
	}
	return list
}

// ends tells whether no item is missing in a state.
func (e *arrayEmitter) ends(st arrayState) bool {
	for i, l := range e.contains {
		if int(st.seen[i]) < l.n {
			return false
		}
	}
	return st.at >= e.n
}

// skip leaves out the next value of an ordered set.
func (e *arrayEmitter) skip(st arrayState) (arrayState, bool) {
	ok := e.ordered && int(st.used) < len(e.unique)
	st.used++
	return st, ok
}

// item calls add for the ways in which an item can come next.
func (e *arrayEmitter) item(st arrayState, add func(arrayState, []grammar.Symbol)) {
	if e.m >= 0 && st.at >= e.m {
		return
	}
	next := st
	next.at = min(st.at+1, e.top)
	values := e.values(st.at)
	if e.unique == nil {
		e.choose(st, next, values, 0, add)
		return
	}
	if e.ordered {
		e.nextValue(st, next, values, add)
		return
	}
	for i, r := range e.unique {
		if st.used&(1<<i) == 0 {
			next.used = st.used | 1<<i
			e.choose(st, next, append(slices.Clone(values), r), 0, add)
		}
	}
}

// nextValue takes the next value of an ordered set.
func (e *arrayEmitter) nextValue(st, next arrayState, values []ref, add func(arrayState, []grammar.Symbol)) {
	if int(st.used) == len(e.unique) {
		return
	}
	next.used = st.used + 1
	e.choose(st, next, append(slices.Clone(values), e.unique[st.used]), 0, add)
}

// choose decides for each contains literal from i on whether the item satisfies it.
func (e *arrayEmitter) choose(st, next arrayState, values []ref, i int, add func(arrayState, []grammar.Symbol)) {
	if i == len(e.contains) {
		g, ok := e.c.goalOf(values)
		if !ok {
			return
		}
		add(next, []grammar.Symbol{grammar.N(g.nt)})
		return
	}
	l := e.contains[i]
	if st.at < l.at {
		e.choose(st, next, values, i+1, add)
		return
	}
	// Counting up to the minimum only needs items that satisfy; a maximum needs the others told apart.
	other := values
	if l.m >= 0 {
		other = append(slices.Clone(values), l.goal.not())
	}
	e.choose(st, next, other, i+1, add)
	counted := next
	if l.m >= 0 && int(st.seen[i]) >= l.m || l.m < 0 && int(st.seen[i]) >= l.n {
		return
	}
	counted.seen[i]++
	e.choose(st, counted, append(slices.Clone(values), l.goal), i+1, add)
}

// plainGoal tells whether a conjunction is not plainly empty, without making a nonterminal for it.
func (c *compiler) plainGoal(refs []ref) (empty, ok bool) {
	for _, r := range refs {
		if r == falseRef {
			return true, false
		}
	}
	return false, true
}

// finiteValues lists the values that satisfy refs, each as a schema, if they are finitely many scalars.
func (c *compiler) finiteValues(refs []ref) (list []ref, finite bool, err error) {
	add := func(v *value) {
		s := &value{kind: kindObject}
		s.set("const", v)
		list = append(list, c.synthetic(s))
	}
	for k := range numKinds {
		clauses, err := c.clausesOf(refs, k)
		if err != nil {
			return nil, false, err
		}
		seen := map[string]bool{}
		once := func(v *value) {
			if !seen[v.key()] {
				seen[v.key()] = true
				add(v)
			}
		}
		for _, x := range clauses {
			switch k {
			case kindNull:
				once(&value{})
			case kindBool:
				for i := range 2 {
					if len(x) == 0 || x[0].n == i {
						once(&value{kind: kindBool, truth: i == 1})
					}
				}
			case kindNumber:
				numbers, ok := finiteNumbers(x)
				if !ok {
					return nil, false, nil
				}
				for _, d := range numbers {
					once(&value{kind: kindNumber, text: d.String()})
				}
			case kindString:
				strs, ok := finiteStrings(x)
				if !ok {
					return nil, false, nil
				}
				for _, s := range strs {
					once(&value{kind: kindString, text: s})
				}
			default:
				return nil, false, nil
			}
		}
	}
	return list, true, nil
}

// synthetic registers a schema that is in no document.
func (c *compiler) synthetic(s *value) ref {
	first := len(c.doc.nodes)
	_ = c.doc.walk(s, syntheticPointer, c.doc.nodes[0].base, draft2020) // nothing in it can be refused
	for _, n := range c.doc.nodes[first:] {
		n.ptr = syntheticPointer
	}
	return c.doc.nodes[first].ref()
}
