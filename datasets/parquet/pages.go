package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"gcdbench/datasets"
)

// The library believes what the header of a page says of sizes, and what compressed data say of
// their own length: one wrong byte makes it ask for gigabytes. So each page is looked at before the
// library reads it.

const (
	// maxPageBytes bounds a page, packed and unpacked. Writers end a page at one megabyte, or after
	// the document that exceeds it.
	maxPageBytes = 4 * datasets.MaxDocumentBytes
	// maxPageValues bounds the rows of a page, whose indexes into a dictionary are 4 bytes each.
	// Writers end a page at some 20,000 rows.
	maxPageValues = 16 << 20
	// maxPageHeader is more than any header has: the statistics in it are of two texts, which writers
	// cut.
	maxPageHeader = 1 << 20
)

// A pageCheck looks at the pages of one column in one row group, from the first on.
type pageCheck struct {
	r       io.ReaderAt
	codec   format.CompressionCodec
	at, end int64 // of the pages that were not looked at, in the file
	rows    int64 // in the pages that were
	most    int64 // rows of the group
}

// newPageCheck begins with the dictionary, if there is one.
func newPageCheck(r io.ReaderAt, m *format.ColumnMetaData, rows int64) (*pageCheck, error) {
	c := &pageCheck{r: r, codec: m.Codec, at: m.DataPageOffset, end: m.DataPageOffset + m.TotalCompressedSize, most: rows}
	if m.DictionaryPageOffset <= 0 {
		return c, nil
	}
	c.at, c.end = m.DictionaryPageOffset, m.DictionaryPageOffset+m.TotalCompressedSize
	err := c.page()
	c.at = m.DataPageOffset
	return c, err
}

// through looks at the pages up to the one that has a row.
func (c *pageCheck) through(row int64) error {
	for c.rows <= row && c.at < c.end {
		if err := c.page(); err != nil {
			return err
		}
	}
	return nil
}

// page looks at the next page.
func (c *pageCheck) page() error {
	head := make([]byte, min(maxPageHeader, max(0, c.end-c.at), 4<<10))
	h, size, err := c.header(head)
	if errors.Is(err, io.ErrUnexpectedEOF) && c.end-c.at > int64(len(head)) { // statistics are long
		h, size, err = c.header(make([]byte, min(maxPageHeader, c.end-c.at)))
	}
	if err != nil {
		return fmt.Errorf("the header of a page: %w", err)
	}
	packed, unpacked, values := int64(h.CompressedPageSize), int64(h.UncompressedPageSize), valuesOf(h)
	data := h.Type == format.DataPage || h.Type == format.DataPageV2
	switch {
	case packed < 0 || packed > c.end-c.at-size:
		return fmt.Errorf("a page has %d bytes by its header, where the column has %d", packed, c.end-c.at-size)
	case packed > maxPageBytes || unpacked < 0 || unpacked > maxPageBytes:
		return fmt.Errorf("a page unpacks from %d to %d bytes by its header; the limit is %d", packed, unpacked, maxPageBytes)
	case values < 0 || values > maxPageValues:
		return fmt.Errorf("a page has %d values by its header; the limit is %d", values, maxPageValues)
	case data && c.rows+values > c.most:
		return fmt.Errorf("the pages have %d rows or more by their headers, their group %d", c.rows+values, c.most)
	}
	if err := c.unpacks(h, c.at+size); err != nil {
		return err
	}
	c.at += size + packed
	if data {
		c.rows += values
	}
	return nil
}

// header reads the header at the next page into a buffer; size is how many bytes it has.
func (c *pageCheck) header(buf []byte) (h *format.PageHeader, size int64, err error) {
	n, err := c.r.ReadAt(buf, c.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	r := bytes.NewReader(buf[:n])
	h = new(format.PageHeader)
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(h); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, 0, err
	}
	return h, int64(n - r.Len()), nil
}

// valuesOf is how many values a page has; of a column of texts as many rows.
func valuesOf(h *format.PageHeader) int64 {
	switch h.Type {
	case format.DataPage:
		return int64(h.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		return int64(h.DataPageHeaderV2.V.NumValues)
	case format.DictionaryPage:
		return int64(h.DictionaryPageHeader.V.NumValues)
	}
	return 0
}

// unpacks checks that the data of a page unpack to no more than the header says.
func (c *pageCheck) unpacks(h *format.PageHeader, at int64) error {
	levels := int64(0) // which are not packed
	if h.Type == format.DataPageV2 {
		v2 := &h.DataPageHeaderV2.V
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return nil
		}
		levels = int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
	}
	size := int64(h.CompressedPageSize) - levels
	if levels < 0 || size < 0 {
		return fmt.Errorf("a page of %d bytes has %d bytes of levels by its header", h.CompressedPageSize, levels)
	}
	data := make([]byte, size)
	if n, err := c.r.ReadAt(data, at+levels); int64(n) < size {
		return err
	}
	want := int64(h.UncompressedPageSize) - levels
	n, err := unpackedLength(c.codec, data, want)
	switch {
	case err != nil:
		return fmt.Errorf("a page does not unpack: %w", err)
	case n > want:
		return fmt.Errorf("a page unpacks to %d bytes or more, and by its header to %d", n, want)
	}
	return nil
}

// unpackedLength is what data unpack to, or something above most if it is more than that; 0 if they
// are not packed, or by what the library does not know.
func unpackedLength(codec format.CompressionCodec, data []byte, most int64) (int64, error) {
	var r io.Reader
	var err error
	switch packed := bytes.NewReader(data); codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(data)
		return int64(n), err
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(data, make([]byte, max(0, most)))
		return int64(n), err
	case format.Gzip:
		r, err = gzip.NewReader(packed)
	case format.Brotli:
		r = brotli.NewReader(packed)
	case format.Zstd:
		z, failed := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxPageBytes))
		if failed == nil {
			defer z.Close()
		}
		r, err = z, failed
	default:
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return io.Copy(io.Discard, io.LimitReader(r, most+1))
}
