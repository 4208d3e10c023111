package psc

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// built waits until an engine has built everything beside its generations.
func built(t testing.TB, e *engine) {
	t.Helper()
	for !e.background.done.Load() {
		time.Sleep(time.Millisecond)
	}
}

// TestBackground walks while the automaton is built beside it, and after: the masks are those of
// naive, and in the end everything is there that an eager engine has.
func TestBackground(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		e := compile(t, p, algorithms.Options{"compile": "background"})
		walkBeside(t, p, e, 60, 20, 40)
		built(t, e)
		checkWhole(t, p, e)
		if counters := e.Stats().Counters; !hasCounter(counters, algorithms.BesideSeconds) {
			t.Errorf("no counter %q in %v", algorithms.BesideSeconds, counters)
		}
	}
}

// TestBackgroundOnText walks real programs again and again until everything is built beside them.
func TestBackgroundOnText(t *testing.T) {
	c := realtext.Need(t, "go", "llama3", 2)
	e := compile(t, c.Problem, algorithms.Options{"compile": "background"})
	reference := realtext.MustCompile(t, "greatgramma", c.Problem, nil)
	for more := true; more; {
		more = !e.background.done.Load()
		if _, err := c.Compare(reference, map[string]algorithms.Engine{"background": e}); err != nil {
			t.Fatal(err)
		}
	}
}

// hasCounter tells whether a counter of a name is above 0.
func hasCounter(list []algorithms.Counter, name string) bool {
	for _, c := range list {
		if c.Name == name && c.Value > 0 {
			return true
		}
	}
	return false
}

// TestBackgroundEnds drops an engine while it is built: the goroutine that builds it does not keep
// it.
func TestBackgroundEnds(t *testing.T) {
	c := realtext.Need(t, "java", "llama3", 1)
	of := func() weak.Pointer[engine] {
		return weak.Make(compile(t, c.Problem, algorithms.Options{"compile": "background"}))
	}()
	for of.Value() != nil {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// TestBackgroundWaits: a mask that finds everything waits for nobody, whoever builds.
func TestBackgroundWaits(t *testing.T) {
	p := nested(t)
	e := compile(t, p, algorithms.Options{"compile": "background"})
	built(t, e)
	c := e.core.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := e.Start().(algorithms.Builder); s.Unbuilt() {
		t.Error("it is not built, and everything is")
	}
	fresh := newCore(e, false)
	e.core.Store(fresh)
	fresh.mu.Lock()
	defer fresh.mu.Unlock()
	if s := e.Start().(algorithms.Builder); !s.Unbuilt() {
		t.Error("it is built, and nothing is")
	}
}

// TestBackgroundSwitches: a mask that began on the core of a lazy engine ends on that one, though
// everything is built by then.
func TestBackgroundSwitches(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		e := compile(t, p, algorithms.Options{"compile": "background"})
		built(t, e)
		g := e.Start().(composing)
		want, got := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len())), make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
		g.Mask().CopyTo(want)
		before := newCore(e, true)
		if g.maskFrom(before).CopyTo(got); !slices.Equal(got, want) {
			t.Errorf("the mask of the core before is %x, want %x", got, want)
		}
		clear(got)
		if g.fillFrom(before, got); !slices.Equal(got, want) {
			t.Errorf("the core before writes %x, want %x", got, want)
		}
		if before.startCount == 0 && len(before.paths) == 0 {
			t.Error("the core before has built nothing")
		}
	}
}

// modelStep is how long a model computes between two masks in BenchmarkBackground: about as long
// as a small one on a large accelerator, with a batch of one.
const modelStep = time.Millisecond

// BenchmarkBackground walks documents one after the other with a new engine, with the time of a
// model's step between two masks. It reports the compile and the first mask, the steps of the first
// document and of those after it, and what was built beside them.
func BenchmarkBackground(b *testing.B) {
	for _, lang := range []string{"java", "go", "python", "sql"} {
		for _, mode := range []string{"lazy", "background", "eager"} {
			b.Run(fmt.Sprintf("%s/%s", lang, mode), func(b *testing.B) {
				c := realtext.Need(b, lang, "llama3", 20)
				var first, others []int64
				for range b.N {
					runtime.GC()
					begin := time.Now()
					e := compile(b, c.Problem, algorithms.Options{"compile": mode})
					compiled := time.Since(begin)
					e.Start().Mask()
					b.ReportMetric(compiled.Seconds()*1e3, "compile-ms")
					b.ReportMetric((time.Since(begin)-compiled).Seconds()*1e3, "first-mask-ms")
					for i, ids := range c.Texts {
						steps := steps(b, e, ids)
						if i == 0 {
							first = append(first, steps...)
						} else {
							others = append(others, steps...)
						}
					}
					for _, x := range e.Stats().Counters {
						if x.Name == algorithms.BesideSeconds {
							b.ReportMetric(x.Value, "built-beside-s")
						}
					}
				}
				percentiles(b, "first", first)
				percentiles(b, "others", others)
			})
		}
	}
}

// steps are the times of a commit and the delivered mask after it, along a document, in ns.
func steps(b *testing.B, e algorithms.Engine, ids []int32) (times []int64) {
	b.Helper()
	s, last := e.Start(), int32(-1)
	row := make([]uint64, algorithms.MaskWords(s.Mask().Len()))
	for _, id := range ids {
		begin := time.Now()
		if last >= 0 {
			if err := s.Commit(int(last)); err != nil {
				b.Fatal(err)
			}
		}
		algorithms.Deliver(s, row)
		times = append(times, time.Since(begin).Nanoseconds())
		last = id
		time.Sleep(modelStep)
	}
	return times
}
