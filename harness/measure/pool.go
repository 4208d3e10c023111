package measure

import (
	"sync"
	"time"

	"gcdbench/harness/environment"
)

// A Pool is threads that do jobs, in the order in which they come. A job that takes longer than a
// limit is passed: it goes on, and another thread takes what comes behind it.
type Pool[J any] struct {
	do    func(J) (again bool)
	limit time.Duration
	most  int // jobs that may go on so

	mu      sync.Mutex
	came    sync.Cond // a job, or the end
	rested  sync.Cond // nothing is awaited
	jobs    []J
	hands   []*hand // the threads, but for those that were passed
	awaited int     // jobs that have come, and were neither done nor passed
	slow    int     // jobs that go on, passed
	over    chan struct{}
	closed  bool
	threads sync.WaitGroup
}

// A hand is a thread of a Pool.
type hand struct {
	begin  time.Duration // of its job; 0 for none
	passed bool
}

// NewPool has a number of threads do jobs. What is to be done again goes to the end. A job that
// takes longer than limit is passed, as far as no more than most go on so. A further one holds up
// others until one of those has ended. With a limit of 0 none is passed.
func NewPool[J any](threads int, limit time.Duration, most int, do func(J) (again bool)) *Pool[J] {
	p := &Pool[J]{do: do, limit: limit, most: most, over: make(chan struct{})}
	p.came.L, p.rested.L = &p.mu, &p.mu
	for range threads {
		p.begin()
	}
	if limit > 0 {
		p.threads.Go(p.watch)
	}
	return p
}

// Close forgets the jobs that no thread has taken, and returns when the others are done.
func (p *Pool[J]) Close() {
	p.mu.Lock()
	p.jobs, p.closed = nil, true
	p.came.Broadcast()
	p.mu.Unlock()
	close(p.over)
	p.threads.Wait()
}

// Submit has jobs done.
func (p *Pool[J]) Submit(jobs ...J) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs, p.awaited = append(p.jobs, jobs...), p.awaited+len(jobs)
	for range min(len(jobs), len(p.hands)) {
		p.came.Signal()
	}
}

// Wait returns when every job is done or was passed. Where none is passed, the caller does jobs
// too.
func (p *Pool[J]) Wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for caller := new(hand); p.limit == 0 && p.one(caller); {
	}
	for p.awaited > 0 {
		p.rested.Wait()
	}
}

// begin begins a thread; p.mu is held, but for the first ones.
func (p *Pool[J]) begin() {
	h := new(hand)
	p.hands = append(p.hands, h)
	p.threads.Go(func() { p.live(h) })
}

// live is the life of a thread, which ends with the job that was passed.
func (p *Pool[J]) live(h *hand) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed && !h.passed {
		if !p.one(h) {
			p.came.Wait()
		}
	}
}

// one does a job, if there is one; p.mu is held but for that.
func (p *Pool[J]) one(h *hand) bool {
	if len(p.jobs) == 0 {
		return false
	}
	job := p.jobs[0]
	p.jobs, h.begin = p.jobs[1:], environment.Now()
	p.mu.Unlock()
	again := p.do(job)
	p.mu.Lock()
	for again && h.passed {
		p.mu.Unlock()
		again = p.do(job)
		p.mu.Lock()
	}
	h.begin = 0
	switch {
	case h.passed:
		p.slow--
	case again:
		p.jobs = append(p.jobs, job)
	default:
		p.end()
	}
	return true
}

// end is the end of a job that was awaited; p.mu is held.
func (p *Pool[J]) end() {
	if p.awaited--; p.awaited == 0 {
		p.rested.Broadcast()
	}
}

// watch has others pass what takes long.
func (p *Pool[J]) watch() {
	for {
		select {
		case <-time.After(p.limit / 4):
		case <-p.over:
			return
		}
		p.mu.Lock()
		for i := len(p.hands) - 1; i >= 0; i-- {
			if h := p.hands[i]; h.begin > 0 && environment.Now()-h.begin > p.limit && p.slow < p.most && !p.closed {
				h.passed, p.slow = true, p.slow+1
				p.hands = append(p.hands[:i:i], p.hands[i+1:]...)
				p.begin()
				p.end()
			}
		}
		p.mu.Unlock()
	}
}
