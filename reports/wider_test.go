package reports

import (
	"bytes"
	"strings"
	"testing"

	"gcdbench/harness/cell"
)

// TestWider: the masks of an algorithm with a language of its own are compared with the contract's,
// and its times say how wide they are.
func TestWider(t *testing.T) {
	m := made{workloads: []string{"json"}, vocabulary: []int{50_000}, samples: 3}
	m.change = func(r *cell.Record, traces []cell.Trace) {
		wide := r.Label == "trie #2"
		if wide {
			r.ID.Semantics = "dmatch"
		}
		for i := range traces {
			s, trace := &r.Samples[traces[i].Sample], &traces[i]
			s.Allowed = 10 * len(trace.Positions)
			trace.Hashes = make([]uint64, len(trace.Positions))
			if wide && i != 1 { // 4 masks of 120 in all but the second document's 40, with 300 tokens too many
				trace.Hashes[0], trace.Hashes[7] = 1, 1
				s.Allowed += 600
			}
			if wide && i == 1 { // of which the number of tokens is not known
				s.Allowed = 0
			}
		}
		r.Key = r.ID.Key()
	}
	set, err := Load(m.store(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range set.Cells {
		if c.Label != "trie #2" {
			if c.Wider != nil {
				t.Errorf("%s: %+v", c.Label, c.Wider)
			}
			continue
		}
		want := Wider{Reference: set.Cells[0].Key, Positions: 80, Differ: 4, Allowed: 25, ContractAllowed: 10}
		if c.Wider == nil || *c.Wider != want {
			t.Errorf("%+v, want %+v", c.Wider, want)
		}
	}
	var text bytes.Buffer
	if err := Write(&text, set, "markdown"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"All 3 cells are right",
		"leave a part of the question to Commit: trie #2 refuses 1 of 1 negative, and 5.00% of its masks are not the contract's.",
		"Masks that are wider", "80 |                  4 | 5.00% |    25.0 |            10.0 |     15.0 |                        300 |", "masks are not the contract's at 4 of 80 positions, with 15.0 tokens too many per mask",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not have %q in\n%.6000s", want, text.String())
		}
	}
}
