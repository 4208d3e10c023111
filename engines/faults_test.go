package engines

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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
	"gcdbench/tokenizers"
)

// all visits every row.
func all(int, []uint64) bool { return true }

// TestFaultsOfCompile: whatever goes wrong until a grammar is compiled is one outcome, which says
// what it was.
func TestFaultsOfCompile(t *testing.T) {
	faults := map[string][]string{
		"hello:exit":            {wire.Crash, "exit status 3", `goodbye,\x1b[31m cruel world`},
		"hello:missing":         {wire.Crash, "exit status 1", "No module named 'myengine'"},
		"hello:kill":            {wire.Crash, "killed"},
		"hello:text":            {wire.Crash, "loading the library", "not what the protocol says"},
		"hello:binary":          {wire.Crash, "not what the protocol says"},
		"hello:endless":         {wire.Crash, "a line of more than 64 KiB"},
		"hello:close":           {wire.Crash, "closed its standard output"},
		"hello:version":         {wire.Crash, "version 1 of the protocol", "version 2"},
		"hello:nameless":        {wire.Crash, "no name"},
		"hello:idle":            {wire.Crash, "takes no kind"},
		"hello:unsupported":     {wire.Crash, "does not say who it is"},
		"hello:types":           {wire.Crash, "many", "HelloAnswer.protocol"},
		"map:exit":              {wire.Crash, "exit status 3"},
		"vocabulary:kill":       {wire.Crash, "killed"},
		"vocabulary:types":      {wire.Crash, "not what the protocol says"},
		"vocabulary:crash":      {wire.Crash, "it does not do that"},
		"compile:exit":          {wire.Crash, "exit status 3"},
		"compile:gasp":          {wire.Crash, "aborted", "memory allocation of"},
		"compile:panic":         {wire.Crash, "exit status 2", "its last words: panic: no plan for this"},
		"compile:text":          {wire.Crash, "please wait"},
		"compile:notimes":       {wire.Crash, "lacks a time"},
		"compile:backwards":     {wire.Crash, "lacks a time, or has one below 0"},
		"compile:notok":         {wire.Crash, `has no "ok"`},
		"compile:novel":         {wire.Crash, "a line of more than 64 KiB"},
		"compile:sulks":         {wire.Crash, `no known "outcome"`},
		"compile:types":         {wire.Crash, "not what the protocol says"},
		"compile:compile-error": {wire.CompileError, "it does not do that"},
		"compile:timeout":       {wire.Timeout, "it does not do that"},
		"compile:out-of-memory": {wire.OutOfMemory, "it does not do that"},
		"compile:child":         {wire.Crash, "exit status 1"},
	}
	for _, fault := range seed.Some(t, slices.Sorted(maps.Keys(faults)), 2, 1, 1) {
		want := faults[fault]
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			_, err := faulty(t, within(t, time.Minute), fault, nil)
			detail := died(t, err, want[0])
			for _, part := range want[1:] {
				if !strings.Contains(detail, part) {
					t.Errorf("%q is not in %q", part, detail)
				}
			}
			if strings.ContainsAny(detail, "\x1b\n") || len(detail) > 3000 {
				t.Errorf("not fit for one line: %q", detail)
			}
		})
	}
}

// TestUnsupportedFeature: the feature is named, and the process lives on.
func TestUnsupportedFeature(t *testing.T) {
	kept := keptOpen(t)
	_, err := faulty(t, t.Context(), "compile:unsupported", kept)
	var unsupported *algorithms.UnsupportedError
	if !errors.As(err, &unsupported) || unsupported.Algorithm != "faulty" || unsupported.Reason != "it does not do that" {
		t.Errorf("%T %v", err, err)
	}
}

