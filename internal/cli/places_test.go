package cli

import (
	"fmt"
	"strings"
	"testing"
)

func TestInstancePlace(t *testing.T) {
	text := `{"a": [1, {"b/c": "x]\"{"}, [ ]], "d": 2}`
	for at, want := range map[string]string{`{"a"`: "", `"a"`: "", `[1`: "/a", `1,`: "/a/0", `{"b`: "/a/1", `"b/c"`: "/a/1", `"x`: "/a/1/b~1c", `[ ]`: "/a/2", ` ]`: "/a/2/0", `"d"`: "", `2}`: "/d"} {
		offset := strings.Index(text, at)
		if got := instancePlace([]byte(text), offset); got != want {
			t.Errorf("at %q: %q, want %q", at, got, want)
		}
	}
	for _, broken := range []string{"", "}", "]]", `"`, `"\`, `{"a`, `{"a":`, ",,:", `[{]}`} {
		for offset := range len(broken) + 2 {
			instancePlace([]byte(broken), offset) // no panic
		}
	}
}

// TestPointerPlace finds the value of a pointer, whatever stands before it, and nothing where there
// is none.
func TestPointerPlace(t *testing.T) {
	const text = "\n {\"a\": [1, {\"b/c\": \"x]\\\"{\"}, [ ]],\n\"\": true, \"\\u0064~\" :\t-2.5e3,\n  \"é\": {\"n\": \"日本\", \"m\": null}, \"a\": 7}"
	for _, c := range []struct{ pointer, want string }{
		{"", "2:2"},
		{"/a", "2:8"},
		{"/a/0", "2:9"},
		{"/a/1", "2:12"},
		{"/a/1/b~1c", "2:20"},
		{"/a/2", "2:30"},
		{"/", "3:5"},
		{"/d~0", "3:23"},
		{"/é", "4:8"},
		{"/é/n", "4:14"},
		{"/é/m", "4:25"},
		{"/a/3", "0:0"},
		{"/a/-", "0:0"},
		{"/a/00", "0:0"},
		{"/a/1/b", "0:0"},
		{"/a/2/0", "0:0"},
		{"/a/0/x", "0:0"},
		{"/é/n/x", "0:0"},
		{"/b", "0:0"},
		{"no pointer", "0:0"},
	} {
		line, column := pointerPlace([]byte(text), c.pointer)
		if got := fmt.Sprintf("%d:%d", line, column); got != c.want {
			t.Errorf("%q: %s, want %s", c.pointer, got, c.want)
		}
	}
	for _, c := range []struct{ text, pointer, want string }{
		{`{"a":[1,{"b":2}]}`, "/a/1/b", "1:14"},
		{`[[],[0]]`, "/1/0", "1:6"},
		{`{"":{"":0}}`, "//", "1:9"},
		{"", "", "0:0"},
		{" \n", "", "0:0"},
		{"7", "", "1:1"},
	} {
		line, column := pointerPlace([]byte(c.text), c.pointer)
		if got := fmt.Sprintf("%d:%d", line, column); got != c.want {
			t.Errorf("%q in %s: %s, want %s", c.pointer, c.text, got, c.want)
		}
	}
	const depth = 100_000
	deep := strings.Repeat(`[`, depth) + strings.Repeat("]", depth)
	if line, column := pointerPlace([]byte(`{"deep": `+deep+`, "x": 1}`), "/x"); line != 1 || column != len(`{"deep": , "x": `)+2*depth+1 {
		t.Errorf("behind a deep value: %d:%d", line, column)
	}
}

// TestPointerPlaceOdd: what is not JSON gives some answer.
func TestPointerPlaceOdd(t *testing.T) {
	for _, text := range []string{"", " ", "{", "{]", "[,", `{"a`, `{"a"`, `{"a" 1}`, `{"a":`, "{:}", "{,}", "[}", "]", `{"\`, "{a:b}", "[[[", "\xff\xfe", "{\xff: 1}"} {
		for _, pointer := range []string{"", "/", "/a", "/0", "/0/0", "/1"} {
			pointerPlace([]byte(text), pointer)
		}
	}
}
