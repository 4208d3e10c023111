package parquet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A stackRow has the columns that a corpus of programs has on the hub.
type stackRow struct {
	Hexsha  string   `parquet:"hexsha"`
	Size    int64    `parquet:"size"`
	Content *string  `parquet:"content,optional"`
	Other   string   `parquet:"other"`
	Tags    []string `parquet:"tags,list"`
}

// program is the text of a row: of a few kilobytes now and then, and some texts are equal.
func program(row int) string {
	return strings.Repeat(fmt.Sprintf("line %d\n", row/3), 1+row%7*row%90)
}

// stack writes a table of so many rows, in groups of some, to a file.
func stack(t testing.TB, path string, rows, group int, codec compress.Codec) string {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[stackRow](&out, parquet.Compression(codec), parquet.PageBufferSize(2000))
	for row := range rows {
		text := program(row)
		must.Get(w.Write([]stackRow{{fmt.Sprintf("%x", row*7919), int64(len(text)), &text, "o", []string{"a", "b"}}}))(t)
		if row%group == group-1 {
			must.OK(t, w.Flush())
		}
	}
	must.OK(t, w.Close())
	return write(t, path, out.Bytes())
}

func write(t testing.TB, path string, content []byte) string {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, content, 0o644))
	return path
}

func load(t *testing.T, src datasets.Source, q datasets.Query) *datasets.Dataset {
	t.Helper()
	return must.Get(datasets.Load(t.Context(), src, q))(t)
}

func ids(d *datasets.Dataset) string {
	var list []string
	for i := range d.Samples {
		list = append(list, d.Samples[i].ID)
	}
	return strings.Join(list, " ")
}

// TestParquet reads all rows in order, and then in any order, for the compressions in use.
func TestParquet(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy,
		"gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw, "brotli": &parquet.Brotli} {
		path := stack(t, filepath.Join(t.TempDir(), "train.parquet"), 300, 70, codec)
		src := must.Get(datasets.Open("parquet", path, ""))(t)
		all := load(t, src, datasets.Query{})
		if len(all.Samples) != 300 {
			t.Fatalf("%s: %d documents of 300", name, len(all.Samples))
		}
		for row, s := range all.Samples {
			if want := fmt.Sprintf("train.parquet:%03d", row+1); s.ID != want || string(s.Content) != program(row) {
				t.Fatalf("%s: document %d is %q with %d bytes, want %q with %d", name, row, s.ID, len(s.Content), want, len(program(row)))
			}
		}
		docs := must.Get(src.Documents(t.Context()))(t)
		for range 200 {
			row := rng.IntN(300)
			if text, err := docs[row].Read(); err != nil || string(text) != program(row) {
				t.Fatalf("%s: row %d read out of order: %q, %v", name, row, text, err)
			}
		}
	}
}

// TestParquetSelects: the first ones that a filter keeps, of several files of a folder.
func TestParquetSelects(t *testing.T) {
	dir := t.TempDir()
	stack(t, filepath.Join(dir, "data", "b.parquet"), 20, 7, &parquet.Snappy)
	stack(t, filepath.Join(dir, "data", "a.parquet"), 12, 5, &parquet.Snappy)
	write(t, filepath.Join(dir, "README.md"), []byte("about"))
	src := must.Get(datasets.Open("parquet", dir, ""))(t)
	reads := 0
	set := load(t, src, datasets.Query{Limit: 3, Keep: func(text []byte) bool {
		reads++
		return bytes.Contains(text, []byte("line 3\n"))
	}})
	if got := ids(set); got != "data/a.parquet:10 data/a.parquet:11 data/a.parquet:12" || reads != 12 {
		t.Errorf("got %s after %d documents", got, reads)
	}
	src = must.Get(datasets.Open("parquet", dir, "data/b*"))(t)
	if n := len(load(t, src, datasets.Query{}).Samples); n != 20 {
		t.Errorf("the glob has %d documents, want 20", n)
	}
}

// TestParquetColumn names another column than the usual one.
func TestParquetColumn(t *testing.T) {
	path := stack(t, filepath.Join(t.TempDir(), "x.parquet"), 3, 2, &parquet.Snappy)
	src := must.Get(datasets.OpenParquet(path, "", "hexsha"))(t)
	if s := load(t, src, datasets.Query{}).Samples; string(s[1].Content) != "1eef" {
		t.Errorf("the second text is %q", s[1].Content)
	}
}

