package site

import (
	"bytes"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"gcdbench/reports/draw"
	"gcdbench/reports/plots"
)

// The plots of a run, below the table with the same figures: as data for the script, and as SVG for
// readers without it.

// pageFigure is a figure's place on the page.
type pageFigure struct {
	ID, Caption string        // the ID begins with "figure-", since tables have ids such as ttfm too
	SVG         template.HTML // made by package plots, which escapes the names in it
}

// figureTables are the tables of plots whose name does not begin with the table's id.
var figureTables = map[string]string{"ecdf": "masks", "tradeoff": "bill", "cumulative": "spent", "throughput": "steps", "tbm": "steps"}

// place puts each plot below its table, or at the end if it has none, and returns the data of all.
func (r *run) place(figures []*plots.Figure, n names) ([]figureData, error) {
	list := []figureData{}
	for _, f := range figures {
		svg, err := f.SVG()
		if err != nil {
			return nil, err
		}
		// An SVG inside HTML begins at its element: the XML head is for files.
		if i := bytes.Index(svg, []byte("<svg")); i > 0 {
			svg = svg[i:]
		}
		on := pageFigure{"figure-" + f.Name, draw.Caption(f, n.Tokenizers), template.HTML(svg)}
		if i := r.tableOf(f.Name); i >= 0 {
			r.Sections[i].Figures = append(r.Sections[i].Figures, on)
		} else {
			r.Figures = append(r.Figures, on)
		}
		list = append(list, dataOf(f, n))
	}
	return list, nil
}

// tableOf is the section of a plot: the longest id that the plot's name is or begins with; -1 if
// there is none.
func (r *run) tableOf(figure string) int {
	best := -1
	for i, s := range r.Sections {
		belongs := isPart(figure, s.ID)
		for name, table := range figureTables {
			belongs = belongs || table == s.ID && isPart(figure, name)
		}
		if belongs && (best < 0 || len(s.ID) > len(r.Sections[best].ID)) {
			best = i
		}
	}
	return best
}

// isPart reports whether the name is the head, or the head and more after a hyphen.
func isPart(name, head string) bool { return name == head || strings.HasPrefix(name, head+"-") }

// figureData is a figure as the script reads it.
type figureData struct {
	Name      string      `json:"name"`
	XLabel    string      `json:"xlabel"`
	YLabel    string      `json:"ylabel"`
	X         axisData    `json:"x"`
	Y         axisData    `json:"y"`
	Points    bool        `json:"points"` // a reader looks for single points, not along lines
	Tokenizer string      `json:"tokenizer,omitempty"`
	Legend    []lineData  `json:"legend"`
	Panels    []panelData `json:"panels"`
}

// axisData is an axis with its ticks.
type axisData struct {
	plots.Axis
	Unit  string       `json:"unit"`
	Ticks []plots.Tick `json:"ticks"`
}

// lineData is the algorithm of a line, and its look.
type lineData struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm,omitempty"` // by label
	State     string `json:"state,omitempty"`
	plots.Style
}

// panelData is a panel and what it is about.
type panelData struct {
	Title     string             `json:"title"`
	Workload  string             `json:"workload,omitempty"`
	State     string             `json:"state,omitempty"`
	Series    []seriesData       `json:"series"`
	Crossings []plots.Overtaking `json:"crossings,omitempty"`
}

// seriesData is a line.
type seriesData struct {
	Line  int    `json:"line"` // in the figure's legend
	X     floats `json:"x"`
	Y     floats `json:"y"`
	XLow  floats `json:"xlow,omitempty"`
	XHigh floats `json:"xhigh,omitempty"`
	Low   floats `json:"low,omitempty"`
	High  floats `json:"high,omitempty"`
	Marks floats `json:"marks,omitempty"` // x and y in turn
}

// floats are numbers written with five digits: a screen shows no more, and the page is half as
// large.
type floats []float64

// MarshalJSON writes the list, with null for numbers that are not finite.
func (f floats) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range f {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, v, 'g', 5, 64)
	}
	return append(out, ']'), nil
}

// dataOf is the data of a plot. The titles of its panels, which are made of the set's names, tell
// what they are about.
func dataOf(f *plots.Figure, n names) figureData {
	d := figureData{Name: f.Name, XLabel: f.XLabel, YLabel: f.YLabel, X: axisData{f.X, f.X.Unit(), f.X.Ticks()}, Y: axisData{f.Y, f.Y.Unit(), f.Y.Ticks()}, Points: f.Points, Tokenizer: draw.VocabularyOf(n.Tokenizers, f.Name)}
	for _, p := range f.Panels {
		panel := panelData{Title: p.Title}
		panel.Workload, panel.State = n.about(p.Title)
		for _, s := range p.Series {
			d.Points = d.Points || s.Low != nil || s.XLow != nil
			panel.Series = append(panel.Series, seriesData{d.line(s, n), s.X, s.Y, s.XLow, s.XHigh, s.Low, s.High, coordinates(s.Marks)})
		}
		for _, c := range p.Crossings {
			if c.Tokens >= 1 { // as in package plots: the place of a part of a token says nothing
				panel.Crossings = append(panel.Crossings, c)
			}
		}
		d.Panels = append(d.Panels, panel)
	}
	return d
}

// line is the index of a series' line in the legend; it is added if missing.
func (d *figureData) line(s plots.Series, n names) int {
	line := lineData{Name: s.Name(), State: s.State, Style: s.Style}
	if slices.ContainsFunc(n.Algorithms, func(l plots.Line) bool { return l.Label == s.Label }) {
		line.Algorithm = s.Label
	}
	i := slices.IndexFunc(d.Legend, func(l lineData) bool { return l.Name == line.Name })
	if i < 0 {
		i = len(d.Legend)
		d.Legend = append(d.Legend, line)
	}
	return i
}

// coordinates are those of points, x and y in turn.
func coordinates(points []plots.Point) floats {
	var list floats
	for _, p := range points {
		list = append(list, p.X, p.Y)
	}
	return list
}

// about reads a panel's title such as "json", "json, new" or "new"; a missing part is "".
func (n names) about(title string) (workload, state string) {
	if slices.Contains(n.Workloads, title) {
		return title, ""
	}
	if slices.Contains(n.States, title) {
		return "", title
	}
	if i := strings.LastIndex(title, ", "); i >= 0 && slices.Contains(n.Workloads, title[:i]) && slices.Contains(n.States, title[i+2:]) {
		return title[:i], title[i+2:]
	}
	return "", ""
}
