package reports

import (
	"fmt"
	"strings"
	"time"

	"gcdbench/harness/measure"
)

// The times of an engine from outside are its own. Here they are held against the processor time of
// its process: what it does outside of its times is no engine's cost, and somebody pays it.

// The bounds beyond which the first screen tells of an engine.
const (
	// outsideMost is the share of its times that a process may take beside them, and unaskedMost the
	// share of the processor time of its walks that it may take between them.
	outsideMost = 0.05
	unaskedMost = 0.05
	// leastOutside and leastUnasked are the processor times of an audited walk, and between two
	// timed ones, below which nothing is said: an honest process takes 0.03 and 0.05 ms to be
	// woken, to read a line and to write one.
	leastOutside = float64(200 * time.Microsecond)
	leastUnasked = float64(100 * time.Microsecond)
	// apartMost is how many times as long as one by one the same steps may take in one piece. Honest
	// ones are quicker in one piece, since nothing passes through the caches in between.
	apartMost = 1.5
	// blindMost is how many times as long as later in a new process steps may take on a document that
	// no process of the engine had met.
	blindMost = 5
	// commitMost is the share of commits in steps from which mask times say nothing.
	commitMost = 0.75
)

// A Doubt is what speaks against an engine's times.
type Doubt struct {
	// Sign is one of outside (of its times), apart (steps are shorter one by one than in one piece),
	// unasked (it works between walks), blind (it knows documents from other processes), strays (its
	// threads left their core) and commits (masks are made there).
	Sign string `json:"sign"`
	Text string `json:"text"`
}

// Doubts are what speaks against the times of an engine from outside, by its processor time.
func (c *Cell) Doubts() (list []Doubt) {
	a := c.Measured.Audit
	if a == nil || a.Steps == 0 {
		return nil
	}
	least := float64(a.Walks) * leastOutside
	add := func(sign, format string, args ...any) { list = append(list, Doubt{sign, fmt.Sprintf(format, args...)}) }
	if tellsOutside(a, a.BusyNS) {
		add("outside", "its process works outside of its times for %s as long as these", percent(outsideShare(a)))
	}
	if inside := min(a.BlockNS, a.BusyNS); inside > apartMost*a.SingleNS && inside-a.SingleNS > least {
		add("apart", "its steps take %s times as long in one piece as one by one, where something can be done between them", significant(inside/max(1, a.SingleNS)))
	}
	if a.UnaskedNS > unaskedMost*a.AskedNS && a.UnaskedNS > float64(a.Requests)*leastUnasked {
		add("unasked", "its process works while nobody asks it anything, for %s as long as in its walks", percent(a.UnaskedNS/a.AskedNS))
	}
	if a.BlindNS > blindMost*a.SeenNS && a.BlindNS-a.SeenNS > leastUnasked {
		add("blind", "its steps took %s times as long on a document that none of its processes had met as in a new process later, which knows it from elsewhere", significant(a.BlindNS/max(1, a.SeenNS)))
	}
	if a.Strays > 0 {
		add("strays", "it changed the cores or the priority of its threads")
	}
	if a.CommitNS > commitMost*a.SingleNS {
		add("commits", "%s of its steps are commits, so its mask times say nothing", percent(a.CommitNS/a.SingleNS))
	}
	return list
}

// Undecided reports whether something else had the core in audited walks for so long that as much
// work outside of its times would be seen in an engine that had it alone, and nothing is seen.
func (c *Cell) Undecided() bool {
	a := c.Measured.Audit
	return a != nil && a.Steps > 0 && !tellsOutside(a, a.BusyNS) && tellsOutside(a, a.BusyNS+a.WaitedNS)
}

// tellsOutside reports whether a processor time in audited walks is beyond the bounds.
func tellsOutside(a *measure.Audit, busy float64) bool {
	return busy-a.BlockNS > max(outsideMost*a.BlockNS, float64(a.Walks)*leastOutside)
}

// outsideShare is the processor time outside of an engine's times, as a share of them.
func outsideShare(a *measure.Audit) float64 { return max(0, a.BusyNS-a.BlockNS) / max(1, a.BlockNS) }

// doubtText says on the first screen which engines' times do not hold; "" if all do.
func (s *Set) doubtText() string {
	var list []string
	var undecided []string
	for _, c := range s.Cells {
		if c.Undecided() {
			undecided = append(undecided, c.Label+" on "+c.Workload)
		}
		for _, d := range c.Doubts() {
			list = append(list, fmt.Sprintf("%s on %s: %s", c.Label, c.Workload, d.Text))
		}
	}
	text := ""
	if len(list) > 0 {
		text = "Times that do not hold against the processor time of their process (table audit): " + strings.Join(list, "; ") + ". "
	}
	if len(undecided) > 0 {
		text += "Undecided, since something else had the core in every walk that could have told: " + strings.Join(undecided, "; ") + ". Stop other programs and run again with --settle 30m."
	}
	return strings.TrimSpace(text)
}

// auditTable holds the times of engines from outside against processor time; nil without any.
func (s *Set) auditTable() *Table {
	has := func(c *Cell) bool { return c.Measured.Audit != nil && c.Measured.Audit.Steps > 0 }
	of := partOf(func(c *Cell) *measure.Audit { return c.Measured.Audit })
	return each(s, titled("audit"), where(has), []figure[*Cell]{
		of("outside of times", func(a *measure.Audit) string { return percent(outsideShare(a)) }),
		of("not asked", func(a *measure.Audit) string { return percent(a.UnaskedNS / max(1, a.AskedNS)) }),
		of("commits", func(a *measure.Audit) string { return percent(a.CommitNS / max(1, a.SingleNS)) }),
	}).orNil()
}
