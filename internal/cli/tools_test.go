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
