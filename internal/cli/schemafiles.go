package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/bundle"
)

// Schemas of more than one file. What a schema refers to is named on the command line: file by file
// with its URI, or as a folder, in which the path of a file is its URI, so that files refer to each
// other as they do on a disk.

// library reads the files of the flags, and is nil without them. uri is what the schema itself is
// called: its path in the folder, if it is there.
func (f *schemaFlags) library(name string) (uri string, l *jsonschema.Library, err error) {
	if f.shared != nil {
		return "", f.shared, nil
	}
	var files []jsonschema.File
	for _, given := range f.files {
		uri, path, ok := strings.Cut(given, "=")
		if !ok || uri == "" || path == "" {
			return "", nil, fmt.Errorf("--schema-file %q: expected URI=PATH", given)
		}
		if absolute, err := url.Parse(uri); err != nil || !absolute.IsAbs() {
			return "", nil, fmt.Errorf("--schema-file %q: expected a URI with a scheme, such as https://example.org/%s, as references mean it beside the schema's $id; --schemas FOLDER is for files that refer to each other by path", given, filepath.Base(path))
		}
		if files, err = withFile(files, uri, path); err != nil {
			return "", nil, err
		}
	}
	if f.folder != "" {
		list, err := bundle.Folder(f.folder)
		if err != nil {
			return "", nil, fmt.Errorf("--schemas %w", err)
		}
		for _, file := range list {
			if sameFile(name, file.Path) {
				uri = file.URI
			} else if files, err = withFile(files, file.URI, file.Path); err != nil {
				return "", nil, err
			}
		}
	}
	if len(files) == 0 {
		return "", nil, nil
	}
	if l, err = jsonschema.NewLibrary(files); uri == "" {
		f.shared = l
	}
	return uri, l, err
}

// withFile adds a file that is read.
func withFile(files []jsonschema.File, uri, path string) ([]jsonschema.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return append(files, jsonschema.File{URI: uri, Name: path, Text: text}), nil
}

// sameFile tells whether two paths lead to one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}
