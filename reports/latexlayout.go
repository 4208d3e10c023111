package reports

import (
	"math"
	"slices"
)

// How a table is made to fit. A table that is wider than its place would run into the margin, and one that is scaled down
// until it fits cannot be read. So a wide table is set in a smaller size as long as that can be read, then its long texts are
// broken into lines, and then its columns are divided among several tabulars that all begin with the columns that name the
// rows. Whatever is higher than a page goes into several floats.

// place is where a table stands.
type place struct {
	environment string  // of a float
	width       float64 // in points
	height      float64 // of a float with all it has, in points
}

// The places: the text of a plain article on letter paper is 345 points wide and 550 high, a column of one with two columns
// 229 wide. The text of other styles is rarely narrower. A float is lower than its page, for the space around it.
var (
	wholePage = place{"table*", 345, 510}
	oneColumn = place{"table", 229, 510}
)

// place is where the tables of the document are to stand.
func (d *Document) place() place {
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

// dividedSize is what tables have that do not fit in any size, and so are divided: there is no reason to be small then.
var dividedSize = latexSizes[1]

const (
	// leastWrapped is the least width of a column whose texts are broken into lines, in points.
	leastWrapped = 50
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
	*Table
	wrapped []float64 // widths of columns whose texts are broken into lines, in points; 0 for others
	height  float64   // in points, without its footnotes
}

// layout divides a table. Of one that is too wide, what names all rows alike goes into the caption first, and columns without
// any figure go.
func (p place) layout(t *Table) *layout {
	if l := p.whole(t); l != nil {
		return l
	}
	t, same := t.withoutIdle()
	l := p.whole(t)
	if l == nil {
		groups, wrapped := p.columnGroups(t, dividedSize)
		l = p.divide(t, dividedSize, groups, wrapped)
	}
	l.same = same
	return l
}

// whole is the layout of a table with all columns side by side, in the largest size that fits; nil if none does.
func (p place) whole(t *Table) *layout {
	for _, size := range latexSizes {
		if size.total(t.widths(size)) <= p.width {
			return p.divide(t, size, [][]int{upTo(len(t.Columns))}, make([]float64, len(t.Columns)))
		}
	}
	return nil
}

// withoutIdle is the table without columns that have no figure, and without those that name all rows alike, but for the
// last of the names; and what these say.
func (t *Table) withoutIdle() (*Table, []string) {
	var keep []int
	var same []string
	for i, column := range t.Columns {
		value, alike := t.alike(i)
		switch {
		case alike && i+1 < t.names():
			same = append(same, column.Head+": "+value)
		case !alike || i < t.names() || value != none:
			keep = append(keep, i)
		}
	}
	narrow := t.part(upTo(len(t.Rows)), keep)
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
	sum := 2 * z.sep * float64(max(0, len(widths)-1))
	for _, w := range widths {
		sum += w
	}
	return sum
}

// alike reports whether all entries of a column that are not empty are equal, and what they are.
func (t *Table) alike(column int) (value string, alike bool) {
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

// columnGroups divides the columns so that each group fits, and says which columns' texts are broken into lines. Each group
// begins with the columns that name the rows.
func (p place) columnGroups(t *Table, size latexSize) (groups [][]int, wrapped []float64) {
	widths, names, gap := t.widths(size), t.names(), 2*size.sep
	for names > 1 && leastWidth(widths[:names])+gap*float64(names) > p.width*2/3 {
		names-- // more would leave nothing to the others
	}
	wrapped = make([]float64, len(widths))
	// Names have what the figures leave, and half of the place in any case.
	room := p.width - min(size.total(widths[names:])+gap, p.width/2)
	if names == len(widths) {
		room = p.width
	}
	shrink(widths[:names], wrapped[:names], room-gap*float64(max(0, names-1)))
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

// leastWidth is the width of columns with their texts broken into lines.
func leastWidth(widths []float64) (sum float64) {
	for _, w := range widths {
		sum += min(w, leastWrapped)
	}
	return sum
}

// shrink narrows the widest columns, whose texts are broken into lines then, until all fit into the room or none can be narrower.
func shrink(widths, wrapped []float64, room float64) {
	for sumOf(widths) > room {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if len(widths) == 0 || widths[widest] <= leastWrapped {
			return
		}
		widths[widest]--
		widths[widest] = math.Floor(widths[widest])
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

// divide cuts a table into pieces of column groups and of as many rows as a float holds, and puts them into floats.
func (p place) divide(t *Table, size latexSize, groups [][]int, wrapped []float64) *layout {
	l := &layout{size: size}
	room := p.height - captionHeight
	explanation := textHeight(t.Caption, p.width)
	var float []*piece
	chunks := p.rowChunks(t, size, wrapped, room-explanation)
	for i, rows := range chunks {
		for j, columns := range groups {
			part := &piece{Table: t.part(rows, columns), wrapped: pick(wrapped, columns)}
			part.height = ruleHeight + gapHeight + size.line*float64(part.headLines())
			for _, row := range part.Rows {
				part.height += size.line * size.linesOf(row, part.wrapped)
			}
			need := p.heightOf(append(slices.Clone(float), part))
			if i == len(chunks)-1 && j == len(groups)-1 {
				need += explanation
			}
			if need > room && len(float) > 0 {
				l.floats, float = append(l.floats, float), nil
			}
			float = append(float, part)
		}
	}
	l.floats = append(l.floats, float)
	return l
}

// heightOf is how high pieces are with their footnotes, in points.
func (p place) heightOf(pieces []*piece) float64 {
	height := 0.0
	for _, part := range pieces {
		height += part.height
	}
	for _, mark := range marksOf(pieces) {
		height += textHeight(pieces[0].noteOf(mark), p.width)
	}
	return height
}

// pick are the values at those places.
func pick(values []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, k := range at {
		out[i] = values[k]
	}
	return out
}

// rowChunks divides the rows so that each chunk is no higher than the room. It prefers to cut before a row that has its first
// name, where a new workload begins.
func (p place) rowChunks(t *Table, size latexSize, wrapped []float64, room float64) [][]int {
	room -= ruleHeight + gapHeight + size.line*float64((&piece{Table: t}).headLines())
	var chunks [][]int
	var chunk []int
	used := 0.0
	for i, row := range t.Rows {
		height := p.rowHeight(t, row, size, wrapped)
		if used+height > room && len(chunk) > 0 {
			cut := len(chunk)
			for k := cut - 1; k > cut/2 && t.Rows[i][0].Body == ""; k-- {
				if t.Rows[chunk[k]][0].Body != "" {
					cut = k
					break
				}
			}
			chunks = append(chunks, chunk[:cut:cut])
			chunk, used = chunk[cut:], 0
			for _, k := range chunk {
				used += p.rowHeight(t, t.Rows[k], size, wrapped)
			}
		}
		chunk, used = append(chunk, i), used+height
	}
	return append(chunks, chunk)
}

// rowHeight is how high a row is with the footnotes that it has, if no other row has them, in points.
func (p place) rowHeight(t *Table, row []Text, size latexSize, wrapped []float64) float64 {
	height := size.line * size.linesOf(row, wrapped)
	for _, entry := range row {
		height += textHeight(t.noteOf(entry.Mark), p.width)
	}
	return height
}

// linesOf is how many lines a row has.
func (z latexSize) linesOf(row []Text, wrapped []float64) float64 {
	lines := 1.0
	for i, entry := range row {
		if wrapped[i] > 0 { // lines that are broken between words are not full
			lines = max(lines, math.Ceil(1.2*z.em*textWidthOf(entry.Body)/wrapped[i]))
		}
	}
	return lines
}

// part is the table with some rows and columns. Names that the first row has from the rows before it are written out. The
// footnotes keep their marks.
func (t *Table) part(rows, columns []int) *Table {
	part := &Table{ID: t.ID, Title: t.Title, Notes: t.Notes}
	for _, c := range columns {
		part.Columns = append(part.Columns, t.Columns[c])
	}
	for i, r := range rows {
		var entries []Text
		for _, c := range columns {
			entries = append(entries, t.Rows[r][c])
		}
		if i == 0 && r > 0 && t.names() > 1 && entries[0].Body == "" {
			entries[0] = t.nameAbove(r)
		}
		part.Rows = append(part.Rows, entries)
	}
	return part
}

// nameAbove is the first name of a row that leaves it to a row before it.
func (t *Table) nameAbove(row int) Text {
	for ; row >= 0; row-- {
		if name := t.Rows[row][0]; name.Body != "" {
			return name
		}
	}
	return Text{}
}

// marksOf are the marks of footnotes that pieces have.
func marksOf(pieces []*piece) []string {
	var marks []string
	for _, p := range pieces {
		for _, row := range p.Rows {
			for _, entry := range row {
				if entry.Mark != "" && !slices.Contains(marks, entry.Mark) {
					marks = append(marks, entry.Mark)
				}
			}
		}
	}
	return marks
}
