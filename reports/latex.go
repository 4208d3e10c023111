package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gcdbench/reports/plots"
)

// LaTeX is for papers: booktabs rules, figures aligned right, each table a float that fits its
// place (latexlayout.go), with a short caption above and a long one below. It compiles in a plain
// article with any fonts and input encoding (latexescape.go).

// latexPackages are the packages that the tables need.
const latexPackages = `\usepackage{booktabs,array}`

// writeLaTeX writes all tables, ready to be put into a document with \input.
func writeLaTeX(w io.Writer, d *Document) error {
	var b strings.Builder
	b.WriteString(latexHeader(d))
	for _, text := range d.Lead {
		b.WriteString("\n" + latexParagraph(text))
	}
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		b.WriteString(latexTable(t, d.place()))
	}
	b.WriteString(latexAbout(d))
	_, err := io.WriteString(w, b.String())
	return err
}

// mostFloats is how many floats a table has at most in main.tex. One with more is a list of rows,
// of the slowest schemas for instance, which a paper hardly prints: its line is a comment there
// unless it was chosen.
const mostFloats = 12

// latexFiles are a file for each table, one for the origin of the figures, and main.tex, a document
// of all of them and of the plots, whose files are those of WriteFiles. Where tables are chosen, it
// has these alone.
func latexFiles(d *Document, figures []*plots.Figure, tokenizers []string, chosen bool) []file {
	var files []file
	var body, lists strings.Builder
	floats := 0
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		text := latexTable(t, d.place())
		files = append(files, file{t.ID + ".tex", []byte(latexHeader(d) + text)})
		n := strings.Count(text, `\begin{table`)
		if n > mostFloats && !chosen {
			fmt.Fprintf(&lists, "%% %d tables: \\input{%s}\n", n, t.ID)
			continue
		}
		floats += n
		fmt.Fprintf(&body, "\\input{%s}\n", t.ID)
	}
	for _, f := range figures {
		floats++
		body.WriteString(latexFigure(f, captionOf(f, tokenizers), d.Narrow))
	}
	main := latexHeader(d) + latexPreamble(d, floats+mostFloats)
	for _, text := range d.Lead {
		main += latexParagraph(text)
	}
	main += body.String() + lists.String() + "\\clearpage\n\\input{about}\n\\end{document}\n"
	return append(files, file{"about.tex", []byte(latexHeader(d) + latexAbout(d))}, file{"main.tex", []byte(main)})
}

// latexPreamble begins a document with so many floats. They stand close together, from the top of a
// page on; LaTeX gives up where 52 wait for a place, or 100 follow each other, if it is not told.
func latexPreamble(d *Document, floats int) string {
	options := ""
	if d.Narrow {
		options = "[twocolumn]"
	}
	return fmt.Sprintf(`\documentclass%s{article}
%s
\usepackage{graphicx}
\extrafloats{%d}\maxdeadcycles=1000
\setcounter{topnumber}{20}\setcounter{dbltopnumber}{20}\setcounter{totalnumber}{20}
\renewcommand{\topfraction}{1}\renewcommand{\dbltopfraction}{1}\renewcommand{\bottomfraction}{.7}\renewcommand{\textfraction}{0}
\renewcommand{\floatpagefraction}{.7}\renewcommand{\dblfloatpagefraction}{.7}
\makeatletter\@fptop=0pt\@dblfptop=0pt\makeatother
\begin{document}\suppressfloats[t]
`, options, latexPackages, floats)
}

// latexFigure is a plot as a float.
func latexFigure(f *plots.Figure, caption string, narrow bool) string {
	environment := "figure*"
	if narrow {
		environment = "figure"
	}
	return fmt.Sprintf("\n\\begin{%s}\n\\centering\n\\includegraphics[width=\\linewidth,height=.43\\textheight,keepaspectratio]{{%s}.pdf}\n\\caption{%s.}\n\\label{fig:%s}\n\\end{%s}\n",
		environment, f.Name, breakable(caption, longWord), f.Name, environment)
}

// latexParagraph begins a paragraph that is not stretched to the margin, since it may have long
// names.
func latexParagraph(text string) string {
	return fmt.Sprintf("{\\raggedright\\noindent %s\\par}\n", breakable(text, longWord))
}

// latexHeader is the comment at the head of a file: the packages it needs and the origin of its
// figures.
func latexHeader(d *Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s\n%% It needs %s\n", d.Title, latexPackages)
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "%% Warning: %s\n", text)
	}
	for _, text := range d.About {
		fmt.Fprintf(&b, "%% %s\n", text)
	}
	return b.String()
}

