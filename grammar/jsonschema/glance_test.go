package jsonschema

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"gcdbench/internal/must"
)

// TestPlainTexts: which texts are put off without being read.
func TestPlainTexts(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true,
		`{"type": "object", "properties": {"a": {"type": ["string", "null"], "description": "x \" y"}}, "required": ["a"]}`: true,
		`{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}}, "title": "id"}`:          true,
		`{"properties": {"id": {"enum": ["a"]}}, "required": ["id"], "additionalProperties": false} `:                       true,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"format": "date", "minLength": 3}}`:               true,
		`{"properties": {"a": {"anyOf": [{"type": "string"}]}}, "required": ["a"]}`:                                         false, // it may have no instance
		`{"properties": {"a": {}}, "required": ["b"], "additionalProperties": false}`:                                       false,
		`{"properties": {"a": false}, "required": ["a"]}`:                                                                   false,
		`{"type": "integer", "enum": ["a"]}`:                                                                                false,
		`{"type": "text"}`:                                                                                                  false,
		`{"type": []}`:                                                                                                      false,
		`{"enum": []}`:                                                                                                      false,
		`{"enum": [1]}`:                                                                                                     false,
		`{"minimum": 3, "maximum": 2}`:                                                                                      false,
		`{"minLength": -1}`:                                                                                                 false,
		`{"pattern": "a(?=b)"}`:                                                                                             false,
		`{"properties": {"a": {"$ref": "#/x"}}}`:                                                                            false,
		`{"type": "string", "type": "object"}`:                                                                              false,
		`{"uniqueItems": true}`:                                                                                             false, // terminals of their own
		`{"$id": "a"}`:                                                                                                      false,
		`{"t\u0079pe": "text"}`:                                                                                             false,
		`{"properties": {"a": {"oneOf": []}}}`:                                                                              false,
		`{"additionalProperties": 1}`:                                                                                       false,
		`{"required": "a"}`:                                                                                                 false,
		`{"description": "a` + "\n" + `"}`:                                                                                  false,
		`{"description": 01}`:                                                                                               false,
		`{"description": [1,]}`:                                                                                             false,
		`{} {}`:                                                                                                             false,
		`true`:                                                                                                              false,
		`{"description": tru}`:                                                                                              false,
		`{"description": "\ud83d\ude00 \n", "x": [1.5e3, {}, [], null, true, false, "` + "é" + `"]}`: true,
	} {
		if got := new(Glance).isPlain([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
		if want {
			shownPlain(t, []byte(text))
		}
	}
}

// shownPlain checks that a schema which is put off can be written, and has an instance.
func shownPlain(t *testing.T, text []byte) {
	t.Helper()
	root, err := parseSchema(Options{}, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	doc, err := newDocument(root, Options{}.withDefaults())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if c := newEmitter(t.Context(), doc, Options{}.withDefaults()); !c.foreseeable(0) || doc.compares {
		t.Errorf("%s: something in it may be refused, or needs terminals of its own", text)
	}
	if _, err := Compile(t.Context(), text, Options{}); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// TestPlainTools: of the functions of the development corpus most are put off, rightly.
func TestPlainTools(t *testing.T) {
	f, err := os.Open("../../../shared/data/tools-dev.jsonl.gz")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	all, plain := 0, 0
	for lines := bufio.NewReaderSize(z, 1<<20); ; all++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var tool struct{ Parameters json.RawMessage }
		must.OK(t, json.Unmarshal(line, &tool))
		if new(Glance).isPlain(tool.Parameters) {
			plain++
			if all%10 == 0 {
				shownPlain(t, tool.Parameters)
			}
		}
	}
	if plain < all*9/10 {
		t.Errorf("%d of %d", plain, all)
	}
}
