package jsonschema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// numberedTexts joins texts of the numbers below n.
func numberedTexts(n int, f func(i int) string) string {
	var parts []string
	for i := range n {
		parts = append(parts, f(i))
	}
	return strings.Join(parts, ", ")
}

// practice has schemas of the kinds that real files have and benchmarks lack. In any order of keys
// all are right in full; with ordered, texts that keep the declared order are, too.
var practice = []struct {
	name, schema string
	in, out      []string
}{
	{"oneOf of eight that exclude each other pairwise", `{"oneOf": [{}, ` + numberedTexts(7, func(i int) string { return fmt.Sprintf(`{"additionalProperties": {"const": %d}}`, i) }) + `]}`, []string{`{"k": "x"}`, `{"k": 7, "l": 1}`, `{"k": 1, "l": 2}`}, []string{`{}`, `{"k": 3}`, `{"k": 3, "l": 3}`, `1`, `"x"`}},
	{"oneOf of twenty", `{"type": "object", "oneOf": [{}, ` + numberedTexts(19, func(i int) string { return fmt.Sprintf(`{"additionalProperties": {"const": %d}}`, i) }) + `]}`, []string{`{"k": "x"}`, `{"k": 70, "l": 1}`}, []string{`{}`, `{"k": 3}`, `{"k": 18, "l": 18}`}},
	{"oneOf of thirty patterns", `{"type": "object", "oneOf": [{}, ` + numberedTexts(29, func(i int) string {
		return fmt.Sprintf(`{"patternProperties": {"^k": {"const": %d}}, "required": ["k"]}`, i)
	}) + `]}`, []string{`{"k": "x"}`, `{"k": 70, "l": 1}`, `{}`, `{"k1": 3}`, `{"k": 3, "k2": 4}`}, []string{`{"k": 3}`, `{"k": 18, "k2": 18}`}},
	{"unique strings", `{"properties": {"tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}}`, []string{`{"tags": ["b", "a", "c"]}`, `{"tags": []}`}, []string{`{"tags": ["a", "b", "a"]}`, `{"tags": ["a", "\u0061"]}`}},
	{"unique values of many, descending", `{"type": "array", "uniqueItems": true, "items": {"enum": [` + numberedTexts(30, func(i int) string { return fmt.Sprintf(`"card %d"`, i) }) + `]}}`, []string{`["card 29", "card 20", "card 3", "card 0"]`}, []string{`["card 3", "card 2", "card 3"]`}},
	{"unique numbers, in any order", `{"type": "array", "uniqueItems": true, "minItems": 6, "maxItems": 6, "items": {"type": "integer", "minimum": 1, "maximum": 49}}`, []string{`[49, 3, 17, 2, 44, 5]`}, []string{`[49, 3, 17, 2, 44, 3]`, `[49, 3, 17, 2, 44, 3.0]`}},
	{"not of unique items", `{"type": "array", "not": {"uniqueItems": true, "items": {"type": "integer"}}}`, []string{`[1, 2, 1]`, `["x"]`}, []string{`[1, 2]`, `[]`}},
	{"if of unique items", `{"type": "array", "if": {"uniqueItems": true}, "then": {"maxItems": 2}, "else": {"minItems": 3}}`, []string{`[1, 2]`, `[1, 1, 2]`, `[]`}, []string{`[1, 2, 3]`, `[1, 1]`}},
	{"oneOf of unique items", `{"type": "array", "oneOf": [{"uniqueItems": true}, {"items": {"type": "string"}}]}`, []string{`[1, 2]`, `["a", "b", "a"]`}, []string{`["a", "b"]`, `[1, 1]`}},
	{"unevaluated beside $ref", `{"$ref": "#/$defs/B", "properties": {"name": {"type": "string"}}, "unevaluatedProperties": false, "$defs": {"B": {"properties": {"id": {"type": "integer"}}}}}`, []string{`{"id":1,"name":"x"}`, `{"name": "x", "id": 2}`, `{}`}, []string{`{"z":1}`, `{"id": "x"}`}},
	{"unevaluated beside if and dependentSchemas", `{"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"properties": {"a": true}}, "else": {"properties": {"b": true}}, "dependentSchemas": {"a": {"properties": {"c": true}}}, "unevaluatedProperties": false}`, []string{`{"k": 1, "a": 1, "c": 2}`, `{"b": 1}`}, []string{`{"k": 1, "b": 1}`, `{"k": 1, "c": 1}`, `{"k": 2}`}},
	{"unevaluated items beside contains and prefixes", `{"allOf": [{"prefixItems": [true]}], "contains": {"type": "string"}, "unevaluatedItems": {"type": "null"}}`, []string{`[1, "a", null]`, `["x"]`, `[1, null, "x"]`}, []string{`[1]`, `[1, 2, "x"]`}},
	{"a keyword that the draft does not have", `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"not": {"$dynamicRef": "#/definitions/b"}}, "c": {"$recursiveRef": "#/definitions/b"}}, "definitions": {"b": {"type": "integer"}}}`, []string{`{"c": "x"}`}, []string{`{"a": "x"}`}},
	{"a generic list", `{"$id": "https://example.com/strings", "$ref": "list", "$defs": {"item": {"$dynamicAnchor": "T", "type": "string"}, "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#T"}, "$defs": {"T": {"$dynamicAnchor": "T"}}}}}`, []string{`["a"]`, `[]`}, []string{`[1]`}},
	{"$recursiveRef over two resources", `{"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "https://example.com/strict", "$recursiveAnchor": true, "$ref": "tree", "unevaluatedProperties": false, "$defs": {"t": {"$id": "tree", "$recursiveAnchor": true, "type": "object", "properties": {"c": {"items": {"$recursiveRef": "#"}}}}}}`, []string{`{"c": [{}, {"c": []}]}`}, []string{`{"c": [{"d": 1}]}`, `{"d": 1}`}},
	{"a lookahead that counts, before a start", `{"pattern": "(?=.{1,64}$)(https)://([^/]+)/(.+)"}`, []string{`"https://a.b/c"`, `"` + strings.Repeat("x", 100) + `https://a.b/c"`}, []string{`"https://a.b"`, `"https://a/` + strings.Repeat("x", 70) + `"`}},
	{"lookaheads before a start", `{"pattern": "(?=^.{4,253}$)(^((?!-)[a-zA-Z0-9-]{0,62}[a-zA-Z0-9]\\.)+[a-zA-Z]{2,63}$)"}`, []string{`"www.example.com"`, `"a-b.de"`, `"` + strings.Repeat("a.", 120) + `com"`}, []string{`"-a.com"`, `"a.b"`, `"a-.com"`, `"` + strings.Repeat("a.", 126) + `com"`, `"x www.example.com"`}},
	{"a lookahead from the start", `{"pattern": "(?=^a.*c)ab"}`, []string{`"abc"`, `"ab xc"`}, []string{`"xabc"`, `"ab"`, `"aabc"`}},
	{"what does not stand at the start", `{"pattern": "(?!^0|^1)^[0-9]"}`, []string{`"2"`, `"31"`}, []string{`"0"`, `"12"`, `"x2"`}},
	{"words that are counted and a length", `{"type": "string", "pattern": "^(\\S+\\s+){0,99}\\S+$", "maxLength": 5000}`, []string{`"` + strings.Repeat("ab ", 99) + `x"`}, []string{`"` + strings.Repeat("ab ", 101) + `x"`, `"` + strings.Repeat("x", 5001) + `"`, `""`}},
	{"a long mailbox", `{"type": "string", "format": "email", "maxLength": 1024, "minLength": 6}`, []string{`"joe@example.com"`}, []string{`"joe"`, `"a@b.c"`}},
	{"a large divisor", `{"multipleOf": 12345}`, []string{`12345`, `24690`, `0`, `-12345`, `1234500`}, []string{`12346`, `1`}},
	{"divisors that are excluded", `{"type":"integer","allOf":[{"not":{"multipleOf":97}},{"not":{"multipleOf":89}},{"not":{"multipleOf":83}}]}`, []string{`1`, `98`, `-5`}, []string{`97`, `89`, `83`, `0`, `166`, `8633`}},
	{"divisors that are excluded, one of them or all", `{"type":"integer","anyOf":[{"not":{"multipleOf":101}},{"not":{"multipleOf":103}}], "minimum": -20000}`, []string{`1`, `101`, `-103`}, []string{`10403`, `0`, `-10403`}},
	{"twelve independent conditions", conditions(12), []string{`{` + listed(12, `"k%[1]d": "on", "v%[1]d": 1`) + `}`, `{` + listed(12, `"v%[1]d": 1, "k%[1]d": "on"`) + `}`, `{}`, `{"k3": "off"}`}, []string{`{` + listed(12, `"k%[1]d": "on"`) + `}`, `{"k3": "on"}`}},
	{"sixty independent conditions", conditions(60), []string{`{` + listed(60, `"k%[1]d": "on", "v%[1]d": 1`) + `}`, `{}`}, []string{`{` + listed(60, `"k%[1]d": "on"`) + `}`, `{"k59": "on"}`}},
	{"twelve choices of three keys", `{"type": "object", "allOf": [` + listed(12, `{"anyOf": [{"required": ["a%[1]d"]}, {"required": ["b%[1]d"]}, {"required": ["c%[1]d"]}]}`) + `]}`, []string{`{` + listed(12, `"c%d": 1`) + `}`, `{` + listed(6, `"b%[1]d": 1, "a%[1]d": 2`) + `, ` + numberedTexts(6, func(i int) string { return fmt.Sprintf(`"c%d": 0`, i+6) }) + `}`}, []string{`{` + listed(11, `"c%d": 1`) + `}`, `{}`}},
	{"seven patterns that overlap", `{"patternProperties": {` + numberedTexts(7, func(i int) string { return fmt.Sprintf(`"%c": {"not": {"const": %d}}`, 'a'+i, i) }) + `}}`, []string{`{"abcdefg": 12}`, `{"gfed": 2}`, `{"aceg": 1}`}, []string{`{"abcd": 3}`, `{"gfe": 5}`, `{"abcdefg": 6}`}},
	{"seven items that are counted", `{"type": "array", "allOf": [` + listed(7, `{"contains": {"multipleOf": %d.5}, "minContains": 2}`) + `]}`, []string{`[0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 4.5, 5.5, 5.5, 6.5, 6.5]`}, []string{`[0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 4.5, 4.5, 5.5, 5.5, 6.5, 6.5]`, `[]`}},
	{"labels that are the code of none", `{"format": "hostname"}`, []string{`"a.example"`}, []string{`"xn--X"`, `"xn--hello-zed"`, `"xn--al-0ea"`, `"a.xn--X.b"`}},
	{"an apostrophe in a template", `{"format": "uri-template"}`, []string{`"a'b{c}"`}, []string{`"{c"`}},
	{"sixty closed objects that declare keys of their own", `{"oneOf": [` + listed(60, `{"properties": {"kind": {"const": "k%[1]d"}, "a%[1]d": {"type": "integer"}, "b%[1]d": {"type": "null"}, "c": {"type": "string"}, "d": {"enum": [%[1]d]}}, "required": ["kind"], "additionalProperties": false}`) + `]}`, []string{`{"kind": "k7", "a7": 1, "b7": null, "c": "x", "d": 7}`, `{"kind": "k59"}`}, []string{`{"kind": "k7", "a8": 1}`, `{"kind": "k7", "d": 8}`, `{"a7": 1}`, `{"kind": "k60"}`}},
	{"oneOf of formats without a byte in common", `{"type": "string", "oneOf": [{"format": "uri"}, {"format": "hostname"}]}`, []string{`"http://a.b/c"`, `"a.b"`}, []string{`"a b"`, `""`}},
	{"a large maxLength", `{"type": "string", "maxLength": 100000}`, []string{`"` + strings.Repeat("x", 70_000) + `"`}, []string{`"` + strings.Repeat("x", 100_001) + `"`}},
	{"a reference to a meta-schema", `{"$ref": "https://json-schema.org/draft/2020-12/schema"}`, []string{`{"type": "string", "minLength": 1}`, `true`}, []string{`{"minLength": -1}`, `{"type": "x"}`, `3`}},
	{"a property that is a schema of draft 7", `{"properties": {"s": {"$ref": "http://json-schema.org/draft-07/schema#"}}}`, []string{`{"s": {"items": [{"minimum": 1}]}}`}, []string{`{"s": {"minimum": "x"}}`}},
	{"keys in the order of a manifest", `{"type": "object", "properties": {"apiVersion": {"type": "string"}, "kind": {"const": "Pod"}, "metadata": {"type": "object", "properties": {"labels": {"additionalProperties": {"type": "string"}}, "name": {"type": "string"}}, "required": ["name"]}}, "required": ["kind"]}`, []string{`{"kind": "Pod", "metadata": {"name": "a", "labels": {"x": "y"}}, "apiVersion": "v1"}`}, []string{`{"metadata": {"labels": {}}, "kind": "Pod"}`}},
	{"a constant with a lone surrogate", `{"enum": ["\ud800", "x"]}`, []string{`"x"`}, []string{`"\ufffd"`, `"\ud801"`}},
	{"a property with a lone surrogate", `{"properties": {"a": {"enum": ["\ud800"]}, "b": {"enum": ["\ud800", "y"]}}, "required": ["b"]}`, []string{`{"b": "y"}`}, []string{`{"b": "\ufffd"}`, `{"a": "\ufffd", "b": "y"}`}},
	{"a constant with a lone surrogate inside", `{"anyOf": [{"const": {"a": ["\ud800"]}}, {"enum": [{"\udc00": 1}, 3]}]}`, []string{`3`}, []string{`{"a": ["\ufffd"]}`, `{"\ufffd": 1}`}},
}

