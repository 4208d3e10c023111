package harness

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
)

// TestRequestRun: engines agree on requests with tools and refuse the wrong responses, and samples
// say which token is what.
func TestRequestRun(t *testing.T) {
	w := newWorld(t)
	w.file(t, "tools.jsonl", `{"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"], "additionalProperties": false}, "calls": [{"zone": "UTC"}]}
{"name": "get_timer", "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "additionalProperties": false}, "calls": [{"id": 10}]}
{"id": "right", "tools": ["get_time"], "response": [{"text": "I look."}, {"call": "get_time", "arguments": {"zone": "CET"}}]}
{"id": "unknown", "tools": ["get_timer"], "response": [{"call": "get_times", "arguments": {}}]}
{"id": "log", "tools": ["get_timer"], "format": "mistral", "text": "[TOOL_CALLS]get_timer[ARGS]{\"id\": 7}"}
`)
	text := `name: test
algorithms: [naive, trie, {name: psc, options: {compile: lazy}}]
tokenizers: [{file: tok.json}]
workloads: [{tools: {format: mistral, count: 3, requests: 4}, dataset: {format: tools, path: tools.jsonl}}]
measure: {warmup: 0, repeat: 1}
`
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), prepare.Known()))(t)
	if sum := w.run(t, cfg); sum.Failed != 0 || sum.Outcomes[cell.OK] != 3 {
		t.Fatalf("%+v", sum)
	}
	for label, r := range w.records(t) {
		if r.Grammar != config.GrammarTools || r.Tools == nil || r.Tools.Format != "mistral" || r.Tools.Count != 3 || len(r.Problems) != 4 {
			t.Fatalf("%s: %q %+v, %d problems", label, r.Grammar, r.Tools, len(r.Problems))
		}
		for id, negative := range map[string]bool{"right#0": false, "unknown#0": true, "log#0": false, "request-00003#0": false} {
			if s := sample(t, r, id); s.Negative != negative || s.Refused != negative || s.Outcome != cell.OK {
				t.Errorf("%s: %s: %+v", label, id, s)
			}
		}
		one := sample(t, r, "right#0")
		parts := fmt.Sprint(one.Parts)
		if want := "[{text 7} {marker 12} {name 8} {marker 6} {arguments 15}]"; parts != want || one.Tokens != 7+12+8+6+15+1 {
			t.Errorf("%s: %s of %d tokens, want %s", label, parts, one.Tokens, want)
		}
	}
}

// TestRequestMarkers: the markers that a vocabulary has are tokens where the workload says so.
func TestRequestMarkers(t *testing.T) {
	for markers, want := range map[string]string{
		"tokens": "[{text 7} {marker 1} {name 8} {marker 1} {arguments 15}]",
		"text":   "[{text 7} {marker 12} {name 8} {marker 1} {arguments 15}]", // an added token that is not special is text like others
	} {
		w := newWorld(t)
		w.file(t, "marked.json", strings.Replace(tinyTokenizer(), `"added_tokens":[`, `"added_tokens":[
			{"id": 300, "content": "[TOOL_CALLS]", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
			{"id": 301, "content": "[ARGS]", "special": false, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},`, 1))
		w.file(t, "tools.jsonl", `{"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"], "additionalProperties": false}, "calls": [{"zone": "UTC"}]}
{"id": "right", "tools": ["get_time"], "response": [{"text": "I look."}, {"call": "get_time", "arguments": {"zone": "CET"}}]}
{"id": "wrong", "tools": ["get_time"], "response": [{"text": "I look."}, {"call": "get_time", "arguments": {}}]}
`)
		text := `name: test
algorithms: [naive, trie, {name: psc, options: {compile: lazy}}]
tokenizers: [{file: marked.json}]
workloads: [{tools: {format: mistral, markers: ` + markers + `}, dataset: {format: tools, path: tools.jsonl}}]
measure: {warmup: 0, repeat: 1}
`
		cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), prepare.Known()))(t)
		if sum := w.run(t, cfg); sum.Failed != 0 || sum.Outcomes[cell.OK] != 3 {
			t.Fatalf("%s: %+v", markers, sum)
		}
		for label, r := range w.records(t) {
			if tokens := markers == "tokens"; tokens != slices.Equal(r.Tools.Markers, []string{"[TOOL_CALLS]", "[ARGS]"}) || tokens == (r.Tools.Markers == nil) {
				t.Errorf("%s: markers %q", label, r.Tools.Markers)
			}
			if right, wrong := sample(t, r, "right#0"), sample(t, r, "wrong#0"); right.Refused || !wrong.Refused || fmt.Sprint(right.Parts) != want {
				t.Errorf("%s, markers as %s: right %+v, wrong %+v, want parts %s", label, markers, right, wrong, want)
			}
		}
	}
}
