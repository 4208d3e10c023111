package algorithms

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A Builder is a State of an engine that builds what a mask needs when it is first needed, one mask
// after the other. Workers have one of them build, and the others finish what was built.
type Builder interface {
	State
	// Unbuilt guesses quickly whether the next mask needs building.
	Unbuilt() bool
	// Build builds that. Mask does so too where it was not called.
	Build()
}

// Workers are goroutines that advance batches of generations, step after step. They outlive a step:
// between two steps they spin for some 50 us and then sleep. So a step that comes soon starts no
// goroutine, takes no lock and wakes no sleeper.
//
// A batch is dealt out in equal parts, and a worker gets the same generations in every step: their
// stacks and rows are then still in its core's cache. A worker that is done with its part takes
// single generations from the ends of others' parts.
//
// Masks that need building are put off for one worker, the caller of Advance, whose cache has the
// engine's tables. It builds for all, and idle workers finish and deliver. Others build only where
// they have nothing else to do.
//
// A step has as many workers as shorten it. Its time is the work divided by the workers, plus the
// cost of each worker: their best number makes the two equal. The work is guessed from earlier
// steps; workers that are not needed sleep.
type Workers struct {
	current atomic.Pointer[advance]
	cost    float64   // of a generation in a step, in ns of one core: steps before, the last ones most
	look    int       // for how many steps more generations are asked whether their masks are built
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
	w := &Workers{look: lookFor}
	first := &advance{parts: make([]part, max(n, 1))}
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
	a := newAdvance(states, tokens, rows, w.worth(len(states)))
	w.look--
	if a.look = len(a.parts) > 1 && (w.look >= 0 || w.look%lookEvery == 0); a.look {
		a.unbuilt, a.built = newQueue(len(states)), newQueue(len(states))
	}
	if len(states) > 1 {
		w.begin(a)
	}
	w.learn(a)
	a.wait()
	if a.look && a.unbuilt.tail.Load() > 0 {
		w.look = lookFor
	}
	if p := a.panicked.Load(); p != nil {
		panic(*p)
	}
	return a.errs
}

// To ask a generation whether its mask is built takes some 2% of a step in which all are. So all
// are asked for lookFor steps after one was not, and then in one step of lookEvery.
const (
	lookFor   = 32
	lookEvery = 16
)

// perWorker is the cost of a worker in a step, in ns. On a machine of 16 cores the best numbers of
// workers were 2 for 8 us of work, 4 for 32 us and 8 for 200 us.
const perWorker = 2000

// worth is how many workers a step of n generations is worth.
func (w *Workers) worth(n int) int {
	all := len(w.others) + 1
	if w.cost == 0 {
		return all
	}
	return max(1, min(all, n, int(math.Sqrt(w.cost*float64(n)/perWorker)+0.5)))
}

// learn is the caller's part of a step, and what it says about the cost of a generation.
func (w *Workers) learn(a *advance) {
	if len(w.others) == 0 {
		a.work(0)
		return
	}
	begin := time.Now()
	finished := a.work(0)
	if finished == 0 {
		return
	}
	cost := float64(time.Since(begin).Nanoseconds()) / float64(finished)
	if w.cost == 0 {
		w.cost = cost
	}
	w.cost += (cost - w.cost) / 8
}

