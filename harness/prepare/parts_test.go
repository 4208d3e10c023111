package prepare

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"gcdbench/harness/config"
)

func TestChoosePositions(t *testing.T) {
	reader, other := &Entry{Algorithm: config.Algorithm{Name: Naive}}, &Entry{Algorithm: config.Algorithm{Name: "trie"}}
	for _, length := range []int{1, 2, 10, 100} {
		for _, n := range []int{1, 2, 7, 99, 100, 200} {
			s := &Document{Tokens: make([]int32, length)}
			s.Choose(n, rand.New(rand.NewPCG(1, 1)))
			some, every := s.PositionsOf(reader), s.PositionsOf(other)
			if want := min(n, length); len(some) != want {
				t.Errorf("%d of %d: %d positions", n, length, len(some))
			}
			if !slices.IsSorted(some) || len(slices.Compact(slices.Clone(some))) != len(some) {
				t.Errorf("%d of %d: %v", n, length, some)
			}
			if some[len(some)-1] != uint32(length-1) {
				t.Errorf("%d of %d: the end is not masked", n, length)
			}
			if len(every) != length || !slices.IsSorted(every) || every[0] != 0 || every[length-1] != uint32(length-1) {
				t.Errorf("%d of %d: others than naive are asked at %v", n, length, every)
			}
		}
	}
}

// TestAgain: a grammar is compiled as often as the configuration says, or five times unless that
// takes long.
func TestAgain(t *testing.T) {
	for _, x := range []struct {
		times int
		took  time.Duration
		want  int
	}{{0, 9 * time.Second, 5}, {0, 11 * time.Second, 1}, {3, time.Hour, 3}, {1, 0, 1}, {9, 0, 9}} {
		done := 0
		for took := time.Duration(0); Again(x.times, done, took); done++ {
			took = x.took
		}
		if done != x.want {
			t.Errorf("compiles: %d, %v each: compiled %d times, want %d", x.times, x.took, done, x.want)
		}
	}
}

func TestReferenceFirst(t *testing.T) {
	var list []*Entry
	for _, name := range []string{"a", "naive", "b", "naive"} {
		list = append(list, &Entry{Algorithm: config.Algorithm{Name: name}})
	}
	var got []string
	for _, e := range ReferenceFirst(list) {
		got = append(got, e.Name)
	}
	if !reflect.DeepEqual(got, []string{"naive", "naive", "a", "b"}) {
		t.Errorf("%v", got)
	}
}
