package site

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	underload "gcdbench/harness/load"
	"gcdbench/internal/words"
	"gcdbench/reports/result"
)

// Requests under load have a ranking of their own: how many a second an engine takes at the highest
// rate that keeps the limits.

// capacitySlice is the capacities of one run beside one model, the highest first.
type capacitySlice struct {
	capacityKey
	Rows []*result.Capacity
}

// capacityKey is what a slice is about.
type capacityKey struct{ Result, Page, Workload, Vocabulary, Model, Device, Grammars string }

// capacitySlices are those of all results, in their order.
func capacitySlices(results []*Result) (list []*capacitySlice) {
	for _, r := range results {
		for _, c := range r.Capacities {
			key := capacityKey{Result: r.Name, Page: r.page(), Workload: words.Visible(c.Workload), Vocabulary: words.Visible(c.Tokenizer), Model: words.Visible(c.Model),
				Device: words.Visible(c.Device), Grammars: words.Visible(c.Grammars)}
			at := slices.IndexFunc(list, func(s *capacitySlice) bool { return s.capacityKey == key })
			if at < 0 {
				at, list = len(list), append(list, &capacitySlice{capacityKey: key})
			}
			list[at].Rows = append(list[at].Rows, c)
		}
	}
	for _, s := range list {
		slices.SortStableFunc(s.Rows, func(a, b *result.Capacity) int { return cmp.Compare(b.Rate, a.Rate) })
	}
	return list
}

// Title says what the slice is about.
func (s *capacitySlice) Title() string {
	return fmt.Sprintf("%s with %s beside %s, %s", s.Workload, s.Vocabulary, s.Model, s.Grammars)
}

// engines are the rows without the line without masks.
func (s *capacitySlice) engines() []*result.Capacity {
	return slices.DeleteFunc(slices.Clone(s.Rows), func(c *result.Capacity) bool { return c.Label == underload.Unconstrained })
}

// says are who serves most and who is next, and their figures; "" without an engine.
func (s *capacitySlice) says() (first, next string) {
	list := s.engines()
	if len(list) == 0 {
		return "", ""
	}
	if first = capacityText(list[0]); len(list) > 1 {
		if next = capacityText(list[1]); !capacitiesApart(list[0], list[1]) {
			next = "a tie: " + next
		}
	}
	return first, next
}

// capacitiesApart reports whether the intervals of two capacities do not overlap: those of their
// shares of none's where both have one, since a repetition has the same requests for all engines.
func capacitiesApart(a, b *result.Capacity) bool {
	x, y := a.Interval, b.Interval
	if a.OfNoneInterval.Valid() && b.OfNoneInterval.Valid() {
		x, y = a.OfNoneInterval, b.OfNoneInterval
	}
	return x.Valid() && y.Valid() && (x.Low > y.High || y.Low > x.High)
}

// capacityText is an engine's capacity in words.
func capacityText(c *result.Capacity) string {
	if c.Rate == 0 {
		return words.Visible(c.Label) + ": keeps the limits at no rate"
	}
	text := fmt.Sprintf("%s: %s requests/s", words.Visible(c.Label), rateText(c.Rate))
	if c.OfNone != nil {
		text += fmt.Sprintf(", %s of none's", percentText(c.OfNone))
		if i := c.OfNoneInterval; i.Valid() {
			text += fmt.Sprintf(" [%s, %s]", percentText(&i.Low), percentText(&i.High))
		}
	}
	if c.NotTaken != nil && *c.NotTaken > 0 {
		text += fmt.Sprintf(", and refuses %s of what is sent", percentText(c.NotTaken))
	}
	return text
}

// rateText is a rate of requests.
func rateText(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// percentText is a share in percent; a dash for none.
func percentText(v *float64) string {
	if v == nil {
		return "–"
	}
	return strconv.FormatFloat(100**v, 'f', 0, 64) + "%"
}
