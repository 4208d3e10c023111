package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

const loadConfig = `name: tiny
algorithms: [psc]
tokenizers: ["o200k_base[:4096]"]
workloads: [{grammar: schema, dataset: {name: schema-samples, limit: 6}}]
load: {models: [{model: llama-3.2-1b, device: h100-sxm, tokenizer: "o200k_base[:4096]"}], scenarios: [offline, server], rates: [50],
  search: false, batch: 4, warmup: 50ms, duration: 200ms, requests: 10, repeats: 1, check: 3, ttft: 1m, itl: 1m}
`

// TestLoad: the loads of a configuration are served once, kept, and reported.
func TestLoad(t *testing.T) {
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
	path := filepath.Join(dir, loadFile)
	before := must.Get(os.ReadFile(path))(t)
	cut := before[:bytes.LastIndexByte(before[:len(before)-1], '\n')+20] // as a kill leaves it
	must.OK(t, os.WriteFile(path, cut, 0o644))
	for range 2 { // the first one serves the load that was cut off, the second none
		r = gcdbench(t, "", "load", config, "--out", dir)
		after, err := os.ReadFile(path)
		if r.status != exitOK || err != nil || !strings.Contains(r.out, "Requests under load") || strings.Count(r.out, " 10 ")+strings.Count(r.out, " 14 ") < 4 || bytes.Count(after, []byte{'\n'}) != 5 {
			t.Errorf("exit status %d, called again: %v, %d lines: %s%s", r.status, err, bytes.Count(after, []byte{'\n'}), r.out, r.err)
		}
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
