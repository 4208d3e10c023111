package tokenizers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

func TestByteLevelFile(t *testing.T) {
	tok := build(t, byteLevelFile("h e", "l l", "he ll", "Ġ hell", "Ã ©"), "<|end|>")
	v := tok.Vocabulary()
	if v.Len() != 263 || len(v.EOS()) != 1 || v.EOS()[0] != 261 {
		t.Fatalf("%d ids, EOS %v", v.Len(), v.EOS())
	}
	if v.Kind(262) != AddedToken || v.Kind(261) != SpecialToken || !v.Legal(260) || string(v.Token(260)) != "é" {
		t.Errorf("kinds %v %v, token 260 %q", v.Kind(261), v.Kind(262), v.Token(260))
	}
	for text, want := range map[string]string{
		"":             "",
		"hell hello":   "hell| hell|o",
		"éé":           "é|é",
		"<|end|>":      "<|||e|n|d|||>",
		"<tool>\xff":   "<tool>|\xff",
		"\x00\r\n日":    "\x00|\r|\n|\xe6|\x97|\xa5",
		"HELL he's 12": "H|E|L|L| |he|'|s| |1|2",
	} {
		ids := must.Get(tok.Encode([]byte(text)))(t)
		if got := tokens(t, tok, ids); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	ids, err := tok.EncodeSpecial([]byte("he<|end|><tool>"))
	if got := tokens(t, tok, ids); err != nil || got != "he|[<|end|>]|<tool>" {
		t.Errorf("EncodeSpecial: %q, %v", got, err)
	}
}

func TestSentencePieceFile(t *testing.T) {
	tok := build(t, spmFile(), "</s>")
	cases := []struct{ text, encode, continuation string }{
		{"", "", ""},
		{"ab", " ab", "ab"},
		{" ab", "  |ab", " ab"},
		{"ab  ab", " ab|  |ab", "ab|  |ab"},
		{"a\n\nb", " a|\n\n| |b", "a|\n\n|b"},
		{"\xff日é", " |\xff|\xe6|\x97|\xa5|é", "\xff|\xe6|\x97|\xa5|é"},
		{"<s>", " |<|s|>", "<|s|>"},
		{"c▁c", " |c| |c", "c|\xe2|\x96|\x81|c"},
	}
	for _, c := range cases {
		ids, err := tok.Encode([]byte(c.text))
		if got := tokens(t, tok, ids); err != nil || got != c.encode {
			t.Errorf("Encode(%q) = %q, %v, want %q", c.text, got, err, c.encode)
		}
		ids, err = tok.EncodeContinuation([]byte(c.text))
		if got := tokens(t, tok, ids); err != nil || got != c.continuation {
			t.Errorf("EncodeContinuation(%q) = %q, %v, want %q", c.text, got, err, c.continuation)
		}
	}
	v := tok.Vocabulary()
	if v.Legal(0) || v.Legal(1) || !v.Legal(3) || len(v.Token(3)) != 1 {
		t.Error("control tokens are legal, or bytes are not")
	}
	for _, id := range []int{259 + 9, 259 + 5} { // "\n\n" and "▁▁", added but of the model
		if !v.Legal(id) {
			t.Errorf("token %d %q is %v", id, v.Token(id), v.Kind(id))
		}
	}
	if len(v.Trie().Equal()) != 5 { // ▁ a b c \n, as characters and as bytes
		t.Errorf("equal tokens: %v", v.Trie().Equal())
	}
}

// Metaspace's scheme "first" is about the beginning of the text: pieces after it get no mark,
// nor does the first piece if what was before it is gone, nor text after an added token.
func TestPrependFirst(t *testing.T) {
	f := spmFile()
	delete(f, "normalizer")
	f["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": []any{
		object{"type": "WhitespaceSplit"}, object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"},
	}}
	tok := build(t, f, "</s>")
	for text, want := range map[string]string{"c c": " |c|c", " c": "c", "\n\nc": "\n\n|c", "c\n\nc": " |c|\n\n|c"} {
		ids, err := tok.Encode([]byte(text))
		if got := tokens(t, tok, ids); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// What a pre-tokenizer puts in front of a text is left out of a continuation, as what a normalizer
// does.
func TestContinuationOfPrefixes(t *testing.T) {
	meta := spmFile()
	delete(meta, "normalizer")
	meta["pre_tokenizer"] = object{"type": "Metaspace", "prepend_scheme": "always", "split": false}
	bytes := byteLevelFile()
	bytes["pre_tokenizer"] = object{"type": "ByteLevel", "add_prefix_space": true}
	for _, c := range []struct {
		tok       *Tokenizer
		all, rest string
	}{{build(t, meta, "</s>"), " ab| |b", "ab| |b"}, {build(t, bytes, "<|end|>"), " |a|b| |b", "a|b| |b"}} {
		ids, err := c.tok.Encode([]byte("ab b"))
		if got := tokens(t, c.tok, ids); err != nil || got != c.all {
			t.Errorf("%q, %v, want %q", got, err, c.all)
		}
		ids, err = c.tok.EncodeContinuation([]byte("ab b"))
		if got := tokens(t, c.tok, ids); err != nil || got != c.rest {
			t.Errorf("%q, %v, want %q", got, err, c.rest)
		}
	}
}

// A file that adds text to what is an exact round trip is found out, not passed on.
func TestContinuationFails(t *testing.T) {
	f := byteLevelFile()
	f["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": []any{
		object{"type": "Whitespace"}, object{"type": "ByteLevel", "add_prefix_space": false},
	}}
	_, err := build(t, f, "<|end|>").EncodeContinuation([]byte("a\nb c"))
	if err == nil || !strings.Contains(err.Error(), "differ from byte 1 (line 1) on") {
		t.Errorf("error %v", err)
	}
}

func TestEOSOfConfig(t *testing.T) {
	cases := []struct{ config, want, err string }{
		{`{"eos_token":"</s>"}`, "</s>", ""},
		{`{"eos_token":{"content":"</s>","lstrip":false}}`, "</s>", ""},
		{`{"eos_token":null}`, "", ""},
		{`{}`, "", ""},
		{`{"eos_token":7}`, "", "eos_token is neither"},
		{`{"eos_token":`, "", "c.json:1:14: the file ends where a value should be"},
	}
	for _, c := range cases {
		got, err := eosOfConfig("c.json", []byte(c.config))
		if strings.Join(got, " ") != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.config, got, err)
		}
	}
}

func TestEOSNames(t *testing.T) {
	f := must.Get(parseTokenizerJSON("t.json", marshal(t, spmFile())))(t)
	if ids, err := f.eos(nil); err != nil || fmt.Sprint(ids) != "[2]" {
		t.Errorf("without a configuration: %v, %v", ids, err)
	}
	if ids, err := f.eos([]string{"<s>", "</s>"}); err != nil || fmt.Sprint(ids) != "[1 2]" {
		t.Errorf("named: %v, %v", ids, err)
	}
	if _, err := f.eos([]string{"<stop>"}); err == nil || !strings.Contains(err.Error(), `EOS token "<stop>" is not in the vocabulary`) {
		t.Errorf("unknown: %v", err)
	}
	f.added = nil
	if ids, err := f.eos(nil); err != nil || ids != nil {
		t.Errorf("none: %v, %v", ids, err)
	}
}

// Every kind of damage has its message: where, what, what to do.
func TestFormatErrors(t *testing.T) {
	whole := string(marshal(t, byteLevelFile("h e")))
	cases := []struct{ name, text, want string }{
		{"empty", "", "t.json:1:1: the file ends where an object should be (byte 0); the file is cut off: fetch or copy it again"},
		{"array", "[]", "t.json:1:1: an object expected, found an array"},
		{"cut in half", whole[:len(whole)/2], "the file is cut off: fetch or copy it again"},
		{"cut in a string", `{"model":{"type":"BP`, "the file ends inside a string"},
		{"cut in an array", "{\"model\":{\"vocab\":{},\n\"merges\":[\"a b\",", "the file ends where"},
		{"cut behind an element", "{\"model\":\n{\"vocab\":{\"a\":1", "t.json:2:16: the file ends inside an object that begins in line 2 (byte 25)"},
		{"no model", "{\n\"version\":\"1\"}", `no member "model"`},
		{"model is a string", `{"model":"BPE"}`, "t.json:1:10: an object expected, found a string"},
		{"unknown model", `{"model":{"type":"Magic","vocab":{}}}`, `unknown model type "Magic"`},
		{"no vocab", `{"model":{"type":"BPE","merges":[]}}`, `no "vocab"`},
		{"type is a number", `{"model":{"type":3}}`, "model.type: number where string should be"},
		{"id is a string", `{"model":{"type":"BPE","merges":[],"vocab":{"a":"1"}}}`, "a number expected, found a string"},
		{"negative id", `{"model":{"type":"BPE","merges":[],"vocab":{"a":-1}}}`, "-1 is not a token id"},
		{"fractional id", `{"model":{"type":"BPE","merges":[],"vocab":{"a":1.5}}}`, "1.5 is not a token id"},
		{"huge id", `{"model":{"type":"BPE","merges":[],"vocab":{"a":99999999}}}`, "99999999 is not a token id"},
		{"holes", `{"model":{"type":"BPE","merges":[],"vocab":{"a":5000}}}`, "1 entries but ids up to 5000"},
		{"id twice", `{"model":{"type":"BPE","merges":[],"vocab":{"a":0,"b":0}}}`, `id 0 to both "a" and "b"`},
		{"merge of one", `{"model":{"type":"BPE","merges":["a"],"vocab":{"a":0}}}`, "a merge has two parts"},
		{"merge of three", `{"model":{"type":"BPE","merges":[["a","a","a"]],"vocab":{"a":0}}}`, "this one has 3"},
		{"merge of unknowns", `{"model":{"type":"BPE","merges":["a b"],"vocab":{"a":0}}}`, `the merge of "a" and "b" names a symbol that is not in model.vocab`},
		{"merges an object", `{"model":{"type":"BPE","merges":{},"vocab":{"a":0}}}`, "an array expected, found an object"},
		{"added id", `{"added_tokens":[{"id":"x"}],"model":{"type":"BPE","merges":[],"vocab":{"a":0}}}`, "added_tokens: string where int should be"},
		{"text behind", `{"model":{"type":"BPE","merges":[],"vocab":{"a":0}}} x`, "more text behind the end"},
		{"bad literal", `{"normalizer":nul,"model":{}}`, "invalid JSON value"},
		{"bad escape", `{"model":{"type":"BPE","merges":[],"vocab":{"\q":0}}}`, `invalid character 'q'`},
		{"deep", `{"x":` + strings.Repeat("[", 2*maxJSONDepth) + `}`, "nested deeper"},
	}
	for _, c := range cases {
		_, err := parseTokenizerJSON("t.json", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
		if _, ok := err.(*FormatError); err != nil && !ok {
			t.Errorf("%s: error of type %T", c.name, err)
		}
	}
}

// A file cut off anywhere is an error, never a panic, never accepted.
func TestTruncatedAnywhere(t *testing.T) {
	whole := marshal(t, spmFile())
	for n := range whole {
		if _, err := parseTokenizerJSON("t.json", whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", n, len(whole))
		}
	}
}

func TestDefinitionErrors(t *testing.T) {
	change := func(f func(object)) object {
		o := byteLevelFile()
		f(o)
		return o
	}
	cases := []struct {
		file object
		want string
	}{
		{change(func(o object) { o["model"].(object)["end_of_word_suffix"] = "</w>" }), `end_of_word_suffix "</w>" is not supported`},
		{change(func(o object) { o["model"].(object)["continuing_subword_prefix"] = "##" }), `continuing_subword_prefix "##"`},
		{change(func(o object) {
			m := o["model"].(object)
			m["continuing_subword_prefix"], m["merges"] = "##", []string{"a ##b"} // which makes ab
		}), `continuing_subword_prefix "##"`},
		{change(func(o object) { o["model"].(object)["dropout"] = 0.1 }), `dropout "0.1" is not supported`},
		{change(func(o object) { o["decoder"] = object{"type": "CTC"} }), `decoder "CTC"`},
		{change(func(o object) { o["added_tokens"] = []any{object{"id": 3, "content": "<x>"}} }), `id 3 is "<x>" in added_tokens and`},
		{change(func(o object) { o["added_tokens"] = []any{object{"id": 100000, "content": "<x>"}} }), `far from the vocabulary's 256 ids`},
	}
	for _, c := range cases {
		f, err := parseTokenizerJSON("t.json", marshal(t, c.file))
		if err == nil {
			_, err = f.definition("t", []string{"<|end|>"})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
}

// Ids that neither the model nor added tokens have are unused: no bytes, never legal.
func TestHoles(t *testing.T) {
	f := byteLevelFile("h e")
	f["added_tokens"] = []any{object{"id": 300, "content": "<|end|>", "special": true}}
	v := build(t, f, "<|end|>").Vocabulary()
	if v.Len() != 301 || v.Kind(299) != Unused || v.Token(299) != nil || v.Legal(299) {
		t.Errorf("%d ids, 299 is %v", v.Len(), v.Kind(299))
	}
}

// llama-tokenizer-js: two base64 literals in JavaScript.
func TestLlamaJS(t *testing.T) {
	// vocabulary: <unk> <s> </s> <0x0A> ▁ a b ab ▁ab; merges: (5,6) (4,7)
	const script = "// x\nconst llama_vocab_base64 = \"PHVuaz4KPHM+Cjwvcz4KPDB4MEE+CuKWgQphCmIKYWIK4paBYWI=\";\n" +
		"const llama_merges_binary = \"BQAGAAQABwA=\";\n"
	f, err := parseLlamaJS("l.js", []byte(script))
	must.OK(t, err)
	d := must.Get(f.definition("l", []string{"</s>"}))(t)
	tok := must.Get(newTokenizer(d))(t)
	ids, err := tok.Encode([]byte("ab\nab"))
	if fmt.Sprint(ids) != "[8 3 7]" || err != nil {
		t.Errorf("ids %v, %v", ids, err)
	}
	for _, c := range [][2]string{
		{"", "no constant llama_vocab_base64"},
		{script[:60], "ends inside llama_vocab_base64"},
		{strings.Replace(script, "PHV", "!!!", 1), "illegal base64"},
		{strings.Replace(script, "BQAGAAQABwA=", "BQAG", 1), "not a multiple of 4"},
		{strings.Replace(script, "BQAGAAQABwA=", "BQAGAP8AAAA=", 1), "merge 1, of ids 255 and 0"},
	} {
		if _, err := parseLlamaJS("l.js", []byte(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("error %v, want %q in it", err, c[1])
		}
	}
}

// Damage to a real file: gemma3's, if it is cached, cut in half.
func TestRealFileCutInHalf(t *testing.T) {
	tok := fetched(t, "llama3")
	s, err := openStore("")
	must.OK(t, err)
	data := must.Get(s.blob(tok.Provenance().Files[0]))(t)
	path := t.TempDir() + "/tokenizer.json"
	must.OK(t, os.WriteFile(path, data[:len(data)/2], 0o644))
	_, err = Load(t.Context(), path, Options{CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "cut off") || !strings.Contains(err.Error(), path+":") {
		t.Errorf("error %v", err)
	}
}

// TestVocabularyTwice: a string with two ids is refused, in whatever order they come.
func TestVocabularyTwice(t *testing.T) {
	for _, vocab := range []string{`{"a": 0, "b": 1, "a": 2}`, `{"b": 2, "a": 1, "b": 0}`, `{"\u0061": 0, "b": 1, "a": 2}`} {
		file := `{"model": {"type": "BPE", "vocab": ` + vocab + `, "merges": []}}`
		_, err := parseTokenizerJSON("dir/tokenizer.json", []byte(file))
		if err == nil || !strings.Contains(err.Error(), "dir/tokenizer.json:1:36: model.vocab has ") || !strings.Contains(err.Error(), "twice, with the ids 0 and 2") {
			t.Errorf("%s: error %v", vocab, err)
		}
	}
}

// TestBadPatternNamesFile: a pattern that is no regular expression is an error of the file that has
// it.
func TestBadPatternNamesFile(t *testing.T) {
	for part, value := range map[string]object{
		"pre_tokenizer": {"type": "Split", "pattern": object{"Regex": "("}, "behavior": "Isolated"},
		"normalizer":    {"type": "Replace", "pattern": object{"Regex": "["}, "content": ""},
	} {
		file := spmFile()
		file[part] = value
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		must.OK(t, os.WriteFile(path, marshal(t, file), 0o644))
		_, err := Load(t.Context(), path, Options{CacheDir: t.TempDir(), EOS: []string{"</s>"}})
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+part) {
			t.Errorf("%s: error %v", part, err)
		}
	}
}
