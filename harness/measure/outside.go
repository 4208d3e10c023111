package measure

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
)

// A Walking engine walks documents itself, in another process and by its own clock. It follows the
// rules of this package: one generation, masks delivered into a row of the caller, logits touched
// between two steps, and the cost of its clock taken off. A Walker hands the walk over to it.
type Walking interface {
	algorithms.Engine
	// WalkTimed is Walker.Time. apply is whether masks are applied to logits between two steps.
	WalkTimed(ctx context.Context, d *Document, apply bool, t *Times) error
	// WalkProof is Walker.Prove. visit is called with the mask of each masked position, in their
	// order, and must not keep the row; it returns false to end the walk.
	WalkProof(ctx context.Context, d *Document, p *Proof, visit func(pos int, row []uint64) bool) error
	// Leaves reports whether a timed walk with apply leaves so many masks to be compared.
	Leaves(masks int) bool
	// WalkClones times a Clone at each masked position, in ns; nil if the engine does not clone.
	WalkClones(ctx context.Context, d *Document) ([]uint32, error)
	// WalkBlocks times all steps of a document in blocks of k consecutive steps, with nothing
	// between the steps. The result has the time of each block, in ns.
	WalkBlocks(ctx context.Context, d *Document, k int) ([]float64, error)
	// WalkAudit walks a document, or its beginning if something else has the core, in one block and
	// holds its time against the processor time of the process. It leaves SingleNS and CommitNS to the
	// caller.
	WalkAudit(ctx context.Context, d *Document) (Audit, error)
}

// An Audit holds what a Walking engine says of its times against what the system says of its
// process. Between two reads of the clock is a whole document, so nothing is left that might be
// done between steps. What is done before the first read, in another thread or in a process of its
// own is in none of the times, and in the processor time.
type Audit struct {
	Walks    int     `json:"walks"` // that are summed up
	Steps    int     `json:"steps"`
	BlockNS  float64 `json:"block_ns"`  // all steps between two reads of the engine's clock
	SingleNS float64 `json:"single_ns"` // the same steps, timed one by one, each in the walk where it was shortest
	CommitNS float64 `json:"commit_ns"` // the part of SingleNS that are commits
	// BusyNS is the processor time of the process, its threads and those that it started, in the walk
	// of the block, less what a walk of a single token takes beside its time.
	BusyNS float64 `json:"busy_ns"`
	// WaitedNS is how long they could have run in that walk while something else had the core.
	WaitedNS float64 `json:"waited_ns"`
	// AskedNS is their processor time in Requests, the timed walks since the last audit that were
	// drawn. UnaskedNS is that between these and the next request, while nothing was asked of them.
	Requests  int     `json:"requests"`
	AskedNS   float64 `json:"asked_ns"`
	UnaskedNS float64 `json:"unasked_ns"`
	// Looked counts the drawn walks in which gcdbench looked when masks came, Moved those of them in
	// which some came later than their steps took by the engine's clock.
	Looked int `json:"looked"`
	Moved  int `json:"moved"`
	// BlindNS is the shorter half of the steps of a first walk, on a document that no process of the
	// engine had met, and SeenNS that of the first walk of another new process on it, later.
	BlindNS float64 `json:"blind_ns"`
	SeenNS  float64 `json:"seen_ns"`
	// Strays counts threads that have got themselves other cores than engines are timed on, or come
	// before others there.
	Strays int `json:"strays"`
	// CompileNS is how long its Compiles since the last audit took by its own clock, BesideNS the
	// processor time beside that in their requests and until the process rested, less what its
	// quickest compile took so.
	Compiles  int     `json:"compiles"`
	CompileNS float64 `json:"compile_ns"`
	BesideNS  float64 `json:"beside_ns"`
}

// Add sums two audits.
func (a Audit) Add(o Audit) Audit {
	return Audit{a.Walks + o.Walks, a.Steps + o.Steps, a.BlockNS + o.BlockNS, a.SingleNS + o.SingleNS, a.CommitNS + o.CommitNS, a.BusyNS + o.BusyNS, a.WaitedNS + o.WaitedNS,
		a.Requests + o.Requests, a.AskedNS + o.AskedNS, a.UnaskedNS + o.UnaskedNS, a.Looked + o.Looked, a.Moved + o.Moved, a.BlindNS + o.BlindNS, a.SeenNS + o.SeenNS, a.Strays + o.Strays,
		a.Compiles + o.Compiles, a.CompileNS + o.CompileNS, a.BesideNS + o.BesideNS}
}

// A Batching engine advances batches itself, in another process, on its threads and by its own
// clock. The process has the slots of one batch; each holds a grammar, of which the generations are
// that begin there.
type Batching interface {
	algorithms.Engine
	// Hold has a slot hold this engine's grammar. With first, all slots are emptied before.
	Hold(ctx context.Context, slot int, first bool) error
	// AdvanceBatch makes the steps of a script. It is a method of the engine that was held last. The
	// error is what Stepped said, a *SlotError, or that of the process.
	AdvanceBatch(ctx context.Context, s *Script) error
}

// A Script is some steps of a batch.
type Script struct {
	Width, Threads int
	// Steps have for each slot a token that it commits, Begins or Empty.
	Steps [][]int32
	// Stepped is called after each step with its time, the cost of the clock taken off, and the rows
	// of slots that are not empty, which it must not keep. An error of it ends the steps.
	Stepped func(step int, ns float64, row func(slot int) []uint64) error
	// StolenNS is set: how long something else had the core during steps, of one thread.
	StolenNS int64
}

// SlotError says which slot refused to commit its token in a step.
type SlotError struct{ Step, Slot int }

// Error names both.
func (e *SlotError) Error() string {
	return fmt.Sprintf("slot %d refuses its token in step %d", e.Slot, e.Step)
}
