package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// allocated is how many bytes a function allocates, garbage included.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// restated writes a Parquet file with other metadata at its end.
func restated(t *testing.T, path string, change func(*format.FileMetaData)) string {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	end := len(content) - 8
	begin := end - int(binary.LittleEndian.Uint32(content[end:]))
	var meta format.FileMetaData
	protocol := new(thrift.CompactProtocol)
	must.OK(t, thrift.Unmarshal(protocol, content[begin:end], &meta))
	change(&meta)
	footer := must.Get(thrift.Marshal(protocol, &meta))(t)
	out := append(bytes.Clone(content[:begin]), footer...)
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
	return write(t, filepath.Join(t.TempDir(), "restated.parquet"), out)
}

// firstOf loads the first documents of a Parquet file.
func firstOf(t *testing.T, path string, q datasets.Query) (*datasets.Dataset, error) {
	t.Helper()
	src := must.Get(datasets.Open("parquet", path, ""))(t)
	return datasets.Load(t.Context(), src, q)
}

// TestParquetRowsStated: a small file that says it has a thousand million rows is refused, whether
// its row groups say so too or not, without memory for them.
func TestParquetRowsStated(t *testing.T) {
	const many = 1_000_000_000
	good := stack(t, filepath.Join(t.TempDir(), "good.parquet"), 3, 3, &parquet.Snappy)
	for _, c := range []struct {
		about  string
		change func(*format.FileMetaData)
		query  datasets.Query
		want   string
	}{
		{"the file alone", func(m *format.FileMetaData) { m.NumRows = many }, datasets.Query{Limit: 2}, "it says that it has 1000000000 rows, and its row groups have others"},
		{"the groups too, drawn at random", func(m *format.FileMetaData) { m.NumRows, m.RowGroups[0].NumRows = many, many }, datasets.Query{Limit: 2, Sample: true}, "1000000000 rows, and a list of all is limited to"},
		{"the groups too, all", func(m *format.FileMetaData) { m.NumRows, m.RowGroups[0].NumRows = many, many }, datasets.Query{}, "row 4: the Parquet file is damaged"},
		{"below zero", func(m *format.FileMetaData) { m.NumRows, m.RowGroups[0].NumRows = -1, -1 }, datasets.Query{}, "damaged"},
	} {
		path := restated(t, good, c.change)
		var err error
		if n := allocated(func() { _, err = firstOf(t, path, c.query) }); n > 20<<20 {
			t.Errorf("%s: %d bytes were allocated", c.about, n)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.about, err, c.want)
		}
	}
}

