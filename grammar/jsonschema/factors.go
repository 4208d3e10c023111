package jsonschema

import (
	"errors"
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

// A factoring collects the factors of a conjunction.
type factoring struct {
	c     *normalizer
	s     scope
	base  clause       // what holds in any case
	forms []normalForm // of which each has more than one clause, or none
	seen  map[ref]bool
}

// factorsOf are the factors of a conjunction of schemas about objects: one with a single clause and
// those with several. none says that there plainly is no instance.
func (c *normalizer) factorsOf(refs []ref, s scope) (factors []normalForm, none bool, err error) {
	q := &factoring{c: c, s: s, seen: map[ref]bool{}}
	for _, r := range refs {
		if err := q.schema(r); err != nil {
			return nil, false, err
		}
	}
	for _, form := range q.forms {
		none = none || len(form.clauses) == 0
	}
	return append([]normalForm{{clauses: []clause{q.base}}}, q.forms...), none || !possible(q.base, s.kind), nil
}

// schema adds the factors of a schema.
func (q *factoring) schema(r ref) error {
	if r == trueRef || q.seen[r] {
		return nil
	}
	q.seen[r] = true
	n := q.c.doc.nodes[r>>1]
	if r&1 == 1 {
		form, err := q.c.cases(r, q.inside())
		q.add(form)
		return err
	}
	key := q.c.caseKey(r, q.s)
	f := q.c.formulas[key]
	if f == nil {
		var err error
		if f, err = q.c.formulaOf(n, q.s); err != nil {
			return err
		}
		q.c.formulas[key] = f
	}
	return q.formula(f, n)
}

// formula adds the factors of a formula of a schema.
func (q *factoring) formula(f *formula, n *node) error {
	switch {
	case f.shape == isLiteral:
		q.add(normalForm{clauses: []clause{{q.c.intern(f.lit)}}})
		return nil
	case f.shape == isRef:
		return q.schema(f.ref)
	case f.shape == isAnd && f.spare == nil:
		for _, sub := range f.subs {
			if err := q.formula(sub, n); err != nil {
				return err
			}
		}
		return nil
	}
	form, err := q.c.normal(f, false, q.inside(), n)
	q.add(form)
	return err
}

// inside is the scope of what holds beside the clause so far.
func (q *factoring) inside() scope { return q.s.beside([]clause{q.base}) }

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

// tooManyCases tells whether cases of a goal were left out, or could not be counted.
func tooManyCases(form normalForm, err error) bool {
	var refused *UnsupportedError
	return err == nil && form.partial || errors.As(err, &refused) && refused.Reason == reasonCombinations
}

// objectCases writes the objects of a goal as factors, where the cases are too many, or has their
// clauses.
func (c *emitter) objectCases(g *goal) (form normalForm, done bool, err error) {
	factors, none, err := c.factorsOf(g.refs, outermost(jsontext.Object))
	if err == nil && !none && manyCases(factors, apartFirst) {
		if done, err = c.factored(g.nt, factors, true); done || err != nil {
			return form, done, err
		}
	}
	form, failed := c.clausesOf(g.refs, outermost(jsontext.Object))
	if err == nil && !none && tooManyCases(form, failed) && manyCases(factors, c.opt.maxClauses) {
		done, err = c.factored(g.nt, factors, false)
	} else {
		err = failed
	}
	if !done && err == nil {
		err = failed
	}
	return form, done, err
}

// factored writes objects as factors; it is false if the cases are to be written. With
// apart, only where no key concerns two factors.
func (c *emitter) factored(nt grammar.Nonterminal, factors []normalForm, apart bool) (done bool, err error) {
	if c.later == nil {
		c.cut = c.cut || !apart
		return false, nil
	}
	q, err := c.newFactorObject(factors)
	var refused *UnsupportedError
	if errors.As(err, &refused) || err == nil && (q == nil || apart && !q.apart) {
		return false, nil // the cases may do
	}
	if err != nil {
		return false, locate(factors[0].clauses[0], err)
	}
	return q.write(nt)
}
