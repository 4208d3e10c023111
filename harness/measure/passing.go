package measure

import (
	"sync"
	"sync/atomic"
	"time"

	"gcdbench/harness/environment"
)

// Passing lets what takes long go on while others pass: a thread whose work takes longer than a
// limit has another thread take what comes behind. A nil Passing lets nobody pass.
type Passing struct {
	limit time.Duration
	most  int32 // how many may go on so
	slow  atomic.Int32
}

// NewPassing lets others pass what takes longer than limit, as far as no more than most go on so at
// a time. Others wait behind a further one until one of those has ended.
func NewPassing(limit time.Duration, most int) *Passing {
	return &Passing{limit: limit, most: int32(most)}
}

// Thread is a thread of works that may take long. pass, which is called at most once, begins
// another one in its place.
func (p *Passing) Thread(pass func()) *Passed {
	if p == nil {
		return nil
	}
	return &Passed{of: p, pass: pass}
}

// Passed is a thread that others may pass. Its work stands between Begin and End.
type Passed struct {
	of   *Passing
	pass func()

	mu           sync.Mutex
	timer        *time.Timer
	begin        time.Duration
	busy, passed bool
}

// Begin begins a work.
func (t *Passed) Begin() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin, t.busy = environment.Now(), true
	if t.timer == nil {
		t.timer = time.AfterFunc(t.of.limit, t.look)
	} else {
		t.timer.Reset(t.of.limit)
	}
}

// End ends a work, and reports whether others have passed it: there is another thread then, and
// this one is to end.
func (t *Passed) End() (passed bool) {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	if t.busy = false; t.passed {
		t.of.slow.Add(-1)
	}
	return t.passed
}

// look lets others pass. It may come late, when the next work has begun.
func (t *Passed) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.busy || t.passed || environment.Now()-t.begin < t.of.limit:
	case t.of.slow.Add(1) > t.of.most:
		t.of.slow.Add(-1)
		t.timer.Reset(t.of.limit)
	default:
		t.passed = true
		t.pass()
	}
}
