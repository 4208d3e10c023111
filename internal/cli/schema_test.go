package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyKeywords: of a large schema some keywords are listed, those with another fate all the
// same, and all are counted.
func TestManyKeywords(t *testing.T) {
	file := write(t, "s.json", `{"properties": {`+manyKeys(300)+`, "last": {"maximum": 3}}}`)
	r := gcdbench(t, "", "schema", "compile", file)
	if n := strings.Count(r.out, "\n  enforced "); n != maxKeywords {
		t.Errorf("%d keywords that are enforced", n)
	}
	for _, part := range []string{"narrower   /properties/last/maximum: ", "\nkeywords: 301 enforced (200 shown; --json has all), 1 narrower\n"} {
		if !strings.Contains(r.out, part) {
			t.Errorf("no %q in ...%s", part, r.out[max(0, len(r.out)-400):])
		}
	}
	if o := object(t, gcdbench(t, "", "schema", "compile", file, "--json").out); len(o["coverage"].([]any)) != 302 {
		t.Errorf("%d keywords in the JSON", len(o["coverage"].([]any)))
	}
}

// TestSchemaTimeout: a compile that takes too long is abandoned, whether it checks its context or
// not.
func TestSchemaTimeout(t *testing.T) {
	file := write(t, "slow.json", `{"properties": {`+manyKeys(1500)+`}}`)
	r := gcdbench(t, "", "schema", "compile", file, "--timeout", "1ns", "--json")
	o := object(t, r.out)
	if f, _ := o["failure"].(map[string]any); r.status != exitFailure || o["outcome"] != "timeout" || f["kind"] != "timeout" || o["error"] != file+": timeout: not compiled after 1ns" {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "grammar", "show", file, "--timeout", "1ns"); r.status != exitUsage || !strings.Contains(r.err, "timeout: not compiled after 1ns") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "schema", "compile", write(t, "s.json", "{}"), "--timeout", "0"); r.status != exitOK {
		t.Errorf("no limit: exit status %d: %s", r.status, r.err)
	}
}

// manyKeys are declared keys, about 50 bytes each.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"key_%d": {"type": "string", "title": "one of many"},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func TestSchemaCompileJSON(t *testing.T) {
	file := write(t, "schema.json", `{"type": "string", "pattern": "(.)\\1"}`)
	r := gcdbench(t, "", "schema", "compile", file, "--json")
	o := object(t, r.out)
	if r.status != exitFailure || o["outcome"] != "unsupported" || len(o["coverage"].([]any)) != 2 || o["grammar"] != nil {
		t.Errorf("exit status %d: %s", r.status, r.out)
	}
	if f, _ := o["failure"].(map[string]any); f["reason"] != "the pattern has what is not regular" || f["detail"] == "" {
		t.Errorf("reason and detail: %s", r.out)
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

// TestSchemaFailures says what the JSON of a schema without grammar tells scripts; what is no JSON
// schema has exit status 2, and the object on standard output all the same.
func TestSchemaFailures(t *testing.T) {
	for _, c := range []struct {
		name, schema  string
		status        int
		outcome, kind string
		pointer       string
		line, column  float64
	}{
		{"not JSON", "{\n \"a\" 1}", exitUsage, "invalid", "syntax", "", 2, 6},
		{"a wrong keyword", `{"a": 1, "properties": {"a": {"type": "text"}}}`, exitUsage, "invalid", "schema", "/properties/a/type", 1, 39},
		{"a bad pattern", `{"properties": {"a": {"pattern": "a("}}}`, exitUsage, "invalid", "schema", "/properties/a/pattern", 1, 34},
		{"a reference to nothing", `{"items": {"$ref": "#/$defs/x"}}`, exitUsage, "invalid", "reference", "/items/$ref", 1, 20},
		{"unsupported", `{"pattern": "(.)\\1"}`, exitFailure, "unsupported", "unsupported", "/pattern", 1, 13},
		{"a contradiction", `{"type": "string", "minLength": 3, "maxLength": 2}`, exitFailure, "contradictory", "contradiction", "", 0, 0},
		{"no object", `17`, exitUsage, "invalid", "schema", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, "schema.json", c.schema)
			r := gcdbench(t, "", "schema", "compile", file, "--json")
			o := object(t, r.out)
			f, _ := o["failure"].(map[string]any)
			if r.status != c.status || o["outcome"] != c.outcome || f["kind"] != c.kind || f["message"] == "" || o["grammar"] != nil {
				t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
			}
			if pointer, _ := f["pointer"].(string); pointer != c.pointer {
				t.Errorf("pointer %q, want %q", pointer, c.pointer)
			}
			if line, _ := f["line"].(float64); line != c.line {
				t.Errorf("line %v, want %v: %s", f["line"], c.line, r.out)
			}
			if column, _ := f["column"].(float64); column != c.column {
				t.Errorf("column %v, want %v: %s", f["column"], c.column, r.out)
			}
			if check := gcdbench(t, "", "schema", "check", file, file); check.status != c.status || !strings.Contains(check.out+check.err, o["error"].(string)) {
				t.Errorf("schema check: exit status %d: %s%s", check.status, check.out, check.err)
			}
			// Other commands that take a grammar say the same, with exit status 2.
			for _, args := range [][]string{{"grammar", "show", file}, {"grammar", "check", "-g", file, file}, {"mask", "-g", file, "-t", "r50k_base[:300]"}} {
				if other := gcdbench(t, "", args...); other.status != exitUsage || !strings.Contains(other.err, o["error"].(string)) {
					t.Errorf("%v: exit status %d, %q lacks %q", args, other.status, other.err, o["error"])
				}
			}
		})
	}
}

