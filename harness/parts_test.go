package harness

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
)

func TestChoosePositions(t *testing.T) {
	reader, other := &entry{Algorithm: config.Algorithm{Name: naive}}, &entry{Algorithm: config.Algorithm{Name: "trie"}}
	for _, length := range []int{1, 2, 10, 100} {
		for _, n := range []int{1, 2, 7, 99, 100, 200} {
			s := &document{tokens: make([]int32, length)}
			s.choose(n, rand.New(rand.NewPCG(1, 1)))
			some, every := s.positionsOf(reader), s.positionsOf(other)
			if want := min(n, length); len(some) != want {
				t.Errorf("%d of %d: %d positions", n, length, len(some))
			}
			if !slices.IsSorted(some) || len(slices.Compact(slices.Clone(some))) != len(some) {
				t.Errorf("%d of %d: %v", n, length, some)
			}
			if some[len(some)-1] != uint32(length-1) {
				t.Errorf("%d of %d: the end is not masked", n, length)
			}
			if len(every) != length || !slices.IsSorted(every) || every[0] != 0 || every[length-1] != uint32(length-1) {
				t.Errorf("%d of %d: others than naive are asked at %v", n, length, every)
			}
		}
	}
}

// TestPasses: the first visit is timed, the second one is compared if it is no timed one, and
// blocks come last, with the audit of an engine from outside behind them.
func TestPasses(t *testing.T) {
	const f, c, w, a, b, d = firstPass, comparedPass, warmupPass, againPass, checkPass, auditPass
	for _, x := range []struct {
		warmup, repeat int
		want           []passKind
	}{
		{0, 1, []passKind{f, a, c, b, d}},
		{0, 3, []passKind{f, a, a, a, c, b, d}},
		{1, 2, []passKind{f, c, a, a, b, d}},
		{3, 1, []passKind{f, c, w, w, a, b, d}},
	} {
		if got := passes(x.warmup, x.repeat); !slices.Equal(got, x.want) {
			t.Errorf("warmup %d, repeat %d: %v, want %v", x.warmup, x.repeat, got, x.want)
		}
	}
}

// TestAgain: a grammar is compiled as often as the configuration says, or five times unless that
// takes long.
func TestAgain(t *testing.T) {
	for _, x := range []struct {
		times int
		took  time.Duration
		want  int
	}{{0, 9 * time.Second, 5}, {0, 11 * time.Second, 1}, {3, time.Hour, 3}, {1, 0, 1}, {9, 0, 9}} {
		done := 0
		for took := time.Duration(0); again(x.times, done, took); done++ {
			took = x.took
		}
		if done != x.want {
			t.Errorf("compiles: %d, %v each: compiled %d times, want %d", x.times, x.took, done, x.want)
		}
	}
}

// TestWalksAgree: a walk that is timed and one that is not find the same, and need not be asked
// everywhere.
func TestWalksAgree(t *testing.T) {
	w := newWorld(t)
	g := prepareWorld(t, w)
	trie := must.Get(algorithms.Lookup("trie"))(t)
	engine := must.Get(trie.Compile(t.Context(), g.units[0].problem, nil))(t)
	walker := measure.NewWalker(g.tokenizer.Vocabulary().Len(), true, environment.Clock{})
	for _, s := range g.documents {
		s.choose(3, rand.New(rand.NewPCG(1, 1)))
		full := proof{positions: s.every}
		part := proof{positions: s.some}
		for _, p := range []*proof{&full, &part} {
			if err := p.prove(t.Context(), walker, engine, s); err != nil || p.Contradiction != "" {
				t.Fatalf("%s: %+v, %v", s.id, p, err)
			}
		}
		for i, hash := range part.Hashes {
			if want, ok := full.hashAt(int(s.some[i])); !ok || hash != want {
				t.Errorf("%s: asked at %v, another mask at %d", s.id, s.some, s.some[i])
			}
		}
		if full.Refused != s.negative || part.Refused != s.negative || part.RefusedAt != full.RefusedAt {
			t.Errorf("%s: refused %v at %d, and %v at %d", s.id, full.Refused, full.RefusedAt, part.Refused, part.RefusedAt)
		}
		var times measure.Times
		err := walker.Time(t.Context(), engine, &measure.Document{Tokens: s.tokens}, &times)
		var refused *measure.RefusedError
		if errors.As(err, &refused) != s.negative || refused != nil && refused.Position != full.RefusedAt || err == nil && len(times.Mask) != len(full.Hashes) {
			t.Errorf("%s: timed, %v, %d masks; want %+v", s.id, err, len(times.Mask), full)
		}
	}
}

