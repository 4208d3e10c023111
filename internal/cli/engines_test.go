package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gcdbench/engines"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestEnginesList: a line for each engine, with what scripts read, and what to do for those that
// are not there.
func TestEnginesList(t *testing.T) {
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	r := gcdbench(t, "", "engines", "list", "--json")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.status != exitOK || len(lines) != len(engines.Catalogue) {
		t.Fatalf("exit status %d, %d lines: %s", r.status, len(lines), r.err)
	}
	for i, line := range lines {
		var e listedEngine
		must.OK(t, json.Unmarshal([]byte(line), &e))
		if want := engines.Catalogue[i]; e.Name != want.Name || e.Version != want.Version || e.Ready || len(e.Takes) == 0 || e.Licence == "" ||
			len(e.Packages) == 0 || e.Missing != want.Name+" is not installed: gcdbench engines install "+want.Name {
			t.Errorf("%+v", e)
		}
	}
	text := gcdbench(t, "", "engines", "list").out
	if !strings.Contains(text, "llguidance") || !strings.Contains(text, "not installed") {
		t.Error(text)
	}
}

// TestServe: the child answers as it is asked, and nothing else is on its output.
func TestServe(t *testing.T) {
	r := gcdbench(t, `{"do":"hello","protocol":2}`+"\n"+`{"do":"compile"}`+"\n"+"nonsense\n"+`{"do":"bye"}`+"\n", "engines", "serve", "trie")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.status != exitOK || len(lines) != 4 {
		t.Fatalf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	for i, want := range []string{`"name":"trie"`, "compile before vocabulary", `"outcome":"unsupported"`, `{"ok":true}`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("answer %d is %s, without %s", i, lines[i], want)
		}
	}
}

// TestMaskOutside: a mask of an engine that is not installed says so; one whose process dies is
// an error, not a panic.
func TestMaskOutside(t *testing.T) {
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	schema := write(t, "s.json", `{"type": "integer"}`)
	r := gcdbench(t, "", "mask", "-g", schema, "-t", "r50k_base[:300]", "-a", "llguidance")
	if r.status != exitUsage || !strings.Contains(r.err, "gcdbench engines install llguidance") {
		t.Errorf("exit status %d: %s", r.status, r.err)
	}
	child := write(t, "child.sh", `read q; echo '{"id":1,"ok":true,"protocol":2,"name":"x","takes":["json-schema"],"clock_pair_ns":2,"clock_empty_ns":1}'
read q; echo '{"id":2,"ok":true}'; read q; echo '{"id":3,"ok":true,"ns":1}'; read q; echo '{"id":4,"ok":true,"compile_ns":1,"first_mask_ns":1}'; read q; echo done for >&2; exit 5`)
	r = gcdbench(t, "", "mask", "-g", schema, "-t", "r50k_base[:300]", "-a", "outside", "-o", "command=sh "+child)
	if r.status != exitUsage || !strings.Contains(r.err, "exit status 5; its last words: done for") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestCheckTimeout: an engine that does not answer fails when its time is over, and no time is bad
// usage.
func TestCheckTimeout(t *testing.T) {
	seed.Usual(t)
	hangs := write(t, "hangs.sh", "exec sleep 600")
	for timeout, want := range map[string]string{"300ms": "deadline exceeded", "0s": "--timeout 0s"} {
		begin := time.Now()
		r := gcdbench(t, "", "engines", "check", "--command", "sh "+hangs, "--timeout", timeout)
		if r.status != exitUsage || !strings.Contains(r.err, want) || time.Since(begin) > time.Minute {
			t.Errorf("--timeout %s: exit status %d after %v: %s", timeout, r.status, time.Since(begin), r.err)
		}
	}
}

// TestInstallWithoutPython: one clear line.
func TestInstallWithoutPython(t *testing.T) {
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	t.Setenv(engines.PythonEnv, filepath.Join(t.TempDir(), "no-python"))
	r := gcdbench(t, "", "engines", "install", "llguidance")
	if r.status != exitUsage || !strings.Contains(r.err, "install Python 3.10 or later") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit status %d: %s", r.status, r.err)
	}
}

