package prepare

import (
	"fmt"
	"runtime"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
)

// Throughput: batches of generations, after the cells of a group. A cell is there first, so a batch
// is measured of documents that the engine is known to take, and each of its masks is compared with
// the mask that the same engine gave to one generation alone.
//
// An engine from outside makes the steps of a batch in its own process, by the request `batch` of
// the protocol.

// ThroughputPlan is the part of a manifest about batches; nil for none.
func ThroughputPlan(t *config.Throughput) *cell.Throughput {
	if t == nil {
		return nil
	}
	plan := &cell.Throughput{Batch: t.Batch, Threads: t.Threads, Masks: t.Masks, MaxTokens: t.MaxTokens}
	for _, m := range t.Models {
		plan.Models = append(plan.Models, cell.Model{Tokenizer: m.Tokenizer, Table: m.Table})
	}
	return plan
}

// CheckThroughput refuses what cannot be measured here: shards that have parts of a workload, and
// more threads than cores.
func CheckThroughput(cfg *config.Config) error {
	t := cfg.Throughput
	if t == nil {
		return nil
	}
	if cores := runtime.NumCPU(); slices.Max(t.Threads) > cores {
		err := fmt.Errorf("%d threads, and this machine has %d cores: write all for as many as there are", slices.Max(t.Threads), cores)
		return &InputError{cfg.File, t.Pos, "throughput", err}
	}
	return nil
}
