package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"slices"

	"gcdbench/internal/words"
	"gcdbench/reports/document"
	"gcdbench/reports/draw"
	"gcdbench/reports/plotjs"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
	"gcdbench/reports/tables"
)

// The page of one run has all its tables and plots. In a site it is a page like the others;
// report.html is the same page as one file that loads nothing. Without the script it shows all
// rows, and the plots of package plots. With it, readers choose workload, vocabulary, state and
// engines, sort columns, and see values under the pointer in plots drawn from their data.

// names are the workloads, vocabularies, algorithms and states of a set, in its order, with control
// characters escaped.
type names struct {
	Workloads, Tokenizers, States []string
	Algorithms                    []plots.Line // by label
}

// NamesOf are the names of a set.
func NamesOf(set *result.Set) names {
	n := names{Tokenizers: set.TokenizerNames()}
	document.MakeVisible(reflect.ValueOf(n.Tokenizers))
	for _, c := range set.Cells {
		n.Workloads = document.AddName(n.Workloads, words.Visible(c.Workload))
		line := draw.Line(set, c)
		line.Label = words.Visible(line.Label)
		if !slices.Contains(n.Algorithms, line) {
			n.Algorithms = append(n.Algorithms, line)
		}
	}
	return n
}

// run is a document with its plots, as its page has it.
type run struct {
	Lead              []string
	Summary, Sections []section
	Choices           []choice
	Algorithms        []plots.Line // to choose from
	Figures           []pageFigure // those without a table of their own
	Data              template.JS  // of the figures
}

// choice is one control: the values of a part of RowKey that occur.
type choice struct {
	Name, Head string
	Values     []string
	Value      string // chosen at first; "" for all
}

// alone is what a page has in itself that is one file.
type alone struct {
	Policy string
	Style  template.CSS
	Script template.JS
}

// WriteRun writes a document with its figures as one file.
func WriteRun(w io.Writer, d *document.Document, figures []*plots.Figure, n names) error {
	run, err := runOf(d, figures, n)
	if err != nil {
		return err
	}
	style, script := pageFile("site.css"), "(() => {\n"+pageFile("site.js")+pageFile("plot.js")+"})();\n"
	script = plotjs.D3 + "\n" + plotjs.Plot + "\n" + script
	p := page{Title: d.Title, Alone: &alone{contentPolicy(script), template.CSS(style), template.JS(script)},
		Body: resultPage{Warnings: d.Warnings, About: d.About, Run: run}}
	text, err := p.render("result")
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// runOfSet is the run of a set.
func runOfSet(set *result.Set) (*run, error) {
	d := tables.Document(set)
	document.MakeVisible(reflect.ValueOf(d))
	return runOf(d, draw.Figures(set), NamesOf(set))
}

// runOf lays a document out with its figures.
func runOf(d *document.Document, figures []*plots.Figure, n names) (*run, error) {
	n.States = statesIn(d)
	r := &run{Lead: d.Lead, Choices: n.choices(d.State)}
	if len(n.Algorithms) > 1 {
		r.Algorithms = n.Algorithms
	}
	for _, t := range d.Summary {
		r.Summary = append(r.Summary, sectionOf(t, "summary-"+t.ID))
	}
	for _, t := range d.Tables {
		r.Sections = append(r.Sections, sectionOf(t, t.ID))
	}
	data, err := r.place(figures, n)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(data) // which escapes <, > and &, and the line ends of JavaScript
	if err != nil {
		return nil, fmt.Errorf("writing the data of the figures: %w", err)
	}
	r.Data = template.JS(text)
	return r, nil
}

// statesIn are the engine states of the tables' rows and columns, the usual ones first and in their
// order.
func statesIn(d *document.Document) (found []string) {
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			found = document.AddName(found, t.Key(row).State)
		}
		for _, s := range t.States {
			found = document.AddName(found, s)
		}
	}
	place := func(s string) uint { return uint(slices.Index(document.EngineStates, s)) } // unusual ones are last
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return found
}

// choices are the controls, for parts with several values.
func (n names) choices(state string) []choice {
	if !slices.Contains(n.States, state) {
		state = ""
	}
	return slices.DeleteFunc([]choice{
		{"workload", "Workload", n.Workloads, ""}, {"tokenizer", "Vocabulary", n.Tokenizers, ""}, {"state", "Engine state", n.States, state},
	}, func(c choice) bool { return len(c.Values) < 2 })
}

// pageFile is a part of the pages.
func pageFile(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// contentPolicy lets the browser run this one script and load nothing, whatever the texts in the
// page contain.
func contentPolicy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// render is the page, its body by the template of that kind.
func (p page) render(kind string) ([]byte, error) {
	var b bytes.Buffer
	for _, part := range []string{"head", kind, "foot"} {
		if err := templates.ExecuteTemplate(&b, part+".html", p); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
