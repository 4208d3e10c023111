package calibrate

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the verdict and two tables.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	if n := r.Failed(); n == 0 {
		b.WriteString("The clock is right: every time is found within 10% (or 20 ns), every ratio within 5% (or what 20 ns are of the shorter time), and the engine that is 5% slower is told apart.\n\n")
	} else {
		fmt.Fprintf(&b, "The clock is off in %d places, marked with !: was the machine busy with something else?\n\n", n)
	}
	const row = "%-26s  %12s  %12s  %12s  %12s  %s\n"
	fmt.Fprintf(&b, row, "engine (ns a mask)", "true", "5 passes", "1 pass", "first pass", "")
	for _, e := range r.Engines {
		fmt.Fprintf(&b, row, e.Name, number(e.True), number(e.Found), number(e.OnePass), number(e.First), mark(e.Right))
	}
	fmt.Fprintf(&b, "\n%-52s  %8s  %8s  %-18s  %s\n", "ratio", "true", "found", "95%", "")
	for _, p := range r.Pairs {
		fmt.Fprintf(&b, "%-52s  %8.4g  %8.4g  %-18s  %s\n", p.A+" / "+p.B, p.True, p.Found, fmt.Sprintf("%.4g to %.4g", p.Low, p.High), mark(p.Right))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// number writes a time with as many digits as it is worth.
func number(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}

// mark marks a figure that is not right.
func mark(right bool) string {
	if right {
		return ""
	}
	return "!"
}
