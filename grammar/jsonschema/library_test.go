package jsonschema

import (
	"strings"
	"testing"

	"gcdbench/internal/must"
)

func libraryOf(t *testing.T, files ...File) *Library {
	t.Helper()
	l := must.Get(NewLibrary(files))(t)
	return l
}

// TestLibrary follows references to other documents: by their URIs, by identifiers inside, by
// relative paths, and back.
func TestLibrary(t *testing.T) {
	l := libraryOf(t,
		File{URI: "https://x.y/a.json", Name: "a", Text: []byte(`{"definitions": {"n": {"type": "integer"}, "back": {"$ref": "main.json#/properties/k"}}, "items": {"$ref": "b.json"}}`)},
		File{URI: "https://x.y/b.json", Name: "b", Text: []byte(`{"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": true}`)},
		File{URI: "/bundle.json", Name: "bundle", Text: []byte(`{"$id": "https://z/all", "$defs": {"one": {"$id": "one", "const": 1}, "two": {"$anchor": "two", "const": 2}}}`)},
		File{URI: "/dir/common.json", Name: "common", Text: []byte(`{"definitions": {"s": {"type": "string"}}}`)})
	for _, c := range []struct {
		name, uri, schema string
		valid, invalid    []string
	}{
		{"by its URI", "", `{"$ref": "https://x.y/a.json#/definitions/n"}`, []string{`1`}, []string{`""`}},
		{"one that refers to another, of another draft", "", `{"$ref": "https://x.y/a.json"}`, []string{`[2.5]`}, []string{`[3]`}},
		{"beside the document, and back", "https://x.y/main.json", `{"properties": {"k": {"type": "null"}, "l": {"$ref": "a.json#/definitions/back"}}}`, []string{`{"k": null, "l": null}`}, []string{`{"l": 1}`}},
		{"an identifier in a bundle", "", `{"anyOf": [{"$ref": "https://z/one"}, {"$ref": "https://z/all#two"}]}`, []string{`1`, `2`}, []string{`3`}},
		{"the URI of a file with another identifier", "", `{"$ref": "bundle.json#/$defs/two"}`, []string{`2`}, []string{`1`}},
		{"a file of the same folder", "/dir/main.json", `{"properties": {"s": {"$ref": "common.json#/definitions/s"}}}`, []string{`{"s": ""}`}, []string{`{"s": 1}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.schema, Options{URI: c.uri, Library: l}, c.valid, c.invalid)
		})
	}
	_, err := Compile(t.Context(), []byte(`{"$ref": "https://x.y/c.json"}`), Options{Library: l})
	if err == nil || !strings.Contains(err.Error(), "nothing is fetched") {
		t.Error(err)
	}
	result, err := Compile(t.Context(), []byte(`{"$ref": "https://x.y/a.json#/definitions/n"}`), Options{Library: l})
	if err != nil || len(result.Coverage) != 2 || result.Coverage[1].Pointer != "https://x.y/a.json#/definitions/n/type" {
		t.Errorf("%v: %v", err, result)
	}
}

// TestLibraryErrors says what is no library.
func TestLibraryErrors(t *testing.T) {
	for _, c := range []struct{ uri, text, want string }{
		{"https://x/a", `{"a" 1}`, "second:1:6"},
		{"https://x/a", `17`, "a schema is an object"},
		{"https://x/a#b", `{}`, "no URI without a fragment"},
		{"https://x/first", `{}`, "first and second both have a schema called https://x/first"},
		{"https://x/a", `{"$id": "first"}`, "first and second both have"},
	} {
		_, err := NewLibrary([]File{{URI: "https://x/first", Name: "first", Text: []byte(`{}`)}, {URI: c.uri, Name: "second", Text: []byte(c.text)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestOpenLibrary: what another document has that is refused is refused when the schema is opened.
func TestOpenLibrary(t *testing.T) {
	l := libraryOf(t, File{URI: "https://x.y/a", Name: "a", Text: []byte(`{"definitions": {"deep": {"properties": {"k": {"pattern": "(a)\\1"}}}}}`)})
	for _, schema := range []string{
		`{"properties": {"a": {"properties": {"b": {"$ref": "https://x.y/a#/definitions/deep"}}}}}`,
		`{"properties": {"a": {"$ref": "#/x-more/b"}}, "x-more": {"b": {"properties": {"k": {"pattern": "(a)\\1"}}}}}`,
	} {
		if _, err := Open(t.Context(), []byte(schema), Options{Library: l}); err == nil {
			t.Errorf("%s is opened", schema)
		}
	}
}
