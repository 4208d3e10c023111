package harness

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
)

// TestWalksAgree: a walk that is timed and one that is not find the same, and need not be asked
// everywhere.
func TestWalksAgree(t *testing.T) {
	w := newWorld(t)
	g := prepareWorld(t, w)
	trie := must.Get(algorithms.Lookup("trie"))(t)
	engine := must.Get(trie.Compile(t.Context(), g.Units[0].SharedProblem, nil))(t)
	walker := measure.NewWalker(g.LoadedTokenizer.Vocabulary().Len(), true, environment.Clock{})
	for _, s := range g.Documents {
		s.Choose(3, rand.New(rand.NewPCG(1, 1)))
		full := ask.Proof{Positions: s.Every}
		part := ask.Proof{Positions: s.Some}
		for _, p := range []*ask.Proof{&full, &part} {
			if err := p.Prove(t.Context(), walker, engine, s); err != nil || p.Contradiction != "" {
				t.Fatalf("%s: %+v, %v", s.ID, p, err)
			}
		}
		for i, hash := range part.Hashes {
			if want, ok := full.HashAt(int(s.Some[i])); !ok || hash != want {
				t.Errorf("%s: asked at %v, another mask at %d", s.ID, s.Some, s.Some[i])
			}
		}
		if full.Refused != s.Negative || part.Refused != s.Negative || part.RefusedAt != full.RefusedAt {
			t.Errorf("%s: refused %v at %d, and %v at %d", s.ID, full.Refused, full.RefusedAt, part.Refused, part.RefusedAt)
		}
		var times measure.Times
		err := walker.Time(t.Context(), engine, &measure.Document{Tokens: s.Tokens}, &times)
		var refused *measure.RefusedError
		if errors.As(err, &refused) != s.Negative || refused != nil && refused.Position != full.RefusedAt || err == nil && len(times.Mask) != len(full.Hashes) {
			t.Errorf("%s: timed, %v, %d masks; want %+v", s.ID, err, len(times.Mask), full)
		}
	}
}

func TestGuard(t *testing.T) { inBubble(t, guarded) }

func guarded(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	g := func() *bounds.Guard {
		return &bounds.Guard{Timeout: 50 * time.Millisecond, Memory: 1 << 40, Every: time.Millisecond, Grace: 20 * time.Millisecond, Abandoned: new(bounds.Abandoned)}
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
		err := g().Call(context.Background(), c.what, c.f)
		var f *bounds.Failure
		if errors.As(err, &f) != (c.want != "") || f != nil && (f.Outcome != c.want || f.Abandoned != c.abandoned || f.Detail == "") {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if err := g().Call(ctx, "never", func(ctx context.Context) error { <-never; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	small := g()
	small.Memory, small.Timeout = 1, time.Second
	var f *bounds.Failure
	if err := small.Call(context.Background(), "small", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }); !errors.As(err, &f) || f.Outcome != cell.OutOfMemory {
		t.Errorf("a full heap: %v", err)
	}
}

// TestGuardElsewhere: an operation in another process has nothing to do with the heap of this one,
// and what died at a limit of memory here did not die by itself.
func TestGuardElsewhere(t *testing.T) { inBubble(t, guardedElsewhere) }

func guardedElsewhere(t *testing.T) {
	ballast := make([]byte, 32<<20)
	defer runtime.KeepAlive(ballast)
	g := &bounds.Guard{Timeout: time.Second, Memory: measure.Heap() / 5 * 4, Every: time.Millisecond, Grace: 20 * time.Millisecond, Abandoned: new(bounds.Abandoned)}
	took := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
			return nil
		}
	}
	var f *bounds.Failure
	if err := g.Call(context.Background(), "here", took); err != nil {
		if !errors.As(err, &f) || f.Outcome != cell.OutOfMemory {
			t.Errorf("beyond the limit: %v", err)
		}
	} else {
		t.Error("a heap beyond the limit was not noticed")
	}
	from := prepare.Of(g, &prepare.Entry{Maker: &guest{}})
	if err := from.Call(context.Background(), "elsewhere", took); err != nil || g.Elsewhere {
		t.Errorf("in another process: %v", err)
	}
	if err := prepare.Of(g, &prepare.Entry{Maker: &wrong{}}).Call(context.Background(), "here", took); err == nil {
		t.Error("one of ours was not watched")
	}
	dies := func(ctx context.Context) error {
		<-ctx.Done()
		return &algorithms.ProcessError{Engine: "x", Outcome: "timeout", Detail: "killed"}
	}
	if err := g.Call(context.Background(), "dies", dies); !errors.As(err, &f) || f.Outcome != cell.OutOfMemory {
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
		if f.Outcome != want.outcome || !strings.Contains(f.Detail, want.detail) {
			t.Errorf("%q: %s, %q", words, f.Outcome, f.Detail)
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
	names := prepare.Known()
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
	names := prepare.Known()
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".yaml") {
			continue
		}
		if _, err := config.Load("../configs/"+f.Name(), names); err != nil {
			t.Errorf("%v", err)
		}
	}
}
