package algorithms

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Advance commits tokens[i] to states[i] and computes its next mask, for all i, on as many goroutines
// as there are processors: one decoding step of a batch of generations. masks[i] is valid as
// State.Mask says. errs[i] is the refusal of tokens[i], if it was refused; then masks[i] is the mask
// of the state as it was. A negative token commits nothing: it is for the first step. The states must
// be distinct.
func Advance(states []State, tokens []int) (masks []Mask, errs []error) {
	masks, errs = make([]Mask, len(states)), make([]error, len(states))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(states)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(states); i = int(next.Add(1)) - 1 {
				if tokens[i] >= 0 {
					errs[i] = states[i].Commit(tokens[i])
				}
				masks[i] = states[i].Mask()
			}
		})
	}
	wg.Wait()
	return masks, errs
}