func TestCompare(t *testing.T) {
	s, asked := &document{id: "x", tokens: make([]int32, 6)}, []uint32{0, 2, 5}
	full := []uint64{1, 2, 3}
	cases := []struct {
		what     string
		p        measure.Proof
		ref      answers
		compared int
		at       int // of the difference; -1 for none
		masked   bool
	}{
		{"equal", measure.Proof{Hashes: full}, answers{hashes: full}, 3, -1, false},
		{"equal, both refuse", measure.Proof{Hashes: full[:2], Refused: true, RefusedAt: 2}, answers{hashes: full[:2], refused: true, refusedAt: 2}, 2, -1, false},
		{"another mask", measure.Proof{Hashes: []uint64{1, 9, 3}}, answers{hashes: full}, 1, 2, true},
		{"refuses early", measure.Proof{Hashes: full[:1], Refused: true, RefusedAt: 1}, answers{hashes: full}, 1, 1, false},
		{"refuses late", measure.Proof{Hashes: full}, answers{hashes: full[:1], refused: true, refusedAt: 1}, 1, 1, false},
		{"refuses at another place", measure.Proof{Hashes: full[:1], Refused: true, RefusedAt: 1}, answers{hashes: full[:2], refused: true, refusedAt: 3}, 1, 1, false},
		{"the mask comes before the refusal", measure.Proof{Hashes: []uint64{9}, Refused: true, RefusedAt: 1}, answers{hashes: full}, 0, 0, true},
		{"asked elsewhere, too", measure.Proof{Hashes: full}, answers{positions: []uint32{1, 2, 4, 5}, hashes: []uint64{9, 2, 9, 3}}, 2, -1, false},
		{"another mask where both were asked", measure.Proof{Hashes: full}, answers{positions: []uint32{1, 5}, hashes: []uint64{9, 2}}, 0, 5, true},
	}
	for _, c := range cases {
		if c.ref.positions == nil {
			c.ref.positions = asked
		}
		compared, diff := compare(s, &proof{c.p, asked}, &c.ref, make([]bool, len(c.p.Hashes)))
		at, masked := -1, false
		if diff != nil {
			at, masked = diff.position, diff.masked
		}
		if compared != c.compared || at != c.at || masked != c.masked {
			t.Errorf("%s: %d compared, difference at %d (mask %v); want %d, %d (%v)", c.what, compared, at, masked, c.compared, c.at, c.masked)
		}
	}
}

func TestGuard(t *testing.T) { inBubble(t, guarded) }

