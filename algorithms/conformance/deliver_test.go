package conformance_test

import (
	"context"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// sloppy is an algorithm with a State that delivers its masks in a wrong way.
type sloppy struct {
	algorithms.Algorithm
	way sloppyWay
}

// A sloppyWay is a way to deliver a mask, and what becomes of the row at the next Mask; either may
// be nil.
type sloppyWay struct {
	fill func(s *sloppyState, row []uint64)
	mask func(s *sloppyState) algorithms.Mask
}

func (a sloppy) Name() string { return "sloppy" }

func (a sloppy) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := a.Algorithm.Compile(ctx, p, o)
	return sloppyEngine{e, a.way}, err
}

type sloppyEngine struct {
	algorithms.Engine
	way sloppyWay
}

func (e sloppyEngine) Start() algorithms.State {
	return &sloppyState{State: e.Engine.Start(), way: e.way}
}

type sloppyState struct {
	algorithms.State
	way  sloppyWay
	last []uint64 // the row filled last
}

func (s *sloppyState) Rollback(k int) error { return s.State.(algorithms.Rewinder).Rollback(k) }

func (s *sloppyState) Clone() algorithms.State {
	return &sloppyState{s.State.Clone(), s.way, s.last}
}

func (s *sloppyState) Fill(row []uint64) {
	s.way.fill(s, row)
	s.last = row
}

func (s *sloppyState) Mask() algorithms.Mask {
	if s.way.mask == nil {
		return s.State.Mask()
	}
	return s.way.mask(s)
}

// TestSloppyDeliveryIsFound says that each way in which a delivery can be wrong is found, and what
// is found.
func TestSloppyDeliveryIsFound(t *testing.T) {
	trie, suites := realtext.Lookup(t, "trie"), must.Get(conformance.Compile(t.Context()))(t).Every(seed.Rounds(8, 4, 1), 0)
	right := func(s *sloppyState, row []uint64) { algorithms.Deliver(s.State, row) }
	for name, c := range map[string]struct {
		way  sloppyWay
		want string // in all that is found
	}{
		"right": {sloppyWay{fill: right}, ""},
		"the row is not cleared": {sloppyWay{fill: func(s *sloppyState, row []uint64) {
			for i, w := range words(s.State.Mask()) {
				row[i] |= w
			}
		}}, "over words"},
		"an empty mask is not written": {sloppyWay{fill: func(s *sloppyState, row []uint64) {
			if s.State.Mask().Count() > 0 {
				right(s, row)
			}
		}}, "over words"},
		"bits beyond the vocabulary stay": {sloppyWay{fill: func(s *sloppyState, row []uint64) {
			last := row[len(row)-1]
			right(s, row)
			row[len(row)-1] |= last &^ (1<<(uint(s.State.Mask().Len())&63) - 1)
		}}, "over words"},
		"only the first time": {sloppyWay{fill: func(s *sloppyState, row []uint64) {
			if s.last == nil {
				right(s, row)
			}
		}}, "over words"},
		"the row is taken for the State's memory": {sloppyWay{fill: right, mask: func(s *sloppyState) algorithms.Mask {
			m := s.State.Mask()
			if s.last == nil {
				return m
			}
			return algorithms.MaskOf(s.last, m.Len())
		}}, "Mask"},
		"the row is written to again": {sloppyWay{fill: right, mask: func(s *sloppyState) algorithms.Mask {
			for i := range s.last {
				s.last[i] = 0
			}
			return s.State.Mask()
		}}, "row"},
	} {
		r := suites.Run(t.Context(), sloppy{trie, c.way}, nil)
		if c.want == "" && len(r.Failures) > 0 || c.want != "" && len(r.Failures) == 0 {
			t.Errorf("%s: %d failures", name, len(r.Failures))
		}
		for _, f := range r.Failures {
			if !strings.Contains(f.Message, c.want) {
				t.Errorf("%s: %s", name, f.Message)
				break
			}
		}
	}
}

// words is the words of a mask.
func words(m algorithms.Mask) []uint64 {
	row := make([]uint64, algorithms.MaskWords(m.Len()))
	m.CopyTo(row)
	return row
}
