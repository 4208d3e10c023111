package slurm

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gcdbench/internal/must"
)

// cluster is a Slurm of one node that a test has started.
type cluster struct {
	dir string
	env []string
}

// clusterConfig is Slurm's configuration; the verbs are the host's name, the folder, two ports.
const clusterConfig = `ClusterName=one
SlurmctldHost=%[1]s
SlurmUser=root
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=%[2]s/munge/socket
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
NodeName=%[1]s CPUs=%[5]d State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// startCluster starts munged, slurmctld and slurmd in a folder of their own, until the end of the
// test. It skips the test where they are not installed.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("Slurm is not installed: %v (Debian: slurm-wlm and munge)", err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("slurmd has to run as root")
	}
	dir, err := os.MkdirTemp("", "gcdbench-slurm-") // the path of a socket must be short
	must.OK(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	host := must.Get(os.Hostname())(t)
	host, _, _ = strings.Cut(host, ".")
	c := &cluster{dir: dir, env: append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))}
	for _, sub := range []string{"munge", "state", "spool"} {
		must.OK(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	c.file(t, "munge/key", strings.Repeat("not a secret: a test's own. ", 40), 0o400)
	c.file(t, "slurm.conf", fmt.Sprintf(clusterConfig, host, dir, freePort(t), freePort(t), nproc(t)), 0o644)
	m := filepath.Join(dir, "munge")
	c.start(t, "munged", "--force", "--foreground", "--key-file="+m+"/key", "--socket="+m+"/socket", "--pid-file="+m+"/pid", "--log-file="+m+"/log", "--seed-file="+m+"/seed")
	c.until(t, "munged", func() bool { _, err := os.Stat(m + "/socket"); return err == nil })
	c.start(t, "slurmctld", "-D")
	c.start(t, "slurmd", "-D", "-N", host)
	c.until(t, "the node", func() bool {
		out, _ := c.call("sinfo", "--noheader", "--format=%T")
		return strings.HasPrefix(out, "idle")
	})
	return c
}

// file writes a file of the cluster.
func (c *cluster) file(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	must.OK(t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), mode))
}

// nproc is how many cores this process may use.
func nproc(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("nproc").Output()
	n, err2 := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return n
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start starts a daemon that is ended with the test.
func (c *cluster) start(t *testing.T, name string, args ...string) {
	t.Helper()
	log := must.Get(os.Create(filepath.Join(c.dir, name+".out")))(t)
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, log, log
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
		log.Close()
	})
}

// call runs a command of Slurm.
func (c *cluster) call(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = c.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// until waits for something.
func (c *cluster) until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(4 * time.Minute); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			for _, log := range []string{"munged.out", "slurmctld.out", "slurmctld.log", "slurmd.out", "slurmd.log"} {
				text, _ := os.ReadFile(filepath.Join(c.dir, log))
				t.Logf("%s:\n%s", log, text)
			}
			queue, _ := c.call("squeue")
			t.Fatalf("%s: waited in vain\n%s", what, queue)
		}
	}
}

// realConfig is long enough to be stopped in the middle: a shard takes some seconds.
const realConfig = `name: real
seed: 2
algorithms: [trie, psc]
tokenizers: ["r50k_base[:2000]", "r50k_base[:3000]"]
workloads:
  - {grammar: json, dataset: {name: json-samples, limit: 30, negatives: 5}}
  - {grammar: sql, dataset: {name: sql-samples, limit: 6, negatives: none}}
