package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// separate gives a child a process group of its own, which is killed as a whole and which an
// interrupt at the terminal does not reach, and has the kernel kill it when its parent ends.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Together has a command that is cancelled by its context end with all processes that it started.
func Together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		killGroup(cmd)
		return nil
	}
}

// killGroup kills a child and the processes that it started.
func killGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Process.Kill()
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

// resident is the memory of a process without mapped files.
func resident(pid int) int64 {
	_, all, shared := pages(pid)
	return all - shared
}

// shared is the memory of a process in mapped files.
func shared(pid int) int64 {
	_, _, shared := pages(pid)
	return shared
}

// highWater is the largest resident size since it was reset.
func highWater(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "kB")), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
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
	pid := p.cmd.Process.Pid
	if threads < 2 || unix.SchedGetaffinity(pid, &own) != nil {
		return func() {}
	}
	allow(pid, &usable)
	return func() { allow(pid, &own) }
}

// allow sets the cores of a process's threads.
func allow(pid int, cores *unix.CPUSet) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return // it has ended
	}
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			unix.SchedSetaffinity(tid, cores)
		}
	}
}
