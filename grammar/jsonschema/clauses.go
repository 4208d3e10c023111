package jsonschema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Normal forms. For one kind of value a schema is a list of clauses: an instance satisfies one of them. Literals
// are interned, so that a clause is a short list of pointers, equal ones are found by their numbers, and what
// was computed for one is found again. A schema's list is computed once for each kind (and for what is known of
// the value, given.go) and shared by all that refer to it.
//
// Whatever is left out of a list on the way (too many combinations, negations that cannot be expressed) only makes
// the language narrower, since lists are never complemented: negation is applied to formulas. But a list
// from which something was left out proves nothing; truncations counts those, and memo remembers it.

// A clause is a conjunction of literals, in the order in which the schema has them.
type clause []*literal

// maxClauses bounds the cases of a schema for one kind of value. Disjunctive normal form is
// exponential in the worst case, and each case of an object has rules for all of its keys.
const maxClauses = 1000

type refKind struct {
	r     ref
	k     jsonKind
	given string // what it takes for granted (given.go)
}

// A caseList is the normal form of a schema for one kind; done is false while it is computed.
type caseList struct {
	clauses   []clause
	done      bool
	truncated bool // fewest left some out
}

// simple is the reference to a schema, with the trivial ones recognised.
func (c *compiler) simple(n *node) ref {
	switch {
	case n.v.kind == kindBool && n.v.truth || n.v.kind == kindObject && len(n.v.keys) == 0:
		return trueRef
	case n.v.kind == kindBool:
		return falseRef
	}
	return c.representative(n).ref()
}

// maxAlike bounds the size, in values, of schemas that are compared with others.
const maxAlike = 40

// representative is the first schema that says the same as n, if n is small; else n. That equal
// schemas are one matters to oneOf: a value that satisfies one and not the other is then seen to be
// impossible.
func (c *compiler) representative(n *node) *node {
	if first := c.alike[n]; first != nil {
		return first
	}
	first := n
	if n.v.size(maxAlike) < maxAlike && n.get("$id") == nil && n.get("id") == nil && n.ptr != syntheticPointer {
		key := n.base.String() + " " + strconv.Itoa(int(n.draft)) + " " + n.v.key()
		if old := c.byText[key]; old != nil {
			first = old
		} else {
			c.byText[key] = n
		}
	}
	c.alike[n] = first
	return first
}

// syntheticPointer is the place of schemas that are in no document.
const syntheticPointer = "(value)"

// constant is a schema that an array or object is the only instance of.
func (c *compiler) constant(v *value, from *node, keyword string) ref {
	if r, ok := c.constants[v]; ok {
		return r
	}
	str := func(s string) *value { return &value{kind: kindString, text: s} }
	s := &value{kind: kindObject}
	s.set("type", str(v.kind.String()))
	list := &value{kind: kindArray}
	if v.kind == kindArray {
		for _, x := range v.items {
			one := &value{kind: kindObject}
			one.set("const", x)
			list.items = append(list.items, one)
		}
		s.set("prefixItems", list)
		s.set("items", &value{kind: kindBool})
		s.set("minItems", &value{kind: kindNumber, text: strconv.Itoa(len(v.items))})
	} else {
		props := &value{kind: kindObject}
		for i, key := range v.keys {
			one := &value{kind: kindObject}
			one.set("const", v.items[i])
			props.set(key, one)
			list.items = append(list.items, str(key))
		}
		s.set("properties", props)
		s.set("required", list)
		s.set("additionalProperties", &value{kind: kindBool})
	}
	first := len(c.doc.nodes)
	r := c.synthetic(s)
	for _, n := range c.doc.nodes[first:] {
		n.origin, n.keyword = from, keyword
	}
	c.constants[v] = r
	return r
}

// synthetic registers a schema that is in no document, and has nothing that walk can refuse.
func (c *compiler) synthetic(s *value) ref {
	first := len(c.doc.nodes)
	_ = c.doc.walk(s, syntheticPointer, c.doc.nodes[0].base, draft2020)
	for _, n := range c.doc.nodes[first:] {
		n.ptr = syntheticPointer
	}
	return c.doc.nodes[first].ref()
}

// cases is the normal form of r for values of kind k.
func (c *compiler) cases(r ref, k jsonKind) ([]clause, error) {
	switch r {
	case trueRef:
		return []clause{nil}, nil
	case falseRef:
		return nil, nil
	}
	n := c.doc.nodes[r>>1]
	key := refKind{r, k, c.givenTo(n)}
	if list := c.memo[key]; list != nil {
		if !list.done {
			return nil, &SchemaError{n.ptr, "the schema refers to itself without reading anything of the instance, so it has no meaning"}
		}
		if list.truncated {
			c.truncations++
		}
		return list.clauses, nil
	}
	list := &caseList{}
	c.memo[key] = list
	before := c.truncations
	clauses, err := c.computeCases(n, r, k)
	if err != nil {
		delete(c.memo, key) // who asked only whether two schemas overlap goes on
		return nil, err
	}
	list.clauses, list.done, list.truncated = clauses, true, c.truncations != before
	return clauses, nil
}

