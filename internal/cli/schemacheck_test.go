package cli

import (
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// TestSchemaCheck: for each instance, the verdict, the place, why, and the independent opinion.
func TestSchemaCheck(t *testing.T) {
	schema := write(t, "tool.json", toolSchema)
	for _, c := range []struct {
		name, instance string
		ok             bool
		valid          any // of the validator: true, false, or nil for no opinion
		because        string
		pointer        string
		line, column   float64
		expected       string // one of the texts
	}{
		{"accepted", `{"name": "ab", "n": 3}`, true, true, "", "", 0, 0, ""},
		{"with a line end", "{\"name\": \"ab\", \"n\": 3}\r\n", true, true, "", "", 0, 0, ""},
		{"compact", `{"name":"ab","n":3,"tags":["bb",3]}`, true, true, "", "", 0, 0, ""},
		{"too short a string", `{"name": "a", "n": 3}`, false, false, "invalid", "/name", 1, 10, ""},
		{"too small a number", `{"name": "ab", "n": 2}`, false, false, "invalid", "/n", 1, 21, "a number like 3"},
		{"in an array", `{"name": "ab", "n": 3, "tags": ["a", "c"]}`, false, false, "invalid", "/tags/1", 1, 38, `a string like "a"`},
		{"too many items", `{"name": "ab", "n": 3, "tags": ["a", "a", "a", "a"]}`, false, false, "invalid", "/tags/2", 1, 46, "]"},
		{"a key too many", `{"name": "ab", "n": 3, "m": 1}`, false, false, "invalid", "", 1, 24, `"tags"`},
		{"ends early", `{"name": "ab"}`, false, false, "invalid", "/name", 1, 14, ","},
		{"other order", `{"n": 3, "name": "ab"}`, false, true, "order of keys", "", 1, 2, `"name"`},
		{"other white space", "{\n\"name\": \"ab\", \"n\": 3}", false, true, "white space", "", 1, 2, `"name"`},
		{"both", "{\n\"n\": 3, \"name\": \"ab\"}", false, true, "order of keys and white space", "", 1, 2, `"name"`},
		{"a key twice", `{"name": "ab", "n": 3, "n": 3}`, false, true, "a key twice", "", 1, 24, `"tags"`},
		{"exponent", `{"name": "ab", "n": 300000e-5}`, false, true, "narrower", "/n", 1, 21, "a number like 3"},
		{"not JSON", `{"name": "ab", "n": }`, false, nil, "not JSON", "/n", 1, 21, "a number like 3"},
		{"nothing", "", false, nil, "not JSON", "", 1, 1, "{"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, "instance.json", c.instance)
			r := gcdbench(t, "", "schema", "check", schema, file, "--json")
			got := lines(r.out)
			if len(got) != 2 {
				t.Fatalf("%q %q", r.out, r.err)
			}
			o := object(t, got[0])
			if o["id"] != file || o["ok"] != c.ok || o["valid"] != c.valid || o["label"] != nil || (r.status == exitOK) != c.ok {
				t.Errorf("exit status %d: %s", r.status, got[0])
			}
			if because, _ := o["because"].(string); because != c.because {
				t.Errorf("because %q, want %q", because, c.because)
			}
			if (c.valid == false) != (o["why"] != nil) || (c.valid == nil) != (o["validator_error"] != nil) {
				t.Errorf("the validator's reasons: %s", got[0])
			}
			e, refused := o["error"].(map[string]any)
			if refused == c.ok {
				t.Fatalf("error %v", o["error"])
			}
			if refused && (e["pointer"] != c.pointer || e["line"] != c.line || e["column"] != c.column || e["message"] == "") {
				t.Errorf("error %v", e)
			}
			if list, _ := e["expected"].([]any); c.expected != "" && !contains(list, c.expected) {
				t.Errorf("expected %v, want %q in it", list, c.expected)
			}
			words := gcdbench(t, "", "schema", "check", schema, file)
			for _, part := range []string{file, c.because, map[bool]string{true: "accepted", false: "refused"}[c.ok]} {
				if !strings.Contains(words.out, part) {
					t.Errorf("no %q in %s", part, words.out)
				}
			}
		})
	}
}

