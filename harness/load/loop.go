package load

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// Compiled is a grammar that a compile thread has made.
type Compiled struct {
	Engine algorithms.Engine
	// Bytes is what it holds now.
	Bytes func() int64
}

// Loop serves requests in this process.
type Loop struct {
	Settings
	Requests []Request
	Size     int // |V|
	// Compile makes the engine of a grammar. Several goroutines call it. An *OutcomeError has the
	// outcome of the request; any other error is Failed.
	Compile func(ctx context.Context, grammar int) (*Compiled, error)
	// Checked gets the mask at a request's position Check.
	Checked func(request int, row []uint64)

	// Requests come, and compiles end, while the batch makes a step. mu guards what all of them use.
	mu      sync.Mutex
	cache   *Cache[*Compiled]
	waiting map[int][]int // requests by the grammar that is being compiled for them
	ready   []place       // requests, in the order in which they may begin
	next    int           // the first request that has not come
	out     int           // requests that have ended
	needed  int           // of the first ones, those that have not
	lost    int           // of those that count, those that missed the limits
	ledger  *Ledger       // its Requests

	compiles *measure.Pool[int] // of grammars
	wake     chan struct{}      // something happened, for a server that has nothing to do
	places   []place
	grown    []place // whose engines may have grown
	live     int
	slots    *measure.Apart
	begin    time.Duration
	last     int64 // the end of the last step
}

// OutcomeError is an error of Compile with the outcome that it means.
type OutcomeError struct {
	Outcome string
	Err     error
}

// Error is that of the cause.
func (e *OutcomeError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *OutcomeError) Unwrap() error { return e.Err }

// compileDone is a compile that has ended.
type compileDone struct {
	grammar    int
	made       *Compiled
	bytes      int64
	err        error
	begin, end int64
}

// A place of the batch has a generation.
type place struct {
	request  int // -1 for none
	compiled *Compiled
	unread   int // tokens of its prompt
	position int // of the token that the next step gives
}

// Run serves all requests and returns what happened. It ends at the latest at EndNS. The error is
// ctx's, or says that a compile did not stop when told to.
func (l *Loop) Run(ctx context.Context) (*Ledger, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	l.cache, l.waiting = NewCache[*Compiled](l.CacheBytes), map[int][]int{}
	l.wake = make(chan struct{}, 1)
	l.places = make([]place, l.Batch)
	for i := range l.places {
		l.places[i].request = -1
	}
	l.slots = measure.NewApart(l.Batch, l.MaskThreads, l.Size, time.Duration(l.YieldNS), slow)
	defer l.slots.Close()
	l.ledger = &Ledger{Requests: make([]Served, len(l.Requests))}
	// No more threads than cores, unless something lets others pass: on a thread that has nothing to
	// do Go marks garbage, on a core that a mask needs.
	threads := runtime.NumCPU()
	if l.YieldNS > 0 {
		threads += l.CompileThreads + 1 + 2*slow // compiles, and generations
	}
	defer measure.Procs(threads)()
	if l.GOGC > 0 {
		defer debug.SetGCPercent(debug.SetGCPercent(l.GOGC))
	}
	w := watch(l)
	l.needed, l.begin = l.Needed, environment.Now()
	l.compiles = measure.NewPool(l.CompileThreads, time.Duration(l.YieldNS), slow, func(grammar int) bool {
		d := compileDone{grammar: grammar, begin: l.now()}
		d.made, d.bytes, d.err = l.compileOne(inner, grammar)
		d.end = l.now()
		l.mu.Lock()
		l.compiled(d)
		l.mu.Unlock()
		l.notify()
		return false
	})
	var received sync.WaitGroup
	received.Go(func() { l.receive(inner) })
	w.start()
	err := l.serve(ctx)
	w.stop()
	cancel()
	stopped := make(chan struct{})
	go func() {
		received.Wait()
		l.compiles.Close()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(patience):
		return nil, errors.Join(err, errors.New("a compile does not stop when told to; nothing can be measured beside it"))
	}
	l.ledger.Evicted, l.ledger.CachePeak = l.cache.Evicted, l.cache.Peak
	return l.ledger, err
}

// patience is how long a compile may take to notice that it is not wanted.
const patience = 20 * time.Second

// now is the time since the start, in ns.
func (l *Loop) now() int64 { return (environment.Now() - l.begin).Nanoseconds() }

// receive takes in requests at their times, also while the batch makes a step, so that a compile
// does not wait for its end. So does the thread of vLLM's engine that reads requests.
func (l *Loop) receive(ctx context.Context) {
	if l.Streams > 0 {
		return
	}
	for at := range l.Requests {
		if wait := time.Duration(l.Requests[at].AtNS - l.now()); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return
		}
		l.mu.Lock()
		l.arrive()
		l.mu.Unlock()
		l.notify()
	}
}

// notify wakes a server that has nothing to do.
func (l *Loop) notify() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// slow is how many compiles, and how many generations, may go on that have let others pass. Further
// ones hold up others: what compiles at the same time is in memory at the same time.
const slow = 2

