package jsonschema

import (
	"encoding/binary"
	"slices"
	"strconv"

	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/grammar/jsonschema/internal/pattern"
	"gcdbench/internal/jsontext"
)

// What a look at the keywords tells: that nothing in a document will be refused, and that a schema
// has an instance.

// foreseeable tells whether the keywords of a document are such that hardly anything about them can
// be refused: those that are refused alone, or in most combinations, are not among them.
func (c *emitter) foreseeable(from int) bool {
	resolved := map[string]bool{}
	for i := from; i < len(c.doc.nodes); i++ { // a reference may add those of another document
		n := c.doc.nodes[i]
		if n.v.Kind != jsontext.Object {
			continue
		}
		for i, key := range n.v.Keys {
			if c.doc.table.byName[key].constrains() && !c.harmless(n, key, n.v.Items[i], resolved) {
				return false
			}
		}
	}
	return true
}

// maxForeseen bounds the counts that are surely counted, and maxEnumerated the values of an
// enumeration that is surely small; maxListed the bytes of one of strings, which have an automaton.
const (
	maxForeseen   = 1000
	maxEnumerated = 2000
	maxListed     = 100_000
	maxPatterns   = 16 // of one schema: what matches none, one or several of them is told apart
)

// harmless tells whether a keyword of a schema is surely not refused.
func (c *emitter) harmless(n *node, key string, v *jsontext.Value, resolved map[string]bool) bool {
	switch key {
	case "type":
		return everyItem(v, func(x *jsontext.Value) bool { return x.Kind == jsontext.String && isType(x.Text) })
	case "enum":
		return v.Kind == jsontext.Array && len(v.Items) > 0 && (v.Size(maxEnumerated) < maxEnumerated || v.To-v.From < maxListed && everyItem(v, isString))
	case "const":
		return v.Size(maxEnumerated) < maxEnumerated
	case "minLength", "minItems", "minProperties", "minContains", "maxContains":
		return isCount(v, maxForeseen)
	case "maxLength", "maxItems", "maxProperties":
		return isCount(v, mostThings)
	case "minimum", "maximum":
		return v.Kind == jsontext.Number && len(v.Text) <= 20
	case "exclusiveMinimum", "exclusiveMaximum":
		return v.Kind == jsontext.Number && len(v.Text) <= 20 || v.Kind == jsontext.Bool && n.draft == draft4
	case "pattern":
		return isString(v) && c.isRegular(v.Text)
	case "format":
		return v.Kind == jsontext.String
	case "uniqueItems":
		return v.Kind == jsontext.Bool
	case "required":
		return v.Kind == jsontext.Array && everyItem(v, isString)
	case "properties":
		return v.Kind == jsontext.Object && everyItem(v, isSchema)
	case "items":
		return isSchema(v) || v.Kind == jsontext.Array && everyItem(v, isSchema)
	case "prefixItems", "anyOf", "allOf", "oneOf":
		return v.Kind == jsontext.Array && len(v.Items) > 0 && everyItem(v, isSchema)
	case "additionalItems", "additionalProperties", "not", "if", "then", "else", "propertyNames", "contains":
		return isSchema(v)
	case "patternProperties":
		return v.Kind == jsontext.Object && len(v.Keys) <= maxPatterns && everyItem(v, isSchema) && !slices.ContainsFunc(v.Keys, func(key string) bool { return !c.isRegular(key) })
	case "dependencies", "dependentSchemas", "dependentRequired":
		return v.Kind == jsontext.Object && everyItem(v, func(x *jsontext.Value) bool {
			return isSchema(x) && key != "dependentRequired" || x.Kind == jsontext.Array && key != "dependentSchemas" && everyItem(x, isString)
		})
	case "multipleOf":
		return v.Kind == jsontext.Number && len(v.Text) <= 4 && number.Parse(v.Text).Sign() > 0
	case "$ref":
		if v.Kind != jsontext.String {
			return false
		}
		at := n.base.String() + " " + v.Text
		ok, known := resolved[at]
		if !known {
			target, err := c.doc.resolve(n, key, v.Text)
			ok = err == nil && target != nil
			resolved[at] = ok
		}
		return ok
	}
	return false
}