func contains(list []any, want string) bool {
	for _, v := range list {
		if v == want {
			return true
		}
	}
	return false
}

// TestSchemaCheckLines reads instances with labels from JSON Lines: one labelled as invalid is
// right to be refused.
func TestSchemaCheckLines(t *testing.T) {
	schema := write(t, "s.json", `{"type": "integer", "minimum": 3}`)
	right := `{"id": "a", "data": 3, "valid": true}` + "\n\n" + `{"id": 7, "content": "2", "valid": false}` + "\n" + `{"data": 4}` + "\n"
	r := gcdbench(t, "", "schema", "check", schema, "--jsonl", write(t, "x.jsonl", right), "--json")
	got := lines(r.out)
	if r.status != exitOK || len(got) != 4 {
		t.Fatalf("%d %s%s", r.status, r.out, r.err)
	}
	for i, id := range []string{"a", "7", "line 4"} {
		if o := object(t, got[i]); o["id"] != id {
			t.Errorf("line %d: %s", i, got[i])
		}
	}
	sum := object(t, got[3])
	for field, want := range map[string]float64{"instances": 3, "accepted": 2, "wrong": 0, "invalid_accepted": 0, "disputed_labels": 0} {
		if sum[field] != want {
			t.Errorf("%s is %v, want %v", field, sum[field], want)
		}
	}
	// A wrong label: the verdict is not the label's, and the validator takes our side.
	r = gcdbench(t, "", "schema", "check", schema, "--jsonl", write(t, "y.jsonl", `{"data": 3, "valid": false}`+"\n"))
	for _, part := range []string{"line 1: accepted; labelled invalid; the validator says valid", "1 invalid accepted", "disagrees with 1 label"} {
		if r.status != exitFailure || !strings.Contains(r.out, part) {
			t.Errorf("exit status %d, no %q in %s", r.status, part, r.out)
		}
	}
	// Without --all the right ones are not listed.
	r = gcdbench(t, "", "schema", "check", schema, "--jsonl", write(t, "z.jsonl", right))
	if len(lines(r.out)) != 1 {
		t.Errorf("%s", r.out)
	}
	r = gcdbench(t, "", "schema", "check", schema, "--jsonl", write(t, "z.jsonl", right), "--all")
	if len(lines(r.out)) < 4 {
		t.Errorf("%s", r.out)
	}
}

// TestSchemaCheckCorpus: schemas that bring their instances.
func TestSchemaCheckSamples(t *testing.T) {
	seed.Usual(t) // it compiles 60 schemas; conformance/schemas walks them too
	r := gcdbench(t, "", "schema", "check", "--corpus", "schema-samples", "--json")
	got := lines(r.out)
	sum := object(t, got[len(got)-1])
	if r.status != exitOK || sum["schemas"] != 60.0 || sum["invalid_accepted"] != 0.0 || sum["wrong"] != 0.0 || sum["schemas"].(float64)-sum["compiled"].(float64) > 3 {
		t.Errorf("exit status %d: %s%s", r.status, got[len(got)-1], r.err)
	}
}