// compileOne compiles a grammar within the limit, makes its first mask where that is asked for, and
// weighs it.
func (l *Loop) compileOne(ctx context.Context, grammar int) (made *Compiled, bytes int64, err error) {
	if l.CompileNS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(l.CompileNS), errTooLong)
		defer cancel()
	}
	defer func() {
		if v := recover(); v != nil {
			made, err = nil, panicked(v)
		}
		if err != nil && errors.Is(context.Cause(ctx), errTooLong) {
			err = &OutcomeError{TimedOut, errTooLong}
		}
	}()
	if made, err = l.Compile(ctx, grammar); err != nil {
		return nil, 0, err
	}
	if l.Warm {
		algorithms.Deliver(made.Engine.Start(), make([]uint64, algorithms.MaskWords(l.Size)))
	}
	return made, made.Bytes(), nil
}

// errTooLong ends a compile.
var errTooLong = errors.New("its compile took longer than the limit")

// serve is the server: it makes steps until all requests have ended.
func (l *Loop) serve(ctx context.Context) error {
	for l.admit() {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case l.now() >= l.EndNS || l.cut():
			l.giveUp()
		case l.live > 0:
			if err := l.step(); err != nil {
				return err
			}
		default:
			l.idle(ctx)
		}
	}
	return nil
}

// arrive takes in the requests whose time has come, or of streams whose turn it is; l.mu is held.
func (l *Loop) arrive() {
	for now := l.now(); l.next < len(l.Requests); l.next++ {
		r := &l.Requests[l.next]
		at := r.AtNS
		if l.Streams > 0 {
			at = now
			if l.next-l.out >= l.Streams {
				return
			}
		}
		if at > now {
			return
		}
		l.ledger.Requests[l.next].Arrived = at
		l.take(l.next, r.Grammar)
	}
}

// take finds the grammar of a request, or has it compiled; l.mu is held.
func (l *Loop) take(request, grammar int) {
	s := &l.ledger.Requests[request]
	if l.None {
		l.ready = append(l.ready, place{request: request})
		return
	}
	made, hit := l.cache.Get(grammar)
	if hit {
		s.Hit, s.Compiling, s.Compiled = true, s.Arrived, s.Arrived
		l.ready = append(l.ready, place{request: request, compiled: made})
		return
	}
	if l.waiting[grammar] == nil {
		l.compiles.Submit(grammar)
	}
	l.waiting[grammar] = append(l.waiting[grammar], request)
}

// compiled hands a grammar to those who wait for it. They hold it to their end, whether the cache
// keeps it or not. l.mu is held.
func (l *Loop) compiled(d compileDone) {
	for _, request := range l.waiting[d.grammar] {
		s := &l.ledger.Requests[request]
		s.Compiling, s.Compiled = max(d.begin, s.Arrived), d.end
		if d.err != nil {
			l.end(request, outcomeOf(d.err), d.err.Error())
			continue
		}
		l.ready = append(l.ready, place{request: request, compiled: d.made})
	}
	delete(l.waiting, d.grammar)
	if d.err == nil {
		l.cache.Put(d.grammar, d.made, d.bytes)
	}
}

// outcomeOf is the outcome of a request whose grammar did not compile.
func outcomeOf(err error) string {
	var known *OutcomeError
	var lacks *algorithms.UnsupportedError
	switch {
	case errors.As(err, &known):
		return known.Outcome
	case errors.As(err, &lacks):
		return Unsupported
	}
	return Failed
}

// admit gives free places to requests that are ready. It is false when all that count have ended.
func (l *Loop) admit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Streams > 0 {
		l.arrive()
	}
	for i := range l.places {
		if len(l.ready) == 0 {
			break
		}
		if l.places[i].request >= 0 || l.slots.Busy(i) {
			continue
		}
		l.places[i], l.ready[0] = l.ready[0], place{} // nothing holds an engine but its generation
		l.ready = l.ready[1:]
		l.places[i].unread = l.Prompt
		l.live++
		l.ledger.Requests[l.places[i].request].Begun = l.now()
	}
	return l.needed > 0
}

// end ends a request; l.mu is held.
func (l *Loop) end(request int, outcome, detail string) {
	s := &l.ledger.Requests[request]
	s.Outcome, s.Detail = outcome, detail
	l.out++
	if request >= l.Needed {
		return
	}
	l.needed--
	if r := &l.Requests[request]; request >= l.Warmup && !r.Hostile && (outcome == OK || outcome == TimedOut) {
		l.lost += toInt(!s.good(&Limits{TTFTNS: l.TTFTNS, ITLNS: l.ITLNS}))
	}
}

// cut tells whether enough requests were lost.
func (l *Loop) cut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ledger.Cut = l.EnoughLost > 0 && l.lost >= l.EnoughLost
	return l.ledger.Cut
}

// giveUp ends all requests that are not done.
func (l *Loop) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.Needed {
		if l.ledger.Requests[i].Outcome == "" {
			l.end(i, Unfinished, "")
		}
	}
}

// longest is how long the server sleeps at most while nothing happens.
const longest = 50 * time.Millisecond

// idle waits for a request or a compile.
func (l *Loop) idle(ctx context.Context) {
	select {
	case <-l.wake:
	case <-time.After(longest):
	case <-ctx.Done():
	}
}
