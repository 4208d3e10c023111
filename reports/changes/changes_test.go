package changes

import (
	"bytes"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

// compared compares a made-up result with a changed one.
func compared(t *testing.T, change func(r *cell.Record, traces []cell.Trace), o CompareOptions) *Comparison {
	t.Helper()
	m := made.Results{Workloads: []string{"json"}, Vocabulary: []int{1000}, Samples: 8, Change: hashed}
	a := must.Get(result.Load(m.Store(t)))(t)
	m.Change = func(r *cell.Record, traces []cell.Trace) { hashed(r, traces); change(r, traces) }
	b := must.Get(result.Load(m.Store(t)))(t)
	c := must.Get(Compare(a, b, o))(t)
	return c
}

// hashed gives each position a mask.
func hashed(_ *cell.Record, traces []cell.Trace) {
	for i := range traces {
		for _, at := range traces[i].Positions {
			traces[i].Hashes = append(traces[i].Hashes, uint64(100*i)+uint64(at))
		}
	}
}

// scaled multiplies all times of steps of an algorithm, in both of its entries.
func scaled(algorithm string, by float64) func(*cell.Record, []cell.Trace) {
	return func(r *cell.Record, traces []cell.Trace) {
		if r.ID.Algorithm != algorithm {
			return
		}
		for _, t := range traces {
			for _, p := range t.Passes {
				for _, list := range [][]uint32{p.Lookup, p.Mask, p.Commit, p.Step} {
					for i := range list {
						list[i] = made.Nanoseconds(by * float64(list[i]))
					}
				}
			}
		}
	}
}

// verdictOf is the verdict on a figure of an algorithm.
func verdictOf(t *testing.T, c *Comparison, algorithm, figure string) Change {
	t.Helper()
	for _, x := range c.Changes {
		if x.Algorithm == algorithm && x.Figure == figure {
			return x
		}
	}
	t.Fatalf("no %s of %s in %v", figure, algorithm, c.Changes)
	return Change{}
}

// An unchanged result is neither faster nor slower, and no figure fails however small the share.
func TestCompareSame(t *testing.T) {
	c := compared(t, func(*cell.Record, []cell.Trace) {}, CompareOptions{})
	for _, x := range c.Changes {
		if x.Ratio == nil || *x.Ratio != 1 || x.Verdict != Equal && x.Verdict != Undecided {
			t.Errorf("%s %s: ratio %v, %s; nothing was changed", x.Algorithm, x.Figure, x.Ratio, x.Verdict)
		}
	}
	if list := c.Failures(0); len(list) > 0 {
		t.Errorf("failures: %v", list)
	}
}

// A change of all times is found with its size, in its direction, and fails only beyond its share;
// one within what an algorithm entered twice differs from itself is not told.
func TestCompareTimes(t *testing.T) {
	for _, test := range []struct {
		by   float64
		want Verdict
	}{{2, Slower}, {0.5, Faster}, {1.001, Undecided}} {
		c := compared(t, scaled("trie", test.by), CompareOptions{})
		for _, figure := range []string{"tbm_ns.new.geomean", "tbm_ns.new.mean", "mask_ns.new.p50"} {
			x := verdictOf(t, c, "trie", figure)
			if x.Verdict != test.want || *x.Ratio < 0.999*test.by || *x.Ratio > 1.001*test.by || *x.Low > 1.001*test.by || *x.High < 0.999*test.by {
				t.Errorf("times %v: %s is %v [%v, %v], %s; want %s", test.by, figure, *x.Ratio, *x.Low, *x.High, x.Verdict, test.want)
			}
			if y := verdictOf(t, c, "naive", figure); *y.Ratio != 1 {
				t.Errorf("naive was not changed and is %v", *y.Ratio)
			}
		}
		if fails := len(c.Failures(0.5)) > 0; fails != (test.want == Slower) {
			t.Errorf("times %v: failing over 50%% is %v", test.by, fails)
		}
		if list := c.Failures(1.5); len(list) > 0 {
			t.Errorf("times %v: failing over 150%%: %v", test.by, list)
		}
	}
}

// A document that is no longer right is wronger, on any machine; one that became right makes it
// righter; one that ran into a limit is neither.
func TestCompareRightness(t *testing.T) {
	ended := func(o cell.Outcome) func(*cell.Record, []cell.Trace) {
		return func(r *cell.Record, _ []cell.Trace) {
			if r.Label == "trie" {
				r.Samples[2].Outcome, r.Outcome = o, o
				r.Environment.CPU = "Another CPU"
			}
		}
	}
	c := compared(t, ended(cell.WrongVerdict), CompareOptions{})
	if x := verdictOf(t, c, "trie", "documents_right"); x.Verdict != Wronger || x.A != x.B+1 || len(c.Failures(10)) != 1 {
		t.Errorf("a wrong verdict more: %+v, failures %v", x, c.Failures(10))
	}
	c = compared(t, ended(cell.Timeout), CompareOptions{})
	if x := verdictOf(t, c, "trie", "documents_right"); x.Verdict != Equal {
		t.Errorf("a timeout more: %+v", x)
	}
	if x := verdictOf(t, c, "trie", "within_limits"); x.Verdict != NotComparable || x.A != x.B+1 {
		t.Errorf("a timeout more on another machine: %+v", x)
	}
	if got := worse(0, Wronger, 1, Righter, Equal); got != Righter {
		t.Errorf("one gained, none lost: %s", got)
	}
}

// Masks of the contract that differ are a finding, of which one of the two results is at fault.
func TestCompareMasks(t *testing.T) {
	c := compared(t, func(r *cell.Record, traces []cell.Trace) {
		if r.Label == "naive" {
			traces[0].Hashes[3]++
		}
	}, CompareOptions{})
	if x := verdictOf(t, c, "naive", "masks_equal"); x.Verdict != Differs || x.A != x.B+1 || len(c.Failures(10)) != 1 {
		t.Errorf("one mask differs: %+v, failures %v", x, c.Failures(10))
	}
	if x := verdictOf(t, c, "trie", "masks_equal"); x.Verdict != Equal || x.A != x.B {
		t.Errorf("no mask differs: %+v", x)
	}
}

// Times of two machines do not compare, unless that is asked for; those of two vocabularies never.
func TestCompareMachines(t *testing.T) {
	elsewhere := func(r *cell.Record, traces []cell.Trace) {
		r.Environment.CPU = "Another CPU"
		scaled("trie", 3)(r, traces)
	}
	c := compared(t, elsewhere, CompareOptions{})
	if x := verdictOf(t, c, "trie", "tbm_ns.new.mean"); x.Verdict != NotComparable || len(c.Failures(0)) > 0 {
		t.Errorf("on another machine: %+v, failures %v", x, c.Failures(0))
	}
	if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, "Example CPU 3000") || !strings.Contains(notes, "Another CPU") || !strings.Contains(notes, "--across") {
		t.Errorf("the machines are not told: %s", notes)
	}
	c = compared(t, elsewhere, CompareOptions{Across: true})
	if x := verdictOf(t, c, "trie", "tbm_ns.new.mean"); x.Verdict != Slower {
		t.Errorf("across machines: %+v", x)
	}
	c = compared(t, func(r *cell.Record, _ []cell.Trace) { r.ID.TokenizerSHA256 = made.Sum("another") }, CompareOptions{Across: true})
	if x := verdictOf(t, c, "trie", "tbm_ns.new.mean"); x.Verdict != NotComparable {
		t.Errorf("of another tokenizer: %+v", x)
	}
}

// Two algorithms of one result compare as two results do; a name that is not there is told with
// those that are.
func TestCompareAlgorithms(t *testing.T) {
	set := must.Get(result.Load(made.Results{Workloads: []string{"json"}, Vocabulary: []int{1000}, Samples: 8}.Store(t)))(t)
	c := must.Get(Compare(set, set, CompareOptions{Algorithm: "naive", With: "psc"}))(t)
	if x := verdictOf(t, c, "naive -> psc (compile=lazy)", "tbm_ns.new.mean"); x.Verdict != Faster || *x.Ratio > 0.1 {
		t.Errorf("naive and psc: %+v", x)
	}
	if _, err := Compare(set, set, CompareOptions{Algorithm: "naive", With: "gone"}); err == nil || !strings.Contains(err.Error(), `"gone"`) || !strings.Contains(err.Error(), "trie #2") {
		t.Errorf("an algorithm that is not there: %v", err)
	}
	var text bytes.Buffer
	must.OK(t, c.WriteText(&text))
	for _, want := range []string{"naive -> psc (compile=lazy)", "tbm_ns.new.p99", "faster", "the noise floor of tbm_ns.new.mean is"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}
