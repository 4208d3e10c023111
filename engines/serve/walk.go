package serve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

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
	if q.Block > 0 {
		return s.blocks(e, d, q.Block, times)
	}
	return s.time(e, d, q.Logits, times)
}

// reach is a document's end, or the position where a token was refused, as a walk goes along.
type reach struct {
	answer wire.WalkAnswer
	doc    *measure.Document
}

// count is the number of masked positions up to a position.
func (r *reach) count(pos int) *int64 {
	n := int64(pos + 1)
	if r.doc.Positions != nil {
		n = 0
		for n < int64(len(r.doc.Positions)) && int(r.doc.Positions[n]) <= pos {
			n++
		}
	}
	return &n
}

// end answers that all of the document was walked.
func (r *reach) end() *wire.WalkAnswer {
	r.answer.Answer, r.answer.Masked = wire.Yes(), r.count(len(r.doc.Tokens)-1)
	return &r.answer
}

// refused answers that a token was refused.
func (r *reach) refused(pos int, by string) *wire.WalkAnswer {
	at := int64(pos)
	r.answer.Answer, r.answer.Masked, r.answer.Refused, r.answer.RefusedBy = wire.Yes(), r.count(pos), &at, by
	return &r.answer
}

// prove writes the mask of each masked position into a row of its own.
func (s *server) prove(e algorithms.Engine, d *measure.Document, rows []byte, stride int64) (*wire.WalkAnswer, error) {
	r := reach{doc: d}
	row := make([]uint64, algorithms.MaskWords(s.vocabulary.Len()))
	if least := int64(8 * len(row)); stride < least || int64(len(rows)) < stride**r.count(len(d.Tokens) - 1) {
		return nil, fmt.Errorf("%d bytes for rows of %d", len(rows), stride)
	}
	state, next := e.Start(), 0
	for pos, token := range d.Tokens {
		if d.Positions == nil || next < len(d.Positions) && int(d.Positions[next]) == pos {
			algorithms.Deliver(state, row)
			wire.PutRow(rows[int64(next)*stride:int64(next+1)*stride], row)
			next++
			if !algorithms.MaskOf(row, s.vocabulary.Len()).Has(int(token)) {
				r.answer.CommitTakes = state.Clone().Commit(int(token)) == nil
				return r.refused(pos, wire.ByMask), nil
			}
		}
		if state.Commit(int(token)) != nil {
			return r.refused(pos, wire.ByCommit), nil
		}
	}
	return r.end(), nil
}

// time times the walk, by package measure with a clock that costs nothing.
func (s *server) time(e algorithms.Engine, d *measure.Document, logits bool, out []byte) (*wire.WalkAnswer, error) {
	w := measure.NewWalker(s.vocabulary.Len(), logits, environment.Clock{})
	w.Between = func(int) { s.collect.maybe() }
	r, watched := reach{doc: d}, &filling{Engine: e}
	var t measure.Times
	err := w.Time(context.Background(), watched, d, &t)
	var refused *measure.RefusedError
	switch {
	case errors.As(err, &refused) && watched.refused:
		return r.refused(refused.Position, wire.ByCommit), nil
	case errors.As(err, &refused):
		return r.refused(refused.Position, wire.ByMask), nil
	case err != nil:
		return nil, err
	case len(out) < 4*3*len(t.Mask):
		return nil, fmt.Errorf("%d bytes for the times of %d positions", len(out), len(t.Mask))
	}
	for i := range t.Mask {
		wire.PutUint32s(out[4*3*i:], []uint32{t.Mask[i], t.Commit[i], t.Step[i]})
	}
	r.answer.Disturbed, r.answer.StolenNS = int64(t.Disturbed), t.StolenNS
	return r.end(), nil
}

// filling is an engine whose states fill rows, whether they keep masks or not: in the protocol a
// mask is one time, that of the delivered mask. It notes a refusal by Commit.
type filling struct {
	algorithms.Engine
	refused bool
}

func (f *filling) Start() algorithms.State {
	state := f.Engine.Start()
	if own, ok := state.(algorithms.Filler); ok {
		return &filler{own, f}
	}
	return &copier{state, f}
}

// filler is a generation of an engine that fills rows.
type filler struct {
	algorithms.Filler
	of *filling
}

func (s *filler) Commit(token int) error { return s.of.noted(s.Filler.Commit(token)) }

// copier is a generation of an engine that keeps masks, which are copied.
type copier struct {
	algorithms.State
	of *filling
}

func (s *copier) Fill(row []uint64)      { s.State.Mask().CopyTo(row) }
func (s *copier) Commit(token int) error { return s.of.noted(s.State.Commit(token)) }

// noted notes a refusal.
func (f *filling) noted(err error) error {
	if err != nil {
		f.refused = true
	}
	return err
}

// blocks times blocks of k steps.
func (s *server) blocks(e algorithms.Engine, d *measure.Document, k int, out []byte) (*wire.WalkAnswer, error) {
	r, state := reach{doc: d}, e.Start()
	if len(out) < 4*((len(d.Tokens)+k-1)/k) {
		return nil, fmt.Errorf("%d bytes for the times of blocks of %d steps of %d", len(out), k, len(d.Tokens))
	}
	row := make([]uint64, algorithms.MaskWords(s.vocabulary.Len()))
	deliver := func() { state.Mask().CopyTo(row) }
	if filler, ok := state.(algorithms.Filler); ok {
		deliver = func() { filler.Fill(row) }
	}
	for from := 0; from < len(d.Tokens); from += k {
		to := min(from+k, len(d.Tokens))
		environment.Now()
		begin := environment.Now()
		for pos := from; pos < to; pos++ {
			if pos > 0 && state.Commit(int(d.Tokens[pos-1])) != nil {
				return r.refused(pos-1, wire.ByCommit), nil
			}
			deliver()
		}
		wire.PutUint32s(out[4*(from/k):], []uint32{uint32(min(environment.Now()-begin, math.MaxUint32))})
		s.collect.maybe()
	}
	return r.end(), nil
}
