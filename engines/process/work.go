package process

import (
	"context"
	"time"

	"gcdbench/engines/wire"
)

// The processor time of a child shows work that is in none of its times: in another thread, in a
// process that it started, before the first read of its clock, or while it was not asked anything.

// A Use is the processor time of a process: how long its threads, and those of the processes that
// it started, ran, and how long they could have run while something else had the core.
type Use struct{ Ran, Waited time.Duration }

// less is a use since an earlier one.
func (u Use) less(o Use) Use { return Use{max(0, u.Ran-o.Ran), max(0, u.Waited-o.Waited)} }

// A Work is the processor time of a process in watched requests, and between these and the next
// request, while nobody asked it anything.
type Work struct {
	Requests       int
	Asked, Unasked time.Duration
}

// work is that of a process since somebody asked for it.
type work struct {
	Work

	pid      int
	waiting  bool // nothing was asked since the last watched request
	then     Use  // at the end of that
	restless bool // it did not come to rest once
}

const (
	// restWithin is how long a process may go on with what nobody asked of it before the next
	// request; one that never rests is waited for once. restLook is the time between two looks.
	restWithin = time.Second
	restLook   = 100 * time.Microsecond
)

// next ends a time in which nobody asked anything. What the process does meanwhile it finishes
// first: on a busy machine it may not have had the core yet, and is not to be in the next request.
func (w *work) next() {
	if !w.waiting {
		return
	}
	w.waiting = false
	for end := time.Now().Add(restWithin); !w.restless && !rests(w.pid); time.Sleep(restLook) {
		w.restless = time.Now().After(end)
	}
	w.Unasked += used(w.pid, false).less(w.then).Ran
}

// Watched is Call, and what the child had of the processor meanwhile, which is nothing where the
// system does not tell. How long it waited for a core is told if waited is set.
func (p *Process) Watched(ctx context.Context, request any, answer wire.Answered, waited bool) (took Use, err error) {
	pid := p.cmd.Process.Pid
	p.asking.Lock()
	p.work.next()
	before := used(pid, waited)
	p.asking.Unlock()
	err = p.Call(ctx, request, answer)
	after := used(pid, waited)
	took = after.less(before)
	p.asking.Lock()
	defer p.asking.Unlock()
	p.work.pid, p.work.waiting, p.work.then = pid, true, after
	p.work.Requests++
	p.work.Asked += took.Ran
	return took, err
}

// Worked is the child's work since the last call.
func (p *Process) Worked() Work {
	p.asking.Lock()
	defer p.asking.Unlock()
	done := p.work.Work
	p.work.Work = Work{}
	return done
}
