package measure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
)

// TestBatch writes the steps of three requests in two slots down.
func TestBatch(t *testing.T) {
	type slots = []measure.Slot
	want := []slots{
		{{Request: 0, Position: 0}, {Request: 1, Position: 0}},
		{{Request: 0, Position: 1}, {Request: 2, Position: 0}},
		{{Request: -1, Position: 0}, {Request: 2, Position: 1}},
		{{Request: -1, Position: 0}, {Request: 2, Position: 2}},
	}
	var got []slots
	for b := measure.NewBatch([]int{2, 1, 3}, 2); b.Live() > 0; b.Advance() {
		got = append(got, slices.Clone(b.Slots))
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("steps %v, want %v", got, want)
	}
}

// TestBatchProperties: every request runs once, position by position in following steps, and the
// batch is full while requests wait.
func TestBatchProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		lengths := make([]int, 1+rng.IntN(30))
		for i := range lengths {
			lengths[i] = 1 + rng.IntN(7)
		}
		width := 1 + rng.IntN(len(lengths))
		next, begun := make([]int, len(lengths)), 0
		for b := measure.NewBatch(lengths, width); b.Live() > 0; b.Advance() {
			for _, s := range b.Slots {
				if s.Request < 0 {
					continue
				}
				if s.Position != next[s.Request] {
					t.Fatalf("lengths %v, width %d: request %d is at %d after %d", lengths, width, s.Request, s.Position, next[s.Request]-1)
				}
				if next[s.Request]++; s.Position == 0 {
					begun++
				}
			}
			if begun < len(lengths) && b.Live() < width {
				t.Fatalf("lengths %v, width %d: %d live while %d wait", lengths, width, b.Live(), len(lengths)-begun)
			}
		}
		if !slices.Equal(next, lengths) {
			t.Fatalf("lengths %v, width %d: walked %v", lengths, width, next)
		}
	}
}

// counter is an engine whose every state allows the token of its own position, and token 0.
type counter struct {
	masks atomic.Int64
	panic bool
}

type counting struct {
	engine *counter
	at     int
}

const counted = 200 // tokens

func (c *counter) Start() algorithms.State { return &counting{c, 0} }
func (c *counter) Stats() algorithms.Stats { return algorithms.Stats{} }
func (s *counting) Clone() algorithms.State {
	other := *s
	return &other
}
func (s *counting) Commit(token int) error {
	if token != s.at {
		return &algorithms.RefusedError{Token: token}
	}
	s.at++
	return nil
}
func (s *counting) Mask() algorithms.Mask {
	if s.engine.panic && s.at == 3 {
		panic("a defect")
	}
	s.engine.masks.Add(1)
	b := algorithms.NewBuffer(counted)
	b.Set(s.at)
	return b.Mask()
}

// decode runs requests of these lengths.
func decode(c *counter, lengths []int, width, threads int, change func(*measure.Requests)) ([]int64, error) {
	r := &measure.Requests{Width: width, Threads: threads, Size: counted,
		Engine: func(context.Context, int) (algorithms.Engine, error) { return c, nil },
		Check:  func(int, int, algorithms.Mask) error { return nil }}
	for _, n := range lengths {
		tokens := make([]int32, n)
		for i := range tokens {
			tokens[i] = int32(i)
		}
		r.Tokens = append(r.Tokens, tokens)
	}
	if change != nil {
		change(r)
	}
	return r.Time(context.Background())
}

// TestTimeBatch: every position of every request has one mask, in as many steps as the batch takes,
// on one thread and on several.
func TestTimeBatch(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		c, lengths := &counter{}, []int{5, 1, 9, 9, 3, 2}
		checked := map[[2]int]int{}
		before := runtime.GOMAXPROCS(0)
		ns := must.Get(decode(c, lengths, 3, threads, func(r *measure.Requests) {
			r.Check = func(request, position int, mask algorithms.Mask) error {
				checked[[2]int{request, position}]++
				if !mask.Has(position) || mask.Has(position+1) {
					t.Errorf("threads %d: request %d at %d has the mask of another", threads, request, position)
				}
				return nil
			}
		}))(t)
		steps := 0
		for b := measure.NewBatch(lengths, 3); b.Live() > 0; b.Advance() {
			steps++
		}
		if len(ns) != steps || len(checked) != 29 || c.masks.Load() != 29 {
			t.Errorf("threads %d: %d steps, %d masks checked and %d made, want %d, 29 and 29", threads, len(ns), len(checked), c.masks.Load(), steps)
		}
		if runtime.GOMAXPROCS(0) != before {
			t.Errorf("threads %d: GOMAXPROCS is %d afterwards, was %d", threads, runtime.GOMAXPROCS(0), before)
		}
	}
}

// TestTimeBatchFails: what goes wrong names the request.
func TestTimeBatchFails(t *testing.T) {
	for _, threads := range []int{1, 2} {
		wrongToken := func(r *measure.Requests) { r.Tokens[1][4] = 77 }
		_, err := decode(&counter{}, []int{5, 6, 7}, 3, threads, wrongToken)
		var of *measure.RequestError
		var refused *measure.RefusedError
		if !errors.As(err, &of) || of.Request != 1 || !errors.As(err, &refused) || refused.Position != 4 || refused.Token != 77 || refused.ByCommit {
			t.Errorf("threads %d: a token that its mask refuses: %v", threads, err)
		}
		ours := errors.New("ours")
		_, err = decode(&counter{}, []int{5, 6, 7}, 3, threads, func(r *measure.Requests) {
			r.Check = func(request, position int, _ algorithms.Mask) error {
				if request == 2 && position == 6 {
					return ours
				}
				return nil
			}
		})
		if !errors.As(err, &of) || of.Request != 2 || !errors.Is(err, ours) {
			t.Errorf("threads %d: an error of Check: %v", threads, err)
		}
		_, err = decode(&counter{}, []int{5, 6, 7}, 2, threads, func(r *measure.Requests) {
			r.Engine = func(_ context.Context, request int) (algorithms.Engine, error) {
				if request == 2 {
					return nil, ours
				}
				return &counter{}, nil
			}
		})
		if !errors.As(err, &of) || of.Request != 2 || !errors.Is(err, ours) {
			t.Errorf("threads %d: an error of Engine: %v", threads, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r := &measure.Requests{Tokens: [][]int32{{0}}, Width: 1, Threads: threads, Size: counted}
		if _, err := r.Time(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("threads %d: interrupted: %v", threads, err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("threads %d: a panic of the engine is lost", threads)
				}
			}()
			decode(&counter{panic: true}, []int{5, 5}, 2, threads, nil)
		}()
	}
}
