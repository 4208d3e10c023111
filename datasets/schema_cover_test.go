package datasets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
)

// coverKeywords are the keywords that the samples have to use, each enforced at least once (some
// narrowly: numbers that are compared are not written in every way).
var coverKeywords = strings.Fields(`type enum const properties required additionalProperties patternProperties propertyNames
	minProperties maxProperties items prefixItems additionalItems minItems maxItems uniqueItems contains minLength maxLength
	pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf anyOf oneOf allOf not if then else dependencies
	dependentRequired dependentSchemas $ref`)

// coverFormats are the formats that the samples have to use.
var coverFormats = strings.Fields(`date-time date time duration email hostname ipv4 ipv6 uri uri-reference uuid regex json-pointer`)

// coverForms are forms of keywords, and kinds of instances, that the samples have to have.
var coverForms = []string{
	"draft-04", "draft-06", "draft-07", "2019-09", "2020-12", "no draft",
	"items: a schema", "items: an array", "items: false", "boolean schema true", "boolean schema false", "empty schema",
	"exclusive bound: a boolean", "exclusive bound: a number", "multipleOf: a whole number", "multipleOf: a fraction",
	"dependencies: keys", "dependencies: a schema", "type: a list with null", "a null branch", "enum with null",
	"pattern: anchored on both sides", "pattern: anchored on one side", "pattern: not anchored", "pattern: beyond ASCII", "pattern: a class of Unicode",
	"$ref: to the root", "$ref: recursive", "$ref: by $defs", "$ref: by definitions", "$ref: by an anchor", "$ref: by an identifier", "$ref: beside other keywords",
	"id of draft 4", "$id", "$anchor", "annotations",
	"instance: an escape of a character", "instance: a surrogate pair", "instance: an escaped quotation mark", "instance: an escaped slash",
	"instance: characters beyond ASCII", "instance: an exponent", "instance: a negative number", "instance: an empty array", "instance: an empty object",
	"instance: an empty key", "instance: nested three deep", "instance: an array",
}