// everyItem tells whether all items of an array or object, or else the value itself, are so.
func everyItem(v *jsontext.Value, is func(*jsontext.Value) bool) bool {
	if v.Kind != jsontext.Array && v.Kind != jsontext.Object {
		return is(v)
	}
	for _, x := range v.Items {
		if !is(x) {
			return false
		}
	}
	return true
}

func isString(v *jsontext.Value) bool { return v.Kind == jsontext.String && v.HasText() }

func isSchema(v *jsontext.Value) bool { return v.Kind == jsontext.Object || v.Kind == jsontext.Bool }

// isType tells whether a name is one of type's.
func isType(name string) bool { return kindsNamed(name) != 0 }

// kindsNamed are the kinds of values with a type; none if there is no such type.
func kindsNamed(name string) kinds {
	switch name {
	case "any":
		return ofAll
	case "integer":
		return ofNumbers
	}
	for k := range jsontext.NumKinds {
		if k.String() == name {
			return 1 << k
		}
	}
	return 0
}

// isCount tells whether a value is a number of things up to a limit.
func isCount(v *jsontext.Value, limit int) bool {
	n, err := strconv.Atoi(v.Text)
	return v.Kind == jsontext.Number && err == nil && n >= 0 && n <= limit
}

// isRegular tells whether a pattern is plain, or has an automaton.
func (c *emitter) isRegular(text string) bool {
	if plainPattern(text) != nil {
		return true
	}
	if len(text) > maxPattern {
		return false
	}
	_, err := c.patternLanguage(text).automaton()
	return err == nil
}

// maxPlaces bounds the places for characters of a pattern whose automaton is surely small.
const maxPlaces = 400

// plainPattern is a pattern that is surely regular and its automaton small; nil for others.
func plainPattern(text string) *pattern.Node {
	if len(text) > 4*maxPlaces {
		return nil
	}
	tree, err := pattern.Parse(text)
	if err != nil || !tree.Modest(maxPlaces) {
		return nil
	}
	return tree
}

// matchesPlainly tells whether a pattern is plain and matches some string with so many characters;
// most < 0 for any number.
func matchesPlainly(text string, least, most int) bool {
	var lengths uint64
	if tree := plainPattern(text); tree != nil {
		lengths = tree.Lengths() >> max(least, 0) << max(least, 0)
	}
	if most >= 0 { // the last bit is of many lengths
		lengths &= 1<<min(most+1, 63) - 1
	}
	return lengths != 0
}

// manyValues is how many values an enumeration has whose automaton is costly.
const manyValues = 200

// costly tells whether the rules of a goal take an automaton that nobody has made: better to write
// them when a text asks for them.
func (d *onDemand) costly(refs []ref) bool {
	isNew := func(text string) bool { return !d.kept.patterns.has(text) }
	return slices.ContainsFunc(refs, func(r ref) bool {
		n := d.doc.nodes[r>>1]
		if v := n.get("$ref"); v != nil {
			if target, err := d.doc.resolve(n, "$ref", v.Text); err == nil {
				n = target
			}
		}
		text, keys, list := n.get("pattern"), n.get("patternProperties"), n.get("enum")
		return text != nil && isNew(text.Text) || keys != nil && slices.ContainsFunc(keys.Keys, isNew) || list != nil && len(list.Items) > manyValues
	})
}

// plainDepth bounds how deep it is looked for an instance, and plainPairs the pairs of clauses that
// are joined for it, at 5 us each: the rules of schemas of many cases are written instead, which
// need not join them.
const (
	plainDepth = 8
	plainPairs = 5000
)

// plainly tells whether the keywords of schemas show that a value satisfies all of them. It is
// false where they do not show it.
func (d *onDemand) plainly(refs []ref, depth int) bool {
	switch {
	case len(refs) == 0:
		return true
	case depth > plainDepth:
		return false
	}
	key := string(appendRefs(binary.AppendUvarint(nil, uint64(depth)), refs))
	found, known := d.plain[key]
	if !known {
		var one *node
		if len(refs) == 1 && refs[0]&1 == 0 {
			one = d.doc.nodes[refs[0]>>1]
			found = d.plainNode(one, depth)
		}
		for k := jsontext.Kind(0); k < jsontext.NumKinds && !found; k++ {
			if one != nil && !typed(one, k) {
				continue
			}
			s := outermost(k)
			s.pairs = plainPairs
			d.apart(func() {
				form, err := d.clausesOf(refs, s)
				found = err == nil && slices.ContainsFunc(form.clauses, func(x clause) bool { return d.plainClause(x, k, depth) })
			})
		}
		if d.ctx.Err() != nil {
			return found
		}
		d.plain[key] = found
	}
	return found
}

