package jsonschema

import (
	"fmt"
	"net/url"
	"strings"

	"gcdbench/internal/jsontext"
)

// Meta-schemas: the schemas of schemas, one for each draft. They are written here from what the
// specifications say of the value of each keyword, and have the instances of those that the drafts
// publish. Their definitions have the published names, since people refer to these.

// metaURIs are the names of the meta-schemas.
var metaURIs = map[string]draft{
	"http://json-schema.org/draft-04/schema":       draft4,
	"http://json-schema.org/draft-06/schema":       draft6,
	"http://json-schema.org/draft-07/schema":       draft7,
	"https://json-schema.org/draft/2019-09/schema": draft2019,
	"https://json-schema.org/draft/2020-12/schema": draft2020,
}

// A metaKeyword is some keywords with one kind of value, and the drafts that have them.
type metaKeyword struct {
	names        string // with spaces between them
	since, until draft
	value        string // a schema, in which SELF, DEFS and ANCHOR stand for texts of the draft
}

const (
	selfRef      = `{SELF}`
	schemasRef   = `{"$ref": "#/DEFS/schemaArray"}`
	stringsRef   = `{"$ref": "#/DEFS/stringArray"}`
	countRef     = `{"$ref": "#/DEFS/nonNegativeInteger"}`
	aString      = `{"type": "string"}`
	aBoolean     = `{"type": "boolean"}`
	aNumber      = `{"type": "number"}`
	aReference   = `{"type": "string", "format": "uri-reference"}`
	anExpression = `{"type": "string", "format": "regex"}`
	schemaMap    = `{"type": "object", "additionalProperties": {SELF}}`
	typesRef     = `{"$ref": "#/DEFS/simpleTypes"}`
)

var metaKeywords = []metaKeyword{
	{"id $schema", draft4, draft4, aString},
	{"$id", draft6, draft7, aReference},
	{"$id", draft2019, draft2020, `{"type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$"}`},
	{"$schema", draft6, draft2020, `{"type": "string", "format": "uri"}`},
	{"$ref", draft6, draft2020, aReference},
	{"$anchor", draft2019, draft2020, `{"type": "string", "pattern": "ANCHOR"}`},
	{"$dynamicRef", draft2020, draft2020, aReference},
	{"$dynamicAnchor $recursiveAnchor", draft2020, draft2020, `{"type": "string", "pattern": "ANCHOR"}`},
	{"$recursiveAnchor", draft2019, draft2019, aBoolean},
	{"$recursiveRef", draft2019, draft2020, aReference},
	{"$vocabulary", draft2019, draft2020, `{"type": "object", "propertyNames": {"type": "string", "format": "uri"}, "additionalProperties": {"type": "boolean"}}`},
	{"$comment", draft7, draft2020, aString},
	{"title description format", draft4, draft2020, aString},
	{"contentMediaType contentEncoding", draft7, draft2020, aString},
	{"readOnly writeOnly", draft7, draft2020, aBoolean},
	{"deprecated", draft2019, draft2020, aBoolean},
	{"uniqueItems", draft4, draft2020, aBoolean},
	{"exclusiveMaximum exclusiveMinimum", draft4, draft4, aBoolean},
	{"exclusiveMaximum exclusiveMinimum", draft6, draft2020, aNumber},
	{"maximum minimum", draft4, draft2020, aNumber},
	{"multipleOf", draft4, draft4, `{"type": "number", "minimum": 0, "exclusiveMinimum": true}`},
	{"multipleOf", draft6, draft2020, `{"type": "number", "exclusiveMinimum": 0}`},
	{"maxLength minLength maxItems minItems maxProperties minProperties", draft4, draft2020, countRef},
	{"maxContains minContains", draft2019, draft2020, countRef},
	{"pattern", draft4, draft2020, anExpression},
	{"default", draft4, draft2020, `{}`},
	{"const", draft6, draft2020, `{}`},
	{"examples", draft6, draft2020, `{"type": "array"}`},
	{"enum", draft4, draft6, `{"type": "array", "minItems": 1, "uniqueItems": true}`},
	{"enum", draft7, draft2020, `{"type": "array"}`},
	{"type", draft4, draft2020, `{"anyOf": [` + typesRef + `, {"type": "array", "items": ` + typesRef + `, "minItems": 1, "uniqueItems": true}]}`},
	{"required", draft4, draft2020, stringsRef},
	{"dependentRequired", draft2019, draft2020, `{"type": "object", "additionalProperties": ` + stringsRef + `}`},
	{"dependencies", draft4, draft2020, `{"type": "object", "additionalProperties": {"anyOf": [{SELF}, ` + stringsRef + `]}}`},
	{"definitions properties", draft4, draft2020, schemaMap},
	{"patternProperties", draft4, draft6, schemaMap},
	{"patternProperties", draft7, draft2020, `{"type": "object", "additionalProperties": {SELF}, "propertyNames": {"format": "regex"}}`},
	{"$defs dependentSchemas", draft2019, draft2020, schemaMap},
	{"items", draft4, draft2019, `{"anyOf": [{SELF}, ` + schemasRef + `]}`},
	{"items", draft2020, draft2020, selfRef},
	{"prefixItems", draft2020, draft2020, schemasRef},
	{"additionalItems additionalProperties", draft4, draft4, `{"anyOf": [{"type": "boolean"}, {SELF}]}`},
	{"additionalItems", draft6, draft2019, selfRef},
	{"additionalProperties contains propertyNames", draft6, draft2020, selfRef},
	{"unevaluatedItems unevaluatedProperties contentSchema", draft2019, draft2020, selfRef},
	{"if then else", draft7, draft2020, selfRef},
	{"not", draft4, draft2020, selfRef},
	{"allOf anyOf oneOf", draft4, draft2020, schemasRef},
}

