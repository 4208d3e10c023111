package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
)

// The files of a report.

// file is a file to be written.
type file struct {
	name string
	data []byte
}

// WriteFiles writes the set into a directory: report.EXT in each of the formats, schemas.csv with a
// line for each schema if there are any, throughput.csv with a line for each batch, and each figure
// as SVG, PNG and PDF. LaTeX is a file for each table, with the table's ID for a name, and
// main.tex, a document that has them all. It returns the paths written. Each file is there whole or
// not at all, or as it was before.
func WriteFiles(dir string, set *Set, formats ...string) ([]string, error) {
	var files []file
	for _, format := range formats {
		report, err := reportFiles(set, format)
		if err != nil {
			return nil, err
		}
		files = append(files, report...)
	}
	if len(set.schemaCells().Cells) > 0 {
		var rows strings.Builder
		if err := WriteSchemas(&rows, set); err != nil {
			return nil, err
		}
		files = append(files, file{"schemas.csv", []byte(rows.String())})
	}
	if set.served() {
		var rows strings.Builder
		if err := WriteThroughput(&rows, set); err != nil {
			return nil, err
		}
		files = append(files, file{"throughput.csv", []byte(rows.String())})
	}
	figures, err := figureFiles(set.Figures())
	if err != nil {
		return nil, err
	}
	return writeAll(dir, append(files, figures...))
}

// figureFiles are figures as SVG, PNG and PDF.
func figureFiles(figures []*plots.Figure) (files []file, err error) {
	for _, f := range figures {
		for _, format := range []struct {
			ending string
			draw   func() ([]byte, error)
		}{{".svg", f.SVG}, {".png", f.PNG}, {".pdf", f.PDF}} {
			data, err := format.draw()
			if err != nil {
				return nil, err
			}
			files = append(files, file{f.Name + format.ending, data})
		}
	}
	return files, nil
}

// reportFiles are the files of a report in a format.
func reportFiles(set *Set, format string) ([]file, error) {
	if format == "latex" {
		chosen, figures := len(set.choice.Tables) > 0, []*plots.Figure(nil)
		if !chosen {
			figures = set.Figures()
		}
		return latexFiles(set.Document(), figures, set.tokenizerNames(), chosen), nil
	}
	var report strings.Builder
	err := Write(&report, set, format)
	return []file{{"report." + Extension(format), []byte(report.String())}}, err
}

// writeAll writes files into a directory, which it makes, and returns the paths of those that were
// written.
func writeAll(dir string, files []file) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the directory for the report: %w", err)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := cell.WriteFile(path, f.data); err != nil {
			return paths, fmt.Errorf("cannot write the report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
