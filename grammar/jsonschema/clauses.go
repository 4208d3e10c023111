package jsonschema

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"gcdbench/internal/jsontext"
)

// Normal forms. For one kind of value a schema is a list of clauses: an instance satisfies one of
// them. Literals are interned, so that a clause is a short list of pointers, equal clauses are
// found by their numbers, and what was computed for one is found again. A schema's normal form is
// computed once for each kind (and for what is assumed of the value, scope.go) and shared by all
// that refer to it.
//
// Cases may be left out of a normal form on the way: there are too many combinations, or a negation
// cannot be expressed. That makes the language narrower and never wider, since normal forms are not
// complemented: negation is applied to formulas. But a partial normal form proves nothing.

// A clause is a conjunction of literals, in the order in which the schema has them.
type clause []*literal

// A normalForm is a disjunction of clauses.
type normalForm struct {
	clauses []clause
	partial bool // cases were left out
}

// A normalizer makes normal forms of the schemas of a document.
type normalizer struct {
	*languages
	ctx      context.Context // looked at between steps of some 25 ms
	doc      *document
	shared   findings                 // for which no limit was looked at
	own      findings                 // the others, of the goal at hand
	making   map[caseKey]bool         // normal forms that are being made
	limited  int                      // how often a limit was looked at so far, or what depends on one was used
	literals map[string]*literal      // interned, by what they say
	heeding  map[*node]bool           // of heeds
	pairs    int                      // pairs of clauses joined so far, for the goal at hand
	free     int                      // pairs that what is being made may join without being counted
	runs     int                      // normal forms of schemas so far
	asked    map[[2]*literal][]string // of outside
	joining  clause                   // scratch
	values   []ref                    // scratch
}

// maxClauses bounds the cases of a schema for one kind of value. Disjunctive normal form is
// exponential in the worst case, and each case of an object has rules for all of its keys.
const maxClauses = 1000

// Findings are what was made of schemas. A limit is that of a goal. What was made while one was
// looked at belongs to the goal too: if the next one found it, its language would depend on which
// goals were asked for before. Most schemas come near no limit, and what is made of them is shared.
type findings struct {
	formulas map[caseKey]*formula // of schemas, not of their negations
	forms    map[caseKey]normalForm
	answers  map[string]bool // of inhabited
}

func newFindings() findings {
	return findings{map[caseKey]*formula{}, map[caseKey]normalForm{}, map[string]bool{}}
}

// begin begins a goal.
func (c *normalizer) begin() { c.pairs, c.own = 0, newFindings() }

// apart does what several goals may ask for: it counts for none of them.
func (c *normalizer) apart(do func()) {
	pairs, own, level := c.pairs, c.own, c.budget.level
	c.begin()
	c.budget.level = 0
	do()
	c.pairs, c.own, c.budget.level = pairs, own, level
}

// cases is the normal form of r.
func (c *normalizer) cases(r ref, s scope) (normalForm, error) {
	switch r {
	case trueRef:
		return normalForm{clauses: []clause{nil}}, nil
	case falseRef:
		return normalForm{}, nil
	}
	n, key := c.doc.nodes[r>>1], c.caseKey(r, s)
	return recall(c, c.shared.forms, c.own.forms, key, key.within(s), func() (normalForm, error) {
		if c.making[key] {
			return normalForm{}, &SchemaError{n.ptr, "the schema refers to itself without reading anything of the instance, so it has no meaning"}
		}
		c.making[key] = true
		defer delete(c.making, key) // whoever asked only whether two schemas overlap goes on after an error
		f, err := c.formula(n, s)
		if err != nil {
			return normalForm{}, err
		}
		c.runs++
		s.run = c.runs
		return c.normal(f, r&1 == 1, s, n)
	})
}

// formula is the formula of a schema.
func (c *normalizer) formula(n *node, s scope) (*formula, error) {
	key := c.caseKey(n.ref(), s)
	return recall(c, c.shared.formulas, c.own.formulas, key, key.within(s), func() (*formula, error) { return c.formulaOf(n, s) })
}

