package reports

import (
	"strings"

	"gcdbench/reports/latex"
	"gcdbench/reports/output"
	"gcdbench/reports/plots"
)

// WriteFiles writes the set into a directory: report.EXT in each of the formats, schemas.csv with a
// line for each schema if there are any, throughput.csv with a line for each batch, and, unless
// tables were chosen, each figure as SVG, PNG and PDF. LaTeX is a file for each table, with the
// table's ID for a name, and main.tex, a document that has them all. It returns the paths written.
// Each file is there whole or not at all, or as it was before.
func WriteFiles(dir string, set *Set, formats ...string) ([]string, error) {
	var files []output.File
	for _, format := range formats {
		report, err := reportFiles(set, format)
		if err != nil {
			return nil, err
		}
		files = append(files, report...)
	}
	if len(set.SchemaCells().Cells) > 0 {
		var rows strings.Builder
		if err := WriteSchemas(&rows, set); err != nil {
			return nil, err
		}
		files = append(files, output.File{Name: "schemas.csv", Data: []byte(rows.String())})
	}
	if set.Served() {
		var rows strings.Builder
		if err := WriteThroughput(&rows, set); err != nil {
			return nil, err
		}
		files = append(files, output.File{Name: "throughput.csv", Data: []byte(rows.String())})
	}
	if len(set.choice.Tables) == 0 {
		figures, err := output.Figures(set.Figures())
		if err != nil {
			return nil, err
		}
		files = append(files, figures...)
	}
	return output.Write(dir, files)
}

// reportFiles are the files of a report in a format.
func reportFiles(set *Set, format string) ([]output.File, error) {
	if format == "latex" {
		chosen, figures := len(set.choice.Tables) > 0, []*plots.Figure(nil)
		if !chosen {
			figures = set.Figures()
		}
		return latex.Files(set.Document(), figures, set.TokenizerNames(), chosen), nil
	}
	var report strings.Builder
	err := Write(&report, set, format)
	return []output.File{{Name: "report." + Extension(format), Data: []byte(report.String())}}, err
}
