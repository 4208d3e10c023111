package serve

import (
	"fmt"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// A batch here is advanced by measure.Slots, as in the harness: the times of a child differ by its
// process alone.

// batch holds grammars in slots, and makes steps.
func (s *server) batch(q *wire.Batch) (*wire.BatchAnswer, error) {
	if q.First {
		s.dropBatch()
	}
	for _, slot := range q.Hold {
		if err := s.hold(slot); err != nil {
			return nil, err
		}
	}
	steps := int64(0)
	answer := &wire.BatchAnswer{Answer: wire.Yes(), Steps: &steps}
	if q.Times == nil || q.Times.N == 0 {
		return answer, nil
	}
	return answer, s.advance(q, answer)
}

// dropBatch empties all slots.
func (s *server) dropBatch() {
	if s.slots != nil {
		s.slots.Close()
	}
	s.slots, s.held = nil, nil
}

// hold has a slot hold the engine that was compiled last.
func (s *server) hold(slot int) error {
	e, err := s.live()
	if err != nil {
		return err
	}
	if s.held == nil {
		s.held = map[int]algorithms.Engine{}
	}
	s.held[slot] = e
	if s.slots != nil {
		s.slots.Hold(slot, e)
	}
	return nil
}

// advance makes the steps of a request.
func (s *server) advance(q *wire.Batch, answer *wire.BatchAnswer) error {
	size := s.vocabulary.Len()
	if q.Width < 1 || q.Threads < 1 || q.Stride < int64(8*algorithms.MaskWords(size)) {
		return fmt.Errorf("a batch of %d slots, %d threads and rows of %d bytes", q.Width, q.Threads, q.Stride)
	}
	script, err := s.mapping.Slice(q.Tokens, 4)
	if err != nil {
		return err
	}
	rows, err := s.mapping.Slice(q.Rows, 1)
	if err != nil {
		return err
	}
	times, err := s.mapping.Slice(q.Times, 8)
	if err != nil {
		return err
	}
	tokens := wire.Tokens(script)
	if n := q.Times.N * int64(q.Width); int64(len(tokens)) != n || int64(len(rows)) < n*q.Stride {
		return fmt.Errorf("%d tokens and %d bytes of rows for %d steps of %d slots", len(tokens), len(rows), q.Times.N, q.Width)
	}
	if s.slots == nil {
		s.slots = measure.NewSlots(q.Width, q.Threads, size)
		for slot, e := range s.held {
			s.slots.Hold(slot, e)
		}
	}
	before := s.slots.StolenNS
	defer func() { answer.StolenNS = s.slots.StolenNS - before }()
	return s.slots.OnThreads(func() error {
		for step := range slices.Chunk(tokens, q.Width) {
			if err := s.ready(step); err != nil {
				return err
			}
			s.collect.Maybe()
			s.slots.Settle()
			ns, refused := s.slots.Step(step)
			if refused >= 0 {
				slot := int64(refused)
				answer.Refused = &slot
				return nil
			}
			wire.PutUint64(times, uint64(ns))
			times = times[8:]
			for slot, token := range step {
				if token != wire.BatchEmpty {
					wire.PutRow(rows[:q.Stride], s.slots.Row(slot))
				}
				rows = rows[q.Stride:]
			}
			*answer.Steps++
		}
		return nil
	})
}

// ready checks what the slots are told.
func (s *server) ready(step []int32) error {
	for slot, token := range step {
		switch {
		case token < wire.BatchEmpty || int(token) >= s.vocabulary.Len():
			return fmt.Errorf("slot %d is told to commit %d, of %d", slot, token, s.vocabulary.Len())
		case token >= wire.BatchBegins && !s.slots.Holds(slot):
			return fmt.Errorf("slot %d holds no grammar", slot)
		case token >= 0 && !s.slots.Begun(slot):
			return fmt.Errorf("no generation has begun in slot %d", slot)
		}
	}
	return nil
}