// recall finds what was made of a schema, or makes it. Within an allowance of pairs no limit is
// looked at, so that it is shared.
func recall[K comparable, V any](c *normalizer, shared, own map[K]V, key, mine K, make func() (V, error)) (V, error) {
	if v, ok := shared[key]; ok {
		return v, nil
	}
	if v, ok := own[mine]; ok {
		c.limited++
		return v, nil
	}
	begun, free := c.limited, c.free
	c.free = freePairs
	v, err := make()
	c.free = free
	switch {
	case err != nil:
		c.limited++
	case c.limited == begun:
		shared[key] = v
	default:
		own[mine] = v
	}
	return v, err
}

// clausesOf is the normal form of a conjunction of schemas.
func (c *normalizer) clausesOf(refs []ref, s scope) (normalForm, error) {
	all := normalForm{clauses: []clause{nil}}
	for _, r := range refs {
		form, err := c.cases(r, s.beside(all.clauses))
		if err != nil {
			return form, err
		}
		if all, err = c.product(all, form, s, c.doc.nodes[r>>1]); err != nil {
			return all, err
		}
	}
	return all, nil
}

// normal is the normal form of f, or of its negation. For messages, n is the schema whose formula
// it is.
func (c *normalizer) normal(f *formula, neg bool, s scope, n *node) (normalForm, error) {
	switch {
	case f.shape == isLiteral && neg:
		opposite, exact := c.negated(f.lit)
		if !exact {
			c.narrow(f.lit, "its negation is taken to have no instance")
			c.dropped = true
		}
		form, err := c.normal(opposite, false, s, n)
		form.partial = form.partial || !exact
		return form, err
	case f.shape == isLiteral:
		return normalForm{clauses: []clause{{c.intern(f.lit)}}}, nil
	case f.shape == isRef && neg:
		return c.cases(f.ref.not(), s)
	case f.shape == isRef:
		return c.cases(f.ref, s)
	case f.opposite != nil && neg:
		return c.normal(f.opposite, true, s, n)
	case f.spare != nil && !neg:
		return c.spared(f, s, n)
	case (f.shape == isAnd) != neg:
		return c.conjunction(f.subs, neg, s, n)
	}
	return c.disjunction(f.subs, neg, s, n)
}