// conditions are n of which each is on the value of a key of its own.
func conditions(n int) string {
	return `{"type": "object", "allOf": [` + listed(n, `{"if": {"properties": {"k%[1]d": {"const": "on"}}, "required": ["k%[1]d"]}, "then": {"required": ["v%[1]d"]}}`) + `]}`
}

// TestPractice: schemas of the kinds that real files have, in any order of keys.
func TestPractice(t *testing.T) {
	for _, k := range seed.Some(t, practice, 8, 1, 1) {
		t.Run(k.name, func(t *testing.T) {
			for _, o := range []Options{{AnyOrder: true}, {}} {
				result, err := Open(t.Context(), []byte(k.schema), o)
				if errors.Is(err, ErrContradiction) || err != nil {
					t.Errorf("%v", err)
					continue
				}
				r := must.Get(recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
				for text, want := range (row{in: k.in, out: k.out}).texts() {
					if err := r.Check([]byte(text)); (err == nil) != want {
						if want && !o.AnyOrder {
							t.Logf("declared order: %.120s: %.100v", text, err)
							continue
						}
						t.Errorf("any order %v: accepted is %v, which is wrong, of %d bytes: %.200s: %.200v", o.AnyOrder, err == nil, len(text), text, err)
					}
				}
			}
		})
	}
}
