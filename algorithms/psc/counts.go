package psc

import (
	"sync/atomic"

	"gcdbench/internal/tally"
)

// A sheet counts the masks of one generation at a time.
type sheet struct {
	depths [maxDepth + 1]atomic.Int64 // masks by the depth that they looked to
	forked atomic.Int64               // masks on forked stacks
	_      [56]byte                   // whole cache lines
}

// counted is the counts of all generations so far.
func counted(s *tally.Sheets[sheet]) (depths [maxDepth + 1]int64, forked int64) {
	s.Each(func(x *sheet) {
		for d := range x.depths {
			depths[d] += x.depths[d].Load()
		}
		forked += x.forked.Load()
	})
	return depths, forked
}
