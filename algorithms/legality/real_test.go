package legality_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/seed"
)

func compile(t testing.TB, name string, p *algorithms.Problem, o algorithms.Options) algorithms.Engine {
	t.Helper()
	e, err := realtext.Lookup(t, name).Compile(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRealText compares masks along programs with trie's: of one program of each kind of grammar,
// or if GCDBENCH_FULL is set of several in all languages.
func TestRealText(t *testing.T) {
	type run struct {
		grammar, tokenizer string
		options            algorithms.Options
		onDemand           bool
	}
	runs := []run{
		{"json", "r50k_base", algorithms.Options{"rows": "eager"}, false},
		{"java", "r50k_base", nil, false},
		{"java", "r50k_base", algorithms.Options{"basis": "terminal"}, true},
		{"python", "r50k_base", nil, false},
	}
	documents, positions := 1, 60
	if seed.Full() {
		runs, documents, positions = nil, 5, 200
		for _, grammar := range []string{"json", "java", "go", "python", "sql"} {
			for _, tokenizer := range []string{"o200k_base", "llama3", "gemma3"} {
				runs = append(runs, run{grammar, tokenizer, nil, false}, run{grammar, tokenizer, algorithms.Options{"basis": "terminal"}, true},
					run{grammar, tokenizer, algorithms.Options{"joint": "off"}, false})
			}
		}
	}
	for _, r := range runs {
		t.Run(fmt.Sprint(r.grammar, "/", r.tokenizer, "/", r.options), func(t *testing.T) {
			c := realtext.NeedWith(t, r.grammar, r.tokenizer, documents, recognizer.Options{OnDemand: r.onDemand})
			p := c.Problem
			compared := 0
			want, got := compile(t, "trie", p, nil), compile(t, "legality", p, r.options)
			for _, ids := range c.Texts {
				compared += compare(t, p, want.Start(), got.Start(), ids, 1+len(ids)/positions)
			}
			t.Logf("%d positions; %v", compared, got.Stats())
		})
	}
}

// compare walks both states along a text and compares masks at every so many positions.
func compare(t *testing.T, p *algorithms.Problem, want, got algorithms.State, ids []int32, every int) (compared int) {
	t.Helper()
	for i, id := range ids {
		if i%every == 0 {
			compared++
			if d := got.Mask().FirstDifference(want.Mask()); d >= 0 {
				t.Fatalf("position %d: token %d %q: trie says %v", i, d, p.Vocabulary.Token(d), want.Mask().Has(d))
			}
		}
		for _, s := range []algorithms.State{want, got} {
			if err := s.Commit(int(id)); err != nil {
				t.Fatalf("position %d: %v", i, err)
			}
		}
	}
	return compared
}

// BenchmarkMask walks documents and computes every mask, trie and legality in the same run: first
// as the rows are built, then with the rows there. The metrics are nanoseconds of processor time of
// the thread.
func BenchmarkMask(b *testing.B) {
	for _, language := range []string{"java", "python", "json"} {
		for _, tokenizer := range []string{"llama3", "gemma3"} {
			b.Run(language+"/"+tokenizer, func(b *testing.B) { benchmark(b, language, tokenizer) })
		}
	}
}

func benchmark(b *testing.B, language, tokenizer string) {
	c := realtext.Need(b, language, tokenizer, 5)
	p, documents := c.Problem, c.Texts
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		trie := steps(b, compile(b, "trie", p, nil), documents)
		t0 := threadTime(b)
		e := compile(b, "legality", p, nil)
		b.ReportMetric(float64((threadTime(b) - t0).Nanoseconds()), "ns/compile")
		cold := steps(b, e, documents)
		warm := steps(b, e, documents)
		for _, m := range []struct {
			name  string
			times []time.Duration
		}{{"trie", trie}, {"cold", cold}, {"warm", warm}} {
			mean, p50, p999 := summary(m.times)
			b.ReportMetric(mean, m.name+"-mean-ns")
			b.ReportMetric(p50, m.name+"-p50-ns")
			b.ReportMetric(p999, m.name+"-p99.9-ns")
		}
		b.Logf("%d masks; %v", len(trie), e.Stats())
	}
	b.ReportMetric(0, "ns/op")
}

// steps is the time of every mask along documents.
func steps(b *testing.B, e algorithms.Engine, documents [][]int32) []time.Duration {
	var times []time.Duration
	for _, ids := range documents {
		s := e.Start()
		for _, id := range ids {
			t0 := threadTime(b)
			s.Mask()
			times = append(times, threadTime(b)-t0)
			if err := s.Commit(int(id)); err != nil {
				b.Fatal(err)
			}
		}
	}
	return times
}

func summary(times []time.Duration) (mean, p50, p999 float64) {
	slices.Sort(times)
	for _, d := range times {
		mean += float64(d)
	}
	n := len(times)
	return mean / float64(n), float64(times[n/2]), float64(times[min(n-1, n*999/1000)])
}

// threadTime is the processor time this thread has used: unlike a clock it does not count what
// other programs take.
func threadTime(b *testing.B) time.Duration {
	var u unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Nano())
}
