package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Together has a command that is cancelled by its context end with all processes that it started.
func Together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return cmd.Process.Kill()
	}
}

// limitAddressSpace lets requests for memory beyond a size fail. A later limit may be higher again.
// Where the system does not allow that, there is still the limit of the resident size.
func limitAddressSpace(pid int, bytes int64) {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_AS, nil, &limit) != nil {
		return
	}
	limit.Cur = min(uint64(bytes), limit.Max)
	unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil)
}

// pages are the numbers of /proc/PID/statm: the address space, the resident size, and the part of
// that which is shared with files.
func pages(pid int) (all, resident, shared int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, 0, 0
	}
	fmt.Fscan(bytes.NewReader(text), &all, &resident, &shared)
	size := int64(os.Getpagesize())
	return all * size, resident * size, shared * size
}

// addressSpace is the size of a process's address space.
func addressSpace(pid int) int64 {
	all, _, _ := pages(pid)
	return all
}

// memoryOf is the memory of a process without files that it maps: its own, and what it shares with
// other processes beyond the bytes of the file that it shares with gcdbench.
func memoryOf(pid int, bulk int64) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return sizeIn(text, "RssAnon:") + max(0, sizeIn(text, "RssShmem:")-bulk)
}

// partOf is memoryOf with each page shared out among the processes that have it, as after a
// fork. It takes milliseconds, in which the process waits.
func partOf(pid int, bulk int64) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return memoryOf(pid, bulk)
	}
	return sizeIn(text, "Pss_Anon:") + max(0, sizeIn(text, "Pss_Shmem:")-bulk)
}

// sizeIn reads a size out of a file of /proc, in bytes; 0 if it is not there.
func sizeIn(text []byte, name string) int64 {
	_, rest, _ := strings.Cut(string(text), name)
	kb := int64(0)
	fmt.Sscan(rest, &kb)
	return kb << 10
}

// shared is the memory of a process in mapped files.
func shared(pid int) int64 {
	_, _, shared := pages(pid)
	return shared
}

// highWater is the largest resident size since it was reset.
func highWater(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return sizeIn(text, "VmHWM:")
}

// resetHighWater has highWater begin anew.
func resetHighWater(pid int) {
	os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// usable are the cores that this program was started with.
var usable = func() (set unix.CPUSet) {
	unix.SchedGetaffinity(0, &set)
	return set
}()

// Spread lets the child's threads run on all cores that this program has, for work on several
// threads. The returned function puts them back on the child's own.
func (p *Process) Spread(threads int) (undo func()) {
	var own unix.CPUSet
	pid := p.pid
	if threads < 2 || unix.SchedGetaffinity(pid, &own) != nil {
		return func() {}
	}
	allow(pid, &usable)
	return func() { allow(pid, &own) }
}

// A standing is what a thread may have of the machine.
type standing struct {
	cores  unix.CPUSet
	policy uint32 // of the scheduler
	nice   int32
}

// standingOf is that of a thread, 0 being the caller; ok is false where the system does not tell.
func standingOf(tid int) (s standing, ok bool) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil || unix.SchedGetaffinity(tid, &s.cores) != nil {
		return s, false
	}
	s.policy, s.nice = attr.Policy, attr.Nice
	return s, true
}

// strays counts the threads of a family but its watcher that may use other cores than the one that
// all engines are timed on, or that come before others there. began is what it began with.
func strays(list []int, began standing) (n int) {
	for _, pid := range list[1:] {
		for _, tid := range threads(pid) {
			if s, ok := standingOf(tid); ok && (s.cores != began.cores || s.policy != began.policy || s.nice < began.nice) {
				n++
			}
		}
	}
	return n
}

// allow sets the cores of a process's threads.
func allow(pid int, cores *unix.CPUSet) {
	for _, tid := range threads(pid) {
		unix.SchedSetaffinity(tid, cores)
	}
}
