package site

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"strings"

	"gcdbench/harness/stats"
	"gcdbench/internal/words"
	"gcdbench/reports/output"
	"gcdbench/reports/plotjs"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// pageFiles are templates, style and script.
//
//go:embed page
var pageFiles embed.FS

// templates are those of all pages; each is named after its file.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"time": timeText, "memory": memoryText, "value": valueText, "thousands": show.Count,
	"slug": func(engine string) string { return slug(first(engine)) }, "visible": words.VisibleLines, "valid": func(v *bool) bool { return *v },
	"percent": percentText, "p50": func(s *stats.Summary) *float64 { return &s.P50 }, "mib": func(bytes int64) string { v := float64(bytes); return memoryText(positive(v)) },
	"rate": func(c *result.Capacity) string {
		if c.Interval.Valid() {
			return fmt.Sprintf("%s [%s, %s]", rateText(c.Rate), rateText(c.Interval.Low), rateText(c.Interval.High))
		}
		return rateText(c.Rate)
	},
}).ParseFS(pageFiles, "page/*.html"))

// first is an engine's name without the number of a second entry.
func first(engine string) string {
	name, _, _ := strings.Cut(engine, " #")
	return name
}

// timeText is a time with its unit, or a dash for none.
func timeText(ns *float64) string {
	if ns == nil {
		return "–"
	}
	return show.Time(*ns)
}

// memoryText is memory with its unit, or a dash for none.
func memoryText(bytes *float64) string {
	if bytes == nil {
		return "–"
	}
	return show.Memory(*bytes)
}

