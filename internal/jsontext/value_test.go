package jsontext

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestSyntax is a table of documents that are not JSON: where, and why.
func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		src          string
		line, column int
		want         string
	}{
		{"", 1, 1, "the document ends where a JSON value is expected"},
		{"  \n ", 2, 2, "the document ends where a JSON value is expected"},
		{"\xef\xbb\xbf{}", 1, 1, "byte order mark"},
		{"\xff\xfe{\x00", 1, 1, "byte order mark"},
		{"{} {}", 1, 4, "there is more text after the JSON value"},
		{"{,}", 1, 2, "expected a key in quotes"},
		{"{\"a\": 1,\n}", 2, 1, "expected a key in quotes"},
		{`{"a" 1}`, 1, 6, `expected : after the key "a"`},
		{`{"a": 1 "b"}`, 1, 9, "expected , or } in an object"},
		{`{"é": [1 2]}`, 1, 10, "expected , or ] in an array"},
		{`[1,]`, 1, 4, "no JSON value can begin with ']'"},
		{`{"a": tru}`, 1, 7, "no JSON value can begin with 't'"},
		{`{"a": 'x'}`, 1, 7, `no JSON value can begin with '\''`},
		{`{"a": "x}`, 1, 10, "a string does not end"},
		{"{\"a\": \"x\ny\"}", 1, 9, `a string holds the control character 0x0a; write it as \u000a`},
		{"{\"a\": \"\xff\"}", 1, 8, "a string is not UTF-8"},
		{`{"a": "\x"}`, 1, 8, "a string has an escape that JSON does not know"},
		{`{"a": "\u12"}`, 1, 8, "a string has an escape that JSON does not know"},
		{`{"a": 1.}`, 1, 9, "a number is not complete"},
		{`{"a": -}`, 1, 8, "a number is not complete"},
		{`{"a": 1e+}`, 1, 10, "a number is not complete"},
		{`{"a": 01}`, 1, 8, "expected , or } in an object"},
		{strings.Repeat(`[`, 10_001), 1, 10_001, "nested more than 10000 deep"},
		{`[1` + strings.Repeat("0", 10_000) + `]`, 1, 2, "a number has more than 10000 characters"},
	} {
		_, err := Parse("file.json", []byte(c.src))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != c.line || syntax.Column != c.column || !strings.Contains(syntax.Message, c.want) || syntax.File != "file.json" {
			t.Errorf("%.40q: the error is %v, want %d:%d: %s", c.src, err, c.line, c.column, c.want)
		}
	}
}

// TestPlaces: each value says where its text is, and of equal keys the last value counts.
func TestPlaces(t *testing.T) {
	src := ` {"a" : [1, "x\"y" ,null],"b":{} , "a":true}`
	v := must.Get(Parse("", []byte(src)))(t)
	if !slices.Equal(v.Keys, []string{"a", "b"}) || v.Get("a").Kind != Bool || v.Get("c") != nil || v.Size(10) != 3 || v.Size(2) != 2 {
		t.Errorf("%+v", v)
	}
	all := must.Get(parseAll([]byte(src)))(t)
	var texts []string
	var visit func(v *Value)
	visit = func(v *Value) {
		texts = append(texts, src[v.From:v.To])
		for _, x := range v.Items {
			visit(x)
		}
	}
	visit(all)
	want := []string{strings.TrimSpace(src), `[1, "x\"y" ,null]`, `1`, `"x\"y"`, `null`, `{}`, `true`}
	if !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	for k, want := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if Kind(k).String() != want {
			t.Errorf("kind %d is %s", k, Kind(k))
		}
	}
}

// TestUnchanged: what is not JSON stays as it is, and so does the order of a text without objects.
func TestUnchanged(t *testing.T) {
	order := DeclaredOrder([]byte(`{"properties": {"b": {}, "a": {}}, "required": ["z", "a"]}`))
	for _, text := range []string{``, `{`, `{"a": 1, "b"}`, `"a"`, ` [1, 2] `, `{"a": 1,}`} {
		if got := string(order.Sorted([]byte(text))); got != text {
			t.Errorf("%s becomes %s", text, got)
		}
	}
	if got := string(order.Sorted([]byte(`{"z": 1, "q": 2, "a": 3, "b": 4, "a": 5}`))); got != `{"b": 4, "a": 3, "a": 5, "z": 1, "q": 2}` {
		t.Errorf("sorted: %s", got)
	}
	for _, schema := range []string{``, `[]`, `{"required": ["a"}`, `{"required": {"a": 1}}`} {
		if order := DeclaredOrder([]byte(schema)); len(order) > 0 {
			t.Errorf("%s declares %v", schema, order)
		}
	}
}

// TestPointers is a table of pointers into a document.
func TestPointers(t *testing.T) {
	v := must.Get(Parse("x", []byte(`{"a": [10, {"b/c": 20}], "~": 30, "": 40, "%": 50}`)))(t)
	for pointer, want := range map[string]string{"/a/0": "10", "/a/1/b~1c": "20", "/~0": "30", "/": "40", "/%": "50", "/a/2": "", "/a/-": "", "/a/01x": "", "/b": "", "/a/0/0": ""} {
		x := v.At(pointer)
		if (x != nil) != (want != "") || x != nil && x.Text != want {
			t.Errorf("%s: %v", pointer, x)
		}
	}
	if v.At("") != v {
		t.Error("the empty pointer is not the document")
	}
}
