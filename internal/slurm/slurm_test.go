package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// job is one with names that a shell would take apart.
func job(t *testing.T) *Job {
	dir := filepath.Join(t.TempDir(), "it's $HOME `id` 50%")
	return &Job{Name: "my run!", Config: filepath.Join(dir, "c.yaml"), Program: filepath.Join(dir, "prog"), Command: "run", Arguments: []string{"--corpus", "java=a b.jsonl"},
		Shards: 8, CPUs: 2, Exclusive: true, Time: "12:00:00", Environment: []Variable{{"GCDBENCH_CACHE", dir + "/cache"}},
		WorkDir: dir, Out: filepath.Join(dir, "out"), ShardDir: filepath.Join(dir, "out-shards"), Logs: filepath.Join(dir, "logs")}
}

// TestScripts: what Slurm has to be told is in the scripts, and a shell can read them.
func TestScripts(t *testing.T) {
	j := job(t)
	paths, err := j.Write(t.TempDir())
	must.OK(t, err)
	for i, want := range [][]string{
		{"#SBATCH --job-name=gcdbench-my-run\n", "#SBATCH --array=1-8\n", "#SBATCH --exclusive\n", "#SBATCH --requeue\n", "#SBATCH --time=12:00:00\n", "#SBATCH --cpus-per-task=2\n",
			"#SBATCH --signal=B:USR1@120\n", `50%%/logs/shard-%a.log"`, "'java=a b.jsonl'", "export GCDBENCH_CACHE="},
		{"#SBATCH --job-name=gcdbench-my-run-merge\n", "/*-of-8 --out "},
		{"--dependency=\"afterany:"},
	} {
		text := must.Get(os.ReadFile(paths[i]))(t)
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %q:\n%s", filepath.Base(paths[i]), part, text)
			}
		}
		if bash, err := exec.LookPath("bash"); err == nil {
			if out, err := exec.Command(bash, "-n", paths[i]).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", paths[i], err, out)
			}
		}
	}
	j.Exclusive, j.Time = false, ""
	paths = must.Get(j.Write(t.TempDir()))(t)
	text, err := os.ReadFile(paths[0])
	if err != nil || strings.Contains(string(text), "--exclusive") || strings.Contains(string(text), "--time") {
		t.Errorf("options that were not asked for: %s, %v", text, err)
	}
}

// fakeTask runs the array's script as Slurm would, with a program and an scontrol of the test.
func fakeTask(t *testing.T, program string, restarts string, meanwhile func(*exec.Cmd)) (status int, calls string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	j := job(t)
	folder, bin, log := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "calls")
	must.OK(t, os.MkdirAll(j.WorkDir, 0o755))
	for path, text := range map[string]string{j.Program: "#!/bin/sh\necho \"program $*\" >>" + quote(log) + "\n" + program,
		filepath.Join(bin, "scontrol"): "#!/bin/sh\necho \"scontrol $*\" >>" + quote(log) + "\n"} {
		must.OK(t, os.WriteFile(path, []byte(text), 0o755))
	}
	paths := must.Get(j.Write(folder))(t)
	cmd := exec.Command(bash, paths[0])
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SLURM_ARRAY_TASK_ID=3", "SLURM_JOB_ID=77", "SLURM_RESTART_COUNT="+restarts)
	must.OK(t, cmd.Start())
	if meanwhile != nil {
		meanwhile(cmd)
	}
	err = cmd.Wait()
	text, readErr := os.ReadFile(log)
	if readErr != nil {
		t.Fatal(readErr, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestTask: the program gets its shard; findings and bad input are the task's status; what was
// killed is queued again, but not for ever.
func TestTask(t *testing.T) {
	for _, c := range []struct {
		about, program, restarts string
		status                   int
		requeued                 bool
	}{
		{"done", "exit 0", "0", 0, false},
		{"a finding", "exit 1", "0", 1, false},
		{"bad input", "exit 2", "0", 2, false},
		{"killed", "kill -9 $$", "0", 137, true},
		{"killed again and again", "kill -9 $$", "5", 137, false},
	} {
		status, calls := fakeTask(t, c.program, c.restarts, nil)
		if status != c.status || strings.Contains(calls, "scontrol requeue 77") != c.requeued {
			t.Errorf("%s: status %d, calls\n%s", c.about, status, calls)
		}
		for _, part := range []string{"program run ", "--shard 3/8", "/out-shards/3-of-8", "--corpus java=a b.jsonl"} {
			if !strings.Contains(calls, part) {
				t.Errorf("%s: no %q in %s", c.about, part, calls)
			}
		}
	}
}

// TestCheck: what a script cannot say is refused.
func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*Job){
		"--shards 0":           func(j *Job) { j.Shards = 0 },
		"--cpus":               func(j *Job) { j.CPUs = 0 },
		"--time":               func(j *Job) { j.Time = "a day" },
		"--partition":          func(j *Job) { j.Partition = "x\n#SBATCH --uid=0" },
		"--mem":                func(j *Job) { j.Memory = "all of it" },
		"a line break, a quot": func(j *Job) { j.Out = "/a\nb" },
	} {
		j := job(t)
		change(j)
		if err := j.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
