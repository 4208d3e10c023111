package spanner

import "testing"

// TestMemos: the spans of a memo are found again, also behind a memo that fills a page, or more.
func TestMemos(t *testing.T) {
	var m memos
	sizes := []int{3, spanPage - 3, 0, 1, spanPage + 500, 0, 2, 0, spanPage}
	for i, n := range sizes {
		spans := make([]span, n)
		for k := range spans {
			spans[k].lo = int32(i)
		}
		m.add(place(i), -1, spans)
	}
	for i, n := range sizes {
		got := m.of(m.at(int32(i)))
		if len(got) != n || n > 0 && (got[0].lo != int32(i) || got[n-1].lo != int32(i)) {
			t.Errorf("memo %d has %d spans, not %d of its own", i, len(got), n)
		}
	}
}
