// Package page writes a document with its plots as one web page that loads nothing.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
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
)

// The page is one file that loads nothing: tables, notes, plots, style and script. Without its
// script it shows all tables and the plots of package plots. With the script, readers choose
// workload, vocabulary, state and algorithms, sort columns, and see values under the pointer in
// plots drawn from their data by the library of package plotjs.

// pageFiles are the page's parts, in the language of each.
//
//go:embed page.html page.css *.js
var pageFiles embed.FS

// pageScripts are the parts of the script, in order: the later ones use the earlier.
var pageScripts = []string{"common.js", "sort.js", "plot.js", "choose.js"}

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

// page is the data of the template page.html.
type page struct {
	Title          string
	Warnings, Lead []string
	Summary        []section
	Choices        []choice
	Sections       []section
	Figures        []pageFigure // those without a table of their own
	About          []string
	Policy         string
	Style          template.CSS
	Script, Data   template.JS
}

// pageData is the data of the script.
type pageData struct {
	Algorithms []lineData        `json:"algorithms"`
	Markers    map[string]string `json:"markers"` // paths of SVG around the origin
	Figures    []figureData      `json:"figures"`
}

// choice is one control: the values of a part of RowKey that occur.
type choice struct {
	Name, Head string
	Values     []string
	Value      string // chosen at first; "" for all
	All        string
}

// Write writes a document with its figures.
func Write(w io.Writer, d *document.Document, figures []*plots.Figure, n names) error {
	script, err := pageScript()
	if err != nil {
		return err
	}
	style, err := pageFiles.ReadFile("page.css")
	if err != nil {
		return err
	}
	n.States = states(d)
	p := page{Title: d.Title, Warnings: d.Warnings, Lead: d.Lead, About: d.About,
		Policy: contentPolicy(script), Style: template.CSS(style), Script: template.JS(script), Choices: n.choices(d.State)}
	for _, t := range d.Summary {
		p.Summary = append(p.Summary, sectionOf(t, "summary-"+t.ID))
	}
	for _, t := range d.Tables {
		p.Sections = append(p.Sections, sectionOf(t, t.ID))
	}
	data, err := p.place(figures, n)
	if err != nil {
		return err
	}
	if p.Data, err = inlineJSON(pageData{n.lines(), markerPaths(), data}); err != nil {
		return err
	}
	return pageTemplate.Execute(w, p)
}

// states are the engine states of the tables' rows and columns, the usual ones first and in their
// order.
func states(d *document.Document) []string {
	var found []string
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			found = document.AddName(found, t.Key(row).State)
		}
		for _, s := range t.States {
			found = document.AddName(found, s)
		}
	}
	var states []string
	for _, s := range document.EngineStates {
		if slices.Contains(found, s) {
			states = append(states, s)
		}
	}
	for _, s := range found {
		states = document.AddName(states, s)
	}
	return states
}

// choices are the controls, for parts with several values.
func (n names) choices(state string) []choice {
	if !slices.Contains(n.States, state) {
		state = ""
	}
	var list []choice
	for _, c := range []choice{
		{"workload", "Workload", n.Workloads, "", "all workloads"},
		{"tokenizer", "Vocabulary", n.Tokenizers, "", "all vocabularies"},
		{"state", "Engine state", n.States, state, "all states"},
	} {
		if len(c.Values) > 1 {
			list = append(list, c)
		}
	}
	return list
}

// pageScript is the whole script: the library of plots, and the page's own in a scope of its own.
func pageScript() (string, error) {
	var b bytes.Buffer
	b.WriteString(plotjs.D3 + "\n" + plotjs.Plot + "\n\"use strict\";\n(() => {\n")
	for _, name := range pageScripts {
		part, err := pageFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(part)
	}
	b.WriteString("})();\n")
	return b.String(), nil
}

// contentPolicy lets the browser run this one script and load nothing, whatever the texts in the
// page contain.
func contentPolicy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// inlineJSON writes data for a script element: package json escapes <, > and &, and the line ends
// of JavaScript.
func inlineJSON(data any) (template.JS, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("writing the data of the figures: %w", err)
	}
	return template.JS(text), nil
}

// pageTemplate is the page without its parts.
var pageTemplate = template.Must(template.ParseFS(pageFiles, "page.html"))
