//go:build !linux

package process

import (
	"os/exec"
	"time"
)

// Where the system is not Linux, children have no limits of memory and only they themselves are
// killed.

func separate(*exec.Cmd) {}

// Together does nothing: a command that is cancelled ends alone.
func Together(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }

func limitAddressSpace(int, int64) {}

func addressSpace(int) int64 { return 0 }

func resident(int) int64 { return 0 }

func shared(int) int64 { return 0 }

func highWater(int) int64 { return 0 }

func resetHighWater(int) {}

func busy(int) time.Duration { return 0 }

// Spread does nothing: the child is on no core of its own.
func (p *Process) Spread(int) (undo func()) { return func() {} }
