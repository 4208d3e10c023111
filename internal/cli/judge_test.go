package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/judged"
	"gcdbench/internal/must"
)

// judgedRun measures two engines whose masks differ, trie and automata on a program in Go: to the
// second "packagea" is a keyword and a name. It returns the result directory.
func judgedRun(t *testing.T) string {
	t.Helper()
	program := write(t, "p.jsonl", `{"id": "p", "content": "package a\n\nvar b = 1\n"}`+"\n")
	cfg := write(t, "j.yaml", "name: j\nalgorithms: [trie, automata]\ntokenizers: [\"r50k_base[:600]\"]\nworkloads: [{grammar: go, dataset: {format: jsonl, path: "+program+"}}]\nmeasure: {repeat: 1, compiles: 1}\n")
	dir := filepath.Join(t.TempDir(), "out")
	if r := gcdbench(t, "", "run", cfg, "--out", dir); r.status != exitOK {
		t.Fatalf("run: %d %s", r.status, r.err)
	}
	return dir
}

// TestJudge: what differs is found, printed and stored, and every witness stands.
func TestJudge(t *testing.T) {
	dir := judgedRun(t)
	r := gcdbench(t, "", "judge", dir)
	for _, part := range []string{"automata against trie, go/p.jsonl with r50k_base[:600]: ", "looked at ", "; no limit, timeout 30s\n", "the engine admits an invalid text: ", `after "package" only automata allows`, "(go/parser)", "of go\n"} {
		if r.status != exitOK || !strings.Contains(r.out, part) {
			t.Errorf("status %d, no %q in\n%s%s", r.status, part, r.out, r.err)
		}
	}
	j := gcdbench(t, "", "judge", dir, "--json")
	var files []string
	leading, all := 0, 0
	for _, line := range lines(j.out) {
		var x judgedLine
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		must.OK(t, d.Decode(&x))
		if x.Engine != "automata" || x.Reference != "trie" || x.Workload != "go/p.jsonl" || x.Differ == 0 || x.Differ > x.Compared || x.Class == "" || x.Positions < x.Leading {
			t.Errorf("line %.300s", line)
		}
		leading, all = leading+x.Leading, x.Judged
		if x.WitnessFile != "" {
			files = append(files, x.WitnessFile)
		}
	}
	if leading != all || len(files) == 0 {
		t.Errorf("%d positions lead, of %d, with %d witnesses", leading, all, len(files))
	}
	if r := gcdbench(t, "", append([]string{"engines", "replay"}, files...)...); r.status != exitOK || strings.Count(r.out, "the witness stands") != len(files) {
		t.Errorf("replay: %d %s%s", r.status, r.out, r.err)
	}
	testReplayDisagrees(t, files[0])
	testReplayGoesOn(t, files[0])
}

// testReplayGoesOn: a file that is no witness is an error, and the others are asked about.
func testReplayGoesOn(t *testing.T, file string) {
	t.Helper()
	bad, worse := write(t, "bad.json", "{"), write(t, "worse.json", "[]")
	r := gcdbench(t, "", "engines", "replay", bad, file, worse)
	if r.status != exitUsage || strings.Count(r.out, "the witness stands") != 1 || !strings.Contains(r.err, bad) || !strings.Contains(r.err, worse) {
		t.Errorf("replay of three files: %d %s%s", r.status, r.out, r.err)
	}
}

// testReplayDisagrees: a witness that is wrong about who allows the token has status 1.
func testReplayDisagrees(t *testing.T, file string) {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	other := write(t, "w.json", string(bytes.Replace(text, []byte(`"allows": "engine"`), []byte(`"allows": "reference"`), 1)))
	r := gcdbench(t, "", "engines", "replay", other, "--json")
	if r.status != exitFailure || !strings.Contains(r.out, `"reproduced":false`) {
		t.Errorf("replay of what is not so: %d %s%s", r.status, r.out, r.err)
	}
}

// TestJudgeInput: bad usage and bad input are one line with exit status 2.
func TestJudgeInput(t *testing.T) {
	dir, _ := smallRun(t)
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"judge"}, "which result directory?"},
		{[]string{"judge", filepath.Join(empty, "nothing")}, "nothing"},
		{[]string{"judge", empty}, "no results"},
		{[]string{"judge", dir, "--limit", "-1"}, "--limit -1"},
		{[]string{"judge", dir, "--timeout", "0s"}, "--timeout 0s"},
		{[]string{"judge", dir, dir, "--config", "x.yaml"}, "--config goes with one"},
		{[]string{"judge", dir, "--config", ""}, "--config is empty"},
		{[]string{"engines", "replay"}, "at least 1 arg"},
		{[]string{"engines", "replay", "x.json", "--timeout", "-1s"}, "--timeout -1s"},
		{[]string{"engines", "replay", filepath.Join(empty, "nothing")}, "nothing"},
		{[]string{"engines", "replay", write(t, "x.json", "{}")}, "version 0"},
	} {
		if r := gcdbench(t, "", c.args...); r.status != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: %d %s, want %q", c.args, r.status, r.err, c.want)
		}
	}
	r := loud(t, "judge", dir)
	if r.status != exitOK || r.out != "" || !strings.Contains(r.err, "nothing to judge") {
		t.Errorf("without another semantics: %d %s%s", r.status, r.out, r.err)
	}
	if _, err := os.Stat(judged.Folder(dir)); err == nil {
		t.Error("a folder was made for nothing")
	}
}
