package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/internal/files"

	"github.com/bmatcuk/doublestar/v4"
)

// The Hugging Face hub hands data sets out as Parquet: The Stack and JSONSchemaBench among them.
// Such a file is a table whose columns are stored apart, in groups of rows, and compressed a page
// at a time. Only the column of texts is read (and of schemas the column of names), a page at a
// time as its rows are asked for. So the first documents of a file of gigabytes cost a few
// megabytes.
//
// A document is called after its row, so that the order by id is the order of the file.
//
// The library is large. So package datasets/parquet, which calls it, registers itself, and a
// program that reads no such file does without.

// A Column is the texts of one column of a Parquet file, one a row. It is safe for concurrent use.
type Column interface {
	// Rows is how many rows the file has.
	Rows() int64
	// Read is the text of a row, counted from 0. It fails if the file is damaged there, if the row
	// has no text, or if the text has more than MaxDocumentBytes.
	Read(row int64) ([]byte, error)
}

// A ParquetOpener opens a Parquet file of so many bytes, called path in errors, at the first of
// some columns that is there. It fails if none is or if the file is damaged.
type ParquetOpener func(path string, file io.ReaderAt, size int64, columns []string) (Column, error)

// openParquet is the registered reader.
var openParquet ParquetOpener

// RegisterParquet has all Parquet files opened by a function. It is called while packages are
// initialized.
func RegisterParquet(open ParquetOpener) { openParquet = open }

// openColumn opens a file at the named column, or at the first that is there of some usual names.
func openColumn(path, name string, usual []string) (Column, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, files.Named(err)
	}
	if !IsParquet(path) {
		return nil, fmt.Errorf("%s is not Parquet: such a file begins with %s", path, parquetMagic)
	}
	if openParquet == nil {
		return nil, fmt.Errorf("%s is Parquet, which this program does not read: have it import gcdbench/datasets/parquet", path)
	}
	wanted := usual
	if name != "" {
		wanted = []string{name}
	}
	return openParquet(path, reopened(path), st.Size(), wanted)
}

// RowPlace is how errors call a row of a file, counted from 0.
func RowPlace(path string, row int64) string { return fmt.Sprintf("%s: row %d", path, row+1) }

// parquetMagic is what a Parquet file begins and ends with.
const parquetMagic = "PAR1"

// textColumns are the names that columns of documents have, in order of preference; schemaColumns
// and nameColumns are those of schemas and of their names.
var (
	textColumns   = []string{"content", "text", "code"}
	schemaColumns = []string{"json_schema", "schema"}
	nameColumns   = []string{"unique_id", "id"}
)

// IsParquet is whether a file begins as a Parquet file does.
func IsParquet(path string) bool { return beginsWith(path, parquetMagic) }

// beginsWith is whether a file begins with one of some texts of equal length.
func beginsWith(path string, any ...string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, len(any[0]))
	_, err = io.ReadFull(f, magic)
	return err == nil && slices.Contains(any, string(magic))
}

// parquetError says what to do with a Parquet file where lines or files of JSON are expected.
func parquetError(path string) error {
	return fmt.Errorf("%s is Parquet, where another format is expected; documents are read by format parquet, JSONSchemaBench by format jsonschemabench", path)
}

// parquetSource is the rows of a Parquet file, or of those of a folder that match a glob.
type parquetSource struct {
	info   Info
	path   string
	glob   string
	column string // of the texts; empty: the first of textColumns that is there
}

func (s *parquetSource) Info() Info { return s.info }

// Documents implements Source.
func (s *parquetSource) Documents(ctx context.Context) ([]Document, error) {
	rows, all, err := s.inOrder(ctx)
	if err != nil {
		return nil, err
	}
	if rows < 0 || rows > maxListed { // below 0: beyond all numbers
		return nil, fmt.Errorf("%s: the table has %d rows, and a list of all is limited to %d: have the setting limit take the first ones, or glob name fewer files",
			s.path, rows, maxListed)
	}
	return slices.Collect(all), nil
}

