package cli

import (
	"context"
	"time"

	"gcdbench/harness"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/prepare"
	"gcdbench/internal/words"
	"gcdbench/reports"
)

// run --settle: a run that waits for a quiet machine, and measures again what was disturbed.

// settledRun is harness.Run on a quiet machine. What was disturbed is measured again, as long as
// the budget of time has room for the waiting and for as much as the run before took. All cells
// of a workload and vocabulary are measured again: they take turns, and an engine meets a
// document for the first time once.
func (a *app) settledRun(ctx context.Context, cfg *config.Config, opt prepare.Options, budget time.Duration) (*harness.Summary, error) {
	if budget <= 0 {
		return harness.Run(ctx, cfg, opt)
	}
	end := time.Now().Add(budget)
	for {
		waiting := time.Now()
		quiet, err := environment.AwaitQuiet(ctx, time.Until(end)/2) // the rest is for measuring
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		if !quiet {
			a.note("the machine was not quiet for %v; measuring all the same", begin.Sub(waiting).Round(time.Second))
		}
		summary, err := harness.Run(ctx, cfg, opt)
		if err != nil {
			return nil, err
		}
		took := time.Since(begin)
		if again, err := a.forgetDisturbed(opt.Out, time.Now().Add(took).Before(end)); err != nil || !again {
			return summary, err
		}
	}
}

// forgetDisturbed removes the cells that have to be measured again; again is whether there are any.
// Without room for that it says so.
func (a *app) forgetDisturbed(dir string, room bool) (again bool, err error) {
	set, err := reports.Load(dir)
	if err != nil {
		return false, err
	}
	keys := set.Disturbed()
	switch {
	case len(keys) == 0:
		return false, nil
	case !room:
		a.note("%s disturbed, and the time of --settle is over", was(len(keys)))
		return false, nil
	}
	a.note("%s disturbed: measuring again", was(len(keys)))
	store, err := cell.Open(dir)
	if err != nil {
		return false, err
	}
	return true, store.Forget(keys)
}

// was counts cells, with a verb.
func was(n int) string {
	if n == 1 {
		return "1 cell was"
	}
	return words.Count(n, "cell") + " were"
}
