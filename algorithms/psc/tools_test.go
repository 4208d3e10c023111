package psc

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// BenchmarkTools measures the first pass over responses to requests with tools, by class of
// position, each request with an engine of its own: the time to the first mask, steps as
// BenchmarkTail does them, and how often the grammar grew.
func BenchmarkTools(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "o200k_base", tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	tok.Vocabulary().Trie()
	for _, count := range []int{1, 64, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			corpus := must.Get(toolcalls.Open(b.Context(), toolcalls.SamplesName))(b)
			setup := toolcalls.Setup{Request: tools.Request{Format: "hermes", Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true}, Count: count, Requests: 10, Seed: 1}
			list := must.Get(schemas.Load(b.Context(), corpus.Source(setup), 1))(b)
			times := map[string][]int64{}
			cores := 0
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			for b.Loop() {
				kept := algorithms.NewKept()
				for _, s := range list {
					cores += toolsWalk(b, tok, &s, kept, times)
				}
				runtime.GC()
			}
			for class, of := range times {
				percentiles(b, strings.ReplaceAll(class, " ", "-"), of)
			}
			b.ReportMetric(float64(cores)/float64(b.N*len(list)), "cores/request")
		})
	}
}

// toolsWalk walks the right responses to a request, and returns how many cores the engine had.
func toolsWalk(b *testing.B, tok *tokenizers.Tokenizer, s *schemas.Schema, kept *algorithms.Kept, times map[string][]int64) (cores int) {
	request := must.Get(tools.Read(s.ID, s.Text))(b)
	v := tok.Vocabulary()
	d := newTailDecoder(v)
	began := time.Now()
	g := must.Get(tools.ParseLark(b.Context(), s.ID, s.Grammar))(b)
	r := must.Get(recognizer.New(b.Context(), g, recognizer.Options{OnDemand: true}))(b)
	e := must.Get(algorithm{}.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, nil))(b)
	algorithms.Deliver(e.Start(), d.row)
	times["ttfm"] = append(times["ttfm"], time.Since(began).Nanoseconds())
	latest := func() *core { return e.(interface{ latest() *core }).latest() }
	last := latest()
	for _, one := range s.Instances {
		if !one.Valid {
			continue
		}
		ids := must.Get(tok.EncodeContinuation(one.Text))(b)
		spans := toolcalls.Classify(request, one.Text)
		state, offset := e.Start(), 0
		for at := range ids {
			for len(spans) > 1 && spans[0].End <= offset {
				spans = spans[1:]
			}
			class := string(spans[0].Class)
			ns, ok := d.step(state, ids, at)
			if !ok {
				b.Fatalf("%s: token %d of %q is refused", s.ID, at, one.Text)
			}
			offset += len(v.Token(int(ids[at])))
			times[class] = append(times[class], ns)
			if c := latest(); c != last {
				last = c
				cores++
			}
			for algorithms.Idle(state) {
			}
			d.sample()
		}
	}
	return cores
}
