package datasets_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// lines is the path of a file of JSON lines.
func lines(t *testing.T, content string) string {
	t.Helper()
	return filepath.Join(tree(t, map[string]string{"x.jsonl": content}), "x.jsonl")
}

// compressed is a text in gzip's format.
func compressed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write([]byte(text)))(t)
	must.OK(t, z.Close())
	return b.String()
}

func TestJSONLines(t *testing.T) {
	text := "\ufeff" + `{"id": "b", "content": "two\nlines\n"}` + "\n" +
		`{"id": 12, "content": "a number as id"}` + "\n" +
		"\n" +
		`{"lang": "go", "content": "no id", "extra": {"a": [1]}}` + "\r\n" +
		"  \t\n" +
		`{"content": "", "id": "a"}` + "\n" +
		`{"id": "n", "content": "é \ud83d\ude00", "valid": false}` + "\n" +
		`{"id": "p", "content": "last, without a line end", "valid": true}`
	want := map[string]string{"b": "two\nlines\n", "12": "a number as id", "line 4": "no id", "a": "", "n": "é 😀", "p": "last, without a line end"}
	for name, content := range map[string]string{
		"plain":                 text,
		"gzip":                  compressed(t, text),
		"gzip in several parts": compressed(t, text[:20]) + compressed(t, text[20:]),
	} {
		t.Run(name, func(t *testing.T) {
			d := load(t, open(t, "jsonl", lines(t, content), ""), datasets.Query{Negatives: -1})
			if got := ids(d); got != "12 a b line 4 n p" {
				t.Errorf("ids %s", got)
			}
			for _, s := range d.Samples {
				if string(s.Content) != want[s.ID] || s.Negative != (s.ID == "n") {
					t.Errorf("%s is %q, negative %v", s.ID, s.Content, s.Negative)
				}
			}
		})
	}
}

// TestJSONLinesContentIsTheCallers reads a document twice and changes it in between.
func TestJSONLinesContentIsTheCallers(t *testing.T) {
	docs := must.Get(open(t, "jsonl", lines(t, `{"content": "abc"}`), "").Documents(t.Context()))(t)
	first := must.Get(docs[0].Read())(t)
	first[0] = 'x'
	if again, err := docs[0].Read(); err != nil || string(again) != "abc" {
		t.Errorf("%q, %v", again, err)
	}
}

func TestJSONLinesErrors(t *testing.T) {
	good := `{"id": "a", "content": "x"}` + "\n"
	cases := []struct{ name, content, want string }{
		{"not JSON", good + `{"id": "é", content: "x"}`, "x.jsonl:2:13: not JSON: expected a key in quotes"},
		{"text behind", good + `{"id": "b", "content": "x"} {}`, "x.jsonl:2:29: not JSON: there is more text after the JSON value"},
		{"ends early", good + `{"id": "b", "content": "x"`, "x.jsonl:2:27: not JSON: expected , or } in an object"},
		{"over two lines", good + "{\"id\":\n\"b\"}", "x.jsonl:2:7: not JSON: the document ends where a JSON value is expected"},
		{"no content", good + "\n" + `{"id": "b", "text": "x"}`, `x.jsonl:3:1: the object has no "content"; each line must be {"id": ..., "content": ...}`},
		{"null content", good + `{"id": "b", "content": null}`, `x.jsonl:2:1: the object has no "content"`},
		{"null", good + "null", `x.jsonl:2:1: the line must be an object, is null`},
		{"an array", good + ` ["b", "x"]`, "x.jsonl:2:2: the line must be an object, is an array"},
		{"a string", good + `"b"`, "x.jsonl:2:1: the line must be an object, is a string"},
		{"a number", good + `  12`, "x.jsonl:2:3: the line must be an object, is a number"},
		{"id of a wrong type", good + `{"content": "x", "id" : [12] }`, `x.jsonl:2:25: "id" must be a string or a number, is an array`},
		{"content of a wrong type", good + `{"id": "日本", "content": ["x"]}`, `x.jsonl:2:25: "content" must be a string, is an array`},
		{"nested content", good + `{"content":{"text": "x"}}`, `x.jsonl:2:12: "content" must be a string, is an object`},
		{"valid of a wrong type", good + `{"content": "x", "valid": "no"}`, `x.jsonl:2:27: "valid" must be true or false, is a string`},
		{"not UTF-8", good + "{\"id\": \"é\xff\", \"content\": \"x\"}", "x.jsonl:2:10: the line is not UTF-8"},
		{"duplicate ids", good + "\n" + good, `x.jsonl:3:1: two documents have the id "a", the first at PATH:1:1; ids must be unique`},
		{"number as id", `{"content": "x"}` + "\n" + `{"id": "line 1", "content": "y"}`, `:2:1: two documents have the id "line 1", the first at `},
		{"no lines", "", "x.jsonl: the file has no lines"},
		{"blank lines", "\n \n", "x.jsonl: the file has no lines"},
		{"byte order mark inside", good + "\ufeff" + good, "x.jsonl:2:1: not JSON: the file begins with a byte order mark"},
		{"byte order mark in a line", good + "{\"id\": \ufeff1}", "x.jsonl:2:8: not JSON: no JSON value can begin with '\\ufeff'"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "x.jsonl:1:1: the line is not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8"},
		{"other compression", "\x28\xb5\x2f\xfd\x00", "x.jsonl:1:2: the line is not UTF-8"},
	}
	for _, c := range cases {
		for _, pack := range []string{"plain", "gzip"} {
			t.Run(c.name+" "+pack, func(t *testing.T) {
				content := c.content
				if pack == "gzip" {
					content = compressed(t, content)
				}
				path := lines(t, content)
				want := strings.ReplaceAll(c.want, "PATH", path)
				_, err := datasets.Load(t.Context(), open(t, "jsonl", path, ""), datasets.Query{})
				if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
					t.Errorf("error %v, want %s", err, want)
				}
			})
		}
	}
}

