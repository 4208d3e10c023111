package lr

import (
	"slices"
	"testing"
)

func TestListTable(t *testing.T) {
	for _, lists := range [][][]int32{{}, {{}}, {{1}}, {{}, {3, 1, 3}, {}, {2}, {}}} {
		table := newListTable(len(lists), func(add func(list, value int32)) {
			for i, l := range lists {
				for _, v := range l {
					add(int32(i), v)
				}
			}
		})
		for i, want := range lists {
			if got := table.of(int32(i)); !slices.Equal(got, want) {
				t.Errorf("list %d of %v is %v", i, lists, got)
			}
		}
	}
}

// What an arena hands out does not overlap, at any size.
func TestArena(t *testing.T) {
	var a arena[int]
	var all [][]int
	for i := range 3000 {
		s := a.take(i * 7 % 300)
		for k := range s {
			s[k] = i
		}
		all = append(all, s)
	}
	all = append(all, a.take(5*mostRoom), a.clone([]int{1, 2}))
	for i, s := range all[:3000] {
		if len(s) != i*7%300 || slices.ContainsFunc(s, func(v int) bool { return v != i }) {
			t.Fatalf("slice %d was overwritten: %v", i, s)
		}
	}
	if !slices.Equal(all[3001], []int{1, 2}) || cap(all[3001]) != 2 {
		t.Errorf("clone: %v", all[3001])
	}
}
