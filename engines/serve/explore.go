package serve

import (
	"errors"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// begin starts the generation that is explored.
func (s *server) begin(q *wire.Begin) (*wire.BeginAnswer, error) {
	s.state = nil
	e, err := s.live()
	if err != nil {
		return nil, err
	}
	tokens, err := s.tokens(q.Tokens)
	if err != nil {
		return nil, err
	}
	s.state = e.Start()
	for pos, token := range tokens {
		if s.state.Commit(int(token)) != nil {
			at := int64(pos)
			return &wire.BeginAnswer{Answer: wire.Yes(), Refused: &at}, nil
		}
	}
	return &wire.BeginAnswer{Answer: wire.Yes()}, s.writeMask(q.Row)
}

// writeMask writes the mask of the generation that is explored.
func (s *server) writeMask(a *wire.Area) error {
	out, err := s.mapping.Slice(a, 1)
	if err != nil {
		return err
	}
	row := make([]uint64, algorithms.MaskWords(s.vocabulary.Len()))
	if len(out) < 8*len(row) {
		return errors.New("the row is too short")
	}
	algorithms.Deliver(s.state, row)
	wire.PutRow(out, row)
	return nil
}

// next commits one more token.
func (s *server) next(q *wire.Next) (*wire.NextAnswer, error) {
	if s.state == nil {
		return nil, errors.New("next before begin")
	}
	if s.state.Commit(q.Token) != nil {
		refused := true
		return &wire.NextAnswer{Answer: wire.Yes(), Refused: &refused}, nil
	}
	return &wire.NextAnswer{Answer: wire.Yes()}, s.writeMask(q.Row)
}

// measure times operations that servers need besides masks. Between two times the mask is made, as
// in decoding.
func (s *server) measure(q *wire.Measure) (*wire.MeasureAnswer, error) {
	e, err := s.live()
	if err != nil {
		return nil, err
	}
	tokens, err := s.tokens(q.Tokens)
	if err != nil {
		return nil, err
	}
	out, err := s.mapping.Slice(q.Times, 4)
	if err != nil {
		return nil, err
	}
	m := &measurement{tokens: tokens, k: max(1, q.K)}
	once := map[string]func(algorithms.State, int){wire.CanClone: m.clone, wire.CanRollback: m.rollback, wire.CanDraft: m.draft}[q.What]
	if once == nil {
		return nil, &wire.Failure{Outcome: wire.Unsupported, Text: "there is no " + q.What}
	}
	state, row := e.Start(), make([]uint64, algorithms.MaskWords(s.vocabulary.Len()))
	for pos, token := range tokens {
		algorithms.Deliver(state, row)
		once(state, pos)
		if err := state.Commit(int(token)); err != nil {
			return nil, err
		}
		s.collect.Between(pos)
	}
	if len(out) < 4*len(m.times) {
		return nil, errors.New("the area of times is too short")
	}
	wire.PutUint32s(out, m.times)
	n := int64(len(m.times))
	return &wire.MeasureAnswer{Answer: wire.Yes(), N: &n, Accepted: m.accepted}, nil
}

// measurement is one walk with an optional capability timed at its positions.
type measurement struct {
	tokens   []int32
	k        int
	times    []uint32
	accepted int64
}

// add notes a time, raw.
func (m *measurement) add(f func()) {
	begin := environment.Now()
	f()
	m.times = append(m.times, measure.Clamp(float64(environment.Now()-begin)))
}

func (m *measurement) clone(s algorithms.State, _ int) { m.add(func() { s.Clone() }) }

// rollback takes the last k tokens back and commits them again.
func (m *measurement) rollback(s algorithms.State, pos int) {
	r, ok := s.(algorithms.Rewinder)
	if !ok || pos < m.k {
		return
	}
	var err error
	m.add(func() { err = r.Rollback(m.k) })
	for _, token := range m.tokens[pos-m.k : pos] {
		if err == nil {
			err = s.Commit(int(token))
		}
	}
	if err != nil {
		panic(err) // every State of this module can take back what it took
	}
}

// draft checks the next k tokens, where there are as many: on a clone, which is part of it.
func (m *measurement) draft(s algorithms.State, pos int) {
	if pos+m.k > len(m.tokens) {
		return
	}
	draft := m.tokens[pos : pos+m.k]
	m.add(func() {
		twin := s.Clone()
		for _, token := range draft {
			if twin.Commit(int(token)) != nil {
				return
			}
			m.accepted++
		}
	})
}
