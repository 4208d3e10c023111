package jsonschema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/internal/jsontext"
)

// Why a schema has no instance. The grammar shows that it has none: its start derives nothing. The
// explainer looks for the keywords to blame, in the usual cases: bounds that cross, types that
// exclude each other, a required property or item that has no instance itself.

// ErrContradiction is the error of a schema that no instance satisfies. Where the keywords to
// blame are known, a *ContradictionError is returned that wraps it.
var ErrContradiction = errors.New("the schema is contradictory: no instance satisfies it")

// A ContradictionError says why no instance exists.
type ContradictionError struct {
	Pointer string // of the schema that has none
	Reason  string // such as "minimum 5 > maximum 3"
}

// Error says why and where.
func (e *ContradictionError) Error() string {
	return fmt.Sprintf("the schema is contradictory: no instance can exist: %s at %s", e.Reason, e.Pointer)
}

// Unwrap is ErrContradiction.
func (e *ContradictionError) Unwrap() error { return ErrContradiction }

// An explainer looks for the keywords to blame.
type explainer struct {
	*emitter
	derives   []bool          // by nonterminal: it derives something
	explained map[string]bool // conjunctions that explain has seen
}

// contradiction is the error for a conjunction without instances.
func (c *explainer) contradiction(refs []ref) error {
	if found := c.explain(refs, 0); found != nil {
		return found
	}
	narrow := slices.ContainsFunc(slices.Collect(maps.Values(c.clauses)), func(l clauseText) bool { return l.narrow })
	if narrow && c.inhabited(refs, outermost(jsontext.Null), aliveDepth) {
		return refusal("what is enforced narrowly has no instance", "the coverage says which keywords leave values out").at(nil, "")
	}
	return ErrContradiction
}

// maxExplained bounds how deep the cause is looked for.
const maxExplained = 50

// explain finds the contradiction in a conjunction of schemas; nil if it is of no kind that it
// knows.
func (c *explainer) explain(refs []ref, depth int) *ContradictionError {
	if depth > maxExplained || len(refs) == 0 || c.ctx.Err() != nil {
		return nil
	}
	for _, r := range refs {
		if r == falseRef {
			return &ContradictionError{c.pointerOf(refs), "it must satisfy the schema false"}
		}
	}
	// Once is enough: a schema that requires itself in two places would be looked at 2^maxExplained
	// times.
	key := fmt.Sprint(refs)
	if c.explained[key] {
		return nil
	}
	c.explained[key] = true
	var first *ContradictionError
	typed := false
	for k := range jsontext.NumKinds {
		list, allowed := c.asked(and(schemas(refs)...), k, nil, map[ref]bool{})
		if !allowed {
			continue
		}
		typed = true
		found := c.crossed(list, k, depth)
		if found == nil {
			found = c.together(refs, list)
		}
		if found == nil {
			return nil // what is wrong for this type is not known
		}
		if first == nil || k == jsontext.Number && len(list) > 0 {
			first = found
		}
	}
	if !typed {
		var keywords []string
		for _, keyword := range []string{"const", "enum", "type"} {
			if slices.ContainsFunc(refs, func(r ref) bool { return c.doc.nodes[r>>1].get(keyword) != nil }) {
				keywords = append(keywords, keyword)
			}
		}
		if len(keywords) > 0 && keywords[0] != "type" {
			return c.noValue(refs, keywords)
		}
		return &ContradictionError{c.pointerOf(refs), "the types that are asked for exclude each other"}
	}
	return first
}

// together blames all keywords that a value must satisfy, where no two of them exclude each other.
func (c *explainer) together(refs []ref, list []*literal) *ContradictionError {
	var keywords []string
	add := func(keyword string) {
		if keyword != "" && !slices.Contains(keywords, keyword) {
			keywords = append(keywords, keyword)
		}
	}
	for _, l := range list {
		add(l.keyword)
	}
	for _, r := range refs {
		for _, keyword := range []string{"anyOf", "oneOf", "not", "if", "dependencies", "dependentRequired", "dependentSchemas"} {
			if c.doc.nodes[r>>1].get(keyword) != nil {
				add(keyword)
			}
		}
	}
	if len(keywords) == 0 {
		return nil
	}
	return c.noValue(refs, keywords)
}

// noValue blames keywords, one at least.
func (c *explainer) noValue(refs []ref, keywords []string) *ContradictionError {
	last := keywords[len(keywords)-1]
	if len(keywords) == 1 {
		return &ContradictionError{c.pointerOf(refs), "no value satisfies " + last}
	}
	return &ContradictionError{c.pointerOf(refs), "no value satisfies " + strings.Join(keywords[:len(keywords)-1], ", ") + " and " + last + " together"}
}

