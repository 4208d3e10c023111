package result

import (
	"math"
	"math/rand/v2"
	"testing"

	"gcdbench/harness/measure"
)

// equal compares within rounding.
func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// TestServe computes a small batch by hand. Requests of 2, 3 and 1 tokens in a batch of two:
//
//	step    0    1    2
//	slot 0  a0   a1   c0
//	slot 1  b0   b1   b2
//
// so three steps, each of two generations. The model takes 10 ns a step; masks take 5, 20 and 10.
func TestServe(t *testing.T) {
	b := &batchSteps{lengths: []int{2, 3, 1}, width: 2, ns: []float64{5, 20, 10}}
	model := func(live int) float64 {
		if live != 2 {
			t.Errorf("a step of %d generations", live)
		}
		return 10
	}
	serial := serve(b, model, 0, false) // steps of 15, 30 and 20 ns
	check := func(what string, got, want float64) {
		if !equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("serial tokens per second", serial.TokensPerSecond, 6e9/65)
	check("unconstrained", serial.Unconstrained, 6e9/30)
	check("serial lost", serial.Lost, 35.0/65)
	check("serial ttft mean", serial.TTFT.Mean, (15.0+15+20)/3)
	check("serial tpot mean", serial.TPOT.Mean, (30.0+(30+20)/2)/2)
	check("serial itl mean", serial.ITL.Mean, (30.0+30+20)/3)
	check("serial itl p50", serial.ITL.P50, 30)
	check("serial itl max", serial.ITL.Max, 30)
	check("mean batch", serial.Live, 2)
	overlapped := serve(b, model, 0, true) // steps of 10, 20 and 10 ns
	check("overlapped tokens per second", overlapped.TokensPerSecond, 6e9/40)
	check("overlapped lost", overlapped.Lost, 10.0/40)
	check("overlapped ttft p50", overlapped.TTFT.P50, 10)
	b.compile = []float64{100, 40, 60} // 200 in two places
	compiled := serve(b, model, 0, true)
	check("tokens per second with compiles", compiled.TokensPerSecond, 6e9/(40+100))
	check("ttft with compiles", compiled.TTFT.Mean, (110.0+50+70)/3)
	prompted := serve(b, model, 7, true)
	check("ttft with compiles and prompts", prompted.TTFT.Mean, (117.0+57+77)/3)
	check("tokens per second with prompts", prompted.TokensPerSecond, compiled.TokensPerSecond)
	check("itl with compiles", compiled.ITL.Mean, overlapped.ITL.Mean)
	if serial.Requests != 3 || serial.Tokens != 6 || serial.Steps != 3 || serial.ITL.N != 3 || serial.TPOT.N != 2 || serial.ITL.P99 != nil {
		t.Errorf("counts: %+v", serial)
	}
}

// TestServeDrains: without more requests the batch shrinks, and the model is asked for less.
func TestServeDrains(t *testing.T) {
	var asked []int
	s := serve(&batchSteps{lengths: []int{1, 3}, width: 2, ns: []float64{0, 0, 0}}, func(live int) float64 { asked = append(asked, live); return float64(live) }, 0, false)
	if len(asked) != 3 || asked[0] != 2 || asked[1] != 1 || asked[2] != 1 {
		t.Errorf("steps of %v generations", asked)
	}
	if !equal(s.TokensPerSecond, 4e9/4) || s.Lost != 0 {
		t.Errorf("%+v", s)
	}
}

// TestServeFree: masks that take no time lose nothing, and overlapped ones none below the model's
// time.
func TestServeFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b := &batchSteps{width: 1 + rng.IntN(8)}
		for range b.width + rng.IntN(20) {
			b.lengths = append(b.lengths, 1+rng.IntN(9))
		}
		for batch := measure.NewBatch(b.lengths, b.width); batch.Live() > 0; batch.Advance() {
			b.ns = append(b.ns, float64(rng.IntN(99)))
		}
		model := func(int) float64 { return 100 }
		serial, overlapped := serve(b, model, 0, false), serve(b, model, 0, true)
		if overlapped.Lost != 0 || overlapped.TokensPerSecond != overlapped.Unconstrained {
			t.Fatalf("overlapped masks below the model's time lose %v", overlapped.Lost)
		}
		sum := 0.0
		for _, ns := range b.ns {
			sum += ns
		}
		if !equal(serial.Lost, sum/(sum+100*float64(len(b.ns)))) {
			t.Fatalf("serial masks lose %v", serial.Lost)
		}
		total := 0
		for _, n := range b.lengths {
			total += n
		}
		if serial.Tokens != total || serial.TTFT.N != len(b.lengths) || serial.ITL.N != total-len(b.lengths) {
			t.Fatalf("%d tokens of %d; %+v", serial.Tokens, total, serial)
		}
	}
}
