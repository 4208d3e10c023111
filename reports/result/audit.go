package result

import (
	"fmt"
	"time"

	"gcdbench/harness/measure"
	"gcdbench/reports/show"
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
	// besideMost is the share of its compiles that a process may take beside them, and leastBeside the
	// processor time for each below which nothing is said: what garbage takes differs by as much.
	besideMost  = 0.5
	leastBeside = float64(10 * time.Millisecond)
	// movedMost is the share of walks with late masks, and leastMoved how many there must be: who
	// reports others' times does so in all of them, and a disturbed machine delays masks in many.
	movedMost  = 0.9
	leastMoved = 3
	// commitMost is the share of commits in steps from which mask times say nothing.
	commitMost = 0.75
)

// A Doubt is what speaks against an engine's times.
type Doubt struct {
	// Sign is one of outside (of its times), apart (steps are shorter one by one than in one piece),
	// unasked (it works between walks), blind (it knows documents from other processes), strays (its
	// threads left their core), commits (masks are made there), compiles (they take longer than it
	// says), and moved (a step's time is reported for another one).
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
		add("outside", "its process works outside of its times for %s as long as these", show.Percent(OutsideShare(a)))
	}
	if inside := min(a.BlockNS, a.BusyNS); inside > apartMost*a.SingleNS && inside-a.SingleNS > least {
		add("apart", "its steps take %s times as long in one piece as one by one, where something can be done between them", show.Significant(inside/max(1, a.SingleNS)))
	}
	if a.UnaskedNS > unaskedMost*a.AskedNS && a.UnaskedNS > float64(a.Requests)*leastUnasked {
		add("unasked", "its process works while nobody asks it anything, for %s as long as in its walks", show.Percent(a.UnaskedNS/a.AskedNS))
	}
	if a.BlindNS > blindMost*a.SeenNS && a.BlindNS-a.SeenNS > leastUnasked {
		add("blind", "its steps took %s times as long on a document that none of its processes had met as in a new process later, which knows it from elsewhere", show.Significant(a.BlindNS/max(1, a.SeenNS)))
	}
	if a.Moved >= leastMoved && float64(a.Moved) >= movedMost*float64(a.Looked) {
		add("moved", "in %d of %d walks masks came later than its steps took, whose time it reports for others", a.Moved, a.Looked)
	}
	if a.BesideNS > besideMost*a.CompileNS && a.BesideNS > float64(a.Compiles)*leastBeside {
		add("compiles", "its process works beside its compiles, of which it tells %s ms, for %s ms", show.Millis(a.CompileNS), show.Millis(a.BesideNS))
	}
	if a.Strays > 0 {
		add("strays", "it changed the cores or the priority of its threads")
	}
	if a.CommitNS > commitMost*a.SingleNS {
		add("commits", "%s of its steps are commits, so its mask times say nothing", show.Percent(a.CommitNS/a.SingleNS))
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

// OutsideShare is the processor time outside of an engine's times, as a share of them.
func OutsideShare(a *measure.Audit) float64 { return max(0, a.BusyNS-a.BlockNS) / max(1, a.BlockNS) }