measure: {warmup: 1, repeat: 60, compiles: 1, memory: 4GiB}
`

// TestRealSlurm runs an array on a Slurm of one node. One task is queued again in the middle, the
// process of another is killed. Nothing is lost: both go on where they were, and the joined results
// are those of a run without Slurm in all but times.
func TestRealSlurm(t *testing.T) {
	c := startCluster(t)
	program := filepath.Join(c.dir, "gcdbench")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "gcdbench/cmd/gcdbench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	config := filepath.Join(c.dir, "real.yaml")
	c.file(t, "real.yaml", realConfig, 0o644)
	out := filepath.Join(c.dir, "results")
	if text, err := c.call(program, "slurm", config, "--shards", "4", "--cpus", "1", "--shared", "--out", out, "--scripts", filepath.Join(c.dir, "scripts")); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := c.call("sh", filepath.Join(c.dir, "scripts", "submit.sh"))
	ids := regexp.MustCompile(`array (\d+), then merge (\d+)`).FindStringSubmatch(text)
	if err != nil || ids == nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c.stopInTheMiddle(t, out, ids[1], 1, "requeue")
	c.stopInTheMiddle(t, out, ids[1], 2, "kill")
	c.until(t, "the merge", func() bool {
		c.startNow()
		queue, err := c.call("squeue", "--noheader")
		return err == nil && strings.TrimSpace(queue) == ""
	})
	logs := c.logs(t)
	for _, shard := range []int{1, 2} {
		if log := logs[fmt.Sprintf("shard-%d.log", shard)]; !strings.Contains(log, "start 1") || !strings.Contains(log, "resuming") {
			t.Errorf("shard %d did not go on:\n%s", shard, log)
		}
	}
	whole := filepath.Join(c.dir, "whole")
	if text, err := c.call("taskset", "-c", "0", program, "run", config, "--quiet", "--out", whole); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got, want := c.counted(t, program, out), c.counted(t, program, whole); got != want {
		t.Errorf("joined\n%s\nwithout Slurm\n%s\n%s", got, want, logs["merge.log"])
	}
}

// stopInTheMiddle stops a task that has done some of its documents: Slurm queues it again, or its
// process is killed.
func (c *cluster) stopInTheMiddle(t *testing.T, out, array string, shard int, how string) {
	t.Helper()
	dir := filepath.Join(out+"-shards", fmt.Sprintf("%d-of-4", shard))
	c.until(t, fmt.Sprintf("the first documents of shard %d", shard), func() bool {
		journals, _ := filepath.Glob(filepath.Join(dir, "journal", "*.log"))
		for _, path := range journals {
			if text, err := os.ReadFile(path); err == nil && strings.Count(string(text), `{"round":`) >= 3 {
				return true
			}
		}
		return false
	})
	if how == "requeue" {
		if text, err := c.call("scontrol", "requeue", fmt.Sprintf("%s_%d", array, shard)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	pid, err2 := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	must.OK(t, syscall.Kill(pid, syscall.SIGKILL))
}

// startNow has tasks that were queued again start without the two minutes that Slurm has them wait.
func (c *cluster) startNow() {
	queue, _ := c.call("squeue", "--noheader", "--array", "--format=%i %r")
	for _, line := range strings.Split(queue, "\n") {
		if id, reason, _ := strings.Cut(strings.TrimSpace(line), " "); reason == "BeginTime" {
			c.call("scontrol", "update", "jobid="+id, "StartTime=now")
		}
	}
}

// logs are those of the tasks by their names.
func (c *cluster) logs(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	paths := must.Get(filepath.Glob(filepath.Join(c.dir, "scripts", "logs", "*.log")))(t)
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		found[filepath.Base(path)] = string(text)
	}
	return found
}

// counted are fields of a cell that hold no times.
var counted = []string{"key", "label", "tokenizer", "workload", "outcome", "positives", "positives_passed", "negatives", "negatives_passed", "positions_compared", "reference"}

// counted is what a report says beside times.
func (c *cluster) counted(t *testing.T, program, dir string) string {
	t.Helper()
	cmd := exec.Command(program, "report", dir, "--format", "json")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("report of %s: %v", dir, err)
	}
	return countedFields(t, out)
}

// countedFields picks the fields out of a report.
func countedFields(t *testing.T, report []byte) string {
	t.Helper()
	var set struct {
		Cells []map[string]any `json:"cells"`
	}
	must.OK(t, json.Unmarshal(report, &set))
	var b strings.Builder
	for _, cell := range set.Cells {
		for _, field := range counted {
			value, there := cell[field]
			if !there {
				t.Errorf("a report has no %s", field)
			}
			fmt.Fprintf(&b, "%s=%v ", field, value)
		}
		b.WriteByte('\n')
	}
	if len(set.Cells) == 0 {
		t.Error("the report is empty")
	}
	return b.String()
}
