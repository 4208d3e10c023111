package datasets

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/parquet-go/parquet-go"
)

// The Hugging Face hub hands data sets out as Parquet: The Stack and JSONSchemaBench among them.
// Such a file is a table whose columns are stored apart, in groups of rows, and compressed a page
// at a time. Only the column of texts is read (and of schemas the column of names), a page at a
// time as its rows are asked for. So the first documents of a file of gigabytes cost a few
// megabytes.
//
// A document is called after its row, so that the order by id is the order of the file.

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
	var columns []*parquetColumn
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		column, err := openColumn(name, s.column, textColumns)
		if err != nil {
			return 0, nil, err
		}
		columns = append(columns, column)
		rows += int(column.file.NumRows())
	}
	if rows == 0 {
		return 0, nil, fmt.Errorf("%s: the table has no rows", s.path)
	}
	return rows, func(yield func(Document) bool) {
		for i, column := range columns {
			width := len(fmt.Sprint(column.file.NumRows()))
			for row := range column.file.NumRows() {
				if !yield(Document{ID: fmt.Sprintf("%s:%0*d", s.name(names[i]), width, row+1), Size: -1,
					Place: column.place(row), Read: func() ([]byte, error) { return column.read(row) }}) {
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
		return nil, pathError(err)
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

// A parquetColumn reads the texts of one column. Rows that are asked for in order are read in one
// go; any other row is looked up. It may be used by several goroutines.
type parquetColumn struct {
	path   string
	source io.ReaderAt
	file   *parquet.File
	leaf   parquet.LeafColumn

	mu     sync.Mutex
	group  int   // the row group that pages is of
	next   int64 // the row of it that values gives next
	looked *pageCheck
	pages  parquet.Pages
	values parquet.ValueReader
}

// openColumn opens a file at the named column, or at the first that is there of some usual names.
func openColumn(path, name string, usual []string) (c *parquetColumn, err error) {
	defer unbroken(path, &err)
	st, err := os.Stat(path)
	if err != nil {
		return nil, pathError(err)
	}
	if !IsParquet(path) {
		return nil, fmt.Errorf("%s is not Parquet: such a file begins with %s", path, parquetMagic)
	}
	source := reopened(path)
	if err := checkFooter(path, source, st.Size()); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(source, st.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: the Parquet file is damaged or cut off: %w; fetch it again", path, unwrapPath(err))
	}
	if err := checkRows(path, file); err != nil {
		return nil, err
	}
	wanted := usual
	if name != "" {
		wanted = []string{name}
	}
	for _, name := range wanted {
		if leaf, ok := file.Schema().Lookup(name); ok {
			return (&parquetColumn{path: path, source: source, file: file, leaf: leaf}).check(name)
		}
	}
	return nil, fmt.Errorf("%s: the table has no column %s; it has %s: name the one with the texts as `column`",
		path, quotedList(wanted, " or "), quotedList(columnNames(file), ", "))
}

// checkFooter refuses a file whose end says that its metadata are longer than the file.
func checkFooter(path string, source io.ReaderAt, size int64) error {
	var end [8]byte // the length, and parquetMagic
	if size < int64(len(end)+len(parquetMagic)) {
		return fmt.Errorf("%s: the Parquet file is damaged or cut off: it has %d bytes; fetch it again", path, size)
	}
	if _, err := source.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	if n := int64(binary.LittleEndian.Uint32(end[:])); n > size-int64(len(end)+len(parquetMagic)) {
		return fmt.Errorf("%s: the Parquet file is damaged or cut off: its end says that it has %d bytes of metadata, and it has %d in all; fetch it again", path, n, size)
	}
	return nil
}

// checkRows refuses a file whose row groups do not have as many rows as it says.
func checkRows(path string, file *parquet.File) error {
	left := file.NumRows()
	for _, g := range file.Metadata().RowGroups {
		if g.NumRows < 0 || g.NumRows > left {
			left = -1
			break
		}
		left -= g.NumRows
	}
	if left != 0 {
		return fmt.Errorf("%s: the Parquet file is damaged: it says that it has %d rows, and its row groups have others; fetch it again", path, file.NumRows())
	}
	return nil
}

// check refuses a column that does not hold one text a row.
func (c *parquetColumn) check(name string) (*parquetColumn, error) {
	kind := c.leaf.Node.Type().Kind()
	if c.leaf.MaxRepetitionLevel > 0 || kind != parquet.ByteArray && kind != parquet.FixedLenByteArray {
		return nil, fmt.Errorf("%s: column %q holds %s; expected one text a row", c.path, name, c.leaf.Node.Type())
	}
	return c, nil
}

// columnNames lists the columns of a table.
func columnNames(f *parquet.File) []string {
	var names []string
	for _, path := range f.Schema().Columns() {
		names = append(names, strings.Join(path, "."))
	}
	return names
}

func quotedList(names []string, between string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, between)
}

// place is how errors call a row.
func (c *parquetColumn) place(row int64) string { return fmt.Sprintf("%s: row %d", c.path, row+1) }

// read is the text of a row, counted from 0.
func (c *parquetColumn) read(row int64) (text []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer unbroken(c.place(row), &err)
	group, at, err := c.find(row)
	if err != nil {
		return nil, err
	}
	if err := c.seek(group, at); err != nil {
		return nil, c.fail(row, err)
	}
	value, err := c.value()
	switch {
	case err != nil:
		return nil, c.fail(row, err)
	case value.IsNull():
		return nil, fmt.Errorf("%s: the text is missing (null)", c.place(row))
	case len(value.ByteArray()) > MaxDocumentBytes:
		return nil, fmt.Errorf("%s: larger than the limit of %d bytes for one document", c.place(row), MaxDocumentBytes)
	}
	c.next++
	return bytes.Clone(value.ByteArray()), nil
}

// find is the row group that has a row, and where in it.
func (c *parquetColumn) find(row int64) (group int, at int64, err error) {
	for i, g := range c.file.RowGroups() {
		if row < g.NumRows() {
			return i, row, nil
		}
		row -= g.NumRows()
	}
	return 0, 0, fmt.Errorf("%s: the row groups have fewer rows than the file says it has", c.path)
}

// seek has value give the given row of a group next.
func (c *parquetColumn) seek(group int, at int64) error {
	if c.pages != nil && group == c.group && at == c.next {
		return nil
	}
	if c.pages == nil || group != c.group {
		c.close()
		g := &c.file.Metadata().RowGroups[group]
		looked, err := newPageCheck(c.source, &g.Columns[c.leaf.ColumnIndex].MetaData, g.NumRows)
		if err != nil {
			return err
		}
		c.looked = looked
		c.group, c.pages = group, c.file.RowGroups()[group].ColumnChunks()[c.leaf.ColumnIndex].Pages()
	}
	c.values, c.next = nil, at
	return c.pages.SeekToRow(at)
}

// value is the next value.
func (c *parquetColumn) value() (parquet.Value, error) {
	var one [1]parquet.Value
	for {
		if c.values == nil {
			if err := c.looked.through(c.next); err != nil {
				return parquet.Value{}, err
			}
			page, err := c.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			c.values = page.Values()
		}
		n, err := c.values.ReadValues(one[:])
		switch {
		case n == 1:
			return one[0], nil
		case err != nil && !errors.Is(err, io.EOF):
			return parquet.Value{}, err
		}
		c.values = nil
	}
}

// fail places an error of reading a row, and forgets where the reader stands.
func (c *parquetColumn) fail(row int64, err error) error {
	c.close()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s: the Parquet file is damaged: %w; fetch it again", c.place(row), unwrapPath(err))
}

func (c *parquetColumn) close() {
	if c.pages != nil {
		c.pages.Close()
	}
	c.pages, c.values = nil, nil
}

// unbroken turns a panic of the library, which a damaged file can cause, into an error.
func unbroken(place string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: the Parquet file is damaged: %v; fetch it again", place, r)
	}
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
		for row := range texts.file.NumRows() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(docs) >= maxListed {
				return nil, fmt.Errorf("%s: more than %d schemas, the limit", texts.place(row), maxListed)
			}
			schema, err := rowSchema(texts, ids, row)
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

// rowSchema is the schema of a row.
func rowSchema(texts, ids *parquetColumn, row int64) (*Schema, error) {
	text, err := texts.read(row)
	if err != nil {
		return nil, err
	}
	id, err := ids.read(row)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) || !utf8.Valid(id) {
		return nil, errors.New(notUTF8(texts.place(row)+": the schema or its name", text))
	}
	return &Schema{ID: string(id), Group: groupOf(string(id)), Text: text, Place: texts.place(row)}, nil
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
