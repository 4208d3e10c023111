package layout

// A Column is where a line begins, counted with both tab widths. Where a grammar has one width, the
// counts are equal.
type Column struct {
	Stops     int32 // with the tab stops that the language has
	Alternate int32 // with the alternate ones
}

// A Line is what a pending newline lexeme has reached behind its last line break: an immutable
// value. The zero Line is that of a lexeme without bytes, and of one that ends with a line break.
type Line struct {
	Column
	kind lineKind
	join joinState
}

// lineKind tells what can still change the column.
type lineKind uint8

const (
	lineBlank  lineKind = iota // blanks only: a further one moves the column
	lineJoined                 // a join character has fixed the column
	lineText                   // a comment: only a line break counts
)

// joinState tells how much of a join character with its line break was read last.
type joinState uint8

const (
	joinNone   joinState = iota
	joinOpen             // the join character
	joinReturn           // the join character and a carriage return
)

// Final tells whether the column is fixed, so that only another line break can change it.
func (n Line) Final() bool { return n.kind != lineBlank }

// ReadLine is the line after one more byte of the lexeme.
func (l *Layout) ReadLine(n Line, b byte) Line {
	join, joined := n.join, n.Joined()
	n.join = joinNone
	switch {
	case join == joinOpen && b == '\r':
		n.join = joinReturn
	case join != joinNone && b == '\n':
		return joined
	case join == joinReturn: // the carriage return was a line break of its own
		return l.ReadLine(Line{}, b)
	case b == '\n' || b == '\r':
		return Line{}
	case join == joinOpen: // it stood before no line break
		n.kind = lineText
	case n.kind == lineText:
	case l.Joins(b):
		n.join = joinOpen
	case b == ' ', b == '\t', b == '\f':
		if n.kind == lineBlank {
			n.Column = l.blank(n.Column, b)
		}
	default:
		n.kind = lineText
	}
	return n
}

// Joined is the line behind the line break that an open join character takes away; n without one.
func (n Line) Joined() Line {
	if n.join != joinNone && n.kind == lineBlank && n.Stops > 0 {
		n.kind, n.Alternate = lineJoined, n.Stops
	}
	n.join = joinNone
	return n
}

// Joins tells whether b is the join character.
func (l *Layout) Joins(b byte) bool { return l.joins && b == l.join }

// Joining tells whether there is a join character.
func (l *Layout) Joining() bool { return l.joins }

// blank is the column behind a blank at column c.
func (l *Layout) blank(c Column, b byte) Column {
	switch b {
	case ' ':
		return Column{c.Stops + 1, c.Alternate + 1}
	case '\t':
		return Column{c.Stops + l.tab - c.Stops%l.tab, c.Alternate + l.alternate - c.Alternate%l.alternate}
	}
	return Column{}
}

// Blanks is the line after n spaces more; n is positive.
func (l *Layout) Blanks(line Line, n int32) Line {
	if line = l.ReadLine(line, ' '); line.kind == lineBlank {
		line.Stops, line.Alternate = line.Stops+n-1, line.Alternate+n-1
	}
	return line
}
