package reports

import (
	"fmt"
	"io"
	"slices"
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
		if i == 0 { // once: where the figures come from is the same for all tables
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
	heads, broken := make([]string, len(t.Columns)), t.heads()
	for i, c := range t.Columns {
		aligns[i] = "l"
		if c.Right {
			aligns[i] = "r"
		}
		heads[i] = latexHead(broken[i], aligns[i])
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
		b.WriteString(afterBreak(strings.Join(texts, " & ")) + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
	for i, note := range t.Notes {
		fmt.Fprintf(b, "\n\\footnotesize\\textsuperscript{%s}~%s\n", letter(i), escapeLaTeX(note))
	}
	b.WriteString("\\end{table}\n")
}

// latexHead is a column's head of one or more lines. A table that its heads make wide would be scaled down until nobody
// could read it.
func latexHead(lines []string, align string) string {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i] = afterBreak(escapeLaTeX(lines[i]))
	}
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	return "\\shortstack[" + align + "]{" + strings.Join(lines, ` \\ `) + "}"
}

// afterBreak keeps a line that begins with [ from being read as an option of the \\ before it.
func afterBreak(line string) string {
	if strings.HasPrefix(line, "[") {
		return "{}" + line
	}
	return line
}

// latexEscapes are the signs that LaTeX reads as commands, or does not have in its fonts.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `$\sim$`, `µ`, `$\mu$`, `–`, `--`, `<`, `\textless{}`, `>`, `\textgreater{}`,
	`"`, `\textquotedbl{}`, `|`, `\textbar{}`, "\n", " ", "\x00", "{}")

// escapeLaTeX keeps text from being read as commands, and two hyphens, which ids such as Github_easy---o1 have, from
// being set as a dash.
func escapeLaTeX(s string) string {
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-\x00-")
	}
	return latexEscapes.Replace(s)
}
