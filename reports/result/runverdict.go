package result

import (
	"fmt"
	"math"
	"slices"

	"gcdbench/reports/show"
)

// A verdict on the run itself comes before its figures: a machine that did something else makes
// times that look like an algorithm's.

// The bounds beyond which a run counts as disturbed. An A/A comparison on a quiet machine differs
// by 3 to 7% in the mean; a run whose steps are interrupted shows it in a few of a hundred steps.
const (
	noisyMean  = 0.25 // by which share the means of an algorithm and its twin may differ
	noisySteps = 0.01 // of the timed steps, in which another thread had the core
	noisyTime  = 0.02 // of the time of the steps, during which the thread did not run
	noisyClock = 0.05 // by which share the rate of the processor's clock may move
)

// Quiet is the verdict on the run: how far the machine let the figures be about algorithms.
type Quiet struct {
	// Quiet is whether none of the signs exceeds its bound. Its signs are Disturbed, the share of
	// timed steps in which another thread had the core, Stolen, the share of their time in which the
	// thread did not run, and Twins, the largest share by which the mean step of an algorithm and of
	// its second entry differ; null without such an entry.
	Quiet     bool     `json:"quiet"`
	Disturbed float64  `json:"disturbed_steps"`
	Stolen    float64  `json:"stolen_time"`
	Twins     *float64 `json:"twins_differ"`
	// Passes is the largest share by which the mean steps of two later passes over the same documents
	// differ, of one cell; null where documents were not walked so often.
	Passes *float64 `json:"passes_differ"`
	// Clock is the share by which the rate of the processor's clock moved, between the quickest and
	// the slowest of the middle nine tenths of its readings in a session; null without readings.
	Clock *float64 `json:"clock_moved"`
	// Load is the most threads that wanted a core in the minute before the measurement began.
	Load float64 `json:"load_before"`
	// Cells are the keys of the cells whose figures noise makes meaningless.
	Cells []string `json:"noisy_cells"`

	Why   []string `json:"-"`
	Cores int      `json:"-"`
}

// verdict judges the run; nil if nothing was timed.
func (s *Set) verdict() *Quiet {
	q := &Quiet{Quiet: true, Cells: []string{}}
	steps, disturbed := 0, 0
	wall, stolen := 0.0, 0.0
	for _, c := range s.Cells {
		m := &c.Measured
		steps, disturbed = steps+m.Steps, disturbed+m.Disturbed
		wall, stolen = wall+float64(m.WallNS), stolen+float64(m.StolenNS)
		e := &c.Provenance.Environment
		q.Load, q.Cores = max(q.Load, e.Load), e.Cores
	}
	if steps == 0 {
		return nil
	}
	q.Disturbed, q.Stolen = float64(disturbed)/float64(steps), stolen/math.Max(1, wall)
	if q.Disturbed > noisySteps {
		q.says("another thread had the core in %s of the timed steps", show.Percent(q.Disturbed))
	}
	if q.Stolen > noisyTime {
		q.says("it did not run in %s of their time", show.Percent(q.Stolen))
	}
	if q.Clock = s.clockMoved(); q.Clock != nil && *q.Clock > noisyClock {
		q.says("the rate of the processor's clock moved by %s", show.Percent(*q.Clock))
	}
	var twins []string // cells that differ from their twins
	for _, n := range s.Noise() {
		differ := math.Max(n.Mean, 1/n.Mean) - 1
		if q.Twins == nil || differ > *q.Twins {
			q.Twins = &differ
		}
		if differ > noisyMean {
			q.says("%s and its twin %s differ by %s in the mean step on %s", n.A, n.B, show.Percent(differ), n.Workload)
			twins = append(twins, s.noisier(n)...)
		}
	}
	for _, c := range s.Cells {
		differ, ok := c.passesDiffer()
		if ok && (q.Passes == nil || differ > *q.Passes) {
			q.Passes = &differ
		}
		jumps := q.Twins == nil && ok && differ > noisyMean
		if c.noisy() || jumps {
			q.Cells = append(q.Cells, c.Key)
		}
		if jumps {
			q.says("passes of %s over the same documents of %s differ by %s in the mean step", c.Label, c.Workload, show.Percent(differ))
		}
	}
	q.Cells = append(q.Cells, twins...)
	return q
}

// clockMoved is Quiet.Clock. Sessions are apart, since each may be on a machine of its own.
func (s *Set) clockMoved() (most *float64) {
	for _, c := range s.Cells {
		sessions := map[int][]float64{}
		for i := range c.Record.Samples {
			x := &c.Record.Samples[i]
			sessions[x.Session] = append(sessions[x.Session], x.PaceNS...)
		}
		for _, paces := range sessions {
			if slices.Sort(paces); len(paces) < 2 {
				continue
			}
			ends := len(paces) / 20
			if moved := paces[len(paces)-1-ends]/paces[ends] - 1; most == nil || moved > *most {
				most = &moved
			}
		}
	}
	return most
}

// says adds a reason why the run was disturbed.
func (q *Quiet) says(format string, args ...any) {
	q.Quiet = false
	q.Why = append(q.Why, fmt.Sprintf(format, args...))
}

// noisy reports whether a cell was itself disturbed beyond the bounds.
func (c *Cell) noisy() bool {
	m := &c.Measured
	if m.Steps == 0 {
		return false
	}
	return float64(m.StolenNS) > noisyTime*float64(m.WallNS) || float64(m.Disturbed) > noisySteps*float64(m.Steps)
}

// noisier are the keys of the twins of an A/A comparison.
func (s *Set) noisier(n Noise) (keys []string) {
	for _, c := range s.Cells {
		if c.Workload == n.Workload && c.Tokenizer == n.Tokenizer && (c.Label == n.A || c.Label == n.B) {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// passesDiffer is the share by which the mean steps of two passes over documents that were walked
// before differ at most; ok is false if no document was walked so often.
func (c *Cell) passesDiffer() (differ float64, ok bool) {
	passes := math.MaxInt // that every document had
	for i := range c.Steps {
		passes = min(passes, len(c.Steps[i].passesIn(StateAgain)))
	}
	if len(c.Steps) == 0 || passes < 2 {
		return 0, false
	}
	sums := c.againSums()[:passes]
	return slices.Max(sums)/max(1, slices.Min(sums)) - 1, true
}

// Disturbed are the keys of the cells that have to be measured again after a disturbed run: of all
// cells of a workload and vocabulary of which one has figures that noise makes meaningless, or
// is undecided.
func (s *Set) Disturbed() (keys []string) {
	for _, g := range s.Groups() {
		if slices.ContainsFunc(g.Cells, func(c *Cell) bool { return s.Quiet.Marks(c) || c.Undecided() }) {
			for _, c := range g.Cells {
				keys = append(keys, c.Key)
			}
		}
	}
	return keys
}

// Marks reports whether noise makes a cell's figures meaningless.
func (q *Quiet) Marks(c *Cell) bool { return q != nil && slices.Contains(q.Cells, c.Key) }
