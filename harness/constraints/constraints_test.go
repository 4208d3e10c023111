package constraints

import (
	"strings"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// TestList: each constraint takes its texts, and the brute force agrees with every mask.
func TestList(t *testing.T) {
	tok := must.Get(tokenizers.Load(t.Context(), "r50k_base[:3000]", tokenizers.Options{Offline: true}))(t)
	forced := 0
	for _, c := range List {
		row, err := Measure(t.Context(), c, tok, 1)
		if err != nil {
			t.Error(err)
			continue
		}
		if row.Positions < 4 || row.Checked < 3000*4 || len(row.First) != row.Positions || len(row.Again) != row.Positions || row.States < 2 {
			t.Errorf("%s: %+v", c.Name, row)
		}
		forced += row.Forced
	}
	if forced < 5 {
		t.Errorf("%d tokens are forced", forced)
	}
}

// flipped is an engine whose masks have one bit more.
type flipped struct{ algorithms.Engine }

func (f flipped) Start() algorithms.State { return flippedState{f.Engine.Start()} }

type flippedState struct{ algorithms.State }

func (s flippedState) Mask() algorithms.Mask {
	m := s.State.Mask()
	b := algorithms.NewBuffer(m.Len())
	for _, id := range m.IDs(nil) {
		b.Set(id)
	}
	b.Set(int('~'))
	return b.Mask()
}

// TestBruteForceFinds: a mask with a wrong bit is found.
func TestBruteForceFinds(t *testing.T) {
	tok := must.Get(tokenizers.Load(t.Context(), "r50k_base[:300]", tokenizers.Options{Offline: true}))(t)
	p := must.Get(problem(t.Context(), tok.Vocabulary()))(t)
	alg := must.Get(algorithms.Lookup("automata"))(t)
	options := must.Get(algorithms.Resolve(alg, algorithms.Options{"pattern": "a+b"}))(t)
	e := must.Get(alg.Compile(t.Context(), p, options))(t)
	truth := must.Get(newBruteForce("a+b", tok.Vocabulary()))(t)
	if err := truth.compare(t.Context(), flipped{e}, nil, new(Row)); err == nil || !strings.Contains(err.Error(), "the brute force false") {
		t.Errorf("got %v", err)
	}
}
