package spanner

import (
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// A Column says which column a newline lexeme ends at, as a function of the layout registers before
// the token in which it ends. A line break in the token fixes the column; blanks before any line
// break move the column that was pending.
type Column struct {
	kind columnKind
	// joinable is whether the pending lexeme may end with a join character, before a byte of the
	// token was read: a line break that comes first may begin no line.
	joinable bool
	// line is what the lexeme has reached, where that does not depend on the pending one.
	line layout.Line
	// runs are the bytes read, where it does: each run of equal bytes as the byte and its length.
	runs string
}

type columnKind uint8

const (
	columnNone     columnKind = iota // no newline lexeme can come of this
	columnRelative                   // what the pending lexeme has reached, and then runs
	columnLine                       // line
)

// otherText stands in Column.runs for all bytes of a comment.
const otherText = '#'

// longestRun bounds the length of a run to what a byte holds.
const longestRun = 255

// Fresh is the column of a lexeme that begins inside a token.
func Fresh() Column { return Column{kind: columnLine} }

// Pending is the column of the lexeme pending in lexer state q, before a token.
func Pending(r *recognizer.Recognizer, q lexer.State) Column {
	// No blank may stand between a join character and its line break.
	joinable := r.Layout != nil && r.Layout.Joining() && r.Lexer.Next(q, ' ') == lexer.None
	return Column{kind: columnRelative, joinable: joinable}
}

// OfPending tells whether it is where the lexeme ends that is pending before the token.
func (c Column) OfPending() bool { return c.kind == columnRelative }

// At is the column, for the registers before the token.
func (c Column) At(l *layout.Layout, r layout.Registers) layout.Column {
	if c.kind == columnLine {
		return c.line.Column
	}
	line := r.Line()
	for i := 0; i < len(c.runs); i += 2 {
		b, n := c.runs[i], int32(c.runs[i+1])
		if b == ' ' {
			line = l.Blanks(line, n)
			continue
		}
		for range n {
			line = l.ReadLine(line, b)
		}
	}
	return line.Column
}

// Read is the column after one more byte of the lexeme.
func (c Column) Read(b byte, l *layout.Layout) Column {
	if c.kind == columnLine {
		c.line = l.ReadLine(c.line, b)
		return c
	}
	joins := c.joins(l)
	c.joinable = false
	switch {
	case (b == '\n' || b == '\r') && !joins:
		return Column{kind: columnLine}
	case c.last() == otherText:
		return c
	case b != ' ' && b != '\t' && b != '\f' && b != '\r' && b != '\n' && !l.Joins(b):
		b = otherText
	}
	if n := len(c.runs); c.last() == b && c.runs[n-1] < longestRun {
		c.runs = c.runs[:n-1] + string([]byte{c.runs[n-1] + 1})
	} else {
		c.runs += string([]byte{b, 1})
	}
	return c
}

// joins tells whether a line break that is read next may stand behind a join character.
func (c Column) joins(l *layout.Layout) bool {
	switch last := c.last(); {
	case c.runs == "":
		return c.joinable
	case last == '\r': // behind a join character, or it would have fixed the column
		return true
	default:
		return l.Joins(last)
	}
}

// last is the byte of the last run, 0 if there is none.
func (c Column) last() byte {
	if c.runs == "" {
		return 0
	}
	return c.runs[len(c.runs)-2]
}

// Ended is the column of a lexeme that ends: what else was read of the line does not count.
func (c Column) Ended() Column {
	if c.kind == columnLine {
		var l layout.Line
		l.Column = c.line.Column
		return Column{kind: columnLine, line: l}
	}
	if c.last() == otherText {
		c.runs = c.runs[:len(c.runs)-2]
	}
	return Column{kind: columnRelative, runs: c.runs}
}

// symbols interns symbols.
type symbols struct {
	Symbols
	layout  *layout.Layout
	bySet   []Symbol // by set: its symbol without a column; -1 not made, silent for ignored sets
	lines   map[symbol]Symbol
	ignored []bool // by terminal
}

type symbol struct {
	set     lexer.Set // NoSet: the members are ofStrings[strings]
	strings int32
	newline bool
	column  Column
}

// silent stands for the symbol of a set that emits nothing.
const silent Symbol = -2

func (y *symbols) init(r *recognizer.Recognizer) {
	y.lex, y.layout = r.Lexer, r.Layout
	y.lines = map[symbol]Symbol{}
	y.ignored = make([]bool, len(r.Grammar.Terminals))
	for t := range r.Grammar.Terminals {
		y.ignored[t] = r.Grammar.Terminals[t].Ignored
	}
}

// of is the symbol of a set emitted by a lexeme with the given column.
func (y *symbols) of(set lexer.Set, c Column) Symbol {
	for len(y.bySet) <= int(set) {
		y.bySet = append(y.bySet, -1)
	}
	if x := y.bySet[set]; x != -1 {
		return x
	}
	members := y.lex.Members(set)
	if y.layout.IsNewline(members[0]) && !y.ignored[members[0]] {
		return y.line(symbol{set: set, newline: true, column: c.Ended()})
	}
	x := silent
	for _, t := range members {
		if !y.ignored[t] {
			x = Symbol(len(y.list))
			y.list = append(y.list, symbol{set: set})
			break
		}
	}
	y.bySet[set] = x
	return x
}

// strings is a new symbol with the given members, which are not ignored.
func (y *symbols) strings(members []grammar.Terminal) Symbol {
	y.list = append(y.list, symbol{set: lexer.NoSet, strings: int32(len(y.ofStrings))})
	y.ofStrings = append(y.ofStrings, members)
	return Symbol(len(y.list) - 1)
}

func (y *symbols) line(key symbol) Symbol {
	x, ok := y.lines[key]
	if !ok {
		x = Symbol(len(y.list))
		y.list = append(y.list, key)
		y.lines[key] = x
	}
	return x
}