// inOrder implements ordered. It reads the ends of the files, which say how many rows there are.
func (s *parquetSource) inOrder(ctx context.Context) (rows int, all iter.Seq[Document], err error) {
	names, err := parquetFiles(s.path, s.glob)
	if err != nil {
		return 0, nil, err
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(s.name(a)+":", s.name(b)+":") }) // as the ids
	var columns []Column
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		column, err := openColumn(name, s.column, textColumns)
		if err != nil {
			return 0, nil, err
		}
		columns = append(columns, column)
		rows += int(column.Rows())
	}
	if rows == 0 {
		return 0, nil, fmt.Errorf("%s: the table has no rows", s.path)
	}
	return rows, func(yield func(Document) bool) {
		for i, column := range columns {
			width := len(fmt.Sprint(column.Rows()))
			for row := range column.Rows() {
				if !yield(Document{ID: fmt.Sprintf("%s:%0*d", s.name(names[i]), width, row+1), Size: -1,
					Place: RowPlace(names[i], row), Read: func() ([]byte, error) { return column.Read(row) }}) {
					return
				}
			}
		}
	}, nil
}

// name is a file's name in ids: from the folder, or without folders.
func (s *parquetSource) name(file string) string {
	if rel, err := filepath.Rel(s.path, file); err == nil && rel != "." {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(file)
}

// parquetFiles lists the files of a path: itself, or those of the folder that match a glob, by
// default all that end in .parquet.
func parquetFiles(path, glob string) ([]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, files.Named(err)
	}
	if !st.IsDir() {
		if glob != "" {
			return nil, fmt.Errorf("%s: the glob %q says which files of a folder to read, and this is one file; leave it out", path, glob)
		}
		return []string{path}, nil
	}
	if glob == "" {
		glob = "**/*.parquet"
	}
	names, err := doublestar.Glob(os.DirFS(path), glob, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no file matches %q", path, glob)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = filepath.Join(path, filepath.FromSlash(name))
	}
	return names, nil
}

// parquetSchemas is JSONSchemaBench as the hub has it: a schema a row, with its name, in Parquet
// files. They have no instances.
type parquetSchemas struct {
	info Info
	path string
	glob string
}

func (s *parquetSchemas) Info() Info { return s.info }

func (s *parquetSchemas) Documents(ctx context.Context) ([]Document, error) {
	names, err := parquetFiles(s.path, s.glob)
	if err != nil {
		return nil, err
	}
	var docs []Document
	left := corpusLimit
	for _, name := range names {
		texts, err := openColumn(name, "", schemaColumns)
		if err != nil {
			return nil, err
		}
		ids, err := openColumn(name, "", nameColumns)
		if err != nil {
			return nil, err
		}
		for row := range texts.Rows() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(docs) >= maxListed {
				return nil, fmt.Errorf("%s: more than %d schemas, the limit", RowPlace(name, row), maxListed)
			}
			schema, err := rowSchema(RowPlace(name, row), texts, ids, row)
			if err != nil {
				return nil, err
			}
			if left -= int64(len(schema.Text)); left < 0 {
				return nil, tooLarge(s.path)
			}
			docs = append(docs, bareSchema(schema))
		}
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: the table has no rows", s.path)
	}
	return docs, nil
}

// rowSchema is the schema of a row at a place.
func rowSchema(place string, texts, ids Column, row int64) (*Schema, error) {
	text, err := texts.Read(row)
	if err != nil {
		return nil, err
	}
	id, err := ids.Read(row)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) || !utf8.Valid(id) {
		return nil, errors.New(notUTF8(place+": the schema or its name", text))
	}
	return &Schema{ID: string(id), Group: groupOf(string(id)), Text: text, Place: place}, nil
}

// HasParquet is whether a path is a Parquet file, or a folder that has some and no file of JSON.
func HasParquet(path string) bool {
	st, err := os.Stat(path)
	if err != nil || !st.IsDir() {
		return err == nil && IsParquet(path)
	}
	found := false
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".json" {
			return fs.SkipAll
		}
		found = found || filepath.Ext(name) == ".parquet"
		return err
	})
	return err == nil && found
}
