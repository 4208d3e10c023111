package cli

import (
	"strings"
	"testing"
)

// TestTools goes the way of a new user: a request, its grammars, a response and its verdicts.
func TestTools(t *testing.T) {
	r := gcdbench(t, "", "tools", "sample", "--count", "5", "--seed", "3")
	if r.status != exitOK {
		t.Fatal(r.err)
	}
	request := write(t, "request.json", r.out)
	for _, c := range []struct{ command, want string }{
		{"grammar", `%without ("<tool_call>")`}, {"tag", `"type":"triggered_tags"`}, {"llguidance", "%llguidance {}"},
	} {
		if r := gcdbench(t, "", "tools", c.command, request); r.status != exitOK || !strings.Contains(r.out, c.want) || !strings.Contains(r.out, `get_time`) {
			t.Errorf("%s: status %d, %s\n%s", c.command, r.status, r.err, r.out)
		}
	}
	if r := gcdbench(t, "", "mask", "--grammar", request); r.status != exitUsage || !strings.Contains(r.err, "gcdbench tools grammar ") {
		t.Errorf("a request as a schema: %+v", r)
	}
	response := gcdbench(t, "", "tools", "sample", "--count", "5", "--seed", "3", "--response")
	if r := gcdbench(t, response.out, "tools", "check", request, "-"); r.status != exitOK || !strings.HasPrefix(r.out, "-: right; calls: ") {
		t.Errorf("%+v of %q", r, response.out)
	}
	wrong := `<tool_call>` + "\n" + `{"name": "get_time", "arguments": {}}` + "\n</tool_call>"
	if r := gcdbench(t, wrong, "tools", "check", request, "-"); r.status != exitFailure ||
		!strings.HasPrefix(r.out, "-:2:35: missing argument: ") || !strings.Contains(r.out, "the grammar: 2:36: unexpected") {
		t.Errorf("%+v", r)
	}
	line := gcdbench(t, wrong, "--json", "tools", "check", request, "-")
	if got := object(t, line.out); got["valid"] != false || got["ok"] != false || got["kind"] != "missing argument" || got["line"] != 2.0 {
		t.Errorf("%v", got)
	}
	formats := gcdbench(t, "", "--json", "tools", "formats")
	if n := strings.Count(formats.out, "\n"); formats.status != exitOK || n != 7 {
		t.Errorf("%d formats: %s", n, formats.out)
	}
}

// TestToolsMistakes: what is wrong with a request or a flag is said with its place in the file or
// the flag's name, and with the tool.
func TestToolsMistakes(t *testing.T) {
	broken := write(t, "request.json", "{\"tools\": [{\"name\": \"ok\"},\n {\"type\": \"function\", \"function\": {\"name\": \"b\", \"parameters\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"http://x.y/z\"}}}}]}")
	inYAML := write(t, "request.yaml", "tools:\n- name: a\n  parameters:\n    properties:\n      p: {type: foo}\n")
	pattern := write(t, "pattern.yaml", "tools:\n- name: a\n  parameters:\n    properties:\n      p: {type: string, pattern: \"(\"}\n")
	whole := write(t, "whole.yaml", "tools:\n- name: a\n  parameters:\n    properties: {p: {$ref: \"#\"}, q: {type: foo}}\n")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"request.json:2:115: tools[1].parameters/additionalProperties/$ref: cannot resolve the reference \"http://x.y/z\": there is no schema of that name, and nothing is fetched\n", []string{"grammar", broken}},
		{"request.json:2:115: tools[1].parameters/additionalProperties/$ref: cannot resolve", []string{"tag", broken}},
		{"request.json:2:115: tools[1].parameters/additionalProperties/$ref: cannot resolve", []string{"llguidance", broken}},
		{"request.json:2:115: tools[1].parameters/additionalProperties/$ref: cannot resolve", []string{"check", broken, broken}},
		{"request.yaml:5:17: tools[0].parameters/properties/p/type: ", []string{"grammar", inYAML}},
		{"pattern.yaml:5:34: tools[0].parameters/properties/p/pattern: ", []string{"grammar", pattern}},
		{"whole.yaml:4:44: tools[0].parameters/properties/q/type: ", []string{"tag", whole}},
		{`--choice: "x" is none of auto`, []string{"sample", "--choice", "x"}},
		{`--format: "x" is none of the formats`, []string{"sample", "--format", "x"}},
		{"--count is at most 100000", []string{"sample", "--count", "100001"}},
		{"--number is at most 100000", []string{"sample", "--number", "100001"}},
	} {
		r := gcdbench(t, "", append([]string{"tools"}, c.args...)...)
		if r.status == exitOK || !strings.Contains(r.err, c.want) {
			t.Errorf("%q: status %d, %q, want %q", c.args, r.status, r.err, c.want)
		}
	}
	if r := gcdbench(t, "", "tools", "sample", "--choice", "one"); r.status != exitOK || !strings.Contains(r.out, `"choice": {"one": `) {
		t.Errorf("%+v", r)
	}
}
