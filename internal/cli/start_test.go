package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// parts writes a grammar without a rule called start, which imports from a folder of its own, and
// returns its file and that folder.
func parts(t *testing.T) (file, folder string) {
	folder = filepath.Join(t.TempDir(), "shared")
	must.OK(t, os.Mkdir(folder, 0o755))
	must.OK(t, os.WriteFile(filepath.Join(folder, "words.lark"), []byte("WORD: /[a-z]+/\n"), 0o644))
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
