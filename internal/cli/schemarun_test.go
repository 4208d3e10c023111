package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// smallCorpus is one in MaskBench's format: a schema that is right, one that is not supported, and
// one with an instance whose keys are in another order.
const smallCorpus = `{"id": "good", "group": "one", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false}, "tests": [{"valid": true, "data": {"a": 1}}, {"valid": false, "data": {"a": "x"}}]}
{"id": "unsupported", "group": "one", "schema": {"type": "array", "items": {"pattern": "(.)\\1"}}, "tests": [{"valid": true, "data": [1]}]}
{"id": "order", "group": "two", "schema": {"properties": {"a": {}, "b": {}}}, "tests": [{"valid": true, "data": {"a": 1, "b": 2}}, {"valid": true, "data": {"b": 1, "a": 2}}]}
{"id": "bare", "group": "two", "schema": {"type": "null"}, "tests": []}
`

// TestSchemaRun runs schemas from a configuration whose corpus is given on the command line, and
// reports them.
func TestSchemaRun(t *testing.T) {
	seed.Usual(t)
	cfg := write(t, "c.yaml", "name: schemas\nalgorithms: [naive, trie, psc]\ntokenizers: [\"r50k_base[:2000]\"]\n"+
		"workloads: [{grammar: schema, order: declared, published: maskbench, dataset: {name: schema-samples, limit: 4}}]\nmeasure: {warmup: 1, repeat: 1, compiles: 1}\n")
	corpus := write(t, "mb.jsonl", smallCorpus)
	out := filepath.Join(t.TempDir(), "out")
	if r := gcdbench(t, "", "plan", cfg, "--out", out, "--json"); r.status != exitOK || len(lines(r.out)) != 3 {
		t.Fatalf("plan: %d %s%s", r.status, r.out, r.err)
	}
	// The embedded samples are right; in the corpus a valid instance is refused, if only for the
	// order of its keys.
	if r := gcdbench(t, "", "verify", cfg); r.status != exitOK || !strings.Contains(r.out, "4 schemas, ") {
		t.Errorf("verify: %d %s%s", r.status, r.out, r.err)
	}
	r := gcdbench(t, "", "verify", cfg, "--corpus", "schema="+corpus)
	if !strings.Contains(r.out, "4 schemas, 3 compiled") {
		t.Errorf("verify of the corpus: %d %s%s", r.status, r.out, r.err)
	}
	r = gcdbench(t, "", "run", cfg, "--out", out, "--full", "--corpus", "schema="+corpus)
	for _, part := range []string{"Schemas: compiled, and right", "Schemas that did not compile, or did not end, by reason", "Schemas by group", "time to the first mask (TTFM)", "Beside the published figures for JSON schemas"} {
		if !strings.Contains(r.out, part) {
			t.Errorf("run: status %d, no %q in %s%s", r.status, part, r.out, r.err)
		}
	}
	r = gcdbench(t, "", "report", out, "--format", "json")
	cells := object(t, r.out)["cells"].([]any)
	if len(cells) != 3 {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells {
		cell := c.(map[string]any)
		for field, want := range map[string]float64{"schemas": 4, "schemas_compiled": 3, "schemas_right": 2, "schemas_with_instances": 3, "schemas_with_instances_right": 1,
			"schemas_with_instances_right_but_for_key_order": 2, "invalid_accepted": 0, "valid_refused": 0, "valid_refused_key_order": 1, "schemas_crashed": 0, "schemas_timed_out": 0} {
			if cell[field] != want {
				t.Errorf("%v: %s is %v, want %v", cell["label"], field, cell[field], want)
			}
		}
		for field, n := range map[string]float64{"ttfm_ns": 3, "schema_grammar_ns": 3} {
			if s, _ := cell[field].(map[string]any); s["n"] != n {
				t.Errorf("%v: %s is %v", cell["label"], field, cell[field])
			}
		}
		steps, _ := cell["tbm_ns"].(map[string]any)
		for state, figures := range map[string]any{"first": steps["first"], "again": steps["again"], "cold": cell["cold_tbm_ns"]} {
			if s, _ := figures.(map[string]any); s == nil || s["n"] == 0.0 || s["p90"] == nil {
				t.Errorf("%v: steps, %s: %v", cell["label"], state, figures)
			}
		}
	}
	for format, part := range map[string]string{"markdown": "## Schemas: compiled, and right", "csv": "schemas_right", "latex": `\label{tab:ttfm}`, "html": `id="slowest-tbm"`} {
		if r := gcdbench(t, "", "report", out, "--format", format); r.status != exitOK || !strings.Contains(r.out, part) {
			t.Errorf("%s: status %d, no %q: %s", format, r.status, part, r.err)
		}
	}
}

// TestReportBySchema: a line for each schema and cell, on standard output or beside a report.
func TestReportBySchema(t *testing.T) {
	seed.Usual(t)
	cfg := write(t, "c.yaml", "name: schemas\nalgorithms: [trie, psc]\ntokenizers: [\"r50k_base[:300]\"]\n"+
		"workloads: [{grammar: schema, order: declared, dataset: schema-samples}]\nmeasure: {warmup: 1, repeat: 1, positions: 10, compiles: 1}\n")
	dir := filepath.Join(t.TempDir(), "out")
	if r := gcdbench(t, "", "run", cfg, "--out", dir, "--corpus", "schema="+write(t, "mb.jsonl", smallCorpus)); r.status != exitOK && r.status != exitFailure {
		t.Fatalf("run: %d %s", r.status, r.err)
	}
	r := gcdbench(t, "", "report", dir, "--format", "csv", "--by", "schema")
	list, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if r.status != exitOK || err != nil || len(list) != 1+2*4 {
		t.Fatalf("exit status %d, %v: %d lines\n%s%s", r.status, err, len(list), r.out, r.err)
	}
	at := func(line []string, name string) string { return line[slices.Index(list[0], name)] }
	seen := map[string]string{}
	for _, line := range list[1:] {
		seen[at(line, "algorithm")+" "+at(line, "schema")] = at(line, "outcome") + " " + at(line, "right")
		if compiled := at(line, "outcome") == "ok"; compiled != (at(line, "ttfm_ns") != "") || compiled != (at(line, "reason") == "") {
			t.Errorf("%v", line)
		}
	}
	for schema, want := range map[string]string{"good": "ok true", "unsupported": "unsupported false", "order": "ok false", "bare": "ok true"} {
		for _, algorithm := range []string{"trie", "psc"} {
			if got := seen[algorithm+" "+schema]; got != want {
				t.Errorf("%s on %s: %q, want %q", algorithm, schema, got, want)
			}
		}
	}
	beside := filepath.Join(t.TempDir(), "report")
	if r := gcdbench(t, "", "report", dir, "--out", beside); r.status != exitOK || !strings.Contains(r.out, filepath.Join(beside, "schemas.csv")) {
		t.Errorf("report --out: %d %s%s", r.status, r.out, r.err)
	}
	if text, err := os.ReadFile(filepath.Join(beside, "schemas.csv")); err != nil || string(text) != r.out {
		t.Errorf("schemas.csv is something else: %v", err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--format", "csv", "--by", "group"}, `--by is cell or schema, not "group"`},
		{[]string{"--by", "schema"}, "--by schema goes with --format csv, not with text"},
		{[]string{"--by", "schema", "--json"}, "goes with --format csv, not with json"},
		{[]string{"--by", "schema", "--format", "csv", "--out", beside}, "--out writes schemas.csv without it"},
	} {
		if r := gcdbench(t, "", append([]string{"report", dir}, c.args...)...); r.status != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit status %d, no %q in %s", c.args, r.status, c.want, r.err)
		}
	}
}
