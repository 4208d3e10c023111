package process

import (
	"fmt"
	"time"

	"gcdbench/engines/wire"
)

// A child has two limits of memory. Its resident size, the memory that it takes from the machine,
// is read while the child works; a child above the limit is killed. The system limits the address
// space, for a child that asks for all memory between two readings. Allocators reserve more than
// they use, so that limit is a multiple.
//
// As for the algorithms of this module, memory from before the first grammar does not count: the
// interpreter, its libraries, and the engine's tables of the vocabulary. It has a bound of its own.

const (
	// lookEvery is the time between two readings of the resident size. A reading takes some 10 us
	// of another core.
	lookEvery = 20 * time.Millisecond
	// addressFactor and addressSlack give the limit of the address space for a resident size:
	// allocators reserve some 64 MiB for each of a few arenas, and double their size.
	addressFactor = 2
	addressSlack  = 1 << 30
	// beforeGrammar is what a child may have until it has its vocabulary, if its limit is lower: psc
	// has 1.2 GiB for the 200,000 tokens of o200k_base, most of it garbage.
	beforeGrammar = 4 << 30
)

// limits are those in force.
type limits struct {
	settled  bool  // it has its vocabulary
	resident int64 // 0 for none
	free     int64 // resident, and not counted
	base     int64 // the address space before the first limit
}

// most is what a child may have now under a limit.
func (l *limits) most(limit int64) int64 {
	if l.settled {
		return limit
	}
	return max(limit, beforeGrammar)
}

// Settle has limits count from the present size of the child.
func (p *Process) Settle() {
	if p.hasEnded() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits = limits{settled: true, free: p.Resident()}
}

// limited reports whether the child has a limit of memory.
func (p *Process) limited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limits.resident > 0
}

// watch has the child killed when it outgrows a limit, until the returned function is called. 0
// is no limit.
func (p *Process) watch(limit int64) (stop func()) {
	if limit <= 0 {
		return func() {}
	}
	limit, free := p.setLimit(limit)
	end := make(chan struct{})
	go func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-end:
				return
			case <-look.C:
			}
			if size := p.Resident() - free; size > limit {
				p.kill(&Error{wire.OutOfMemory, fmt.Sprintf("its process grew to %d MiB, beside %d MiB before it had a grammar, above the limit of %d MiB", size>>20, free>>20, limit>>20)})
			}
		}
	}()
	return func() { close(end) }
}

// setLimit limits the address space, once for each limit, and returns the limit that holds now and
// the part of the resident size that does not count. Address space that the child has reserved
// before its hello (its program, its libraries, a runtime's arenas) does not count either.
func (p *Process) setLimit(limit int64) (most, free int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit = p.limits.most(limit)
	if p.Hello.OK == nil || p.limits.resident == limit || p.hasEnded() {
		return limit, p.limits.free
	}
	if p.limits.base == 0 {
		p.limits.base = addressSpace(p.pid)
	}
	p.limits.resident = limit
	limitAddressSpace(p.pid, p.limits.base+addressFactor*limit+addressSlack)
	return limit, p.limits.free
}

// family are the watcher and all below it.
func (p *Process) family() []int { return p.kin.of(p.cmd.Process.Pid) }

// Resident is the memory of the child and of the processes that it started, in bytes, without
// mapped files; 0 where the system does not tell.
func (p *Process) Resident() int64 {
	if p.hasEnded() {
		return 0
	}
	list, size := p.family()[1:], memoryOf
	if len(list) > 1 {
		size = partOf
	}
	sum := int64(0)
	for _, pid := range list {
		sum += size(pid, p.bulk.Load())
	}
	return sum
}

// Peak is the most memory that the child had since the last ResetPeak, in bytes; 0 where the
// system does not tell.
func (p *Process) Peak() int64 {
	if p.hasEnded() {
		return 0
	}
	pid := p.pid
	return max(0, highWater(pid)-shared(pid))
}

// ResetPeak begins a new peak.
func (p *Process) ResetPeak() {
	if !p.hasEnded() {
		resetHighWater(p.pid)
	}
}
