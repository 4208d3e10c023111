// Package reports turns result directories into reports: tables as text, Markdown, LaTeX, CSV and
// HTML, the JSON of the command line's contract, and plots.
//
// It reads the files of package harness/cell and computes everything anew, so a report can be made
// of old results on another machine. It is the door; the rooms behind it know only what is below:
//
//	result      the cells of a directory with all figures, by package stats
//	show        how a figure is written
//	document    tables as data; tables.txt declares them; text and Markdown
//	draw        a set's plots, by package plots
//	tables      which tables a set has; published has those beside the figures of papers
//	latex, site a document as LaTeX, and as a web page; a web site of several results
//	changes     what differs between two sets
//	loads       reports of loads
//
// Three rules hold in every format. A failure never looks fast: a cell with a wrong mask has no
// times at all, and samples that did not end well are not in any average. A figure carries what it
// is worth: its n, its interval, "~" where two algorithms cannot be told apart. And the same
// results give the same bytes.
package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"gcdbench/reports/document"
	"gcdbench/reports/draw"
	"gcdbench/reports/latex"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
	"gcdbench/reports/site"
	"gcdbench/reports/tables"
)

// Set is what reports are about: the cells of result directories, and what is chosen of their
// tables.
type Set struct {
	*result.Set
	choice document.Choice
}

// Cell is one of a set's cells.
type Cell = result.Cell

// Load reads result directories, as result.Load does.
func Load(dirs ...string) (*Set, error) {
	set, err := result.Load(dirs...)
	if err != nil {
		return nil, err
	}
	return &Set{Set: set}, nil
}

// Figures are the plots of the set, in the order of a report.
func (s *Set) Figures() []*plots.Figure { return draw.Figures(s.Set) }

// Document lays the set out as tables.
func (s *Set) Document() *document.Document {
	d := tables.Document(s.Set)
	s.choice.Apply(d)
	document.MakeVisible(reflect.ValueOf(d))
	return d
}

// Formats are the formats of Write, in the order of the command line's help.
var Formats = []string{"text", "markdown", "latex", "csv", "json", "html"}

// FormatError says that a format is unknown.
type FormatError struct{ Format string }

// Error lists the formats.
func (e *FormatError) Error() string {
	return fmt.Sprintf("unknown format %q; known are %s", e.Format, strings.Join(Formats, ", "))
}

// Extension is the ending of a file of that format.
func Extension(format string) string {
	switch format {
	case "markdown":
		return "md"
	case "latex":
		return "tex"
	case "text":
		return "txt"
	}
	return format
}

// Write writes the set in a format. The same set gives the same bytes. The error
// is a *FormatError or w's.
func Write(w io.Writer, set *Set, format string) error {
	switch format {
	case "text":
		return document.WriteText(w, set.Document())
	case "markdown":
		return document.WriteMarkdown(w, set.Document())
	case "latex":
		return latex.Write(w, set.Document())
	case "csv":
		return writeCSV(w, set)
	case "json":
		return writeJSON(w, set)
	case "html":
		return site.WriteRun(w, set.Document(), set.Figures(), site.NamesOf(set.Set))
	}
	return &FormatError{format}
}

// WriteSummary writes the screen of text at the end of a run: problems and the summary. The error
// is w's.
func WriteSummary(w io.Writer, set *Set) error { return document.WriteSummary(w, set.Document()) }

// Stored is a report as JSON.
type Stored = result.Stored

// writeJSON writes the set as JSON.
func writeJSON(w io.Writer, set *Set) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(tables.Stored(set.Set))
}
