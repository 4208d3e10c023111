package jsonschema

import (
	"errors"
	"strings"
	"testing"
)

// TestMetaKeywords: references lead to what the meta-schemas say of every keyword, also of those
// that constrain nothing.
func TestMetaKeywords(t *testing.T) {
	for _, uri := range []string{"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-07/schema"} {
		for keyword, valid := range map[string]string{"title": `"x"`, "default": `[1]`, "maxLength": `3`, "description": `""`} {
			text := `{"$schema": "` + uri + `#", "properties": {"a": {"$ref": "` + uri + `#/properties/` + keyword + `"}}, "additionalProperties": false}`
			if err := compiled(t, text, Options{}).Check([]byte(`{"a": ` + valid + `}`)); err != nil {
				t.Errorf("%s of %s: %v", keyword, uri, err)
			}
		}
	}
}

// TestNoCases: an object of which no case is left is refused, in any order of keys, too.
func TestNoCases(t *testing.T) {
	var branches []string
	for _, n := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"} {
		branches = append(branches, `{"additionalProperties": {"const": `+n+`}}`)
	}
	text := `{"oneOf": [{}, ` + strings.Join(branches, ", ") + `]}`
	for _, opt := range []Options{{}, {AnyOrder: true}} {
		var refused *UnsupportedError
		if _, err := Compile(t.Context(), []byte(text), opt); !errors.As(err, &refused) {
			t.Errorf("%v is no refusal", err)
		}
	}
}
