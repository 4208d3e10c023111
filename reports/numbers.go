package reports

import (
	"fmt"
	"math"
	"strconv"

	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// The format of figures. A column has one unit, so that figures can be compared, and a figure has
// as many digits as are significant.

// digits is how many significant digits a time is shown with. The intervals of a
// good measurement are around 1%, so a fourth digit would be noise.
const digits = 3

// none stands where there is no figure.
const none = "–"

// significant writes v with three significant digits, in plain notation with a
// comma between thousands: 0.0123, 1.23, 123, 12,300.
func significant(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case v == 0:
		return "0"
	}
	// strconv's 'g' has significant digits too, and turns to 1.2e+06 where a table wants 1,200,000.
	exponent := int(math.Floor(math.Log10(math.Abs(v))))
	scale := math.Pow(10, float64(digits-1-exponent))
	rounded := math.Round(v*scale) / scale
	if e := int(math.Floor(math.Log10(math.Abs(rounded)))); e > exponent {
		exponent = e // 9.996 became 10.0
	}
	return words.Thousands(strconv.FormatFloat(rounded, 'f', max(0, digits-1-exponent), 64))
}

// micros, millis and megabytes write a figure in the unit of their column, memory to the KiB.
func micros(ns float64) string { return significant(ns / 1e3) }
func millis(ns float64) string { return significant(ns / 1e6) }
func megabytes(bytes int64) string {
	v := max(0, float64(bytes)) / (1 << 20)
	if v > 0 && v < 0.1 {
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return significant(v)
}
func count(n int) string           { return words.Thousands(strconv.Itoa(n)) }
func percent(share float64) string { return significant(100*share) + "%" }

// megabytesOrNone is megabytes, or none if the figure is unknown.
func megabytesOrNone(bytes int64) string {
	if bytes == 0 {
		return none
	}
	return megabytes(bytes)
}

// interval writes [low, high] with f, or "" if there is none.
func interval(i stats.Interval, f func(float64) string) string {
	if !i.Valid() {
		return ""
	}
	return " [" + f(i.Low) + ", " + f(i.High) + "]"
}

// speed writes a ratio of times in words: 0.5 is "2x faster", 2 is "2x slower", and "~" a
// difference that is not significant.
func speed(r stats.Ratio) string {
	switch {
	case r.N == 0:
		return none
	case r.Same():
		return "~" + interval(r.Interval, significant)
	case r.Value <= 1:
		turned := stats.Interval{}
		if r.Interval.Valid() {
			turned = stats.Interval{Low: 1 / r.Interval.High, High: 1 / r.Interval.Low}
		}
		return significant(1/r.Value) + "x faster" + interval(turned, significant)
	}
	return significant(r.Value) + "x slower" + interval(r.Interval, significant)
}

// passed writes "12 of 12" with the Wilson interval in percent.
func passed(k, n int, i stats.Interval) string {
	if n == 0 {
		return none
	}
	return fmt.Sprintf("%s of %s [%.0f–%.0f%%]", count(k), count(n), 100*i.Low, 100*i.High)
}

// Time writes nanoseconds in the unit that suits, with three digits.
func Time(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= 0.9995*u.size {
			return significant(ns/u.size) + " " + u.name
		}
	}
	return significant(ns) + " ns"
}

// Memory writes bytes in MiB.
func Memory(bytes float64) string { return megabytes(int64(bytes)) + " MiB" }