func guarded(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	g := func() *guard {
		return &guard{timeout: 50 * time.Millisecond, memory: 1 << 40, every: time.Millisecond, grace: 20 * time.Millisecond, abandoned: new(abandoned)}
	}
	cases := []struct {
		what      string
		f         func(ctx context.Context) error
		want      cell.Outcome // "" for none
		abandoned bool
	}{
		{"fine", func(context.Context) error { return nil }, "", false},
		{"an error", func(context.Context) error { return errors.New("no") }, cell.CompileError, false},
		{"unsupported, wrapped", func(context.Context) error { return errors.Join(&algorithms.UnsupportedError{Reason: "no"}) }, cell.Unsupported, false},
		{"a panic", func(context.Context) error { panic(7) }, cell.Crash, false},
		//lint:ignore SA5000 the fault
		{"a nil map", func(context.Context) error { var m map[int]int; m[1] = 1; return nil }, cell.Crash, false},
		{"listens", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, cell.Timeout, false},
		{"does not listen", func(context.Context) error { <-never; return nil }, cell.Timeout, true},
	}
	for _, c := range cases {
		err := g().call(context.Background(), c.what, c.f)
		var f *failure
		if errors.As(err, &f) != (c.want != "") || f != nil && (f.outcome != c.want || f.abandoned != c.abandoned || f.detail == "") {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if err := g().call(ctx, "never", func(ctx context.Context) error { <-never; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	small := g()
	small.memory, small.timeout = 1, time.Second
	var f *failure
	if err := small.call(context.Background(), "small", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }); !errors.As(err, &f) || f.outcome != cell.OutOfMemory {
		t.Errorf("a full heap: %v", err)
	}
}

// TestGuardElsewhere: an operation in another process has nothing to do with the heap of this one,
// and what died at a limit of memory here did not die by itself.
func TestGuardElsewhere(t *testing.T) { inBubble(t, guardedElsewhere) }

func guardedElsewhere(t *testing.T) {
	ballast := make([]byte, 32<<20)
	defer runtime.KeepAlive(ballast)
	g := &guard{timeout: time.Second, memory: measure.Heap() / 5 * 4, every: time.Millisecond, grace: 20 * time.Millisecond, abandoned: new(abandoned)}
	took := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
			return nil
		}
	}
	var f *failure
	if err := g.call(context.Background(), "here", took); err != nil {
		if !errors.As(err, &f) || f.outcome != cell.OutOfMemory {
			t.Errorf("beyond the limit: %v", err)
		}
	} else {
		t.Error("a heap beyond the limit was not noticed")
	}
	from := g.of(&entry{algorithm: &guest{}})
	if err := from.call(context.Background(), "elsewhere", took); err != nil || g.elsewhere {
		t.Errorf("in another process: %v", err)
	}
	if err := g.of(&entry{algorithm: &wrong{}}).call(context.Background(), "here", took); err == nil {
		t.Error("one of ours was not watched")
	}
	dies := func(ctx context.Context) error {
		<-ctx.Done()
		return &algorithms.ProcessError{Engine: "x", Outcome: "timeout", Detail: "killed"}
	}
	if err := g.call(context.Background(), "dies", dies); !errors.As(err, &f) || f.outcome != cell.OutOfMemory {
		t.Errorf("killed at the limit of this heap: %v", err)
	}
}

func TestCauseOfDeath(t *testing.T) {
	cases := map[string]struct {
		outcome cell.Outcome
		detail  string
	}{
		"\nruntime stack:\nruntime.throw({0x1, 0x2})\nruntime.newstack()\n\ngoroutine 7 [running]:\nx":                      {cell.Crash, "stack overflow"},
		"\nruntime stack:\nruntime.throw\nruntime.(*mheap).sysAlloc()\n\ngoroutine 7 [running]:\nx":                         {cell.OutOfMemory, "no more memory"},
		"\ngoroutine 7 [running]:\nruntime.mapassign()\nruntime.(*mheap).alloc":                                             {cell.Crash, "fatal error"},
		"panic: in a goroutine of the engine's own\n\ngoroutine 9 [running]:\ngcdbench/algorithms/psc.(*builder).work(...)": {cell.Crash, "panic: in a goroutine"},
	}
	const kernels = "SIGSEGV: segmentation violation\nPC=0x48d49e m=0 sigcode=1 addr=0x8\n\ngoroutine 1 [running]:\n"
	cases[kernels] = cases["\ngoroutine 7 [running]:\nruntime.mapassign()\nruntime.(*mheap).alloc"]
	for words, want := range cases {
		f := causeOfDeath(words)
		if f.outcome != want.outcome || !strings.Contains(f.detail, want.detail) {
			t.Errorf("%q: %s, %q", words, f.outcome, f.detail)
		}
	}
	// By kill, sigqueue and tgkill, the last two also as the runtime prints an int32 that is
	// unsigned, or longer.
	for _, code := range []string{"0", "-1", "-6", "4294967290", "18446744073709551610"} {
		if f := causeOfDeath(strings.Replace(kernels, "sigcode=1", "sigcode="+code, 1)); f != nil {
			t.Errorf("code %s, which a process sent: %+v", code, f)
		}
	}
}

func TestKnown(t *testing.T) {
	names := Known()
	if _, ok := names.Algorithms["naive"]; !ok || !slices.Contains(names.Tokenizers, "o200k_base") || len(names.Grammars) == 0 || len(names.Datasets) == 0 {
		t.Errorf("%+v", names)
	}
	if !slices.Equal(names.SchemaDatasets, datasets.SchemaNames()) {
		t.Errorf("schema corpora %v", names.SchemaDatasets)
	}
}

// TestShippedConfigs: every name in the configurations we ship is known.
func TestShippedConfigs(t *testing.T) {
	files := must.Get(os.ReadDir("../configs"))(t)
	names := Known()
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".yaml") {
			continue
		}
		if _, err := config.Load("../configs/"+f.Name(), names); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func TestReferenceFirst(t *testing.T) {
	var list []*entry
	for _, name := range []string{"a", "naive", "b", "naive"} {
		list = append(list, &entry{Algorithm: config.Algorithm{Name: name}})
	}
	var got []string
	for _, e := range referenceFirst(list) {
		got = append(got, e.Name)
	}
	if !reflect.DeepEqual(got, []string{"naive", "naive", "a", "b"}) {
		t.Errorf("%v", got)
	}
}
