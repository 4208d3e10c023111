package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gcdbench/internal/words"
	"gcdbench/internal/yamltext"
)

// The patterns that durations and sizes are checked by; that of sizes also takes them apart.
var (
	durationRE = regexp.MustCompile(durationPattern)
	sizeRE     = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(B|kB|MB|GB|KiB|MiB|GiB)$`)
)

// sizeUnits are bytes for each unit: kB and MB are powers of ten, KiB and MiB powers of two, as the
// standards have it. "K" and "M" alone are left out, since half of all readers would be wrong about
// them.
var sizeUnits = map[string]float64{
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// ParseDuration reads a positive duration such as 500ms, 10m or 1h30m.
func ParseDuration(s string) (time.Duration, error) {
	if !durationRE.MatchString(s) {
		return 0, fmt.Errorf("bad duration %q", yamltext.Clip(s))
	}
	d, err := time.ParseDuration(s)
	if err != nil { // the form was checked
		return 0, fmt.Errorf("the duration %q is out of range, which ends at %.0fh", yamltext.Clip(s), math.Floor(time.Duration(math.MaxInt64).Hours()))
	}
	if d <= 0 {
		return 0, fmt.Errorf("the duration %q is not above zero", yamltext.Clip(s))
	}
	return d, nil
}

// ParseSize reads a positive size such as 512MiB, 8GiB or 100kB, in bytes. A
// number without unit is refused: nobody knows whether it meant bytes.
func ParseSize(s string) (int64, error) {
	m := sizeRE.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("bad size %q", yamltext.Clip(s))
	}
	f, err := strconv.ParseFloat(m[1], 64)
	bytes := f * sizeUnits[m[2]]
	if err != nil || bytes >= math.MaxInt64 {
		return 0, fmt.Errorf("the size %q is out of range", yamltext.Clip(s))
	}
	if bytes < 1 {
		return 0, fmt.Errorf("the size %q is not above zero", yamltext.Clip(s))
	}
	return int64(bytes), nil
}

// didYouMean returns a hint that starts with "; " when a word of list is close
// to got, and "" otherwise.
func didYouMean(got string, list []string) string {
	if name, n, ok := strings.Cut(got, ":"); ok && slices.Contains(list, name) {
		return fmt.Sprintf("; did you mean %q?", name+"[:"+n+"]")
	}
	if word, ok := words.Closest(got, list); ok {
		return fmt.Sprintf("; did you mean %q?", word)
	}
	return ""
}
