package tokenizers

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// pieces cuts text with a splitter.
func pieces(f splitter, text string) []string {
	var out []string
	for _, p := range (handSplit{next: f}).split(nil, []byte(text), true) {
		out = append(out, string(p))
	}
	return out
}

func TestSplitters(t *testing.T) {
	cases := []struct{ pattern, text, want string }{
		{patternGPT2, "I'll do  it", "I|'ll| do| | it"},
		{patternGPT2, "I'LL 12345 ab1", "I|'|LL| 12345| ab|1"},
		{patternGPT2, "a\n\n b  ", "a|\n\n| b|  "},
		{patternCL100K, "I'LL 12345x", "I|'LL| |123|45|x"},
		{patternCL100K, "a.b(c);\n\nd", "a|.b|(c|);\n\n|d"},
		{patternCL100K, "  \n  x", "  \n| | x"},
		{patternCL100K, "\tx \t y", "\tx| \t| y"},
		{patternQwen2, "123 4", "1|2|3| |4"},
		{patternO200K, "HelloWorld getHTTPResponse", "Hello|World| get|HTTPResponse"},
		{patternO200K, "DON'T they'd", "DON'T| they'd"},
		{patternO200K, "a / b //\n/c", "a| /| b| //\n/|c"},
		{patternO200K, "日本ABC日b", "日本ABC日b"},
	}
	for _, c := range cases {
		if got := strings.Join(pieces(splitters[c.pattern], c.text), "|"); got != c.want {
			t.Errorf("%.20s...: %q splits to %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
}

// alphabet has what the patterns look at: case, letters without case, marks, numbers of all
// kinds, spaces, line breaks, contractions, the long s, and bytes that are not UTF-8.
var alphabet = []string{
	"a", "b", "s", "t", "re", "ve", "ll", "d", "m", "A", "S", "LL", "ſ", "ǅ", "ʰ", "ª", "日", "א", "é", "É",
	"\u0301", "\u0903", "0", "1", "9", "Ⅷ", "½", "٣", " ", " ", " ", "\t", "\n", "\r", "\r\n", "\u00a0", "\u2003", "\u0085", "\u2028",
	"'", "'", "’", ".", "/", "(", "_", "€", "🙂", "\u200d", "\x00", "\uFFFD", "\xff", "\xc3", "\xe2\x80",
}

// randomText joins up to n random elements of the alphabet.
func randomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.Intn(n + 1) {
		b.WriteString(alphabet[rng.Intn(len(alphabet))])
	}
	return b.String()
}

// Each hand-written splitter gives the pieces that a regular expression engine gives.
func TestSplittersAgree(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewSource(int64(seed)))
	texts := []string{""}
	for range 4000 {
		texts = append(texts, randomText(rng, 14))
	}
	if !testing.Short() {
		texts = append(texts, goldenSample(t, 40)...)
	}
	for pattern, f := range splitters {
		re := must.Get(compileRegex(pattern))(t)
		for _, text := range texts {
			var want []string
			for _, p := range (regexSplit{re: re, behavior: isolated}).split(nil, []byte(text), true) {
				want = append(want, string(p))
			}
			if got := pieces(f, text); !slices.Equal(got, want) {
				t.Fatalf("seed %d, pattern %.30s..., text %q:\n got %q\nwant %q", seed, pattern, text, got, want)
			}
		}
	}
}

// goldenSample returns up to n golden texts, none if there are none.
func goldenSample(t *testing.T, n int) []string {
	var out []string
	t.Run("texts", func(t *testing.T) {
		texts := golden(t)
		for doc := range texts {
			if len(out) < n {
				out = append(out, texts[doc])
			}
		}
	})
	return out
}

func TestBehaviors(t *testing.T) {
	const text = "--a-b--"
	cases := []struct {
		behavior string
		invert   bool
		want     string
	}{
		{"Removed", false, "a|b"},
		{"Removed", true, "-|-|-|-|-"},
		{"Isolated", false, "-|-|a|-|b|-|-"},
		{"MergedWithPrevious", false, "-|-|a-|b-|-"},
		{"MergedWithNext", false, "-|-a|-b|-|-"},
		{"Contiguous", false, "--|a|-|b|--"},
	}
	for _, c := range cases {
		for _, pattern := range []string{`{"String":"-"}`, `{"Regex":"-"}`, `"-"`} {
			raw := fmt.Sprintf(`{"type":"Split","pattern":%s,"behavior":%q,"invert":%v}`, pattern, c.behavior, c.invert)
			if got := preSplit(t, raw, text); got != c.want {
				t.Errorf("%s: %q, want %q", raw, got, c.want)
			}
		}
	}
}

// preSplit runs a pre-tokenizer given as JSON and joins the pieces with bars.
func preSplit(t *testing.T, raw, text string) string {
	t.Helper()
	var p preTokens
	must.OK(t, parsePreTokenizer([]byte(raw), &p))
	cur := [][]byte{[]byte(text)}
	for _, step := range p.steps {
		var next [][]byte
		for _, piece := range cur {
			next = step.split(next, piece, true)
		}
		cur = next
	}
	var out []string
	for _, piece := range cur {
		out = append(out, string(piece))
	}
	return strings.Join(out, "|")
}

func TestPreTokenizers(t *testing.T) {
	cases := []struct{ raw, text, want string }{
		{`null`, "a b", "a b"},
		{`{"type":"ByteLevel"}`, "a b12", " a| b|12"},
		{`{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}`, "a b", "a b"},
		{`{"type":"Digits"}`, "a12b3", "a|12|b|3"},
		{`{"type":"Digits","individual_digits":true}`, "a12b", "a|1|2|b"},
		{`{"type":"Punctuation","behavior":"Isolated"}`, "a+b。", "a|+|b|。"},
		{`{"type":"WhitespaceSplit"}`, " a  b\n", "a|b"},
		{`{"type":"Whitespace"}`, "ab, c!?", "ab|,|c|!?"},
		{`{"type":"CharDelimiterSplit","delimiter":","}`, "a,b,,c", "a|b|c"},
		{`{"type":"BertPreTokenizer"}`, "a b,c", "a|b|,|c"},
		{`{"type":"Metaspace"}`, "a b", "▁a|▁b"},
		{`{"type":"Metaspace","prepend_scheme":"never"}`, "a  b", "a|▁|▁b"},
		{`{"type":"Metaspace","split":false,"replacement":"_"}`, "a b", "_a_b"},
		{`{"type":"Metaspace","add_prefix_space":false}`, "a", "a"},
		{`{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Digits"}]}`, "a1 b", "a|1|b"},
		{`{"type":"Split","pattern":{"Regex":"\\d{3}(?=\\D)"},"behavior":"Isolated"}`, "1234x", "1|234|x"},
	}
	for _, c := range cases {
		if got := preSplit(t, c.raw, c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.raw, got, c.want)
		}
	}
}

func TestPreTokenizerErrors(t *testing.T) {
	cases := []struct{ raw, want string }{
		{`{"type":"UnicodeScripts"}`, `pre_tokenizer "UnicodeScripts" is not supported`},
		{`{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"}`, `regular expression "("`},
		{`{"type":"Split","pattern":{"String":"x"},"behavior":"Odd"}`, `split behavior "Odd" is not supported`},
		{`{"type":"Split","pattern":{},"behavior":"Isolated"}`, `pattern is empty`},
		{`{"type":"CharDelimiterSplit"}`, `its delimiter is one character, not ""`},
		{`{"type":"CharDelimiterSplit","delimiter":"ab"}`, `its delimiter is one character, not "ab"`},
		{`{"type":5}`, `pre_tokenizer:`},
		{`{"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"Digits"}]}`, `behind ByteLevel "Digits"`},
	}
	for _, c := range cases {
		err := parsePreTokenizer([]byte(c.raw), new(preTokens))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.raw, err, c.want)
		}
	}
}