// begin gives the workers their next step, nil to end them. The others sleep on.
func (w *Workers) begin(a *advance) {
	w.current.Store(a)
	others := w.others
	if a != nil {
		others = others[:len(a.parts)-1]
	}
	for _, o := range others {
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
			if spin == maxSpins || o.number >= len(done.parts) {
				w.sleep(o, done)
				spin = 0
			}
			pause(spin)
			next = w.current.Load()
		}
		if next == nil {
			return
		}
		if done = next; o.number < len(next.parts) {
			next.work(o.number)
		}
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

// nap is how long a worker sleeps that has waited in vain for maxSpins looks for something to be
// built.
const nap = 20 * time.Microsecond

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

	// If look is true, generations are asked whether their masks are built. Those whose masks are
	// not are put in unbuilt, and then in built; open counts those on the way. building is true while
	// somebody builds.
	look           bool
	unbuilt, built *queue
	open           atomic.Int32
	building       atomic.Bool
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

// A turn is a worker's share of a step.
type turn struct {
	*advance
	number   int
	finished int
}

// work does a worker's share of a step: its own part, then generations that other workers left,
// then those put off. It returns how many generations it finished.
func (a *advance) work(number int) (finished int) {
	t := &turn{advance: a, number: number}
	for !t.run() {
	}
	if t.finished > 0 && a.left.Add(-int64(t.finished)) == 0 {
		a.done <- struct{}{}
	}
	return t.finished
}

// run works until there is nothing to do, or a generation panics. That is then finished.
func (t *turn) run() (ended bool) {
	defer func() {
		if r := recover(); r != nil {
			t.note(r)
			t.finished++
		}
	}()
	for spin := 0; ; spin++ {
		switch {
		case t.number == 0 && t.build(), t.next(), t.number > 0 && t.build():
			spin = 0
		case !t.look || t.open.Load() == 0:
			return true
		case spin < maxSpins:
			pause(spin)
		default:
			time.Sleep(nap)
		}
	}
}

// note keeps what the first engine that panicked said, and where. It comes before the generation is
// finished: Advance may return as soon as all are.
func (t *turn) note(panicked any) {
	said := fmt.Sprintf("%v\n\n%s", panicked, debug.Stack())
	t.panicked.CompareAndSwap(nil, &said)
}

// next takes the next generation that is built, or that nobody has taken, if there is one.
func (t *turn) next() bool {
	if i := t.parts[t.number].first(); i >= 0 {
		t.take(i)
		return true
	}
	if t.look {
		if i := t.built.pop(); i >= 0 {
			t.open.Add(-1)
			t.deliver(i)
			return true
		}
	}
	for k := 1; k < len(t.parts); k++ {
		if i := t.parts[(t.number+k)%len(t.parts)].last(); i >= 0 {
			t.take(i)
			return true
		}
	}
	return false
}

// take commits the token of a generation, if it has one, and delivers its mask, or puts that off.
func (t *turn) take(i int) {
	if t.tokens[i] >= 0 {
		if err := t.states[i].Commit(t.tokens[i]); err != nil {
			t.errs[i] = err
		}
	}
	if t.look {
		if b, ok := t.states[i].(Builder); ok && b.Unbuilt() {
			t.open.Add(1)
			t.unbuilt.push(i)
			return
		}
	}
	t.deliver(i)
}

// build builds for a generation whose mask was put off, if there is one and nobody else builds. If
// that panics, the mask is delivered all the same.
func (t *turn) build() bool {
	if !t.look || t.unbuilt.empty() || !t.building.CompareAndSwap(false, true) {
		return false
	}
	defer t.building.Store(false)
	i := t.unbuilt.pop()
	if i < 0 {
		return false
	}
	defer func() {
		if r := recover(); r != nil {
			t.note(r)
		}
		t.built.push(i)
	}()
	t.states[i].(Builder).Build()
	return true
}

// deliver delivers the mask of a generation, which is finished then.
func (t *turn) deliver(i int) {
	Deliver(t.states[i], t.rows[i])
	t.finished++
}

// A queue is generations, each of which is put in once at most.
type queue struct {
	slots      []atomic.Int32 // a generation's number and 1, or 0
	head, tail atomic.Int32
}

func newQueue(n int) *queue { return &queue{slots: make([]atomic.Int32, n)} }

// empty tells whether there is nothing in it.
func (q *queue) empty() bool { return q.head.Load() >= q.tail.Load() }

// push puts a generation in.
func (q *queue) push(i int) { q.slots[q.tail.Add(1)-1].Store(int32(i) + 1) }

// pop takes the generation that was put in first, or else -1.
func (q *queue) pop() int {
	for {
		at := q.head.Load()
		if at >= q.tail.Load() {
			return -1
		}
		i := q.slots[at].Load()
		if i == 0 {
			return -1 // it is being put in
		}
		if q.head.CompareAndSwap(at, at+1) {
			return int(i) - 1
		}
	}
}

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
