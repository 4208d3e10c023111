package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCompareCommand: two algorithms of one result are compared by names, the JSON has the fields
// that scripts rely on, and --fail-over decides about the exit status.
func TestCompareCommand(t *testing.T) {
	dir, _ := smallRun(t)
	r := gcdbench(t, "", "compare", dir, dir, "--json", "--fail-over", "0%")
	if r.status != exitOK || !strings.HasPrefix(r.out, `[{"workload":"schema","tokenizer":"r50k_base[:300]","algorithm":"trie","figure":"schemas_right","a":1,"b":1,"ratio":1,"low":null,"high":null,"verdict":"equal"}`) {
		t.Errorf("a result with itself: %d %s\n%s", r.status, r.err, r.out)
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || len(list) < 10 {
		t.Errorf("%d figures, %v", len(list), err)
	}
	r = gcdbench(t, "", "compare", dir, "--algorithm", "trie", "--with", "psc")
	if r.status != exitOK || !strings.Contains(r.out, "trie -> psc") || !strings.Contains(r.out, "has no noise floor") {
		t.Errorf("two algorithms: %d %s\n%s", r.status, r.err, r.out)
	}
	for _, test := range []struct{ args, want string }{
		{"", "which result directories?"},
		{dir, "--algorithm and --with name the two algorithms"},
		{dir + " " + dir + " --with psc", "--with needs --algorithm"},
		{dir + " " + dir + " --fail-over much", `--fail-over is a share such as 5% or 0.05, not "much"`},
		{dir + " --algorithm trie --with naive", `no workload and vocabulary has "trie" in A and "naive" in B; A has trie on schema`},
		{dir + " nowhere", "nowhere"},
	} {
		r := gcdbench(t, "", append([]string{"compare"}, strings.Fields(test.args)...)...)
		if r.status != exitUsage || !strings.Contains(r.err, test.want) {
			t.Errorf("compare %s: %d %s; want %q", test.args, r.status, r.err, test.want)
		}
	}
}

// TestShares: a share is read with and without the sign, and nothing else is one.
func TestShares(t *testing.T) {
	for text, want := range map[string]float64{"": neverFails, "5%": 0.05, "0.05": 0.05, "0": 0, "900%": 9} {
		if got, err := parseShare(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"-1%", "NaN", "%", "five", "5%%"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
