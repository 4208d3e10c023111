// Package stats turns raw times into the figures that tables show: percentiles
// and means, bootstrap intervals, paired ratios and pass rates.
//
// The masks of one document are not independent: its author's habits, its
// nesting and its strings come back in every one of them. An interval computed
// as if each mask were a fresh draw would be several times too narrow. So the
// bootstrap here resamples whole documents (clusters): the interval answers "what
// if other documents of this kind had been in the corpus?". With fewer than
// MinClusters documents that question has no honest answer, and no interval is
// given. Source: Davison and Hinkley, Bootstrap Methods and their Application,
// section 3.8 (cluster resampling), and the percentile method of section 5.3.
//
// All results are deterministic: the resampling is seeded, and the same data in
// the same order give the same interval on every machine.
package stats

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// MinClusters is the fewest documents an interval is computed from. Of two
	// documents a resample is one, the other, or both: half of all resamples
	// are a single document, and the interval says nothing.
	MinClusters = 3
	// Level is the coverage of every interval.
	Level = 0.95
	// maxResamples puts the ends of a 95% interval at the 25th value from either
	// side, beyond which more resamples change the third digit.
	maxResamples = 1000
	minResamples = 200
	// resampleBudget bounds the work: values looked at over all resamples. At a
	// nanosecond each it is a twentieth of a second, for each of the three series
	// of each cell; beyond a quarter of a million values, minResamples decides.
	resampleBudget = 50_000_000
)

// The fewest values that a high percentile is computed from: of fewer it would be
// the maximum under another name.
const (
	minP99  = 100
	minP999 = 1000
)

// Summary describes the distribution of a set of times, in nanoseconds. It is
// the object that `report --format json` prints for each phase. P99 is nil of
// fewer than 100 values and P999 of fewer than 1,000: JSON has null there, and a
// table a dash.
type Summary struct {
	N    int      `json:"n"`
	Mean float64  `json:"mean"`
	P50  float64  `json:"p50"`
	P90  float64  `json:"p90"`
	P99  *float64 `json:"p99"`
	P999 *float64 `json:"p999"`
	Max  float64  `json:"max"`
}

// quantiles are those of Summary, in its order.
var quantiles = [4]float64{0.5, 0.9, 0.99, 0.999}

// Summarize describes values, in any order; it does not change them. The zero
// Summary describes no values.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Summary{
		N:    len(sorted),
		Mean: mean(values),
		P50:  Quantile(sorted, 0.5),
		P90:  Quantile(sorted, 0.9),
		P99:  highQuantile(sorted, 0.99, minP99),
		P999: highQuantile(sorted, 0.999, minP999),
		Max:  sorted[len(sorted)-1],
	}
}

// Floats are values as numbers that can be summarized.
func Floats[T ~uint32 | ~int64](values []T) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// highQuantile is a quantile of at least so many values, or nil.
func highQuantile(sorted []float64, q float64, least int) *float64 {
	if len(sorted) < least {
		return nil
	}
	v := Quantile(sorted, q)
	return &v
}

// Figure is the value of a percentile that a Summary may lack, or NaN.
func Figure(percentile *float64) float64 {
	if percentile == nil {
		return math.NaN()
	}
	return *percentile
}

// Quantile is the smallest value that at least a share q of sorted is not above
// (nearest rank). It is always one of the values, so a p99 is a time that was
// measured. It is NaN of nothing.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[rank(q, len(sorted))-1]
}

// rank is the 1-based nearest rank of q among n values.
func rank(q float64, n int) int {
	// q*n of 0.99*100 is 99.00000000000001 in some orders of rounding; a rank
	// must not depend on that.
	r := int(math.Ceil(q*float64(n) - 1e-9))
	return min(max(r, 1), n)
}

// mean is the arithmetic one, in the order of the values, which makes it the same on
// every machine.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Interval is a confidence interval of coverage Level. The zero Interval means
// that none could be computed.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// MarshalJSON writes null where no interval could be computed, so that no program
// takes it for one from 0 to 0.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Valid() {
		return []byte("null"), nil
	}
	type plain Interval // without this method
	return json.Marshal(plain(i))
}

// Valid reports whether i was computed.
func (i Interval) Valid() bool { return i != Interval{} }

// Holds reports whether v lies in the interval; false if there is none.
func (i Interval) Holds(v float64) bool { return i.Valid() && i.Low <= v && v <= i.High }

// Data is a set of values, each from one cluster (document).
type Data struct {
	Values  []float64
	Cluster []int32 // of each value, from 0; not every number has to occur
}

// Add appends the values of one cluster.
func (d *Data) Add(cluster int, values ...float64) {
	for _, v := range values {
		d.Values = append(d.Values, v)
		d.Cluster = append(d.Cluster, int32(cluster))
	}
}

// clusters lists the cluster numbers that occur, ascending.
func (d *Data) clusters() []int32 {
	return slices.Compact(slices.Sorted(slices.Values(d.Cluster)))
}

