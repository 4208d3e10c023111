package tokenizers

import (
	"math/rand"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func TestNormalizers(t *testing.T) {
	cases := []struct{ raw, text, want string }{
		{`null`, "a", "a"},
		{`{"type":"NFC"}`, "e\u0301 \xff", "é \xff"},
		{`{"type":"NFD"}`, "é", "e\u0301"},
		{`{"type":"NFKC"}`, "ﬁ①", "fi1"},
		{`{"type":"NFKD"}`, "ﬁé", "fie\u0301"},
		{`{"type":"Lowercase"}`, "AÉ", "aé"},
		{`{"type":"Prepend","prepend":"▁"}`, "a", "▁a"},
		{`{"type":"Prepend","prepend":"▁"}`, "", ""},
		{`{"type":"Replace","pattern":{"String":" "},"content":"▁"}`, " a  b", "▁a▁▁b"},
		{`{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}`, "a   b c", "a b c"},
		{`{"type":"Strip"}`, " \u2003a b\n", "a b"},
		{`{"type":"Strip","strip_left":false}`, " a ", " a"},
		{`{"type":"StripAccents"}`, "e\u0301x", "ex"},
		{`{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},{"type":"Lowercase"}]}`, "ÀB", "ab"},
	}
	for _, c := range cases {
		n, err := parseNormalizer([]byte(c.raw))
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		got := c.text
		if n != nil {
			got = string(n.normalize([]byte(c.text)))
		}
		if got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.raw, c.text, got, c.want)
		}
	}
}

func TestNormalizerErrors(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"Precompiled"}`: `normalizer "Precompiled" is not supported`,
		`{"type":"Replace"}`:     "pattern is empty",
		`[]`:                     "normalizer:",
		`{"type":"Sequence","normalizers":[{"type":"Nmt"}]}`: `"Nmt"`,
	} {
		if _, err := parseNormalizer([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", raw, err, want)
		}
	}
}

// What EncodeContinuation keeps of a normalizer: only what decoding undoes.
func TestContinuing(t *testing.T) {
	n := must.Get(parseNormalizer([]byte(`{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},{"type":"NFC"},{"type":"Replace","pattern":{"String":" "},"content":"▁"}]}`)))(t)
	if got := string(continuing(n).normalize([]byte("e\u0301 x"))); got != "e\u0301▁x" {
		t.Errorf("%q", got)
	}
	if continuing(nil) != nil || continuing(unicodeForm(norm.NFC)) != nil {
		t.Error("nothing should be left")
	}
}

// Long runs of marks: the definition applied by hand equals x/text where x/text follows it, and
// does not insert U+034F where x/text does.
func TestLongRunsOfMarks(t *testing.T) {
	rng := rand.New(rand.NewSource(int64(seed.New(t))))
	marks := []string{"\u0301", "\u0323", "\u0308", "\u0345", "\u0316", "\u3099", "\u0f71"}
	bases := []string{"a", "e", "ế", "か", "가", "ᄀ", "\u0301", "é", "x"}
	for range 2000 {
		var b strings.Builder
		b.WriteString(bases[rng.Intn(len(bases))])
		for range rng.Intn(12) {
			b.WriteString(marks[rng.Intn(len(marks))])
		}
		run := b.String()
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC} {
			if got, want := string(normalizeRun(form, []byte(run))), form.String(run); got != want {
				t.Fatalf("form %d of %+q: %+q, want %+q", form, run, got, want)
			}
		}
	}
	long := "e" + strings.Repeat("\u0323\u0301", 40) + " e\u0301"
	got := string(unicodeForm(norm.NFC).normalize([]byte(long)))
	want := "ẹ" + strings.Repeat("\u0323", 39) + strings.Repeat("\u0301", 40) + " é"
	if got != want {
		t.Errorf("a long run gives %+q, want %+q", got, want)
	}
}
