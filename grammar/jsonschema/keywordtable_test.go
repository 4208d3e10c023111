package jsonschema

import (
	"fmt"
	"slices"
	"testing"
)

// meanings has for each keyword that constrains a schema by it, an instance that only the keyword
// refuses, and a value that it must not have, with the error; "" if it may have any.
var meanings = map[string]struct{ schema, refused, bad, err string }{
	"type":                  {`"type": "null"`, `1`, `"type": 3`, "there is no such type"},
	"enum":                  {`"enum": [1, "a"]`, `2`, `"enum": {}`, "must be an array"},
	"const":                 {`"const": [1]`, `[2]`, ``, ""},
	"minimum":               {`"minimum": 2`, `1`, `"minimum": "2"`, "must be a number"},
	"exclusiveMinimum":      {`"exclusiveMinimum": 2`, `2`, `"exclusiveMinimum": 1e9999`, "has an exponent beyond 1000"},
	"maximum":               {`"maximum": 2`, `3`, `"maximum": null`, "must be a number"},
	"exclusiveMaximum":      {`"exclusiveMaximum": 2`, `2`, `"exclusiveMaximum": []`, "must be a number"},
	"multipleOf":            {`"multipleOf": 2`, `3`, `"multipleOf": 0`, "must be greater than 0"},
	"minLength":             {`"minLength": 1`, `""`, `"minLength": -1`, "must be an integer that is not negative"},
	"maxLength":             {`"maxLength": 1`, `"ab"`, `"maxLength": 1.5`, "must be an integer that is not negative"},
	"pattern":               {`"pattern": "^a"`, `"b"`, `"pattern": "("`, "is not a regular expression"},
	"format":                {`"format": "date"`, `"x"`, ``, ""},
	"minItems":              {`"minItems": 1`, `[]`, `"minItems": "1"`, "must be an integer that is not negative"},
	"maxItems":              {`"maxItems": 1`, `[1, 2]`, `"maxItems": null`, "must be an integer that is not negative"},
	"items":                 {`"items": {"type": "null"}`, `[1]`, `"items": 1`, "must be a schema"},
	"prefixItems":           {`"prefixItems": [{"type": "null"}]`, `[1]`, `"prefixItems": {}`, "must be an array of schemas"},
	"additionalItems":       {`"items": [true], "additionalItems": false`, `[1, 2]`, `"items": [], "additionalItems": 7`, "must be a schema"},
	"contains":              {`"contains": {"const": 1}`, `[2]`, `"contains": 1`, "must be a schema"},
	"minContains":           {`"contains": {"const": 1}, "minContains": 2`, `[1]`, `"contains": true, "minContains": -1`, "must be an integer"},
	"maxContains":           {`"contains": {"const": 1}, "maxContains": 1`, `[1, 1]`, `"contains": true, "maxContains": "1"`, "must be an integer"},
	"uniqueItems":           {`"items": {"enum": [1, 2]}, "uniqueItems": true`, `[1, 1]`, ``, ""},
	"unevaluatedItems":      {`"prefixItems": [true], "unevaluatedItems": false`, `[1, 2]`, `"unevaluatedItems": 1`, "must be a schema"},
	"minProperties":         {`"minProperties": 1`, `{}`, `"minProperties": []`, "must be an integer"},
	"maxProperties":         {`"maxProperties": 1`, `{"a": 1, "b": 2}`, `"maxProperties": 0.5`, "must be an integer"},
	"properties":            {`"properties": {"a": {"type": "null"}}`, `{"a": 1}`, `"properties": []`, "must be an object"},
	"patternProperties":     {`"patternProperties": {"^a": {"type": "null"}}`, `{"ab": 1}`, `"patternProperties": {"[": {}}`, "is not a regular expression"},
	"additionalProperties":  {`"properties": {"a": {}}, "additionalProperties": false`, `{"b": 1}`, `"additionalProperties": "x"`, "must be a schema"},
	"required":              {`"required": ["a"]`, `{}`, `"required": ["a", 1]`, "must be an array of strings"},
	"propertyNames":         {`"propertyNames": {"maxLength": 1}`, `{"ab": 1}`, `"propertyNames": []`, "must be a schema"},
	"unevaluatedProperties": {`"properties": {"a": {}}, "unevaluatedProperties": false`, `{"b": 1}`, `"unevaluatedProperties": 0`, "must be a schema"},
	"dependencies":          {`"dependencies": {"a": ["b"]}`, `{"a": 1}`, `"dependencies": []`, "must be an object"},
	"dependentRequired":     {`"dependentRequired": {"a": ["b"]}`, `{"a": 1}`, `"dependentRequired": {"a": [1]}`, "must be an array of strings"},
	"dependentSchemas":      {`"dependentSchemas": {"a": false}`, `{"a": 1}`, `"dependentSchemas": {"a": []}`, "must be a schema"},
	"$ref":                  {`"$ref": "#/$defs/d", "$defs": {"d": {"type": "null"}}`, `1`, `"$ref": 1`, "must be a string"},
	"$recursiveRef":         {`"items": {"$recursiveRef": "#"}, "maxItems": 1`, `[[1, 2]]`, `"$recursiveRef": {}`, "must be a string"},
	"$dynamicRef":           {`"$dynamicRef": "#d", "$defs": {"d": {"$dynamicAnchor": "d", "type": "null"}}`, `1`, `"$dynamicRef": "#e"`, "there is no such anchor"},
	"allOf":                 {`"allOf": [{"type": "null"}]`, `1`, `"allOf": []`, "must be an array of at least one schema"},
	"anyOf":                 {`"anyOf": [{"type": "null"}, {"const": 1}]`, `2`, `"anyOf": {}`, "must be an array of at least one schema"},
	"oneOf":                 {`"oneOf": [{"minimum": 1}, {"minimum": 2}]`, `2`, `"oneOf": [1]`, "/oneOf/0: must be a schema"},
	"not":                   {`"not": {"type": "null"}`, `null`, `"not": "x"`, "must be a schema"},
	"if":                    {`"if": {"const": 1}, "then": false`, `1`, `"if": 1`, "must be a schema"},
	"then":                  {`"if": true, "then": {"type": "null"}`, `1`, `"if": true, "then": 1`, "must be a schema"},
	"else":                  {`"if": false, "else": {"type": "null"}`, `1`, `"if": true, "else": []`, "must be a schema"},
}

