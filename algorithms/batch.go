package algorithms

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Advance is one decoding step of a batch of generations: it commits tokens[i] to states[i] and
// delivers the next mask into rows[i], for all i, on as many goroutines as there are processors.
// The rows are the caller's, as Deliver says. errs[i] is the refusal of tokens[i], if it was
// refused; rows[i] then has the mask of the state as it was. A negative token commits nothing: it
// is for the first step. The states must be distinct, and so must the rows.
//
// It starts goroutines in each call. Who makes many steps keeps Workers instead.
func Advance(states []State, tokens []int, rows [][]uint64) (errs []error) {
	w := NewWorkers(min(runtime.GOMAXPROCS(0), len(states)))
	defer w.Close()
	return w.Advance(states, tokens, rows)
}

// A Waiter is a State that knows when its mask would wait for what another State of its engine is
// building. Workers then go on with other States first.
type Waiter interface {
	State
	// WouldWait is a guess, and quick: Mask is right whatever it says.
	WouldWait() bool
}

// Workers are goroutines that advance batches of generations, step after step. They outlive a step:
// between two steps they look out for the next one for some 50 us and then sleep, so that a step
// that comes soon starts no goroutine, takes no lock and wakes nobody.
//
// A batch is dealt out in equal parts, the same generations to the same worker in every step: the
// stack and the row of a generation are then in the cache of the core that it was on before. A
// worker that is done with its part takes single generations from the ends of others' parts. A mask
// that would wait for what another worker is building is put off until the others are delivered.
type Workers struct {
	current atomic.Pointer[advance]
	others  []*worker // beside the caller of Advance
	running sync.WaitGroup
}

// A worker is one of the goroutines of Workers; its part of a batch is that by its number.
type worker struct {
	number int
	asleep atomic.Bool
	wake   chan struct{}
}

// NewWorkers starts n-1 goroutines; the caller of Workers.Advance is the n-th worker. With n below
// 2 there are none. Close ends them.
func NewWorkers(n int) *Workers {
	w := &Workers{}
	first := &advance{}
	w.current.Store(first)
	for i := 1; i < n; i++ {
		o := &worker{number: i, wake: make(chan struct{}, 1)}
		w.others = append(w.others, o)
		w.running.Go(func() { w.work(o, first) })
	}
	return w
}

// Close ends the goroutines, and returns when they have ended. Advance must not be called after it.
func (w *Workers) Close() {
	w.begin(nil)
	w.running.Wait()
}

// Advance is the function Advance with these workers. Only one goroutine may call it at a time. A
// panic of an engine is a panic of the call.
func (w *Workers) Advance(states []State, tokens []int, rows [][]uint64) (errs []error) {
	a := newAdvance(states, tokens, rows, len(w.others)+1)
	if len(states) > 1 {
		w.begin(a)
	}
	a.work(0)
	a.wait()
	if p := a.panicked.Load(); p != nil {
		panic(*p)
	}
	return a.errs
}

// begin gives the workers their next step, nil to end them.
func (w *Workers) begin(a *advance) {
	w.current.Store(a)
	for _, o := range w.others {
		if o.asleep.CompareAndSwap(true, false) {
			o.wake <- struct{}{}
		}
	}
}

// work is the life of a worker; done is the step that it has seen.
func (w *Workers) work(o *worker, done *advance) {
	for {
		next := done
		for spin := 0; next == done; spin++ {
			if spin == maxSpins {
				w.sleep(o, done)
				spin = 0
			}
			pause(spin)
			next = w.current.Load()
		}
		if next == nil {
			return
		}
		next.work(o.number)
		done = next
	}
}

// sleep returns once there may be another step than done.
func (w *Workers) sleep(o *worker, done *advance) {
	o.asleep.Store(true)
	if w.current.Load() != done && o.asleep.CompareAndSwap(true, false) {
		return // it came meanwhile, and nobody will wake us
	}
	<-o.wake
}

// maxSpins looks take some 50 us: longer than it takes to wake a goroutine, and not long beside the
// step of a model that somebody waits for.
const maxSpins = 1 << 14

// pause gives way to other goroutines, from time to time.
func pause(spin int) {
	if spin%256 == 255 {
		runtime.Gosched()
	}
}

