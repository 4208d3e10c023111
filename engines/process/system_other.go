//go:build !linux

package process

import "os/exec"

// Where the system is not Linux, children have no limits of memory and only they themselves are
// killed.

// Together does nothing: a command that is cancelled ends alone.
func Together(*exec.Cmd) {}

// watched is nobody: a child is killed alone.
type watched struct{}

func underWatch(*exec.Cmd) (*watched, error) { return nil, nil }

func (*watched) started(cmd *exec.Cmd) (pid int, err error) { return cmd.Process.Pid, nil }

func (*watched) ended(cmd *exec.Cmd) string { return cmd.ProcessState.String() }

func (*watched) kill(cmd *exec.Cmd) { cmd.Process.Kill() }

func limitAddressSpace(int, int64) {}

func addressSpace(int) int64 { return 0 }

type kin struct{}

func (*kin) of(pid int) []int { return []int{pid, pid} }

func memoryOf(int, int64) int64 { return 0 }

func partOf(int, int64) int64 { return 0 }

func shared(int) int64 { return 0 }

func highWater(int) int64 { return 0 }

func resetHighWater(int) {}

func used([]int, bool) Use { return Use{} }

type standing struct{}

func standingOf(int) (standing, bool) { return standing{}, false }

func strays([]int, standing) int { return 0 }

func rests([]int) bool { return true }

// Spread does nothing: the child is on no core of its own.
func (p *Process) Spread(int) (undo func()) { return func() {} }