// drafts are those that a schema may name, in order.
var drafts = []draft{draft4, draft6, draft7, draft2019, draft2020}

// in is a schema that names a draft.
func (d draft) in(members string) string {
	name := map[draft]string{draft4: "4", draft6: "6", draft7: "7", draft2019: "2019-09", draft2020: "2020-12"}[d]
	return fmt.Sprintf(`{"$schema": %q, %s}`, schemaURIs[name], members)
}

// TestKeywordTable: every keyword that constrains does so from its draft on, and not before; a
// value that it must not have is an error with its place.
func TestKeywordTable(t *testing.T) {
	for _, w := range keywords {
		if !w.constrains() {
			continue
		}
		m, known := meanings[w.name]
		if !known {
			t.Errorf("the keyword %s has no example: add a schema and an instance that it alone refuses to meanings", w.name)
			continue
		}
		since := w.since
		if w.with != "" {
			at := slices.IndexFunc(keywords, func(o keyword) bool { return o.name == w.with })
			if at < 0 || keywords[at].read == nil {
				t.Errorf("%s is read with %s, which has no handler", w.name, w.with)
				continue
			}
			since = max(since, keywords[at].since)
		}
		for _, d := range drafts {
			if d >= since {
				continue // it constrains
			}
			if accepts, _, err := acceptance(d.in(m.schema), Options{}); err != nil || !accepts(m.refused) {
				t.Errorf("%s constrains in draft %d (%v)", w.name, d, err)
			}
		}
		newest := draft2020
		if w.name == "additionalItems" { // beside an array of items
			newest = draft2019
		}
		accepts, _, err := acceptance(newest.in(m.schema), Options{})
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
		} else if accepts(m.refused) {
			t.Errorf("%s accepts %s", m.schema, m.refused)
		}
		if m.err == "" {
			continue
		}
		if _, _, err := acceptance(newest.in(m.bad), Options{}); err == nil || !contained(err.Error(), m.err) || !contained(err.Error(), "/"+w.name) {
			t.Errorf("%s: the error is %v, want one of /%s with %q", m.bad, err, w.name, m.err)
		}
	}
}