// valueText is a figure for sorting, "" for none.
func valueText(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// page is the data of any page.
type page struct {
	Title   string
	Scripts []string // beside site.js
	Body    any
	Alone   *alone // nil for a page that is not one file
}

// writer collects the files of a site.
type writer struct {
	results []*Result
	rows    []*row
	slices  []*slice
	files   []output.File
	err     error
}

// pages are all files of the site.
func pages(results []*Result) ([]output.File, error) {
	w := &writer{results: results, rows: rows(results)}
	w.slices = slicesOf(w.rows)
	w.index()
	w.engines()
	w.workloads()
	w.differences()
	w.resultPages()
	w.page("compare.html", "compare", page{Title: "Two engines side by side", Scripts: []string{"data.js", "compare.js"}})
	w.page("history.html", "history", page{Title: "History over revisions", Scripts: []string{"data.js", "d3.min.js", "plot.umd.min.js", "history.js"}})
	w.assets()
	return w.files, w.err
}

// page adds a page that a template makes.
func (w *writer) page(name, kind string, p page) {
	text, err := p.render(kind)
	w.add(output.File{Name: name, Data: text}, err)
}

// assets adds style, scripts, data and records.
func (w *writer) assets() {
	for _, name := range []string{"site.css", "site.js", "home.js", "compare.js", "history.js", "plot.js"} {
		w.add(output.File{Name: name, Data: []byte(pageFile(name))}, nil)
	}
	w.add(output.File{Name: "d3.min.js", Data: []byte(plotjs.D3)}, nil)
	w.add(output.File{Name: "plot.umd.min.js", Data: []byte(plotjs.Plot)}, nil)
	w.add(w.data())
	for _, r := range w.results {
		w.add(r.data())
	}
}

// data is the script with all rows: the names of their figures once, and a list of values for each,
// without those that are as in the row before. It also has when and by which revision each result
// was measured.
func (w *writer) data() (output.File, error) {
	var b bytes.Buffer
	b.WriteString("const rows = (([names, ...lists], last = {}) => lists.map(list => last = { ...last, ...Object.fromEntries(list.flatMap((v, i) => [[names[i], v]])) }))([\n")
	fields := reflect.TypeFor[row]()
	var names []any
	for i := range fields.NumField() {
		if name := fields.Field(i).Tag.Get("json"); name != "" {
			names = append(names, name)
		}
	}
	lists := [][]any{names}
	for _, r := range w.rows {
		var list []any
		for i := range names { // the fields of the script come first
			list = append(list, reflect.ValueOf(*r).Field(i).Interface())
		}
		lists = append(lists, list)
	}
	before := make([]string, len(names))
	for n, list := range lists {
		for i, value := range list {
			text, err := json.Marshal(value)
			if err != nil {
				return output.File{}, err
			}
			b.WriteByte("[,"[min(i, 1)])
			if n < 2 || string(text) != before[i] { // all of the names, and of the first row
				before[i] = string(text)
				b.Write(text)
			}
		}
		b.WriteString("],\n")
	}
	runs := map[string][2]string{}
	for _, r := range w.results {
		runs[r.Name] = [2]string{r.revision(), r.finished()}
	}
	text, err := json.Marshal(runs)
	fmt.Fprintf(&b, "]);\nconst runs = %s;\n", text)
	return output.File{Name: "data.js", Data: b.Bytes()}, err
}

// add adds a file, unless making it failed.
func (w *writer) add(f output.File, err error) {
	w.files = append(w.files, f)
	w.err = cmp.Or(w.err, err)
}

// answer is what the first page says about a question.
type answer struct {
	ID, Title string
	Says      []string // a sentence each
	Slice     *slice   // nil without a result
	Loads     []*capacitySlice
}

// index writes the first page.
func (w *writer) index() {
	var answers []answer
	for _, q := range questions {
		a := answer{ID: q.id, Title: q.title, Slice: best(w.slices, q.id)}
		if a.Slice != nil {
			a.Says = a.Slice.sentences()
		}
		if q.id == "load" {
			a.Loads = capacitySlices(w.results)
		}
		answers = append(answers, a)
	}
	w.page("index.html", "index", page{Title: "Which engine, and by how much", Scripts: []string{"data.js", "d3.min.js", "plot.umd.min.js", "home.js"}, Body: answers})
}

// meanStep is the measure that has intervals.
const meanStep = "Shortest step in the mean"

// measures are what engines are ranked by.
var measures = []struct {
	head string
	text func(*float64) string
	of   func(*row) *float64
}{
	{"Earliest first mask", timeText, func(r *row) *float64 { return r.First }},
	{meanStep, timeText, func(r *row) *float64 { return r.Mean }},
	{"Shortest tail (p99 of a step)", timeText, func(r *row) *float64 { return r.P99 }},
	{"Least memory", memoryText, func(r *row) *float64 { return r.Memory }},
}

// sentences say who is best by each measure among the engines without a known fault, who is
// next, and who these engines are.
func (s *slice) sentences() (says []string) {
	for _, m := range measures {
		ranked := s.ranked(m.of)
		if len(ranked) == 0 {
			continue
		}
		say := fmt.Sprintf("%s: %s, %s", m.head, ranked[0].Engine, m.text(m.of(ranked[0])))
		if len(ranked) > 1 {
			say += fmt.Sprintf("; next %s, %s", ranked[1].Engine, m.text(m.of(ranked[1])))
		}
		if says = append(says, say+"."); m.head == meanStep && len(ranked) > 1 && !apart(ranked[0], ranked[1]) {
			says = append(says, "By the intervals of their mean steps these two tie.")
		}
	}
	right := s.ranked(func(r *row) *float64 { return r.Mean })
	var names []string
	for _, r := range right {
		names = append(names, r.Engine)
	}
	engines := slices.DeleteFunc(slices.Clone(s.Rows), func(r *row) bool { return strings.Contains(r.Engine, " #") })
	return append(says, fmt.Sprintf("Without a known fault: %d of %d (%s).", len(right), len(engines), cmp.Or(strings.Join(names, ", "), "none")))
}

// ranked are the exact rows that have a figure, the least first, without second entries of an
// engine.
func (s *slice) ranked(of func(*row) *float64) (list []*row) {
	for _, r := range s.Rows {
		if r.Exact && of(r) != nil && !strings.Contains(r.Engine, " #") {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b *row) int { return cmp.Compare(*of(a), *of(b)) })
	return list
}

// linked is a name with its page.
type linked struct {
	Name, Page string
	Note       string
}

// page is the page of a result.
func (r *Result) page() string { return "result-" + slug(r.Name) + ".html" }

// resultPage is the data of a result's page.
type resultPage struct {
	Command, Record string // "" in report.html, which has neither
	Warnings, About []string
	Run             *run // nil for a result that came from a file
	Cells           []resultCell
	Loads           []*capacitySlice
}

// resultCell is a cell with its rows.
type resultCell struct {
	*result.Cell
	Rows []*row
}

// resultPages writes a page for each result, and the list of them.
func (w *writer) resultPages() {
	var list []linked
	for _, r := range w.results {
		p := resultPage{Command: r.command(), Record: r.record(), Warnings: r.Warnings, About: r.About, Loads: capacitySlices([]*Result{r})}
		var scripts []string
		if r.set != nil {
			var err error
			p.Run, err = runOfSet(r.set)
			w.err, scripts = cmp.Or(w.err, err), []string{"d3.min.js", "plot.umd.min.js", "plot.js"}
		}
		for i, c := range r.Cells {
			p.Cells = append(p.Cells, resultCell{c, r.rowsOf(i, c)})
		}
		w.page(r.page(), "result", page{Title: "Result " + words.Visible(r.Name), Scripts: scripts, Body: p})
		list = append(list, linked{words.Visible(r.Name), r.page(), fmt.Sprintf("%d cells, %s", len(r.Cells)+len(r.Capacities), cmp.Or(r.finished(), "date unknown"))})
	}
	w.page("results.html", "list", page{Title: "Results", Body: list})
}

// optionTexts are options as name=value, sorted.
func optionTexts(options map[string]string) (list []string) {
	for name, value := range options {
		list = append(list, words.Visible(name+"="+value))
	}
	slices.Sort(list)
	return list
}

// Answer says in a few words what a result shows in its first ranking, and by which figures; ""
// for a result without times.
func (r *Result) Answer() (says, figures string) {
	if list := capacitySlices([]*Result{r}); len(list) > 0 {
		first, next := list[0].says()
		return "the highest load that keeps the limits", first + "; then " + next + " (" + list[0].Title() + ")"
	}
	if first := best(slicesOf(r.rows()), ""); first != nil {
		return first.shortest()
	}
	return "", ""
}

// shortest says who has the shortest mean step and who is next, and their figures.
func (s *slice) shortest() (says, figures string) {
	ranked := s.ranked(func(r *row) *float64 { return r.Mean })
	if len(ranked) == 0 {
		return "", ""
	}
	says, figures = ranked[0].Engine+" is quickest", stepText(ranked[0])
	if len(ranked) > 1 {
		figures += "; then " + stepText(ranked[1])
		if says += ", then " + ranked[1].Engine; !apart(ranked[0], ranked[1]) {
			says = ranked[0].Engine + " and " + ranked[1].Engine + " tie"
		}
	}
	if other := s.unranked(); other != nil && *other.Mean < *ranked[0].Mean {
		figures += fmt.Sprintf("; not ranked: %s: %s, %s", other.Engine, stepText(other), other.Right)
	}
	return says, fmt.Sprintf("%s (%s, %s)", figures, s.Workload, s.Vocabulary)
}

// unranked is the quickest engine with a known fault or with masks that differ; nil for none.
func (s *slice) unranked() *row {
	i := slices.IndexFunc(s.Rows, func(r *row) bool { return !r.Exact && r.Mean != nil })
	if i < 0 {
		return nil
	}
	return s.Rows[i]
}

// stepText is a mean step with its p99.
func stepText(r *row) string {
	text := timeText(r.Mean)
	if r.P99 != nil {
		text += ", p99 " + timeText(r.P99)
	}
	return text
}

// asked are the lines of Summary: what a reader wants to know, and the rankings that answer it.
var asked = []struct {
	what string
	of   func(*row) bool
}{
	{"JSON schemas that packages ship", func(r *row) bool { return r.Question == "schemas" && r.documents == fetched }},
	{"MaskBench's JSON schemas", func(r *row) bool { return r.Question == "schemas" && r.documents == ofFile }},
	{"Java", func(r *row) bool { return r.grammar == "java" }},
	{"Python", func(r *row) bool { return r.grammar == "python" }},
	{"a vocabulary of 262,000", func(r *row) bool { return r.Size > 250_000 && r.grammar == "java" }},
	{"a thousand tools", func(r *row) bool { return r.Question == "tools" && r.Workload == "1,000 tools" }},
}

// Summary is a table in Markdown: for each question the quickest engine without a known
// fault on which vocabulary, the next, what the quickest costs before the first mask and in memory,
// and the result. Under load it is the engine that serves the most requests.
func Summary(results []*Result) string {
	all := slicesOf(rows(results))
	var b strings.Builder
	b.WriteString("| for | quickest engine without a known fault: step | next | its first mask; memory | result |\n|---|---|---|---|---|\n")
	for _, a := range asked {
		var list []*slice
		for _, s := range all {
			if a.of(s.Rows[0]) {
				list = append(list, s)
			}
		}
		s := best(list, "")
		var ranked []*row
		if s != nil {
			ranked = s.ranked(func(r *row) *float64 { return r.Mean })
		}
		if len(ranked) == 0 {
			fmt.Fprintf(&b, "| %s | no result yet | | | |\n", a.what)
			continue
		}
		r, next := ranked[0], "–"
		if other := s.unranked(); other != nil {
			next = fmt.Sprintf("not ranked: %s: %s (%s)", other.Engine, stepText(other), other.Right)
		}
		if len(ranked) > 1 {
			next = ranked[1].Engine + ": " + stepText(ranked[1])
			if !apart(r, ranked[1]) {
				next = "a tie: " + next
			}
		}
		fmt.Fprintf(&b, "| %s, %s | %s: %s | %s | %s; %s | [%s](results/%s.json) |\n", a.what, s.Vocabulary, r.Engine, stepText(r), next, timeText(r.First), memoryText(r.Memory), s.Result, s.Result)
	}
	b.WriteString(loadLines(capacitySlices(results)))
	return b.String()
}

// loadLines are the lines of Summary about requests under load whose grammars are all new.
func loadLines(list []*capacitySlice) (lines string) {
	for _, s := range list {
		if s.Grammars != "100% unseen" {
			continue
		}
		first, next := s.says()
		cost := "–"
		if of := s.engines(); len(of) > 0 && of[0].TTFT != nil {
			peak := float64(of[0].Peak)
			cost = timeText(&of[0].TTFT.P50) + " with the model's step; " + memoryText(&peak)
		}
		lines += fmt.Sprintf("| %s under load, %s beside %s | %s | %s | %s | [%s](results/%s.json) |\n", s.Workload, s.Vocabulary, s.Model, first, cmp.Or(next, "–"), cost, s.Result, s.Result)
	}
	return cmp.Or(lines, "| under load | no result yet | | | |\n")
}
