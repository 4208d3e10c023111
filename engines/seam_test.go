package engines

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestAnsweredFailure: a process that answers that it has crashed, is out of memory or out of time
// is not asked again; one that cannot do what it was asked lives on.
func TestAnsweredFailure(t *testing.T) {
	for fault, lives := range map[string]bool{
		"walk:crash": false, "walk:out-of-memory": false, "walk:timeout": false, "walk:unsupported": true, "walk:compile-error": true,
	} {
		e := must.Get(faulty(t, t.Context(), fault, nil))(t)
		if err := e.WalkProof(t.Context(), document([]int32{1, eos}), new(measure.Proof), all); err == nil {
			t.Errorf("%s: no error", fault)
		}
		if got := e.host.closing.get() != nil; got != lives {
			t.Errorf("%s: it lives: %v", fault, got)
		}
	}
	kept := keptOpen(t)
	if _, err := faulty(t, t.Context(), "compile:crash", kept); err == nil {
		t.Error("no error")
	}
	if _, err := faulty(t, t.Context(), "compile:crash", kept); died(t, err, wire.Crash) != "it does not do that" {
		t.Error(err) // from a new process, and not that the old one is dead
	}
}

// TestNoRoom: a file that the system has no room for is nothing of the engine's.
func TestNoRoom(t *testing.T) {
	e, err := faulty(t, t.Context(), "nothing", nil)
	must.OK(t, err)
	err = e.with(t.Context(), func(p *process.Process) error {
		_, err := p.Room(t.Context(), 1<<50)
		return err
	})
	var ours *algorithms.HarnessError
	var died *algorithms.ProcessError
	if !errors.As(err, &ours) || errors.As(err, &died) || !strings.Contains(err.Error(), "no room for a file") {
		t.Errorf("%T %v", err, err)
	}
	if err := e.WalkProof(t.Context(), document([]int32{1, eos}), new(measure.Proof), all); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestMemoryBase: what an engine makes of the vocabulary does not count against the limit, what
// comes after does.
func TestMemoryBase(t *testing.T) {
	seed.Usual(t)
	if runtime.GOOS != "linux" {
		t.Skip("the size of processes is watched on Linux only")
	}
	ctx := algorithms.WithMemoryLimit(t.Context(), 128<<20)
	e, err := faulty(t, ctx, "vocabulary:heavy", nil)
	must.OK(t, err)
	err = e.with(ctx, func(p *process.Process) error {
		if size := p.Resident(); size < 200<<20 {
			t.Errorf("it has %d bytes", size)
		}
		var a wire.StatsAnswer
		return p.Call(ctx, map[string]any{"do": "sleep"}, &a)
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := faulty(t, ctx, "compile:heavy", nil); err != nil {
		died(t, err, wire.OutOfMemory)
	} else {
		t.Error("200 MiB of a grammar are below a limit of 128 MiB")
	}
}

// TestClosedWhileLookedAt: what is shared with a process can be looked at until that is over,
// whoever closes the engine meanwhile.
func TestClosedWhileLookedAt(t *testing.T) {
	e, err := faulty(t, t.Context(), "nothing", nil)
	must.OK(t, err)
	seen := 0
	err = e.WalkProof(t.Context(), document([]int32{1, 2, 3, eos}), new(measure.Proof), func(int, []uint64) bool {
		if seen == 0 {
			e.Close()
			time.Sleep(100 * time.Millisecond)
		}
		seen++
		return true
	})
	if err != nil || seen != 4 {
		t.Errorf("%d masks, %v", seen, err)
	}
	if err := e.WalkProof(t.Context(), document([]int32{1, eos}), new(measure.Proof), all); err == nil {
		t.Error("it can be used after it was closed")
	}
}

// TestClonesThatFail: an engine that fails at clones keeps its masks, has no times of clones, says
// why, and is not asked for them again.
func TestClonesThatFail(t *testing.T) {
	for _, fault := range []string{"measure:exit", "measure:crash", "measure:unsupported", "measure:unwritten"} {
		e := must.Get(faulty(t, t.Context(), fault, nil))(t)
		for range 3 {
			d, p := document([]int32{1, 2, eos}), new(measure.Proof)
			if err := e.WalkProof(t.Context(), d, p, all); err != nil || len(p.Hashes) != 3 {
				t.Errorf("%s: %v, %+v", fault, err, p)
			}
			if clones, err := e.WalkClones(t.Context(), d); err != nil || clones != nil {
				t.Errorf("%s: %v, %v", fault, err, clones)
			}
		}
		if !slices.ContainsFunc(e.Stats().Counters, func(c algorithms.Counter) bool { return strings.HasPrefix(c.Name, "not cloned: ") }) || e.again > 1 {
			t.Errorf("%s: %+v, compiled again %d times", fault, e.Stats(), e.again)
		}
	}
	e := must.Get(faulty(t, t.Context(), "measure:hang", nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := e.WalkClones(ctx, document([]int32{1, eos})); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestClonesThatKill: an engine whose clones ended its process is not asked for clones with the
// next grammar either, which costs no process then.
func TestClonesThatKill(t *testing.T) {
	kept, v := keptOpen(t), testVocabulary(t)
	for number := range 2 {
		e := must.Get(faultyWith(t, t.Context(), "measure:exit", kept, v))(t)
		if clones, err := e.WalkClones(t.Context(), document([]int32{1, 2, eos})); err != nil || clones != nil {
			t.Errorf("engine %d: %v, %v", number, err, clones)
		}
		if lives := number > 0; e.Alive() != lives {
			t.Errorf("engine %d: its process lives: %v, want %v", number, e.Alive(), lives)
		}
		if !slices.ContainsFunc(e.Stats().Counters, func(c algorithms.Counter) bool { return strings.HasPrefix(c.Name, "not cloned: ") }) {
			t.Errorf("engine %d: %+v", number, e.Stats())
		}
	}
}

// TestMeasureUnwritten: times that were not written are no times.
func TestMeasureUnwritten(t *testing.T) {
	e, err := faulty(t, t.Context(), "nothing", nil)
	must.OK(t, err)
	_, _, err = e.Measure(t.Context(), wire.CanClone, []int32{1, 2, eos}, 1)
	if detail := died(t, err, wire.Crash); !strings.Contains(detail, "it wrote 0 times of clone, and says that they are 3") {
		t.Error(detail)
	}
}

// TestLongBlock: a block that took longer than the whole request did not.
func TestLongBlock(t *testing.T) {
	e, err := faulty(t, t.Context(), "walk:longest", nil)
	must.OK(t, err)
	_, err = e.WalkBlocks(t.Context(), document([]int32{1, eos}), 1)
	if detail := died(t, err, wire.Crash); !strings.Contains(detail, "its blocks took it 8589934590 ns") {
		t.Error(detail)
	}
}

// TestMemoryFigures: the base is without the grammar before, what is held is what the child says,
// and of schemas nothing is said.
func TestMemoryFigures(t *testing.T) {
	e := must.Get(faulty(t, t.Context(), "nothing", nil))(t)
	if b := e.Bill(); b.Bytes != 0 || b.PeakBytes != 0 || e.UsedBytes() != 0 {
		t.Errorf("a schema: %+v, used %d", b, e.UsedBytes())
	}
	e.schema, e.request.Kind, e.compiled, e.host.live = false, wire.KindLark, false, nil
	must.OK(t, e.WalkProof(t.Context(), document([]int32{1, eos}), new(measure.Proof), all))
	if b, used := e.Bill(), e.UsedBytes(); b.Bytes != 1<<16 || used != 2<<16 {
		t.Errorf("a grammar: %+v, used %d", b, used)
	}
}

// TestMemoryOfChild: the masks that an algorithm keeps are what its process has grown by, in the
// order of what it says itself, and not the memory that was made ready for it.
func TestMemoryOfChild(t *testing.T) {
	v := testVocabulary(t)
	p := grammarProblem(t, v, "json")
	p.Kept = keptOpen(t)
	e := outside(t, p, "psc", "")
	first, says := e.Bill().Bytes, e.Stats().Bytes
	if first < says/2 || first > 8*says+(4<<20) {
		t.Errorf("it grew by %d bytes, and says that it has %d", first, says)
	}
	again := outside(t, p, "psc", "") // in the same process, whose grammar is dropped before
	if b := again.Bill().Bytes; b < first/2 || b > 2*first {
		t.Errorf("it grew by %d bytes first, and by %d the second time", first, b)
	}
}

// TestHelloVersion: an engine that is not the one that was installed ends a command; it is no
// outcome.
func TestHelloVersion(t *testing.T) {
	program := must.Get(os.Executable())(t)
	c := process.Command{Name: "faulty", Args: []string{program}, Env: []string{faultEnv + "=nothing"}, Version: "1"}
	if p, err := process.Start(t.Context(), c); err != nil {
		t.Error(err)
	} else {
		p.Close()
	}
	c.Version = "2"
	var ours *algorithms.HarnessError
	if _, err := process.Start(t.Context(), c); !errors.As(err, &ours) || !strings.Contains(err.Error(), `it says that it is version "1", and 2 was installed`) {
		t.Errorf("%T %v", err, err)
	}
}

// TestVersionsOfAdapters: the version that an adapter says has that of the catalogue in it.
func TestVersionsOfAdapters(t *testing.T) {
	python := must.Python(t, "numpy")
	dir := must.Get(writeAdapters())(t)
	for _, e := range Catalogue {
		module := strings.TrimSuffix(e.Adapter, ".py")
		probe := exec.Command(python, "-B", "-c", "import "+module)
		probe.Dir = dir
		if probe.Run() != nil {
			t.Logf("%s is not installed in %s", e.Name, python)
			continue
		}
		p, err := process.Start(t.Context(), process.Command{Name: e.Name, Args: []string{python, dir + "/" + e.Adapter}, Clean: true, Version: e.Version})
		if err != nil {
			t.Error(err)
			continue
		}
		p.Close()
	}
}
