package harness

import (
	"context"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
)

// proof is what an untimed walk over a script found, and at which positions masks were asked for.
type proof struct {
	measure.Proof
	positions []uint32
}

// newProof is for a walk of an entry over a script.
func newProof(e *entry, s *script) *proof { return &proof{positions: s.positionsOf(e)} }

// prove walks a script once, untimed.
func (p *proof) prove(ctx context.Context, w *measure.Walker, engine algorithms.Engine, s *script) error {
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

// answers is what an algorithm said about a script: what another one's answers
// are compared with.
type answers struct {
	label     string
	semantics string
	positions []uint32 // of the hashes, and perhaps more
	hashes    []uint64
	refused   bool
	refusedAt int
}

// answersOf are those of a walk.
func answersOf(e *entry, p *proof) *answers {
	return &answers{e.Label, e.semantics(), p.positions, p.Hashes, p.Refused, p.RefusedAt}
}

// storedAnswers are those of a cell measured earlier; nil if it did not get
// through the sample.
func storedAnswers(r *cell.Record, t *cell.Trace) *answers {
	s := &r.Samples[t.Sample]
	if s.Outcome != cell.OK && s.Outcome != cell.WrongVerdict {
		return nil
	}
	return &answers{r.Label, r.ID.Semantics, t.Positions, t.Hashes, s.Refused, s.RefusedAt}
}
