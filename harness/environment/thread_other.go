//go:build !linux

package environment

import "time"

// ThreadTime is the processor time that the calling thread has used; 0 where the system does not
// tell.
func ThreadTime() time.Duration { return 0 }

// Pin has the calling thread run on one core only; where the system has no way to ask for that,
// core is -1 and nothing is done. The returned function undoes it.
func Pin() (core int, undo func()) { return -1, func() {} }

// Beside is Pin's counterpart: it has the calling thread run elsewhere. Here it does nothing.
func Beside() (undo func(), ok bool) { return func() {}, false }

// Nap is time.Sleep.
func Nap(d time.Duration) { time.Sleep(d) }

// ProcessTime is 0: this system does not tell.
func ProcessTime(int) time.Duration { return 0 }
