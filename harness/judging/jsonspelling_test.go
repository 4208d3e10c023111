package judging

import (
	"bytes"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gcdbench/internal/jsontext"
	"gcdbench/internal/seed"
)

// TestSpellings is a table of texts and what each spelling makes of them.
func TestSpellings(t *testing.T) {
	order := jsontext.DeclaredOrder([]byte(`{"properties": {"b": {"properties": {"x": true, "y": 1}}, "a": {}, "properties": {"type": "string"}}, "$defs": {"q": {"properties": {"m": 1, "n": 1, "o": 1}}}}`))
	for _, c := range []struct {
		name  string
		spell func([]byte) []byte
		cases [][2]string
	}{
		{"compact", spaces[0], [][2]string{{" { \"a b\" : [ 1 , \"x, y: z\" ] }\n", `{"a b":[1,"x, y: z"]}`}, {"not json ,", "not json ,"}, {`[]`, `[]`}}},
		{"Python", spaces[1], [][2]string{{`{"a":1,"b":[1,2]}`, `{"a": 1, "b": [1, 2]}`}}},
		{"lines", spaces[4], [][2]string{{`{"a":[1,{}]}`, "{\n  \"a\": [\n    1,\n    {}\n  ]\n}"}}},
		{"plain strings", plainStrings, [][2]string{
			{`["\/\u0041\u00e9\ud83d\ude00\n\u000a\u001f"]`, `["/Aé😀\n\n\u001f"]`}, {`"\ud800"`, `"\ud800"`}, {`{"\u0061" : 1}`, `{"a" : 1}`}, {`"\"\\"`, `"\"\\"`}}},
		{"ASCII strings", asciiStrings, [][2]string{{"\"é😀\x7f/\"", `"\u00e9\ud83d\ude00\u007f/"`}}},
		{"plain numbers", plainNumbers, [][2]string{
			{`[-0, 1.0, 1e2, 1.50, 12E-1, -0.0, 0.001e+1, 100e-2, "1.0", 5e-3]`, `[0, 1, 100, 1.5, 1.2, 0, 0.01, 1, "1.0", 0.005]`}, {`1e400`, `1e400`}, {`-120`, `-120`}, {`true`, `true`}}},
		{"order", order.Sorted, [][2]string{
			{`{"a": 1, "b": {"y": 1 , "x":2}}`, `{"b": {"x":2 , "y": 1}, "a": 1}`}, {` [ {"n":1,"z":0 , "m":2} ] `, ` [ {"m":2,"n":1 , "z":0} ] `},
			{`{"z": 1, "q": 2}`, `{"z": 1, "q": 2}`}, {`{ }`, `{ }`}, {`[[],{}]`, `[[],{}]`}, {`{"properties" :1, "a" : [ 1 ,2]}`, `{"a" : [ 1 ,2], "properties" :1}`}, {`7`, `7`}, {`{"a:": 1, "a":2 ,"b": 3}`, `{"b": 3, "a":2 ,"a:": 1}`}}},
	} {
		for _, x := range c.cases {
			before := strings.Clone(x[0])
			text := []byte(x[0])
			if got := string(c.spell(text)); got != x[1] || string(text) != before {
				t.Errorf("%s of %s: %s, want %s", c.name, x[0], got, x[1])
			}
		}
	}
}

// TestSpellingsKeepValues: on random values every spelling is JSON of the same value.
func TestSpellingsKeepValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	order := jsontext.Order{{"c", "b", "a"}, {"aa", "ab"}}
	spellings := append([]func([]byte) []byte{plainStrings, asciiStrings, plainNumbers, order.Sorted}, spaces...)
	for range 3000 {
		text := randomJSON(rng, 3)
		for i, spell := range spellings {
			got := spell(text)
			if !reflect.DeepEqual(valueOf(t, got), valueOf(t, text)) {
				t.Fatalf("spelling %d of %s: %s", i, text, got)
			}
			if again := spell(got); !bytes.Equal(again, got) {
				t.Fatalf("spelling %d of %s: %s, and again %s", i, text, got, again)
			}
		}
	}
}

