package jsonschema

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/jsontext"
)

// Factors. A schema of thirty independent conditions has 2^30 cases, and normal forms multiply
// them out. But what a text decides is decided key by key: a condition on a key is open until
// that key comes, and no other key matters to it. So where there are too many cases, a
// conjunction about objects stays a list of factors, each a disjunction of clauses, and their
// automata run beside each other over the keys of an object (places.go). A state of the object is
// a state of each factor. There are as many as there were cases, and a text visits one for each
// of its keys, so that they are written when a text comes to them (ondemand.go). Whoever wants
// all rules has the cases instead, as many as are kept.

// A disjunction inside which there are too many cases is split: each of its alternatives has
// factors of its own. So the branches of oneOf, each with the negations of all others, are never
// joined.

// A factoring collects the factors of a conjunction.
type factoring struct {
	c      *normalizer
	s      scope
	base   clause       // what holds in any case
	forms  []normalForm // of which each has more than one clause, or none
	splits []split
	seen   map[ref]bool
	late   bool   // there may be splits
	spare  *spare // of a part that may be left out; nil for none
}

// A split is a disjunction with too many cases.
type split struct {
	subs []*formula
	neg  bool // of the negations of subs
	n    *node
}

// factorsOf are the factors of a conjunction of schemas about objects.
func (c *emitter) factorsOf(refs []ref, s scope) (*factoring, error) {
	c.runs++
	s.run = c.runs
	q := &factoring{c: c.normalizer, s: s, late: c.splits(), seen: map[ref]bool{}}
	for _, r := range refs {
		if err := q.schema(r); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// none says that there plainly is no instance.
func (q *factoring) none() bool {
	return !possible(q.base, q.s.kind) || slices.ContainsFunc(q.forms, func(form normalForm) bool { return len(form.clauses) == 0 })
}

// factors are one with a single clause, and those with several. Of many literals that ask for some
// property each is a factor, since one property may be what any of them ask for.
func (q *factoring) factors() []normalForm {
	base, forms := q.base, slices.Clone(q.forms)
	if asksForMany(base) {
		base = slices.DeleteFunc(slices.Clone(base), func(l *literal) bool { return l.op == opExists })
		for _, l := range literalsOf(q.base, opExists) {
			forms = append(forms, normalForm{clauses: []clause{{l}}})
		}
	}
	if len(base) == 0 && len(forms) > 0 {
		return forms
	}
	return append([]normalForm{{clauses: []clause{base}}}, forms...)
}

// asksForMany tells whether a clause asks for more properties without their names than are counted
// by sets of them.
func asksForMany(x clause) bool { return len(literalsOf(x, opExists)) > maxExists }

// schema adds the factors of a schema.
func (q *factoring) schema(r ref) error {
	if r == trueRef || q.seen[r] {
		return nil
	}
	q.seen[r] = true
	n := q.c.doc.nodes[r>>1]
	f, err := q.c.formula(n, q.s)
	if err != nil {
		return err
	}
	return q.formula(f, r&1 == 1, n)
}

// formula adds the factors of a formula of a schema, or of its negation.
func (q *factoring) formula(f *formula, neg bool, n *node) error {
	switch {
	case f.shape == isLiteral && !neg:
		q.add(normalForm{clauses: []clause{{q.c.intern(f.lit)}}})
		return nil
	case f.shape == isRef && neg:
		return q.schema(f.ref.not())
	case f.shape == isRef:
		return q.schema(f.ref)
	case f.opposite != nil && neg:
		return q.formula(f.opposite, true, n)
	case f.shape != isLiteral && (f.shape == isAnd) != neg:
		if f.spare != nil && !neg {
			q.spare = f.spare
		}
		for _, sub := range f.subs {
			if err := q.formula(sub, neg, n); err != nil {
				return err
			}
		}
		return nil
	}
	form, err := q.c.normal(f, neg, q.s.beside([]clause{q.base}), n)
	if f.shape != isLiteral && q.late && tooManyCases(form, err) {
		q.splits = append(q.splits, split{f.subs, neg, n})
		return nil
	}
	q.add(form)
	return err
}

// add adds a factor.
func (q *factoring) add(form normalForm) {
	if len(form.clauses) != 1 {
		q.forms = append(q.forms, form)
		return
	}
	for _, l := range form.clauses[0] {
		if !slices.Contains(q.base, l) {
			q.base = append(q.base, l)
		}
	}
}

// maxAlternatives bounds the alternatives of a goal: a parser may have to follow all of them.
const maxAlternatives = 100

// alternatives are factorings without splits that are q together.
func (q *factoring) alternatives() (list []*factoring, err error) {
	switch {
	case q.none():
		return nil, nil
	case len(q.splits) == 0:
		if q.withoutExcluded(); q.none() {
			return nil, nil
		}
		return []*factoring{q}, nil
	}
	first := q.splits[0]
	for _, sub := range first.subs {
		one := &factoring{q.c, q.s, slices.Clone(q.base), slices.Clone(q.forms), slices.Clone(q.splits[1:]), maps.Clone(q.seen), true, q.spare}
		if err := one.formula(sub, first.neg, first.n); err != nil {
			return nil, err
		}
		more, err := one.alternatives()
		if list = append(list, more...); err != nil || len(list) > maxAlternatives {
			return nil, cmp.Or[error](err, refusal(reasonCombinations, "there are more than %d alternatives", maxAlternatives).at(first.n, applying(first.n)))
		}
	}
	return list, nil
}

// withoutExcluded drops the cases of factors that are impossible beside what holds in any case, or
// beside a factor of which one case is left. Of a branch of oneOf those go that exclude another
// branch by what both say: often all, where that other one says nothing else.
func (q *factoring) withoutExcluded() {
	known := slices.Clone(q.base)
	for again := true; again; {
		again = false
		for i, form := range q.forms {
			left := slices.DeleteFunc(slices.Clone(form.clauses), func(x clause) bool {
				_, ok := q.c.both(known, x, q.s.kind)
				return !ok
			})
			if q.forms[i].clauses = left; len(left) == 1 && !contains(known, left[0]) {
				known, again = append(known, left[0]...), true
			}
		}
	}
}

// manyCases tells whether factors have more cases than some number.
func manyCases(factors []normalForm, most int) bool {
	n := 1
	for _, f := range factors {
		if n *= len(f.clauses); n > most {
			return true
		}
	}
	return false
}

// apartFirst is how many cases factors have at least that are not multiplied out before they are
// found to be too many, if no key concerns two of them: of a million that have no key in common
// none excludes another.
const apartFirst = 1_000_000

// latePairs is maxPairs where factors may take the place of cases: some 50 ms.
const latePairs = 10_000

// tooManyCases tells whether cases were left out, or could not be counted.
func tooManyCases(form normalForm, err error) bool {
	var refused *UnsupportedError
	return err == nil && form.partial || err == errTooLong || errors.As(err, &refused) && refused.Reason == reasonCombinations
}

// splits tells whether disjunctions are split, as they are where rules are written on demand.
func (c *emitter) splits() bool { return c.later != nil }

// objectCases writes the objects of a goal as factors, where the cases are too many, or has their
// clauses.
func (c *emitter) objectCases(g *goal) (form normalForm, done bool, err error) {
	s := outermost(jsontext.Object)
	if c.later != nil {
		c.pairs = 0
	}
	if c.splits() {
		s.pairs = latePairs
	}
	q, err := c.factorsOf(g.refs, s)
	if err != nil || q.none() {
		form, err = c.clausesOf(g.refs, outermost(jsontext.Object))
		return form, false, err
	}
	if len(q.splits) == 0 && manyCases(q.factors(), apartFirst) {
		if done, err = c.factored(g.nt, []*factoring{q}, true); done || err != nil {
			return form, done, err
		}
	}
	form, failed := c.clausesOf(g.refs, s)
	if tooManyCases(form, failed) && (len(q.splits) > 0 || manyCases(q.factors(), c.opt.maxClauses)) {
		list, err := q.alternatives()
		if err == nil {
			done, err = c.factored(g.nt, list, false)
		}
		if done || err != nil && !tooManyCases(form, err) {
			return form, done, err
		}
	}
	if failed == errTooLong {
		form, failed = c.clausesOf(g.refs, outermost(jsontext.Object))
	}
	if failed == nil && slices.ContainsFunc(form.clauses, asksForMany) {
		var list []*factoring
		for _, x := range form.clauses {
			list = append(list, &factoring{base: x})
		}
		done, failed = c.factored(g.nt, list, false)
	}
	return form, done, failed
}

// factored writes objects as the factors of alternatives; it is false if the cases are to be
// written. With apart, only where no key concerns two factors.
func (c *emitter) factored(nt grammar.Nonterminal, alternatives []*factoring, apart bool) (done bool, err error) {
	if c.later == nil {
		c.cut = c.cut || !apart
		return false, nil
	}
	var objects []*factorObject
	shared := c.sharedFactory(alternatives)
	for _, one := range alternatives {
		factors := one.factors()
		y := shared
		if y == nil {
			y = c.factoryOf(factors)
		}
		q, err := y.newFactorObject(factors)
		var refused *UnsupportedError
		if errors.As(err, &refused) && one.spare != nil && len(alternatives) > 1 {
			c.leftOut(one.spare.node, one.spare.keyword, one.spare.reason)
			continue
		}
		if errors.As(err, &refused) || err == nil && (q == nil || apart && !q.apart) {
			return false, nil // the cases may do
		}
		if err != nil {
			return false, locate(one.base, err)
		}
		objects = append(objects, q)
	}
	for _, q := range objects {
		some, err := q.write(nt)
		if done = done || some; err != nil {
			return done, err
		}
	}
	return done, nil
}

// fewPatterns is up to how many patterns alternatives name together: each cuts the keys of all.
const fewPatterns = 4

// sharedFactory makes the factors of all alternatives, which then name the same keys; nil where the
// order of the keys is that of each alternative.
func (c *emitter) sharedFactory(alternatives []*factoring) *factory {
	if !c.opt.AnyOrder {
		return nil
	}
	var all [][]normalForm
	for _, one := range alternatives {
		all = append(all, one.factors())
	}
	if y := c.factoryOf(all...); len(y.naming.props.langs) <= fewPatterns {
		return y
	}
	return nil
}
