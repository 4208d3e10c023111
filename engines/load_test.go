package engines_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/load"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// What the known engine takes, by the clock.
const (
	knownCompile = 5 * time.Millisecond
	knownMask    = 50 * time.Microsecond
)

// known is an engine that allows everything, and whose masks take knownMask.
type known struct{ size int }

func (k known) Start() algorithms.State { return knownState{k} }
func (known) Stats() algorithms.Stats   { return algorithms.Stats{} }

type knownState struct{ known }

func (k knownState) Mask() algorithms.Mask {
	row := make([]uint64, algorithms.MaskWords(k.size))
	k.Fill(row)
	return algorithms.MaskOf(row, k.size)
}

func (k knownState) Fill(row []uint64) {
	begin := environment.Now()
	for id := range k.size {
		row[id/64] |= 1 << (id % 64)
	}
	for environment.Now()-begin < knownMask {
	}
}

func (knownState) Commit(int) error          { return nil }
func (k knownState) Clone() algorithms.State { return k }

// largeEngines are requests with a grammar each, how an engine of so many bytes is made, and the
// number of those that are still held.
func largeEngines(n int) (requests []load.Request, large func(bytes int) algorithms.Engine, alive *atomic.Int64) {
	type engine struct {
		known
		memory []byte
	}
	for g := range n {
		requests = append(requests, load.Request{Grammar: g, Tokens: []int32{1, 2}, Check: -1})
	}
	alive = new(atomic.Int64)
	return requests, func(bytes int) algorithms.Engine {
		e := &engine{known{64}, make([]byte, bytes)}
		alive.Add(1)
		runtime.AddCleanup(e, func(struct{}) { alive.Add(-1) }, struct{}{})
		return e
	}, alive
}

// TestCacheHoldsHeap: engines that hold a thousand times what they say leave the cache when the
// heap has outgrown it.
func TestCacheHoldsHeap(t *testing.T) {
	seed.Usual(t)
	const size, limit, n = 1 << 20, 16 << 20, 120
	requests, large, alive := largeEngines(n)
	l := &load.Loop{
		Settings: load.Settings{Server: config.Server{Batch: 1, Masks: config.Overlapped, CompileThreads: 1, MaskThreads: 1, CacheBytes: limit}, Streams: 1, EndNS: 1e12, Needed: n, StepNS: []float64{1e6}, SlackNS: []float64{0}},
		Requests: requests, Size: 64,
		Compile: func(_ context.Context, grammar int) (*load.Compiled, error) {
			e := large(size)
			if grammar%10 == 9 {
				runtime.GC()
				time.Sleep(150 * time.Millisecond) // the watcher looks every 50 ms
			}
			return &load.Compiled{Engine: e, Bytes: func() int64 { return size / 1000 }}, nil
		},
	}
	ledger := must.Get(l.Run(t.Context()))(t)
	runtime.GC()
	if now := alive.Load(); now > 3*limit/size || ledger.Evicted == 0 {
		t.Errorf("%d engines of %d bytes are left, and %d have gone, in a cache of %d bytes", now, size, ledger.Evicted, limit)
	}
}

// TestGOGC: a load collects garbage as its configuration says, on no more threads than there are
// cores, and leaves the process as it was.
func TestGOGC(t *testing.T) {
	requests, large, _ := largeEngines(1)
	percent := func() int {
		now := debug.SetGCPercent(-1)
		debug.SetGCPercent(now)
		return now
	}
	before, threads := percent(), runtime.GOMAXPROCS(0)
	l := &load.Loop{
		Settings: load.Settings{Server: config.Server{Batch: 1, Masks: config.Overlapped, CompileThreads: 1, MaskThreads: 1, GOGC: before + 7}, EndNS: 1e12, Needed: 1, StepNS: []float64{1e6}, SlackNS: []float64{0}},
		Requests: requests, Size: 64,
		Compile: func(context.Context, int) (*load.Compiled, error) {
			if now := percent(); now != before+7 {
				t.Errorf("GOGC is %d while a load is served, want %d", now, before+7)
			}
			if now := runtime.GOMAXPROCS(0); now != runtime.NumCPU() {
				t.Errorf("%d threads on %d cores", now, runtime.NumCPU())
			}
			return &load.Compiled{Engine: large(64), Bytes: func() int64 { return 64 }}, nil
		},
	}
	must.Get(l.Run(t.Context()))(t)
	if percent() != before || runtime.GOMAXPROCS(0) != threads {
		t.Errorf("a load leaves GOGC at %d and %d threads, before %d and %d", percent(), runtime.GOMAXPROCS(0), before, threads)
	}
}

