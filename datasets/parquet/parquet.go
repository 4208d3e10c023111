// Package parquet reads Parquet files for package datasets: import it for its effect.
package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"

	"gcdbench/datasets"
)

func init() { datasets.RegisterParquet(open) }

// magic is what a file begins and ends with.
const magic = "PAR1"

// A column reads the texts of one column. Rows that are asked for in order are read in one go; any
// other row is looked up. It may be used by several goroutines.
type column struct {
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

func open(path string, source io.ReaderAt, size int64, columns []string) (c datasets.Column, err error) {
	defer unbroken(path, &err)
	if err := checkFooter(path, source, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(source, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: the Parquet file is damaged or cut off: %w; fetch it again", path, err)
	}
	if err := checkRows(path, file); err != nil {
		return nil, err
	}
	for _, name := range columns {
		if leaf, ok := file.Schema().Lookup(name); ok {
			return (&column{path: path, source: source, file: file, leaf: leaf}).check(name)
		}
	}
	return nil, fmt.Errorf("%s: the table has no column %s; it has %s: name the one with the texts as `column`",
		path, quotedList(columns, " or "), quotedList(columnNames(file), ", "))
}

// checkFooter refuses a file whose end says that its metadata are longer than the file.
func checkFooter(path string, source io.ReaderAt, size int64) error {
	var end [8]byte // the length, and magic
	if size < int64(len(end)+len(magic)) {
		return fmt.Errorf("%s: the Parquet file is damaged or cut off: it has %d bytes; fetch it again", path, size)
	}
	if _, err := source.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	if n := int64(binary.LittleEndian.Uint32(end[:])); n > size-int64(len(end)+len(magic)) {
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
func (c *column) check(name string) (datasets.Column, error) {
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

func (c *column) place(row int64) string { return datasets.RowPlace(c.path, row) }

func (c *column) Rows() int64 { return c.file.NumRows() }

// Read implements datasets.Column.
func (c *column) Read(row int64) (text []byte, err error) {
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
	case len(value.ByteArray()) > datasets.MaxDocumentBytes:
		return nil, fmt.Errorf("%s: larger than the limit of %d bytes for one document", c.place(row), datasets.MaxDocumentBytes)
	}
	c.next++
	return bytes.Clone(value.ByteArray()), nil
}

// find is the row group that has a row, and where in it.
func (c *column) find(row int64) (group int, at int64, err error) {
	for i, g := range c.file.RowGroups() {
		if row < g.NumRows() {
			return i, row, nil
		}
		row -= g.NumRows()
	}
	return 0, 0, fmt.Errorf("%s: the row groups have fewer rows than the file says it has", c.path)
}

// seek has value give the given row of a group next.
func (c *column) seek(group int, at int64) error {
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
func (c *column) value() (parquet.Value, error) {
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
func (c *column) fail(row int64, err error) error {
	c.close()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s: the Parquet file is damaged: %w; fetch it again", c.place(row), err)
}

func (c *column) close() {
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
