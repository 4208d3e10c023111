package engines

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// WalkProof is measure.Walker.Prove: the child writes the mask of every masked position into a
// row of its own, and the rows are looked at here.
func (e *Engine) WalkProof(ctx context.Context, d *measure.Document, p *measure.Proof, visit func(pos int, row []uint64) bool) error {
	w := e.newWalk(d)
	if int64(w.masked)*w.request.Stride > mostRows {
		return e.proveStepwise(ctx, w, p, visit)
	}
	w.rows(w.masked)
	err := e.with(ctx, func(child *process.Process) error {
		e.explored = nil
		m, a, err := w.run(ctx, child)
		if err != nil {
			return err
		}
		return w.look(child, m, a, p, visit)
	})
	if err == nil && p.Clones != nil {
		err = e.clones(ctx, w, p)
	}
	return err
}

// look goes through the rows.
func (w *walk) look(child *process.Process, m *wire.Mapping, a *wire.WalkAnswer, p *measure.Proof, visit func(pos int, row []uint64) bool) error {
	rows, row := areaOf(m, w.request.Rows, 1), make([]uint64, algorithms.MaskWords(w.size))
	for i := range int(*a.Masked) {
		pos := w.position(i)
		wire.GetRow(row, rows[int64(i)*w.request.Stride:])
		if err := checkRow(child, row, w.size, pos); err != nil {
			return err
		}
		mask := algorithms.MaskOf(row, w.size)
		allowed, token := mask.Has(int(w.doc.Tokens[pos])), w.doc.Tokens[pos]
		byMask := a.Refused != nil && int(*a.Refused) == pos && a.RefusedBy == wire.ByMask
		if allowed == byMask {
			return child.Nonsense("at position %d bit %d of its mask is %d, and it says that the mask %s the token", pos, token, bit(allowed), verb(byMask))
		}
		p.Hashes = append(p.Hashes, mask.Hash())
		if !visit(pos, row) {
			return nil
		}
	}
	w.refused(a, p)
	return nil
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

func verb(refused bool) string {
	if refused {
		return "refuses"
	}
	return "allows"
}

// refused notes in a proof where a token was refused, and whether mask and commit contradict each
// other.
func (w *walk) refused(a *wire.WalkAnswer, p *measure.Proof) {
	if a.Refused == nil {
		return
	}
	pos := int(*a.Refused)
	p.Refused, p.RefusedAt = true, pos
	_, here := w.maskedUpTo(pos)
	switch {
	case a.RefusedBy == wire.ByMask && a.CommitTakes:
		p.Contradiction, p.ContradictAt = fmt.Sprintf("the mask leaves token %d out, but Commit takes it", w.doc.Tokens[pos]), pos
	case a.RefusedBy == wire.ByCommit && here:
		p.ByCommit = true
		p.Contradiction, p.ContradictAt = fmt.Sprintf("the mask allows token %d, but Commit says: the engine refuses it", w.doc.Tokens[pos]), pos
	}
}

// checkRow looks whether a row has bits beyond the vocabulary.
func checkRow(child *process.Process, row []uint64, size, pos int) error {
	if rest := size % 64; rest > 0 && row[len(row)-1]>>rest != 0 {
		return child.Nonsense("at position %d its mask has bits beyond the %d ids of the vocabulary", pos, size)
	}
	return nil
}

// proveStepwise asks for the masks one by one, for a document whose rows would be too many at once.
func (e *Engine) proveStepwise(ctx context.Context, w *walk, p *measure.Proof, visit func(pos int, row []uint64) bool) error {
	s := e.Start().(*state)
	at := 0
	for pos, token := range w.doc.Tokens {
		allowed, here := false, at < w.masked && w.position(at) == pos
		if here {
			at++
			if err := s.load(ctx); err != nil {
				return err
			}
			mask := algorithms.MaskOf(s.row, e.size)
			p.Hashes = append(p.Hashes, mask.Hash())
			if !visit(pos, s.row) {
				return nil
			}
			allowed = mask.Has(int(token))
		}
		took, err := s.advance(ctx, token)
		if err != nil {
			return err
		}
		if here && !allowed || !took {
			by := wire.ByCommit
			if here && !allowed {
				by = wire.ByMask
			}
			refused := int64(pos)
			w.refused(&wire.WalkAnswer{Refused: &refused, RefusedBy: by, CommitTakes: took}, p)
			return nil
		}
	}
	return nil
}

// clones has clones timed at the positions that were masked, if the engine can make some.
func (e *Engine) clones(ctx context.Context, w *walk, p *measure.Proof) error {
	if p.Refused || !e.Can(wire.CanClone) {
		return nil
	}
	all, _, err := e.Measure(ctx, wire.CanClone, w.doc.Tokens, 0)
	if err != nil || len(all) != len(w.doc.Tokens) {
		return err
	}
	for i := range w.masked {
		p.Clones = append(p.Clones, all[w.position(i)])
	}
	return nil
}
