package show

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Printed figures as numbers, for formats whose columns sort by the figures that they show.

// figureStart is a printed figure: a number, perhaps with commas between thousands, and after it
// the whole that it is a part of, or its unit.
var figureStart = regexp.MustCompile(`^([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:\s+of\s+(\d[\d,]*)|\s*([\p{L}%]*))`)

// unitSizes turn figures of one column with different units into comparable ones.
var unitSizes = map[string]float64{
	"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600,
	"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "k": 1e3, "M": 1e6,
}

// SortValue reads a printed figure: "1,234", "12.3 µs [11, 13]", "3 of 4 (75%)" as a share, "2.00x
// faster" as the ratio of times 0.5, "~ [0.99, 1.03]" and "(the first)" as the ratio 1. ok is false
// for a text that does not begin with a figure.
func SortValue(body string) (float64, bool) {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "~") || body == TheFirst {
		return 1, true
	}
	m := figureStart.FindStringSubmatch(body)
	if m == nil {
		return 0, false
	}
	v := plainNumber(m[1])
	rest := body[len(m[1]):]
	switch {
	case m[2] != "":
		if of := plainNumber(m[2]); of != 0 {
			return v / of, true
		}
	case strings.HasPrefix(rest, "x faster") && v != 0:
		return 1 / v, true
	case unitSizes[m[3]] != 0:
		return v * unitSizes[m[3]], true
	}
	return v, true
}

// plainNumber reads a number that figureStart has found.
func plainNumber(s string) float64 {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return max(-math.MaxFloat64, min(math.MaxFloat64, v)) // a page has no infinity
}
