//go:build linux

package schemas_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// An orderPrice is what schemas cost with keys in one order: the time to the first mask of each,
// and of each step of first passes over their instances, in microseconds.
type orderPrice struct{ first, steps []float64 }

// BenchmarkOrderPrice measures what the order of keys costs on real schemas: psc opens each in the
// declared order and in any, and walks its instances. It takes turns, and counts the time of its
// own thread, so that other programs do not matter much. Ratios are any / declared.
//
//	go test ./algorithms/conformance/schemas -run - -bench OrderPrice -benchtime 1x
func BenchmarkOrderPrice(b *testing.B) {
	tok, kept := warm(b)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	list := development(b, 5)
	var price [2]orderPrice
	for b.Loop() {
		price = [2]orderPrice{}
		both := jsonschema.NewKept()
		for i, s := range list {
			for turn := range 2 {
				order := (i + turn) % 2
				price[order].add(b, s, jsonschema.Options{AnyOrder: order == 1, Kept: both}, kept, tok)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	price[0].report(b, &price[1])
}

// add measures one schema; one that does not compile is left out.
func (p *orderPrice) add(b *testing.B, s schemas.Schema, o jsonschema.Options, kept *algorithms.Kept, tok *tokenizers.Tokenizer) {
	least := 1e12
	var e algorithms.Engine
	for range 3 {
		t0 := threadTime()
		g, err := jsonschema.Open(b.Context(), s.Text, o)
		if err != nil {
			return
		}
		r, err := recognizer.New(b.Context(), g.Grammar, recognizer.Options{OnDemand: true})
		if err != nil {
			return
		}
		e = realtext.MustCompile(b, "psc", &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary(), Kept: kept}, nil)
		e.Start().Mask()
		least = min(least, threadTime()-t0)
	}
	p.first = append(p.first, least)
	for _, x := range s.Instances {
		tokens := must.Get(tok.EncodeContinuation(x.Text))(b)
		at := e.Start()
		row := make([]uint64, algorithms.MaskWords(tok.Vocabulary().Len()))
		for _, token := range tokens {
			t0 := threadTime()
			algorithms.Deliver(at, row)
			took := threadTime() - t0
			if i, ok := at.(algorithms.Idler); ok {
				i.Idle()
			}
			t0 = threadTime()
			err := at.Commit(int(token))
			p.steps = append(p.steps, took+threadTime()-t0)
			if err != nil {
				break
			}
		}
	}
}

// report writes both and their ratios.
func (p *orderPrice) report(b *testing.B, other *orderPrice) {
	for _, x := range []struct {
		name string
		a, b []float64
	}{{"first", p.first, other.first}, {"step", p.steps, other.steps}} {
		slices.Sort(x.a)
		slices.Sort(x.b)
		mean := func(list []float64) (sum float64) {
			for _, v := range list {
				sum += v
			}
			return sum / float64(len(list))
		}
		b.ReportMetric(mean(x.a), x.name+"-mean-declared-us")
		b.ReportMetric(mean(x.b)/mean(x.a), x.name+"-mean-ratio")
		for _, q := range []int{500, 900, 990, 1000} {
			at := func(list []float64) float64 { return list[min(len(list)-1, len(list)*q/1000)] }
			b.ReportMetric(at(x.a), fmt.Sprintf("%s-p%g-declared-us", x.name, float64(q)/10))
			b.ReportMetric(at(x.b)/at(x.a), fmt.Sprintf("%s-p%g-ratio", x.name, float64(q)/10))
		}
	}
}

// threadTime is the processor time of this thread, in microseconds.
func threadTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano()) / 1e3
}
