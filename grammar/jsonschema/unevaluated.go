package jsonschema

import (
	"slices"

	"gcdbench/internal/intern"
	"gcdbench/internal/jsontext"
)

// unevaluatedProperties and unevaluatedItems (2020-12 core, section 11). They are about the members
// that no other keyword of the schema evaluates, nor one of a schema that holds for the same value.
// Which schemas hold depends on the value, so what they evaluate does as well.
//
// It suffices to say of each member that it is as it must be, or that one of the schemas which
// evaluate it holds: more that is evaluated never excludes a value. No negation is needed, and what
// is said stays exact where it is negated. Where a schema that holds in some cases only evaluates
// keys by patterns, or items by contains, the formula has two cases, one in which it holds.

// An evaluation is the members that a schema evaluates, if some formulas hold.
type evaluation struct {
	when     []*formula
	all      bool        // all members
	keys     []string    // of objects
	langs    []*language // keys, by their languages
	prefix   int         // of arrays: so many of the first items
	contains []ref       // items that satisfy one of these
}

// nothing tells whether no member is evaluated.
func (v *evaluation) nothing() bool {
	return !v.all && len(v.keys)+len(v.langs)+len(v.contains)+v.prefix == 0
}

// with is what both evaluate, in the cases of v.
func (v evaluation) with(o evaluation) evaluation {
	v.all = v.all || o.all
	v.keys = slices.Concat(v.keys, o.keys)
	v.langs = slices.Concat(v.langs, o.langs)
	v.contains = slices.Concat(v.contains, o.contains)
	v.prefix = max(v.prefix, o.prefix)
	return v
}

// names tells whether a key is evaluated.
func (v *evaluation) names(key string) (bool, error) {
	if v.all || slices.Contains(v.keys, key) {
		return true, nil
	}
	for _, l := range v.langs {
		if d, err := l.automaton(); err != nil || d.MatchString(key) {
			return true, err
		}
	}
	return false, nil
}

const (
	// maxEvaluating bounds the schemas that are looked at for what they evaluate: one that is
	// referred to in several ways counts as often.
	maxEvaluating = 10_000
	// maxCases bounds the schemas for which the formula has two cases.
	maxCases = 6
)

// An evaluator finds what a schema evaluates beside one of the keywords.
type evaluator struct {
	kind    jsontext.Kind
	path    map[*node]bool // schemas that are being looked at
	visits  int
	partial bool // what evaluates was left out (Options.Lenient)
	always  evaluation
	some    []evaluation // in some cases only
}

// unevaluated reads unevaluatedProperties or unevaluatedItems.
func (r *reader) unevaluated(keyword string, _ *jsontext.Value) error {
	goal, err := r.optional(keyword)
	if err != nil || goal == trueRef {
		return err
	}
	e := &evaluator{kind: r.s.kind, path: map[*node]bool{}}
	if err := e.visit(r, nil, keyword); err != nil {
		return err
	}
	splits := 0
	for _, v := range e.some {
		splits += btoi(len(v.langs)+len(v.contains) > 0)
	}
	if e.visits > maxEvaluating || splits > maxCases {
		return r.leaveOut(keyword, refusal("too many schemas evaluate", "at most %d schemas are looked at, and %d that hold in some cases may evaluate by patterns or contains", maxEvaluating, maxCases))
	}
	if e.partial {
		r.add(unknown)
	}
	list, err := (&unevaluatedMembers{origin{r.n, keyword}, r.c, r.s.kind, goal}).formulas(e.always, e.some)
	r.all.subs = append(r.all.subs, list...)
	return err
}