// TestFaultsOfWalks: an engine that contradicts itself, or the protocol, is found out.
func TestFaultsOfWalks(t *testing.T) {
	d := document([]int32{1, 2, 3, eos})
	faults := map[string][]string{
		"walk:exit":      {wire.Crash, "exit status 3"},
		"walk:kill":      {wire.Crash, "killed"},
		"walk:types":     {wire.Crash, "not what the protocol says"},
		"walk:count":     {wire.Crash, "made 1 masks on its way, where 4 belong"},
		"walk:countless": {wire.Crash, `no "masked"`},
		"walk:far":       {wire.Crash, "position 1000 of a document of 4"},
		"walk:negative":  {wire.Crash, "position -1 of a document of 4"},
		"walk:nobody":    {wire.Crash, "conscience"},
		"walk:disturbed": {wire.Crash, "it was disturbed at 4294967295 steps of 4"},
		"walk:stolen":    {wire.Crash, "what disturbed it took it 9223372036854775808 ns"},
		"walk:builds":    {wire.Crash, "building between steps took it 60000000000 ns"},
		"walk:twice":     {"", ""},
		"walk:late":      {wire.Crash, "or to an earlier one that was answered twice"},
	}
	for _, fault := range seed.Some(t, slices.Sorted(maps.Keys(faults)), 2, 1, 1) {
		want := faults[fault]
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			e := must.Get(faulty(t, t.Context(), fault, nil))(t)
			for what, walk := range map[string]func() error{
				"timed": func() error { return e.WalkTimed(within(t, time.Minute), d, true, new(measure.Times)) },
				"proof": func() error { return e.WalkProof(within(t, time.Minute), d, new(measure.Proof), all) },
			} {
				err := walk()
				if fault == "walk:twice" { // whose second answer comes when nobody asked
					time.Sleep(100 * time.Millisecond)
					err = e.WalkProof(within(t, time.Minute), d, new(measure.Proof), all)
					want = []string{wire.Crash, "without being asked"}
				}
				detail := died(t, err, want[0])
				for _, part := range want[1:] {
					if !strings.Contains(detail, part) {
						t.Errorf("%s: %q is not in %q", what, part, detail)
					}
				}
			}
		})
	}
}

// TestLies: rows and times that cannot be.
func TestLies(t *testing.T) {
	d := document([]int32{1, 2, 3, eos})
	for fault, want := range map[string]string{
		"walk:beyond":     "bits beyond the 300 ids",
		"walk:clear":      "at position 1 bit 2 of its mask is 0, and it says that the mask allows",
		"walk:confused":   "at position 1 bit 2 of its mask is 1, and it says that the mask refuses",
		"walk:unwritten":  "no times for mask 0 of 4",
		"walk:idles":      "the mask of position 3 that its timed walk made is not the one of its proof",
		"walk:replays":    "the mask of position 0 that its timed walk made is not the one of its proof",
		"walk:longest":    "its steps and what it built between them took it",
		"walk:impossible": "step 0 took it 400 ns and the mask, which is a part of that, 500 ns",
	} {
		t.Run(fault, func(t *testing.T) {
			e, err := faulty(t, t.Context(), fault, nil)
			must.OK(t, err)
			var p measure.Proof
			if err = e.WalkProof(within(t, time.Minute), d, &p, all); err == nil {
				again := &measure.Document{Tokens: d.Tokens, Proved: p.Hashes, Whole: true}
				err = e.WalkTimed(within(t, time.Minute), again, true, new(measure.Times))
			}
			if detail := died(t, err, wire.Crash); !strings.Contains(detail, want) {
				t.Errorf("%q is not in %q", want, detail)
			}
		})
	}
}

// TestNeverRests: a child that works on after its answer is ended, since others are timed
// meanwhile.
func TestNeverRests(t *testing.T) {
	seed.Usual(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the time of another process")
	}
	e := must.Get(faulty(t, t.Context(), "walk:spins", nil))(t)
	d := document([]int32{1, 2, 3, eos})
	d.Drawn = true
	must.OK(t, e.WalkTimed(within(t, time.Minute), d, false, new(measure.Times)))
	var err error
	for i := 0; i < 50 && err == nil; i++ { // a busy machine may let it rest for a while
		time.Sleep(20 * time.Millisecond)
		err = e.WalkTimed(within(t, time.Minute), d, false, new(measure.Times))
	}
	if detail := died(t, err, wire.Crash); !strings.Contains(detail, "it works on while nobody asks it anything") {
		t.Error(detail)
	}
}

// TestInstant: many steps that took no time.
func TestInstant(t *testing.T) {
	e, err := faulty(t, t.Context(), "walk:instant", nil)
	must.OK(t, err)
	err = e.WalkTimed(within(t, time.Minute), document(append(make([]int32, 40), eos)), false, new(measure.Times))
	if detail := died(t, err, wire.Crash); !strings.Contains(detail, "41 of 41 steps took it less than its clock shows around nothing") {
		t.Error(detail)
	}
}

// TestAges: times of what is done once that are longer than the request, and a clock that is too
// slow.
func TestAges(t *testing.T) {
	for fault, want := range map[string]string{
		"compile:ages":    "it says that its compile took it",
		"vocabulary:ages": "it says that the vocabulary took it",
		"hello:clock":     "its clock is too slow to time steps by",
	} {
		_, err := faulty(t, t.Context(), fault, nil)
		if detail := died(t, err, wire.Crash); !strings.Contains(detail, want) {
			t.Errorf("%s: %s", fault, detail)
		}
	}
}

