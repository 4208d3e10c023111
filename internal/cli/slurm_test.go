package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlurm: the scripts say what the flags do, and the command what to do with them.
func TestSlurm(t *testing.T) {
	cfg := write(t, "c.yaml", shardConfig)
	corpus := write(t, "mine.jsonl", `{"id": "a", "content": "[1]"}`+"\n")
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	for _, c := range []struct {
		args []string
		want []string // parts of array.sbatch
		not  string
	}{
		{[]string{"--shards", "3", "--time", "1-00:00:00", "--partition", "long", "--corpus", "json=" + corpus},
			[]string{" run '" + cfg + "'", "--array=1-3", "--exclusive", "--time=1-00:00:00", "--partition=long", "'json=" + corpus + "'", "export GCDBENCH_CACHE="}, "--rounds"},
		{[]string{"--shards", "2", "--shared"}, []string{"--array=1-2"}, "#SBATCH --exclusive"},
		{[]string{"--shards", "2", "--verify", "--budget", "90m", "--cpus", "16"}, []string{" verify '", "'--budget' '1h30m0s'", "--cpus-per-task=16"}, "#SBATCH --exclusive"},
		{[]string{"--shards", "2", "--verify"}, []string{"'--rounds' '1'"}, "--budget"},
	} {
		folder := filepath.Join(t.TempDir(), "scripts")
		r := gcdbench(t, "", append([]string{"slurm", cfg, "--scripts", folder, "--out", filepath.Join(folder, "out")}, c.args...)...)
		text, err := os.ReadFile(filepath.Join(folder, "array.sbatch"))
		if r.status != exitOK || err != nil || len(lines(r.out)) != 3 {
			t.Fatalf("%v: %d %s%s%v", c.args, r.status, r.out, r.err, err)
		}
		for _, part := range c.want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%v: no %q in\n%s", c.args, part, text)
			}
		}
		if strings.Contains(string(text), c.not) {
			t.Errorf("%v: %q in\n%s", c.args, c.not, text)
		}
	}
}