// visit adds what a schema evaluates that holds under some conditions. A keyword is left out.
func (e *evaluator) visit(r *reader, when []*formula, without string) error {
	if e.visits++; e.path[r.n] || e.visits > maxEvaluating {
		return nil // a schema that needs itself is an error elsewhere
	}
	e.path[r.n] = true
	defer delete(e.path, r.n)
	if r.n.union != nil {
		for _, x := range r.n.union {
			if err := e.follow(r, x, when, schema(x)); err != nil {
				return err
			}
		}
		return nil
	}
	own := evaluation{when: when}
	alone := r.n.draft <= draft7 && r.n.get("$ref") != nil
	for i, key := range r.n.v.Keys {
		w := r.c.doc.table.byName[key]
		if w == nil || r.n.draft < w.since || key == without || alone && key != "$ref" {
			continue
		}
		if err := e.keyword(r, key, r.n.v.Items[i], &own); err != nil {
			return err
		}
	}
	switch {
	case own.nothing():
	case len(when) == 0:
		e.always = e.always.with(own)
	default:
		e.some = append(e.some, own)
	}
	return nil
}

// keyword adds what one keyword evaluates: to own, or as a case of its own.
func (e *evaluator) keyword(r *reader, key string, v *jsontext.Value, own *evaluation) error {
	switch key {
	case "$ref", "$dynamicRef", "$recursiveRef":
		target, err := r.c.doc.resolve(r.n, key, v.Text)
		if err != nil {
			return err
		}
		return e.follow(r, r.c.doc.simple(target), own.when)
	case "allOf", "anyOf", "oneOf":
		list, err := r.children(key, v)
		for _, x := range list {
			var holds []*formula
			if key != "allOf" {
				holds = []*formula{schema(x)}
			}
			if err == nil {
				err = e.follow(r, x, own.when, holds...)
			}
		}
		return err
	case "if":
		parts, err := r.parts()
		for i, x := range parts {
			holds := parts[0]
			if i == 2 {
				holds = holds.not()
			}
			if err == nil {
				err = e.follow(r, x, own.when, schema(holds))
			}
		}
		return err
	case "dependentSchemas", "dependencies":
		if e.kind != jsontext.Object || v.Kind != jsontext.Object {
			return nil
		}
		for i, name := range v.Keys {
			if x := r.c.doc.child(r.n, v.Items[i]); x != nil {
				if err := e.follow(r, r.c.doc.simple(x), own.when, lit(origin{r.n, key}.requires(name))); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if e.kind == jsontext.Object {
		return e.members(r, key, v, own)
	}
	return e.items(r, key, v, own)
}

// follow adds what another schema of the same value evaluates.
func (e *evaluator) follow(r *reader, x ref, when []*formula, more ...*formula) error {
	if x == trueRef || x == falseRef {
		return nil
	}
	sub := &reader{c: r.c, n: r.c.doc.nodes[x>>1], s: r.s, all: and()}
	return e.visit(sub, slices.Concat(when, more), "")
}

// members adds the keys that a keyword about objects evaluates.
func (e *evaluator) members(r *reader, key string, v *jsontext.Value, own *evaluation) error {
	switch key {
	case "properties":
		own.keys = append(own.keys, v.Keys...)
	case "patternProperties":
		for _, text := range v.Keys {
			l, err := r.patternLanguage(key, stringValue(text))
			if err != nil {
				return err
			}
			if l == nil {
				own.all, e.partial = true, true
			} else {
				own.langs = append(own.langs, l)
			}
		}
	case "additionalProperties", "unevaluatedProperties":
		own.all = true
	}
	return nil
}

// items adds the items that a keyword about arrays evaluates.
func (e *evaluator) items(r *reader, key string, v *jsontext.Value, own *evaluation) error {
	list := r.n.get("items")
	switch {
	case key == "prefixItems" && r.n.draft >= draft2020, key == "items" && v.Kind == jsontext.Array:
		own.prefix = max(own.prefix, len(v.Items))
	case key == "items", key == "unevaluatedItems", key == "additionalItems" && list != nil && list.Kind == jsontext.Array:
		own.all = true
	case key == "contains" && r.n.draft >= draft2020:
		x, err := r.child(key, v)
		if err != nil {
			return err
		}
		own.contains = append(own.contains, x)
	}
	return nil
}

// unevaluatedMembers is one of the keywords, with the schema of the members that it is about.
type unevaluatedMembers struct {
	origin
	c    *normalizer
	kind jsontext.Kind
	goal ref
}

// formulas say what the keyword does, where some members are always evaluated and others in cases.
func (u *unevaluatedMembers) formulas(always evaluation, some []evaluation) ([]*formula, error) {
	if always.all {
		return nil, nil
	}
	for i, v := range some {
		if len(v.langs)+len(v.contains) == 0 {
			continue
		}
		others := slices.Delete(slices.Clone(some), i, i+1)
		holds, err := u.formulas(always.with(v), others)
		if err != nil {
			return nil, err
		}
		any, err := u.formulas(always, others)
		return []*formula{or(and(slices.Concat(v.when, holds)...), and(any...))}, err
	}
	if u.kind == jsontext.Object {
		return u.properties(always, some)
	}
	return u.items(always, some), nil
}

// unless is a disjunction of formulas of which all hold, and the cases that evaluate something.
func unless(all []*formula, some []evaluation, evaluates func(*evaluation) bool) *formula {
	f := or(and(all...))
	for i := range some {
		if evaluates(&some[i]) {
			f.subs = append(f.subs, and(some[i].when...))
		}
	}
	return f
}

// properties is about the keys of objects: those that the same cases evaluate are together.
func (u *unevaluatedMembers) properties(always evaluation, some []evaluation) ([]*formula, error) {
	table := &propTable{index: map[string]int{}, langs: always.langs, extra: u.goal}
	for range table.langs {
		table.under = append(table.under, trueRef)
	}
	for _, key := range always.keys {
		table.declare(key)
	}
	var together intern.Keys[string]
	var groups [][]string
	for _, v := range some {
		for _, key := range v.keys {
			known, err := always.names(key)
			if err != nil {
				return nil, err
			}
			if known || !table.declare(key) {
				continue
			}
			cases := make([]byte, len(some))
			for i := range some {
				cases[i] = byte(btoi(some[i].all || slices.Contains(some[i].keys, key)))
			}
			i, isNew := together.ID(string(cases))
			if isNew {
				groups = append(groups, nil)
			}
			groups[i] = append(groups[i], key)
		}
	}
	rest := []*formula{lit(literal{op: opProps, props: table, origin: u.origin})}
	list := []*formula{unless(rest, some, func(v *evaluation) bool { return v.all })}
	for _, keys := range groups {
		var each []*formula
		for _, key := range keys {
			each = append(each, lit(u.onKey(key, u.goal)))
		}
		list = append(list, unless(each, some, func(v *evaluation) bool { return v.all || slices.Contains(v.keys, keys[0]) }))
	}
	return list, nil
}

// items is about the items of arrays: those between two ends of prefixes are together.
func (u *unevaluatedMembers) items(always evaluation, some []evaluation) []*formula {
	goal := u.c.doc.anyOf(append(slices.Clip(always.contains), u.goal))
	ends := []int{always.prefix}
	for _, v := range some {
		ends = append(ends, v.prefix)
	}
	slices.Sort(ends)
	at := always.prefix
	var list []*formula
	for _, end := range ends {
		if end > at {
			prefix := slices.Repeat([]ref{trueRef}, end)
			for i := at; i < end; i++ {
				prefix[i] = goal
			}
			each := lit(literal{op: opItems, prefix: prefix, origin: u.origin})
			list = append(list, unless([]*formula{each}, some, func(v *evaluation) bool { return v.all || v.prefix >= end }))
			at = end
		}
	}
	rest := lit(literal{op: opItems, prefix: make([]ref, at), rest: goal, origin: u.origin})
	return append(list, unless([]*formula{rest}, some, func(v *evaluation) bool { return v.all }))
}
