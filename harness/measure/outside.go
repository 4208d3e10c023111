package measure

import (
	"context"

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
	// WalkBlocks times all steps of a document in blocks of k consecutive steps, with nothing
	// between the steps. The result has the time of each block, in ns.
	WalkBlocks(ctx context.Context, d *Document, k int) ([]float64, error)
}