// TestQueueLetsGo: requests that have ended hold no engine, though all of them came at once and
// waited in one queue, whose array stays.
func TestQueueLetsGo(t *testing.T) {
	const n = 64
	requests, large, alive := largeEngines(n)
	l := &load.Loop{
		Settings: load.Settings{Server: config.Server{Batch: 1, Masks: config.Overlapped, CompileThreads: 1, MaskThreads: 1}, EndNS: 1e12, Needed: n, StepNS: []float64{1e6}, SlackNS: []float64{0}},
		Requests: requests, Size: 64,
		Compile: func(context.Context, int) (*load.Compiled, error) {
			e := large(1 << 16)
			return &load.Compiled{Engine: e, Bytes: func() int64 { return 1 << 16 }}, nil
		},
	}
	must.Get(l.Run(t.Context()))(t)
	for range 100 { // cleanups run some time after a collection
		if runtime.GC(); alive.Load() <= n/8 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if now := alive.Load(); now > n/8 {
		t.Errorf("%d of %d engines are held", now, n)
	}
	runtime.KeepAlive(l)
}

// waiting is known, whose masks or idle pieces wait for something.
type waiting struct {
	known
	wait         func() error
	masks, idles bool
}

func (w waiting) Start() algorithms.State { return waitingState{knownState{w.known}, w} }

type waitingState struct {
	knownState
	of waiting
}

func (w waitingState) Fill(row []uint64) {
	if w.knownState.Fill(row); w.of.masks && w.of.wait() != nil {
		clear(row)
	}
}

func (w waitingState) Idle() (more bool) {
	if w.of.idles && w.of.wait() != nil {
		panic("nobody passed")
	}
	return false
}

// TestLetPass: a compile, a mask or a piece built while the model computes that ends after those
// that come behind it keeps none of them waiting. As many as may go on so do, and a further one has
// the others wait.
func TestLetPass(t *testing.T) {
	seed.Usual(t)
	for _, what := range seed.Some(t, []string{"compile", "mask", "idle"}, 3, 1, 1) {
		for _, c := range []struct {
			yield   time.Duration
			blocked int // requests that end when the last one has begun, or after a second
			ends    bool
		}{{time.Millisecond, 2, true}, {time.Millisecond, 3, false}, {0, 1, false}} {
			letPass(t, what, c.yield, c.blocked, c.ends)
		}
	}
}

func letPass(t *testing.T, what string, yield time.Duration, blocked int, ends bool) {
	t.Helper()
	var requests []load.Request
	for g := range blocked + 3 {
		requests = append(requests, load.Request{Grammar: g, Tokens: []int32{1, 2}, Check: -1})
	}
	requests[len(requests)-1].AtNS = (20 * time.Millisecond).Nanoseconds()
	last := make(chan struct{})
	var once sync.Once
	wait := func() error {
		select {
		case <-last:
			return nil
		case <-time.After(time.Second):
			return errors.New("nobody passed")
		}
	}
	l := &load.Loop{
		Settings: load.Settings{Server: config.Server{Batch: 4, Masks: config.Overlapped, CompileThreads: 1, MaskThreads: 1, YieldNS: yield.Nanoseconds()},
			EndNS: 3e11, Needed: len(requests), StepNS: []float64{4e6, 4e6, 4e6, 4e6}, SlackNS: make([]float64, 4)},
		Requests: requests, Size: 64,
		Compile: func(_ context.Context, grammar int) (*load.Compiled, error) {
			made := &load.Compiled{Engine: known{64}, Bytes: func() int64 { return 4 }}
			switch {
			case grammar == len(requests)-1 && what == "compile":
				close(last)
			case grammar == len(requests)-1:
				made.Engine = waiting{known{64}, func() error { once.Do(func() { close(last) }); return nil }, true, false}
			case grammar < blocked && what == "compile":
				return made, wait()
			case grammar < blocked:
				made.Engine = waiting{known{64}, wait, what == "mask", what == "idle"}
			}
			return made, nil
		},
	}
	ledger, err := l.Run(t.Context())
	if !ends && what == "idle" {
		if err == nil {
			t.Errorf("of %d pieces that wait, yielding after %v, none was waited for", blocked, yield)
		}
		return
	}
	must.OK(t, err)
	failed := 0
	for g := range requests {
		served := &ledger.Requests[g]
		switch {
		case served.Outcome == load.OK:
		case g < blocked:
			failed++
		default:
			t.Errorf("%s: %d, for which nobody waits, is %s: %s", what, g, served.Outcome, served.Detail)
		}
	}
	if (failed == 0) != ends {
		t.Errorf("%s: %d of %d that wait for the last one have failed, yielding after %v", what, failed, blocked, yield)
	}
}

// TestPrompts: a prompt of 10 tokens is read in two steps of 6, beside the generation itself.
func TestPrompts(t *testing.T) {
	l := &load.Loop{
		Settings: load.Settings{Server: config.Server{Batch: 1, StepTokens: 6, Masks: config.Overlapped, MaskThreads: 1}, EndNS: 1e12, Needed: 1,
			StepNS: []float64{1e6}, SlackNS: []float64{0}, Prompt: 10, PrefillNS: 2e6, None: true},
		Requests: []load.Request{{Tokens: []int32{1, 2, 3}}},
	}
	ledger := must.Get(l.Run(t.Context()))(t)
	var live []int64
	for _, s := range ledger.Steps {
		live = append(live, s[1])
	}
	if !slices.Equal(live, []int64{0, 1, 1, 1}) || ledger.Requests[0].ModelNS != 4e6 {
		t.Errorf("generations of the steps: %d; the first token after %d ns", live, ledger.Requests[0].ModelNS)
	}
}

// bothLoops serve the same requests with the known engine, here and in Python.
type bothLoops struct {
	t        *testing.T
	v        *tokenizers.Vocabulary
	outside  algorithms.Server
	options  algorithms.Options
	settings load.Settings
	limits   load.Limits
	whole    bool // loads are not cut short
}

func newBothLoops(t *testing.T) *bothLoops {
	outside := must.Get(algorithms.Lookup("outside"))(t)
	adapter := must.Get(filepath.Abs("python/known_engine.py"))(t)
	tok := must.Get(tokenizers.Load(t.Context(), "r50k_base[:300]", tokenizers.Options{}))(t)
	b := &bothLoops{t: t, v: tok.Vocabulary(), outside: outside.(algorithms.Server)}
	b.options = algorithms.Options{"command": must.Python(t, "numpy") + " -B " + adapter, "options": fmt.Sprintf("wait_ns=%d,compile_ns=%d", knownMask.Nanoseconds(), knownCompile.Nanoseconds())}
	b.settings = load.Settings{Prompt: 10, PrefillNS: 1e6, Server: config.Server{Batch: 4, StepTokens: 12, Masks: config.After, CompileThreads: 1, MaskThreads: 1, CacheBytes: 1 << 20, Warm: true}}
	b.limits = load.Limits{TTFTNS: 100e6, ITLNS: 1e9, Share: 0.9}
	for range b.settings.Batch {
		b.settings.StepNS, b.settings.SlackNS = append(b.settings.StepNS, 4e6), append(b.settings.SlackNS, 0)
	}
	return b
}

// serve serves requests at a rate for a second or two, each with a grammar of its own.
func (b *bothLoops) serve(rate float64, inPython bool) *load.Figures {
	b.t.Helper()
	var c load.Corpus
	for range 400 {
		c.Documents = append(c.Documents, [][]int32{{1, 2, 3, 4, 5, 6, 7, 8}})
	}
	settings := b.settings
	w := load.Window{From: 3e8, To: 18e8}
	requests := load.Draw{Seed: 3, N: int(2 * rate), Rate: rate, Unseen: 1}.Requests(&c)
	for settings.Needed < len(requests) && requests[settings.Needed].AtNS < w.To {
		settings.Needed++
	}
	settings.EndNS = w.To + 1e9
	settings.TTFTNS, settings.ITLNS = b.limits.TTFTNS, b.limits.ITLNS
	if !b.whole {
		settings.Warmup, settings.EnoughLost = b.limits.EnoughLost(requests, settings.Needed, w)
	}
	ledger := new(load.Ledger)
	var err error
	if inPython {
		var problems []*algorithms.Problem
		for range c.Documents {
			problems = append(problems, &algorithms.Problem{Vocabulary: b.v, Source: &algorithms.Source{Kind: algorithms.KindSchema, Text: []byte("true")}})
		}
		job := &algorithms.Job{Settings: settings, Ledger: ledger}
		for i := range requests {
			job.Requests = append(job.Requests, &requests[i])
		}
		err = b.outside.Serve(b.t.Context(), problems, b.options, job)
	} else {
		l := &load.Loop{Settings: settings, Requests: requests, Size: b.v.Len(), Compile: func(context.Context, int) (*load.Compiled, error) {
			time.Sleep(knownCompile)
			return &load.Compiled{Engine: known{b.v.Len()}, Bytes: func() int64 { return 4 }}, nil
		}}
		ledger, err = l.Run(b.t.Context())
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return load.Summarize(ledger, requests, w, &b.limits)
}

// capacity is what a search finds.
func (b *bothLoops) capacity(inPython bool) float64 {
	bound := load.Bound(&b.settings, 8)
	found, err := load.Search(bound, 0.7*bound, 0.05, func(rate float64) (bool, error) {
		return b.limits.Keeps(b.serve(rate, inPython)), nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// quiet tells whether the machine lets a loop have its time: the step of the known engine takes
// what it must, in the median of one generation.
func (b *bothLoops) quiet() bool {
	f := b.serve(5, false)
	return f.ITL.N > 0 && math.Abs(f.ITL.P50/(b.settings.StepNS[0]+float64(knownMask))-1) < 0.03 && f.ITL.P90 < 1.1*f.ITL.P50
}

// TestCutShort: both loops end a load that cannot keep the limits any more, and no other.
func TestCutShort(t *testing.T) {
	b := newBothLoops(t)
	for _, c := range []struct {
		ttft  int64
		whole bool
		cut   bool
	}{{1, false, true}, {1, true, false}, {1e10, false, false}} {
		for _, inPython := range []bool{false, true} {
			b.limits.TTFTNS, b.whole = c.ttft, c.whole
			f := b.serve(20, inPython)
			if f.Cut != c.cut || (f.Unfinished > 0 || f.Requests < 20) != c.cut || b.limits.Keeps(f) != (c.ttft > 1) {
				t.Errorf("in Python %v, a first token within %d ns, the whole load %v: cut short %v, %d of %d requests unfinished, %v of them good", inPython, c.ttft, c.whole, f.Cut, f.Unfinished, f.Requests, f.GoodShare)
			}
		}
	}
}

// TestBothLoops: the loop here and the one in Python find a known engine alike: a compile of 5 ms
// and masks of 50 us. On a machine that is busy otherwise nothing is to be found.
func TestBothLoops(t *testing.T) {
	seed.Usual(t) // takes a minute
	b := newBothLoops(t)
	const attempts = 3
	for attempt := 1; ; attempt++ {
		here, there := b.serve(20, false), b.serve(20, true)
		pairs := map[string][2]float64{"TTFT p50": {here.TTFT.P50, there.TTFT.P50}, "ITL p50": {here.ITL.P50, there.ITL.P50}, "requests served": {float64(here.OK), float64(there.OK)}}
		if attempt < attempts || b.quiet() {
			pairs["capacity"] = [2]float64{b.capacity(false), b.capacity(true)}
		}
		wrong := ""
		for what, p := range pairs {
			t.Logf("%s: %.4g here, %.4g in Python", what, p[0], p[1])
			if !(math.Abs(p[0]/p[1]-1) <= 0.1) {
				wrong += fmt.Sprintf("%s: %.4g here, %.4g in Python; ", what, p[0], p[1])
			}
		}
		switch {
		case wrong == "":
			return
		case attempt < attempts:
		case !b.quiet():
			t.Skip("this machine is busy: " + wrong)
		default:
			t.Fatal(wrong)
		}
	}
}
