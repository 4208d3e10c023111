package cell

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gcdbench/internal/seed"
)

func TestTracesRoundTrip(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 200 {
		var traces []Trace
		for i := range rng.IntN(5) {
			traces = append(traces, randomTrace(rng, i))
		}
		back, err := DecodeTraces(EncodeTraces(traces))
		if err != nil || !reflect.DeepEqual(back, traces) {
			t.Fatalf("seed %d round %d: got %+v, %v; want %+v", seed, round, back, err, traces)
		}
	}
}

func FuzzDecodeTraces(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	f.Add(EncodeTraces(nil))
	f.Add(EncodeTraces([]Trace{randomTrace(rng, 0), randomTrace(rng, 1)}))
	f.Add([]byte{})
	// A length that what is left cannot hold must not be allocated.
	f.Add(encoder.EncodeAll(append([]byte(traceMagic), 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f), nil))
	f.Fuzz(func(t *testing.T, packed []byte) {
		traces, err := DecodeTraces(packed)
		if err != nil {
			return
		}
		if again, err := DecodeTraces(EncodeTraces(traces)); err != nil || !reflect.DeepEqual(again, traces) {
			t.Errorf("%+v comes back as %+v, %v", traces, again, err)
		}
	})
}

func TestTimes(t *testing.T) {
	timed := func(mask ...uint32) Pass {
		commit := slices.Clone(mask)
		for i := range commit {
			commit[i] += 100
		}
		return Pass{Mask: mask, Commit: commit}
	}
	cases := []struct {
		what   string
		passes []Pass
		want   []float64 // masks; commits are 100 above
	}{
		{"none", nil, nil},
		{"only a warm-up", []Pass{{Warmup: true, Mask: []uint32{1, 2}, Commit: []uint32{1, 2}}}, nil},
		{"one", []Pass{timed(5, 6)}, []float64{5, 6}},
		{"median of three, each position for itself", []Pass{timed(9, 1), timed(2, 2), timed(3, 99)}, []float64{3, 2}},
		{"lower of two", []Pass{timed(9, 1), timed(2, 2)}, []float64{2, 1}},
		{"without the warm-up", []Pass{{Warmup: true, Mask: []uint32{0, 0}, Commit: []uint32{0, 0}}, timed(7, 8)}, []float64{7, 8}},
		{"a pass that broke off does not count", []Pass{timed(1), timed(7, 8)}, []float64{7, 8}},
	}
	for _, c := range cases {
		trace := Trace{Positions: []uint32{0, 4}, Passes: c.passes}
		got := trace.Times()
		if !slices.Equal(got.Mask, c.want) {
			t.Errorf("%s: masks %v, want %v", c.what, got.Mask, c.want)
		}
		for i := range c.want {
			if got.Commit[i] != c.want[i]+100 {
				t.Errorf("%s: commits %v", c.what, got.Commit)
			}
		}
	}
}

func TestClamp(t *testing.T) {
	for ns, want := range map[float64]uint32{0: 0, -3: 0, 1.4: 1, 1.6: 2, 5e9: MaxNS, MaxNS: MaxNS} {
		if got := Clamp(ns); got != want {
			t.Errorf("Clamp(%v) = %d, want %d", ns, got, want)
		}
	}
}
