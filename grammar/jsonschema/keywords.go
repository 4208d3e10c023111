package jsonschema

import (
	"fmt"

	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/internal/jsontext"
)

// From keywords to formulas. A schema says something else to each kind of value: minLength is
// nothing to a number, and type excludes whole kinds. So a schema is read once for each kind that
// is asked for, and only the keywords about that kind are read. The specification puts it the same
// way: a keyword about strings holds for all that is no string (2020-12 validation, section 6).
//
// A keyword with a value that the specification does not allow (a negative minLength, say) makes
// the schema an error as a whole: validators differ in what they make of it, and the author should
// know.

// A keyword is a row of the table: one that constrains instances, or that holds schemas.
type keyword struct {
	name  string
	about kinds   // the kinds of values that it constrains
	since draft   // the first draft that has it; 0 for all
	holds holding // how its value holds schemas
	with  string  // the keyword whose handler reads this one, too
	leads bool    // others are read with it: read is called also if the keyword is absent, with v nil
	// read is the handler: it adds to the formula what the schema says by the keyword.
	read func(r *reader, keyword string, v *jsontext.Value) error
}

// kinds is a set of kinds of values.
type kinds uint8

const (
	ofNumbers kinds = 1 << jsontext.Number
	ofStrings kinds = 1 << jsontext.String
	ofArrays  kinds = 1 << jsontext.Array
	ofObjects kinds = 1 << jsontext.Object
	ofAll     kinds = 1<<jsontext.NumKinds - 1
)

// holding says how the value of a keyword holds schemas.
type holding uint8

const (
	holdsSchema  holding = 1 << iota // a schema
	holdsSchemas                     // an array of them
	holdsMap                         // an object of them
)

// keywords is the table, in the order of reading. Literals come in that order, and the keys of an
// object in that of its literals. A document has the table (newDocument); nothing else refers to
// it, since handlers lead back to it.
var keywords = []keyword{
	// values.go
	{name: "type", about: ofAll, read: (*reader).types},
	{name: "enum", about: ofAll, read: (*reader).enum},
	{name: "const", about: ofAll, since: draft6, read: (*reader).constant},
	{name: "minimum", about: ofNumbers, leads: true, read: bound("exclusiveMinimum", number.Greater, number.GreaterEqual)},
	{name: "exclusiveMinimum", with: "minimum"},
	{name: "maximum", about: ofNumbers, leads: true, read: bound("exclusiveMaximum", number.Less, number.LessEqual)},
	{name: "exclusiveMaximum", with: "maximum"},
	{name: "multipleOf", about: ofNumbers, read: (*reader).multipleOf},
	{name: "minLength", about: ofStrings, leads: true, read: counts("maxLength")},
	{name: "maxLength", with: "minLength"},
	{name: "pattern", about: ofStrings, read: (*reader).pattern},
	{name: "format", about: ofStrings, read: (*reader).format},

	// structure.go
	{name: "minItems", about: ofArrays, leads: true, read: counts("maxItems")},
	{name: "maxItems", with: "minItems"},
	{name: "items", about: ofArrays, leads: true, holds: holdsSchema | holdsSchemas, read: (*reader).items},
	{name: "prefixItems", since: draft2020, with: "items", holds: holdsSchemas},
	{name: "additionalItems", with: "items", holds: holdsSchema},
	{name: "contains", about: ofArrays, since: draft6, holds: holdsSchema, read: (*reader).contains},
	{name: "minContains", since: draft2019, with: "contains"},
	{name: "maxContains", since: draft2019, with: "contains"},
	{name: "uniqueItems", about: ofArrays, read: (*reader).uniqueItems},
	{name: "minProperties", about: ofObjects, leads: true, read: counts("maxProperties")},
	{name: "maxProperties", with: "minProperties"},
	{name: "properties", about: ofObjects, leads: true, holds: holdsMap, read: (*reader).properties},
	{name: "patternProperties", with: "properties", holds: holdsMap},
	{name: "additionalProperties", with: "properties", holds: holdsSchema},
	{name: "required", about: ofObjects, read: (*reader).required},
	{name: "propertyNames", about: ofObjects, since: draft6, holds: holdsSchema, read: (*reader).propertyNames},
	{name: "dependencies", about: ofObjects, holds: holdsMap, read: (*reader).dependencies},
	{name: "dependentRequired", about: ofObjects, since: draft2019, read: (*reader).dependencies},
	{name: "dependentSchemas", about: ofObjects, since: draft2019, holds: holdsMap, read: (*reader).dependencies},

	// logic.go
	{name: "$ref", about: ofAll, read: (*reader).reference},
	{name: "$recursiveRef", since: draft2019, about: ofAll, read: (*reader).reference},
	{name: "$dynamicRef", since: draft2020, about: ofAll, read: (*reader).reference},
	{name: "allOf", about: ofAll, holds: holdsSchemas, read: combined((*reader).allOf)},
	{name: "anyOf", about: ofAll, holds: holdsSchemas, read: combined((*reader).anyOf)},
	{name: "oneOf", about: ofAll, holds: holdsSchemas, read: combined((*reader).oneOf)},
	{name: "not", about: ofAll, holds: holdsSchema, read: (*reader).not},
	{name: "if", about: ofAll, since: draft7, holds: holdsSchema, read: (*reader).conditional},
	{name: "then", with: "if", holds: holdsSchema},
	{name: "else", with: "if", holds: holdsSchema},

	// unevaluated.go
	{name: "unevaluatedItems", about: ofArrays, since: draft2019, holds: holdsSchema, read: (*reader).unevaluated},
	{name: "unevaluatedProperties", about: ofObjects, since: draft2019, holds: holdsSchema, read: (*reader).unevaluated},

	// Keywords that constrain nothing.
	{name: "$defs", holds: holdsMap},
	{name: "definitions", holds: holdsMap},
	{name: "contentSchema", holds: holdsSchema},
}

