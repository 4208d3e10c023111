// Package latex writes documents for papers: every table a float that fits its place.
package latex

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gcdbench/reports/document"
	"gcdbench/reports/draw"
	"gcdbench/reports/output"
	"gcdbench/reports/plots"
)

// LaTeX is for papers: booktabs rules, figures aligned right, each table a float that fits its
// place (latexlayout.go), with a short caption above and a long one below. It compiles in a plain
// article with any fonts and input encoding (latexescape.go).

// Packages are the packages that the tables need.
const Packages = `\usepackage{booktabs,array}`

// Write writes all tables, ready to be put into a document with \input.
func Write(w io.Writer, d *document.Document) error {
	var b strings.Builder
	b.WriteString(header(d))
	for _, text := range d.Lead {
		b.WriteString("\n" + paragraph(text))
	}
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		b.WriteString(tableOf(t, placeIn(d)))
	}
	b.WriteString(aboutOf(d))
	_, err := io.WriteString(w, b.String())
	return err
}

// mostFloats is how many floats a table has at most in main.tex. One with more is a list of rows,
// of the slowest schemas for instance, which a paper hardly prints: its line is a comment there
// unless it was chosen.
const mostFloats = 12

// Files are a file for each table, one for the origin of the figures, and main.tex, a document
// of all of them and of the plots, whose files are those of WriteFiles. Where tables are chosen, it
// has these alone.
func Files(d *document.Document, figures []*plots.Figure, tokenizers []string, chosen bool) []output.File {
	var files []output.File
	var body, lists strings.Builder
	floats := 0
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		text := tableOf(t, placeIn(d))
		files = append(files, output.File{Name: t.ID + ".tex", Data: []byte(header(d) + text)})
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
		body.WriteString(figureOf(f, draw.Caption(f, tokenizers), d.Narrow))
	}
	main := header(d) + preamble(d, floats+mostFloats)
	for _, text := range d.Lead {
		main += paragraph(text)
	}
	main += body.String() + lists.String() + "\\clearpage\n\\input{about}\n\\end{document}\n"
	return append(files, output.File{Name: "about.tex", Data: []byte(header(d) + aboutOf(d))}, output.File{Name: "main.tex", Data: []byte(main)})
}

// preamble begins a document with so many floats. They stand close together, from the top of a
// page on; LaTeX gives up where 52 wait for a place, or 100 follow each other, if it is not told.
func preamble(d *document.Document, floats int) string {
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
`, options, Packages, floats)
}

// figureOf is a plot as a float.
func figureOf(f *plots.Figure, caption string, narrow bool) string {
	environment := "figure*"
	if narrow {
		environment = "figure"
	}
	return fmt.Sprintf("\n\\begin{%s}\n\\centering\n\\includegraphics[width=\\linewidth,height=.43\\textheight,keepaspectratio]{{%s}.pdf}\n\\caption{%s.}\n\\label{fig:%s}\n\\end{%s}\n",
		environment, f.Name, breakable(caption, longWord), f.Name, environment)
}

// paragraph begins a paragraph that is not stretched to the margin, since it may have long
// names.
func paragraph(text string) string {
	return fmt.Sprintf("{\\raggedright\\noindent %s\\par}\n", breakable(text, longWord))
}

// header is the comment at the head of a file: the packages it needs and the origin of its
// figures.
func header(d *document.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s\n%% It needs %s\n", d.Title, Packages)
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "%% Warning: %s\n", text)
	}
	for _, text := range d.About {
		fmt.Fprintf(&b, "%% %s\n", text)
	}
	return b.String()
}

// aboutOf is the origin of the figures, for the document; nothing if it is unknown.
func aboutOf(d *document.Document) string {
	if len(d.About) == 0 {
		return ""
	}
	texts := make([]string, len(d.About))
	for i, text := range d.About {
		texts[i] = breakable(text, longWord)
	}
	return "\n{\\footnotesize\\raggedright\\noindent " + strings.Join(texts, "\\par\\noindent\n") + "\\par}\n"
}

// tableOf is a table as one or several floats, or as a paragraph if it has no rows.
func tableOf(t *document.Table, p place) string {
	if len(t.Rows) == 0 {
		return fmt.Sprintf("\n\\noindent\\textbf{%s.} %s\\par\n", breakable(t.Title, longWord), breakable(t.Caption, longWord))
	}
	var b strings.Builder
	t = t.WithBest()
	layout := p.layout(t)
	for i, pieces := range layout.floats {
		caption, label := Escape(t.Title), t.ID
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
func latexNotes(t *document.Table, marks []string, explanation string) string {
	var paragraphs []string
	for i, note := range t.Notes {
		if slices.Contains(marks, document.Letter(i)) {
			paragraphs = append(paragraphs, fmt.Sprintf("\\textsuperscript{%s}~%s", document.Letter(i), breakable(note, longWord)))
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
	aligns, heads, broken := make([]string, len(p.Columns)), make([]string, len(p.Columns)), p.Heads()
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
	for _, row := range p.Shown() {
		texts := make([]string, len(row))
		for i, entry := range row {
			texts[i] = Escape(entry.Body)
			if p.wrapped[i] > 0 {
				texts[i] = breakable(entry.Body, longEntry)
			}
			if entry.Best {
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
		lines[i] = afterBreak(Escape(lines[i]))
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
