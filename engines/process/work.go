package process

import (
	"context"
	"time"

	"gcdbench/engines/wire"
)

// The processor time of a child shows work that is in none of its times: in another thread, in a
// process that it started, before the first read of its clock, or while it was not asked anything.

// A work is the processor time of a process in watched requests, and between these and the next
// request, while nobody asked it anything.
type work struct {
	requests       int
	asked, unasked time.Duration

	pid     int
	waiting bool          // nothing was asked since the last watched request
	then    time.Duration // the processor time at the end of that
}

// next ends a time in which nobody asked anything.
func (w *work) next() {
	if w.waiting {
		w.unasked += max(0, busy(w.pid)-w.then)
		w.waiting = false
	}
}

// Watched is Call, and the processor time that the child took meanwhile: of all its threads, and of
// the processes that it started. It is 0 where the system does not tell.
func (p *Process) Watched(ctx context.Context, request any, answer wire.Answered) (took time.Duration, err error) {
	pid := p.cmd.Process.Pid
	before := busy(pid)
	err = p.Call(ctx, request, answer)
	after := busy(pid)
	took = max(0, after-before)
	p.asking.Lock()
	defer p.asking.Unlock()
	p.work.pid, p.work.waiting, p.work.then = pid, true, after
	p.work.requests++
	p.work.asked += took
	return took, err
}

// Worked is the number of watched requests, the processor time of the child in them, and that
// between these and the next request, while nobody asked it anything, since the last call.
func (p *Process) Worked() (requests int, asked, unasked time.Duration) {
	p.asking.Lock()
	defer p.asking.Unlock()
	requests, asked, unasked = p.work.requests, p.work.asked, p.work.unasked
	p.work.requests, p.work.asked, p.work.unasked = 0, 0, 0
	return requests, asked, unasked
}
