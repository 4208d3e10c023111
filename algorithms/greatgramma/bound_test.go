package greatgramma

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestStartsOver has lazy engines with less and less room read a program: the masks are the same,
// and what is held stays less.
func TestStartsOver(t *testing.T) {
	c := realtext.NeedWith(t, "java", "r50k_base", 1, recognizer.Options{OnDemand: true})
	c.Texts[0] = c.Texts[0][:min(len(c.Texts[0]), 300)]
	free := readWith(t, c, MaxHeld)
	if n := realtext.Counter(free, "started over"); n != 0 {
		t.Errorf("started over %v times where there was room", n)
	}
	tight := readWith(t, c, 1<<19)
	n := realtext.Counter(tight, "started over")
	if n == 0 {
		t.Error("512 KiB were enough")
	}
	if a, b := tight.Stats().Bytes, free.Stats().Bytes; a >= b {
		t.Errorf("%d bytes are held with little room, %d with much", a, b)
	}
	t.Logf("started over %v times", n)
}

// readWith takes an engine with some room through the texts, compared with one that has more than
// enough.
func readWith(t *testing.T, c *realtext.Case, room int) algorithms.Engine {
	t.Helper()
	set := settings{memo: true, slices: true, prune: true, always: true, share: true, lines: true, minMask: minMask, maxBytes: MaxBytes, maxHeld: room}
	e := newEngine(c.Problem, set)
	set.maxHeld = MaxHeld
	must.Get(c.Compare(newEngine(c.Problem, set), map[string]algorithms.Engine{"engine": e}))(t)
	return e
}
