package load

import (
	"strings"

	"gcdbench/harness/stats"
)

// Limits are what a request has to keep to be good. LoadGen's server scenario asks it of 99% of
// them, as Share does.
type Limits struct {
	TTFTNS int64   `json:"ttft_ns"`
	ITLNS  int64   `json:"itl_ns"` // of 99% of the tokens of a request
	Share  float64 `json:"share"`
}

// Figures are what a load shows. Times are in ns. Requests of bad neighbours are counted in Hostile
// alone.
type Figures struct {
	// Requests came in the window. Refused are those whose document or schema the engine does not
	// take, which no server could help; they are no part of the shares below.
	Requests int `json:"requests"`
	OK       int `json:"ok"`
	Refused  int `json:"refused"`
	// Why counts those by what the engine said, the outcome first.
	Why        map[string]int `json:"why"`
	TimedOut   int            `json:"timed_out"`
	Unfinished int            `json:"unfinished"`
	Hostile    int            `json:"hostile"`
	// HostileOK is how many bad neighbours were served.
	HostileOK int `json:"hostile_ok"`
	// Cut is whether the load ended early, since it could not keep the limits any more. Its times are
	// of what was served before.
	Cut bool `json:"cut"`
	// Good keep the limits, GoodShare is of those not refused; Goodput is a second.
	Good      int     `json:"good"`
	GoodShare float64 `json:"good_share"`
	Goodput   float64 `json:"goodput"`
	// TTFT is from the arrival to the first token. Its parts: waiting for a compile thread, the
	// compile, waiting for a place in the batch, the model's step with the reading of the prompt, and
	// what masks add to that.
	TTFT  stats.Summary `json:"ttft_ns"`
	Parts Parts         `json:"ttft_parts_ns"`
	// ITL is from a token to the next, TPOT a request's mean of that. Masks are commits and masks of
	// a step of the batch.
	ITL   stats.Summary `json:"itl_ns"`
	TPOT  stats.Summary `json:"tpot_ns"`
	Masks stats.Summary `json:"masks_ns"`

	WindowNS        int64   `json:"window_ns"`
	Tokens          int     `json:"tokens"` // in the window
	TokensPerSecond float64 `json:"tokens_per_second"`
	MeanBatch       float64 `json:"mean_batch"`
	CPUPer1000      float64 `json:"cpu_seconds_per_1000_tokens"`
	// Resident is over the whole load: at its start, and the most.
	ResidentFirst int64      `json:"resident_first"`
	ResidentPeak  int64      `json:"resident_peak"`
	Memory        [][2]int64 `json:"memory"` // ns and bytes, some hundred samples
	Hits          float64    `json:"cache_hits"`
	CachePeak     int64      `json:"cache_peak"`
	Evicted       int        `json:"evicted"`
	Collections   int64      `json:"collections"`
	CollectNS     int64      `json:"collect_ns"`
}

// Parts are the parts of TTFT.
type Parts struct {
	Waiting stats.Summary `json:"waiting"`
	Compile stats.Summary `json:"compile"`
	Place   stats.Summary `json:"place"`
	Model   stats.Summary `json:"model"`
	Masks   stats.Summary `json:"masks"`
}

// good tells whether a request kept the limits, so far if the end of the load cut it off. One token
// in a hundred may be late, and one of a short text: on any machine something else gets the core
// now and then.
func (s *Served) good(l *Limits) bool {
	return s.served() && s.First-s.Arrived <= l.TTFTNS && s.Late <= max(1, s.Tokens/100)
}

// served tells whether a request got tokens, all of them or those up to the end of the load.
func (s *Served) served() bool {
	return s.Outcome == OK || s.Outcome == Unfinished && s.Tokens > 0
}

// why is a reason that can be counted: the first line of what was said, as far as it is of use.
func (s *Served) why() string {
	const longest = 100
	detail, _, _ := strings.Cut(s.Detail, "\n")
	if s.Outcome == Refused {
		return s.Outcome // tokens and positions are all different
	}
	return s.Outcome + ": " + string([]rune(detail)[:min(longest, len([]rune(detail)))])
}

// A Window is the part of a load that counts: requests that arrive in it, and tokens that come in
// it. What is before is the warm-up.
type Window struct{ From, To int64 }

