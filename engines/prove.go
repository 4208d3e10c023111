package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// WalkProof is measure.Walker.Prove: the child writes the mask of every masked position into a row
// of its own, and the rows are read here. A document with too many rows is walked in slices, each
// from the beginning of the document, with the masks of the next positions.
func (e *Engine) WalkProof(ctx context.Context, d *measure.Document, p *measure.Proof, visit func(pos int, row []uint64) bool) error {
	for _, slice := range slicesOf(d, int(max(1, e.rowsAtOnce()/stride(e.size)))) {
		goesOn, err := e.proveSlice(ctx, slice, p, visit)
		if err != nil {
			return err
		}
		if !goesOn {
			return nil
		}
	}
	return nil
}

// rowsAtOnce is mostRows, unless a test replaces it.
func (e *Engine) rowsAtOnce() int64 {
	if e.mostRows > 0 {
		return e.mostRows
	}
	return mostRows
}

// slicesOf cuts the masked positions of a document into slices of n. Each slice has the tokens up
// to the first position of the next one.
func slicesOf(d *measure.Document, n int) []*measure.Document {
	total, _ := d.MaskedUpTo(len(d.Tokens) - 1)
	if total <= n {
		return []*measure.Document{d}
	}
	positions := d.Positions
	if positions == nil {
		for pos := range d.Tokens {
			positions = append(positions, uint32(pos))
		}
	}
	var out []*measure.Document
	for from := 0; from < total; from += n {
		to, end := min(from+n, total), len(d.Tokens)
		if to < total {
			end = int(positions[to])
		}
		out = append(out, &measure.Document{Tokens: d.Tokens[:end], Positions: positions[from:to]})
	}
	return out
}

// proveSlice walks a slice of a document and reads its rows. It reports whether to go on: not if a
// token was refused, or visit returned false.
func (e *Engine) proveSlice(ctx context.Context, d *measure.Document, p *measure.Proof, visit func(pos int, row []uint64) bool) (goesOn bool, err error) {
	w := e.newWalk(d)
	w.rows(w.masked)
	enough := false
	err = e.with(ctx, func(child *process.Process) error {
		e.explored = nil
		m, a, err := w.run(ctx, child)
		if err != nil {
			return err
		}
		return w.look(child, m, a, p, func(pos int, row []uint64) bool {
			enough = !visit(pos, row)
			return !enough
		})
	})
	return err == nil && !enough && !p.Refused, err
}

// look reads the rows.
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
	_, here := w.doc.MaskedUpTo(pos)
	switch {
	case a.RefusedBy == wire.ByMask && a.CommitTakes:
		p.Contradiction, p.ContradictAt = fmt.Sprintf("the mask leaves token %d out, but Commit takes it", w.doc.Tokens[pos]), pos
	case a.RefusedBy == wire.ByCommit && here:
		p.ByCommit = true
		p.Contradiction, p.ContradictAt = fmt.Sprintf("the mask allows token %d, but Commit says: the engine refuses it", w.doc.Tokens[pos]), pos
	}
}

// checkRow checks that a row has no bits beyond the vocabulary.
func checkRow(child *process.Process, row []uint64, size, pos int) error {
	if rest := size % 64; rest > 0 && row[len(row)-1]>>rest != 0 {
		return child.Nonsense("at position %d its mask has bits beyond the %d ids of the vocabulary", pos, size)
	}
	return nil
}

// WalkClones times clones at the masked positions, if the engine can clone. An engine that fails at
// it has no such times, and is not asked again; its other times are still good. Where a clone ended
// a process, the next processes are not asked either, for any grammar.
func (e *Engine) WalkClones(ctx context.Context, d *measure.Document) (clones []uint32, err error) {
	if e.afterDeath(); !e.Can(wire.CanClone) {
		return nil, nil
	}
	all, _, err := e.Measure(ctx, wire.CanClone, d.Tokens, 0)
	var died *algorithms.ProcessError
	var unsupported *algorithms.UnsupportedError
	switch {
	case errors.As(err, &died):
		e.diedCloning(err.Error())
		return nil, nil
	case errors.As(err, &unsupported):
		e.neverClones(err.Error())
		return nil, nil
	case err != nil:
		return nil, err
	case len(all) != len(d.Tokens):
		e.neverClones(fmt.Sprintf("%d times at %d positions", len(all), len(d.Tokens)))
		return nil, nil
	}
	w := walk{doc: d}
	total, _ := d.MaskedUpTo(len(d.Tokens) - 1)
	for i := range total {
		clones = append(clones, all[w.position(i)])
	}
	return clones, nil
}

// neverClones notes the reason why an engine is not asked for clones any more.
func (e *Engine) neverClones(why string) {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	e.noClones = why
}

// diedCloning notes the reason why no engine of the host is asked for clones any more.
func (e *Engine) diedCloning(why string) {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	e.noClones, e.host.noClones = why, why
}

// afterDeath takes over the host's reason not to ask for clones.
func (e *Engine) afterDeath() {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	e.noClones = cmp.Or(e.noClones, e.host.noClones)
}
