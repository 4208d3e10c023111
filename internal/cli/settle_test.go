package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestSettle: a run with --settle measures a disturbed cell again, and all that took turns with it;
// without, it keeps it.
func TestSettle(t *testing.T) {
	seed.Usual(t) // it waits until the machine is quiet
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	cfg := write(t, "c.yaml", "name: c\nalgorithms: [trie, psc]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{grammar: json, dataset: {name: json-samples, limit: 1}}]\nmeasure: {compiles: 1}\n")
	dir := filepath.Join(t.TempDir(), "out")
	run := func(args ...string) result {
		r := gcdbench(t, "", append([]string{"run", cfg, "--out", dir, "--quiet"}, args...)...)
		if r.status != exitOK {
			t.Fatalf("exit status %d: %s", r.status, r.err)
		}
		return r
	}
	run()
	before := disturb(t, dir)
	run()
	if after := started(t, dir); after != before {
		t.Error("measured again without --settle")
	}
	run("--settle", "10s")
	after := started(t, dir)
	for i, old := range strings.Fields(before) {
		if strings.Fields(after)[i] == old {
			t.Errorf("cell %d was not measured again: %s", i, after)
		}
	}
}

// disturb makes one cell of a result a disturbed one, and returns when all were measured.
func disturb(t *testing.T, dir string) string {
	t.Helper()
	store := must.Get(cell.Open(dir))(t)
	keys := must.Get(store.Keys())(t)
	r := must.Get(store.Get(keys[0]))(t)
	var traces []cell.Trace
	for trace, err := range store.Traces(r) {
		must.OK(t, err)
		for i := range trace.Passes {
			trace.Passes[i].Disturbed = len(trace.Passes[i].Step)
		}
		traces = append(traces, trace)
	}
	must.OK(t, store.Put(r, traces))
	return started(t, dir)
}

// started says when the cells of a result were begun, in the order of their keys.
func started(t *testing.T, dir string) string {
	t.Helper()
	store := must.Get(cell.Open(dir))(t)
	keys := must.Get(store.Keys())(t)
	var list []string
	for _, key := range keys {
		r := must.Get(store.Get(key))(t)
		list = append(list, r.Started.Format("15:04:05.000000000"))
	}
	return strings.Join(list, " ")
}
