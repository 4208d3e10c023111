package result

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// Throughput: the batches of cells beside the models of their configuration.

// Throughput is what a server shows that has masks of a cell's engine and one model.
type Throughput struct {
	// Model and Device are those of the table of times.
	Model  string `json:"model"`
	Device string `json:"device"`
	// Kind is how the times of the model's steps are known: measured, or a roofline.
	Kind string `json:"model_times"`
	// Masks is serial or overlapped: after the model's step, or while it runs.
	Masks string `json:"masks"`
	// Batch is how many generations advance together, Threads how many make their masks.
	Batch   int `json:"batch"`
	Threads int `json:"threads"`
	// State is first or again: whether the engine meets the documents for the first time.
	State   string       `json:"state"`
	Outcome cell.Outcome `json:"outcome"`
	Detail  string       `json:"detail,omitempty"`
	*Served
	// StolenShare is the part of the masks' time in which something else had the core, on one thread;
	// null on several.
	StolenShare *float64 `json:"stolen_share"`
	// ColdTTFT is the time to the first token of the first request of all, for which the grammar is
	// compiled; null of JSON schemas, where TTFT has the compile of each.
	ColdTTFT *float64 `json:"cold_ttft_ns"`
}

// readBatches computes the throughput of the cells of a directory.
func (s *Set) readBatches(store *cell.Store, plan *cell.Throughput, cells []*Cell) error {
	if plan == nil {
		return nil
	}
	s.Models = append(s.Models, plan.Models...)
	for _, c := range cells {
		if !plan.Has(c.Tokenizer) {
			continue
		}
		if err := s.readCellBatches(store, plan, c); err != nil {
			return err
		}
	}
	return nil
}

// readCellBatches reads the batches of a cell.
func (s *Set) readCellBatches(store *cell.Store, plan *cell.Throughput, c *Cell) error {
	for _, id := range plan.Of(c.Record) {
		r, err := store.Batch(id)
		var damaged *cell.DamagedError
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.As(err, &damaged):
			s.warn("%v; the next run measures it again", err)
		case err != nil:
			return err
		default:
			if r.Finished.After(c.batchesEnd) {
				c.batchesEnd = r.Finished
			}
			if r.Outcome.Failure() {
				c.BatchOutcome = cell.Worse(cmp.Or(c.BatchOutcome, cell.OK), r.Outcome)
			}
			c.addBatch(plan, r)
			continue
		}
		s.Missing = append(s.Missing, cell.Planned{Key: c.Key, Label: c.Label, Tokenizer: c.Tokenizer,
			Workload: fmt.Sprintf("%s in a batch of %d (threads: %d)", c.Workload, id.Batch, id.Threads)})
	}
	return nil
}

// addBatch adds the figures of a batch beside all models.
func (c *Cell) addBatch(plan *cell.Throughput, r *cell.BatchRecord) {
	for _, pass := range []struct {
		state  string
		ns     []int64
		stolen int64
	}{{StateFirst, r.FirstNS, r.FirstStolenNS}, {StateAgain, r.AgainNS, r.AgainStolenNS}} {
		if pass.ns == nil && (pass.state != StateFirst || r.Outcome == cell.OK) {
			continue
		}
		b := c.batchOf(r.Requests, r.ID.Batch)
		b.ns = stats.Floats(pass.ns)
		one := Throughput{Batch: r.ID.Batch, Threads: r.ID.Threads, State: pass.state, Outcome: r.Outcome, Detail: r.Detail}
		sum := 0.0
		for _, ns := range b.ns {
			sum += ns
		}
		if r.ID.Threads == 1 && sum > 0 {
			share := float64(pass.stolen) / sum
			one.StolenShare = &share
		}
		c.serveAll(plan, b, one)
	}
}

// batchOf are the requests of a batch, with their compiles if each has its own.
func (c *Cell) batchOf(requests []cell.Request, width int) *batchSteps {
	b := &batchSteps{width: width}
	for _, q := range requests {
		b.lengths = append(b.lengths, q.Tokens)
		if c.Record.Schemas != nil {
			p := &c.Record.Problems[c.Record.Samples[q.Sample].Problem]
			ns := first(p.GrammarNS) + first(p.CompileNS)
			if c.Outside != nil { // whose first mask is not among its steps
				ns += first(p.FirstMaskNS)
			}
			b.compile = append(b.compile, ns)
		}
	}
	return b
}

// first is the first of some times; 0 of none.
func first(ns []int64) float64 {
	if len(ns) == 0 {
		return 0
	}
	return float64(ns[0])
}

// serveAll adds the figures beside each model of the vocabulary, with masks serial and overlapped.
func (c *Cell) serveAll(plan *cell.Throughput, b *batchSteps, what Throughput) {
	for _, m := range plan.Models {
		if m.Tokenizer != c.Tokenizer {
			continue
		}
		for _, masks := range plan.Masks {
			one := what
			one.Model, one.Device, one.Kind, one.Masks = m.Table.Model, m.Table.Device, m.Table.Kind, masks
			if one.Outcome == cell.OK {
				one.Served = serve(b, m.Table.NS, 1e6*m.Table.PrefillMS, masks == "overlapped")
				if c.Record.Schemas == nil && c.Offline != nil {
					cold := c.Offline.Grammar + c.Offline.Algorithm + one.TTFT.P50
					one.ColdTTFT = &cold
				}
			}
			c.Throughput = append(c.Throughput, &one)
		}
	}
}
