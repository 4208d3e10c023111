package algorithms

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Advance is one decoding step of a batch of generations: it commits tokens[i] to states[i] and
// delivers the next mask into rows[i], for all i, on as many goroutines as there are processors.
// The rows are the caller's, as Deliver says. errs[i] is the refusal of tokens[i], if it was
// refused; rows[i] then has the mask of the state as it was. A negative token commits nothing: it
// is for the first step. The states must be distinct, and so must the rows.
func Advance(states []State, tokens []int, rows [][]uint64) (errs []error) {
	errs = make([]error, len(states))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(states)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(states); i = int(next.Add(1)) - 1 {
				if tokens[i] >= 0 {
					errs[i] = states[i].Commit(tokens[i])
				}
				Deliver(states[i], rows[i])
			}
		})
	}
	wg.Wait()
	return errs
}
