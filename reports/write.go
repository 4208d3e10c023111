package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"gcdbench/harness/cell"
)

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
		return writeText(w, set.Document())
	case "markdown":
		return writeMarkdown(w, set.Document())
	case "latex":
		return writeLaTeX(w, set.Document())
	case "csv":
		return writeCSV(w, set)
	case "json":
		return writeJSON(w, set)
	case "html":
		return writeHTML(w, set)
	}
	return &FormatError{format}
}

// WriteSummary writes the screen of text at the end of a run: problems and the summary. The error
// is w's.
func WriteSummary(w io.Writer, set *Set) error { return writeSummary(w, set.Document()) }

// Stored is a report as JSON, the contract of `report --format json`.
type Stored struct {
	Name     string         `json:"name"` // of the configuration
	Cells    []*Cell        `json:"cells"`
	Run      *Quiet         `json:"run"`
	Warnings []string       `json:"warnings"`
	Missing  []cell.Planned `json:"missing"`
	// About says where the figures come from, in paragraphs: machine, configuration, vocabularies,
	// documents.
	About []string `json:"about"`
	// Capacities are those of requests under load, of a result of `gcdbench load`.
	Capacities []*Capacity `json:"capacities,omitempty"`
}

// Stored is the set as its JSON has it.
func (s *Set) Stored() *Stored {
	about := s.about()
	makeVisible(reflect.ValueOf(about))
	return &Stored{s.Name(), orEmpty(s.Cells), s.quiet, orEmpty(s.Warnings), orEmpty(s.Missing), orEmpty(about), nil}
}

// writeJSON writes the set as JSON.
func writeJSON(w io.Writer, set *Set) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(set.Stored())
}

// orEmpty is a list that JSON writes as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
