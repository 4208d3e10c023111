package languages_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/seed"
)

func jsonRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "json") }

// jsonCases are small texts by section of RFC 8259, with the verdict of its grammar.
var jsonCases = []struct {
	topic         string
	valid, broken []string
}{
	{"values (3)",
		[]string{"null", "true", "false", "0", `""`, "{}", "[]"},
		[]string{"", " ", "nul", "nulll", "True", "NULL", "undefined", "NaN", "Infinity", "-Infinity", "'a'", "a", "true false", "1 2", "[] []", "truefalse"}},
	{"white space (2)",
		[]string{" 1", "1\n", "\t[\r\n1\t,\n2 ]\r", " { \"a\" : [ ] } "},
		[]string{"\f1", "\v1", "1\u00a0", "\ufeff1", "1\u2028", "1\x00", "// a\n1", "/* a */ 1", "# a\n1"}},
	{"objects (4)",
		[]string{`{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"a":2}`, `{"":{"":{}}}`, `{"\u0061":null}`},
		[]string{"{", "}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{,"a":1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1;"b":2}`, `{a:1}`, `{1:2}`, `{null:1}`, `{"a"=1}`,
			`{"a":1,,"b":2}`, `{"a":1]`, `{"a":1}}`, `{["a"]:1}`, `{"a","b"}`, `{"a":"b":"c"}`}},
	{"arrays (5)",
		[]string{"[1]", "[1,2]", "[[],[[]]]", `[null,true,1,"a",{},[]]`},
		[]string{"[", "]", "[1", "[1,]", "[,]", "[,1]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[1]]", "(1)", "[1:2]", `["a":1]`}},
	{"numbers (6)",
		[]string{"-0", "10", "-10", "0.0", "-0.5", "1.50", "0e0", "1e5", "1E5", "1e+5", "1e-05", "-1.5E-10", "123456789012345678901234567890", "1e400"},
		[]string{"+1", "--1", "-", "- 1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1e5.5", "1.5.5", "0x10", "1_000", "1,5", "1f", "1e 5", "1 .5", "½", "١"}},
	{"strings (7)",
		[]string{`"a"`, `"\""`, `"\\"`, `"\/"`, `"/"`, `"\b\f\n\r\t"`, `"\u00e9"`, `"\u00E9\uD834\uDD1E"`, `"\ud800"`, `"é"`, `"日本 😀"`, "\"\x7f\"", "\"\u2028\u0080\ufeff\"", `"\\\""`, `"//"`, `"'"`},
		[]string{`"`, `"a`, `"""`, `"\"`, `"\\\"`, "\"\n\"", "\"\t\"", "\"\x00\"", "\"\x1f\"", `"\a"`, `"\'"`, `"\0"`, `"\x41"`, `"\u12"`, `"\u12G4"`, `"\U0041"`, `"\u{41}"`, `"a" "b"`, `"a"b`, "\"\\\n\"", "“a”"}},
	{"UTF-8 (8.1)",
		[]string{"\"\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\""},
		[]string{"\"\x80\"", "\"\xc3\"", "\"\xc0\xaf\"", "\"\xe0\x80\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xff\"", "\"\xc3", "\xff"}},
}

func TestJSONCases(t *testing.T) {
	for _, c := range jsonCases {
		for _, text := range c.valid {
			if err := jsonRecognizer(t).Check([]byte(text)); err != nil {
				t.Errorf("%s: %q: %v", c.topic, text, err)
			}
		}
		for _, text := range c.broken {
			if jsonRecognizer(t).Check([]byte(text)) == nil {
				t.Errorf("%s: accepted %q", c.topic, text)
			}
		}
	}
}

// TestJSONCasesAgainstGo asks encoding/json for the same verdicts. It takes bytes that are not
// UTF-8.
func TestJSONCasesAgainstGo(t *testing.T) {
	for _, c := range jsonCases {
		for _, text := range c.valid {
			if !json.Valid([]byte(text)) {
				t.Errorf("%s: encoding/json refuses %q", c.topic, text)
			}
		}
		for _, text := range c.broken {
			if utf8.ValidString(text) && json.Valid([]byte(text)) {
				t.Errorf("%s: encoding/json accepts %q", c.topic, text)
			}
		}
	}
}

// TestJSONChanged compares the grammar with encoding/json on random changes of the valid cases.
func TestJSONChanged(t *testing.T) {
	seed := seed.New(t)
	const changes = 20000
	rng := rand.New(rand.NewPCG(seed, 0))
	var texts []string
	for _, c := range jsonCases {
		texts = append(texts, c.valid...)
	}
	pieces := strings.Split("{ } [ ] , : \" \\ / 0 1 - + . e E u true null a \n \t é \x01 {} [] \"a\":", " ")
	for range changes {
		text := texts[rng.IntN(len(texts))]
		for range 1 + rng.IntN(3) {
			from := rng.IntN(len(text) + 1)
			to := min(len(text), from+rng.IntN(3))
			text = text[:from] + pieces[rng.IntN(len(pieces))] + text[to:]
		}
		if !utf8.ValidString(text) {
			continue
		}
		err := jsonRecognizer(t).Check([]byte(text))
		if want := json.Valid([]byte(text)); (err == nil) != want {
			t.Fatalf("seed %d: %q: the grammar says %v, encoding/json says valid: %v", seed, text, err, want)
		}
	}
}

func TestJSONDeep(t *testing.T) {
	const depth = 100_000
	text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	if err := jsonRecognizer(t).Check([]byte(text)); err != nil {
		t.Error(err)
	}
	if jsonRecognizer(t).Check([]byte(text[:len(text)-1])) == nil {
		t.Error("accepted an array that is not closed")
	}
}

func TestJSONConflicts(t *testing.T) {
	r := jsonRecognizer(t)
	if n := len(r.Tables.Conflicts()); n != 0 || !r.Tables.Deterministic() {
		t.Errorf("%d conflicts, want none", n)
	}
}

func TestJSONSamples(t *testing.T) {
	checkSamples(t, jsonRecognizer(t), "../../datasets/samples/json", "*.json", 60)
}

func TestJSONMistakes(t *testing.T) {
	checkMistakes(t, jsonRecognizer(t), "../../datasets/samples/json", "*.json", 12)
}
