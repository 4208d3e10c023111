package jsonschema

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Conditions on one key. What other languages have a switch for, people write as a list of conditionals:
//
//	"allOf": [{"if": {"properties": {"type": {"const": "a"}}}, "then": ...}, {"if": {"properties": {"type": {"const": "b"}}}, "then": ...}, ...]
//
// Each is true in two ways, so that n of them have 2^n combinations, of which all but n + 2 are impossible; finding
// that out one by one takes time quadratic in n for each of the literals, and ends at the limits for n of some sixty.
// But it is seen at once which there are: the key has one of the values that are named, or another one, or is
// not there. In each case it is known of each condition whether it holds.
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
	if n.draft < draft7 || n.get("if") == nil || n.v.kind != kindObject {
		return cond, false
	}
	for _, keyword := range n.v.keys {
		if slices.Contains(constraining, keyword) && !slices.Contains(conditionals, keyword) {
			return cond, false
		}
	}
	var err error
	if cond.parts, err = (&reader{c: r.c, n: n, k: r.k}).parts(); err != nil {
		return cond, false
	}
	return r.c.askedOfKey(cond)
}

// askedOfKey completes a condition by what its if asks for.
func (c *compiler) askedOfKey(cond condition) (condition, bool) {
	defer c.elsewhere()()
	before := c.truncations
	clauses, err := c.cases(cond.parts[0], kindObject)
	if err != nil || c.truncations != before || len(clauses) != 1 {
		return cond, false
	}
	var table *propTable
	for _, l := range clauses[0] {
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
	cond.values, err = c.namedValues(table.goals[0])
	return cond, err == nil
}

// errNotNamed says that a schema does not just name its instances.
var errNotNamed = errors.New("the schema has other instances than strings and numbers that it names")

// namedValues is the set of values of a schema that is a list of strings and numbers. It is exact, other than
// finiteScalars, so that whether a value is in it says whether the schema holds.
func (c *compiler) namedValues(r ref) (values, error) {
	all := values{}
	before := c.truncations
	for k := range numKinds {
		clauses, err := c.cases(r, k)
		if err != nil {
			return nil, err
		}
		for _, x := range clauses {
			if len(x) != 1 || x[0].not || x[0].op != opStrings && x[0].op != opNumbers {
				return nil, errNotNamed
			}
			set, _ := finiteValuesOf(x, k)
			maps.Copy(all, set)
		}
	}
	if c.truncations != before {
		return nil, errNotNamed
	}
	return all, nil
}

// conjunction is the formula of allOf, with a switch in place of the conditions on one key.
func (r *reader) conjunction(list []ref) *formula {
	f := and()
	for _, x := range list {
		f.subs = append(f.subs, schema(x))
	}
	if r.k != kindObject || len(list) < 2 || r.c.opt.Lenient { // what is left out may be a part of a condition
		return f
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
		return f
	}
	return short
}

// switchOn is a list of conditions on a key, case by case.
func (r *reader) switchOn(key string, conds []condition) *formula {
	l := &literal{node: r.n, keyword: "allOf"}
	present := lit(literal{op: opRequired, strs: []string{key}, node: r.n, keyword: "allOf"})
	f := or()
	every := values{}
	for _, group := range groupValues(conds) {
		maps.Copy(every, group.values)
		holds := func(i int) bool { return group.holds[i] }
		f.subs = append(f.subs, and(append([]*formula{present, lit(l.onKey(key, r.c.oneOfThese(group.values, r.n)))}, consequences(conds, holds)...)...))
	}
	none := func(int) bool { return false }
	f.subs = append(f.subs, and(append([]*formula{present, lit(l.onKey(key, r.c.oneOfThese(every, r.n).not()))}, consequences(conds, none)...)...))
	absent := func(i int) bool { return !conds[i].required }
	f.subs = append(f.subs, and(append([]*formula{lit(l.onKey(key, falseRef))}, consequences(conds, absent)...)...))
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

// groupValues sorts the values of all conditions by which of these hold, in the order of the conditions.
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
		for _, v := range sortedValues(cond.values) {
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

// sortedValues lists a set.
func sortedValues(set values) []string {
	list := make([]string, 0, len(set))
	for v := range set {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// oneOfThese is a schema whose instances are some strings and numbers.
func (c *compiler) oneOfThese(set values, from *node) ref {
	list := &value{kind: kindArray}
	for _, v := range sortedValues(set) {
		x := &value{kind: kindNumber, text: v[1:]}
		if strings.HasPrefix(v, "s") {
			x.kind = kindString
		}
		list.items = append(list.items, x)
	}
	s := &value{kind: kindObject}
	s.set("enum", list)
	r := c.synthetic(s)
	n := c.doc.nodes[r>>1]
	n.origin, n.keyword = from, "allOf"
	return r
}
