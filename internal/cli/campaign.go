package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/harness/campaign"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/harness/verify"
)

// campaignFlags are those of a verification that goes on.
type campaignFlags struct {
	budget  time.Duration
	rounds  int
	workers int
	sample  []string
	cmd     *cobra.Command
}

// add gives a command the flags.
func (f *campaignFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	cmd.Flags().DurationVar(&f.budget, "budget", 0, "time after which no document is begun, such as 2h: as many rounds as fit")
	cmd.Flags().IntVar(&f.rounds, "rounds", 0, "end after so many rounds (default: 1, or with --budget no limit)")
	cmd.Flags().IntVar(&f.workers, "workers", 0, "workers of a campaign, each with engines of its own (default: one on each core)")
	cmd.Flags().StringSliceVar(&f.sample, "sample", nil, "NAME=N: ask this algorithm at one in N positions of a campaign (default naive=2000,trie=100)")
}

// given reports whether the flags ask for a campaign.
func (f *campaignFlags) given() bool {
	for _, name := range []string{"out", "budget", "rounds", "workers", "sample"} {
		if f.cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// options are the flags' as the harness has them.
func (f *campaignFlags) options(opt prepare.Options) (verify.CampaignOptions, error) {
	out := verify.CampaignOptions{Options: opt, Budget: f.budget, Rounds: f.rounds, Workers: f.workers, Sample: verify.DefaultSample()}
	switch {
	case f.cmd.Flags().Changed("budget") && f.budget <= 0:
		return out, fmt.Errorf("--budget is a time above 0, such as 30m, not %s", f.budget)
	case f.cmd.Flags().Changed("rounds") && f.rounds < 1:
		return out, fmt.Errorf("--rounds is at least 1, not %d", f.rounds)
	case f.cmd.Flags().Changed("workers") && f.workers < 1:
		return out, fmt.Errorf("--workers is at least 1, not %d", f.workers)
	case f.rounds == 0 && f.budget == 0:
		out.Rounds = 1
	}
	for _, text := range f.sample {
		name, number, found := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		if _, known := prepare.Known().Algorithms[name]; !found || !known || err != nil || n < 1 {
			return out, fmt.Errorf("--sample %q: expected NAME=N, an algorithm and a number from 1, such as naive=2000", text)
		}
		out.Sample[name] = n
	}
	return out, nil
}

// campaign verifies as far as the flags say, and prints the sums first.
func (a *app) campaign(ctx context.Context, cfg *config.Config, opt prepare.Options, flags *campaignFlags) error {
	long, err := flags.options(opt)
	if err != nil {
		return err
	}
	s, found, err := verify.VerifyOn(ctx, cfg, long)
	if err := a.kept(err, "compared", opt.Out); err != nil {
		return err
	}
	a.failed = found != nil || s.Failed()
	if found != nil {
		fmt.Fprint(a.err, found.Text())
	}
	return a.printCampaign(s, found)
}

// printCampaign prints the sums of a campaign, then its groups.
func (a *app) printCampaign(s *campaign.Summary, found *verify.CampaignDifference) error {
	if !a.asJSON {
		return s.WriteText(a.out)
	}
	type summary struct {
		*campaign.Summary
		Difference *verify.CampaignDifference `json:"difference"`
	}
	if err := a.printJSON(summary{s, found}); err != nil {
		return err
	}
	return eachJSON(a, s.Groups)
}
