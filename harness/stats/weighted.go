package stats

import (
	"cmp"
	"slices"
)

// Weighted are N equal values.
type Weighted struct {
	Value float64
	N     int
}

// SummarizeWeighted is Summarize of all values of a list, without as many values: a long run has
// millions of tokens, and all those of a step have its time. It does not change the list.
func SummarizeWeighted(list []Weighted) Summary {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b Weighted) int { return cmp.Compare(a.Value, b.Value) })
	total, sum := 0, 0.0
	for _, w := range sorted {
		total, sum = total+w.N, sum+w.Value*float64(w.N)
	}
	if total == 0 {
		return Summary{}
	}
	quantile := func(q float64) float64 {
		left := rank(q, total)
		for _, w := range sorted {
			if left -= w.N; left <= 0 {
				return w.Value
			}
		}
		return sorted[len(sorted)-1].Value
	}
	high := func(q float64, least int) *float64 {
		if total < least {
			return nil
		}
		v := quantile(q)
		return &v
	}
	return Summary{N: total, Mean: sum / float64(total), P50: quantile(0.5), P90: quantile(0.9), P99: high(0.99, minP99), P999: high(0.999, minP999),
		Max: sorted[len(sorted)-1].Value}
}
