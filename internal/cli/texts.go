package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"text/template"
	"time"

	"gcdbench/harness/stats"
	"gcdbench/internal/files"
	"gcdbench/internal/words"
	"gcdbench/reports/document"
)

// What commands print in words, and pages of tables in Markdown.

// pageFile has them as templates.
//
//go:embed texts.txt
var pageFile string

var pages = template.Must(words.Template("").Funcs(template.FuncMap{
	"holds": func(v *bool) bool { return *v },
	"within": func(unit string, ns int64) (time.Duration, error) {
		d, err := time.ParseDuration(unit)
		return time.Duration(ns).Round(d), err
	},
	"beginning": beginning, "split": func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") },
	"quoted":    func(s *string) string { return fmt.Sprintf("%q", *s) },
	"undecided": undecided, "tail": tailOf,
	"summary": summaryOf, "time": inTime, "three": threeTimes, "patterns": distinctPatterns, "quotient": quotient,
	"per":     func(a, b any) string { return fmt.Sprintf("%.1f", quotient(a, b)) },
	"percent": func(format string, part, all any) string { return fmt.Sprintf(format, 100*quotient(part, all)) },
	"cell":    func(text string) string { return strings.ReplaceAll(oneLine(errors.New(text)), "|", `\|`) },
	"two": func(format string, unit float64, s stats.Summary) string {
		if s.N == 0 {
			return "- | -"
		}
		return fmt.Sprintf(format+" | "+format, s.P50/unit, s.Max/unit)
	},
	"beyond": func(a, of, b, ofB int) int { return a - of + b - ofB },
	"rate": func(n, all int) string {
		if all == 0 {
			return "0/0"
		}
		i := stats.Wilson(n, all)
		return fmt.Sprintf("%d/%d [%.0f%%, %.0f%%]", n, all, 100*i.Low, 100*i.High)
	},
}).Parse(pageFile))

// say prints a result: as JSON, or else in the words of a template.
func (a *app) say(result any, name string, data any) error {
	return a.show(result, func(w io.Writer) error { return pages.ExecuteTemplate(w, name, data) })
}

// pageOf is a page.
func pageOf(name string, data any) string {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // tests make each page
	}
	return b.String()
}

// writePage writes a page into a file, unless it has no name.
func writePage(file, text string) error {
	if file == "" {
		return nil
	}
	return files.Named(os.WriteFile(file, []byte(text), 0o644))
}

// quotient divides numbers, by 1 at least.
func quotient(a, b any) float64 {
	return document.NumberIn(reflect.ValueOf(a)) / max(1, document.NumberIn(reflect.ValueOf(b)))
}

// summaryOf summarizes times.
func summaryOf(ns []uint32) stats.Summary { return stats.Summarize(stats.Floats(ns)) }

// threeTimes are the median, p99 and the longest.
func threeTimes(s stats.Summary) string {
	if s.N == 0 {
		return "- | - | -"
	}
	return inTime(s.P50) + " | " + inTime(s.P99) + " | " + inTime(s.Max)
}

// inTime is a time of so many nanoseconds, in the unit that suits it, with three significant
// digits: a fourth would be noise. It is a dash for a percentile of too few values.
func inTime(ns any) string {
	v := reflect.Indirect(reflect.ValueOf(ns))
	if !v.IsValid() {
		return "-"
	}
	d := time.Duration(math.Round(document.NumberIn(v)))
	step := time.Duration(1)
	for d.Abs() >= 1000*step {
		step *= 10
	}
	return d.Round(step).String()
}
