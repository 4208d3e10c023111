package latex

import (
	"math"
	"strings"
	"unicode/utf8"

	"gcdbench/reports/document"
	"gcdbench/reports/show"
)

// The layout of a table. A table wider than its place would run into the margin, and a table scaled
// down to fit may be unreadable. So a wide table is first set in a smaller but readable size; then
// its long texts are broken into lines; then its columns are divided among several tabulars, which
// all begin with the columns that name the rows. A table higher than a page goes into several
// floats.

// place is where a table stands.
type place struct {
	environment string  // of a float
	width       float64 // in points
	height      float64 // of a float with all it has, in points
}

// The places: the text of a plain article on letter paper is 345 points wide and 550 high, a column
// of one with two columns 229 wide. The text of other styles is rarely narrower. A float is lower
// than its page, for the space around it.
var (
	wholePage = place{"table*", 345, 510}
	oneColumn = place{"table", 229, 510}
)

// placeIn is the place of the document's tables.
func placeIn(d *document.Document) place {
	if d.Narrow {
		return oneColumn
	}
	return wholePage
}

// latexSize is a size of letters with the space between columns.
type latexSize struct {
	command string
	em      float64 // points that a letter as wide as an em of a 10-point font takes: small sizes are wider than their name
	line    float64 // points from line to line
	sep     float64 // half of the space between two columns, in points
}

// The sizes from the largest. The last is small and still read, in print too.
var latexSizes = []latexSize{{`\small`, 9.25, 11, 5}, {`\footnotesize`, 8.5, 9.5, 4}, {`\scriptsize`, 8, 8, 3}}

// dividedSize is the size of tables that are divided, since they fit in no size.
var dividedSize = latexSizes[1]

const (
	// leastWrapped is the least width of a column whose texts are broken into lines, in points.
	leastWrapped = 50
	// longestWhole is how many letters of a word in a name are kept on one line: the names of
	// algorithms and of most vocabularies and workloads have fewer.
	longestWhole = 16
	// ruleHeight is what the three rules of a tabular take with the space around them, in points.
	ruleHeight = 14
	// captionHeight is what a caption of two lines takes with the space around it, in points.
	captionHeight = 46
	// gapHeight is the space between two tabulars and before notes, in points.
	gapHeight = 8
)

// layout is a table in the pieces that it is divided into.
type layout struct {
	size   latexSize
	same   []string // what is true of all rows, for the caption
	floats [][]*piece
}

// piece is a part of a table that is one tabular: some columns of some rows.
type piece struct {
	*document.Table
	wrapped []float64 // widths of columns whose texts are broken into lines, in points; 0 for others
	height  float64   // in points, without its footnotes
}

// layout divides a table. If it is too wide, columns without figures are dropped first, and names
// that all rows share go into the caption.
func (p place) layout(t *document.Table) *layout {
	if l := p.whole(t); l != nil {
		return l
	}
	t, same := withoutIdle(t)
	l := p.whole(t)
	if l == nil {
		groups, wrapped := p.columnGroups(t, dividedSize)
		l = p.divide(t, dividedSize, groups, wrapped)
	}
	l.same = same
	return l
}

// whole is the layout of a table with all columns side by side, in the largest size that fits; nil
// if none does.
func (p place) whole(t *document.Table) *layout {
	for _, size := range latexSizes {
		if size.total(widths(t, size)) <= p.width {
			return p.divide(t, size, [][]int{upTo(len(t.Columns))}, make([]float64, len(t.Columns)))
		}
	}
	return nil
}

// withoutIdle is the table without columns that have no figure, and without columns of names that
// all rows share, except the last one. same has these names.
func withoutIdle(t *document.Table) (*document.Table, []string) {
	var keep []int
	var same []string
	for i, column := range t.Columns {
		value, alike := alike(t, i)
		switch {
		case alike && i+1 < t.Names():
			same = append(same, column.Head+": "+value)
		case !alike || i < t.Names() || value != show.None:
			keep = append(keep, i)
		}
	}
	narrow := part(t, upTo(len(t.Rows)), keep)
	narrow.Caption = t.Caption
	return narrow, same
}

// upTo lists the numbers below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// total is the width of a tabular with columns of those widths.
func (z latexSize) total(widths []float64) float64 {
	return 2*z.sep*float64(max(0, len(widths)-1)) + sumOf(widths)
}

// alike reports whether all entries of a column that are not empty are equal, and what they are.
func alike(t *document.Table, column int) (value string, alike bool) {
	for _, row := range t.Rows {
		switch entry := row[column]; {
		case entry.Mark != "":
			return "", false
		case value == "":
			value = entry.Body
		case entry.Body != "" && entry.Body != value:
			return "", false
		}
	}
	return value, true
}

// columnGroups divides the columns into groups that fit, and chooses the columns whose texts are
// broken into lines. Each group begins with the columns that name the rows.
func (p place) columnGroups(t *document.Table, size latexSize) (groups [][]int, wrapped []float64) {
	widths, names, gap := widths(t, size), t.Names(), 2*size.sep
	least := leastWidths(t, size, widths)
	for names > 1 && sumOf(least[:names])+gap*float64(names) > p.width*2/3 {
		names-- // more would leave nothing to the others
	}
	wrapped = make([]float64, len(widths))
	// Names have what the figures leave, and half of the place in any case.
	room := p.width - min(size.total(widths[names:])+gap, p.width/2)
	if names == len(widths) {
		room = p.width
	}
	shrink(widths[:names], wrapped[:names], least, room-gap*float64(max(0, names-1)))
	head := size.total(widths[:names])
	for i := names; i < len(widths); i++ {
		if most := max(leastWrapped, math.Floor(p.width-head-gap)); widths[i] > most {
			widths[i], wrapped[i] = most, most
		}
	}
	group, used := upTo(names), head
	for i := names; i < len(widths); i++ {
		if used+gap+widths[i] > p.width && len(group) > names {
			groups = append(groups, group)
			group, used = upTo(names), head
		}
		group, used = append(group, i), used+gap+widths[i]
	}
	return append(groups, group), wrapped
}

// leastWidths are the widths of columns with their texts broken into lines, between words that are
// not very long.
func leastWidths(t *document.Table, size latexSize, widths []float64) []float64 {
	least := make([]float64, len(widths))
	for i := range widths {
		least[i] = leastWrapped
		for _, row := range t.Rows {
			for _, word := range strings.Fields(row[i].Body) {
				if utf8.RuneCountInString(word) <= longestWhole {
					least[i] = max(least[i], math.Ceil(size.em*textWidthOf(word))+1)
				}
			}
		}
		least[i] = min(widths[i], least[i])
	}
	return least
}

// shrink narrows the widest columns, whose texts are broken into lines then, until all fit into the
// room or none can be narrower.
func shrink(widths, wrapped, least []float64, room float64) {
	for sumOf(widths) > room {
		widest := -1
		for i := range widths {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest] = max(least[widest], math.Floor(widths[widest]-1))
		wrapped[widest] = widths[widest]
	}
}

// sumOf adds numbers.
func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
