// Package ask has engines compiled and asked for their answers on documents, and judges these: an
// answer is compared with those of other engines (compare.go), the contract decides between them
// (judge.go), and a wrong mask is made small (shrink.go). What to do about it a runner says.
package ask

import (
	"context"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// Proof is the result of an untimed walk of a document, with the positions that were masked.
type Proof struct {
	measure.Proof
	Positions []uint32
}

// Answer has an engine of an entry walk a document, untimed.
func Answer(e *prepare.Entry, ctx context.Context, guard *bounds.Guard, w *measure.Walker, engine algorithms.Engine, s *prepare.Document) (*Proof, error) {
	return bounds.CallFor(ctx, guard, e.Label+" on "+s.ID, func(ctx context.Context) (*Proof, error) {
		p := NewProof(e, s)
		return p, p.Prove(ctx, w, engine, s)
	})
}

// NewProof is for a walk of a document by an engine of an entry.
func NewProof(e *prepare.Entry, s *prepare.Document) *Proof {
	return &Proof{Positions: s.PositionsOf(e)}
}

// Prove walks a document once, untimed.
func (p *Proof) Prove(ctx context.Context, w *measure.Walker, engine algorithms.Engine, s *prepare.Document) error {
	return w.Prove(ctx, engine, &measure.Document{Tokens: s.Tokens, Positions: p.Positions}, &p.Proof)
}

// HashAt is the hash of the mask at a position; ok is false if none was asked for there.
func (p *Proof) HashAt(pos int) (hash uint64, ok bool) {
	at, found := slices.BinarySearch(p.Positions, uint32(pos))
	if !found || at >= len(p.Hashes) {
		return 0, false
	}
	return p.Hashes[at], true
}

// Answers are those of an algorithm on a document, as the answers of others are compared with them.
type Answers struct {
	Label     string
	Positions []uint32 // of the hashes, and perhaps more
	Hashes    []uint64
	Refused   bool
	RefusedAt int
}

// answersOf are the answers of a walk.
func answersOf(e *prepare.Entry, p *Proof) *Answers {
	return &Answers{e.Label, p.Positions, p.Hashes, p.Refused, p.RefusedAt}
}

// StoredAnswers are the answers of a finished cell on a sample; nil if the sample did not end well.
func StoredAnswers(r *cell.Record, t *cell.Trace) *Answers {
	s := &r.Samples[t.Sample]
	if s.Outcome != cell.OK && s.Outcome != cell.WrongVerdict {
		return nil
	}
	return &Answers{r.Label, t.Positions, t.Hashes, s.Refused, s.RefusedAt}
}
