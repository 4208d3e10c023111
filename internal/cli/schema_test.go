package cli

import (
	"strings"
	"testing"
)

func TestSchemaCompile(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		args         []string
		status       int
		want         []string // in the output, or in the error
	}{
		{"enforced", `{"type": "object", "properties": {"a": {"enum": [1, 2]}}}`, nil, exitOK, []string{"terminals", "enforced   /properties/a/enum"}},
		{"narrower", `{"maximum": 3}`, nil, exitOK, []string{"narrower   /maximum: numbers must be written plainly"}},
		{"unsupported", `{"uniqueItems": true}`, nil, exitFailure, []string{"unsupported: /uniqueItems", "refused    /uniqueItems"}},
		{"lenient", `{"uniqueItems": true}`, []string{"--lenient"}, exitOK, []string{"wider      /uniqueItems"}},
		{"contradictory", `{"type": "string", "enum": [1]}`, nil, exitFailure, []string{"no instance satisfies it"}},
		{"any white space", `{}`, []string{"--whitespace", "any", "--any-order"}, exitOK, []string{"terminals"}},
		{"bad white space", `{}`, []string{"--whitespace", "some"}, exitUsage, []string{"strict or any"}},
		{"not JSON", "{\n \"a\" 1}", nil, exitUsage, []string{":2:6: expected :"}},
		{"no schema", `{"type": "text"}`, nil, exitUsage, []string{"/type: there is no such type"}},
		{"bad reference", `{"properties": {"a": {"$ref": "#/$defs/x"}}}`, nil, exitUsage, []string{"/properties/a/$ref", "nothing at that place"}},
		{"bad pattern", `{"pattern": "a("}`, nil, exitUsage, []string{"/pattern", "a group does not end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, "schema.json", c.schema)
			r := gcdbench(t, "", append([]string{"schema", "compile", file}, c.args...)...)
			if r.status != c.status {
				t.Errorf("exit status %d, want %d: %s%s", r.status, c.status, r.out, r.err)
			}
			for _, want := range c.want {
				if !strings.Contains(r.out+r.err, want) {
					t.Errorf("no %q in %s%s", want, r.out, r.err)
				}
			}
		})
	}
}

func TestSchemaCompileJSON(t *testing.T) {
	file := write(t, "schema.json", `{"type": "array", "uniqueItems": true}`)
	r := gcdbench(t, "", "schema", "compile", file, "--json")
	o := object(t, r.out)
	if r.status != exitFailure || o["outcome"] != "unsupported" || len(o["coverage"].([]any)) != 2 || o["grammar"] != nil {
		t.Errorf("exit status %d: %s", r.status, r.out)
	}
	r = gcdbench(t, "", "schema", "compile", file, "--json", "--lenient")
	o = object(t, r.out)
	if r.status != exitOK || o["outcome"] != "ok" || o["counts"].(map[string]any)["wider"] != 1.0 || o["grammar"] == nil {
		t.Errorf("exit status %d: %s", r.status, r.out)
	}
	if _, bad := o["error"]; bad {
		t.Errorf("an error beside the outcome ok: %s", r.out)
	}
}
