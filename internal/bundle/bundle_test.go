package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/internal/must"
)

// TestBundle: a schema of several files means the same as one.
func TestBundle(t *testing.T) {
	files := map[string]string{
		"/parts/number.json": `{"$ref": "common.json#/definitions/n"}`,
		"/parts/common.json": `{"definitions": {"n": {"type": "integer"}}}`,
		"https://x.y/named":  `{"$id": "https://x.y/named", "definitions": {"m": {"const": "m"}}}`,
		"/old.json":          `{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true}`,
	}
	for _, c := range []struct{ name, uri, schema, valid, invalid string }{
		{"by path", "/main.json", `{"properties": {"n": {"$ref": "parts/number.json"}}}`, `{"n": 1}`, `{"n": "x"}`},
		{"by identifier", "", `{"$ref": "https://x.y/named#/definitions/m"}`, `"m"`, `"n"`},
		{"beside the file, where the identifier leads nowhere", "/main.json", `{"$id": "https://nowhere.org/main.json", "items": {"$ref": "parts/number.json"}}`, `[1]`, `[true]`},
		{"a root that is a reference", "/main.json", `{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "parts/common.json#/definitions/n"}`, `1`, `"x"`},
		{"a root that is a reference, with an identifier and definitions", "/main.json", `{"$schema": "http://json-schema.org/draft-06/schema#", "$id": "https://nowhere.org/1/main.json", "$ref": "#/definitions/own", "definitions": {"own": {"$ref": "parts/common.json#/definitions/n"}}}`, `1`, `"x"`},
		{"a file that is a reference", "/main.json", `{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "parts/number.json"}}`, `[1]`, `["x"]`},
		{"a relative identifier", "/a/main.json", `{"$id": "other.json", "$ref": "../parts/number.json"}`, `1`, `"x"`},
		{"of another draft", "/main.json", `{"$ref": "old.json"}`, `2`, `1`},
	} {
		text := Of([]byte(c.schema), c.uri, func(uri string) []byte { return []byte(files[uri]) })
		v, err := labels.New(text)
		if err != nil {
			t.Errorf("%s: %s: %v", c.name, text, err)
			continue
		}
		valid, err := v.Valid([]byte(c.valid))
		invalid, err2 := v.Valid([]byte(c.invalid))
		if err != nil || err2 != nil || !valid || invalid {
			t.Errorf("%s: %s: %v %v %v %v", c.name, text, valid, invalid, err, err2)
		}
	}
	for _, alone := range []string{`{ "type" : "null" }`, `{"$ref": "#/$defs/x", "$defs": {"x": true}}`, `{"$ref": "https://x.y/none"}`, `[`, `true`} {
		if got := Of([]byte(alone), "/main.json", func(string) []byte { return nil }); string(got) != alone {
			t.Errorf("%s became %s", alone, got)
		}
	}
}

// TestShelf: files of a folder are known by their paths and identifiers, and no two by one name.
func TestShelf(t *testing.T) {
	folder := t.TempDir()
	put := func(name, text string) {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	put("a.json", `{"$ref": "b.json"}`)
	put("b.json", `{"$id": "https://x.y/b", "type": "integer"}`)
	put("c.txt", `no schema`)
	files, err := Folder(folder)
	if err != nil || len(files) != 2 || files[0].URI != "/a.json" {
		t.Fatalf("%v %v", files, err)
	}
	s := must.Get(NewShelf(files))(t)
	for _, schema := range []string{`{"$ref": "b.json"}`, `{"items": {"$ref": "https://x.y/b"}}`} { // the first is a.json
		if got := string(s.Bundle([]byte(schema))); !strings.Contains(got, "integer") {
			t.Errorf("%s became %s", schema, got)
		}
	}
	put("d.json", `{"$id": "https://x.y/b"}`)
	files, _ = Folder(folder)
	if _, err := NewShelf(files); err == nil || !strings.Contains(err.Error(), "both called https://x.y/b") {
		t.Errorf("two files of one name: %v", err)
	}
	if _, err := Folder(t.TempDir()); err == nil {
		t.Error("an empty folder is taken")
	}
}
