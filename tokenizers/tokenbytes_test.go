package tokenizers

import (
	"strings"
	"testing"

	"gcdbench/internal/must"
)

func TestTokenBytes(t *testing.T) {
	const llama = `{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]}`
	cases := []struct{ decoder, token, want string }{
		{`null`, "▁a", "▁a"},
		{`{"type":"ByteLevel"}`, "Ġhello", " hello"},
		{`{"type":"ByteLevel"}`, "Ċ", "\n"},
		{`{"type":"ByteLevel"}`, "Ã©", "é"},
		{`{"type":"ByteLevel"}`, "âĤ", "\xe2\x82"},
		{`{"type":"ByteLevel"}`, "<日>", "<日>"},
		{llama, "▁a▁", " a "},
		{llama, "<0x0A>", "\n"},
		{llama, "<0xff>", "\xff"},
		{llama, "<0xGG>", "<0xGG>"},
		{llama, "<0x0AA>", "<0x0AA>"},
		{`{"type":"Metaspace"}`, "▁x", " x"},
		{`{"type":"Metaspace","replacement":"_"}`, "_x", " x"},
		{`{"type":"WordPiece","prefix":"##"}`, "##ing", "ing"},
		{`{"type":"WordPiece","prefix":"##"}`, "go", " go"},
		{`{"type":"BPEDecoder","suffix":"</w>"}`, "go</w>", "go "},
	}
	for _, c := range cases {
		var d decoder
		if err := parseDecoder([]byte(c.decoder), &d); err != nil {
			t.Errorf("%s: %v", c.decoder, err)
			continue
		}
		if got := string(d.appendBytes(nil, []byte(c.token))); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.decoder, c.token, got, c.want)
		}
	}
	for raw, want := range map[string]string{
		`{"type":"CTC"}`: `decoder "CTC"`,
		`{"type":"Replace","pattern":{"Regex":"x+"},"content":""}`: `decoder Replace with a pattern "x+"`,
		`7`: "decoder:",
	} {
		if err := parseDecoder([]byte(raw), new(decoder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", raw, err)
		}
	}
}

// The byte characters are 256 different printable ones, and the table inverts.
func TestByteChars(t *testing.T) {
	seen := map[rune]bool{}
	for b, r := range byteChars {
		if seen[r] || byteOf[r] != int16(b) {
			t.Errorf("byte %#02x: character %q", b, r)
		}
		seen[r] = true
	}
	for b, want := range map[int]rune{' ': 'Ġ', '\n': 'Ċ', 0: 'Ā', 'A': 'A', 0xAD: 'Ń', 0xFF: 'ÿ'} {
		if byteChars[b] != want {
			t.Errorf("byte %#02x is %q, want %q", b, byteChars[b], want)
		}
	}
}

func TestAddedMatcher(t *testing.T) {
	m := must.Get(newAddedMatcher([]addedToken{
		{ID: 1, Content: "\n"}, {ID: 2, Content: "\n\n"}, {ID: 3, Content: "<a>"}, {ID: 4, Content: "<abc>"},
		{ID: 5, Content: "[L]", LStrip: true}, {ID: 6, Content: "[R]", RStrip: true}, {ID: 7, Content: "word", SingleWord: true}, {ID: 8},
	}))(t)
	cases := []struct{ text, want string }{
		{"", ""},
		{"ab", "ab"},
		{"\n\n\n", "2|1"},
		{"x\ny", "x|1|y"},
		{"<abc><a><ab", "4|3|<ab"},
		{"a  [L] b", "a|5| b"},
		{"a [R]  b", "a |6|b"},
		{"word words sword word", "7| words sword |7"},
		{"\n [L]", "1|5"},
	}
	for _, c := range cases {
		var out []string
		for _, s := range m.split(nil, []byte(c.text)) {
			if s.id >= 0 {
				out = append(out, string('0'+rune(s.id)))
			} else {
				out = append(out, string(s.text))
			}
		}
		if got := strings.Join(out, "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if m, err := newAddedMatcher([]addedToken{{ID: 1}}); m != nil || err != nil {
		t.Errorf("nothing to find: %v, %v", m, err)
	}
	if _, err := newAddedMatcher([]addedToken{{Content: strings.Repeat("x", MaxTokenLength+1)}}); err == nil {
		t.Error("a token above the limit is accepted")
	}
}

// Added tokens flagged "normalized" are looked for in normalized text.
func TestNormalizedAddedToken(t *testing.T) {
	f := spmFile()
	f["normalizer"] = object{"type": "Lowercase"}
	model := f["model"].(object)
	model["vocab"].(object)["xy"] = len(model["vocab"].(object))
	f["added_tokens"] = append(f["added_tokens"].([]any), object{"id": model["vocab"].(object)["xy"], "content": "xY", "normalized": true})
	delete(model["vocab"].(object), "xy")
	model["vocab"].(object)["xY"] = len(model["vocab"].(object))
	tok := build(t, f, "</s>")
	ids, err := tok.Encode([]byte("aXYa"))
	if got := tokens(t, tok, ids); err != nil || got != "a|xY|a" {
		t.Errorf("%q, %v", got, err)
	}
}
