package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/load"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

const loadConfig = `name: tiny
algorithms: [psc]
tokenizers: ["o200k_base[:4096]"]
workloads: [{grammar: schema, dataset: {name: schema-samples, limit: 6}}]
load: {models: [{model: llama-3.2-1b, device: h100-sxm, tokenizer: "o200k_base[:4096]"}], scenarios: [offline, server], rates: [50],
  search: false, batch: 4, cache: 64MiB, warmup: 50ms, duration: 200ms, requests: 10, repeats: 1, check: 3, ttft: 1m, itl: 1m}
`

// TestLoad: the loads of a configuration are served once, kept, and reported.
func TestLoad(t *testing.T) {
	seed.Usual(t)
	config, dir := write(t, "tiny.yaml", loadConfig), filepath.Join(t.TempDir(), "out")
	r := gcdbench(t, "", "load", config, "--out", dir, "--json")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.status != exitOK || len(lines) != 4 {
		t.Fatalf("exit status %d, %d lines: %s%s", r.status, len(lines), r.out, r.err)
	}
	labels := map[string]bool{}
	for _, line := range lines {
		var c struct {
			ID       struct{ Label, Scenario string }
			Outcome  string
			Requests int
			TTFT     struct{ N int } `json:"ttft_ns"`
			Share    float64         `json:"good_share"`
		}
		must.OK(t, json.Unmarshal([]byte(line), &c))
		labels[c.ID.Label+" "+c.ID.Scenario] = true
		if c.Outcome != "ok" || c.Requests == 0 || c.TTFT.N == 0 || c.Share != 1 {
			t.Errorf("%s", line)
		}
	}
	if !labels["none server"] || !labels["psc server"] || !labels["psc offline"] {
		t.Errorf("loads: %v", labels)
	}
	machine := fmt.Sprintf(`"cpu":%q`, environment.Here(environment.Clock{}).CPU)
	path := filepath.Join(dir, load.File)
	before := must.Get(os.ReadFile(path))(t)
	last := bytes.LastIndexByte(before[:len(before)-1], '\n')
	serves := func(stored, said string) {
		t.Helper()
		must.OK(t, os.WriteFile(path, []byte(stored), 0o644))
		r = loud(t, "load", config, "--out", dir)
		after, err := os.ReadFile(path)
		if r.status != exitOK || err != nil || !strings.Contains(r.out, "Requests under load") || strings.Count(r.out, " 10 ")+strings.Count(r.out, " 14 ") < 4 || bytes.Count(after, []byte{'\n'}) != 4+strings.Count(stored, "another") || !strings.Contains(r.err, said) ||
			strings.Count(r.err, "within the limits") != 4-strings.Count(stored, machine) {
			t.Errorf("exit status %d, called again: %v, %d lines: %s%s", r.status, err, bytes.Count(after, []byte{'\n'}), r.out, r.err)
		}
	}
	serves(string(before[:last+20]), "line 4 of "+path+" is damaged: unexpected end of JSON input; what was in it is measured again") // as a kill leaves it
	serves("nonsense\n"+string(before[:last+1]), "line 1 of "+path+" is damaged")
	serves(string(before), "")
	serves(strings.Replace(string(before), machine, `"cpu":"another"`, 1), "")
	for _, command := range [][]string{{"report", dir}, {"compare", dir, dir}, {"site", dir, "--out", t.TempDir()}} {
		if r = gcdbench(t, "", command...); r.status != exitUsage || !strings.Contains(r.err, dir+" holds loads, and no finished cells: their report is in "+filepath.Join(dir, "report")) {
			t.Errorf("%v: exit status %d: %s", command, r.status, r.err)
		}
	}
	store := must.Get(cell.Open(dir))(t)
	unlock := must.Get(store.Lock())(t)
	defer unlock()
	if r = gcdbench(t, "", "load", config, "--out", dir); r.status != exitUsage || !strings.Contains(r.err, "another run (process ") {
		t.Errorf("a directory in use: exit status %d: %s", r.status, r.err)
	}
	if _, err := os.Stat(filepath.Join(dir, "report", "load-ttft.svg")); err != nil {
		t.Error(err)
	}
}

// TestLoadUsage: what is wrong with a configuration is said with its place.
func TestLoadUsage(t *testing.T) {
	for change, want := range map[string]string{
		"scenarios: [offline, server]>scenarios: [trace]":   "tiny.yaml:5:102: the scenario trace needs the key trace",
		"scenarios: [offline, server]>scenarios: [offline]": "goes with the scenario server",
		"rates: [50]>rates: [0]":                            "0 is out of range: expected a number from 0.001",
		"rates: [50]>rates: [5, 6, 5.0]":                    "5.0 stands in the list already",
		"offline, server]>server, server]":                  "server stands in the list already",
		"cache: 64MiB>cache: 9":                             `bad size "9": expected none, or a size such as 512MiB`,
		"cache: 64MiB>compile_timeout: 9999999h":            `the duration "9999999h" is out of range, which ends at 2562047h`,
		"search: false>serach: false":                       `unknown key "serach" in load; did you mean "search"?`,
		"batch: 4>trace: missing.jsonl":                     "trace goes with the scenario trace",
		"model: llama-3.2-1b>model: llama-3":                `unknown model "llama-3"`,
	} {
		from, to, _ := strings.Cut(change, ">")
		r := gcdbench(t, "", "load", write(t, "tiny.yaml", strings.Replace(loadConfig, from, to, 1)))
		if r.status != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit status %d: %s; want %s", change, r.status, r.err, want)
		}
	}
}
