package reports

import (
	"bytes"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"gcdbench/reports/plots"
)

// The figures of the page: beside the table that has the same figures, as data for the script and as SVG for who has none.

// pageFigure is a figure's place on the page.
type pageFigure struct {
	ID, Caption string        // the ID begins with "figure-", since tables have ids such as ttfm too
	SVG         template.HTML // made by package plots, which escapes the names in it
}

// figureTables are the tables that figures belong to whose name does not begin with the table's id.
var figureTables = map[string]string{"ecdf": "masks", "tradeoff": "masks", "throughput": "steps"}

// place puts each figure beside its table, or behind all where it has none, and returns the data of all.
func (p *page) place(figures []*plots.Figure, n names) ([]figureData, error) {
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
		on := pageFigure{"figure-" + visible(f.Name), visible(f.YLabel + " over " + f.XLabel), template.HTML(svg)}
		if i := p.tableOf(f.Name); i >= 0 {
			p.Sections[i].Figures = append(p.Sections[i].Figures, on)
		} else {
			p.Figures = append(p.Figures, on)
		}
		list = append(list, dataOf(f, n))
	}
	return list, nil
}

// tableOf is the section that a figure belongs to: the one whose id the name is or begins with, the longest of several; -1
// if none.
func (p *page) tableOf(figure string) int {
	best := -1
	for i, s := range p.Sections {
		belongs := isPart(figure, s.ID)
		for name, table := range figureTables {
			belongs = belongs || table == s.ID && isPart(figure, name)
		}
		if belongs && (best < 0 || len(s.ID) > len(p.Sections[best].ID)) {
			best = i
		}
	}
	return best
}

// isPart reports whether the name is the head, or the head and more behind a hyphen.
func isPart(name, head string) bool { return name == head || strings.HasPrefix(name, head+"-") }

// figureData is a figure as the script reads it. Names in it are visible texts, as in the tables.
type figureData struct {
	Name      string      `json:"name"`
	XLabel    string      `json:"xlabel"`
	YLabel    string      `json:"ylabel"`
	X         axisData    `json:"x"`
	Y         axisData    `json:"y"`
	Tokenizer string      `json:"tokenizer,omitempty"`
	Legend    []entryData `json:"legend"`
	Panels    []panelData `json:"panels"`
}

// axisData is an axis.
type axisData struct {
	Min   float64    `json:"min"`
	Max   float64    `json:"max"`
	Log   bool       `json:"log"`
	Unit  string     `json:"unit"`
	Ticks []tickData `json:"ticks"`
}

// tickData is a tick; its label may be empty.
type tickData struct {
	At    float64 `json:"at"`
	Label string  `json:"label,omitempty"`
}

// entryData is an entry of the legend and what it is about.
type entryData struct {
	Name      string    `json:"name"`
	Algorithm string    `json:"algorithm,omitempty"`
	State     string    `json:"state,omitempty"`
	Color     string    `json:"color"`
	Dashes    []float64 `json:"dashes,omitempty"`
	Marker    string    `json:"marker"`
}

// panelData is a panel and what it is about.
type panelData struct {
	Title    string       `json:"title"`
	Workload string       `json:"workload,omitempty"`
	State    string       `json:"state,omitempty"`
	Series   []seriesData `json:"series"`
}

// seriesData is a line.
type seriesData struct {
	Entry  int    `json:"entry"`
	X      floats `json:"x"`
	Y      floats `json:"y"`
	Low    floats `json:"low,omitempty"`
	High   floats `json:"high,omitempty"`
	Points bool   `json:"points,omitempty"`
}

// floats are numbers written with five digits: more than a screen can show, and half the size of the page.
type floats []float64

// MarshalJSON writes the list; what is no finite number is null.
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

// dataOf takes a figure apart. What panels and entries are about follows from their names, which are made of those of the set.
func dataOf(f *plots.Figure, n names) figureData {
	d := figureData{Name: visible(f.Name), XLabel: visible(f.XLabel), YLabel: visible(f.YLabel), X: axisOf(f.X), Y: axisOf(f.Y), Tokenizer: visible(n.tokenizerOf(f.Name))}
	for i, name := range f.Legend {
		look := f.Look(i)
		algorithm, state := n.about(name, n.Algorithms)
		d.Legend = append(d.Legend, entryData{visible(name), visible(algorithm), visible(state), look.Color, look.Dashes, look.Marker})
	}
	for _, p := range f.Panels {
		workload, state := n.about(p.Title, n.Workloads)
		panel := panelData{Title: visible(p.Title), Workload: visible(workload), State: visible(state)}
		for _, s := range p.Series {
			panel.Series = append(panel.Series, seriesData{s.Style, s.X, s.Y, s.Low, s.High, s.Points})
		}
		d.Panels = append(d.Panels, panel)
	}
	return d
}

// axisOf is an axis with its ticks.
func axisOf(a plots.Axis) axisData {
	d := axisData{Min: a.Min, Max: a.Max, Log: a.Log, Unit: a.Unit()}
	for _, t := range a.Ticks() {
		d.Ticks = append(d.Ticks, tickData{t.Value, t.Label})
	}
	return d
}

// about takes a title such as "json", "json, new" or "new" apart; what is not there is "".
func (n names) about(title string, list []string) (name, state string) {
	if slices.Contains(list, title) {
		return title, ""
	}
	if slices.Contains(n.States, title) {
		return "", title
	}
	if i := strings.LastIndex(title, ", "); i >= 0 && slices.Contains(list, title[:i]) && slices.Contains(n.States, title[i+2:]) {
		return title[:i], title[i+2:]
	}
	return "", ""
}

// tokenizerOf is the vocabulary in a figure's name, the longest of several; "" if there is but one.
func (n names) tokenizerOf(figure string) string {
	best := ""
	for _, t := range n.Tokenizers {
		if strings.HasSuffix(figure, "-"+fileName(t)) && len(t) > len(best) {
			best = t
		}
	}
	return best
}
