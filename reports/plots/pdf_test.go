package plots

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// streams are the contents of a PDF, unpacked.
func streams(t *testing.T, pdf []byte) string {
	t.Helper()
	var all strings.Builder
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(pdf, -1) {
		r := must.Get(zlib.NewReader(bytes.NewReader(m[1])))(t)
		must.Get(io.Copy(&all, r))(t)
	}
	return all.String()
}

// TestPDF: the text is text, in the encoding of the font; the font is inside, and two files made at
// different times are equal.
func TestPDF(t *testing.T) {
	seed.Usual(t)
	f := ECDF("e", []Sample{{"größe ≥ (1) \\ 日本", line("psc"), []float64{1, 20_000}}})
	first, err := f.PDF()
	must.OK(t, err)
	if !bytes.HasPrefix(first, []byte("%PDF-")) || !bytes.Contains(first, []byte("/FontFile2")) {
		t.Error("no PDF, or without its font")
	}
	text := streams(t, first)
	for _, want := range []string{"(10 \xb5s)", "(share of masks)", "(psc)", "(gr\xf6\xdfe ? \\(1\\) \\\\ ??)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	time.Sleep(1100 * time.Millisecond) // a PDF gives its time in seconds
	again, err := f.PDF()
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("another PDF of the same figure differs: %v", err)
	}
}

// TestPDFPanics: what the library below panics at is an error that names the figure.
func TestPDFPanics(t *testing.T) {
	f := ECDF("e", []Sample{{"json", line("psc"), []float64{1}}})
	f.Panels[0].Series[0].X[0] = -1 // gonum's logarithmic axis panics
	if out, err := f.PDF(); err == nil || out != nil || !strings.Contains(err.Error(), "figure e: cannot be drawn as PDF") {
		t.Errorf("error %v", err)
	}
}
