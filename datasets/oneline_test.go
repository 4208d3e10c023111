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
		{``, `1:1: not JSON: expected a value, but the text ends`},
		{" \n ", `2:2: not JSON: expected a value, but the text ends`},
		{`[1,`, `1:4: not JSON: expected a value, but the text ends`},
		{`[1,]`, `1:4: not JSON: expected a value, found ']'`},
		{`[,1]`, `1:2: not JSON: expected a value or ']', found ','`},
		{`[1 2]`, `1:4: not JSON: expected ',' or the end of the array, found '2'`},
		{`[1}`, `1:3: not JSON: expected ',' or the end of the array, found '}'`},
		{`[1`, `1:3: not JSON: expected ',' or the end of the array, but the text ends`},
		{`{1: 2}`, `1:2: not JSON: expected a member's name in quotes or '}', found '1'`},
		{`{a: 2}`, `1:2: not JSON: expected a member's name in quotes or '}', found 'a'`},
		{`{"a": 1,}`, `1:9: not JSON: expected a member's name in quotes, found '}'`},
		{`{"a" 1}`, `1:6: not JSON: expected ':', found '1'`},
		{`{"a"`, `1:5: not JSON: expected ':', but the text ends`},
		{`{"a":}`, `1:6: not JSON: expected a value, found '}'`},
		{`{"a": 1]`, `1:8: not JSON: expected ',' or the end of the object, found ']'`},
		{`]`, `1:1: not JSON: expected a value, found ']'`},
		{`1,`, `1:2: not JSON: expected the end of the text, found ','`},
		{`{} {}`, `1:4: not JSON: expected the end of the text, found '{'`},
		{"[\n\"é\", x]", `2:6: not JSON: expected a value, found 'x'`},
		{`tru`, `1:1: not JSON: expected a value, found 't'`},
		{`nulll`, `1:5: not JSON: expected the end of the text, found 'l'`},
		{`NaN`, `1:1: not JSON: expected a value, found 'N'`},
		{`-Infinity`, `1:2: not JSON: expected a digit, found 'I'`},
		{`01`, `1:2: not JSON: a number must not begin with 0 and more digits`},
		{`.5`, `1:1: not JSON: expected a value, found '.'`},
		{`5.`, `1:3: not JSON: expected a digit, but the text ends`},
		{`5e`, `1:3: not JSON: expected a digit, but the text ends`},
		{`5e+x`, `1:4: not JSON: expected a digit, found 'x'`},
		{`+5`, `1:1: not JSON: expected a value, found '+'`},
		{`"a`, `1:3: not JSON: expected the end of a string, but the text ends`},
		{"\"a\nb\"", `1:3: not JSON: a control character in a string must be written as an escape, \u000a`},
		{"\"a\x00\"", `1:3: not JSON: a control character in a string must be written as an escape, \u0000`},
		{`"\x"`, `1:3: not JSON: expected one of "\/bfnrtu behind a backslash, found 'x'`},
		{`"\`, `1:3: not JSON: expected one of "\/bfnrtu behind a backslash, but the text ends`},
		{`"\u12g4"`, `1:6: not JSON: expected a hexadecimal digit, found 'g'`},
		{`"\u12`, `1:6: not JSON: expected a hexadecimal digit, but the text ends`},
		{`'a'`, `1:1: not JSON: expected a value, found '\''`},
		{`[1, // one`, `1:5: not JSON: expected a value, found '/'`},
		{"\ufeff{}", `1:1: not JSON: expected a value, found a byte order mark; save the text as UTF-8 without one`},
		{"[1\ufeff]", `1:3: not JSON: expected ',' or the end of the array, found a byte order mark; save the text as UTF-8 without one`},
		{"\xff\xfe1\x00", `1:1: the text is not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8`},
		{"\xfe\xff\x001", `1:1: the text is not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8`},
		{"[\n\"é\xff\"]", `2:3: the text is not UTF-8`},
		{"[1]\x00", `1:4: not JSON: expected the end of the text, found '\x00'`},
	}
	for _, c := range cases {
		got, err := datasets.OneLine([]byte("before"), []byte(c.text))
		if err == nil || err.Error() != c.want || string(got) != "before" {
			t.Errorf("%q: %q, error %v, want %s", c.text, got, err, c.want)
		}
	}
}

// TestOneLineDeep nests deeper than a stack of a frame for each level would bear cheaply, and than
// encoding/json reads.
func TestOneLineDeep(t *testing.T) {
	const levels = 100_000
	arrays := strings.Repeat("[\n", levels) + strings.Repeat("]\n", levels)
	objects := strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
	for text, want := range map[string]string{
		arrays:  strings.Repeat("[", levels) + strings.Repeat("]", levels),
		objects: strings.Repeat(`{"a": `, levels) + "1" + strings.Repeat("}", levels),
	} {
		if got, err := datasets.OneLine(nil, []byte(text)); string(got) != want || err != nil {
			t.Errorf("%.20s...: %.20s..., %v", text, got, err)
		}
		if _, err := datasets.OneLine(nil, []byte(text[:len(text)/2+1])); err == nil {
			t.Errorf("%.20s...: half of it is no error", text)
		}
	}
}

// nasty is JSON that layouts get wrong.
const nasty = `[{}, [], "", 0, -0.0, [[], {}], {"a": {"b": [{"c": [1, 2, {"d": []}]}]}, "": null}, "\"\\/\b\f\n\r\t", "é😀", "[ , : ]", true, false]`

// TestOneLineAgainstPython compares with the program whose layout it is.
func TestOneLineAgainstPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
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
			if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) < 10_000 { // deeper is beyond encoding/json
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
