package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/harness/cell"
	"gcdbench/harness/merge"
)

// Runs that are divided over several machines: the flags of a shard, and the command that joins
// them. docs/slurm.md leads through it.

// shardFlags name a part of the work.
type shardFlags struct {
	shard, by string
	cmd       *cobra.Command
}

// add gives a command the flag. by is how its work is divided.
func (f *shardFlags) add(cmd *cobra.Command, by string) {
	f.cmd, f.by = cmd, by
	cmd.Flags().StringVar(&f.shard, "shard", "", "i/n: do the i-th of n parts of the work; 'gcdbench merge' joins the parts")
}

// parse is the shard that the flags name; nil for the whole work.
func (f *shardFlags) parse() (*cell.Shard, error) {
	if f.cmd == nil || f.shard == "" {
		return nil, nil
	}
	s, err := cell.ParseShard(f.shard, f.by)
	if err != nil {
		return nil, fmt.Errorf("--shard: %w", err)
	}
	return s, nil
}

// shardFolder is the default result directory of a shard; "" for the whole work.
func shardFolder(name string, s *cell.Shard) string {
	if s == nil {
		return ""
	}
	return filepath.Join("results", name+"-shards", s.Folder())
}

// mergeCommand joins result directories.
func (a *app) mergeCommand() *cobra.Command {
	var opt merge.Options
	cmd := newCommand("merge", some("which result directories? 'gcdbench run CONFIG.yaml --shard i/n' makes one for each shard"), func(_ *cobra.Command, args []string) error {
		if opt.Out == "" {
			return errors.New("--out: where should the joined results be?")
		}
		opt.Dirs = args
		done, err := merge.Merge(opt)
		if err != nil {
			return err
		}
		a.note("joined in %s: %s", opt.Out, strings.Join(args, ", "))
		if done.Cells > 0 {
			if err := a.reportRun(opt.Out, false); err != nil {
				return err
			}
		}
		if done.Campaign != nil {
			a.failed = a.failed || done.Campaign.Failed()
			return a.printCampaign(done.Campaign, nil)
		}
		return nil
	})
	cmd.Flags().StringVar(&opt.Out, "out", "", "the joined result directory")
	cmd.Flags().BoolVar(&opt.Machines, "machines", false, "join results of machines of different kinds; the report says so")
	return cmd
}
