package jsonschema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gcdbench/internal/jsontext"
)

// Conditions on one key. Where other languages have a switch, people write a list of conditionals:
//
//	"allOf": [
//	    {"if": {"properties": {"type": {"const": "a"}}}, "then": ...},
//	    {"if": {"properties": {"type": {"const": "b"}}}, "then": ...}, ...]
//
// Each is true in two ways, so that n of them have 2^n combinations, of which all but n + 2 are
// impossible. To find that out one by one takes time quadratic in n for each literal, and ends at
// the limits for n of some sixty. But the possible cases are seen at once: the key has one of the
// values that are named, or another value, or is not there. In each case it is known of each
// condition whether it holds.
//
// The negation of the list is short as it stands: one of the conditionals does not hold.

// A condition is a conditional whose if asks for some values of one key only.
type condition struct {
	key      string
	values   values
	required bool // the if does not hold without the key
	parts    [3]ref
}

// conditionOf reads a schema that is such a conditional, and nothing else.
func (r *reader) conditionOf(x ref) (cond condition, ok bool) {
	if x == trueRef || x&1 == 1 {
		return cond, false
	}
	n := r.c.doc.nodes[x>>1]
	if n.draft < draft7 || n.get("if") == nil || n.v.Kind != jsontext.Object {
		return cond, false
	}
	for _, keyword := range n.v.Keys {
		if r.c.doc.table.byName[keyword].constrains() && !slices.Contains(conditionals, keyword) {
			return cond, false
		}
	}
	var err error
	if cond.parts, err = (&reader{c: r.c, n: n, s: r.s}).parts(); err != nil {
		return cond, false
	}
	return r.c.askedOfKey(cond, r.s)
}

// askedOfKey completes a condition by the key and values that its if asks for.
func (c *normalizer) askedOfKey(cond condition, s scope) (condition, bool) {
	form, err := c.cases(cond.parts[0], s.part(jsontext.Object))
	if err != nil || form.partial || len(form.clauses) != 1 {
		return cond, false
	}
	var table *propTable
	for _, l := range form.clauses[0] {
		switch {
		case l.op == opProps && table == nil && len(l.props.keys) == 1 && len(l.props.langs) == 0 && l.props.extra == trueRef:
			table = l.props
		case l.op == opRequired && (!cond.required || cond.key == l.strs[0]):
			cond.key, cond.required = l.strs[0], true
		default:
			return cond, false
		}
	}
	if table == nil || cond.required && cond.key != table.keys[0] {
		return cond, false
	}
	cond.key = table.keys[0]
	var named bool
	cond.values, named = c.namedValues(table.goals[0], s, true)
	return cond, named
}

// allOf is a conjunction, with a switch in place of the conditions on one key.
func (r *reader) allOf(list []ref) (*formula, error) {
	f := and(schemas(list)...)
	if r.s.kind != jsontext.Object || len(list) < 2 || r.c.opt.Lenient { // what is left out may be a part of a condition
		return f, nil
	}
	byKey := map[string][]condition{}
	keyOf := map[int]string{}
	for i, x := range list {
		if cond, ok := r.conditionOf(x); ok {
			byKey[cond.key] = append(byKey[cond.key], cond)
			keyOf[i] = cond.key
		}
	}
	short := &formula{shape: isAnd, opposite: f}
	for i, sub := range f.subs {
		key, is := keyOf[i]
		conds := byKey[key]
		switch {
		case !is || len(conds) == 1:
			short.subs = append(short.subs, sub)
		case conds != nil: // the first one
			short.subs = append(short.subs, r.switchOn(key, conds))
			byKey[key] = nil
		}
	}
	if len(short.subs) == len(f.subs) {
		short = f
	}
	return short, nil
}

// switchOn is a list of conditions on a key, case by case.
func (r *reader) switchOn(key string, conds []condition) *formula {
	from := origin{r.n, "allOf"}
	f := or()
	add := func(holds func(i int) bool, known ...*formula) {
		f.subs = append(f.subs, and(append(known, consequences(conds, holds)...)...))
	}
	present := lit(from.requires(key))
	every := values{}
	for _, group := range groupValues(conds) {
		maps.Copy(every, group.values)
		known := []*formula{present, lit(from.onKey(key, r.c.doc.oneOfThese(group.values, from)))}
		for i := range group.holds { // the if itself, where it alone holds for just these values
			if len(group.holds) == 1 && conds[i].required && maps.Equal(conds[i].values, group.values) {
				known = []*formula{schema(conds[i].parts[0])}
			}
		}
		add(func(i int) bool { return group.holds[i] }, known...)
	}
	add(func(int) bool { return false }, present, lit(from.onKey(key, r.c.doc.oneOfThese(every, from).not())))
	add(func(i int) bool { return !conds[i].required }, lit(from.onKey(key, falseRef)))
	return f
}

// consequences are the schemas that hold where some of the conditions do.
func consequences(conds []condition, holds func(i int) bool) []*formula {
	var list []*formula
	for i, cond := range conds {
		part := cond.parts[2]
		if holds(i) {
			part = cond.parts[1]
		}
		if part != trueRef {
			list = append(list, schema(part))
		}
	}
	return list
}

// A valueGroup is values for which the same conditions hold.
type valueGroup struct {
	values values
	holds  map[int]bool
}

// groupValues sorts the values of all conditions by which of these hold, in the order of the
// conditions.
func groupValues(conds []condition) []*valueGroup {
	holding := map[string][]int{}
	for i, cond := range conds {
		for v := range cond.values {
			holding[v] = append(holding[v], i)
		}
	}
	var groups []*valueGroup
	bySet := map[string]*valueGroup{}
	for _, cond := range conds {
		for _, v := range slices.Sorted(maps.Keys(cond.values)) {
			set := ""
			for _, i := range holding[v] {
				set += strconv.Itoa(i) + " "
			}
			g := bySet[set]
			if g == nil {
				g = &valueGroup{values{}, map[int]bool{}}
				for _, i := range holding[v] {
					g.holds[i] = true
				}
				bySet[set] = g
				groups = append(groups, g)
			}
			g.values[v] = true
		}
	}
	return groups
}

// oneOfThese is a schema whose instances are some strings and numbers.
func (d *document) oneOfThese(set values, from origin) ref {
	list := &jsontext.Value{Kind: jsontext.Array}
	for _, v := range slices.Sorted(maps.Keys(set)) {
		x := &jsontext.Value{Kind: jsontext.Number, Text: v[1:]}
		if strings.HasPrefix(v, "s") {
			x.Kind = jsontext.String
		}
		list.Items = append(list.Items, x)
	}
	return d.synthetic(objectValue("enum", list), from)
}
