package load

import (
	"math"

	"gcdbench/harness/stats"
)

// Capacity is how many requests a second an engine takes at the highest rate that keeps the limits.
// Those that it does not take cost it nothing, and count for nothing.
type Capacity struct {
	Each []float64 `json:"each"` // of each repetition of the search
	Mean float64   `json:"mean"`
	// Interval is that of the mean, by Student's t; null of fewer than three.
	Interval stats.Interval `json:"interval"`
}

// Add adds a repetition.
func (c *Capacity) Add(rate float64) {
	c.Each = append(c.Each, rate)
	c.Mean = 0
	for _, r := range c.Each {
		c.Mean += r / float64(len(c.Each))
	}
	c.Interval = stats.MeanInterval(c.Each)
}

// NotTaken is the share of requests that the engine does not take.
func (f *Figures) NotTaken() float64 { return float64(f.Refused) / float64(max(1, f.Requests)) }

// Keeps tells whether a load kept the limits: as large a share of the requests as they say, of
// those that the engine takes.
func (l *Limits) Keeps(f *Figures) bool { return f.Requests > f.Refused && f.GoodShare >= l.Share }

// EnoughLost is the number of requests before a window, of so many needed ones, and how many in it
// have to miss the limits so that they cannot be kept, however many of the others are refused.
func (l *Limits) EnoughLost(requests []Request, needed int, w Window) (before, enough int) {
	const rounding = 1e-9
	counted := 0
	for _, r := range requests[:needed] {
		if r.AtNS < w.From {
			before++
		} else if !r.Hostile {
			counted++
		}
	}
	return before, 1 + int((1-l.Share)*float64(counted)+rounding)
}

// Bound is a rate that no server reaches: all places of the batch are taken in all steps, and no
// mask takes time. tokens is the mean number of a request.
func Bound(s *Settings, tokens float64) float64 {
	each := float64(s.Batch) / tokens // requests that begin and end in a step
	return 1e9 * each / s.ModelNS(s.Batch, each)
}

const (
	// beyond is where a search ends, in bounds: what is drawn may be shorter than the mean.
	beyond = 1.2
	// lowest is the share of the bound below which a capacity counts as none.
	lowest = 0.05
	// further is by which factor a search goes on from a rate that keeps the limits, as long as none
	// is known that does not.
	further = 1.2
)

// Search looks for the highest rate that keeps the limits, to a precision such as 0.05, from a
// first guess. keeps serves a load. It returns 0 if none does above a twentieth of the bound.
func Search(bound, guess, precision float64, keeps func(rate float64) (bool, error)) (float64, error) {
	low, high, found := 0.0, beyond*bound, false // found: high is known not to keep them
	for rate := guess; ; {
		ok, err := keeps(rate)
		switch {
		case err != nil:
			return 0, err
		case ok:
			low = rate
		default:
			high, found = rate, true
		}
		switch {
		case low == 0 && high < lowest*bound:
			return 0, nil
		case low > 0 && high <= low*(1+precision):
			return low, nil
		case low == 0:
			rate = high / 2
		case !found:
			rate = min(low*further, high)
		default:
			rate = math.Sqrt(low * high)
		}
	}
}
