package result

import (
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
)

// From the steps of a batch and the steps of a model to what a server shows: the arithmetic of
// throughput. docs/methodology.md says what it assumes.

// batchSteps are what a batch took for masks, step by step.
type batchSteps struct {
	lengths []int // of the requests, in the order in which they begin
	width   int
	ns      []float64 // commits and masks of each step
	// compile is the time of each request's own compile, which it waits for while it holds its place
	// in the batch; nil where requests share one that was there before.
	compile []float64
}

// Served is what a server with a model shows. The names are those of vLLM's benchmark, the times in
// ns.
type Served struct {
	// TokensPerSecond is the output throughput: all tokens over the duration, from the first request
	// to the last token. Unconstrained is the same without masks and compiles.
	TokensPerSecond float64 `json:"output_tokens_per_second"`
	Unconstrained   float64 `json:"unconstrained_tokens_per_second"`
	// Lost is the share of the duration that there would not be without masks and compiles.
	Lost float64 `json:"share_lost"`
	// TTFT is the time to the first token of a request: its compile, if it has one of its own, the
	// reading of its prompt, and its first step. TPOT is the mean time of its other tokens. ITL are
	// all times from a token to the next.
	TTFT stats.Summary `json:"ttft_ns"`
	TPOT stats.Summary `json:"tpot_ns"`
	ITL  stats.Summary `json:"itl_ns"`
	// PerStep are the commits and masks of a step of the batch.
	PerStep stats.Summary `json:"masks_per_step_ns"`
	// Requests, Tokens and Steps are counts; Live is the mean number of generations in a step.
	Requests int     `json:"requests"`
	Tokens   int     `json:"tokens"`
	Steps    int     `json:"steps"`
	Live     float64 `json:"mean_batch"`
}

// serve puts a model's steps beside those of masks. model is its time in ns by the number of
// generations in a step. Overlapped masks are computed while the model's step runs, and the step
// ends with the later of the two; others come after it. prefill is how long the model reads a
// request's prompt, in ns, beside the batch.
func serve(b *batchSteps, model func(live int) float64, prefill float64, overlapped bool) *Served {
	s := &Served{Requests: len(b.lengths), Steps: len(b.ns)}
	var itl []stats.Weighted
	var clock, free float64
	begun := make([]float64, len(b.lengths)) // when the first token was there
	var ttft, tpot []float64
	step := 0
	for batch := measure.NewBatch(b.lengths, b.width); batch.Live() > 0; batch.Advance() {
		live := batch.Live()
		alone := model(live)
		took := alone + b.ns[step]
		if overlapped {
			took = max(alone, b.ns[step])
		}
		clock += took
		free += alone
		step++
		later := 0
		for _, slot := range batch.Slots {
			if slot.Request < 0 {
				continue
			}
			if slot.Position == 0 {
				begun[slot.Request] = clock
				ttft = append(ttft, at(b.compile, slot.Request)+prefill+took)
			} else {
				later++
			}
			if n := b.lengths[slot.Request]; n > 1 && slot.Position == n-1 {
				tpot = append(tpot, (clock-begun[slot.Request])/float64(n-1))
			}
		}
		if later > 0 {
			itl = append(itl, stats.Weighted{Value: took, N: later})
		}
		s.Tokens += live
	}
	for _, ns := range b.compile { // its place in the batch is empty meanwhile
		clock += ns / float64(b.width)
	}
	s.Live = float64(s.Tokens) / float64(s.Steps)
	s.TokensPerSecond, s.Unconstrained = 1e9*float64(s.Tokens)/clock, 1e9*float64(s.Tokens)/free
	s.Lost = 1 - free/clock
	s.TTFT, s.TPOT, s.ITL, s.PerStep = stats.Summarize(ttft), stats.Summarize(tpot), stats.SummarizeWeighted(itl), stats.Summarize(b.ns)
	return s
}

// at is an entry of a list that may be nil; then 0.
func at(list []float64, i int) float64 {
	if list == nil {
		return 0
	}
	return list[i]
}
