package jsonschema

import (
	"slices"

	"gcdbench/internal/jsontext"
)

// Keywords about arrays and objects (2020-12 core, sections 10.3 and 11; validation, sections 6.4
// and 6.5). Each becomes a literal, or a few: the formula of a schema is their conjunction, and a
// literal does not depend on the others. The exception are keywords that the specification defines
// by their neighbours: additionalProperties is about the keys that properties and
// patternProperties of the same schema leave, so the three are one literal with a table; items and
// prefixItems (or the older pair of items and additionalItems) are one with a list. Across allOf
// there is no such dependence: each schema has its own table, and a key must satisfy all of them.

// items reads both forms of items: with prefixItems, or an array of schemas with additionalItems.
func (r *reader) items(_ string, v *jsontext.Value) error {
	l := literal{op: opItems}
	first, rest := "prefixItems", "items"
	if v != nil && v.Kind == jsontext.Array {
		first, rest = "items", "additionalItems"
	} else if r.n.draft < draft2020 {
		first = ""
	}
	if v := r.n.get(first); v != nil && first != "" {
		if v.Kind != jsontext.Array {
			return r.bad(first, "must be an array of schemas")
		}
		var err error
		if l.prefix, err = r.children(first, v); err != nil {
			return err
		}
		r.enforced(first)
	}
	var err error
	if l.rest, err = r.optional(rest); err != nil {
		return err
	}
	if len(l.prefix) > 0 || l.rest != trueRef {
		r.literal(rest, l)
	}
	return nil
}

// contains reads contains with its bounds: at least one item by default. minContains 0 without
// maxContains says nothing (2020-12 core, section 10.3.1.3).
func (r *reader) contains(keyword string, _ *jsontext.Value) error {
	goal, err := r.optional(keyword)
	if err != nil {
		return err
	}
	n, m := 1, -1
	if r.n.draft >= draft2019 {
		if least, err := r.count("minContains"); err != nil {
			return err
		} else if least >= 0 {
			n = least
		}
		if m, err = r.count("maxContains"); err != nil {
			return err
		}
	}
	if n > 0 || m >= 0 {
		r.literal(keyword, literal{op: opContains, goal: goal, n: n, m: m})
	}
	return nil
}

func (r *reader) uniqueItems(keyword string, v *jsontext.Value) error {
	if v.Kind != jsontext.Bool {
		return r.bad(keyword, "must be true or false")
	}
	r.enforced(keyword)
	if v.Truth {
		r.literal(keyword, literal{op: opUnique})
	}
	return nil
}

// tabled are the keywords of a propTable. Its literal is named after the first of them.
var tabled = []string{"properties", "patternProperties", "additionalProperties"}

// properties is the literal of properties, patternProperties and additionalProperties; none if they
// say nothing.
func (r *reader) properties(string, *jsontext.Value) error {
	table, partial, err := r.propTable()
	if err != nil {
		return err
	}
	extra, err := r.optional("additionalProperties")
	if err != nil {
		return err
	}
	if !partial {
		table.extra = extra
	}
	if len(table.keys) > 0 || len(table.langs) > 0 || table.extra != trueRef {
		first := slices.IndexFunc(tabled, func(keyword string) bool { return r.n.get(keyword) != nil })
		r.literal(tabled[first], literal{op: opProps, props: table})
	}
	return nil
}

// propTable reads properties and patternProperties. It is partial if a pattern was left out, so
// that it is not known which keys are additional; then none are.
func (r *reader) propTable() (table *propTable, partial bool, err error) {
	table = &propTable{index: map[string]int{}}
	if v := r.n.get("properties"); v != nil {
		if table.goals, err = r.schemasByKey("properties", v); err != nil {
			return nil, false, err
		}
		table.keys = v.Keys
		for i, key := range v.Keys {
			table.index[key] = i
		}
	}
	v := r.n.get("patternProperties")
	if v == nil {
		return table, partial, nil
	}
	under, err := r.schemasByKey("patternProperties", v)
	if err != nil {
		return nil, false, err
	}
	for i, key := range v.Keys {
		l, err := r.patternLanguage("patternProperties", stringValue(key))
		if err != nil {
			return nil, false, err
		}
		if l == nil {
			partial = true
			r.add(unknown)
		} else {
			table.langs, table.under = append(table.langs, l), append(table.under, under[i])
		}
	}
	return table, partial, nil
}

// schemasByKey are the schemas of a keyword whose value is an object of them.
func (r *reader) schemasByKey(keyword string, v *jsontext.Value) ([]ref, error) {
	if v.Kind != jsontext.Object {
		return nil, r.bad(keyword, "must be an object")
	}
	r.enforced(keyword)
	return r.children(keyword, v)
}

func (r *reader) required(keyword string, v *jsontext.Value) error {
	if v.Kind == jsontext.Bool { // draft 3: said of the property itself
		r.c.cover(r.n, keyword, Annotation, "a boolean has no meaning since draft 4")
		return nil
	}
	keys, err := r.strs(keyword, v)
	if err != nil {
		return err
	}
	r.enforced(keyword)
	r.requireAll(keyword, keys, r.all)
	return nil
}

func (r *reader) propertyNames(keyword string, _ *jsontext.Value) error {
	goal, err := r.optional(keyword)
	if err == nil {
		r.literal(keyword, literal{op: opNames, goal: goal})
	}
	return err
}

func (r *reader) requireAll(keyword string, keys []string, f *formula) {
	for _, key := range keys {
		f.subs = append(f.subs, lit(origin{r.n, keyword}.requires(key)))
	}
}

func (r *reader) strs(keyword string, v *jsontext.Value) ([]string, error) {
	if v.Kind != jsontext.Array || slices.ContainsFunc(v.Items, func(x *jsontext.Value) bool { return x.Kind != jsontext.String }) {
		return nil, r.bad(keyword, "must be an array of strings")
	}
	var list []string
	for _, x := range v.Items {
		if x.Lone {
			return nil, r.c.unsupported(r.n, keyword, refusal(reasonLone, "a key has one"))
		}
		list = append(list, x.Text)
	}
	return list, nil
}

// dependencies reads dependentRequired, dependentSchemas and the older keyword for both: either the
// key is absent, or what depends on it holds.
func (r *reader) dependencies(keyword string, v *jsontext.Value) error {
	if v.Kind != jsontext.Object {
		return r.bad(keyword, "must be an object")
	}
	r.enforced(keyword)
	for i, key := range v.Keys {
		if err := r.dependency(keyword, key, v.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) dependency(keyword, key string, v *jsontext.Value) error {
	then := and()
	r.requireAll(keyword, []string{key}, then)
	if keyword == "dependentRequired" || keyword == "dependencies" && v.Kind == jsontext.Array {
		keys, err := r.strs(keyword, v)
		if err != nil {
			return err
		}
		r.requireAll(keyword, keys, then)
	} else {
		x, err := r.child(keyword, v)
		if err != nil {
			return err
		}
		then.subs = append(then.subs, schema(x))
	}
	r.add(or(lit(origin{r.n, keyword}.onKey(key, falseRef)), then))
	return nil
}
