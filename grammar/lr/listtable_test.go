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
