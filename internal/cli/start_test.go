package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parts writes a grammar without a rule called start, which imports from a folder of its own, and
// returns its file and that folder.
func parts(t *testing.T) (file, folder string) {
	folder = filepath.Join(t.TempDir(), "shared")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "words.lark"), []byte("WORD: /[a-z]+/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return write(t, "parts.lark", "%import words.WORD\nprogram: \"[\" value \"]\"\nvalue: WORD\n"), folder
}

// TestStart: every command that takes a grammar takes its start rule and the folders of imports.
func TestStart(t *testing.T) {
	file, folder := parts(t)
	flags := []string{"--import-path", folder, "--start"}
	for _, c := range []struct {
		args []string
		want map[string]string // by start rule
	}{
		{[]string{"grammar", "show", file}, map[string]string{"program": "3 terminals, 2 rules", "value": "1 terminal, 1 rule"}},
		{[]string{"grammar", "check", "-g", file, "-"}, map[string]string{"program": "1 of 1 document accepted", "value": "-:1:1"}},
		{[]string{"grammar", "legality", file}, map[string]string{"program": "parts", "value": "parts"}},
		{[]string{"grammar", "translate", file, "--to", "ebnf"}, map[string]string{"program": `"["`, "value": "WORD"}},
		{[]string{"complete", "-g", file, "--prefix", ""}, map[string]string{"program": "[a]", "value": "a"}},
		{[]string{"mask", "-g", file, "-t", "r50k_base[:300]", "--prefix", "", "--explain", "["}, map[string]string{"program": "legal", "value": "refused"}},
	} {
		for start, want := range c.want {
			r := gcdbench(t, "[abc]", append(append(c.args[:len(c.args):len(c.args)], flags...), start)...)
			if r.status == exitUsage || !strings.Contains(r.out, want) {
				t.Errorf("%v --start %s: exit status %d, no %q in\n%s%s", c.args, start, r.status, want, r.out, r.err)
			}
		}
	}
}

// TestStartOfEmbedded: an embedded grammar has other start rules, too.
func TestStartOfEmbedded(t *testing.T) {
	r := gcdbench(t, "{}", "grammar", "check", "-g", "json", "--start", "array", "-")
	if r.status != exitFailure || gcdbench(t, "[1]", "grammar", "check", "-g", "json", "--start", "array", "-").status != exitOK {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestStartErrors: mistakes are told, with their place and what to do.
func TestStartErrors(t *testing.T) {
	file, folder := parts(t)
	schema := write(t, "s.json", "{}")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{file}, []string{"parts.lark:1:1: cannot find the grammar words", "--import-path"}},
		{[]string{file, "--import-path", folder}, []string{"parts.lark:1:1", "does not define its start rule, start", "it may be program", "--start"}},
		{[]string{file, "--import-path", folder, "--start", "valeu"}, []string{"does not define its start rule, valeu", "did you mean value?"}},
		{[]string{file, "--import-path", folder, "--start", "WORD"}, []string{"words.lark:1:1", "the start rule WORD is a terminal"}},
		{[]string{file, "--import-path", folder + "/nothing"}, []string{"the import path", "is no folder"}},
		{[]string{file, "--import-path", file}, []string{"the import path", "is no folder"}},
		{[]string{file, "--start="}, []string{"--start is empty"}},
		{[]string{file, "--import-path="}, []string{"the import path \"\" is no folder"}},
		{[]string{"json", "--import-path", folder}, []string{`--import-path goes with a .lark file`, `"json"`}},
		{[]string{schema, "--start", "value"}, []string{"--start goes with a grammar in Lark's language, not with the JSON schema"}},
		{[]string{schema, "--import-path", folder}, []string{"--import-path goes with a grammar in Lark's language"}},
	} {
		r := gcdbench(t, "", append([]string{"grammar", "show"}, c.args...)...)
		if r.status != exitUsage {
			t.Errorf("%v: exit status %d", c.args, r.status)
		}
		for _, want := range c.want {
			if !strings.Contains(r.err, want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, r.err)
			}
		}
	}
}
