package reports

import (
	"fmt"
	"io"
	"strings"
)

// writeLaTeX writes tables for papers: booktabs rules, figures right, one table
// environment each, ready to \input. A table is scaled down to the width of the
// text if it is wider; it needs the packages booktabs and graphicx.
func writeLaTeX(w io.Writer, d *Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s\n%% \\usepackage{booktabs,graphicx}\n", strings.ReplaceAll(d.Title, "\n", " "))
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "%% Warning: %s\n", strings.ReplaceAll(text, "\n", " "))
	}
	for i, t := range d.Tables {
		caption := t.Title + ". " + t.Caption
		if i == 0 {
			caption += " " + strings.Join(d.About, " ")
		}
		writeLaTeXTable(&b, t, caption)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLaTeXTable writes one table environment.
func writeLaTeXTable(b *strings.Builder, t *Table, caption string) {
	aligns := make([]string, len(t.Columns))
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		aligns[i] = "l"
		if c.Right {
			aligns[i] = "r"
		}
		heads[i] = escapeLaTeX(c.Head)
	}
	fmt.Fprintf(b, "\n\\begin{table}\n\\caption{%s}\n\\label{tab:%s}\n", escapeLaTeX(caption), t.ID)
	b.WriteString("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n\\midrule\n", strings.Join(aligns, ""), strings.Join(heads, " & "))
	for _, row := range t.Rows {
		texts := make([]string, len(row))
		for i, entry := range row {
			texts[i] = escapeLaTeX(entry.Body)
			if entry.Mark != "" {
				texts[i] += "\\textsuperscript{" + entry.Mark + "}"
			}
		}
		// A row that begins with [ would be read as an option of the \\ before it.
		line := strings.Join(texts, " & ")
		if strings.HasPrefix(line, "[") {
			line = "{}" + line
		}
		b.WriteString(line + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
	for i, note := range t.Notes {
		fmt.Fprintf(b, "\n\\footnotesize\\textsuperscript{%s}~%s\n", letter(i), escapeLaTeX(note))
	}
	b.WriteString("\\end{table}\n")
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `$\sim$`, `µ`, `$\mu$`, `–`, `--`, `<`, `\textless{}`, `>`, `\textgreater{}`,
	`"`, `\textquotedbl{}`, `|`, `\textbar{}`, "\n", " ")

func escapeLaTeX(s string) string { return latexEscapes.Replace(s) }
