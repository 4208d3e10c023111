package datasets_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func TestOneLine(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"compact", `{"a":1,"b":[true,null]}`, `{"a": 1, "b": [true, null]}`},
		{"indented", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n", `{"a": [1, 2]}`},
		{"all white space", " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", `[1, 2]`},
		{"empty containers", "[ { \n } , [\n] ]", `[{}, []]`},
		{"a scalar", " 12 ", `12`},
		{"separators in strings", `[",","a:b","{ }","\",\""]`, `[",", "a:b", "{ }", "\",\""]`},
		{"numbers as they are", `[1e-7,1.0,-0,0.10,1E+2,12345678901234567890]`, `[1e-7, 1.0, -0, 0.10, 1E+2, 12345678901234567890]`},
		{"strings as they are", `["\u00e9","é","\/","\ud83d\ude00","<&>","\u2028"]`, `["\u00e9", "é", "\/", "\ud83d\ude00", "<&>", "\u2028"]`},
		{"lone surrogates", `"\ud83d"`, `"\ud83d"`},
		{"a member twice", `{"a":1,"a":2}`, `{"a": 1, "a": 2}`},
		{"an empty name", `{"":{"":""}}`, `{"": {"": ""}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := datasets.OneLine([]byte("before "), []byte(c.text))
			if string(got) != "before "+c.want || err != nil {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestOneLineErrors(t *testing.T) {
	cases := []struct{ text, want string }{
		{``, `1:1: not JSON: the document ends where a JSON value is expected`},
		{"[\n\"é\", x]", `2:6: not JSON: no JSON value can begin with 'x'`},
		{`{} {}`, `1:4: not JSON: there is more text after the JSON value`},
		{"\ufeff{}", `1:1: not JSON: the file begins with a byte order mark; save it as UTF-8 without one`},
		{"\xff\xfe1\x00", `1:1: the text is not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8`},
		{"[\n\"é\xff\"]", `2:3: the text is not UTF-8`},
	}
	for _, c := range cases {
		got, err := datasets.OneLine([]byte("before"), []byte(c.text))
		if err == nil || err.Error() != c.want || string(got) != "before" {
			t.Errorf("%q: %q, error %v, want %s", c.text, got, err, c.want)
		}
	}
}

// nasty is JSON that layouts get wrong.
const nasty = `[{}, [], "", 0, -0.0, [[], {}], {"a": {"b": [{"c": [1, 2, {"d": []}]}]}, "": null}, "\"\\/\b\f\n\r\t", "é😀", "[ , : ]", true, false]`

// TestOneLineAgainstPython compares with the program whose layout it is.
func TestOneLineAgainstPython(t *testing.T) {
	seed.Usual(t)
	python := must.Python(t, "sys")
	dump := func(options string) []byte {
		cmd := exec.Command(python, "-X", "utf8", "-c", "import json, sys; sys.stdout.write(json.dumps(json.loads(sys.stdin.read()), ensure_ascii=False"+options+"))")
		cmd.Stdin = strings.NewReader(nasty)
		out := must.Get(cmd.Output())(t)
		return out
	}
	want := dump("")
	for _, options := range []string{"", ", indent=4", ", indent='\\t'", ", separators=(',', ':')", ", separators=(' , ', '  :')"} {
		if got, err := datasets.OneLine(nil, dump(options)); !bytes.Equal(got, want) || err != nil {
			t.Errorf("%s: %s, %v; want %s", options, got, err, want)
		}
	}
}

// TestOneLineOfCorpus indents what Python wrote and lays it out again: schemas and instances of
// MaskBench's development part come out byte for byte as they were.
func TestOneLineOfCorpus(t *testing.T) {
	d := load(t, open(t, "maskbench", shared(t, "maskbench-dev.jsonl.gz"), ""), datasets.Query{Negatives: -1})
	check := func(id string, text []byte) {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "    "); err != nil {
			t.Fatal(id, err)
		}
		if got, err := datasets.OneLine(nil, indented.Bytes()); !bytes.Equal(got, text) || err != nil {
			t.Errorf("%s: %.200s, %v; want %.200s", id, got, err, text)
		}
	}
	for _, s := range d.Schemas {
		check(s.ID, s.Text)
	}
	for i := range d.Samples {
		check(d.Samples[i].ID, d.Samples[i].Content)
	}
}

// FuzzOneLine compares with encoding/json: the same texts are JSON, the value stays the same, and
// laying out twice changes nothing.
func FuzzOneLine(f *testing.F) {
	f.Add([]byte(nasty))
	f.Add([]byte("{\n  \"a\": [1, 2.5e-3, \"\\u00e9\"],\r\n\t\"b\": {}\n}"))
	f.Add([]byte(`[1,]`))
	f.Add([]byte(`"\ud800"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := datasets.OneLine(nil, text)
		if want := json.Valid(text) && utf8.Valid(text); want != (err == nil) {
			if len(text) < 10_000 { // deeper, and longer numbers, are beyond limits
				t.Fatalf("%q: error %v, encoding/json says %v", text, err, want)
			}
			return
		}
		if err != nil {
			return
		}
		var before, after bytes.Buffer
		if json.Compact(&before, text) != nil || json.Compact(&after, got) != nil || !bytes.Equal(before.Bytes(), after.Bytes()) {
			t.Fatalf("%q became %q", text, got)
		}
		if twice, err := datasets.OneLine(nil, got); !bytes.Equal(twice, got) || err != nil {
			t.Fatalf("%q became %q, then %q (%v)", text, got, twice, err)
		}
		if spaces := bytes.ContainsAny(got, "\n\t\r"); spaces {
			t.Fatalf("%q is not one line", got)
		}
	})
}
