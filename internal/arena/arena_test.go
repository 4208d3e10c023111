package arena

import (
	"slices"
	"testing"
)

// TestArena: what an arena hands out does not overlap, at any size.
func TestArena(t *testing.T) {
	var a Arena[int]
	var all [][]int
	for i := range 3000 {
		s := a.Take(i * 7 % 300)
		for k := range s {
			s[k] = i
		}
		all = append(all, s)
	}
	all = append(all, a.Take(5*mostBytes), a.Clone([]int{1, 2}))
	for i, s := range all[:3000] {
		if len(s) != i*7%300 || slices.ContainsFunc(s, func(v int) bool { return v != i }) {
			t.Fatalf("slice %d was overwritten: %v", i, s)
		}
	}
	if !slices.Equal(all[3001], []int{1, 2}) || cap(all[3001]) != 2 {
		t.Errorf("clone: %v", all[3001])
	}
}
