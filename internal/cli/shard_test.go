package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// shardConfig has programs and schemas on two vocabularies: four groups.
const shardConfig = "name: shards\nseed: 5\nalgorithms: [naive, psc]\ntokenizers: [\"r50k_base[:300]\", \"r50k_base[:400]\"]\n" +
	"workloads:\n- {grammar: json, dataset: {name: json-samples, limit: 2, negatives: 1}}\n- {grammar: schema, dataset: {name: schema-samples, limit: 2}}\n" +
	"measure: {warmup: 1, repeat: 1, positions: 10, compiles: 1, memory: 4GiB}\n"

// TestMergedIsWhole: the joined results of shards are those of the whole run in all but times.
func TestMergedIsWhole(t *testing.T) {
	seed.Usual(t) // three runs; harness/merge joins shards, and TestMergedCampaign those of a campaign
	cfg := write(t, "c.yaml", shardConfig)
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if r := gcdbench(t, "", "run", cfg, "--out", whole); r.status != exitOK {
		t.Fatalf("%d %s%s", r.status, r.out, r.err)
	}
	want := timeless(t, whole)
	var shards []string
	for i := 1; i <= 2; i++ {
		out := filepath.Join(dir, fmt.Sprint(i))
		if r := gcdbench(t, "", "run", cfg, "--shard", fmt.Sprintf("%d/2", i), "--out", out); r.status != exitOK {
			t.Fatalf("shard %d: %d %s%s", i, r.status, r.out, r.err)
		}
		shards = append(shards, out)
	}
	joined := filepath.Join(dir, "joined")
	r := gcdbench(t, "", append([]string{"merge", "--out", joined}, shards...)...)
	if r.status != exitOK {
		t.Fatalf("merge: %d %s%s", r.status, r.out, r.err)
	}
	compareTimeless(t, timeless(t, joined), want)
	if text := gcdbench(t, "", "report", joined).out; !strings.Contains(text, "Joined of 2 shards by cells") {
		t.Errorf("the report does not say what it was joined of:\n%s", text)
	}
	// Joined again, it is replaced; shards that are missing are named.
	if r := gcdbench(t, "", append([]string{"merge", "--out", joined}, shards...)...); r.status != exitOK {
		t.Errorf("again: %d %s", r.status, r.err)
	}
	if r := gcdbench(t, "", "merge", "--out", joined+"-2", shards[1]); r.status != exitUsage || !strings.Contains(r.err, "missing: shard 1/2") {
		t.Errorf("missing shards: %d %s", r.status, r.err)
	}
}

// timeless is the report of a directory without times, and without what differs between processes.
func timeless(t *testing.T, dir string) map[string]any {
	t.Helper()
	r := gcdbench(t, "", "report", dir, "--format", "json")
	if r.status != exitOK {
		t.Fatalf("report of %s: %d %s", dir, r.status, r.err)
	}
	return withoutTimes("", object(t, r.out)).(map[string]any)
}

// circumstances are fields about the process that measured, or in an order by times.
var circumstances = map[string]bool{"sessions": true, "shards": true, "disturbed_steps": true, "clock_check": true, "gc": true, "core": true,
	"clock": true, "load": true, "date": true, "started": true, "finished": true, "slowest_ttfm": true, "slowest_tbm": true, "slowest_cold_tbm": true,
	"intervals_95": true, "engine_says_bytes": true}

