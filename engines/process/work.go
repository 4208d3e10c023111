package process

import (
	"context"
	"time"

	"gcdbench/engines/wire"
)

// The processor time of a child shows work that is in none of its times: in another thread, in a
// process that it started, before the first read of its clock, or while it was not asked anything.

// A work is what a process did while nobody asked it anything, in sum over the times between a
// watched request and the next request.
type work struct {
	busy, wall time.Duration

	pid   int
	since time.Time     // when the last watched request ended; zero after other requests
	then  time.Duration // its processor time at that time
}

// asked ends a time in which nobody asked anything.
func (w *work) asked() {
	if w.since.IsZero() {
		return
	}
	w.busy += max(0, busy(w.pid)-w.then)
	w.wall += time.Since(w.since)
	w.since = time.Time{}
}

// Watched is Call, and the processor time that the child took meanwhile: of all its threads, and of
// the processes that it started. It is 0 where the system does not tell.
func (p *Process) Watched(ctx context.Context, request any, answer wire.Answered) (took time.Duration, err error) {
	pid := p.cmd.Process.Pid
	before := busy(pid)
	err = p.Call(ctx, request, answer)
	after := busy(pid)
	p.asking.Lock()
	defer p.asking.Unlock()
	p.work.pid, p.work.since, p.work.then = pid, time.Now(), after
	return max(0, after-before), err
}

// Unasked is the processor time that the child took while nobody asked it anything, and how long
// that was: the times between a watched request and the next request, since the last call.
func (p *Process) Unasked() (took, of time.Duration) {
	p.asking.Lock()
	defer p.asking.Unlock()
	took, of = p.work.busy, p.work.wall
	p.work.busy, p.work.wall = 0, 0
	return took, of
}