// plainClause tells whether a clause shows that a value satisfies it.
func (d *onDemand) plainClause(x clause, k jsontext.Kind, depth int) bool {
	switch k {
	case jsontext.Null, jsontext.Bool:
		return true
	case jsontext.Number, jsontext.String:
		set, finite := finiteValuesOf(x, k)
		return len(x) == 0 || len(x) == 1 && plainLiteral(x[0]) || finite && len(set) > 0
	case jsontext.Array:
		return d.plainItems(x, depth)
	}
	tables := literalsOf(x, opProps)
	for _, l := range x {
		switch l.op {
		case opProps:
		case opRequired:
			values, err := valuesOf(tables, l.strs[0])
			if err != nil || slices.Contains(values, falseRef) || !d.plainly(withoutTrue(values), depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// plainItems tells whether a clause shows that an array with as few items as it asks for satisfies
// it.
func (d *onDemand) plainItems(x clause, depth int) bool {
	n, m := limits(x) // whose least is more if items must be equal
	if n > plainDepth || m >= 0 && m < n || len(literalsOf(x, opContains)) > 0 || n > 1 && len(literalsOf(x, opUnique)) > 0 {
		return false
	}
	items := literalsOf(x, opItems)
	for i := range n {
		if values := itemValues(items, i); slices.Contains(values, falseRef) || !d.plainly(withoutTrue(values), depth+1) {
			return false
		}
	}
	return true
}

// withoutTrue are schemas without those that hold of every value.
func withoutTrue(refs []ref) []ref {
	return slices.DeleteFunc(refs, func(r ref) bool { return r == trueRef })
}

// plainLiteral tells whether a string or a number plainly satisfies a literal.
func plainLiteral(l *literal) bool {
	switch l.op {
	case opLength:
		return l.m < 0 || l.n <= l.m
	case opStrings:
		return l.not || len(l.strs) > 0
	case opNumbers:
		return l.not || len(l.nums) > 0
	case opCompare, opWhole, opMultiple:
		return !l.not
	}
	return false
}

// plainValue is plainly of a value where a schema is expected.
func (d *onDemand) plainValue(v *jsontext.Value, depth int) bool {
	n := d.doc.byValue[v]
	return n != nil && depth <= plainDepth && d.plainNode(n, depth)
}

func (d *onDemand) plainNode(n *node, depth int) bool {
	at := nodeAt{n, depth}
	found, known := d.plainAt[at]
	if !known {
		found = d.plainSchema(n, depth)
		d.plainAt[at] = found
	}
	return found
}

// A nodeAt is a schema, and how deep it is looked at.
type nodeAt struct {
	node  *node
	depth int
}

// plainSchema is plainNode of a schema that was not looked at before.
func (d *onDemand) plainSchema(n *node, depth int) bool {
	if n.v.Kind == jsontext.Bool || n.union != nil {
		return n.union == nil && n.v.Truth
	}
	if v := n.get("$ref"); v != nil {
		target, err := d.doc.resolve(n, "$ref", v.Text)
		return err == nil && d.alone(n, "$ref") && d.plainNode(target, depth+1)
	}
	if v := n.get("anyOf"); v != nil {
		some := false
		for _, x := range v.Items {
			some = some || d.plainValue(x, depth+1)
		}
		return some && d.alone(n, "anyOf")
	}
	for k := range jsontext.NumKinds {
		if typed(n, k) && d.plainOf(n, k, depth) {
			return true
		}
	}
	return false
}

// alone tells whether nothing else in a schema says what a keyword is about.
func (d *onDemand) alone(n *node, keyword string) bool {
	for _, key := range n.v.Keys {
		if key != keyword && d.doc.table.byName[key].constrains() && (keyword != "$ref" || n.draft > draft7) {
			return false
		}
	}
	return true
}

// typed tells whether the type of a schema allows a kind of value.
func typed(n *node, k jsontext.Kind) bool {
	v := n.get("type")
	if v == nil {
		return true
	}
	return !everyItem(v, func(x *jsontext.Value) bool { return kindsNamed(x.Text)&(1<<k) == 0 })
}

// plainOf tells whether the keywords about one kind of value show that one satisfies them.
func (d *onDemand) plainOf(n *node, k jsontext.Kind, depth int) bool {
	if n.hasAny("allOf", "oneOf", "not", "if", "$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties") {
		return false
	}
	if n.hasAny("enum", "const") {
		return d.plainEnum(n, k)
	}
	switch k {
	case jsontext.Null, jsontext.Bool:
		return true
	case jsontext.Number:
		least, most, ok := n.bounds("minimum", "maximum")
		return !n.hasAny("multipleOf") && (n.count("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum") <= 1 ||
			ok && least <= most && !n.hasAny("exclusiveMinimum", "exclusiveMaximum"))
	case jsontext.String:
		least, most, ok := n.bounds("minLength", "maxLength")
		if n.hasAny("format") || !ok {
			return !n.hasAny("pattern", "minLength", "maxLength")
		}
		if v := n.get("pattern"); v != nil {
			return matchesPlainly(v.Text, least, most)
		}
		return most < 0 || least <= most
	case jsontext.Array:
		v := n.get("minItems")
		return !n.hasAny("contains") && (v == nil || isCount(v, 0))
	}
	if n.hasAny("minProperties", "dependencies", "dependentRequired", "dependentSchemas") {
		return false
	}
	required := n.get("required")
	return required == nil || !n.hasAny("maxProperties", "patternProperties", "propertyNames") && d.plainRequired(n, required, depth)
}

// bounds are the whole numbers that two keywords have, 0 and -1 where they are absent; they are not
// ok if a number is not whole.
func (n *node) bounds(minimum, maximum string) (least, most int, ok bool) {
	var err, err2 error
	most = -1
	if v := n.get(minimum); v != nil {
		least, err = strconv.Atoi(v.Text)
	}
	if v := n.get(maximum); v != nil {
		most, err2 = strconv.Atoi(v.Text)
	}
	return least, most, err == nil && err2 == nil
}

// count is how many of some keywords a schema has.
func (n *node) count(keywords ...string) (total int) {
	for _, key := range keywords {
		total += btoi(n.get(key) != nil)
	}
	return total
}

func (n *node) hasAny(keywords ...string) bool { return n.count(keywords...) > 0 }

// plainEnum is plainOf where nothing but the type is said of the values that are listed.
func (d *onDemand) plainEnum(n *node, k jsontext.Kind) bool {
	list := n.v
	for i, key := range n.v.Keys {
		switch key {
		case "type":
		case "enum", "const":
			if list != n.v {
				return false
			}
			list = n.v.Items[i]
		default:
			if d.doc.table.byName[key].constrains() {
				return false
			}
		}
	}
	some := func(v *jsontext.Value) bool {
		return v.Kind == k && k != jsontext.Array && k != jsontext.Object && v.HasText()
	}
	if k == jsontext.Number && d.integral(n) {
		return false
	}
	if n.get("const") != nil {
		return some(list)
	}
	return list.Kind == jsontext.Array && slices.ContainsFunc(list.Items, some)
}

// integral tells whether a schema asks for integers.
func (d *onDemand) integral(n *node) bool {
	t := n.get("type")
	return t != nil && !everyItem(t, func(x *jsontext.Value) bool { return x.Text != "integer" })
}

// plainRequired is plainOf for the keys that a schema requires.
func (d *onDemand) plainRequired(n *node, required *jsontext.Value, depth int) bool {
	properties := n.get("properties")
	for _, key := range required.Items {
		var v *jsontext.Value
		if properties != nil {
			v = properties.Get(key.Text)
		}
		if v == nil {
			v = n.get("additionalProperties")
		}
		if v != nil && !d.plainValue(v, depth+1) {
			return false
		}
	}
	return true
}