// An advance is one step of a batch. A step has its own, so that a worker that comes late finds
// nothing to do and touches nothing of the next step.
type advance struct {
	states   []State
	tokens   []int
	rows     [][]uint64
	errs     []error
	parts    []part
	left     atomic.Int64 // generations that are not finished
	done     chan struct{}
	panicked atomic.Pointer[string]
}

// A part is the generations of a batch that nobody has taken yet, from the low to the high 32 bits.
// It has a cache line of its own: its worker takes from it without waiting for another core.
type part struct {
	todo atomic.Uint64
	_    [56]byte
}

func newAdvance(states []State, tokens []int, rows [][]uint64, workers int) *advance {
	n := len(states)
	a := &advance{states: states, tokens: tokens, rows: rows, errs: make([]error, n), parts: make([]part, workers), done: make(chan struct{}, 1)}
	a.left.Store(int64(n))
	for i := range a.parts {
		a.parts[i].todo.Store(uint64(n*i/workers) | uint64(n*(i+1)/workers)<<32)
	}
	return a
}

// first takes the first generation of a part, or else -1.
func (p *part) first() int {
	for {
		todo := p.todo.Load()
		from, to := uint32(todo), uint32(todo>>32)
		if from == to {
			return -1
		}
		if p.todo.CompareAndSwap(todo, todo+1) {
			return int(from)
		}
	}
}

// last takes the last generation of a part, or else -1.
func (p *part) last() int {
	for {
		todo := p.todo.Load()
		from, to := uint32(todo), uint32(todo>>32)
		if from == to {
			return -1
		}
		if p.todo.CompareAndSwap(todo, todo-1<<32) {
			return int(to) - 1
		}
	}
}

// work is what a worker does in a step: its own part, then what others have left.
func (a *advance) work(number int) {
	taken, finished := 0, 0
	var later []int // masks that would have waited
	defer func() {
		if r := recover(); r != nil {
			said := fmt.Sprintf("%v\n\n%s", r, debug.Stack())
			a.panicked.CompareAndSwap(nil, &said)
			finished = taken
			a.drop(&finished)
		}
		if finished > 0 && a.left.Add(-int64(finished)) == 0 {
			a.done <- struct{}{}
		}
	}()
	for k := range a.parts {
		p := &a.parts[(number+k)%len(a.parts)]
		take := p.last
		if k == 0 {
			take = p.first
		}
		for i := take(); i >= 0; i = take() {
			taken++
			if a.commit(i); a.wouldWait(i) {
				later = append(later, i)
				continue
			}
			a.deliver(i)
			finished++
		}
	}
	for len(later) > 0 {
		later = a.some(later, &finished)
	}
}

// some delivers masks that were put off: those that need not wait any more, or else the first.
func (a *advance) some(later []int, finished *int) (rest []int) {
	for _, i := range later {
		if a.wouldWait(i) {
			rest = append(rest, i)
			continue
		}
		a.deliver(i)
		*finished++
	}
	if len(rest) == len(later) {
		a.deliver(rest[0])
		*finished++
		rest = rest[1:]
	}
	return rest
}

// drop takes what is left and does nothing with it.
func (a *advance) drop(finished *int) {
	for k := range a.parts {
		for a.parts[k].first() >= 0 {
			*finished++
		}
	}
}

// commit commits the token of generation i, if it has one.
func (a *advance) commit(i int) {
	if a.tokens[i] >= 0 {
		if err := a.states[i].Commit(a.tokens[i]); err != nil {
			a.errs[i] = err
		}
	}
}

// wouldWait tells whether the mask of generation i would wait for another one's.
func (a *advance) wouldWait(i int) bool {
	w, ok := a.states[i].(Waiter)
	return ok && len(a.parts) > 1 && w.WouldWait()
}

func (a *advance) deliver(i int) { Deliver(a.states[i], a.rows[i]) }

// wait returns when all generations are finished.
func (a *advance) wait() {
	for spin := 0; spin < maxSpins; spin++ {
		if a.left.Load() == 0 {
			return
		}
		pause(spin)
	}
	<-a.done
}
