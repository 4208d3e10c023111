package schemas_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// BenchmarkRequest is the whole of a request: a development schema that nobody has seen, and the
// steps of its first valid instance, with psc. It reports quantiles of processor time in us, with
// the rules written on demand and, by SCHEMAS_WHOLE, all at once.
//
//	go test ./algorithms/conformance/schemas -run - -bench Request -benchtime 3x
func BenchmarkRequest(b *testing.B) {
	tok := llama3(b, 0)
	list := development(b, 5)
	jsonschema.Prepare()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var first, steps, idle, whole []float64
	for range b.N {
		common, kept := jsonschema.NewKept(), algorithms.NewKept()
		b.StopTimer()
		jsontokens.Of(kept, tok.Vocabulary(), 0).Cut()
		b.StartTimer()
		for i, s := range list {
			at := slices.IndexFunc(s.Instances, func(x schemas.Instance) bool { return x.Valid })
			if at < 0 {
				continue
			}
			ids, err := tok.EncodeContinuation(s.Instances[at].Text)
			if err != nil {
				b.Fatal(err)
			}
			if one := timeRequest(b, s, ids, jsonschema.Options{Kept: common}, kept, tok.Vocabulary()); len(one) > 0 {
				first, steps, idle = append(first, one[0]), append(steps, one[1:len(one)-1]...), append(idle, one[len(one)-1])
				sum := 0.0
				for _, x := range one {
					sum += x
				}
				whole = append(whole, sum)
			}
			if i%32 == 0 {
				runtime.GC()
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, list := range map[string][]float64{"ttfm": first, "step": steps, "idle": idle, "request": whole} {
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		slices.Sort(list)
		b.ReportMetric(sum/float64(len(list)), name+"-mean")
		for _, q := range []int{500, 990, 999} {
			b.ReportMetric(list[len(list)*q/1000], fmt.Sprintf("%s-p%g", name, float64(q)/10))
		}
	}
}

// timeRequest is the time to the first mask, those of the steps, and what was built between them in
// sum; nothing if the schema does not compile.
func timeRequest(b *testing.B, s schemas.Schema, ids []int32, o jsonschema.Options, kept *algorithms.Kept, v *tokenizers.Vocabulary) (us []float64) {
	alg, err := algorithms.Lookup("psc")
	if err != nil {
		b.Fatal(err)
	}
	compile := jsonschema.Open
	if os.Getenv("SCHEMAS_WHOLE") != "" {
		compile = jsonschema.Compile
	}
	row := make([]uint64, algorithms.MaskWords(v.Len()))
	last := threadTime(b)
	lap := func() {
		now := threadTime(b)
		us, last = append(us, float64((now-last)/time.Nanosecond)/1e3), now
	}
	compiled, err := compile(b.Context(), s.Text, o)
	if err != nil {
		return nil
	}
	r, err := recognizer.New(b.Context(), compiled.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		b.Fatal(s.ID, err)
	}
	e, err := alg.Compile(b.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v, Kept: kept}, nil)
	if err != nil {
		b.Fatal(s.ID, err)
	}
	state := e.Start()
	algorithms.Deliver(state, row)
	lap()
	idled := 0.0
	idle := func() {
		if i, is := state.(algorithms.Idler); is {
			i.Idle()
			now := threadTime(b)
			idled, last = idled+float64((now-last)/time.Nanosecond)/1e3, now
		}
	}
	idle()
	for _, id := range ids {
		if state.Commit(int(id)) != nil {
			break
		}
		algorithms.Deliver(state, row)
		lap()
		idle()
	}
	return append(us, idled)
}