// TestBehind: what stands before a byte stays, but for the number or the escape that it is inside.
func TestBehind(t *testing.T) {
	for _, c := range []struct {
		name        string
		way         func([]byte) []byte
		before, end string
		want        string
	}{
		{"a character before stays", asciiStrings, `["é","`, "\x7f\"]", `["é","\u007f"]`},
		{"in its string, too", asciiStrings, `["é`, "\x7fé\"]", `["é\u007f\u00e9"]`},
		{"inside an escape", plainStrings, `["\u0061\`, `u0062"]`, `["\u0061b"]`},
		{"inside a pair", plainStrings, `["\ud83d`, `\ude00"]`, `["😀"]`},
		{"behind an escape", plainStrings, `["\\`, `\/"]`, `["\\/"]`},
		{"inside a number", plainNumbers, `[1.0,1.`, `0]`, `[1.0,1]`},
		{"white space", spaces[0], `[ 1 ,`, `  2 ] `, `[ 1 ,2]`},
		{"inside white space", spaces[0], `[ 1 , `, `  2 ]`, `[ 1 , 2]`},
		{"the same white space", spaces[1], `[1, `, `2,3]`, `[1, 2, 3]`},
		{"strings keep white space", plainStrings, `[ 1 , `, `  "\/" ]`, `[ 1 ,   "/" ]`},
		{"lines", spaces[4], `[1,`, `2]`, "[1,\n  2\n]"},
		{"all", asciiStrings, ``, `"é"`, `"\u00e9"`},
		{"no JSON", plainStrings, `["\/`, `"`, `["\/"`},
	} {
		if got := string(behind(len(c.before), c.way)([]byte(c.before + c.end))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	for range 2000 {
		text := randomJSON(rng, 3)
		n := rng.IntN(len(text) + 1)
		for i, way := range append([]func([]byte) []byte{plainStrings, asciiStrings, plainNumbers}, spaces...) {
			if got := behind(n, way)(text); !reflect.DeepEqual(valueOf(t, got), valueOf(t, text)) {
				t.Fatalf("spelling %d of %s behind %d bytes: %s", i, text, n, got)
			}
		}
	}
}

// TestSortedFor: of several lists of keys that an object could have, it has the one that a reader
// gets furthest with.
func TestSortedFor(t *testing.T) {
	order := jsontext.Order{{"a", "b", "c"}, {"z", "c"}}
	text := []byte(`{"x":{"a":1,"b":2,"c":3,"z":4}}`)
	const want = `{"x":{"z":4,"c":3,"a":1,"b":2}}`
	reads := func(t []byte) (n int) {
		for n < len(want) && n < len(t) && t[n] == want[n] {
			n++
		}
		return n
	}
	if got := string(order.SortedFor(text, reads)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(order.Sorted(text)); got == want {
		t.Errorf("sorted is %s", got)
	}
	const all = `{"a":1,"z":3,"other":2}` // keys of both lists, as by allOf, before another one
	reads = func(t []byte) int { return len(all) - len(strings.TrimPrefix(all, string(t))) }
	if got := string(order.SortedFor([]byte(`{"a":1,"other":2,"z":3}`), reads)); got != all {
		t.Errorf("of all lists together %s, want %s", got, all)
	}
}

// valueOf decodes JSON with exact numbers.
func valueOf(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var exact func(v any) any
	exact = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			r, ok := new(big.Rat).SetString(string(v))
			if !ok {
				t.Fatalf("%s is no number", v)
			}
			return r.RatString()
		case []any:
			for i := range v {
				v[i] = exact(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = exact(v[k])
			}
		}
		return v
	}
	return exact(v)
}

// randomJSON writes a random value in a random way.
func randomJSON(rng *rand.Rand, depth int) []byte {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	space := func() string { return pick("", "", " ", "\n\t", "  ") }
	var out strings.Builder
	out.WriteString(space())
	switch kind := rng.IntN(6); {
	case kind < 2 && depth > 0:
		open, end := "{", "}"
		if kind == 1 {
			open, end = "[", "]"
		}
		out.WriteString(open + space())
		for i, n := 0, rng.IntN(4); i < n; i++ {
			if i > 0 {
				out.WriteString("," + space())
			}
			if kind == 0 {
				out.WriteString(`"` + string(rune('a'+i)) + pick("", "a", `\u0062`, `:`) + `"` + space() + ":" + space())
			}
			out.Write(randomJSON(rng, depth-1))
		}
		out.WriteString(space() + end)
	case kind == 2:
		out.WriteString(`"` + pick("", "a", `\/`, `\u00e9`, "é", `\ud83d\ude00`, `\\`, "{,:}") + pick("", `\"`, "]", "\x7f") + `"`)
	case kind == 3:
		out.WriteString(pick("true", "false", "null"))
	default:
		out.WriteString(pick("", "-") + pick("0", "1", "10", "705") + pick("", ".0", ".50", ".007") + pick("", "e1", "E-3", "e+2"))
	}
	out.WriteString(space())
	return []byte(out.String())
}
