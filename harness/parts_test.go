package harness

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
)

func TestChoosePositions(t *testing.T) {
	for _, length := range []int{1, 2, 10, 100} {
		for _, n := range []int{1, 2, 7, 99, 100, 200} {
			s := &script{tokens: make([]int32, length)}
			s.choose(n, rand.New(rand.NewPCG(1, 1)))
			if want := min(n, length); len(s.positions) != want {
				t.Errorf("%d of %d: %d positions", n, length, len(s.positions))
			}
			if !slices.IsSorted(s.positions) || len(slices.Compact(slices.Clone(s.positions))) != len(s.positions) {
				t.Errorf("%d of %d: %v", n, length, s.positions)
			}
			if s.positions[len(s.positions)-1] != uint32(length-1) {
				t.Errorf("%d of %d: the end is not masked", n, length)
			}
			masked := 0
			for i, m := range s.masked {
				if m != slices.Contains(s.positions, uint32(i)) {
					t.Errorf("%d of %d: position %d", n, length, i)
				}
				masked += boolToInt(m)
			}
			if masked != len(s.positions) {
				t.Errorf("%d of %d: %d masked", n, length, masked)
			}
		}
	}
}

func TestNextMode(t *testing.T) {
	clock := environment.Clock{PairNS: 50} // batches below 1000 ns
	cases := []struct {
		what         string
		mask, commit []uint32
		want         mode
	}{
		{"nothing before", nil, nil, mode{timed: true, lanes: 1, commitClones: 1}},
		{"slow", []uint32{5000, 5000, 10}, []uint32{5000, 5000, 10}, mode{timed: true, lanes: 1, commitClones: 1}},
		{"at the limit", []uint32{1000}, []uint32{1000}, mode{timed: true, lanes: 1, commitClones: 1}},
		{"fast masks", []uint32{200, 200, 90000}, []uint32{10, 10, 10}, mode{timed: true, lanes: 5, commitClones: 1}},
		{"very fast masks", []uint32{3}, []uint32{3}, mode{timed: true, lanes: maxLanes, commitClones: 1}},
		{"zero", []uint32{0}, []uint32{0}, mode{timed: true, lanes: maxLanes, commitClones: 1}},
		{"fast commits", []uint32{90000}, []uint32{250}, mode{timed: true, lanes: 1, commitClones: 4}},
		{"very fast commits", []uint32{90000}, []uint32{2}, mode{timed: true, lanes: 1, commitClones: maxClones}},
	}
	for _, c := range cases {
		if got := nextMode(&pass{mask: c.mask, commit: c.commit}, clock); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
	if got := nextMode(nil, clock); got.lanes != 1 {
		t.Errorf("without a pass: %+v", got)
	}
}

// TestLanesAgree: however a pass is timed, it finds the same.
func TestLanesAgree(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	cfg := w.config(t, "trie", "")
	list, err := entries(cfg, &opt)
	if err != nil {
		t.Fatal(err)
	}
	err = newLoader(cfg, &opt).eachGroup(context.Background(), func(g *prepared, _, _ int) error {
		engine, err := list[0].algorithm.Compile(context.Background(), g.units[0].problem, nil)
		if err != nil {
			return err
		}
		for _, s := range g.scripts {
			var first *pass
			for _, m := range []mode{{lanes: 1}, {timed: true, lanes: 1, commitClones: 1}, {timed: true, lanes: 7, commitClones: 1}, {timed: true, lanes: 1, commitClones: 5, clones: true}} {
				p := new(pass)
				walker := walker{engine: engine, collect: new(collector)}
				if err := walker.walk(context.Background(), s, m, p); err != nil {
					return err
				}
				if first == nil {
					first = p
				}
				if !slices.Equal(p.hashes, first.hashes) || p.refused != first.refused || p.refusedAt != first.refusedAt || p.contradiction != "" {
					t.Errorf("%s, %+v: %+v, want %+v", s.id, m, p, first)
				}
				if m.timed && (len(p.mask) != len(p.hashes) || p.refused != s.negative || !p.refused && len(p.commit) != len(p.mask)) {
					t.Errorf("%s, %+v: %d masks, %d commits, %d hashes", s.id, m, len(p.mask), len(p.commit), len(p.hashes))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCompare(t *testing.T) {
	s := &script{id: "x", tokens: make([]int32, 6), positions: []uint32{0, 2, 5}}
	full := []uint64{1, 2, 3}
	cases := []struct {
		what     string
		p        pass
		ref      answers
		compared int
		at       int // of the difference; -1 for none
		masked   bool
	}{
		{"equal", pass{hashes: full}, answers{hashes: full}, 3, -1, false},
		{"equal, both refuse", pass{hashes: full[:2], refused: true, refusedAt: 2}, answers{hashes: full[:2], refused: true, refusedAt: 2}, 2, -1, false},
		{"another mask", pass{hashes: []uint64{1, 9, 3}}, answers{hashes: full}, 1, 2, true},
		{"refuses early", pass{hashes: full[:1], refused: true, refusedAt: 1}, answers{hashes: full}, 1, 1, false},
		{"refuses late", pass{hashes: full}, answers{hashes: full[:1], refused: true, refusedAt: 1}, 1, 1, false},
		{"refuses at another place", pass{hashes: full[:1], refused: true, refusedAt: 1}, answers{hashes: full[:2], refused: true, refusedAt: 3}, 1, 1, false},
		{"the mask comes before the refusal", pass{hashes: []uint64{9}, refused: true, refusedAt: 1}, answers{hashes: full}, 0, 0, true},
	}
	for _, c := range cases {
		compared, diff := compare(s, &c.p, &c.ref)
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
		return &guard{timeout: 50 * time.Millisecond, memory: 1 << 40, every: time.Millisecond, grace: 20 * time.Millisecond, behind: new(leftBehind)}
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
	for words, want := range cases {
		f := causeOfDeath(words)
		if f.outcome != want.outcome || !strings.Contains(f.detail, want.detail) {
			t.Errorf("%q: %s, %q", words, f.outcome, f.detail)
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
	files, err := os.ReadDir("../configs")
	if err != nil {
		t.Fatal(err)
	}
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