// Keywords lists the keywords that the compiler knows, in the order of the table.
func Keywords() (names []string) {
	for i := range keywords {
		names = append(names, keywords[i].name)
	}
	return names
}

// constrains tells whether a keyword constrains instances; any other is an annotation.
func (w *keyword) constrains() bool { return w != nil && (w.read != nil || w.with != "") }

// A keywordTable has the rows of the table by what they are looked up by.
type keywordTable struct {
	byName map[string]*keyword
	byKind [jsontext.NumKinds][]*keyword // those with a handler, in the order of the table
}

var table = func() *keywordTable {
	t := &keywordTable{byName: map[string]*keyword{}}
	for i := range keywords {
		w := &keywords[i]
		t.byName[w.name] = w
		for k := range jsontext.NumKinds {
			if w.about&(1<<k) != 0 {
				t.byKind[k] = append(t.byKind[k], w)
			}
		}
	}
	return t
}()

// formulaOf is what n says about values in a scope.
func (c *normalizer) formulaOf(n *node, s scope) (*formula, error) {
	if n.v.Kind == jsontext.Bool {
		return truth(n.v.Truth), nil
	}
	if n.union != nil {
		return or(schemas(n.union)...), nil
	}
	r := &reader{c: c, n: n, s: s, all: and()}
	alone := n.draft <= draft7 && n.get("$ref") != nil // nothing beside it counts
	for _, w := range c.doc.table.byKind[s.kind] {
		if n.draft < w.since || alone && w.name != "$ref" {
			continue
		}
		if v := n.get(w.name); v != nil || w.leads {
			if err := w.read(r, w.name, v); err != nil {
				return r.all, err
			}
		}
	}
	return r.all, nil
}

// A reader turns the keywords of one schema into a conjunction for one kind.
type reader struct {
	c   *normalizer
	n   *node    // the schema
	s   scope    // of the values
	all *formula // a conjunction of all that was read
}

func (r *reader) add(f *formula)                    { r.all.subs = append(r.all.subs, f) }
func (r *reader) literal(keyword string, l literal) { r.add(r.from(keyword, l)) }
func (r *reader) enforced(keyword string)           { r.c.cover(r.n, keyword, Enforced, "") }

// from notes where a literal comes from.
func (r *reader) from(keyword string, l literal) *formula {
	l.origin = origin{r.n, keyword}
	return lit(l)
}

// leaveOut is what becomes of a keyword that is not supported.
func (r *reader) leaveOut(keyword string, refused *UnsupportedError) error {
	err := r.c.unsupported(r.n, keyword, refused)
	if err == nil {
		r.add(unknown)
	}
	return err
}

func (r *reader) bad(keyword, format string, args ...any) error {
	return &SchemaError{r.n.ptr + "/" + escapePointer(keyword), fmt.Sprintf(format, args...)}
}
