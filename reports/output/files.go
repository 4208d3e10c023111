// Package output writes the files of a report: each is there whole or not at all, or as it was
// before.
package output

import (
	"fmt"
	"os"
	"path/filepath"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
)

// The files of a report.

// File is a file to be written.
type File struct {
	Name string
	Data []byte
}

// Figures are figures as SVG, PNG and PDF.
func Figures(figures []*plots.Figure) (files []File, err error) {
	for _, f := range figures {
		for _, format := range []struct {
			ending string
			draw   func() ([]byte, error)
		}{{".svg", f.SVG}, {".png", f.PNG}, {".pdf", f.PDF}} {
			data, err := format.draw()
			if err != nil {
				return nil, err
			}
			files = append(files, File{f.Name + format.ending, data})
		}
	}
	return files, nil
}

// Write writes files into a directory, which it makes, and returns the paths of those that were
// written.
func Write(dir string, files []File) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the directory for the report: %w", err)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := cell.WriteFile(path, f.Data); err != nil {
			return paths, fmt.Errorf("cannot write the report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