func (c *compiler) computeCases(n *node, r ref, k jsonKind) ([]clause, error) {
	key := refKind{n.ref(), k, c.givenTo(n)}
	f := c.formulas[key]
	if f == nil {
		var err error
		if f, err = c.formulaOf(n, k); err != nil {
			return nil, err
		}
		c.formulas[key] = f
	}
	return c.normal(f, r&1 == 1, k, n)
}

// normal is the normal form of f, or of its negation. n is whose formula it is, for messages.
func (c *compiler) normal(f *formula, neg bool, k jsonKind, n *node) ([]clause, error) {
	switch f.shape {
	case isLiteral:
		if !neg {
			return []clause{{c.intern(f.lit)}}, nil
		}
		opposite, exact := f.lit.negated()
		if !exact {
			c.narrow(f.lit, "its negation is taken to have no instance")
			c.dropped = true
			c.truncations++
		}
		return c.normal(opposite, false, k, n)
	case isRef:
		r := f.ref
		if neg {
			r = r.not()
		}
		return c.cases(r, k)
	}
	if f.opposite != nil && neg {
		return c.normal(f.opposite, true, k, n)
	}
	if f.spare != nil && !neg {
		return c.spared(f, k, n)
	}
	if (f.shape == isAnd) != neg {
		all := []clause{nil}
		for i := 0; i < len(f.subs); i++ {
			var list []clause
			var err error
			if run := literals(f.subs[i:]); !neg && len(run) > 1 {
				list = c.conjunction(run, k)
				i += len(run) - 1
			} else if list, err = c.amid(all, f.subs[i], neg, k, n); err != nil {
				return nil, err
			}
			if all, err = c.product(all, list, k, n); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	var lists [][]clause
	total := 0
	for _, sub := range f.subs {
		list, err := c.normal(sub, neg, k, n)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
		total += len(list)
	}
	if merged := mergeFinite(slices.Concat(lists...), k); len(merged) < total {
		lists, total = [][]clause{merged}, len(merged)
		for i, l := range merged[0] {
			merged[0][i] = c.intern(l)
		}
	}
	if k == kindObject && total > 1 && total <= manyClauses {
		joined := joinPresence(slices.Concat(lists...))
		if len(joined) < total {
			lists, total = [][]clause{joined}, len(joined)
		}
	}
	if total > c.opt.maxClauses && len(lists) <= c.opt.keptClauses {
		for i := range lists { // a share for each alternative
			lists[i] = c.fewest(lists[i], max(1, c.opt.keptClauses/len(lists)), n)
		}
	}
	return c.checked(distinct(slices.Concat(lists...)), n)
}

// spared is the normal form of a formula that may be left out.
func (c *compiler) spared(f *formula, k jsonKind, n *node) ([]clause, error) {
	old, before := c.mostPairs, c.pairs
	c.mostPairs = min(old, c.pairs+f.spare.pairs)
	list, err := c.normal(and(f.subs...), false, k, n)
	c.mostPairs = old
	f.spare.pairs = max(0, f.spare.pairs-(c.pairs-before))
	if err != errTooLong || c.pairs > old {
		return list, err
	}
	c.leftOut(f.spare.node, f.spare.keyword, f.spare.reason)
	return nil, nil
}

// errTooLong ends the normal form of a formula that may be left out.
var errTooLong = errors.New("joining clauses takes more steps than it is worth")

// amid is the normal form of a formula in a conjunction with others.
func (c *compiler) amid(others []clause, f *formula, neg bool, k jsonKind, n *node) ([]clause, error) {
	defer c.meanwhile(others, k)()
	return c.normal(f, neg, k, n)
}

// literals are the first of subs that are literals.
func literals(subs []*formula) []*formula {
	for i, sub := range subs {
		if sub.shape != isLiteral {
			return subs[:i]
		}
	}
	return subs
}

// conjunction is the normal form of many literals: one clause, or none. Such as the keys of required are
// joined at once, not one by one.
func (c *compiler) conjunction(subs []*formula, k jsonKind) []clause {
	var x clause
	seen := map[*literal]bool{}
	for _, sub := range subs {
		if l := c.intern(sub.lit); !seen[l] {
			seen[l] = true
			x = append(x, l)
		}
	}
	if !possible(x, k) {
		return nil
	}
	return []clause{x}
}

func (c *compiler) checked(list []clause, n *node) ([]clause, error) {
	if len(list) <= c.opt.maxClauses {
		return list, nil
	}
	return nil, refusal("too many alternatives", "there are more than %d alternatives", c.opt.maxClauses).at(n, applying(n))
}

// key identifies a clause as a set.
func (x clause) key() string {
	ids := make([]int, len(x))
	for i, l := range x {
		ids[i] = l.id
	}
	slices.Sort(ids)
	var b []byte
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return string(b)
}

// intern gives equal literals one identity.
func (c *compiler) intern(l *literal) *literal {
	if l.id > 0 {
		return l
	}
	key := l.describe()
	if old := c.literals[key]; old != nil {
		c.alsoFrom(old, origin{l.node, l.keyword})
		return old
	}
	if l.lang != nil {
		c.adopt(l.lang)
	}
	if l.props != nil {
		for _, lang := range l.props.langs {
			c.adopt(lang)
		}
	}
	if l.places == nil {
		l.places = map[origin]bool{}
	}
	l.places[origin{l.node, l.keyword}] = true
	l.id = len(c.literals) + 1
	c.literals[key] = l
	return l
}

// alsoFrom notes that a keyword of another schema says the same, and what was noted of that.
func (c *compiler) alsoFrom(l *literal, o origin) {
	if o.node == nil || l.places[o] {
		return
	}
	l.places[o] = true
	for _, reason := range l.notes {
		c.cover(o.node, o.keyword, Narrower, reason)
	}
}

// describe is the key of a literal.
func (l *literal) describe() string {
	var b strings.Builder
	fmt.Fprint(&b, l.op, l.not, l.rel, l.n, " ", l.m, " ", l.at, " ", l.rest, " ", l.goal, l.prefix)
	if l.op == opCompare || l.op == opMultiple {
		b.WriteString(l.num.String())
	}
	for _, x := range l.nums {
		b.WriteString(x.String() + ",")
	}
	for _, s := range l.strs {
		b.WriteString(strconv.Quote(s))
	}
	if l.lang != nil {
		b.WriteString(l.lang.key())
	}
	if p := l.props; p != nil {
		if len(p.keys)+len(p.langs) > 2 {
			fmt.Fprintf(&b, "%p", p)
		} else {
			fmt.Fprintf(&b, "%q %v %v %v", p.keys, p.goals, p.under, p.extra)
			for _, lang := range p.langs {
				b.WriteString(lang.key())
			}
		}
	}
	return b.String()
}

// possible is false for clauses that are seen at once to have no instance.
func possible(x clause, k jsonKind) bool {
	switch k {
	case kindBool:
		for _, l := range x {
			if l.n != x[0].n {
				return false
			}
		}
	case kindNumber:
		list, finite := finiteNumbers(x)
		return !finite || len(list) > 0
	case kindString:
		list, finite := finiteStrings(x)
		if finite {
			return len(list) > 0
		}
	case kindObject:
		if !possibleObject(x) {
			return false
		}
	}
	n, m := limits(x)
	return m < 0 || n <= m
}

// limits is the conjunction of the length literals; m < 0 for none.
func limits(x clause) (n, m int) {
	m = -1
	for _, l := range x {
		if l.op == opLength {
			n = max(n, l.n)
			if l.m >= 0 && (m < 0 || l.m < m) {
				m = l.m
			}
		}
	}
	return n, m
}

// possibleObject looks for a key that is required and yet can have no value.
func possibleObject(x clause) bool {
	var values []ref
	tables := tablesOf(x)
	for _, l := range x {
		if l.op != opRequired || len(tables) == 0 {
			continue
		}
		values = values[:0]
		for _, o := range tables {
			if i, ok := o.props.index[l.strs[0]]; ok {
				values = append(values, o.props.goals[i])
			} else if len(o.props.langs) == 0 {
				values = append(values, o.props.extra)
			}
		}
		if contradictory(values) {
			return false
		}
	}
	return true
}

// tablesOf are the literals of a clause that say what the values of keys must be: few among many.
func tablesOf(x clause) []*literal {
	var list []*literal
	for _, l := range x {
		if l.op == opProps {
			list = append(list, l)
		}
	}
	return list
}

// contradictory tells whether a conjunction holds false, or a schema and its negation.
func contradictory(refs []ref) bool {
	const few = 16 // comparing all pairs is cheaper up to here
	if len(refs) > few {
		seen := make(map[ref]bool, len(refs))
		for _, r := range refs {
			if r == falseRef || seen[r.not()] {
				return true
			}
			seen[r] = true
		}
		return false
	}
	for i, r := range refs {
		if r == falseRef || slices.Contains(refs[i+1:], r.not()) {
			return true
		}
	}
	return false
}
