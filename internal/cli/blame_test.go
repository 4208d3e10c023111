package cli

import (
	"strings"
	"testing"
)

const ticketSchema = `{"$defs": {"p": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}, "t": {"items": {"enum": ["a", "b"]}, "maxItems": 2},
	"s": {"type": "string", "pattern": "^[a-c]+$"}, "d": {"format": "date"}}, "additionalProperties": false}},
	"type": "object", "properties": {"status": {"enum": ["open", "assigned"]}, "who": {"type": "string"}, "a": {"$ref": "#/$defs/p"}, "x": {"oneOf": [{"type": "string"}, {"type": "number"}]},
	"y": {"anyOf": [{"const": 1}, {"const": "z"}]}, "w": {"not": {"enum": ["a"]}}},
	"if": {"properties": {"status": {"const": "assigned"}}, "required": ["status"]}, "then": {"required": ["who"]}}`

// TestBlame says which keyword a refusal names, in each of the commands that refuse.
func TestBlame(t *testing.T) {
	schema := write(t, "schema.json", ticketSchema)
	for _, c := range []struct{ instance, want string }{
		{`{"status": "assigned"}`, "/then/required: who is missing"},
		{`{"status": "shut"}`, `/properties/status/enum: it is none of ["open", "assigned"]`},
		{`{"a": {"n": 2}}`, "/$defs/p/properties/n/minimum: the schema says 3"},
		{`{"a": {"n": "2"}}`, `/$defs/p/properties/n/type: the type is not "integer"`},
		{`{"a": {"t": ["c"]}}`, `/$defs/p/properties/t/items/enum: it is none of ["a", "b"]`},
		{`{"a": {"t": ["a", "b", "a"]}}`, "/$defs/p/properties/t/maxItems: the schema says 2"},
		{`{"a": {"s": "abx"}}`, `/$defs/p/properties/s/pattern: it does not match "^[a-c]+$"`},
		{`{"a": {"d": "today"}}`, `/$defs/p/properties/d/format: it has not the format "date"`},
		{`{"a": {"z": 1}}`, `/$defs/p/additionalProperties: the key "z" is not allowed`},
		{`{"x": null}`, "/properties/x/oneOf: no alternative holds, or several do"},
		{`{"w": "a"}`, "/properties/w/not: it is what must not be"},
		{`1`, `/type: the type is not "object"`},
	} {
		r := gcdbench(t, "", "schema", "check", schema, write(t, "i.json", c.instance))
		if r.status != exitFailure || !strings.Contains(r.out, "\n  "+c.want+"\n") {
			t.Errorf("%s: %d: no %q in %s%s", c.instance, r.status, c.want, r.out, r.err)
		}
		if r := gcdbench(t, "", "grammar", "check", "-g", schema, write(t, "i.json", c.instance)); !strings.Contains(r.out, "; "+c.want+"\n") {
			t.Errorf("grammar check of %s: no %q in %s%s", c.instance, c.want, r.out, r.err)
		}
	}
	mask := []string{"mask", "-g", schema, "-t", "r50k_base[:3000]", "--prefix"}
	r := gcdbench(t, "", append(mask, `{"status": "assigned"`, "--explain", `"}"`)...)
	if !strings.Contains(r.out, "schema   /then/required: who is missing\n") {
		t.Errorf("explain: %s%s", r.out, r.err)
	}
	r = gcdbench(t, "", append(mask, `{"a": {"n": 3}`, "--explain", `"]"`)...)
	if strings.Contains(r.out, "schema   ") { // no keyword allows what is no JSON
		t.Errorf("explain: %s%s", r.out, r.err)
	}
	r = gcdbench(t, "", append(mask, `{"a": {"z`)...)
	if r.status != exitUsage || !strings.Contains(r.err, `; /$defs/p/additionalProperties: the key "z is not allowed`) {
		t.Errorf("a prefix: %s%s", r.out, r.err)
	}
}