// TestParquetFirstOfMany: of a table of millions of rows the first ones are had without a list of
// all.
func TestParquetFirstOfMany(t *testing.T) {
	type row struct {
		Content string `parquet:"content,dict"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out)
	rows := make([]row, 100_000)
	for i := range rows {
		rows[i].Content = fmt.Sprint(i % 9)
	}
	for range 25 {
		must.Get(w.Write(rows))(t)
	}
	must.OK(t, w.Close())
	path := write(t, filepath.Join(t.TempDir(), "many.parquet"), out.Bytes())
	var set *datasets.Dataset
	var err error
	if n := allocated(func() { set, err = firstOf(t, path, datasets.Query{Limit: 5}) }); n > 50<<20 {
		t.Errorf("%d bytes were allocated for 5 documents", n)
	}
	must.OK(t, err)
	p := set.Provenance
	if got := ids(set); got != "many.parquet:0000001 many.parquet:0000002 many.parquet:0000003 many.parquet:0000004 many.parquet:0000005" ||
		p.Listed != 2_500_000 || p.ByLimit != 2_499_995 {
		t.Errorf("%s of %d, %d beyond the limit", got, p.Listed, p.ByLimit)
	}
	if _, err := firstOf(t, path, datasets.Query{Limit: 5, Sample: true}); err == nil || !strings.Contains(err.Error(), "2500000 rows") {
		t.Errorf("5 of them at random: %v", err)
	}
}

// TestParquetFooterStated: whatever byte of the metadata or of their length is wrong, opening the
// file takes little memory.
func TestParquetFooterStated(t *testing.T) {
	content := must.Get(os.ReadFile(stack(t, filepath.Join(t.TempDir(), "good.parquet"), 30, 15, &parquet.Snappy)))(t)
	path := filepath.Join(t.TempDir(), "broken.parquet")
	begin := len(content) - 8 - int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	refused := 0
	every := seed.Rounds(8, 1, 1)
	for i := begin; i < len(content); i += every {
		for _, b := range []byte{0xff, 0x7f} {
			broken := bytes.Clone(content)
			broken[i] = b
			write(t, path, broken)
			var err error
			if n := allocated(func() { _, err = firstOf(t, path, datasets.Query{Limit: 2}) }); n > 20<<20 {
				t.Errorf("byte %d as %x: %d bytes were allocated, error %v", i-begin, b, n, err)
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < 100/every {
		t.Errorf("%d changed bytes were noticed", refused)
	}
}

// TestParquetBomb: a page that unpacks to more than its header says is not unpacked.
func TestParquetBomb(t *testing.T) {
	const many = 64 // MiB
	for codec, pack := range map[compress.Codec]func(io.Writer) io.WriteCloser{
		&parquet.Gzip:   func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		&parquet.Brotli: func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) },
		&parquet.Zstd:   func(w io.Writer) io.WriteCloser { return must.Get(zstd.NewWriter(w))(t) },
	} {
		for _, mib := range []int{0, many} {
			var data bytes.Buffer
			z := pack(&data)
			z.Write([]byte("\x05\x00\x00\x00hello"))
			for range mib {
				z.Write(make([]byte, 1<<20))
			}
			must.OK(t, z.Close())
			path := withPage(t, codec, data.Bytes())
			var err error
			n := allocated(func() { _, err = firstOf(t, path, datasets.Query{Limit: 1}) })
			if n > many/2<<20 || (err == nil) != (mib == 0) || err != nil && !strings.Contains(err.Error(), "a page unpacks to 10 bytes or more, and by its header to 9") {
				t.Errorf("%v with %d MiB: %d bytes were allocated, error %v", codec, mib, n, err)
			}
		}
	}
}

// withPage writes a table of the text "hello" whose page has other data.
func withPage(t *testing.T, codec compress.Codec, data []byte) string {
	t.Helper()
	type row struct {
		Content string `parquet:"content,plain"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.Compression(codec))
	must.Get(w.Write([]row{{"hello"}}))(t)
	must.OK(t, w.Close())
	good := write(t, filepath.Join(t.TempDir(), "good.parquet"), out.Bytes())
	protocol := new(thrift.CompactProtocol)
	var page []byte
	path := restated(t, good, func(meta *format.FileMetaData) {
		m := &meta.RowGroups[0].Columns[0].MetaData
		var h format.PageHeader
		must.OK(t, thrift.NewDecoder(protocol.NewReader(bytes.NewReader(out.Bytes()[m.DataPageOffset:]))).Decode(&h))
		h.CompressedPageSize, h.CRC = int32(len(data)), 0
		page = append(must.Get(thrift.Marshal(protocol, &h))(t), data...)
		m.DataPageOffset, m.TotalCompressedSize = int64(len(magic)), int64(len(page))
	})
	content := must.Get(os.ReadFile(path))(t)
	end := len(content) - 8 - int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	return write(t, path, append(append([]byte(magic), page...), content[end:]...))
}

// TestParquetPagesStated: whatever byte of a page is wrong, reading it takes no more memory than a
// page may have.
func TestParquetPagesStated(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 3))
	for name, codec := range map[string]compress.Codec{"snappy": &parquet.Snappy, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw} {
		content := must.Get(os.ReadFile(stack(t, filepath.Join(t.TempDir(), "good.parquet"), 60, 60, codec)))(t)
		refused, rounds := 0, seed.Rounds(60, 300, 300)
		for range rounds {
			broken := bytes.Clone(content)
			broken[4+rng.IntN(len(broken)*9/10)] ^= 1 << rng.IntN(8)
			path := write(t, filepath.Join(t.TempDir(), "broken.parquet"), broken)
			var err error
			if n := allocated(func() { _, err = firstOf(t, path, datasets.Query{}) }); n > 300<<20 {
				t.Errorf("%s: %d bytes were allocated, error %v", name, n, err)
			}
			if err != nil {
				refused++
			}
		}
		if refused < rounds/30 {
			t.Errorf("%s: %d of %d flipped bits were noticed", name, refused, rounds)
		}
	}
}