// TestBatchOfAges: steps of a batch that took longer than the request.
func TestBatchOfAges(t *testing.T) {
	for fault, want := range map[string]string{"nothing": "", "batch:ages": "it says that its steps took it"} {
		e := must.Get(faulty(t, t.Context(), fault, nil))(t)
		must.OK(t, e.Hold(t.Context(), 0, true))
		s := &measure.Script{Width: 1, Threads: 1, Steps: [][]int32{{measure.Begins}, {1}}, Stepped: func(int, float64, func(int) []uint64) error { return nil }}
		if err := e.AdvanceBatch(within(t, time.Minute), s); want != "" {
			if detail := died(t, err, wire.Crash); !strings.Contains(detail, want) {
				t.Error(detail)
			}
		} else if err != nil {
			t.Error(err)
		}
	}
}

// TestTruncated: a child that cuts off the file that it shares harms nobody.
func TestTruncated(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has files whose size cannot be changed")
	}
	for _, fault := range []string{"map:truncate", "vocabulary:truncate", "walk:truncate"} {
		e, err := faulty(t, t.Context(), fault, nil)
		if err != nil {
			t.Fatal(fault, err)
		}
		d := document([]int32{1, 2, 3, eos})
		if err := e.WalkProof(within(t, time.Minute), d, new(measure.Proof), all); err != nil {
			t.Error(fault, err)
		}
		if err := e.WalkTimed(within(t, time.Minute), d, false, new(measure.Times)); err != nil {
			t.Error(fault, err)
		}
	}
}

// TestTimesWithoutClock: what a pair of clock reads shows is taken off masks and commits once,
// and off steps twice.
func TestTimesWithoutClock(t *testing.T) {
	e, err := faulty(t, t.Context(), "nothing", nil)
	must.OK(t, err)
	var times measure.Times
	must.OK(t, e.WalkTimed(t.Context(), document([]int32{1, eos}), false, &times))
	// The child says 100 to 105 ns, and that its clock shows 1 ns around nothing.
	if fmt.Sprint(times.Mask, times.Commit, times.Step) != "[99 102] [100 103] [100 103]" {
		t.Errorf("%+v", times)
	}
	blocks, err := e.WalkBlocks(t.Context(), document([]int32{1, 2, eos}), 2)
	if err != nil || fmt.Sprint(blocks) != "[99 100]" {
		t.Errorf("%v, %v", blocks, err)
	}
}

// TestTimeout: a child that hangs, or that computes without end, is killed when its time is over,
// and soon.
func TestTimeout(t *testing.T) {
	for _, fault := range []string{"hello:hang", "map:hang", "vocabulary:hang", "compile:hang", "compile:spin", "walk:hang"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			ctx := within(t, 500*time.Millisecond)
			e, err := faulty(t, ctx, fault, nil)
			if err == nil {
				err = e.WalkProof(ctx, document([]int32{1, eos}), new(measure.Proof), all)
			}
			died(t, err, wire.Timeout)
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("after %v", took)
			}
		})
	}
}

// TestHangingFigures: an engine that does not tell its figures keeps those that it told, and costs
// little time.
func TestHangingFigures(t *testing.T) {
	if !testing.Short() { // it waits for as long as the limit
		e := must.Get(faulty(t, t.Context(), "stats:hang", nil))(t)
		begin := time.Now()
		e.Stats()
		if took := time.Since(begin); took > 4*figuresLimit {
			t.Errorf("after %v", took)
		}
	}
	for fault, want := range map[string]string{"stats:novel": "it wrote a line of more than 64 KiB", "stats:types": ""} {
		e := must.Get(faulty(t, t.Context(), fault, nil))(t)
		counters := e.Stats().Counters
		told := len(counters) == 1 && strings.HasPrefix(counters[0].Name, "figures of the compile, since it told no later ones: "+want)
		if told != (want != "") {
			t.Errorf("%s: %v", fault, counters)
		}
	}
}

// TestToils: processor time in a compile beyond what the child says it took is seen by the next
// audit, and that alone.
func TestToils(t *testing.T) {
	seed.Usual(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the time of another process")
	}
	for fault, least := range map[string]float64{"compile:toils": 1e8, "nothing": 0} {
		e := must.Get(faulty(t, t.Context(), fault, nil))(t)
		d := document([]int32{1, 2, 3, eos})
		for _, least := range []float64{least, 0} {
			a := must.Get(e.WalkAudit(within(t, time.Minute), d))(t)
			if a.BesideNS < least || least == 0 && a.BesideNS > 1e7 {
				t.Errorf("%s: %v ms beside its compiles, least %v", fault, a.BesideNS/1e6, least/1e6)
			}
		}
	}
}

