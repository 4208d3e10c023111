package cli

import (
	"strings"
	"testing"
)

// TestComplete completes prefixes of each kind of grammar, in words and as JSON.
func TestComplete(t *testing.T) {
	deadEnd := write(t, "dead.lark", "start: \"x\" \"a\" \"b\" | AB\nAB: \"ab\"")
	schema := write(t, "schema.json", `{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer","minimum":10}},"required":["n"]}`)
	for _, c := range []struct {
		args    []string
		status  int
		text    string // in the output
		wanted  any    // the completion
		deadEnd bool
	}{
		{args: []string{"-g", "json", "--prefix", `{"a": [1, {`}, text: "3 bytes\n  completion \"}]}\"\n", wanted: "}]}"},
		{args: []string{"-g", "json", "--prefix", `{"a": 1}`}, text: "nothing is missing", wanted: ""},
		{args: []string{"-g", "json"}, text: "1 byte\n", wanted: "0"},
		{args: []string{"-g", "json", "--avoid", `0\x31`}, text: `"2"`, wanted: "2"},
		{args: []string{"-g", "python", "--prefix", "try:\n\tx = 1\n"}, text: `"except:a"`, wanted: "except:a"},
		{args: []string{"-g", schema, "--prefix", `{"name`}, text: "completion", wanted: `":"","n":10}`},
		{args: []string{"-g", schema, "--any-order", "--prefix", `{"n":`}, text: "completion", wanted: `10}`},
		{args: []string{"-g", deadEnd, "--prefix", "xa"}, status: exitFailure, text: "dead end: no text completes the prefix\n", deadEnd: true},
		{args: []string{"-g", "json", "--prefix", "[", "--avoid", "]"}, status: exitFailure, text: "--avoid may be the reason", deadEnd: true},
	} {
		r := gcdbench(t, "", append([]string{"complete"}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.out, c.text) || r.err != "" {
			t.Errorf("%q: status %d, %s%s", c.args, r.status, r.out, r.err)
		}
		r = gcdbench(t, "", append([]string{"complete", "--json"}, c.args...)...)
		got := object(t, r.out)
		if r.status != c.status || got["completion"] != c.wanted || got["exact"] != true || c.deadEnd != (got["error"] != nil) || c.deadEnd != (got["text"] == nil) {
			t.Errorf("%q: status %d, %s", c.args, r.status, r.out)
		}
		if text, ok := c.wanted.(string); ok && int(got["bytes"].(float64)) != len(text) {
			t.Errorf("%q: %s", c.args, r.out)
		}
	}
}

// TestCompleteFile reads the prefix from a file and from standard input, and its completion is
// accepted.
func TestCompleteFile(t *testing.T) {
	const prefix = "package p\n\nfunc f() {\n\tif x := g(func(a int) {"
	for _, file := range []string{write(t, "p.go", prefix), "-"} {
		got := object(t, gcdbench(t, prefix, "complete", "-g", "go", "--prefix-file", file, "--json").out)
		whole, _ := got["text"].(string)
		if !strings.HasPrefix(whole, prefix) || got["prefix_bytes"] != float64(len(prefix)) {
			t.Fatal(file, got)
		}
		if r := gcdbench(t, whole, "grammar", "check", "-g", "go", "-"); r.status != exitOK {
			t.Errorf("%q: %s", whole, r.out)
		}
	}
}
