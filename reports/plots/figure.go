// Package plots draws the figures of a report: small multiples with shared axes,
// one panel for each workload, one line for each algorithm.
//
// A figure is data (Figure), made by ECDF, Tail, TradeOff, Throughput, TimesOver, Serving and
// Cumulative; its methods turn it into SVG, PNG and PDF. Figures go into papers as they are. So
// both axes have units, and times are written as 100 ns or 1 µs; names stand beside the lines of a
// panel that is alone, else in a legend above the panels; all panels have the same range, so that
// they can be compared; intervals are drawn; and each algorithm has the same look in every figure
// (StyleOf), with a colour that colour-blind readers can tell from the other colours, and a dash
// and a marker for print in grey. Markers are at p50, p90 and p99, or at 10, 100 and 1,000 tokens.
//
// gonum's logarithmic axis panics on a value that is not above zero, so values are lifted to Least
// first, and the figure says so. Two renderings of one figure are equal byte for byte, in each
// format.
package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/recorder"
)

// Least is the smallest time on a logarithmic axis, in nanoseconds: half a nanosecond, below the
// resolution of any clock here.
const Least = 0.5

// Figure is a set of panels that share axes and legend.
type Figure struct {
	Name           string // of the files it goes into, without ending
	XLabel, YLabel string
	X, Y           Axis
	Legend         []Entry
	States         []Entry // of the engine, by dash; where the legend has them apart from labels
	Panels         []Panel
	Columns        int  // panels side by side; 0 for as many as suits their number
	Points         bool // there are points and no lines
	Lifted         int  // times below Least, which are drawn at Least

	record *recorder.Canvas // as it was drawn first
}

// Entry is a name of the legend and what is drawn before it.
type Entry struct {
	Label string
	Style Style
}

// Panel is one plot.
type Panel struct {
	Title     string
	Series    []Series
	Crossings []Overtaking // marked by a small open circle
}

// Series is one line, or one or more points.
type Series struct {
	Line
	Style       Style
	X, Y        []float64
	XLow, XHigh []float64 // interval of each X; nil for none
	Low, High   []float64 // interval of each Y; nil for none
	Marks       []Point   // where the line's marker stands
}

// Point is a place in a panel, in units of its axes.
type Point struct{ X, Y float64 }

// Axis is the range of an axis and how it is labelled.
type Axis struct {
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Log  bool    `json:"log"`
	Zero bool    `json:"zero,omitempty"` // Min, of a logarithmic axis, stands for zero, and what is below 1 lies evenly between
	// Doubling has the ticks of a logarithmic axis at powers of two.
	Doubling bool `json:"-"`
	Upright  bool `json:"-"` // its labels stand one above the other
	// Format labels a tick.
	Format func(float64) string `json:"-"`
}

// add puts a series into its panel.
func (f *Figure) add(panel string, s Series) {
	i := slices.IndexFunc(f.Panels, func(p Panel) bool { return p.Title == panel })
	if i < 0 {
		i = len(f.Panels)
		f.Panels = append(f.Panels, Panel{Title: panel})
	}
	f.Panels[i].Series = append(f.Panels[i].Series, s)
}

// dress gives every line its look, and makes the legend. It is called after all lines are added,
// since the dash shows states if there are several.
func (f *Figure) dress() {
	f.Y.Upright = true
	labels, states := f.names()
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			s.Style = s.Line.style(len(states) > 1)
		}
	}
	switch {
	case len(states) < 2:
		for _, l := range labels {
			f.Legend = append(f.Legend, Entry{l.Label, l.style(false)})
		}
	case len(labels) == 1:
		for _, state := range states {
			l := labels[0]
			l.State = state
			f.Legend = append(f.Legend, Entry{l.Name(), l.style(true)})
		}
	default: // every label in every state would be too long a list
		for _, l := range labels {
			s := l.style(false)
			s.Dash = nil
			f.Legend = append(f.Legend, Entry{l.Label, s})
		}
		for _, state := range states {
			f.States = append(f.States, Entry{state, Style{Color: "#000000", Dash: stateDash(state)}})
		}
	}
}

// names are the different labels, each with its line, and states of the figure as they come.
func (f *Figure) names() (labels []Line, states []string) {
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if !slices.ContainsFunc(labels, func(l Line) bool { return l.Label == s.Label }) {
				labels = append(labels, s.Line)
			}
			if s.State != "" && !slices.Contains(states, s.State) {
				states = append(states, s.State)
			}
		}
	}
	return labels, states
}

// lift is a time as a logarithmic axis can show it.
func (f *Figure) lift(ns float64) float64 {
	if ns < Least {
		f.Lifted++
		return Least
	}
	return ns
}

// finite reports whether all are numbers that an axis has a place for.
func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Duration labels a time given in nanoseconds: 100 ns, 1 µs, 10 ms, 1 s.
func Duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size*(1-1e-9) {
			return fmt.Sprintf("%g %s", round(ns/u.size), u.name)
		}
	}
	return fmt.Sprintf("%g ns", round(ns))
}

// Quantity labels a number: 500, 10k, 2M.
func Quantity(v float64) string {
	switch {
	case v >= 1e6*(1-1e-9):
		return fmt.Sprintf("%gM", round(v/1e6))
	case v >= 1e3*(1-1e-9):
		return fmt.Sprintf("%gk", round(v/1e3))
	}
	return fmt.Sprintf("%g", round(v))
}

// Share labels a share of one: 100%, 1%, 0.01%.
func Share(v float64) string { return fmt.Sprintf("%g%%", round(100*v)) }

// round drops the rounding errors of repeated multiplication by ten.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// decades widens a range to whole powers of ten, at least one.
func decades(low, high float64) (float64, float64) {
	const slack = 1e-9
	lo := math.Pow(10, math.Floor(math.Log10(low)+slack))
	hi := math.Pow(10, math.Ceil(math.Log10(high)-slack))
	if hi <= lo {
		hi = lo * 10
	}
	return lo, hi
}

// span is the range that a set of values needs on an axis.
type span struct{ low, high float64 }

// emptySpan holds nothing.
func emptySpan() span { return span{math.Inf(1), 0} }

// include widens the span; the values are above zero.
func (s *span) include(values ...float64) {
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
}

// around is a logarithmic axis with room on both sides, so that no marker lies on the frame.
func (s span) around(room float64, format func(float64) string) Axis {
	return Axis{Min: s.low / room, Max: s.high * room, Log: true, Format: format}
}