// conjunction is the normal form of formulas, or of their negations, that hold together.
func (c *normalizer) conjunction(subs []*formula, neg bool, s scope, n *node) (normalForm, error) {
	all := normalForm{clauses: []clause{nil}}
	for i := 0; i < len(subs); i++ {
		var form normalForm
		var err error
		// Literals are joined all at once. Any other formula is normalised under the assumption of
		// what was read before it, so that cases which that excludes do not arise.
		if run := literals(subs[i:]); !neg && len(run) > 1 {
			form.clauses = c.joined(run, s.kind)
			i += len(run) - 1
		} else if form, err = c.normal(subs[i], neg, s.beside(all.clauses), n); err != nil {
			return form, err
		}
		if all, err = c.product(all, form, s, n); err != nil {
			return all, err
		}
	}
	return all, nil
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

// joined is the normal form of many literals: one clause, or none. It joins the keys of required,
// say, at once and not one by one.
func (c *normalizer) joined(subs []*formula, k jsontext.Kind) []clause {
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

// disjunction is the normal form of formulas, or of their negations, of which one holds.
func (c *normalizer) disjunction(subs []*formula, neg bool, s scope, n *node) (all normalForm, err error) {
	var lists [][]clause
	total := 0
	for _, sub := range subs {
		form, err := c.normal(sub, neg, s, n)
		if err != nil {
			return form, err
		}
		all.partial = all.partial || form.partial
		lists = append(lists, form.clauses)
		total += len(form.clauses)
	}
	// What can be one clause becomes one before alternatives are counted: an enumeration that is
	// written as a thousand constants is one list.
	if merged := mergeFinite(slices.Concat(lists...), s.kind); len(merged) < total {
		lists, total = [][]clause{merged}, len(merged)
		for i, l := range merged[0] {
			merged[0][i] = c.intern(l)
		}
	}
	if s.kind == jsontext.Object && total > 1 && total <= manyClauses {
		joined := joinPresence(slices.Concat(lists...))
		if len(joined) < total {
			lists, total = [][]clause{joined}, len(joined)
		}
	}
	if total > c.opt.maxClauses && len(lists) <= c.opt.keptClauses {
		for i := range lists { // a share for each alternative
			if share := max(1, c.opt.keptClauses/len(lists)); len(lists[i]) > share {
				lists[i], all.partial = c.fewest(lists[i], share, n), true
			}
		}
	}
	if all.clauses = distinct(slices.Concat(lists...)); len(all.clauses) > c.opt.maxClauses {
		return all, refusal("too many alternatives", "there are more than %d alternatives", c.opt.maxClauses).at(n, applying(n))
	}
	return all, nil
}

// spared is the normal form of a formula that may be left out. What it may take does not depend on
// runs that came to no end.
func (c *normalizer) spared(f *formula, s scope, n *node) (normalForm, error) {
	if f.spare.run != s.run {
		f.spare.run, f.spare.pairs = s.run, sparePairs
	}
	c.limited++
	before, within := c.pairs, s
	within.pairs = min(s.pairs, c.pairs+f.spare.pairs)
	form, err := c.normal(and(f.subs...), false, within, n)
	f.spare.pairs = max(0, f.spare.pairs-(c.pairs-before))
	if err != errTooLong || c.pairs > s.pairs {
		return form, err
	}
	c.leftOut(f.spare.node, f.spare.keyword, f.spare.reason)
	return normalForm{partial: true}, nil
}

// errTooLong ends the normal form of a formula that may be left out.
var errTooLong = errors.New("joining clauses takes more steps than it is worth")

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
func (c *normalizer) intern(l *literal) *literal {
	if l.id > 0 {
		return l
	}
	key := l.describe()
	if old := c.literals[key]; old != nil {
		c.alsoFrom(old, l.origin)
		return old
	}
	if l.places == nil {
		l.places = map[origin]bool{}
	}
	l.places[l.origin] = true
	l.id = len(c.literals) + 1
	c.literals[key] = l
	return l
}

// alsoFrom notes that a keyword of another schema says the same, and what was noted of that.
func (c *normalizer) alsoFrom(l *literal, o origin) {
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
	var some [128]byte
	b := append(some[:0], byte(l.op), byte(btoi(l.not)), byte(l.rel))
	for _, n := range [...]int{l.n, l.m, l.at, int(l.rest), int(l.goal)} {
		b = binary.AppendVarint(b, int64(n))
	}
	b = appendRefs(b, l.prefix)
	if l.op == opCompare || l.op == opMultiple {
		b = appendText(b, l.num.String())
	}
	b = binary.AppendUvarint(b, uint64(len(l.nums)))
	for _, x := range l.nums {
		b = appendText(b, x.String())
	}
	b = appendTexts(b, l.strs)
	if l.lang != nil {
		b = appendText(b, l.lang.key)
	}
	if p := l.props; p != nil {
		b = p.appendKey(b)
	}
	return string(b)
}

// appendKey appends what a table says; a table of many keys is equal to no other.
func (p *propTable) appendKey(b []byte) []byte {
	if len(p.keys)+len(p.langs) > 2 {
		return fmt.Appendf(b, "%p", p)
	}
	b = appendRefs(appendRefs(appendTexts(b, p.keys), p.goals), p.under)
	b = binary.AppendVarint(b, int64(p.extra))
	for _, lang := range p.langs {
		b = appendText(b, lang.key)
	}
	return b
}

// appendTexts appends some texts to a key, with their number before them.
func appendTexts(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, text := range texts {
		b = appendText(b, text)
	}
	return b
}

// possible is false for clauses that are seen at once to have no instance.
func possible(x clause, k jsontext.Kind) bool {
	switch k {
	case jsontext.Bool:
		for _, l := range x {
			if l.n != x[0].n {
				return false
			}
		}
	case jsontext.Number:
		list, finite := finiteNumbers(x)
		return !finite || len(list) > 0
	case jsontext.String:
		list, finite := finiteStrings(x)
		if finite {
			return len(list) > 0
		}
	case jsontext.Array:
		if unique := literalsOf(x, opUnique); len(unique) > 1 && unique[0].not != unique[1].not {
			return false
		}
	case jsontext.Object:
		if !possibleObject(x) {
			return false
		}
	}
	n, m := limits(x)
	return m < 0 || n <= m
}

// limits is the conjunction of the length literals; m < 0 for none. Of two items that are equal,
// there are two.
func limits(x clause) (n, m int) {
	m = -1
	for _, l := range x {
		if l.op == opUnique && l.not {
			n = max(n, 2)
		}
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
	var some [16]ref
	for _, l := range x {
		if l.op != opRequired {
			continue
		}
		values := some[:0]
		for _, o := range x {
			if o.op != opProps {
				continue
			}
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
