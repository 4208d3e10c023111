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
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// campaignSums are the sums of a campaign's output that do not depend on time.
func campaignSums(t *testing.T, r result) string {
	t.Helper()
	if r.status != exitOK {
		t.Fatalf("%d %s%s", r.status, r.out, r.err)
	}
	var all []map[string]any
	for i, line := range lines(r.out) {
		v := object(t, line)
		for _, field := range []string{"machine_seconds", "cpu_seconds", "positions_per_cpu_second", "worker_seconds", "sessions", "shard"} {
			delete(v, field)
		}
		if engines, ok := v["engines"].([]any); ok {
			for _, e := range engines {
				delete(e.(map[string]any), "seconds")
			}
		}
		if positions, _ := v["positions"].(float64); i == 0 && positions < 200 {
			t.Errorf("only %v positions", positions)
		}
		all = append(all, v)
	}
	text := must.Get(json.Marshal(all))(t)
	return string(text)
}

// TestMergedCampaign: the joined campaigns of shards have the sums of the whole, and the
// command goes on where it stopped.
func TestMergedCampaign(t *testing.T) {
	seed.Usual(t)
	three := strings.Replace(shardConfig, "psc", "psc, greatgramma", 1) // naive is asked at few positions
	cfg := write(t, "c.yaml", three)
	dir := t.TempDir()
	want := campaignSums(t, gcdbench(t, "", "verify", cfg, "--rounds", "2", "--out", filepath.Join(dir, "whole"), "--json"))
	if again := campaignSums(t, gcdbench(t, "", "verify", cfg, "--rounds", "2", "--out", filepath.Join(dir, "whole"), "--json")); again != want {
		t.Errorf("called again it has\n%s\nand had\n%s", again, want)
	}
	args := []string{"merge", "--json", "--out", filepath.Join(dir, "documents", "joined")}
	for i := 1; i <= 2; i++ {
		out := filepath.Join(dir, "documents", fmt.Sprint(i))
		for _, rounds := range []string{"1", "2"} {
			if r := gcdbench(t, "", "verify", cfg, "--shard", fmt.Sprintf("%d/2", i), "--rounds", rounds, "--out", out); r.status != exitOK {
				t.Fatalf("%d %s%s", r.status, r.out, r.err)
			}
		}
		args = append(args, out)
	}
	if got := campaignSums(t, gcdbench(t, "", args...)); got != want {
		t.Errorf("joined\n%s\nthe whole\n%s", got, want)
	}
	other := write(t, "c.yaml", three)
	if r := gcdbench(t, "", "verify", other, "--shard", "2/2", "--sample", "naive=50", "--out", filepath.Join(dir, "other")); r.status != exitOK {
		t.Fatalf("%d %s%s", r.status, r.out, r.err)
	}
	for _, c := range []struct{ second, want string }{
		{filepath.Join(dir, "other"), "ask other algorithms, or at other positions"},
		{filepath.Join(dir, "whole"), "one is a shard, the other is none"},
	} {
		r := gcdbench(t, "", "merge", filepath.Join(dir, "documents", "1"), c.second, "--out", filepath.Join(dir, "x"))
		if r.status != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: %d, no %q in %s", c.second, r.status, c.want, r.err)
		}
	}
	differentTask(t, dir)
}

// differentTask: a task that two directories have with different contents is refused.
func differentTask(t *testing.T, dir string) {
	t.Helper()
	one, changed := filepath.Join(dir, "documents", "1"), filepath.Join(dir, "changed")
	must.OK(t, os.CopyFS(changed, os.DirFS(one)))
	logs, err := filepath.Glob(filepath.Join(changed, "campaign", "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, path := range logs {
		relog(t, path)
	}
	r := gcdbench(t, "", "merge", one, filepath.Join(dir, "documents", "2"), changed, "--out", filepath.Join(dir, "x"))
	if r.status != exitUsage || !strings.Contains(r.err, "with different contents") {
		t.Errorf("a changed task: %d %s", r.status, r.err)
	}
}

// relog writes a log with another number of positions in each task.
func relog(t *testing.T, path string) {
	t.Helper()
	var texts [][]byte
	must.Get(cell.ReadLog(path, func(text []byte) {
		texts = append(texts, bytes.ReplaceAll(text, []byte(`"positions":`), []byte(`"positions":1`)))
	}))(t)
	must.OK(t, os.Remove(path))
	log, _, err := cell.OpenLog(path, func([]byte) {})
	must.OK(t, err)
	for _, text := range texts {
		must.OK(t, log.Append(text))
	}
	must.OK(t, log.Close())
}
