package serve

import (
	"context"
	"errors"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// A walk here is a walk of package measure, with the same engine, the same kind of Walker and the
// same clock as in the harness: the times of a child differ by its process alone. Only the cost of
// the clock is added again, since the protocol has times as measured.

// walk has a new generation go through a document.
func (s *server) walk(q *wire.Walk) (*wire.WalkAnswer, error) {
	e, err := s.live()
	if err != nil {
		return nil, err
	}
	d, err := s.document(q)
	if err != nil {
		return nil, err
	}
	rows, err := s.mapping.Slice(q.Rows, 1)
	if err != nil {
		return nil, err
	}
	if q.Times == nil {
		return s.prove(e, d, rows, q.Stride)
	}
	times, err := s.mapping.Slice(q.Times, 4)
	if err != nil {
		return nil, err
	}
	w := s.walker(q.Logits)
	if len(rows) < 8*len(w.Row()) || q.Stride < int64(8*len(w.Row())) {
		return nil, fmt.Errorf("%d bytes for rows of %d", len(rows), q.Stride)
	}
	var answer *wire.WalkAnswer
	if q.Block > 0 {
		answer, err = s.blocks(e, d, q.Block, times)
	} else {
		w.Made = copier(rows[q.Stride:], q.Stride)
		answer, err = s.time(e, d, q.Logits, times)
		w.Made = nil
	}
	wire.PutRow(rows[:q.Stride], w.Row()) // where other engines have their masks written
	return answer, err
}

// copier copies masks to rows, in turn; nil if there are none.
func copier(rows []byte, stride int64) func(pos int, row []uint64) {
	n := int64(len(rows)) / stride
	if n == 0 {
		return nil
	}
	next := int64(0)
	return func(_ int, row []uint64) {
		wire.PutRow(rows[next*stride:(next+1)*stride], row)
		next = (next + 1) % n
	}
}

// walker is the one that walks with or without logits, which is kept: its row and its logits are
// memory that was used before.
func (s *server) walker(logits bool) *measure.Walker {
	if s.walkers[logits] == nil {
		if s.walkers == nil {
			s.walkers = map[bool]*measure.Walker{}
		}
		s.walkers[logits] = measure.NewWalker(s.vocabulary.Len(), logits, s.clock)
		s.walkers[logits].Between = s.collect.Between
	}
	return s.walkers[logits]
}

// masked is the number of masks up to a position.
func masked(d *measure.Document, pos int) *int64 {
	n, _ := d.MaskedUpTo(pos)
	count := int64(n)
	return &count
}

// walked answers that all of a document was walked.
func walked(d *measure.Document) *wire.WalkAnswer {
	return &wire.WalkAnswer{Answer: wire.Yes(), Masked: masked(d, len(d.Tokens)-1)}
}

// refused answers that a token was refused.
func refused(d *measure.Document, pos int, byCommit bool) *wire.WalkAnswer {
	at, by := int64(pos), wire.ByMask
	if byCommit {
		by = wire.ByCommit
	}
	return &wire.WalkAnswer{Answer: wire.Yes(), Masked: masked(d, pos), Refused: &at, RefusedBy: by}
}

// prove writes the mask of each masked position into a row of its own.
func (s *server) prove(e algorithms.Engine, d *measure.Document, rows []byte, stride int64) (*wire.WalkAnswer, error) {
	size := s.vocabulary.Len()
	if least := int64(8 * algorithms.MaskWords(size)); stride < least || int64(len(rows)) < stride**masked(d, len(d.Tokens)-1) {
		return nil, fmt.Errorf("%d bytes for rows of %d", len(rows), stride)
	}
	w := measure.NewWalker(size, false, s.clock)
	w.Between = s.collect.Between
	left := -1 // the last position whose mask leaves the token out
	w.Made = func(pos int, row []uint64) {
		wire.PutRow(rows[:stride], row)
		rows = rows[stride:]
		if !algorithms.MaskOf(row, size).Has(int(d.Tokens[pos])) {
			left = pos
		}
	}
	var p measure.Proof
	if err := w.Prove(context.Background(), e, d, &p); err != nil || !p.Refused {
		return walked(d), err
	}
	answer := refused(d, p.RefusedAt, left != p.RefusedAt)
	answer.CommitTakes = left == p.RefusedAt && p.Contradiction != ""
	return answer, nil
}

// time times the walk.
func (s *server) time(e algorithms.Engine, d *measure.Document, logits bool, out []byte) (*wire.WalkAnswer, error) {
	var t measure.Times
	err := s.walker(logits).Time(context.Background(), e, d, &t)
	if no := new(measure.RefusedError); errors.As(err, &no) {
		return refused(d, no.Position, no.ByCommit), nil
	}
	switch {
	case err != nil:
		return nil, err
	case len(out) < 4*3*len(t.Mask):
		return nil, fmt.Errorf("%d bytes for the times of %d positions", len(out), len(t.Mask))
	}
	for i := range t.Mask {
		mask := s.raw(float64(t.Mask[i]), 1)
		wire.PutUint32s(out[4*3*i:], []uint32{mask, s.raw(float64(t.Commit[i]), 1), max(mask, s.raw(float64(t.Step[i]), 2))})
	}
	answer := walked(d)
	answer.Disturbed, answer.StolenNS, answer.IdleNS = int64(t.Disturbed), t.StolenNS, t.IdleNS
	return answer, nil
}

// raw is a time as measured, with the cost of some pairs of clock reads put back.
func (s *server) raw(ns, pairs float64) uint32 {
	if ns >= measure.MaxNS {
		return measure.MaxNS
	}
	return measure.Clamp(ns + pairs*s.clock.EmptyNS)
}

// blocks times blocks of k steps.
func (s *server) blocks(e algorithms.Engine, d *measure.Document, k int, out []byte) (*wire.WalkAnswer, error) {
	if len(out) < 4*((len(d.Tokens)+k-1)/k) {
		return nil, fmt.Errorf("%d bytes for the times of blocks of %d steps of %d", len(out), k, len(d.Tokens))
	}
	d = &measure.Document{Tokens: d.Tokens}
	times, err := s.walker(false).Blocks(context.Background(), e, d, k)
	if no := new(measure.RefusedError); errors.As(err, &no) {
		return refused(d, no.Position, no.ByCommit), nil
	}
	if err != nil {
		return nil, err
	}
	for i, ns := range times {
		wire.PutUint32s(out[4*i:], []uint32{s.raw(ns, 1)})
	}
	return walked(d), nil
}
