package engines

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// Batches: the child makes the steps; here its slots are told what to do, and its rows are read. A
// stretch of steps whose rows would not fit is sent in parts.

var _ measure.Batching = (*Engine)(nil)

// unwrittenStep is the value of all times of steps before a batch.
const unwrittenStep = unwritten<<32 | unwritten

// Hold is that of measure.Batching.
func (e *Engine) Hold(ctx context.Context, slot int, first bool) error {
	var l wire.Layout
	request := wire.Batch{Do: "batch", First: first, Hold: []int{slot}, Tokens: l.Area(0, 4), Rows: l.Area(0, 1), Times: l.Area(0, 8)}
	return e.with(ctx, func(p *process.Process) error {
		e.explored = nil
		var a wire.BatchAnswer
		if err := p.Call(ctx, request, &a); err != nil {
			return err
		}
		return checkBatch(p, &request, &a)
	})
}

// AdvanceBatch is that of measure.Batching.
func (e *Engine) AdvanceBatch(ctx context.Context, s *measure.Script) error {
	atOnce := int(max(1, e.rowsAtOnce()/(stride(e.size)*int64(s.Width))))
	for from := 0; from < len(s.Steps); from += atOnce {
		if err := e.batchPart(ctx, s, from, min(from+atOnce, len(s.Steps))); err != nil {
			return err
		}
	}
	return nil
}

// batchPart makes the steps of a script from one up to another.
func (e *Engine) batchPart(ctx context.Context, s *measure.Script, from, to int) error {
	var l wire.Layout
	steps := s.Steps[from:to]
	request := wire.Batch{Do: "batch", Width: s.Width, Threads: s.Threads, Stride: stride(e.size)}
	request.Tokens = l.Area(int64(len(steps)*s.Width), 4)
	request.Rows = l.Area(int64(len(steps)*s.Width)*request.Stride, 1)
	request.Times = l.Area(int64(len(steps)), 8)
	var visited, refused error
	err := e.with(ctx, func(p *process.Process) error {
		m, err := p.Room(ctx, l.Bytes())
		if err != nil {
			return err
		}
		tokens := areaOf(m, request.Tokens, 4)
		for i, step := range steps {
			wire.PutTokens(tokens[4*i*s.Width:], step)
		}
		unwrite(areaOf(m, request.Times, 8))
		e.explored = nil
		defer p.Spread(s.Threads)()
		var a wire.BatchAnswer
		if err := p.Call(ctx, request, &a); err != nil {
			return err
		}
		if err := checkBatch(p, &request, &a); err != nil {
			return err
		}
		s.StolenNS += a.StolenNS
		if a.Refused != nil {
			refused = &measure.SlotError{Step: from + int(*a.Steps), Slot: int(*a.Refused)}
		}
		visited, err = e.readSteps(p, m, &request, s, from, int(*a.Steps))
		return err
	})
	switch {
	case err != nil:
		return err
	case visited != nil:
		return visited
	}
	return refused
}

// checkBatch looks at an answer.
func checkBatch(p *process.Process, q *wire.Batch, a *wire.BatchAnswer) error {
	switch {
	case a.Steps == nil || *a.Steps < 0 || *a.Steps > q.Times.N:
		return p.Nonsense(`"steps" of its answer to batch is missing, or not among 0 to %d`, q.Times.N)
	case (a.Refused == nil) != (*a.Steps == q.Times.N):
		return p.Nonsense("it made %d steps of %d, and refused a token: %v", *a.Steps, q.Times.N, a.Refused != nil)
	case a.Refused != nil && (*a.Refused < 0 || *a.Refused >= int64(q.Width)):
		return p.Nonsense("slot %d of %d refuses a token", *a.Refused, q.Width)
	}
	return p.Believe("what disturbed a thread of it", float64(a.StolenNS)/float64(max(1, q.Threads)))
}

// readSteps hands the times and rows of n steps over. visited is the script's error.
func (e *Engine) readSteps(p *process.Process, m *wire.Mapping, q *wire.Batch, s *measure.Script, from, n int) (visited, err error) {
	rows, times := areaOf(m, q.Rows, 1), areaOf(m, q.Times, 8)
	batch := make([][]uint64, q.Width)
	for slot := range batch {
		batch[slot] = make([]uint64, algorithms.MaskWords(e.size))
	}
	took, sum := make([]float64, n), 0.0
	for i := range took {
		raw := wire.Uint64(times[8*i:])
		if raw == unwrittenStep {
			return nil, p.Nonsense("it wrote no time for step %d of %d", i, n)
		}
		took[i] = float64(raw)
		sum += took[i]
	}
	if err := p.Believe("its steps", sum); err != nil {
		return nil, err
	}
	for i, ns := range took {
		for slot, row := range batch {
			wire.GetRow(row, rows[int64(i*q.Width+slot)*q.Stride:])
			if s.Steps[from+i][slot] == measure.Empty {
				continue
			}
			if err := checkRow(p, row, e.size, i); err != nil {
				return nil, err
			}
		}
		if visited = s.Stepped(from+i, ns-p.Hello.ClockEmptyNS, func(slot int) []uint64 { return batch[slot] }); visited != nil {
			return visited, nil
		}
	}
	return nil, nil
}
