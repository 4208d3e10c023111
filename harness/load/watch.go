package load

import (
	"runtime/metrics"
	"time"

	"gcdbench/harness/environment"
)

// every is the time between two samples of memory.
const every = 50 * time.Millisecond

// A watcher samples the memory of the process during a load.
type watcher struct {
	loop   *Loop
	stopIt chan struct{}
	ended  chan struct{}
	first  heap // before the load
	last   heap
}

// heap is what the collector says of this process.
type heap struct {
	cycles uint64
	ns     float64 // processor time
	live   int64   // bytes that the last collection found in use
}

// watch begins with start and ends with stop.
func watch(l *Loop) *watcher {
	return &watcher{loop: l, stopIt: make(chan struct{}), ended: make(chan struct{})}
}

func (w *watcher) start() {
	w.first = heapNow()
	w.last = w.first
	go func() {
		defer close(w.ended)
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			w.sample()
			select {
			case <-t.C:
			case <-w.stopIt:
				w.sample()
				return
			}
		}
	}()
}

// stop ends the samples, and counts collections.
func (w *watcher) stop() {
	close(w.stopIt)
	<-w.ended
	now := heapNow()
	w.loop.ledger.Collections, w.loop.ledger.CollectNS = int64(now.cycles-w.first.cycles), int64(now.ns-w.first.ns)
}

// sample notes the state of the process.
func (w *watcher) sample() {
	l := w.loop
	now := heapNow()
	l.mu.Lock()
	if now.cycles != w.last.cycles {
		l.fit(now.live - w.first.live)
	}
	cached := l.cache.Bytes
	l.mu.Unlock()
	w.last = now
	l.ledger.Samples = append(l.ledger.Samples, [4]int64{l.now(), environment.Resident(), cached, environment.ProcessTime(0).Nanoseconds()})
}

// fit holds the cache to its size by the heap. An engine that builds on the way says less of itself
// than what it holds: not its grammar, and not what it shares with others, which is bounded. So
// what all of them say is set against what the heap has grown by. l.mu is held.
func (l *Loop) fit(held int64) {
	if l.CacheBytes == 0 || l.cache.Bytes == 0 {
		return
	}
	l.cache.Limit(int64(float64(l.CacheBytes) * float64(l.cache.Bytes) / float64(max(held, l.cache.Bytes))))
}

// heapNow asks the collector.
func heapNow() heap {
	list := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(list)
	return heap{list[0].Value.Uint64(), 1e9 * list[1].Value.Float64(), int64(list[2].Value.Uint64())}
}