func (c *explainer) pointerOf(refs []ref) string {
	for _, r := range refs {
		if n := c.doc.nodes[r>>1]; n.id != 0 && n.ptr != syntheticPointer && n.ptr != "" {
			return n.ptr
		}
	}
	return "/"
}

// asked appends the literals that a formula asks for in any case, and those of the schemas that it
// refers to. allowed is false if no value of the kind satisfies it, whatever the literals.
func (c *explainer) asked(f *formula, k jsontext.Kind, list []*literal, seen map[ref]bool) (all []*literal, allowed bool) {
	switch {
	case f == nil:
		return list, true
	case f.shape == isLiteral:
		return append(list, f.lit), true
	case f.shape == isOr:
		return list, len(f.subs) > 0
	case f.shape == isRef:
		if f.ref&1 == 1 || seen[f.ref] {
			return list, true
		}
		seen[f.ref] = true
		key := caseKey{r: f.ref, k: k}
		return c.asked(cmp.Or(c.shared.formulas[key], c.own.formulas[key]), k, list, seen)
	}
	allowed = true
	for _, sub := range f.subs {
		var ok bool
		list, ok = c.asked(sub, k, list, seen)
		allowed = allowed && ok
	}
	return list, allowed
}

// crossed finds two literals that exclude each other, or a literal that no value satisfies.
func (c *explainer) crossed(list []*literal, k jsontext.Kind, depth int) *ContradictionError {
	for _, l := range list {
		if found := c.crossedBy(l, list); found != nil {
			return found
		}
	}
	switch k {
	case jsontext.Object:
		return c.crossedKey(list, depth)
	case jsontext.Array:
		return c.crossedItem(list, depth)
	}
	return nil
}

// crossedBy finds a literal that excludes l.
func (c *explainer) crossedBy(l *literal, list []*literal) *ContradictionError {
	blame := func(format string, args ...any) *ContradictionError {
		return &ContradictionError{orRoot(l.node.ptr), fmt.Sprintf(format, args...)}
	}
	values := func(what string, n int) *ContradictionError {
		if n > 0 {
			return nil
		}
		return blame("no value of %s satisfies the other keywords", what)
	}
	x := clause(list)
	switch l.op {
	case opCompare:
		for _, o := range list {
			if lower := l.rel == number.Greater || l.rel == number.GreaterEqual; !lower || o.op != opCompare || o.rel > number.LessEqual {
				continue
			}
			switch cmp := l.num.Cmp(o.num); {
			case cmp > 0:
				return blame("%s %s > %s %s", l.keyword, l.bound(), o.keyword, o.bound())
			case cmp == 0 && (l.rel == number.Greater || o.rel == number.Less):
				return blame("%s %s and %s %s leave nothing between them", l.keyword, l.bound(), o.keyword, o.bound())
			}
		}
	case opLength:
		for _, o := range list {
			if o.op == opLength && o.m >= 0 && l.n > o.m {
				return blame("%s %d > %s %d", l.keyword, l.n, o.keyword, o.m)
			}
		}
	case opStrings:
		if found, finite := finiteStrings(x); finite && !l.not {
			return values(l.keyword, len(found))
		}
	case opNumbers:
		if found, finite := finiteNumbers(x); finite && !l.not {
			return values(l.keyword, len(found))
		}
	}
	return nil
}

func orRoot(pointer string) string {
	if pointer == "" {
		return "/"
	}
	return pointer
}

// bound is the number of a comparison as the schema writes it.
func (l *literal) bound() string {
	if v := l.node.get(l.keyword); v != nil && v.Kind == jsontext.Number {
		return v.Text
	}
	return l.num.String()
}

// crossedKey finds a required key whose value has no instance.
func (c *explainer) crossedKey(list []*literal, depth int) *ContradictionError {
	tables := literalsOf(list, opProps)
	for _, l := range literalsOf(list, opRequired) {
		values, _ := valuesOf(tables, l.strs[0])
		if slices.Contains(values, falseRef) {
			return &ContradictionError{orRoot(l.node.ptr), fmt.Sprintf("property %q is required and not allowed", l.strs[0])}
		}
		if !c.productive(values) {
			if found := c.explain(values, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// crossedItem finds an item that must be there and has no instance.
func (c *explainer) crossedItem(list []*literal, depth int) *ContradictionError {
	items := literalsOf(list, opItems)
	n, _ := limits(list)
	for i := range min(n, 8) {
		if values := itemValues(items, i); !c.productive(values) {
			if found := c.explain(values, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// productive is false if the conjunction has a nonterminal that derives nothing.
func (c *explainer) productive(refs []ref) bool {
	g, ok := c.goalOf(refs)
	return ok && int(g.nt) < len(c.derives) && c.derives[g.nt]
}
