package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/harness/config"
	"gcdbench/internal/slurm"
)

// slurmFlags are those of the command that writes scripts for a cluster.
type slurmFlags struct {
	config         configFlags
	job            slurm.Job
	verify, shared bool
	budget         time.Duration
	rounds         int
	folder, out    string
}

// slurmCommand writes the scripts of a job array.
func (a *app) slurmCommand() *cobra.Command {
	var f slurmFlags
	cmd := newCommand("slurm", one("configuration"), func(cmd *cobra.Command, args []string) error {
		cfg, err := f.config.load(args[0])
		if err != nil {
			return err
		}
		return a.writeSlurm(cfg, args[0], &f)
	})
	flags := cmd.Flags()
	f.config.add(cmd, false)
	flags.IntVar(&f.job.Shards, "shards", 0, "how many tasks the array has (needed)")
	flags.BoolVar(&f.verify, "verify", false, "shards of a campaign of 'gcdbench verify' instead of 'gcdbench run'")
	flags.DurationVar(&f.budget, "budget", 0, "with --verify: the time of each shard, such as 4h")
	flags.IntVar(&f.rounds, "rounds", 0, "with --verify: the rounds of the campaign")
	flags.IntVar(&f.job.CPUs, "cpus", 2, "cores of a task: one is timed on, the others collect garbage; a campaign uses all")
	flags.BoolVar(&f.shared, "shared", false, "let other jobs run on the nodes while times are taken")
	flags.StringVar(&f.job.Partition, "partition", "", "Slurm's partition")
	flags.StringVar(&f.job.Account, "account", "", "Slurm's account")
	flags.StringVar(&f.job.Time, "time", "", "time limit of a task, such as 12:00:00; it is queued again until it is done")
	flags.StringVar(&f.job.Memory, "mem", "", "memory of a task, such as 16G")
	flags.StringVar(&f.out, "out", "", "the joined results (default results/NAME); shards are in OUT-shards")
	flags.StringVar(&f.folder, "scripts", "", "folder for the scripts and logs (default slurm-NAME)")
	return cmd
}

// writeSlurm writes the scripts and says what to do with them.
func (a *app) writeSlurm(cfg *config.Config, path string, f *slurmFlags) error {
	if f.job.Shards == 0 {
		return errors.New("--shards: how many tasks should the array have?")
	}
	if !f.verify && (f.budget != 0 || f.rounds != 0) {
		return errors.New("--budget and --rounds go with --verify")
	}
	if err := f.complete(cfg, path); err != nil {
		return err
	}
	paths, err := f.job.Write(f.folder)
	if err != nil {
		return err
	}
	for _, path := range paths {
		fmt.Fprintln(a.out, path)
	}
	if groups := len(cfg.Workloads) * len(cfg.Tokenizers); !f.verify && groups < f.job.Shards {
		a.note("there are %d groups of a workload and a tokenizer for %d shards: the other shards will have nothing to do", groups, f.job.Shards)
	}
	a.note("submit:  sh %s", paths[len(paths)-1])
	a.note("watch:   squeue --me; logs in %s", f.job.Logs)
	a.note("go on:   the same command; finished shards have nothing left to do")
	a.note("results: %s, joined of %s", f.job.Out, f.job.ShardDir)
	return nil
}

// complete fills the job in.
func (f *slurmFlags) complete(cfg *config.Config, path string) (err error) {
	j := &f.job
	j.Name, j.Command, j.Exclusive = cfg.Name, "run", !f.shared
	if f.verify {
		j.Command, j.Exclusive = "verify", false
		if f.budget > 0 {
			j.Arguments = append(j.Arguments, "--budget", f.budget.String())
		}
		if f.rounds > 0 || f.budget == 0 {
			j.Arguments = append(j.Arguments, "--rounds", fmt.Sprint(max(1, f.rounds)))
		}
	}
	f.folder = cmp.Or(f.folder, "slurm-"+cfg.Name)
	j.Out = cmp.Or(f.out, filepath.Join("results", cfg.Name))
	for _, corpus := range f.config.corpus {
		c, err := parseCorpus(corpus)
		if err != nil {
			return err
		}
		j.Arguments = append(j.Arguments, "--corpus", c.grammar+"="+c.path)
	}
	if cache := os.Getenv("GCDBENCH_CACHE"); cache != "" {
		if cache, err = filepath.Abs(cache); err != nil {
			return err
		}
		j.Environment = append(j.Environment, slurm.Variable{Name: "GCDBENCH_CACHE", Value: cache})
	}
	if j.Program, err = os.Executable(); err != nil {
		return err
	}
	if j.WorkDir, err = os.Getwd(); err != nil {
		return err
	}
	for into, from := range map[*string]string{&j.Config: path, &j.Out: j.Out, &j.Logs: filepath.Join(f.folder, "logs")} {
		if *into, err = filepath.Abs(from); err != nil {
			return err
		}
	}
	j.ShardDir = j.Out + "-shards"
	return nil
}
