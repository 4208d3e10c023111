package reports

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/latex"
)

// TestHiddenCharacters: no format lets a character through that a reader cannot see.
func TestHiddenCharacters(t *testing.T) {
	set := load(t, made.HostileSet().Store(t))
	set.Warnings = append(set.Warnings, "a warning of "+made.Hostile)
	set.Missing = append(set.Missing, cell.Planned{Label: made.Hostile, Workload: made.Hostile, Tokenizer: made.Hostile})
	for _, format := range Formats {
		if format == "json" {
			continue // it escapes what it has to by itself
		}
		text := render(t, set, format)
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", format)
		}
		for i, r := range text {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) && (r != '\t' || format != "html") {
				t.Fatalf("%s contains %q: %q", format, r, text[max(0, i-60):i+20])
			}
		}
		escaped := `x\x1b[31m\x07\u202e\u009b\r\n`
		switch format {
		case "latex":
			text, escaped = strings.NewReplacer(`\penalty5000{}`, "", `\penalty9000{}`, "").Replace(text), latex.Escape(escaped)
		case "markdown":
			escaped = document.EscapeMarkdown(escaped)
		}
		if n := strings.Count(text, escaped); n < 8 {
			t.Errorf("%s shows the name %d times:\n%s", format, n, text)
		}
	}
	if !json.Valid([]byte(render(t, set, "json"))) {
		t.Error("the JSON is none")
	}
	var lines strings.Builder
	if err := WriteSchemas(&lines, set); err != nil || strings.ContainsAny(lines.String(), "\x1b\x07\u202e\r") {
		t.Errorf("the lines of schemas: %v, %q", err, lines.String())
	}
}

// TestFormulas: a spreadsheet shows names and does not run them; numbers stay numbers.
func TestFormulas(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "trie": "trie", "=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": `\t=1`, "\r=1": `\r=1`, "-1": "-1", "+1.5e3": "+1.5e3", "-": "'-", "＝1": "'＝1", "a=1": "a=1", "µ": "µ", "\xff": `\xff`,
	} {
		if got := defused(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	m := made.Results{Workloads: []string{"json"}, Vocabulary: []int{2000}, Samples: 3, Change: func(r *cell.Record, _ []cell.Trace) { r.Workload = `=HYPERLINK("x")` }}
	rows, err := csv.NewReader(strings.NewReader(render(t, load(t, m.Store(t)), "csv"))).ReadAll()
	if err != nil || rows[1][0] != `'=HYPERLINK("x")` || rows[1][6] != "3" {
		t.Errorf("%v, %q", err, rows)
	}
}