// metaDefinitions are the definitions of all drafts, and metaDefinitions4 those of draft 4 alone.
const (
	metaDefinitions = `"schemaArray": {"type": "array", "minItems": 1, "items": {SELF}},
"nonNegativeInteger": {"type": "integer", "minimum": 0}, "nonNegativeIntegerDefault0": {"type": "integer", "minimum": 0},
"simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
"stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true`
	metaDefinitions4 = `, "minItems": 1}, "positiveInteger": {"type": "integer", "minimum": 0},
"positiveIntegerDefault0": {"type": "integer", "minimum": 0`
)

// metaSchema is the meta-schema of a draft.
func metaSchema(uri string, d draft) *jsontext.Value {
	self, defs, anchor, head := `"$ref": "#"`, "definitions", "", `"$id"`
	kinds, more := `["object", "boolean"]`, ""
	switch d {
	case draft4:
		head, kinds = `"id"`, `"object"`
		more = `, "dependencies": {"exclusiveMaximum": ["maximum"], "exclusiveMinimum": ["minimum"]}`
	case draft2019:
		self, defs, anchor, more = `"$recursiveRef": "#"`, "$defs", "^[A-Za-z][-A-Za-z0-9.:_]*$", `, "$recursiveAnchor": true`
	case draft2020:
		self, defs, anchor, more = `"$dynamicRef": "#meta"`, "$defs", "^[A-Za-z_][-A-Za-z0-9._]*$", `, "$dynamicAnchor": "meta"`
	}
	name := uri
	if d <= draft7 {
		name += "#"
	}
	definitions := metaDefinitions
	if d == draft4 {
		definitions += metaDefinitions4
	}
	var properties []string
	for _, k := range metaKeywords {
		if d >= k.since && d <= k.until {
			for _, keyword := range strings.Fields(k.names) {
				properties = append(properties, fmt.Sprintf("%q: %s", keyword, k.value))
			}
		}
	}
	text := fmt.Sprintf(`{"$schema": %q, %s: %q, "type": %s, "DEFS": {%s}}, "properties": {%s}%s}`, name, head, name, kinds, definitions, strings.Join(properties, ", "), more)
	root, err := jsontext.Parse(uri, []byte(strings.NewReplacer("SELF", self, "DEFS", defs, "ANCHOR", anchor).Replace(text)))
	if err != nil {
		panic(err) // it is made of the texts above alone
	}
	return root
}

// metaFile is a meta-schema as a document of a library; nil if a URI is not the name of one.
func metaFile(uri string) *libraryFile {
	d, known := metaURIs[uri]
	if !known {
		return nil
	}
	u, err := url.Parse(uri)
	if err != nil {
		return nil
	}
	return &libraryFile{u, metaSchema(uri, d)}
}
