package process

import (
	"os"
	"os/exec"
	"slices"
	"testing"

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
	if a, b := k.of(os.Getpid()), k.of(os.Getpid()); before != "" && before == lastStarted() && &a[0] != &b[0] {
		t.Error("the family is found again, though nothing was started")
	}
}
