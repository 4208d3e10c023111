package harness

import (
	"context"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
)

// proof is the result of an untimed walk of a document, with the positions that were masked.
type proof struct {
	measure.Proof
	positions []uint32
}

// answer has an engine of an entry walk a document, untimed.
func (e *entry) answer(ctx context.Context, guard *guard, w *measure.Walker, engine algorithms.Engine, s *document) (*proof, error) {
	return callFor(ctx, guard, e.Label+" on "+s.id, func(ctx context.Context) (*proof, error) {
		p := newProof(e, s)
		return p, p.prove(ctx, w, engine, s)
	})
}

// newProof is for a walk of a document by an engine of an entry.
func newProof(e *entry, s *document) *proof { return &proof{positions: s.positionsOf(e)} }

// prove walks a document once, untimed.
func (p *proof) prove(ctx context.Context, w *measure.Walker, engine algorithms.Engine, s *document) error {
	return w.Prove(ctx, engine, &measure.Document{Tokens: s.tokens, Positions: p.positions}, &p.Proof)
}

// hashAt is the hash of the mask at a position; ok is false if none was asked for there.
func (p *proof) hashAt(pos int) (hash uint64, ok bool) {
	at, found := slices.BinarySearch(p.positions, uint32(pos))
	if !found || at >= len(p.Hashes) {
		return 0, false
	}
	return p.Hashes[at], true
}

// answers are those of an algorithm on a document, as the answers of others are compared with them.
type answers struct {
	label     string
	semantics string
	positions []uint32 // of the hashes, and perhaps more
	hashes    []uint64
	refused   bool
	refusedAt int
}

// answersOf are the answers of a walk.
func answersOf(e *entry, p *proof) *answers {
	return &answers{e.Label, e.semantics(), p.positions, p.Hashes, p.Refused, p.RefusedAt}
}

// storedAnswers are the answers of a finished cell on a sample; nil if the sample did not end well.
func storedAnswers(r *cell.Record, t *cell.Trace) *answers {
	s := &r.Samples[t.Sample]
	if s.Outcome != cell.OK && s.Outcome != cell.WrongVerdict {
		return nil
	}
	return &answers{r.Label, r.ID.Semantics, t.Positions, t.Hashes, s.Refused, s.RefusedAt}
}
