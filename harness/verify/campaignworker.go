package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/campaign"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/progress"
)

// campaignWorker does tasks with engines of its own.
type campaignWorker struct {
	*campaignGroup
	v *Verifier
	o *Opened // the engines of a workload of one grammar; nil before the first task
}

// close ends what its engines kept.
func (w *campaignWorker) close() {
	if w.v == nil {
		return
	}
	for _, c := range w.v.cells {
		c.kept.Close() // they have ended
	}
}

// engines opens the unit of a task and compiles its engines.
func (w *campaignWorker) engines(ctx context.Context, u *prepare.Unit) (*Opened, error) {
	if w.v == nil {
		w.v = &Verifier{Prepared: w.Prepared, Entries: w.entries, Guard: w.guard, progress: &progress.Progress{}}
		for _, e := range w.entries {
			c := &verifiedCell{entry: e, kept: algorithms.NewKept()}
			c.begin(w.Prepared)
			w.v.cells = append(w.v.cells, c)
		}
	}
	if w.o != nil {
		return w.o, nil
	}
	o, err := w.v.OpenAll(ctx, u)
	if u.Schema == nil {
		w.o = o
	}
	return o, err
}

// do does a task and stores its result. A task with a difference of masks is not stored.
func (w *campaignWorker) do(ctx context.Context, task campaignTask) error {
	task = task.own()
	defer task.unit.Close()
	o, err := w.engines(ctx, task.unit)
	if err != nil {
		return err
	}
	began := time.Now()
	n := len(w.entries)
	t := &campaign.Task{Round: task.round, Number: task.number, Masks: make([]int, n), Compared: make([]int, n), EngineNS: make([]int64, n),
		Outcomes: map[cell.Outcome]int{}}
	for _, d := range task.documents {
		s, err := w.variant(ctx, o, d, task.round)
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			t.Outcomes[failed.Outcome]++
			t.Failures = append(t.Failures, fmt.Sprintf("%s: the walk of %s: %s", d.ID, w.entries[0].Label, failed.Detail))
			continue
		case err != nil:
			return err
		case s == nil:
			continue
		}
		for _, c := range w.v.cells {
			c.begin(w.Prepared)
		}
		if err := w.v.document(ctx, o, s); err != nil {
			return err
		}
		if found := w.count(t, o, s); found != nil {
			return w.keep(found)
		}
	}
	t.NS = time.Since(began).Nanoseconds()
	return w.campaignGroup.store(t)
}

// maxTaskFailures bounds the failures that a task lists.
const maxTaskFailures = 3

// count adds the answers on a document to its task; the result is a wrong mask, or nil.
func (w *campaignWorker) count(t *campaign.Task, o *Opened, s *prepare.Document) *CampaignDifference {
	compared := 0
	for i, c := range w.v.cells {
		if c.Outcomes[cell.WrongMask] > 0 {
			return &CampaignDifference{Workload: c.Workload, Tokenizer: c.Tokenizer, Round: t.Round, Seed: w.cfg.Seed, Document: s.ID,
				Tokens: s.Tokens, Algorithm: c.Label, Detail: c.Detail, Small: c.Difference}
		}
		t.Masks[i] += c.Masks
		t.Compared[i] += c.Compared
		t.EngineNS[i] += c.spent.Nanoseconds()
		compared = max(compared, c.Compared)
		for outcome, n := range c.Outcomes {
			if outcome != cell.OK && n > 0 {
				t.Outcomes[outcome] += n
			}
		}
		c.outcomes.Problem(&o.Engines[i].problem)
		if c.settle(o.Engines[i].problem.Detail); c.Outcome.Failure() && len(t.Failures) < maxTaskFailures {
			why, _, _ := strings.Cut(c.Detail, "\n")
			t.Failures = append(t.Failures, fmt.Sprintf("%s: %s on %s: %s", c.Outcome, c.Label, s.ID, why))
		}
	}
	t.Positions += compared
	return nil
}
