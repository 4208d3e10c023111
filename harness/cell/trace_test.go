package cell

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"testing"

	"gcdbench/internal/must"
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

// claims is a damaged file whose head says that it has 4 GiB.
var claims = []byte("(\xb5/\xfd\x84\x00d\x00\x00\xff\xff\xff\x16@\xe9ce3\n\x01\x00\xff\xff\xff@\xe9g\xae")

// TestDamagedHead: memory for what a damaged file says that it has is not made.
func TestDamagedHead(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := DecodeTraces(claims)
	s, id := create(t), batchRecord().ID
	must.OK(t, s.PutBatch(batchRecord()))
	must.OK(t, os.WriteFile(s.batchPath(id.Key()), claims, 0o644))
	var damaged *DamagedError
	if _, other := s.Batch(id); err == nil || !errors.As(other, &damaged) {
		t.Errorf("%v, %v", err, other)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4*packWindow {
		t.Errorf("%d MiB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

func FuzzDecodeTraces(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	f.Add(EncodeTraces(nil))
	f.Add(EncodeTraces([]Trace{randomTrace(rng, 0), randomTrace(rng, 1)}))
	f.Add([]byte{})
	f.Add(claims)
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

// TestWhole: a pass that broke off, or lacks a kind of time, is not whole; one without views is.
func TestWhole(t *testing.T) {
	trace := Trace{Positions: []uint32{0, 4}}
	two := []uint32{7, 8}
	for what, c := range map[string]struct {
		pass Pass
		want bool
	}{
		"all":            {Pass{Lookup: two, Mask: two, Commit: two, Step: two}, true},
		"no views":       {Pass{Mask: two, Commit: two, Step: two}, true},
		"few views":      {Pass{Lookup: two[:1], Mask: two, Commit: two, Step: two}, false},
		"few masks":      {Pass{Mask: two[:1], Commit: two, Step: two}, false},
		"few commits":    {Pass{Mask: two, Commit: two[:1], Step: two}, false},
		"few steps":      {Pass{Mask: two, Commit: two, Step: two[:1]}, false},
		"nothing at all": {Pass{}, false},
	} {
		if got := trace.Whole(&c.pass); got != c.want {
			t.Errorf("%s: whole %v, want %v", what, got, c.want)
		}
	}
}

func TestStateNames(t *testing.T) {
	for state, want := range map[State]string{Fresh: "fresh", New: "new", Again: "again", 77: "again"} {
		if got := state.String(); got != want {
			t.Errorf("state %d is %q, want %q", state, got, want)
		}
	}
}

// TestWriterKeepsToItsReader: a count that the reader would refuse is written as one that it takes.
func TestWriterKeepsToItsReader(t *testing.T) {
	for _, count := range []int{-1, 0, math.MaxInt32, math.MaxUint32, math.MaxInt64} {
		in := []Trace{{Sample: 1, Passes: []Pass{{State: New, Disturbed: count}}}}
		got, err := DecodeTraces(EncodeTraces(in))
		if err != nil || len(got) != 1 || got[0].Passes[0].Disturbed != min(max(0, count), math.MaxInt32) {
			t.Errorf("%d: %+v, %v", count, got, err)
		}
	}
}
