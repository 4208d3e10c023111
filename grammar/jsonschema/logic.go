package jsonschema

import (
	"fmt"
	"slices"

	"gcdbench/internal/jsontext"
)

// Keywords that combine schemas, and references. They add no literals: a subschema is a reference
// in the formula, resolved when its normal form is asked for, and negation is a bit of the
// reference. Recursion through properties or items needs no care, since literals hold references
// too. Recursion that reads nothing of the instance (a schema that is its own allOf) has no
// meaning; it is found when a normal form needs itself.

const notSchema = "must be a schema: an object, true or false"

// child is the schema at the value of a keyword.
func (r *reader) child(keyword string, v *jsontext.Value) (ref, error) {
	n := r.c.doc.child(r.n, v)
	if n == nil {
		return 0, r.bad(keyword, notSchema)
	}
	return r.c.doc.simple(n), nil
}

func (r *reader) children(keyword string, v *jsontext.Value) ([]ref, error) {
	if v.Kind != jsontext.Array && v.Kind != jsontext.Object {
		return nil, r.bad(keyword, "must hold schemas")
	}
	list := make([]ref, len(v.Items))
	for i, x := range v.Items {
		var err error
		if list[i], err = r.child(keyword, x); err != nil {
			return nil, &SchemaError{r.n.ptr + "/" + escapePointer(keyword) + "/" + tokenOf(v, i), notSchema}
		}
	}
	return list, nil
}

// optional is child for a keyword that may be absent, which means true.
func (r *reader) optional(keyword string) (ref, error) {
	v := r.n.get(keyword)
	if v == nil {
		return trueRef, nil
	}
	r.enforced(keyword)
	return r.child(keyword, v)
}

// reference reads one of the keywords that refer.
func (r *reader) reference(keyword string, v *jsontext.Value) error {
	if v.Kind != jsontext.String {
		return r.bad(keyword, "must be a string")
	}
	target, err := r.c.doc.resolve(r.n, keyword, v.Text)
	if err != nil {
		return err
	}
	r.enforced(keyword)
	r.add(schema(r.c.doc.simple(target)))
	return nil
}

// combined is the handler of a keyword with a list of schemas.
func combined(combine func(*reader, []ref) (*formula, error)) func(*reader, string, *jsontext.Value) error {
	return func(r *reader, keyword string, v *jsontext.Value) error {
		if v.Kind != jsontext.Array || len(v.Items) == 0 {
			return r.bad(keyword, "must be an array of at least one schema")
		}
		list, err := r.children(keyword, v)
		if err != nil {
			return err
		}
		r.enforced(keyword)
		f, err := combine(r, list)
		if err == nil {
			r.add(f)
		}
		return err
	}
}

func (r *reader) anyOf(list []ref) (*formula, error) { return or(schemas(list)...), nil }

func (r *reader) not(keyword string, _ *jsontext.Value) error {
	x, err := r.optional(keyword)
	if err == nil {
		r.add(schema(x.not()))
	}
	return err
}

// conditional reads if, then and else, as (if and then) or (not if and else). The two cases exclude
// each other, so that a parser has one to choose, as long as the negation of if is exact.
func (r *reader) conditional(string, *jsontext.Value) error {
	parts, err := r.parts()
	if err == nil {
		r.add(or(and(schema(parts[0]), schema(parts[1])), and(schema(parts[0].not()), schema(parts[2]))))
	}
	return err
}

// conditionals are the keywords of a conditional.
var conditionals = []string{"if", "then", "else"}

// parts are the schemas of a conditional.
func (r *reader) parts() (parts [3]ref, err error) {
	for i, keyword := range conditionals {
		if parts[i], err = r.optional(keyword); err != nil {
			return parts, err
		}
	}
	return parts, nil
}

// oneOf assumes what was read before.
func (r *reader) oneOf(list []ref) (*formula, error) {
	return r.c.exactlyOne(list, r.c.knowing(r.s, r.all), r.n)
}

// knowing is a scope with what a conjunction requires.
func (c *normalizer) knowing(s scope, all *formula) scope {
	var known clause
	for _, sub := range all.subs {
		switch sub.shape {
		case isLiteral:
			known = append(known, c.intern(sub.lit))
		case isRef:
			if form, err := c.cases(sub.ref, s); err == nil { // else it is met again
				s = s.beside(form.clauses)
			}
		case isAnd:
			s = c.knowing(s, sub)
		}
	}
	return s.beside([]clause{known})
}

// sparePairs bounds the pairs of clauses that are joined for the objects of one oneOf that lack
// the key which tells its branches apart. Hardly anyone writes such objects, and they may take
// most of the time of a compile.
const sparePairs = 20_000

// exactlyOne is oneOf: a disjunction of the branches, each without those others that it overlaps.
func (c *normalizer) exactlyOne(list []ref, s scope, from *node) (*formula, error) {
	if always, err := c.alwaysTrue(list, s); err != nil || always > 1 && !c.opt.Lenient {
		return never, err
	}
	f := or()
	sharing, toldApart := c.toldApart(list, s)
	optional, present := "", false
	if !toldApart {
		optional, present = c.optionalKey(list, s)
	}
	spared := &spare{origin: origin{from, "oneOf"}, reason: fmt.Sprintf("objects without %q, which tells the alternatives apart, are left out where they take too many combinations", optional)}
	for i, x := range list {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		var others []ref
		if toldApart {
			for _, j := range sharing[i] {
				others = append(others, list[j])
			}
		} else {
			others = slices.Delete(slices.Clone(list), i, i+1)
		}
		rest := and(schema(x)) // first, so that what it excludes is gone before negations multiply
		for _, y := range others {
			apart, err := c.disjoint(x, y, s)
			if err != nil {
				return nil, err
			}
			if !apart {
				rest.subs = append(rest.subs, schema(y.not()))
			}
		}
		if present && len(rest.subs) > 1 { // with that key, no other branch holds
			var anywhere origin
			without := and(lit(anywhere.onKey(optional, falseRef)), rest)
			without.spare = spared
			rest = or(and(schema(x), lit(anywhere.requires(optional))), without)
		}
		f.subs = append(f.subs, rest)
	}
	return f, nil
}

// alwaysTrue counts the schemas that allow every value, as far as is seen at once.
func (c *normalizer) alwaysTrue(list []ref, s scope) (n int, err error) {
	for _, r := range list {
		form, err := c.cases(r, s)
		if err != nil && !tooManyCases(form, err) {
			return 0, err
		}
		if len(form.clauses) == 1 && len(form.clauses[0]) == 0 {
			n++
		}
	}
	return n, nil
}
