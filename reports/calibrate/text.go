package calibrate

import (
	_ "embed"
	"fmt"
	"io"
	"text/template"

	"gcdbench/internal/words"
)

//go:embed text.txt
var textFile string

var text = template.Must(words.Template("").Funcs(template.FuncMap{"ns": number}).Parse(textFile))

// WriteText writes the verdict and two tables.
func (r *Result) WriteText(w io.Writer) error { return text.Execute(w, r) }

// number writes a time with as many digits as it is worth.
func number(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}
