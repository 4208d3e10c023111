package cli

import (
	"strings"
	"testing"
)

// TestUsage: what is asked for wrongly is said, and nothing else is done in its place.
func TestUsage(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	config := write(t, "c.yaml", "name: c\nalgorithms: [trie]\ntokenizers: [r50k_base]\nworkloads: [{grammar: json, dataset: json-samples}]\n")
	docs := write(t, "docs.jsonl", "{\"id\":\"1\",\"content\":\"[]\"}\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", config, "--out", ""}, "--out is empty"},
		{[]string{"report", "somewhere", "--out="}, "--out is empty"},
		{[]string{"mask", "--grammar", grammar, "--tokenizer", "r50k_base", "--explain", ""}, "--explain is empty"},
		{[]string{"mask", "--grammar", "", "--tokenizer", "r50k_base"}, "--grammar is empty"},
		{[]string{"plan", config, "--corpus", "json=" + docs, "--corpus", "json=" + docs}, "the corpus of json is given twice"},
		{[]string{"help", "bogus"}, `unknown command "bogus"`},
		{[]string{"help", "grammar", "bogus"}, `unknown command "grammar bogus"`},
		{[]string{"grammar", "show", "empty"}, "in .json"},
	} {
		if r := gcdbench(t, "", c.args...); r.status != exitUsage || !strings.Contains(r.err, c.want) || r.out != "" {
			t.Errorf("%q: status %d, %q, %q; want %q", c.args, r.status, r.out, r.err, c.want)
		}
	}
	if r := gcdbench(t, "", "mask", "--grammar", grammar, "--tokenizer", "r50k_base", "--prefix", ""); r.status != exitOK {
		t.Errorf("an empty prefix: status %d, %q", r.status, r.err)
	}
	for _, args := range []string{"help", "help grammar show", "--help"} {
		if r := gcdbench(t, "", strings.Fields(args)...); r.status != exitOK || !strings.Contains(r.out, "Usage:") {
			t.Errorf("%s: status %d, %q", args, r.status, r.out)
		}
	}
	if r := gcdbench(t, "", "--version"); r.status != exitOK || !strings.HasPrefix(r.out, "gcdbench ") || !strings.Contains(r.out, "go1.") {
		t.Errorf("--version: status %d, %q", r.status, r.out)
	}
}