// TestBoasts: no child holds more memory than the system says that it has.
func TestBoasts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the memory of another process")
	}
	e := must.Get(faulty(t, t.Context(), "weigh:boasts", nil))(t)
	if got := e.Bill().Bytes; got > 1<<30 || e.base > 1<<30 {
		t.Errorf("it grew by %d bytes, from %d", got, e.base)
	}
}

// TestInterrupted: a cancelled operation ends with the context's error.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := faulty(t, ctx, "compile:hang", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%T %v", err, err)
	}
	limit := errors.New("the time limit is over") // as the harness has it
	caused, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { stop(limit) })
	_, err := faulty(t, caused, "compile:hang", nil)
	if detail := died(t, err, wire.Timeout); !strings.Contains(detail, limit.Error()) {
		t.Error(detail)
	}
}

// TestMemory: a child that takes more memory than it may have is killed, and the outcome says so.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the size of processes is watched on Linux only")
	}
	ctx := algorithms.WithMemoryLimit(within(t, time.Minute), 128<<20)
	for _, fault := range []string{"compile:memory", "walk:memory", "compile:shared"} {
		e, err := faulty(t, ctx, fault, nil)
		if err == nil {
			err = e.WalkProof(ctx, document([]int32{1, eos}), new(measure.Proof), all)
		}
		if detail := died(t, err, wire.OutOfMemory); !strings.Contains(detail, "above the limit of 128 MiB") {
			t.Error(detail)
		}
	}
	// One that the system denied memory says so with its last words.
	if _, err := faulty(t, ctx, "compile:gasp", nil); !strings.Contains(died(t, err, wire.OutOfMemory), "memory allocation of") {
		t.Error(err)
	}
}

// TestRestart: a child that dies is started again for the next document, with its vocabulary and
// its grammar; a process that dies between two operations is no failure.
func TestRestart(t *testing.T) {
	good, bad := document([]int32{1, 2, eos}), document([]int32{poison, eos})
	e := must.Get(faulty(t, t.Context(), "walk:poison", keptOpen(t)))(t)
	for range 2 {
		var p measure.Proof
		if err := e.WalkProof(t.Context(), good, &p, all); err != nil || len(p.Hashes) != 3 {
			t.Fatalf("%+v, %v", p, err)
		}
		err := e.WalkProof(t.Context(), bad, new(measure.Proof), all)
		if detail := died(t, err, wire.Crash); !strings.Contains(detail, "exit status 9") {
			t.Error(detail)
		}
	}
	if e.again != 1 {
		t.Errorf("compiled again %d times", e.again)
	}
	idle := must.Get(faulty(t, t.Context(), "walk:dies", nil))(t)
	for range 3 {
		if err := idle.WalkProof(t.Context(), good, new(measure.Proof), all); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(time.Minute); idle.Alive() && time.Now().Before(end); { // it is about to die
			time.Sleep(time.Millisecond)
		}
	}
}

// TestDeadState: a generation whose process dies says so: Commit by its error, Mask by a panic
// that CatchProcess turns into one.
func TestDeadState(t *testing.T) {
	e, err := faulty(t, t.Context(), "begin:exit", nil)
	must.OK(t, err)
	s := e.Start()
	died(t, s.Commit(1), wire.Crash)
	err = func() (err error) {
		defer algorithms.CatchProcess(&err)
		s.Mask()
		return nil
	}()
	died(t, err, wire.Crash)
	func() {
		defer func() {
			if recover() != "something else" {
				t.Error("another panic was swallowed")
			}
		}()
		var err error
		defer algorithms.CatchProcess(&err)
		panic("something else")
	}()
}

// TestNotStarted: a program that is not there.
func TestNotStarted(t *testing.T) {
	p := &algorithms.Problem{Vocabulary: testVocabulary(t), Source: &algorithms.Source{Kind: algorithms.KindSchema, Text: []byte(`{}`)}}
	o := algorithms.Options{"command": "no-such-program-here --fast"}
	if err := (byCommand{}).Ready(o); err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("ready: %v", err)
	}
	_, err := byCommand{}.Compile(t.Context(), p, o)
	if detail := died(t, err, wire.Crash); !strings.Contains(detail, "cannot be started") {
		t.Error(detail)
	}
}

