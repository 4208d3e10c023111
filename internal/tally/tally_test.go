package tally_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/internal/tally"
)

type sheet struct {
	n atomic.Int64
	_ [56]byte
}

type owner struct{ Name [64]byte }

// TestSheets counts on several goroutines, by many owners, most of which are forgotten.
func TestSheets(t *testing.T) {
	var s tally.Sheets[sheet]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 50 {
				o := new(owner)
				x := tally.Of(&s, o)
				for range 10 {
					x.n.Add(1)
				}
				if i%10 == 0 {
					runtime.GC()
				}
				runtime.KeepAlive(o)
			}
		})
	}
	wg.Wait()
	sum, sheets := int64(0), 0
	s.Each(func(x *sheet) { sum, sheets = sum+x.n.Load(), sheets+1 })
	if sum != 2000 {
		t.Errorf("%d counted, want 2000", sum)
	}
	if sheets == 200 {
		t.Error("200 sheets for 200 owners: none was given back")
	}
}

// TestEngineEnds: an engine and its generations are found by one and the same collection.
func TestEngineEnds(t *testing.T) {
	ended := make(chan struct{})
	func() {
		engine := new(struct {
			owner
			sheets tally.Sheets[sheet]
		})
		runtime.AddCleanup(engine, func(c chan struct{}) { close(c) }, ended)
		tally.Of(&engine.sheets, new(owner)).n.Add(1)
	}()
	runtime.GC()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the engine outlives the collection that found its generations")
	}
}