// TestSchemaSamplesCover lists what the samples use, and fails if something is missing.
func TestSchemaSamplesCover(t *testing.T) {
	enforced, drafts := map[string]int{}, map[string]int{}
	c := cover{forms: map[string]int{}, formats: map[string]int{}}
	for _, s := range schemaSamples(t) {
		result, err := jsonschema.Compile(context.Background(), s.Schema, jsonschema.Options{})
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		for _, k := range result.Coverage {
			if k.Status == jsonschema.Enforced || k.Status == jsonschema.Narrower {
				enforced[k.Keyword]++
			}
		}
		var schema any
		must.OK(t, json.Unmarshal(s.Schema, &schema))
		drafts[c.root(schema)]++
		for _, i := range s.Tests {
			if i.Valid {
				c.instance(i.Data)
			}
		}
	}
	for what, counts := range map[string]struct {
		wanted []string
		had    map[string]int
	}{"keyword": {coverKeywords, enforced}, "format": {coverFormats, c.formats}, "form": {coverForms, c.forms}} {
		for _, name := range counts.wanted {
			if counts.had[name] == 0 {
				t.Errorf("no sample covers the %s %s", what, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(counts.had)) {
			t.Logf("%s %s: %d", what, name, counts.had[name])
		}
	}
	for draft, n := range drafts {
		if n < 4 {
			t.Errorf("%d schemas of draft %s", n, draft)
		}
	}
}

// A cover counts what schemas and instances use.
type cover struct {
	forms, formats map[string]int
	modern         bool // of the schema at hand: a $ref has a meaning beside other keywords
}

func (c *cover) has(form string, ok bool) {
	if ok {
		c.forms[form]++
	}
}

// root counts a document and returns its draft.
func (c *cover) root(schema any) string {
	text := ""
	if s, ok := schema.(map[string]any); ok {
		text, _ = s["$schema"].(string)
	}
	draft := "no draft"
	for _, name := range coverForms[:5] {
		if strings.Contains(text, "/"+name+"/") {
			draft = name
		}
	}
	c.has(draft, true)
	c.modern = !strings.HasPrefix(draft, "draft")
	c.schema(schema, nil)
	return draft
}

// Where schemas are inside of a schema, by keyword.
var (
	schemaValues = strings.Fields("items additionalItems additionalProperties propertyNames contains not if then else")
	schemaLists  = strings.Fields("items prefixItems allOf anyOf oneOf")
	schemaMaps   = strings.Fields("properties patternProperties $defs definitions dependentSchemas dependencies")
)

// schema counts a schema and those inside; under are the names of the definitions around it.
func (c *cover) schema(x any, under []string) {
	switch s := x.(type) {
	case bool:
		c.has("boolean schema true", s)
		c.has("boolean schema false", !s)
	case map[string]any:
		c.has("empty schema", len(s) == 0)
		c.keywords(s, under)
		for _, k := range schemaValues {
			c.schema(s[k], under)
		}
		for _, k := range schemaLists {
			if list, ok := s[k].([]any); ok {
				for _, sub := range list {
					c.schema(sub, under)
				}
			}
		}
		for _, k := range schemaMaps {
			subs, _ := s[k].(map[string]any)
			for name, sub := range subs {
				if k == "$defs" || k == "definitions" {
					c.schema(sub, append(under, name))
				} else {
					c.schema(sub, under)
				}
			}
		}
	}
}

// keywords counts the forms of the keywords of one schema.
func (c *cover) keywords(s map[string]any, under []string) {
	if f, ok := s["format"].(string); ok {
		c.formats[f]++
	}
	c.items(s)
	for _, k := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		_, boolean := s[k].(bool)
		_, number := s[k].(float64)
		c.has("exclusive bound: a boolean", boolean)
		c.has("exclusive bound: a number", number)
	}
	if m, ok := s["multipleOf"].(float64); ok {
		c.has("multipleOf: a whole number", m == float64(int(m)))
		c.has("multipleOf: a fraction", m != float64(int(m)))
	}
	if d, ok := s["dependencies"].(map[string]any); ok {
		for _, v := range d {
			_, keys := v.([]any)
			c.has("dependencies: keys", keys)
			c.has("dependencies: a schema", !keys)
		}
	}
	types, _ := s["type"].([]any)
	c.has("type: a list with null", slices.Contains(types, any("null")))
	values, _ := s["enum"].([]any)
	c.has("enum with null", slices.Contains(values, any(nil)))
	c.has("a null branch", s["type"] == "null")
	for _, k := range []string{"$id", "$anchor"} {
		c.has(k, s[k] != nil)
	}
	_, id := s["id"].(string)
	c.has("id of draft 4", id)
	for _, k := range []string{"title", "description", "default", "examples"} {
		_, nested := s[k].(map[string]any) // a property of that name
		c.has("annotations", s[k] != nil && !nested)
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for p := range patterns {
		c.pattern(p)
	}
	if p, ok := s["pattern"].(string); ok {
		c.pattern(p)
	}
	c.reference(s, under)
}

func (c *cover) items(s map[string]any) {
	switch x := s["items"].(type) {
	case []any:
		c.has("items: an array", true)
	case bool:
		c.has("items: false", !x)
	case map[string]any:
		c.has("items: a schema", true)
	}
}

func (c *cover) pattern(p string) {
	left, right := strings.HasPrefix(p, "^"), strings.HasSuffix(p, "$")
	c.has("pattern: anchored on both sides", left && right)
	c.has("pattern: anchored on one side", left != right)
	c.has("pattern: not anchored", !left && !right)
	c.has("pattern: a class of Unicode", strings.Contains(p, `\p{`))
	c.has("pattern: beyond ASCII", strings.ContainsFunc(p, func(r rune) bool { return r >= 0x80 }))
}

func (c *cover) reference(s map[string]any, under []string) {
	to, ok := s["$ref"].(string)
	if !ok {
		return
	}
	name := to[strings.LastIndexAny(to, "#/")+1:]
	c.has("$ref: by $defs", strings.HasPrefix(to, "#/$defs/"))
	c.has("$ref: by definitions", strings.HasPrefix(to, "#/definitions/"))
	c.has("$ref: by an anchor", strings.HasPrefix(to, "#") && !strings.Contains(to, "/") && to != "#")
	c.has("$ref: by an identifier", !strings.HasPrefix(to, "#"))
	c.has("$ref: to the root", to == "#")
	c.has("$ref: recursive", slices.Contains(under, name) || to == "#")
	c.has("$ref: beside other keywords", c.modern && len(s) > 1)
}

// instance counts the forms of a valid instance.
func (c *cover) instance(data json.RawMessage) {
	text := string(data)
	c.has("instance: an escape of a character", strings.Contains(text, `\u`))
	c.has("instance: a surrogate pair", strings.Contains(text, `\ud83d\u`))
	c.has("instance: an escaped quotation mark", strings.Contains(text, `\"`))
	c.has("instance: an escaped slash", strings.Contains(text, `\/`))
	c.has("instance: characters beyond ASCII", strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }))
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var v any
	if in.Decode(&v) != nil {
		return
	}
	_, array := v.([]any)
	c.has("instance: an array", array)
	c.value(v, 0)
}

func (c *cover) value(v any, depth int) {
	c.has("instance: nested three deep", depth == 3)
	switch x := v.(type) {
	case json.Number:
		c.has("instance: an exponent", strings.ContainsAny(x.String(), "eE"))
		c.has("instance: a negative number", x[0] == '-')
	case []any:
		c.has("instance: an empty array", len(x) == 0)
		for _, item := range x {
			c.value(item, depth+1)
		}
	case map[string]any:
		c.has("instance: an empty object", len(x) == 0)
		for key, item := range x {
			c.has("instance: an empty key", key == "")
			c.value(item, depth+1)
		}
	}
}