// withoutTimes replaces the numbers of fields that are times, sizes of the heap, or ratios of
// times. Which of them are there, and of how many values they are, stays.
func withoutTimes(key string, v any) any {
	timed := strings.HasSuffix(key, "_ns") || strings.Contains(key, "_ns_") || strings.Contains(key, "bytes") || key == "against"
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		if name, _ := v["name"].(string); key == "counters" && (strings.Contains(name, "mask") || strings.HasPrefix(name, "depth")) {
			return name // how often masks were asked for, and on which stacks: blocks check fast steps, and who is fast is a time
		}
		for k, value := range v {
			switch {
			case circumstances[k]:
			case timed && k != "n" && !strings.HasPrefix(k, "samples"):
				out[k] = withoutTimes(key, value)
			default:
				out[k] = withoutTimes(k, value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutTimes(key, v[i])
		}
		return out
	case float64:
		if timed {
			return "a time"
		}
	}
	return v
}

// compareTimeless names the fields that differ.
func compareTimeless(t *testing.T, got, want map[string]any) {
	t.Helper()
	cells, wanted := got["cells"].([]any), want["cells"].([]any)
	if len(cells) != len(wanted) || len(wanted) != 8 {
		t.Fatalf("%d cells, the whole run has %d", len(cells), len(wanted))
	}
	for i := range wanted {
		a, b := cells[i].(map[string]any), wanted[i].(map[string]any)
		for field := range b {
			if !reflect.DeepEqual(a[field], b[field]) {
				t.Errorf("%v on %v with %v: %s is\n%v\nin the whole run\n%v", b["label"], b["workload"], b["tokenizer"], field, a[field], b[field])
			}
		}
	}
	for _, field := range []string{"warnings", "missing"} {
		if !reflect.DeepEqual(got[field], want[field]) {
			t.Errorf("%s are %v, want %v", field, got[field], want[field])
		}
	}
}

// TestVerifiedShards: shards by documents verify each document once.
func TestVerifiedShards(t *testing.T) {
	seed.Usual(t)
	cfg := write(t, "c.yaml", shardConfig)
	count := func(args ...string) map[string]float64 {
		t.Helper()
		r := gcdbench(t, "", append([]string{"verify", cfg, "--json"}, args...)...)
		if r.status != exitOK {
			t.Fatalf("%v: %d %s%s", args, r.status, r.out, r.err)
		}
		sums := map[string]float64{}
		for _, line := range lines(r.out) {
			c := object(t, line)
			for _, field := range []string{"positives", "positives_passed", "negatives_passed", "masks", "positions_compared", "schemas"} {
				n, _ := c[field].(float64)
				sums[fmt.Sprint(c["label"], c["workload"], c["tokenizer"], field)] += n
			}
		}
		return sums
	}
	whole := count()
	parts := map[string]float64{}
	for i := 1; i <= 3; i++ {
		for field, n := range count("--shard", fmt.Sprintf("%d/3", i)) {
			parts[field] += n
		}
	}
	if !reflect.DeepEqual(parts, whole) {
		t.Errorf("the shards have %v, the whole %v", parts, whole)
	}
}

// TestPlannedShards: the cells of a plan are in one shard each.
func TestPlannedShards(t *testing.T) {
	cfg := write(t, "c.yaml", shardConfig)
	seen := map[any]int{}
	for i := 1; i <= 3; i++ {
		r := gcdbench(t, "", "plan", cfg, "--json", "--shard", fmt.Sprintf("%d/3", i), "--out", t.TempDir())
		if r.status != exitOK {
			t.Fatalf("%d %s", r.status, r.err)
		}
		for _, line := range lines(r.out) {
			seen[object(t, line)["key"]]++
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d cells are planned, want 8", len(seen))
	}
	for key, n := range seen {
		if n != 1 {
			t.Errorf("cell %v is in %d shards", key, n)
		}
	}
}

// TestShardFlags: bad shards, and directories that do not fit.
func TestShardFlags(t *testing.T) {
	seed.Usual(t)
	cfg := write(t, "c.yaml", strings.NewReplacer("naive, psc", "trie", `, "r50k_base[:400]"`, "").Replace(shardConfig))
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	for i, out := range []string{one, two} {
		if r := gcdbench(t, "", "run", cfg, "--shard", fmt.Sprintf("%d/2", i+1), "--out", out); r.status != exitOK {
			t.Fatalf("%d %s", r.status, r.err)
		}
	}
	other := filepath.Join(dir, "other")
	otherConfig := write(t, "c.yaml", strings.NewReplacer("naive, psc", "trie", "seed: 5", "seed: 6").Replace(shardConfig))
	if r := gcdbench(t, "", "run", otherConfig, "--shard", "6/6", "--out", other); r.status != exitOK {
		t.Fatalf("%d %s", r.status, r.err)
	}
	taken := filepath.Join(dir, "taken")
	must.OK(t, os.MkdirAll(filepath.Join(taken, "mine"), 0o755))
	for _, c := range []struct {
		about string
		args  []string
		want  string
	}{
		{"no shard", []string{"run", cfg, "--shard", "two"}, `"two" is no shard: expected i/n`},
		{"of none", []string{"run", cfg, "--shard", "1/0"}, "there can be 1 to"},
		{"beyond", []string{"verify", cfg, "--shard", "3/2"}, "shards are counted from 1 to 2"},
		{"empty", []string{"run", cfg, "--shard", ""}, "--shard is empty"},
		{"the directory of another shard", []string{"run", cfg, "--shard", "2/2", "--out", one}, "has results of shard 1/2 by cells, and this is shard 2/2 by cells"},
		{"the directory of a shard", []string{"run", cfg, "--out", one}, "this is the whole run"},
		{"nothing to merge", []string{"merge"}, "which result directories?"},
		{"no place", []string{"merge", one, two}, "--out"},
		{"not there", []string{"merge", filepath.Join(dir, "gone"), "--out", dir + "/x"}, "there is no result directory"},
		{"no results", []string{"merge", taken, "--out", dir + "/x"}, "has no run.json"},
		{"another configuration", []string{"merge", one, two, other, "--out", dir + "/x"}, "is of another configuration than"},
		{"not ours", []string{"merge", one, two, "--out", taken}, "was not made by 'gcdbench merge'"},
		{"into a shard", []string{"merge", one, two, "--out", one}, "would replace"},
		{"around the shards", []string{"merge", one, two, "--out", dir}, "would replace"},
	} {
		r := gcdbench(t, "", c.args...)
		if r.status != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: status %d, no %q in %s%s", c.about, r.status, c.want, r.out, r.err)
		}
	}
}
