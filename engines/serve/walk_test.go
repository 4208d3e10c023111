package serve

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// small is a server with a vocabulary of two letters.
func small(t *testing.T) *server {
	t.Helper()
	v := must.Get(tokenizers.NewVocabulary("small", [][]byte{[]byte("a"), []byte("b"), nil}, []int{2}, nil))(t)
	return &server{vocabulary: v, clock: environment.Clock{PairNS: 50, EmptyNS: 23.6}}
}

// TestRaw: what the other side finds when it takes the clock off is what was measured here.
func TestRaw(t *testing.T) {
	s := small(t)
	for _, ns := range []uint32{0, 1, 2, 40, 999, 1 << 20, measure.MaxNS} {
		for pairs := 1.0; pairs <= 2; pairs++ {
			raw := s.raw(float64(ns), pairs)
			if got := measure.Clamp(float64(raw) - pairs*s.clock.EmptyNS); got != ns && raw != measure.MaxNS || raw < ns {
				t.Errorf("%d ns are written as %d and read as %d", ns, raw, got)
			}
		}
	}
}

// TestSameWalk: a timed walk asks the engine as the harness does: one that keeps masks for them,
// and one that fills rows to fill, each itself and not by way of something in between. Its row and
// its logits are those of the walk before.
func TestSameWalk(t *testing.T) {
	s, tokens := small(t), []int32{0, 1, 2}
	for _, fills := range []bool{false, true} {
		e := &keeper{fills: fills}
		for range 2 {
			must.Get(s.time(e, &measure.Document{Tokens: tokens}, true, make([]byte, 100)))(t)
		}
		here := e.calls
		e.calls = [2]int{}
		for range 2 {
			must.OK(t, measure.NewWalker(3, true, s.clock).Time(t.Context(), e, &measure.Document{Tokens: tokens}, new(measure.Times)))
		}
		if here != e.calls || here == [2]int{} {
			t.Errorf("fills %v: masks and fills are %v, and %v in process", fills, here, e.calls)
		}
	}
	//lint:ignore SA4000 the same walker, asked for twice
	if s.walker(true) != s.walker(true) || s.walker(false) == s.walker(true) {
		t.Error("walkers are not kept")
	}
}

// keeper is an engine that allows everything. Its states fill rows only if it does.
type keeper struct {
	fills bool
	calls [2]int // of Mask, of Fill
}

func (k *keeper) Stats() algorithms.Stats { return algorithms.Stats{} }

func (k *keeper) Start() algorithms.State {
	if k.fills {
		return filling{keeping{k}}
	}
	return keeping{k}
}

type keeping struct{ of *keeper }

func (k keeping) Mask() algorithms.Mask {
	k.of.calls[0]++
	return algorithms.MaskOf([]uint64{7}, 3)
}
func (k keeping) Commit(int) error        { return nil }
func (k keeping) Clone() algorithms.State { return k }

type filling struct{ keeping }

func (f filling) Fill(row []uint64) {
	f.of.calls[1]++
	row[0] = 7
}