func TestSchemaCheckCorpus(t *testing.T) {
	corpus := write(t, "mb.jsonl", `{"id": "b", "group": "g", "schema": {"type": "integer"}, "tests": [{"valid": true, "data": 1}, {"valid": false, "data": "x"}]}
{"id": "a", "schema": {"pattern": "(.)\\1"}, "tests": [{"valid": true, "data": [1]}]}
{"id": "c", "schema": {"type": 7}, "tests": []}
{"id": "d", "schema": {"properties": {"a": true, "b": true}}, "tests": [{"valid": true, "data": {"b": 1, "a": 2}}]}
`)
	r := gcdbench(t, "", "schema", "check", "--corpus", corpus, "--json")
	got := lines(r.out)
	if r.status != exitFailure || len(got) != 8 {
		t.Fatalf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	outcomes := map[string]string{}
	for _, line := range got[:7] {
		if o := object(t, line); o["outcome"] != nil {
			outcomes[o["schema"].(string)] = o["outcome"].(string)
		} else if o["schema"] == nil || o["label"] == nil {
			t.Errorf("an instance without schema or label: %s", line)
		}
	}
	if len(outcomes) != 4 || outcomes["a"] != "unsupported" || outcomes["b"] != "ok" || outcomes["c"] != "invalid" || outcomes["d"] != "ok" {
		t.Errorf("outcomes %v", outcomes)
	}
	sum := object(t, got[7])
	for field, want := range map[string]float64{"schemas": 4, "compiled": 2, "right": 1, "with_instances": 3, "instances": 3, "accepted": 1, "wrong": 1} {
		if sum[field] != want {
			t.Errorf("%s is %v, want %v: %s", field, sum[field], want, got[7])
		}
	}
	if v := sum["valid_refused"].(map[string]any); v["order of keys"] != 1.0 {
		t.Errorf("valid_refused %v", v)
	}
	r = gcdbench(t, "", "schema", "check", "--corpus", corpus, "--id", "b", "--all")
	if r.status != exitOK || !strings.Contains(r.out, "b#1:1:1: refused (invalid)") || !strings.Contains(r.out, "1 of 1 schema compiled") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	r = gcdbench(t, "", "schema", "check", "--corpus", corpus)
	for _, part := range []string{"a (" + corpus + ":2:23): unsupported: /pattern", "c (" + corpus + ":3:23): /type", "d#0:1:", "2 of 4 schemas compiled, 1 unsupported, 1 invalid; 1 of the 3 with instances are right"} {
		if !strings.Contains(r.out, part) {
			t.Errorf("no %q in %s", part, r.out)
		}
	}
}

// TestSchemaCheckFlags: flags are named if and only if they let the instance through.
func TestSchemaCheckFlags(t *testing.T) {
	schema := write(t, "tool.json", toolSchema)
	large := write(t, "large.json", `{"properties": {`+manyKeys(100)+`}, "additionalProperties": false, "minProperties": 2}`)
	for _, c := range []struct {
		name, schema, instance string
		args                   []string
		want                   string
	}{
		{"pretty", schema, "{\n  \"name\": \"ab\",\n  \"n\": 3\n}", nil, "--whitespace any"},
		{"reordered", schema, `{"n": 3, "name": "ab"}`, nil, "--any-order"},
		{"both", schema, "{\n\"n\": 3, \"name\": \"ab\"}", nil, "--whitespace any --any-order"},
		{"the other one is given", schema, "{\n\"n\": 3, \"name\": \"ab\"}", []string{"--whitespace", "any"}, "--any-order"},
		{"invalid", schema, "{\n\"name\": \"a\", \"n\": 3}", nil, ""},
		{"narrower", schema, `{"name": "ab", "n": 300000e-5}`, nil, ""},
		{"too large for any order", large, `{"key_2": "a", "key_1": "a"}`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, "instance.json", c.instance)
			args := append([]string{"schema", "check", c.schema, file}, c.args...)
			r := gcdbench(t, "", append(args, "--json")...)
			var flags []string
			list, _ := object(t, lines(r.out)[0])["flags"].([]any)
			for _, f := range list {
				flags = append(flags, f.(string))
			}
			if got := strings.Join(flags, " "); got != c.want {
				t.Errorf("flags %q, want %q: %s", got, c.want, r.out)
			}
			text := gcdbench(t, "", args...)
			if said := strings.Contains(text.out, "lets it through"); said != (c.want != "") || !strings.Contains(text.out, c.want) {
				t.Errorf("%s", text.out)
			}
			if c.want == "" {
				return
			}
			if r = gcdbench(t, "", append(args, strings.Fields(c.want)...)...); r.status != exitOK {
				t.Errorf("with %s it is refused: %s", c.want, r.out)
			}
		})
	}
}
