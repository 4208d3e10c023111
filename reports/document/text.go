package document

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text and Markdown. Package tablewriter lays their tables out, with all its automatic changes off:
// a figure must appear in the report as it was computed.

// textWidth is where paragraphs are broken; tables may be wider.
const textWidth = 100

// WriteText writes all of a document for a terminal.
func WriteText(w io.Writer, d *Document) error {
	if err := WriteSummary(w, d); err != nil {
		return err
	}
	var b strings.Builder
	if err := textTables(&b, d.Tables); err != nil {
		return err
	}
	if len(d.About) > 0 {
		b.WriteByte('\n')
	}
	for _, text := range d.About {
		b.WriteString(wrap(text, "  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSummary writes the first screen of a document for a terminal: problems and the summary.
func WriteSummary(w io.Writer, d *Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Title)
	for _, text := range d.Warnings {
		b.WriteString("\n" + wrap("Warning: "+text, ""))
	}
	for _, text := range d.Lead {
		b.WriteString("\n" + wrap(text, ""))
	}
	if err := textTables(&b, d.Summary); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textTables lays tables out for a terminal.
func textTables(b *strings.Builder, tables []*Table) error {
	for _, t := range tables {
		fmt.Fprintf(b, "\n%s\n", t.Title)
		table, err := renderTable(t, renderer.NewBlueprint(tw.Rendition{
			Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.On, Bottom: tw.On},
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			},
		}), plainMark, func(_ string, lines []string) string { return strings.Join(lines, "\n") }, func(s string) string { return s })
		if err != nil {
			return err
		}
		b.WriteString(table)
		for i, note := range t.Notes {
			b.WriteString(wrap("("+Letter(i)+") "+note, "    "))
		}
		if t.Caption != "" {
			b.WriteString(wrap(t.Caption, ""))
		}
	}
	return nil
}

// plainMark is the mark of a footnote in plain text.
func plainMark(mark string) string { return " (" + mark + ")" }

// WriteMarkdown writes tables as GitHub's Markdown has them.
func WriteMarkdown(w io.Writer, d *Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", EscapeMarkdown(d.Title))
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "\n**Warning:** %s\n", EscapeMarkdown(text))
	}
	for _, text := range d.Lead {
		fmt.Fprintf(&b, "\n%s\n", EscapeMarkdown(text))
	}
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		fmt.Fprintf(&b, "\n## %s\n", EscapeMarkdown(t.Title))
		table, err := renderTable(t, renderer.NewMarkdown(), func(m string) string { return " <sup>" + m + "</sup>" }, func(head string, _ []string) string { return EscapeMarkdown(head) }, EscapeMarkdown)
		if err != nil {
			return err
		}
		if table != "" {
			b.WriteString("\n" + table)
		}
		for i, note := range t.Notes {
			fmt.Fprintf(&b, "\n<sup>%s</sup> %s\n", Letter(i), EscapeMarkdown(note))
		}
		if t.Caption != "" {
			fmt.Fprintf(&b, "\n%s\n", EscapeMarkdown(t.Caption))
		}
	}
	for _, text := range d.About {
		fmt.Fprintf(&b, "\n%s\n", EscapeMarkdown(text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// EscapeMarkdown escapes markup. Package tablewriter escapes nothing, and a | ends a cell even
// inside code. Signs that cannot be markup stay as they are, so that the source is readable: a [
// that begins no link, and the _ inside a word.
func EscapeMarkdown(s string) string {
	s = markdownEscapes.Replace(s)
	for insideWord.MatchString(s) { // matches that share a letter need a second go
		s = insideWord.ReplaceAllString(s, "${1}_${2}")
	}
	return s
}

// markup matches signs that are markup anywhere, insideWord the _ that is none inside a word.
var (
	markdownEscapes = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `*`, `\*`, `_`, `\_`, `<`, `&lt;`, `>`, `&gt;`,
		"](", `]\(`, `~`, `\~`, "`", "\\`", "\n", " ")
	insideWord = regexp.MustCompile(`([\p{L}\p{N}])\\_([\p{L}\p{N}])`)
)

// renderTable has tablewriter lay a table out; nothing without rows. Its automatic changes are off:
// they would turn "p99.9 µs" into "P 99 9 ΜS", wrap cells, and trim.
func renderTable(t *Table, r tw.Renderer, mark func(string) string, head func(head string, lines []string) string, escape func(string) string) (string, error) {
	if len(t.Rows) == 0 {
		return "", nil
	}
	var b strings.Builder
	aligns := make(tw.Alignment, len(t.Columns))
	heads, broken := make([]string, len(t.Columns)), t.Heads()
	for i, c := range t.Columns {
		heads[i] = head(c.Head, broken[i])
		aligns[i] = tw.AlignLeft
		if c.Right {
			aligns[i] = tw.AlignRight
		}
	}
	plain := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: aligns},
	}
	table := tablewriter.NewTable(&b, tablewriter.WithRenderer(r), tablewriter.WithConfig(tablewriter.Config{
		Header: plain, Row: plain,
		Behavior: tw.Behavior{TrimSpace: tw.Off},
	}))
	table.Header(heads)
	for _, row := range t.Shown() {
		texts := make([]string, len(row))
		for i, entry := range row {
			texts[i] = escape(entry.Body)
			if entry.Mark != "" {
				texts[i] += mark(entry.Mark)
			}
		}
		if err := table.Append(texts); err != nil {
			return "", fmt.Errorf("laying out the table %q: %w", t.Title, err)
		}
	}
	if err := table.Render(); err != nil {
		return "", fmt.Errorf("laying out the table %q: %w", t.Title, err)
	}
	return trimLines(b.String()), nil
}

// trimLines drops the blanks that pad the last column.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a paragraph into lines; those after the first are indented.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+width > textWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	b.WriteByte('\n')
	return b.String()
}