// Intervals are the bootstrap intervals of a Summary's figures. The maximum has
// none: the largest of a resample is never above the largest seen, so the
// bootstrap says nothing about it. Those of P99 and P999 are zero where a Summary
// has no such figure.
type Intervals struct {
	Mean Interval `json:"mean"`
	P50  Interval `json:"p50"`
	P90  Interval `json:"p90"`
	P99  Interval `json:"p99"`
	P999 Interval `json:"p999"`
}

// Bootstrap computes the intervals of d's summary by resampling clusters.
func Bootstrap(d Data, seed uint64) Intervals {
	clusters := d.clusters()
	if len(clusters) < MinClusters {
		return Intervals{}
	}
	r := newResampler(d, clusters, seed)
	return intervals(r.resamples(), len(d.Values), func() (float64, [len(quantiles)]float64) {
		weights := r.draw()
		return r.mean(weights), r.quantiles(weights)
	})
}

// intervals are those of figures that are drawn so often, from that many values.
func intervals(resamples, values int, draw func() (mean float64, at [len(quantiles)]float64)) Intervals {
	var means []float64
	var at [len(quantiles)][]float64
	for range resamples {
		mean, drawn := draw()
		means = append(means, mean)
		for i, v := range drawn {
			at[i] = append(at[i], v)
		}
	}
	all := Intervals{
		Mean: percentileInterval(means),
		P50:  percentileInterval(at[0]),
		P90:  percentileInterval(at[1]),
	}
	if values >= minP99 {
		all.P99 = percentileInterval(at[2])
	}
	if values >= minP999 {
		all.P999 = percentileInterval(at[3])
	}
	return all
}

// BootstrapMean is Bootstrap for the mean alone, which costs a step for each cluster.
func BootstrapMean(d Data, seed uint64) Interval {
	clusters := d.clusters()
	if len(clusters) < MinClusters {
		return Interval{}
	}
	r := newResampler(d, clusters, seed)
	var means []float64
	for range maxResamples {
		means = append(means, r.mean(r.draw()))
	}
	return percentileInterval(means)
}

// percentileInterval cuts the tails off the values of all resamples.
func percentileInterval(values []float64) Interval {
	slices.Sort(values)
	tail := (1 - Level) / 2
	return Interval{Quantile(values, tail), Quantile(values, 1-tail)}
}

// resampler draws clusters with replacement. A resample is how often each
// cluster was drawn; the values are sorted once, and a quantile of a resample is
// a walk over them with those weights.
type resampler struct {
	rng     *rand.Rand
	values  []float64 // ascending
	cluster []int32   // dense cluster number of each value
	count   []int     // values per cluster
	sum     []float64 // of the values of each cluster
	weights []int
}

// newResampler sorts the values once. Equal values of different clusters stay in the order they
// came in.
func newResampler(d Data, clusters []int32, seed uint64) *resampler {
	r := &resampler{
		rng:     rand.New(rand.NewPCG(seed, 0x67636462656e6368)),
		count:   make([]int, len(clusters)),
		sum:     make([]float64, len(clusters)),
		weights: make([]int, len(clusters)),
	}
	order := make([]int32, len(d.Values))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.Values[a], d.Values[b]), int(a-b))
	})
	for _, i := range order {
		dense, _ := slices.BinarySearch(clusters, d.Cluster[i])
		r.values = append(r.values, d.Values[i])
		r.cluster = append(r.cluster, int32(dense))
		r.count[dense]++
		r.sum[dense] += d.Values[i]
	}
	return r
}

func (r *resampler) resamples() int {
	return min(max(resampleBudget/len(r.values), minResamples), maxResamples)
}

// draw returns how often each cluster is in the next resample. The slice is
// reused.
func (r *resampler) draw() []int {
	clear(r.weights)
	for range r.weights {
		r.weights[r.rng.IntN(len(r.weights))]++
	}
	return r.weights
}

// mean is that of a resample: of sums by cluster, and not of values.
func (r *resampler) mean(weights []int) float64 {
	sum, n := 0.0, 0
	for c, w := range weights {
		sum += float64(w) * r.sum[c]
		n += w * r.count[c]
	}
	return sum / float64(n)
}

// quantiles are those of a resample, in one walk.
func (r *resampler) quantiles(weights []int) (at [len(quantiles)]float64) {
	total := 0
	for c, w := range weights {
		total += w * r.count[c]
	}
	seen, next := 0, 0
	for i, v := range r.values {
		seen += weights[r.cluster[i]]
		for next < len(quantiles) && seen >= rank(quantiles[next], total) {
			at[next] = v
			next++
		}
		if next == len(quantiles) {
			break
		}
	}
	return at
}

// FalseFirst compares two truths for sorting: negative if only the second holds, positive if only
// the first does.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Truth is 1 of what is true, for counting.
func Truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
