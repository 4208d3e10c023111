package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// served is a configuration with a section about throughput in its last line.
const served = `name: a
algorithms: [trie]
tokenizers: [llama3]
workloads:
  - {grammar: json, dataset: json-samples}
throughput: `

const model = "models: [{model: llama-3.2-1b, device: a100-40gb, tokenizer: llama3}]"

// measured is a measured table up to a batch of 8.
const measured = `{"model": "M", "device": "D", "kind": "measured", "source": "S", "context": 9, "steps": [{"batch": 1, "ms": 2}, {"batch": 8, "ms": 4}]}`

func TestThroughput(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "t.json"), []byte(measured), 0o644))
	parse := func(section string) *Throughput {
		t.Helper()
		c := must.Get(Parse(filepath.Join(dir, "c.yaml"), []byte(served+section), known))(t)
		return c.Throughput
	}
	got := parse("{" + model + "}")
	if !slices.Equal(got.Batch, []int{1, 2, 4, 8, 16, 32, 64, 128, 256}) || !slices.Equal(got.Threads, []int{1}) ||
		!slices.Equal(got.Masks, []string{SerialMasks, OverlappedMasks}) || got.MaxTokens != 0 {
		t.Errorf("defaults: %+v", got)
	}
	if m := got.Models[0]; m.Tokenizer != "llama3" || m.Table.Model != "Llama 3.2 1B" || m.Table.Kind != "roofline" || m.Table.Largest() != 256 || m.Table.Context != DefaultContext {
		t.Errorf("a roofline: %+v", m)
	}
	for keys, want := range map[string][2]int{
		"": {DefaultContext, DefaultPrompt}, ", context: 9": {9, 9}, ", context: 0": {0, 0}, ", prompt: 9": {DefaultContext, 9},
		", prompt: 1024": {1024, 1024}, ", context: 2048, prompt: 1024": {2048, 1024},
	} {
		table := parse(strings.Replace("{"+model+"}", ", tokenizer", keys+", tokenizer", 1)).Models[0].Table
		if got := [2]int{table.Context, table.Prompt}; got != want || table.PrefillMS > 0 != (want[1] > 1) {
			t.Errorf("%q: context and prompt %v, want %v; prefill %v ms", keys, got, want, table.PrefillMS)
		}
	}
	got = parse("{batch: [3, 8], threads: [1, all], masks: [overlapped], max_tokens: 77, models: [{times: t.json, tokenizer: llama3}, {times: t.json, tokenizer: llama3, label: again}]}")
	threads := []int{1, runtime.NumCPU()}
	if !slices.Equal(got.Batch, []int{3, 8}) || !slices.Equal(got.Threads, slices.Compact(threads)) || !slices.Equal(got.Masks, []string{OverlappedMasks}) || got.MaxTokens != 77 {
		t.Errorf("all keys: %+v", got)
	}
	if a, b := got.Models[0].Table, got.Models[1].Table; a.NS(8) != 4e6 || a.Model != "M" || b.Model != "again" {
		t.Errorf("measured tables: %+v, %+v", a, b)
	}
	if c, err := Parse("c.yaml", []byte(served[:strings.Index(served, "throughput")]), known); err != nil || c.Throughput != nil {
		t.Errorf("without the section: %v, %v", c.Throughput, err)
	}
}

// TestThroughputMistakes compares messages, with line and column.
func TestThroughputMistakes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"t.json": measured, "bad.json": strings.Replace(measured, `"ms": 4`, `"ms": "4"`, 1)} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for section, want := range map[string]string{
		"{}":                                                   `c.yaml:6:13: throughput lacks the key "models"`,
		"{models: []}":                                         `c.yaml:6:22: the list is empty`,
		"{" + model + ", batches: [1]}":                        `unknown key "batches" in throughput; did you mean "batch"?; known are batch, threads, masks, max_tokens, models`,
		"{batch: [0], " + model + "}":                          `c.yaml:6:22: 0 is out of range: expected a whole number from 1 to 65536`,
		"{batch: [2, 1], " + model + "}":                       `c.yaml:6:25: the batch size 1 stands behind 2: expected ascending numbers, each once`,
		"{threads: [2, 2], " + model + "}":                     `c.yaml:6:27: the number of threads 2 stands behind 2`,
		"{threads: [many], " + model + "}":                     `c.yaml:6:24: unknown value "many"`,
		"{masks: [late], " + model + "}":                       `c.yaml:6:22: unknown value "late": expected one of serial, overlapped`,
		"{max_tokens: 1, " + model + "}":                       `c.yaml:6:26: 1 is out of range`,
		"{models: [{tokenizer: llama3}]}":                      `c.yaml:6:23: a model needs model and device, for a roofline, or times, for a measured table`,
		"{models: [{model: llama-3.2-1b, tokenizer: llama3}]}": `c.yaml:6:23: a model needs model and device`,
		"{models: [{model: llama, device: a100-40gb, tokenizer: llama3}]}":                                `c.yaml:6:31: unknown model "llama"; known are llama-3.2-1b, qwen-2.5-0.5b, qwen-2.5-7b, gemma-3-270m`,
		"{models: [{model: llama-3.2-1b, device: abacus, tokenizer: llama3}]}":                            `c.yaml:6:53: unknown device "abacus"; known are a100-40gb, h100-sxm`,
		"{models: [{model: llama-3.2-1b, device: a100-40gb, tokenizer: lama3}]}":                          `c.yaml:6:75: "lama3" is the label of no vocabulary under tokenizers; did you mean "llama3"?; there are llama3`,
		"{models: [{times: no.json, tokenizer: llama3}]}":                                                 `c.yaml:6:31: the table file "no.json" does not exist`,
		"{models: [{times: bad.json, tokenizer: llama3}]}":                                                `bad.json:1:`,
		"{models: [{times: t.json, tokenizer: llama3}]}":                                                  `c.yaml:6:31: the table ends at a batch of 8, and batch goes to 256`,
		"{models: [{model: llama-3.2-1b, device: a100-40gb, context: 9, prompt: 10, tokenizer: llama3}]}": `c.yaml:6:84: a prompt of 10 tokens is longer than the context of 9, which holds it`,
		"{batch: [8], models: [{times: t.json, prompt: 9, tokenizer: llama3}]}":                           `c.yaml:6:59: prompt goes with a roofline`,
		"{batch: [8], models: [{times: t.json, device: a100-40gb, tokenizer: llama3}]}":                   `c.yaml:6:59: device goes with a roofline`,
		"{batch: [8], models: [{times: t.json, tokenizer: llama3}, {times: t.json, tokenizer: llama3}]}":  `c.yaml:6:71: M on D stands already at line 6 column 35; give one of them another label`,
	} {
		_, err := Parse(filepath.Join(dir, "c.yaml"), []byte(served+section), known)
		if err == nil || !strings.Contains(err.Error(), strings.Replace(want, "c.yaml", filepath.Join(dir, "c.yaml"), 1)) {
			t.Errorf("%s: got\n%v\nwant in it\n%s", section, err, want)
		}
	}
}