// TestNothingLeft: after engines are closed, or let go of, or have died, no process and no file
// is left.
func TestNothingLeft(t *testing.T) {
	seed.Usual(t)
	if runtime.GOOS != "linux" {
		t.Skip("processes are listed by /proc")
	}
	t.Setenv("TMPDIR", t.TempDir())
	mark := fmt.Sprintf("mark-%d", os.Getpid())
	t.Setenv("GCDBENCH_TEST_MARK", mark)
	kept := algorithms.NewKept()
	for _, fault := range []string{"nothing", "compile:child", "compile:daemon", "walk:hang"} {
		e, err := faulty(t, t.Context(), fault, kept)
		if fault == "walk:hang" {
			e.WalkProof(within(t, 100*time.Millisecond), document([]int32{1, eos}), new(measure.Proof), all)
		}
		if err != nil && fault != "compile:child" {
			t.Fatal(err)
		}
	}
	if marked(t, mark) == 0 {
		t.Error("the test finds no process, not even one that is there")
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	letGo(t)
	for deadline := time.Now().Add(10 * time.Second); marked(t, mark) > 0; time.Sleep(20 * time.Millisecond) {
		runtime.GC() // what nobody holds is ended
		if time.Now().After(deadline) {
			t.Fatalf("%d processes are left", marked(t, mark))
		}
	}
	for _, dir := range []string{os.TempDir(), "/dev/shm"} {
		if files, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("gcdbench-bulk-%d-*", os.Getpid()))); len(files) > 0 {
			t.Errorf("left: %v", files)
		}
	}
}

// parentEnv makes of the test program one that is killed while a child of it works.
const parentEnv = "GCDBENCH_TEST_PARENT"

// parent has a child below a wrapper work without end, beside a daemon that it started.
func parent() {
	wrapped := process.Command{Name: "wrapped", Args: []string{"sh", "-c", `"$0"; exit $?`, os.Args[0]}, Env: []string{faultEnv + "=walk:orphans"}}
	tokens := [][]byte{[]byte("a"), nil}
	v, err := tokenizers.NewVocabulary("two", tokens, []int{1}, nil)
	if err == nil {
		var e *Engine
		if e, err = CompileText(context.Background(), nil, wrapped, v, wire.KindSchema, "{}", nil); err == nil {
			err = e.WalkProof(context.Background(), document([]int32{0, 1}), new(measure.Proof), all)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKilled: when gcdbench is killed, so are its children, those of a wrapper, and what they
// started.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are watched on Linux only")
	}
	program := must.Get(os.Executable())(t)
	mark := fmt.Sprintf("killed-%d", os.Getpid())
	c := exec.Command(program)
	c.Env = append(os.Environ(), parentEnv+"=1", "GCDBENCH_TEST_MARK="+mark)
	must.OK(t, c.Start())
	await := func(what string, done func(n int) bool) {
		for deadline := time.Now().Add(time.Minute); !done(marked(t, mark)); time.Sleep(100 * time.Millisecond) { // looking at all processes takes some ms
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d processes", what, marked(t, mark))
			}
		}
	}
	// The program, the watcher, the shell, the engine, its daemon.
	await("before", func(n int) bool { return n >= 5 })
	c.Process.Kill()
	c.Wait()
	await("after", func(n int) bool { return n == 0 })
}

// TestFamilyMemory: what a child starts counts as its memory.
func TestFamilyMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the size of processes is watched on Linux only")
	}
	ctx := algorithms.WithMemoryLimit(within(t, time.Minute), 128<<20)
	_, err := faulty(t, ctx, "compile:family", nil)
	if detail := died(t, err, wire.OutOfMemory); !strings.Contains(detail, "above the limit of 128 MiB") {
		t.Error(detail)
	}
}

// letGo starts a child and forgets it.
func letGo(t *testing.T) {
	p := &algorithms.Problem{Vocabulary: testVocabulary(t), Source: &algorithms.Source{Kind: algorithms.KindSchema, Text: []byte(`{}`)}}
	must.Get((own{}).Compile(t.Context(), p, algorithms.Options{"algorithm": "trie"}))(t)
}

// marked counts the other processes that have the mark in their environment.
func marked(t *testing.T, mark string) (n int) {
	t.Helper()
	files := must.Get(filepath.Glob("/proc/[0-9]*/environ"))(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), mark) && !strings.Contains(file, fmt.Sprintf("/%d/", os.Getpid())) {
			n++
		}
	}
	return n
}