// asProgram is a variable of the environment in which the binary of the tests is the program.
const asProgram = "GCDBENCH_TEST_PROGRAM"

// TestMain lets children of tests be the program: the algorithm child starts whoever runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "engines" && os.Args[2] == "serve" || os.Getenv(asProgram) != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	status := m.Run()
	os.RemoveAll(small.dir)
	os.Exit(status)
}

// TestMaskOfChild: a mask is the same in process, as a child, and by the child's command.
func TestMaskOfChild(t *testing.T) {
	seed.Usual(t)
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	program := must.Get(os.Executable())(t)
	masks := map[string]string{}
	for _, args := range [][]string{{"-a", "psc"}, {"-a", "child", "-o", "options=compile=lazy"}, {"-a", "outside", "-o", "command=" + program + " engines serve psc"}} {
		r := gcdbench(t, "", append([]string{"mask", "-g", "json", "-t", "r50k_base[:300]", "--prefix", `{"a":`}, args...)...)
		if r.status != exitOK {
			t.Fatalf("%v: exit status %d: %s", args, r.status, r.err)
		}
		masks[r.out] = strings.Join(args, " ")
	}
	if len(masks) != 1 {
		t.Errorf("they differ: %v", masks)
	}
}

// TestEnginesCheck: a table, or lines, and the status says whether all was well.
func TestEnginesCheck(t *testing.T) {
	seed.Usual(t)
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	program := must.Get(os.Executable())(t)
	r := gcdbench(t, "", "engines", "check", "--command", program+" engines serve trie")
	if r.status != exitOK || !strings.Contains(r.out, "protocol/step-by-step      ok") || !strings.HasSuffix(strings.TrimSpace(r.out), "2 declared, 0 unsupported, 0 failed") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	refuses := write(t, "refuses.sh", `while read -r q; do
id=${q##*'"id":'}; id=${id%%[!0-9]*}
case $q in
*'"do":"hello"'*) echo '{"id":'$id',"ok":true,"protocol":2,"name":"x","version":"1","takes":["regex"],"clock_pair_ns":2,"clock_empty_ns":1}';;
*'"do":"compile"'*) echo '{"id":'$id',"ok":false,"outcome":"unsupported","error":"no"}';;
*) echo '{"id":'$id',"ok":true,"ns":1}';;
esac
done`)
	r = gcdbench(t, "", "engines", "check", "--json", "--command", "sh "+refuses)
	results := map[any]int{}
	for line := range strings.Lines(r.out) {
		results[object(t, line)["result"]]++
	}
	if r.status != exitFailure || results["ok"] != 1 || results["unsupported"] < 2 || results["FAILED"] != 1 {
		t.Errorf("exit status %d, %v: %s%s", r.status, results, r.out, r.err)
	}
}

// TestEnginesMeasure: an algorithm of ours, in a process of its own, has a time for each clone,
// rollback and draft, and no batches.
func TestEnginesMeasure(t *testing.T) {
	document := write(t, "d.json", `{"a": [1, 2.5, "x"], "b": {"c": null}}`)
	r := gcdbench(t, "", "engines", "measure", "trie", "-g", "json", "-t", "r50k_base[:2000]", "--file", document, "--draft", "3", "--batch", "2", "--json")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.status != exitOK || len(lines) != 4 {
		t.Fatalf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	for i, line := range lines {
		var c capability
		must.OK(t, json.Unmarshal([]byte(line), &c))
		if want := []string{"clone", "rollback", "draft", "batch"}[i]; c.What != want || c.Has != (want != "batch") || c.Has && (c.NS == nil || c.NS.N < 5) || c.K != []int{1, 3, 3, 2}[i] {
			t.Errorf("%s", line)
		}
		if c.What == "draft" && c.Accepted < int64(3*(c.NS.N-2)) { // the last may have the end in them
			t.Errorf("%d tokens of %d drafts of the document itself were accepted", c.Accepted, c.NS.N)
		}
	}
}
