package environment

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
)

func TestHere(t *testing.T) {
	e := Here(Clock{PairNS: 50, EmptyNS: 25})
	if e.CPU == "" || e.Cores < 1 || e.Go != runtime.Version() || e.GOMAXPROCS < 1 || len(e.Program) != 64 || e.Date.IsZero() {
		t.Errorf("incomplete: %+v", e)
	}
	if runtime.GOOS == "linux" && (e.Kernel == "" || e.MemoryBytes < 1<<20) {
		t.Errorf("kernel %q, memory %d", e.Kernel, e.MemoryBytes)
	}
	text := must.Get(json.Marshal(e))(t)
	if host, err := os.Hostname(); err == nil && len(host) > 3 && strings.Contains(string(text), host) {
		t.Errorf("the host's name %q is in %s", host, text)
	}
}

func TestCalibrate(t *testing.T) {
	c := Calibrate()
	// From a cycle counter read in user space to a system call in a slow sandbox.
	if c.PairNS < 5 || c.PairNS > 100_000 || c.EmptyNS < 0 || c.EmptyNS > c.PairNS {
		t.Errorf("implausible: %+v", c)
	}
}

// TestPace: a reading is the time of so many multiplications, from one cycle each at 10 GHz to
// twenty at 1 GHz, or none.
func TestPace(t *testing.T) {
	for range 5 {
		if ns := Pace(); ns != 0 && (ns < paceLinks/10 || ns > 20*paceLinks) {
			t.Errorf("%d multiplications in %v ns", paceLinks, ns)
		}
	}
}

func TestGitAt(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git command")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if r := gitAt(file); r.id != "" || !r.dirty {
		t.Errorf("outside a checkout: %+v", r)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put := func(text string) {
		t.Helper()
		must.OK(t, os.WriteFile(file, []byte(text), 0o644))
	}
	git("init", "-q")
	put("1")
	git("add", "a.txt")
	git("commit", "-q", "-m", "one")
	if r := gitAt(file); len(r.id) != 40 || r.dirty {
		t.Errorf("a clean checkout: %+v", r)
	}
	put("2")
	if r := gitAt(file); len(r.id) != 40 || !r.dirty {
		t.Errorf("a changed checkout: %+v", r)
	}
}

// TestThreadTime: the thread's time goes on while it computes and stands still while it sleeps.
func TestThreadTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ThreadTime()
	if before == 0 {
		t.Skip("the system does not tell a thread's time")
	}
	time.Sleep(50 * time.Millisecond)
	asleep := ThreadTime()
	for sum := 1; ThreadTime() < asleep+20*time.Millisecond; sum *= 3 { // or this test does not end
	}
	if slept := asleep - before; slept > 25*time.Millisecond {
		t.Errorf("in 50 ms of sleep the thread used %v", slept)
	}
}

// TestPin: a pinned thread may use one core, and afterwards all that it might before.
func TestPin(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	core, undo := Pin()
	if core < 0 {
		t.Skip("the system does not pin threads")
	}
	if again, free := Pin(); again != core {
		t.Errorf("pinned to core %d, the thread may use core %d", core, again)
	} else {
		free()
	}
	undo()
	if status, err := os.ReadFile("/proc/thread-self/status"); err == nil && runtime.NumCPU() > 1 {
		_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:")
		list, _, _ = strings.Cut(list, "\n")
		if list = strings.TrimSpace(list); !strings.ContainsAny(list, ",-") {
			t.Errorf("afterwards the thread may use %q of %d cores", list, runtime.NumCPU())
		}
	}
}
