package measure_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// spinning is an engine whose masks take a time by the clock.
type spinning struct {
	counter
	took time.Duration
}

func (s *spinning) Start() algorithms.State {
	return &spinningState{&counting{&s.counter, 0}, s.took}
}

type spinningState struct {
	*counting
	took time.Duration
}

func (s *spinningState) Mask() algorithms.Mask {
	for end := environment.Now() + s.took; environment.Now() < end; {
	}
	return s.counting.Mask()
}

// TestArithmetic compares what a step of a model and masks is said to take, F + M or max(F, M),
// with a clock around both. The device is a deadline that is set before the masks, or before which
// there are none, and is waited for by looking at the clock, as drivers poll. Steps are compared
// one by one, each with its own M, by the quiet ones: others use the machine, too.
func TestArithmetic(t *testing.T) {
	seed.Usual(t)
	const model = 2 * time.Millisecond
	const steps = 32
	const allowed = 0.05
	quiet := seed.Rounds(1, 1, steps/2) // on a machine that others use; how many steps are quieter than the one that counts
	for _, masks := range []time.Duration{50 * time.Microsecond, model / 2, 2 * model} {
		for _, overlapped := range []bool{true, false} {
			var off []float64
			engine := &spinning{took: masks}
			state := engine.Start()
			for range steps {
				begin := environment.Now()
				wait := func(ends time.Duration) {
					for environment.Now() < ends {
					}
				}
				var m time.Duration
				mask := func() {
					from := environment.Now()
					state.Mask()
					m = environment.Now() - from
				}
				said := func() time.Duration { return max(model, m) }
				if overlapped {
					mask()
					wait(begin + model)
				} else {
					wait(begin + model)
					mask()
					said = func() time.Duration { return model + m }
				}
				took := environment.Now() - begin
				off = append(off, float64(took-said())/float64(said()))
			}
			slices.Sort(off)
			if one := off[quiet]; one < -0.01 || one > allowed {
				t.Errorf("masks of %v, overlapped %v: the clock shows %.1f%% more than the arithmetic", masks, overlapped, 100*one)
			} else {
				t.Logf("masks of %v, overlapped %v: %.2f%% more than the arithmetic", masks, overlapped, 100*one)
			}
		}
	}
}

// TestBatchTimes: the steps of a batch of engines of known cost take what their masks take, one
// after the other.
func TestBatchTimes(t *testing.T) {
	const each = 300 * time.Microsecond
	r := &measure.Requests{Width: 4, Threads: 1, Size: counted,
		Engine: func(context.Context, int) (algorithms.Engine, error) { return &spinning{took: each}, nil },
		Check:  func(int, int, algorithms.Mask) error { return nil }}
	for range 4 {
		tokens := make([]int32, 30)
		for i := range tokens {
			tokens[i] = int32(i)
		}
		r.Tokens = append(r.Tokens, tokens)
	}
	ns := must.Get(r.Time(context.Background()))(t)
	slices.Sort(ns)
	if least, want := time.Duration(ns[0]), 4*each; least < want || least > want*12/10 {
		t.Errorf("four masks of %v take %v", each, least)
	}
}
