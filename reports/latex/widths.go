package latex

import (
	"math"
	"unicode/utf8"

	"gcdbench/reports/document"
)

// The width and height of text, which LaTeX alone knows exactly. The widths here are those of its
// standard font, Computer Modern, which is wider than the fonts of most styles; with a wider font
// the reader has to choose columns.

// headLines is the number of lines of a piece's head.
func (p *piece) headLines() int {
	lines := 1
	for _, head := range p.Heads() {
		lines = max(lines, len(head))
	}
	return lines
}

// textHeight is the height of a paragraph of notes in a place of that width, in points.
func textHeight(text string, width float64) float64 {
	if text == "" {
		return 0
	}
	notes := latexSizes[1]
	return notes.line * math.Ceil(1.1*notes.em*textWidthOf(text)/width)
}

// widths are the widths of the columns on one line, in points.
func widths(t *document.Table, size latexSize) []float64 {
	widths := make([]float64, len(t.Columns))
	for i, head := range t.Heads() {
		for _, line := range head {
			widths[i] = max(widths[i], size.em*textWidthOf(line))
		}
		for _, row := range t.Rows {
			widths[i] = max(widths[i], size.em*(textWidthOf(row[i].Body)+markWidth*float64(utf8.RuneCountInString(row[i].Mark))))
		}
		widths[i] = math.Ceil(widths[i]) + 1
	}
	return widths
}

// markWidth is the width of a letter of a footnote's mark.
const markWidth = 0.45

// letterWidths are those of Computer Modern Roman at 10 points, in thousandths of an em, from the
// blank to the tilde; signs that escapeLaTeX takes from the font for formulas have that one's.
var letterWidths = [...]int{
	333, 278, 500, 833, 500, 833, 778, 278, 389, 389, 500, 778, 278, 333, 278, 500, // to /
	500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 778, 778, 778, 472, // to ?
	778, 750, 708, 722, 764, 681, 653, 785, 750, 361, 514, 778, 625, 917, 750, 778, // to O
	681, 778, 736, 556, 722, 750, 750, 1028, 750, 750, 611, 278, 500, 278, 500, 420, // to _
	500, 500, 556, 444, 556, 444, 306, 500, 556, 278, 306, 528, 278, 833, 556, 500, // to o
	556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500, 278, 500, 778, // to ~
}

// escapedWidth is taken for a character beyond ASCII: that of an escape such as \u4e2d, or of less.
const escapedWidth = 3.1

// textWidthOf is the width of a text in ems.
func textWidthOf(s string) float64 {
	width := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && int(r-' ') < len(letterWidths):
			width += float64(letterWidths[r-' ']) / 1000
		case latexSigns[r] != "" || r < 0x250: // letters with accents
			width += 0.8
		default:
			width += escapedWidth
		}
	}
	return width
}
