package reports

import (
	"strings"
	"testing"
)

// TestEscapeLaTeX: commands, and what LaTeX joins to other signs.
func TestEscapeLaTeX(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a-b": "a-b", "a--b": "a-{}-b", "Github_easy---o1": `Github\_easy-{}-{}-o1`, "----": "-{}-{}-{}-", "94–96%": `94--96\%`, "–": "--",
		`a\b`: `a\textbackslash{}b`, "{x}": `\{x\}`, "5 µs ~ <6>": `5 $\mu$s $\sim$ \textless{}6\textgreater{}`, "a\nb": "a b",
	} {
		if got := escapeLaTeX(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestLatexHead stacks the lines of a head, aligned as the column is.
func TestLatexHead(t *testing.T) {
	for _, c := range []struct {
		lines       []string
		align, want string
	}{
		{nil, "l", ""},
		{[]string{"p50 µs"}, "r", `p50 $\mu$s`},
		{[]string{"right, of", "all [95%]"}, "r", `\shortstack[r]{right, of \\ all [95\%]}`},
		{[]string{"group", "[95%]"}, "l", `\shortstack[l]{group \\ {}[95\%]}`},
	} {
		if got := latexHead(c.lines, c.align); got != c.want {
			t.Errorf("%q: %s, want %s", c.lines, got, c.want)
		}
	}
}

// TestHeads: a head is broken where it is wider than all that stands below it, and no further.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ head, entry, want string }{
		{"p50 µs", "1.00", "p50 µs"},
		{"first mask p50 ms", "1.00", "first|mask p50|ms"},
		{"first mask p50 ms", "1,000 [990, 1,010]", "first mask p50 ms"},
		{"first mask p50 ms", "ninesigns", "first|mask p50|ms"},
		{"first mask p50 ms", "ten signs.", "first mask|p50 ms"},
		{"outrageously-long here", "", "outrageously-long|here"},
		{"", "x", ""},
	} {
		table := &Table{Columns: []Column{{Head: "other"}, {Head: c.head}}, Rows: [][]Text{{{}, {Body: c.entry}}, {{Body: "something much longer"}, {Body: "é"}}}}
		if got := strings.Join(table.heads()[1], "|"); got != c.want {
			t.Errorf("%q over %q: %q, want %q", c.head, c.entry, got, c.want)
		}
	}
}

// TestLatexTables: each table has as many entries in a row as it has columns, and a label of its own.
func TestLatexTables(t *testing.T) {
	labels := map[string]bool{}
	for _, table := range strings.Split(render(t, load(t, schemaSet.store(t)), "latex"), `\begin{table}`)[1:] {
		_, rest, _ := strings.Cut(table, `\label{`)
		label, _, _ := strings.Cut(rest, "}")
		if labels[label] || label == "" {
			t.Errorf("the label %q twice", label)
		}
		labels[label] = true
		_, columns, _ := strings.Cut(table, `\begin{tabular}{@{}`)
		columns, body, _ := strings.Cut(columns, "@{}}\n\\toprule\n")
		body, _, _ = strings.Cut(body, "\\bottomrule")
		for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(body, "\\midrule\n", "")), "\n") {
			if n := strings.Count(line, " & ") + 1; n != len(columns) || !strings.HasSuffix(line, ` \\`) {
				t.Errorf("%s: %d entries under %d columns: %s", label, n, len(columns), line)
			}
		}
	}
	if len(labels) < 10 {
		t.Errorf("%d tables", len(labels))
	}
}
