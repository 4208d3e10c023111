// Package show writes figures, and reads what it wrote: numbers with as many digits as are
// significant, shares, intervals, times and sizes.
package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// Short is the head of a hexadecimal sum, enough to compare two by eye.
func Short(sum string) string {
	const head = 12
	if len(sum) <= head {
		return sum
	}
	return sum[:head]
}

// NumberOrNone writes a number; none if it is not one.
func NumberOrNone(v float64, write func(float64) string) string {
	if math.IsNaN(v) {
		return None
	}
	return write(v)
}

// Whole writes a number without rounding if it is a whole one.
func Whole(v float64) string {
	const exact = 1 << 53 // up to there every whole number is a float64
	if v == math.Trunc(v) && math.Abs(v) < exact {
		return Count(int(v))
	}
	return Significant(v)
}

// Shortened keeps the end of a text that is long.
func Shortened(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return "..." + string(r[len(r)-most:])
}

// Plural counts things in words.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", words.Thousands(fmt.Sprint(n)), what)
}

// The format of figures. A column has one unit, so that figures can be compared, and a figure has
// as many digits as are significant.

// digits is how many significant digits a time is shown with. The intervals of a
// good measurement are around 1%, so a fourth digit would be noise.
const digits = 3

// None stands where there is no figure.
const None = "–"

// Significant writes v with three significant digits, in plain notation with a
// comma between thousands: 0.0123, 1.23, 123, 12,300.
func Significant(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return None
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

// Micros, millis and megabytes write a figure in the unit of their column, memory to the KiB.
func Micros(ns float64) string { return Significant(ns / 1e3) }

func Millis(ns float64) string { return Significant(ns / 1e6) }

func Megabytes(bytes int64) string {
	v := max(0, float64(bytes)) / (1 << 20)
	if v > 0 && v < 0.1 {
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return Significant(v)
}

func Count(n int) string { return words.Thousands(strconv.Itoa(n)) }

func Percent(share float64) string { return Significant(100*share) + "%" }

// MegabytesOrNone is megabytes, or none if the figure is unknown.
func MegabytesOrNone(bytes int64) string {
	if bytes == 0 {
		return None
	}
	return Megabytes(bytes)
}

// Interval writes [low, high] with f, or "" if there is none.
func Interval(i stats.Interval, f func(float64) string) string {
	if !i.Valid() {
		return ""
	}
	return " [" + f(i.Low) + ", " + f(i.High) + "]"
}

// Speed writes a ratio of times in words: 0.5 is "2x faster", 2 is "2x slower", and "~" a
// difference that is not significant.
func Speed(r stats.Ratio) string {
	switch {
	case r.N == 0:
		return None
	case r.Same():
		return "~" + Interval(r.Interval, Significant)
	case r.Value <= 1:
		turned := stats.Interval{}
		if r.Interval.Valid() {
			turned = stats.Interval{Low: 1 / r.Interval.High, High: 1 / r.Interval.Low}
		}
		return Significant(1/r.Value) + "x faster" + Interval(turned, Significant)
	}
	return Significant(r.Value) + "x slower" + Interval(r.Interval, Significant)
}

// Passed writes "12 of 12" with the Wilson interval in percent.
func Passed(k, n int, i stats.Interval) string {
	if n == 0 {
		return None
	}
	return fmt.Sprintf("%s of %s [%.0f–%.0f%%]", Count(k), Count(n), 100*i.Low, 100*i.High)
}

// Time writes nanoseconds in the unit that suits, with three digits.
func Time(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= 0.9995*u.size {
			return Significant(ns/u.size) + " " + u.name
		}
	}
	return Significant(ns) + " ns"
}

// Memory writes bytes in MiB.
func Memory(bytes float64) string { return Megabytes(int64(bytes)) + " MiB" }

// Nanos writes whole nanoseconds.
func Nanos(ns float64) string { return fmt.Sprintf("%.0f", ns) }

// ShareOf writes "12 of 14 (85.7%)", and plainly 0 of none.
func ShareOf(k, n int) string {
	switch {
	case n == 0:
		return None
	case k == 0:
		return "0 of " + Count(n)
	}
	return fmt.Sprintf("%s of %s (%s)", Count(k), Count(n), Percent(Share(k, n)))
}

// Share is k of n, from 0 to 1; n is not 0.
func Share(k, n int) float64 { return float64(k) / float64(n) }

// OneLine shortens a detail, which may be a stack trace, to what a footnote holds.
func OneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return words.Clip(s, 160)
}

// TheFirst stands where an algorithm would be compared with itself.
const TheFirst = "(the first)"

// Many counts things in words; the plural ending goes to the first word of the name.
func Many(n int, what string) string {
	first, rest, _ := strings.Cut(what, " of ")
	if rest != "" {
		rest = " of " + rest
	}
	return Plural(n, first) + rest
}
