package site

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"gcdbench/harness/stats"
	"gcdbench/reports/show"
)

// WriteRanking writes the rankings of a result as text, those of the headline's state: the
// least mean step first, engines with a known fault last. "times" is the mean step over that of
// the first, with "~" where the two are not told apart.
func WriteRanking(w io.Writer, r *Result) error {
	for _, s := range slicesOf(r.rows()) {
		if !s.Rows[0].headline {
			continue
		}
		state := cmp.Or(s.State, "no times")
		fmt.Fprintf(w, "%s with %s, engine state %s\n\n", s.Workload, s.Vocabulary, state)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "engine\tmean step\t95%\ttimes\tp99\tfirst mask\tmemory\tright\t")
		for _, r := range s.Rows {
			interval := "–"
			if r.Low != nil && r.High != nil {
				interval = show.Time(*r.Low) + " to " + show.Time(*r.High)
			}
			times := "–"
			if first := s.Rows[0]; r.Mean != nil && first.Mean != nil {
				times = fmt.Sprintf("%.2f", stats.Quotient(*r.Mean, *first.Mean))
				if r != first && !apart(r, first) {
					times = "~ " + times
				}
			}
			fmt.Fprintln(t, strings.Join([]string{r.Engine, timeText(r.Mean), interval, times, timeText(r.P99), timeText(r.First), memoryText(r.Memory), r.Right}, "\t")+"\t")
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintln(w, "A step is a commit and a mask. ~: the intervals of the two means overlap, or there are none, and no difference is shown. An en dash stands where there is no figure: p99 is of at least 100 steps.")
	return err
}
