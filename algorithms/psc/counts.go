package psc

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A sheet counts the masks of one generation at a time, so that generations on different cores do
// not wait for each other's counts.
type sheet struct {
	depths [maxDepth + 1]atomic.Int64 // masks by the depth that they looked to
	forked atomic.Int64               // masks on forked stacks
	_      [56]byte                   // whole cache lines
}

// sheets are the sheets of an engine. A generation that nobody has any more leaves its sheet, with
// what is counted on it, to the next that needs one.
type sheets struct {
	mu        sync.Mutex
	all, free []*sheet
}

// of is a sheet for a generation.
func (s *sheets) of(g *gen) *sheet {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		made := new(sheet)
		s.all, s.free = append(s.all, made), append(s.free, made)
	}
	given := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	runtime.AddCleanup(g, s.giveBack, given)
	return given
}

func (s *sheets) giveBack(x *sheet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
}

// sum is the counts of all generations so far.
func (s *sheets) sum() (depths [maxDepth + 1]int64, forked int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.all {
		for d := range x.depths {
			depths[d] += x.depths[d].Load()
		}
		forked += x.forked.Load()
	}
	return depths, forked
}