// latexAbout is the origin of the figures, for the document; nothing if it is unknown.
func latexAbout(d *Document) string {
	if len(d.About) == 0 {
		return ""
	}
	texts := make([]string, len(d.About))
	for i, text := range d.About {
		texts[i] = breakable(text, longWord)
	}
	return "\n{\\footnotesize\\raggedright\\noindent " + strings.Join(texts, "\\par\\noindent\n") + "\\par}\n"
}

// latexTable is a table as one or several floats, or as a paragraph if it has no rows.
func latexTable(t *Table, p place) string {
	if len(t.Rows) == 0 {
		return fmt.Sprintf("\n\\noindent\\textbf{%s.} %s\\par\n", breakable(t.Title, longWord), breakable(t.Caption, longWord))
	}
	var b strings.Builder
	t = t.withBest()
	layout := p.layout(t)
	for i, pieces := range layout.floats {
		caption, label := escapeLaTeX(t.Title), t.ID
		if i > 0 {
			caption, label = caption+", continued", fmt.Sprintf("%s-%d", t.ID, i+1)
		}
		for _, text := range layout.same {
			caption += "; " + breakable(text, longWord)
		}
		fmt.Fprintf(&b, "\n\\begin{%s}\n\\centering\n\\caption{%s.}\n\\label{tab:%s}\n\\medskip\n%s\\setlength{\\tabcolsep}{%gpt}%%\n", p.environment, caption, label, layout.size.command, layout.size.sep)
		for j, piece := range pieces {
			if j > 0 {
				b.WriteString("\n\\medskip\n")
			}
			b.WriteString(piece.latex())
		}
		explanation := ""
		if i == len(layout.floats)-1 {
			explanation = t.Caption
		}
		b.WriteString(latexNotes(t, marksOf(pieces), explanation))
		fmt.Fprintf(&b, "\\end{%s}\n", p.environment)
	}
	return b.String()
}

// latexNotes are the footnotes with those marks, and what the figures are, below a table.
func latexNotes(t *Table, marks []string, explanation string) string {
	var paragraphs []string
	for i, note := range t.Notes {
		if slices.Contains(marks, letter(i)) {
			paragraphs = append(paragraphs, fmt.Sprintf("\\textsuperscript{%s}~%s", letter(i), breakable(note, longWord)))
		}
	}
	if explanation != "" {
		paragraphs = append(paragraphs, breakable(explanation, longWord))
	}
	if len(paragraphs) == 0 {
		return ""
	}
	return "\n\\medskip\n\\parbox{\\linewidth}{\\footnotesize\\raggedright\n" + strings.Join(paragraphs, "\\par\n") + "}\n"
}

// latex is the tabular of a piece.
func (p *piece) latex() string {
	var b strings.Builder
	aligns, heads, broken := make([]string, len(p.Columns)), make([]string, len(p.Columns)), p.heads()
	for i, c := range p.Columns {
		aligns[i] = "l"
		if c.Right {
			aligns[i] = "r"
		}
		heads[i] = latexHead(broken[i], aligns[i])
		if w := p.wrapped[i]; w > 0 {
			ragged := map[bool]string{false: "right", true: "left"}[c.Right]
			aligns[i] = fmt.Sprintf(">{\\ragged%s\\arraybackslash}p{%.0fpt}", ragged, w)
			heads[i] = afterBreak(breakable(c.Head, longEntry))
		}
	}
	fmt.Fprintf(&b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n\\midrule\n", strings.Join(aligns, ""), strings.Join(heads, " & "))
	for _, row := range p.shown() {
		texts := make([]string, len(row))
		for i, entry := range row {
			texts[i] = escapeLaTeX(entry.Body)
			if p.wrapped[i] > 0 {
				texts[i] = breakable(entry.Body, longEntry)
			}
			if entry.best {
				figure, interval, _ := strings.Cut(texts[i], " ")
				texts[i] = strings.TrimRight("\\textbf{"+figure+"} "+interval, " ")
			}
			if entry.Mark != "" {
				texts[i] += "\\textsuperscript{" + entry.Mark + "}"
			}
		}
		b.WriteString(afterBreak(strings.Join(texts, " & ")) + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}

// latexHead is a column's head of one or more lines.
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

// afterBreak keeps a line that begins with [ or * from being read as a part of the \\ before it.
func afterBreak(line string) string {
	if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
		return "{}" + line
	}
	return line
}