func TestParquetConcurrently(t *testing.T) {
	path := stack(t, filepath.Join(t.TempDir(), "x.parquet"), 90, 20, &parquet.Zstd)
	src := must.Get(datasets.Open("parquet", path, ""))(t)
	docs := must.Get(src.Documents(t.Context()))(t)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range docs {
				row := (i*7 + worker*13) % len(docs)
				if text, err := docs[row].Read(); err != nil || string(text) != program(row) {
					t.Errorf("row %d: %d bytes, %v", row, len(text), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestParquetErrors(t *testing.T) {
	dir := t.TempDir()
	good := stack(t, filepath.Join(dir, "good.parquet"), 10, 4, &parquet.Snappy)
	content := must.Get(os.ReadFile(good))(t)
	write(t, filepath.Join(dir, "cut.parquet"), content[:len(content)/2])
	write(t, filepath.Join(dir, "text.parquet"), []byte(`{"id": 1}`))
	write(t, filepath.Join(dir, "empty", "x.txt"), nil)
	var none bytes.Buffer
	w := parquet.NewGenericWriter[stackRow](&none)
	must.Get(w.Write([]stackRow{{Hexsha: "a"}}))(t)
	w.Close()
	write(t, filepath.Join(dir, "null.parquet"), none.Bytes())
	for _, c := range []struct{ about, path, glob, column, want string }{
		{"a file that is not there", "nowhere.parquet", "", "", "nowhere.parquet: no such file"},
		{"cut off", "cut.parquet", "", "", "cut.parquet: the Parquet file is damaged or cut off"},
		{"another format", "text.parquet", "", "", "text.parquet is not Parquet"},
		{"no such column", "good.parquet", "", "txet", `good.parquet: the table has no column "txet"; it has "hexsha", "size", "content"`},
		{"a column of numbers", "good.parquet", "", "size", `good.parquet: column "size" holds INT(64,true); expected one text a row`},
		{"a column of lists", "good.parquet", "", "tags", `the table has no column "tags"; it has "hexsha", "size", "content", "other", "tags.list.element"`},
		{"a glob of a file", "good.parquet", "*", "", "this is one file; leave it out"},
		{"a folder without any", "empty", "", "", `empty: no file matches "**/*.parquet"`},
		{"a row without text", "null.parquet", "", "", "null.parquet: row 1: the text is missing (null)"},
	} {
		src, err := datasets.OpenParquet(filepath.Join(dir, c.path), c.glob, c.column)
		if err == nil {
			_, err = datasets.Load(t.Context(), src, datasets.Query{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.about, err, c.want)
		}
	}
}

// TestDamagedParquet changes bytes of a file. Then there is an error or a text, never a panic.
func TestDamagedParquet(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	dir := t.TempDir()
	content := must.Get(os.ReadFile(stack(t, filepath.Join(dir, "good.parquet"), 40, 15, &parquet.Snappy)))(t)
	failed := 0
	for range 400 {
		broken := bytes.Clone(content)
		for range 1 + rng.IntN(3) {
			broken[4+rng.IntN(len(broken)-4)] = byte(rng.IntN(256))
		}
		src, err := datasets.Open("parquet", write(t, filepath.Join(dir, "broken.parquet"), broken), "")
		must.OK(t, err)
		docs, err := src.Documents(t.Context())
		for i := 0; err == nil && i < min(len(docs), 100); i++ {
			_, err = docs[i].Read()
		}
		if err != nil {
			failed++
			if !strings.Contains(err.Error(), "broken.parquet") {
				t.Errorf("the error does not name the file: %v", err)
			}
		}
	}
	if failed < 40 {
		t.Errorf("only %d of 400 damaged files were noticed", failed)
	}
}

// TestParquetSchemas reads JSONSchemaBench as the hub has it.
func TestParquetSchemas(t *testing.T) {
	type row struct {
		JSONSchema string `parquet:"json_schema"`
		UniqueID   string `parquet:"unique_id"`
	}
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		var out bytes.Buffer
		w := parquet.NewGenericWriter[row](&out)
		must.Get(w.Write([]row{{`{"type": "null"}`, "Github_easy---" + name + "1"}, {`{"type":  "object"}`, "Github_easy---" + name + "2"}}))(t)
		must.OK(t, w.Close())
		write(t, filepath.Join(dir, "Github_easy", name+".parquet"), out.Bytes())
	}
	for path, want := range map[string]string{
		dir: "Github_easy---a1 Github_easy---a2 Github_easy---b1 Github_easy---b2",
		filepath.Join(dir, "Github_easy", "b.parquet"): "Github_easy---b1 Github_easy---b2",
	} {
		src := must.Get(datasets.Open("jsonschemabench", path, ""))(t)
		set := load(t, src, datasets.Query{})
		var got []string
		for _, s := range set.Schemas {
			got = append(got, s.ID)
		}
		if strings.Join(got, " ") != want || set.Schemas[0].Group != "Github_easy" || string(set.Schemas[1].Text) != `{"type":  "object"}` {
			t.Errorf("%s: got %v, %+v", path, got, set.Schemas[1])
		}
	}
}
