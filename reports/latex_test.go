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

// TestLatexHead breaks long heads between words, and leaves short ones as they are.
func TestLatexHead(t *testing.T) {
	for _, c := range []struct{ head, align, want string }{
		{"", "l", ""},
		{"p50 µs", "r", `p50 $\mu$s`},
		{"fourteen signs", "r", "fourteen signs"},
		{"TTFM p50 ms max", "r", `\shortstack[r]{TTFM p50 ms \\ max}`},
		{"right, of those with instances [95%]", "r", `\shortstack[r]{right, of \\ those with \\ instances \\ {}[95\%]}`},
		{"outrageously-long-word here", "l", `\shortstack[l]{outrageously-long-word \\ here}`},
	} {
		if got := latexHead(c.head, c.align); got != c.want {
			t.Errorf("%q: %s, want %s", c.head, got, c.want)
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
