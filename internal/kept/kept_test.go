package kept

import (
	"sync"
	"sync/atomic"
	"testing"
)

type (
	testKey  struct{ name string }
	otherKey struct{ name string }
)

// TestKept: a value is made once for each key and Kept, and each time where there is no Kept.
func TestKept(t *testing.T) {
	made := 0
	get := func(k *Kept, key any) int {
		return Value(k, key, func() int { made++; return made })
	}
	mine, yours := New(), &Kept{}
	for i, c := range []struct {
		k    *Kept
		key  any
		want int
	}{
		{mine, testKey{"a"}, 1}, {mine, testKey{"a"}, 1}, {yours, testKey{"a"}, 2}, {mine, testKey{"b"}, 3}, {mine, otherKey{"a"}, 4},
		{nil, testKey{"a"}, 5}, {nil, testKey{"a"}, 6}, {mine, testKey{"a"}, 1}, {yours, testKey{"a"}, 2},
	} {
		if got := get(c.k, c.key); got != c.want {
			t.Errorf("call %d: got %d, want %d", i, got, c.want)
		}
	}
}

// TestKeptWithinKept asks for one value while another is made.
func TestKeptWithinKept(t *testing.T) {
	k := New()
	outer := Value(k, testKey{"outer"}, func() int { return 1 + Value(k, testKey{"inner"}, func() int { return 10 }) })
	if inner := Value(k, testKey{"inner"}, func() int { return 0 }); outer != 11 || inner != 10 {
		t.Errorf("outer %d, inner %d", outer, inner)
	}
}

// TestKeptAfterPanic: a value that could not be made is made by the next who asks.
func TestKeptAfterPanic(t *testing.T) {
	k := New()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		Value(k, testKey{}, func() int { panic("cannot") })
	}()
	if got := Value(k, testKey{}, func() int { return 7 }); got != 7 {
		t.Errorf("got %d", got)
	}
}

// TestKeptConcurrently has many ask for the same and for other keys; run it with -race.
func TestKeptConcurrently(t *testing.T) {
	k := New()
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			name := string(rune('a' + i%4))
			if got := Value(k, testKey{name}, func() string { made.Add(1); return name }); got != name {
				t.Errorf("%s: got %s", name, got)
			}
		})
	}
	wg.Wait()
	if made.Load() != 4 {
		t.Errorf("%d values made for 4 keys", made.Load())
	}
}