// TestCutOff cuts a compressed file at every length: whatever is left is never taken for the whole,
// nor for a file whose last line is not JSON.
func TestCutOff(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "{\"id\": \"%d\", \"content\": \"%d %d\"}\n", i, i*i*7919, i*104729)
	}
	whole := compressed(t, text.String())
	for cut := 2; cut < len(whole); cut += 1 + cut/40 {
		path := lines(t, whole[:cut])
		_, err := open(t, "jsonl", path, "").Documents(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), path+":") || !strings.Contains(err.Error(), "the compressed file is cut off here") {
			t.Fatalf("cut at %d of %d: %v", cut, len(whole), err)
		}
	}
	if _, err := open(t, "jsonl", lines(t, whole), "").Documents(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDamagedGzip(t *testing.T) {
	whole := []byte(compressed(t, `{"content": "x"}`+"\n"))
	whole[len(whole)-6] ^= 1 // in the checksum
	path := lines(t, string(whole))
	if _, err := open(t, "jsonl", path, "").Documents(t.Context()); err == nil || err.Error() != path+":2: gzip: invalid checksum" {
		t.Errorf("error %v", err)
	}
}

// TestLongLines has lines around the sizes of the reader's buffer, and one over the limit.
func TestLongLines(t *testing.T) {
	for _, size := range []int{1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<17 - 3, 1 << 20} {
		path := lines(t, strings.Repeat("x", size)+"\r\n"+strings.Repeat("y", size)+"\n\nz")
		var got []string
		err := datasets.EachLine(path, func(line int, text []byte) error {
			got = append(got, fmt.Sprintf("%d %c %d", line, text[0], len(text)))
			return nil
		})
		want := fmt.Sprintf("1 x %d, 2 y %d, 4 z 1", size, size)
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("lines %s, error %v, want %s", strings.Join(got, ", "), err, want)
		}
	}
	t.Run("too long", func(t *testing.T) {
		if !seed.Full() {
			t.Skip("reads 100 MB; set GCDBENCH_FULL=1")
		}
		path := filepath.Join(t.TempDir(), "x.jsonl")
		must.OK(t, os.WriteFile(path, nil, 0o644))
		if err := os.Truncate(path, 6*datasets.MaxDocumentBytes+2048); err != nil { // a sparse file of zero bytes
			t.Fatal(err)
		}
		err := datasets.EachLine(path, func(int, []byte) error { return nil })
		if want := path + ":1: the line is longer than 100664320 bytes, which no document needs"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

func TestEachLineStops(t *testing.T) {
	boom := errors.New("enough")
	seen := 0
	err := datasets.EachLine(lines(t, "1\n2\n3\n"), func(line int, _ []byte) error {
		seen++
		if line == 2 {
			return boom
		}
		return nil
	})
	if err != boom || seen != 2 {
		t.Errorf("error %v after %d lines", err, seen)
	}
}

func TestEachLineOfNothing(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.jsonl")
	for path, want := range map[string]string{gone: gone + ": no such file or directory", t.TempDir(): " is a folder; expected a file of JSON lines"} {
		err := datasets.EachLine(path, func(int, []byte) error { return nil })
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestCorpora reads the development corpora, whose sizes their description gives.
func TestCorpora(t *testing.T) {
	for name, want := range map[string]int{"java": 742, "go": 550, "python": 859, "sql": 818} {
		path := "../../shared/data/" + name + "-dev.jsonl.gz"
		if _, err := os.Stat(path); err != nil {
			t.Skip("the corpora are not on this machine: ", err)
		}
		d := load(t, open(t, "jsonl", path, ""), datasets.Query{})
		if len(d.Samples) != want {
			t.Errorf("%s: %d documents, want %d", path, len(d.Samples), want)
		}
		for _, s := range d.Samples {
			if !strings.HasPrefix(s.ID, name+"/") || !bytes.HasSuffix(s.Content, []byte("\n")) {
				t.Errorf("%s: document %s does not look like one of it", path, s.ID)
			}
		}
	}
}
