package constants

import (
	"sync"
	"testing"
)

// TestPrepare: a constant is made when it is asked for, the others by Prepare, each once.
func TestPrepare(t *testing.T) {
	var s Set
	made := map[string]int{}
	one := Of(&s, func() int { made["one"]++; return 1 })
	text := Of(&s, func() string { made["text"]++; return "text" })
	before := Built()
	if got := one(); got != 1 || made["one"] != 1 || made["text"] != 0 || Built() != before+1 {
		t.Fatalf("the first call: %d, made %v, %d built", got, made, Built()-before)
	}
	for range 2 {
		s.Prepare()
	}
	if one() != 1 || text() != "text" || made["one"] != 1 || made["text"] != 1 || Built() != before+2 {
		t.Errorf("prepared: %d %q, made %v, %d built", one(), text(), made, Built()-before)
	}
}

// TestConcurrently has many ask for the same constant; run it with -race.
func TestConcurrently(t *testing.T) {
	var s Set
	made := 0
	list := Of(&s, func() []int { made++; return []int{1, 2, 3} })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if len(list()) != 3 {
				t.Error("a list that is not finished")
			}
		})
	}
	wg.Wait()
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}