const toolSchema = `{"type": "object", "properties": {"name": {"type": "string", "minLength": 2, "maxLength": 5}, "n": {"type": "integer", "minimum": 3},
	"tags": {"type": "array", "items": {"enum": ["a", "bb", 3]}, "maxItems": 3}}, "required": ["name", "n"], "additionalProperties": false}`

// TestSchemaAsGrammar says that a schema can stand where a grammar does, and that all algorithms
// agree on it.
func TestSchemaAsGrammar(t *testing.T) {
	file := write(t, "tool.json", toolSchema)
	r := gcdbench(t, "", "grammar", "show", file, "--json")
	if o := object(t, r.out); r.status != exitOK || o["lexer_mode"] != "all" || o["lexer_on_demand"] != true || o["terminals"].(float64) < 5 {
		t.Errorf("grammar show: %d %s%s", r.status, r.out, r.err)
	}
	r = gcdbench(t, "", "grammar", "show", file, "--rules")
	if !strings.Contains(r.out, "built when texts reach them") || !strings.Contains(r.out, `key "name": (an automaton of `) {
		t.Errorf("grammar show --rules: %s%s", r.out, r.err)
	}
	first := ""
	for _, alg := range []string{"naive", "trie", "greatgramma", "psc", "legality", "parserdwa"} {
		r := gcdbench(t, "", "mask", "-g", file, "-t", "r50k_base[:3000]", "-a", alg, "--prefix", `{"name": "ab", "n": `, "--list", "--json")
		if r.status != exitOK || !strings.Contains(r.out, `"text":"3"`) || strings.Contains(r.out, `"text":"2"`) && !strings.Contains(r.out, `"text":"1"`) {
			t.Errorf("%s: %d %s%s", alg, r.status, r.out, r.err)
		}
		if first == "" {
			first = r.out
		}
		if r.out != first {
			t.Errorf("%s differs: %s\n%s", alg, r.out, first)
		}
	}
	r = gcdbench(t, "", "mask", "-g", file, "-t", "r50k_base[:3000]", "--prefix", `{"name":`, "--explain", `"1"`)
	for _, part := range []string{`"1": refused`, `expected string_`, `(like "`} {
		if !strings.Contains(r.out, part) {
			t.Errorf("explain lacks %q:\n%s%s", part, r.out, r.err)
		}
	}
	r = gcdbench(t, "", "grammar", "legality", file, "-t", "r50k_base[:300]")
	if r.status != exitOK || !strings.Contains(r.out, "never legal") || strings.Contains(r.out, " 1 lexer states") {
		t.Errorf("grammar legality: %d %s%s", r.status, r.out, r.err)
	}
}
