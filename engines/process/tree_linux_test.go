package process

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"gcdbench/internal/must"
)

// TestKin: a family that is asked for often is that of now, whenever a process was started.
func TestKin(t *testing.T) {
	k := new(kin)
	for range 3 {
		if list := k.of(os.Getpid()); len(list) == 0 || list[0] != os.Getpid() {
			t.Fatalf("the family of %d is %v", os.Getpid(), list)
		}
		cmd := exec.Command("sleep", "60")
		must.OK(t, cmd.Start())
		for range 4 {
			if list := k.of(os.Getpid()); !slices.Contains(list, cmd.Process.Pid) {
				t.Errorf("%d is not among %v", cmd.Process.Pid, list)
			}
		}
		must.OK(t, cmd.Process.Kill())
		cmd.Wait()
	}
	before := lastStarted()
	k.of(os.Getpid()) // the second look at what was started last makes sure of it
	k.of(os.Getpid())
	if a, b := k.of(os.Getpid()), k.of(os.Getpid()); before != "" && before == lastStarted() && &a[0] != &b[0] {
		t.Error("the family is found again, though nothing was started")
	}
}

// TestStrays: a thread that may use another core is told, and so is one that comes before others.
func TestStrays(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	must.OK(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	began, ok := standingOf(pid)
	if !ok {
		t.Skip("the system does not tell of threads")
	}
	list := []int{os.Getpid(), pid}
	if n := strays(list, began); n != 0 {
		t.Errorf("%d strays", n)
	}
	if n := strays(list, standing{began.cores, began.policy, began.nice + 1}); n != 1 {
		t.Errorf("%d strays that were to be nicer", n)
	}
	var one unix.CPUSet
	one.Set(lastOf(&began.cores))
	must.OK(t, unix.SchedSetaffinity(pid, &one))
	if n := strays(list, began); (n == 1) != (began.cores.Count() > 1) {
		t.Errorf("%d strays of %d cores", n, began.cores.Count())
	}
}

// lastOf is the highest core of a set.
func lastOf(set *unix.CPUSet) (last int) {
	for core := range 64 * len(set) {
		if set.IsSet(core) {
			last = core
		}
	}
	return last
}
