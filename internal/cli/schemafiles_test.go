package cli

import (
	"strings"
	"testing"
)

// TestSchemaWarnings: keywords that are there twice, and those of another draft, are noted.
func TestSchemaWarnings(t *testing.T) {
	schema := write(t, "s.json", `{"$schema": "http://json-schema.org/draft-06/schema#", "minimum": 1, "minimum": 2, "properties": {"a": {"if": true, "then": false, "minContains": 2, "prefixItems": []}, "b": {}, "b": true}}`)
	instance := write(t, "i.json", `3`)
	for _, args := range [][]string{{"schema", "compile", schema}, {"schema", "check", schema, instance}, {"grammar", "check", "-g", schema, instance}} {
		r := gcdbench(t, "", append(args, "--quiet=false")...)
		for _, want := range []string{"s.json: /minimum: this key is there twice, and the last counts", "/properties/b: this key is there twice", "s.json: /properties/a/if: draft 6 does not have this keyword",
			"/properties/a/then: draft 6", "/properties/a/minContains: draft 6", "/properties/a/prefixItems: draft 6"} {
			if r.status != exitOK || !strings.Contains(r.err, want) {
				t.Errorf("%v: %d: no %q in %s", args, r.status, want, r.err)
			}
		}
	}
}
