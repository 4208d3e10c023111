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
	cycles uint64
	gcNS   float64
}

// watch begins with start and ends with stop.
func watch(l *Loop) *watcher {
	return &watcher{loop: l, stopIt: make(chan struct{}), ended: make(chan struct{})}
}

func (w *watcher) start() {
	w.cycles, w.gcNS = collections()
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
	cycles, ns := collections()
	w.loop.ledger.Collections, w.loop.ledger.CollectNS = int64(cycles-w.cycles), int64(ns-w.gcNS)
}

// sample notes the state of the process.
func (w *watcher) sample() {
	l := w.loop
	l.ledger.Samples = append(l.ledger.Samples, [4]int64{l.now(), environment.Resident(), l.cachedBytes.Load(), environment.ProcessTime(0).Nanoseconds()})
}

// collections are the garbage collections of this process so far, and their processor time in ns.
func collections() (cycles uint64, ns float64) {
	list := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(list)
	return list[0].Value.Uint64(), 1e9 * list[1].Value.Float64()
}
