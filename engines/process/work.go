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

	waiting  bool // nothing was asked since the last watched request
	compiled bool // that was a compile
	then     Use  // at the end of that
	restless bool // it did not come to rest once
	compiles Compiles
	told     int           // compiles of which it has told how long they took, in all
	least    time.Duration // the least Beside of one of these
}

// Compiles are those of a process: how long they took by its own clock, and the processor time
// beside that in their requests, and behind these until the next one. What the process takes beside
// its quickest compile, which had garbage to collect as well, is left out.
type Compiles struct {
	N            int
	Told, Beside time.Duration
}

const (
	// restWithin is how long a process may go on with what nobody asked of it before the next request.
	// One that goes on longer is ended when it has had restMost of the processor: it takes that from
	// others, whose turn it is. One that has not got it within restWait is not waited for again.
	// restLook is the time to the second look.
	restWithin = time.Second
	restMost   = restWithin / 4
	restWait   = 10 * restWithin
	restLook   = 100 * time.Microsecond
	// leastMost is the most that a process may take beside each compile unseen, as for garbage.
	leastMost = 200 * time.Millisecond
)

// rest ends a time in which nobody asked anything. What the process does meanwhile it finishes
// first: on a busy machine it may not have had the core yet, and is not to be in the next request.
// The error is an *Error.
func (p *Process) rest() error {
	w := &p.work
	if !w.waiting {
		return nil
	}
	w.waiting = false
	began := time.Now()
	for pause := restLook; !w.compiled && !w.restless && !rests(p.family()); pause = min(2*pause, 20*restLook) {
		time.Sleep(pause) // on a busy machine it may be long
		waited := time.Since(began)
		if waited < restWithin {
			continue
		}
		if took := used(p.family(), false).less(w.then).Ran; took > restMost {
			return p.Nonsense("it works on while nobody asks it anything: %d ms of processor time in %d ms after a request; others are timed meanwhile", took.Milliseconds(), waited.Milliseconds())
		}
		w.restless = waited > restWait
	}
	ran := used(p.family(), false).less(w.then).Ran
	if w.compiled {
		w.compiles.Beside += ran
	} else {
		w.Unasked += ran
	}
	return nil
}

// Watched is Call, and what the child had of the processor meanwhile, which is nothing where the
// system does not tell.
func (p *Process) Watched(ctx context.Context, request any, answer wire.Answered) (took Use, err error) {
	return p.watched(ctx, request, answer, true, func(w *work, took Use) {
		w.Requests++
		w.Asked += took.Ran
	})
}

// Compiled is Watched of a compile. Told says then how long that took by the child's clock.
func (p *Process) Compiled(ctx context.Context, request any, answer wire.Answered) (Use, error) {
	return p.watched(ctx, request, answer, false, func(w *work, _ Use) { w.compiled = true })
}

// Told adds a compile, of which the child tells so many ns, to its Compiles.
func (p *Process) Told(took Use, ns float64) {
	p.asking.Lock()
	defer p.asking.Unlock()
	w, beside := &p.work, max(0, took.Ran-time.Duration(ns))
	if w.told++; w.told == 1 || beside < w.least {
		w.least = beside
	}
	w.compiles.N++
	w.compiles.Told += time.Duration(ns)
	w.compiles.Beside += beside
}

// watched is Watched; note enters a request that succeeded.
func (p *Process) watched(ctx context.Context, request any, answer wire.Answered, waited bool, note func(w *work, took Use)) (took Use, err error) {
	p.asking.Lock()
	err = p.rest()
	before := used(p.family(), waited)
	p.asking.Unlock()
	if err != nil {
		return took, err
	}
	err = p.Call(ctx, request, answer)
	after := used(p.family(), waited)
	took = after.less(before)
	p.asking.Lock()
	defer p.asking.Unlock()
	p.work.waiting, p.work.compiled, p.work.then = true, false, after
	if err == nil {
		note(&p.work, took)
	}
	return took, err
}

// Compiles are those since the last call.
func (p *Process) Compiles() Compiles {
	p.asking.Lock()
	defer p.asking.Unlock()
	c := p.work.compiles
	p.work.compiles = Compiles{}
	c.Beside = max(0, c.Beside-time.Duration(c.N)*min(p.work.least, leastMost))
	return c
}

// Worked is the child's work since the last call.
func (p *Process) Worked() Work {
	p.asking.Lock()
	defer p.asking.Unlock()
	done := p.work.Work
	p.work.Work = Work{}
	return done
}

// Strays counts the child's threads that have got themselves other cores than engines are timed on,
// or more of them than others get; 0 where the system does not tell.
func (p *Process) Strays() int {
	if !p.knows || p.hasEnded() {
		return 0
	}
	return strays(p.family(), p.began)
}