// Summarize makes the figures of a ledger. A To of 0 is the end of the load.
func Summarize(l *Ledger, requests []Request, w Window, limits *Limits) *Figures {
	f := &Figures{Why: map[string]int{}, Cut: l.Cut, CachePeak: l.CachePeak, Evicted: l.Evicted, Collections: l.Collections, CollectNS: l.CollectNS}
	if w.To == 0 && len(l.Steps) > 0 {
		w.To = l.Steps[len(l.Steps)-1][0] + 1
	}
	f.WindowNS = w.To - w.From
	var v values
	for i := range l.Requests {
		s := &l.Requests[i]
		if s.Arrived < w.From || s.Arrived >= w.To || s.Outcome == "" {
			continue
		}
		f.count(s, requests[i].Hostile, limits, &v)
	}
	if n := f.Requests - f.Refused; n > 0 {
		f.GoodShare = float64(f.Good) / float64(n)
	}
	f.Hits = share(v.hits, f.Requests)
	f.Goodput = perSecond(f.Good, f.WindowNS)
	f.TTFT, f.TPOT = stats.Summarize(v.ttft), stats.Summarize(v.tpot)
	f.Parts = Parts{stats.Summarize(v.waiting), stats.Summarize(v.compile), stats.Summarize(v.place), stats.Summarize(v.model), stats.Summarize(v.masks)}
	f.steps(l, w)
	f.samples(l, w)
	return f
}

// values are those of the requests that were served.
type values struct {
	ttft, tpot, waiting, compile, place, model, masks []float64
	hits                                              int
}

// count counts a request of the window.
func (f *Figures) count(s *Served, hostile bool, limits *Limits, v *values) {
	if hostile {
		f.Hostile++
		f.HostileOK += toInt(s.Outcome == OK)
		return
	}
	f.Requests++
	v.hits += toInt(s.Hit)
	f.Good += toInt(s.good(limits))
	switch s.Outcome {
	case OK:
		f.OK++
	case TimedOut:
		f.TimedOut++
	case Unfinished:
		f.Unfinished++
	default:
		f.Refused++
		f.Why[s.why()]++
	}
	if !s.served() {
		return
	}
	v.ttft = append(v.ttft, float64(s.First-s.Arrived))
	if s.Tokens > 1 {
		v.tpot = append(v.tpot, float64(s.Last-s.First)/float64(s.Tokens-1))
	}
	ready := max(s.Compiled, s.Arrived)
	v.waiting = append(v.waiting, float64(max(0, s.Compiling-s.Arrived)))
	v.compile = append(v.compile, float64(max(0, s.Compiled-s.Compiling)))
	v.place = append(v.place, float64(s.Begun-ready))
	v.model = append(v.model, float64(s.ModelNS))
	v.masks = append(v.masks, float64(max(0, s.First-s.Begun-s.ModelNS)))
}

// steps adds what the steps of the window say.
func (f *Figures) steps(l *Ledger, w Window) {
	var gaps []stats.Weighted
	var masks []float64
	n, live := 0, int64(0)
	for _, raw := range l.Steps {
		s := Step{raw[0], raw[1], raw[2], raw[3], raw[4]}
		if s.End < w.From || s.End >= w.To {
			continue
		}
		if s.Live > 0 {
			n, live, masks = n+1, live+s.Live, append(masks, float64(s.Masks))
		}
		if s.Later > 0 {
			gaps = append(gaps, stats.Weighted{Value: float64(s.Gap), N: int(s.Later)})
		}
	}
	f.ITL, f.Masks, f.Tokens = stats.SummarizeWeighted(gaps), stats.Summarize(masks), int(live)
	f.TokensPerSecond = perSecond(f.Tokens, f.WindowNS)
	if n > 0 {
		f.MeanBatch = float64(live) / float64(n)
	}
}

// most is how many samples of memory are kept.
const most = 200

// samples adds processor time and memory.
func (f *Figures) samples(l *Ledger, w Window) {
	if len(l.Samples) == 0 {
		return
	}
	var first, last Sample
	thin := (len(l.Samples) + most - 1) / most
	for i, raw := range l.Samples {
		s := Sample{raw[0], raw[1], raw[2], raw[3]}
		f.ResidentPeak = max(f.ResidentPeak, s.Resident)
		if i%thin == 0 {
			f.Memory = append(f.Memory, [2]int64{s.At, s.Resident})
		}
		switch {
		case s.At <= w.From || i == 0:
			first = s
		case s.At <= w.To:
			last = s
		}
	}
	f.ResidentFirst = l.Samples[0][1]
	tokens := 0
	for _, s := range l.Steps {
		if s[0] >= first.At && s[0] < last.At {
			tokens += int(s[1])
		}
	}
	if tokens > 0 {
		f.CPUPer1000 = float64(last.CPU-first.CPU) / 1e6 / float64(tokens)
	}
}

// perSecond is a rate.
func perSecond(n int, ns int64) float64 { return share(n, 1) * 1e9 / float64(max(1, ns)) }

// share is a part of a whole; 0 of none.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// toInt is 1 for true.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
