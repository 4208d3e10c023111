package latex

import (
	"math"
	"slices"

	"gcdbench/harness/stats"
	"gcdbench/reports/document"
)

// The columns and rows of a table become the tabulars of floats, none of which is higher than a
// page.

// divide cuts a table into pieces of column groups and of as many rows as a float holds, and puts
// them into floats.
func (p place) divide(t *document.Table, size latexSize, groups [][]int, wrapped []float64) *layout {
	l := &layout{size: size}
	room := p.height - captionHeight
	explanation := textHeight(t.Caption, p.width)
	var float []*piece
	chunks := p.rowChunks(t, size, wrapped, room-explanation)
	for i, rows := range chunks {
		for j, columns := range groups {
			part := &piece{Table: part(t, rows, columns), wrapped: pick(wrapped, columns)}
			part.height = ruleHeight + gapHeight + size.line*float64(part.headLines())
			for _, row := range part.Shown() {
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

// heightOf is the height of pieces with their footnotes, in points.
func (p place) heightOf(pieces []*piece) float64 {
	height := 0.0
	for _, part := range pieces {
		height += part.height
	}
	for _, mark := range marksOf(pieces) {
		height += textHeight(pieces[0].NoteOf(mark), p.width)
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

// rowChunks divides the rows so that each chunk is no higher than the room. It prefers to cut
// before a row that has its first name, where a new workload begins.
func (p place) rowChunks(t *document.Table, size latexSize, wrapped []float64, room float64) [][]int {
	room -= ruleHeight + gapHeight + size.line*float64((&piece{Table: t}).headLines())
	var chunks [][]int
	var chunk []int
	used := 0.0
	rows := t.Shown()
	for i, row := range rows {
		height := p.rowHeight(t, row, size, wrapped)
		if used+height > room && len(chunk) > 0 {
			cut := len(chunk)
			for k := cut - 1; k > cut/2 && rows[i][0].Body == ""; k-- {
				if rows[chunk[k]][0].Body != "" {
					cut = k
					break
				}
			}
			chunks = append(chunks, chunk[:cut:cut])
			chunk, used = chunk[cut:], 0
			for _, k := range chunk {
				used += p.rowHeight(t, rows[k], size, wrapped)
			}
		}
		chunk, used = append(chunk, i), used+height
	}
	return append(chunks, chunk)
}

// rowHeight is the height of a row in points, with the footnotes that no other row has.
func (p place) rowHeight(t *document.Table, row []document.Text, size latexSize, wrapped []float64) float64 {
	height := size.line * size.linesOf(row, wrapped)
	for _, entry := range row {
		height += textHeight(t.NoteOf(entry.Mark), p.width)
	}
	return height
}

// linesOf is the number of lines of a row.
func (z latexSize) linesOf(row []document.Text, wrapped []float64) float64 {
	lines := 1.0
	for i, entry := range row {
		if wrapped[i] > 0 { // lines that are broken between words are not full
			lines = max(lines, math.Ceil(1.2*z.em*textWidthOf(entry.Body)/wrapped[i]))
		}
	}
	return lines
}

// part is the table with some rows and columns. The footnotes keep their marks.
func part(t *document.Table, rows, columns []int) *document.Table {
	part := &document.Table{ID: t.ID, Title: t.Title, Notes: t.Notes}
	for _, c := range columns {
		part.Columns = append(part.Columns, t.Columns[c])
		part.Once += stats.Truth(c < t.Once)
	}
	for _, r := range rows {
		var entries []document.Text
		for _, c := range columns {
			entries = append(entries, t.Rows[r][c])
		}
		part.Rows = append(part.Rows, entries)
	}
	return part
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
