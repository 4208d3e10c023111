// Package slurm writes the scripts with which a Slurm cluster runs the shards of a configuration:
// an array of jobs with one shard in each, a job that joins the results, and a script that submits
// both.
//
// The array is safe to be requeued. A shard writes down each document when it is done, so a task
// that was killed goes on with the document that was in flight. Near the time limit Slurm signals
// the script, which has the program end and queues the task again. The job that joins waits for the
// end of all tasks, however they end: gcdbench merge refuses what is not finished, and names it,
// while a task whose exit status reports a finding has finished.
//
// Tasks that are timed get whole nodes, since other jobs on a node share its caches and its memory.
// Slurm binds a task to its cores; gcdbench pins the thread that is timed to one of them.
package slurm

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"gcdbench/harness/cell"
)

// Job is what the scripts are for. Paths are absolute.
type Job struct {
	Name      string // of the configuration
	Config    string
	Program   string // gcdbench
	Command   string // run or verify
	Arguments []string
	Shards    int
	CPUs      int  // of a task
	Exclusive bool // whole nodes
	// Partition, Account, Time and Memory are Slurm's options of these names; empty for the cluster's
	// defaults.
	Partition, Account, Time, Memory string
	Environment                      []Variable
	WorkDir                          string
	Out                              string // the joined results
	ShardDir                         string // has a directory for each shard
	Logs                             string
}

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }

const (
	// warning is how many seconds before the time limit a task has itself queued again.
	warning = 120
	// restarts is after how many starts a task whose process is killed is left alone: it may be the
	// cause itself, by its memory.
	restarts = 5
)

//go:embed array.sbatch.tmpl
var arrayText string

//go:embed merge.sbatch.tmpl
var mergeText string

//go:embed submit.sh.tmpl
var submitText string

var (
	functions = template.FuncMap{"quote": quote, "directive": directive, "pattern": pattern, "comment": comment}
	scripts   = map[string]*template.Template{
		"array.sbatch": template.Must(template.New("array").Funcs(functions).Parse(arrayText)),
		"merge.sbatch": template.Must(template.New("merge").Funcs(functions).Parse(mergeText)),
		"submit.sh":    template.Must(template.New("submit").Funcs(functions).Parse(submitText)),
	}
	// plain matches values of Slurm's options that need no quotes.
	plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._,:+-]*$`)
	// clock matches Slurm's times: minutes, or [days-]hours[:minutes[:seconds]].
	clock = regexp.MustCompile(`^(\d+|\d+:\d+(:\d+)?|\d+-\d+(:\d+){0,2})$`)
)

// Warning is for the templates.
func (j *Job) Warning() int { return warning }

// Restarts is for the templates.
func (j *Job) Restarts() int { return restarts }

// JobName is the name as Slurm shows it.
func (j *Job) JobName() string {
	name := regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(j.Name, "-")
	return "gcdbench-" + strings.Trim(name, "-")
}

// Options are the directives of the array that are not always there.
func (j *Job) Options() []string {
	return append(j.place(), given("--mem=", j.Memory, "--time=", j.Time)...)
}

// MergeOptions are those of the job that joins.
func (j *Job) MergeOptions() []string { return j.place() }

// place are the directives that say where jobs run.
func (j *Job) place() []string { return given("--partition=", j.Partition, "--account=", j.Account) }

// given lists options with a value.
func given(pairs ...string) (list []string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, pairs[i]+pairs[i+1])
		}
	}
	return list
}

// Check refuses what the scripts cannot say.
func (j *Job) Check() error {
	if _, err := cell.ParseShard(fmt.Sprintf("1/%d", j.Shards), cell.ByCells); err != nil {
		return fmt.Errorf("--shards %d: %w", j.Shards, err)
	}
	if j.CPUs < 1 {
		return fmt.Errorf("--cpus is at least 1, not %d", j.CPUs)
	}
	for flag, value := range map[string]string{"partition": j.Partition, "account": j.Account, "mem": j.Memory} {
		if value != "" && !plain.MatchString(value) {
			return fmt.Errorf("--%s %q: expected a name or a size without blanks and quotes", flag, value)
		}
	}
	if j.Time != "" && !clock.MatchString(j.Time) {
		return fmt.Errorf("--time %q: expected minutes, or Slurm's [days-]hours:minutes:seconds, such as 12:00:00", j.Time)
	}
	for _, path := range []string{j.Config, j.Program, j.WorkDir, j.Out, j.ShardDir, j.Logs} {
		if strings.ContainsAny(path, "\n\r\"\\") {
			return fmt.Errorf("the path %q has a line break, a quote or a backslash, which a script for Slurm cannot name", path)
		}
	}
	return nil
}

// Write writes the scripts into a folder and returns their paths, the one to call last.
func (j *Job) Write(folder string) (paths []string, err error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.MkdirAll(j.Logs, 0o755)); err != nil {
		return nil, &cell.WriteError{Path: folder, Err: err}
	}
	for _, name := range []string{"array.sbatch", "merge.sbatch", "submit.sh"} {
		var b strings.Builder
		if err := scripts[name].Execute(&b, j); err != nil {
			return nil, err
		}
		path := filepath.Join(folder, name)
		if err := cell.WriteFile(path, []byte(b.String())); err != nil {
			return nil, err
		}
		if err := os.Chmod(path, 0o755); err != nil {
			return nil, &cell.WriteError{Path: path, Err: err}
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// quote makes one word of the shell of a text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// directive makes a path a value of a line for Slurm.
func directive(path string) string { return `"` + path + `"` }

// pattern is directive for a value in which % has a meaning: in a file of it, and not in the path.
func pattern(path, file string) string {
	return directive(strings.ReplaceAll(path, "%", "%%") + file)
}

// comment is a path inside a comment or a message between double quotes.
func comment(path string) string {
	return strings.NewReplacer("$", "", "`", "", `"`, "", "\n", " ").Replace(path)
}
