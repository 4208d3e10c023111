// Package layout is the step between lexer and parser that turns line breaks and columns into
// terminals, for languages like Python whose blocks no context-free grammar over lexemes expresses.
//
// # The rule
//
// A grammar's %layout directive names a newline terminal, whose lexeme is a line break (or several)
// and the white space, blank lines and comments after it; an indent and a dedent terminal, which no
// lexeme matches; and brackets. Two registers are kept: the bracket depth and a stack of columns,
// [0] at the start. When a newline lexeme ends,
//
//   - at depth > 0 it is dropped;
//   - otherwise it becomes the newline terminal, followed by one indent terminal if its last line's
//     column is greater than the top of the stack (and the column is pushed), by nothing if equal,
//     or by one dedent terminal for each column popped until the top is equal. A column that is
//     less than the top and equal to none on the stack is illegal.
//
// Where the directive names the newline terminal as begin, the text begins as if a line break had
// been read: a newline lexeme is pending at the start, and the blanks, blank lines and comments of
// the first lines belong to it. So a first line has a column like any other, and an indented one
// begins a block, which Python's grammar does not accept there. The recognizer does this by
// starting in the lexer's state after a line break: an engine that is right after line breaks is
// right at the start.
//
// At the end of input a newline terminal is supplied if the parser has been given a terminal and
// the last was not of the three, and then a dedent for each column left on the stack; a newline
// lexeme still pending counts as one whose column is 0.
//
// The column of a newline lexeme is that of the first character after its last line break which is
// not a blank: a space is one column, a tab goes to the next multiple of the tab width, a form feed
// goes back to column 0. While the lexeme is pending its column may still change, so the contract
// asks only whether the parser would accept the newline terminal, not what follows it.
//
// # Cost
//
// The registers are a small immutable value: copying one is free, and a lexeme costs O(1) plus one
// step per dedent. Without a %layout directive the step passes everything through.
package layout

import (
	"gcdbench/grammar"
)

// A Layout is the compiled %layout directive of a grammar. It is immutable. The nil Layout passes
// every terminal through.
type Layout struct {
	newline, indent, dedent grammar.Terminal
	tab                     int32
	depth                   []int8 // by terminal: +1 opens a bracket, -1 closes one
}

// New compiles the directive of g; nil if it has none.
func New(g *grammar.Grammar) *Layout {
	if g.Layout == nil {
		return nil
	}
	l := &Layout{newline: g.Layout.Newline, indent: g.Layout.Indent, dedent: g.Layout.Dedent, tab: int32(g.Layout.Tab)}
	l.depth = make([]int8, len(g.Terminals))
	for _, t := range g.Layout.Open {
		l.depth[t] = 1
	}
	for _, t := range g.Layout.Close {
		l.depth[t] = -1
	}
	return l
}

// Newline is the terminal whose lexemes the layout step interprets.
func (l *Layout) Newline() grammar.Terminal { return l.newline }

// Indent is the terminal that begins a block.
func (l *Layout) Indent() grammar.Terminal { return l.indent }

// Dedent is the terminal that ends a block.
func (l *Layout) Dedent() grammar.Terminal { return l.dedent }

// Tab is the distance of tab stops, in columns.
func (l *Layout) Tab() int { return int(l.tab) }

// Depth is +1 if terminal t opens a bracket, -1 if it closes one, else 0.
func (l *Layout) Depth(t grammar.Terminal) int { return int(l.depth[t]) }

// Registers are the run state of the layout step: an immutable value, comparable only by Equal. The
// zero Registers are those of the start.
type Registers struct {
	depth  int32    // open brackets
	column int32    // column reached by the pending lexeme, counted from its last line break
	text   bool     // a character that is not a blank followed that line break: column is final
	fed    bool     // the last terminal given to the parser calls for a newline before the end
	stack  *columns // nil: only column 0
}

// columns is a persistent stack of the columns of the open blocks, innermost first; 0 is implied.
type columns struct {
	column int32
	outer  *columns
}

// Depth is the number of open brackets.
func (r Registers) Depth() int { return int(r.depth) }

// Column is the column that the pending lexeme has reached; meaningful while a newline is pending.
func (r Registers) Column() int { return int(r.column) }

// Final tells whether a character that is no blank has fixed the column of the pending lexeme, so
// that only another line break can change it.
func (r Registers) Final() bool { return r.text }

// Columns lists the columns of the open blocks, outermost first, without the implied 0.
func (r Registers) Columns() []int {
	var list []int
	for c := r.stack; c != nil; c = c.outer {
		list = append([]int{int(c.column)}, list...)
	}
	return list
}

// NeedsNewline tells whether End would supply a newline terminal.
func (r Registers) NeedsNewline() bool { return r.fed }

// Equal tells whether two registers are the same from here on.
func (r Registers) Equal(o Registers) bool {
	if r.depth != o.depth || r.column != o.column || r.text != o.text || r.fed != o.fed {
		return false
	}
	a, b := r.stack, o.stack
	for a != b {
		if a == nil || b == nil || a.column != b.column {
			return false
		}
		a, b = a.outer, b.outer
	}
	return true
}

// Begin returns the registers as a new lexeme starts.
func (l *Layout) Begin(r Registers) Registers {
	r.column, r.text = 0, false
	return r
}

// Read returns the registers after one more byte of the pending lexeme.
func (l *Layout) Read(r Registers, b byte) Registers {
	if l == nil {
		return r
	}
	switch {
	case b == '\n' || b == '\r':
		r.column, r.text = 0, false
	case r.text:
	case b == ' ':
		r.column++
	case b == '\t':
		r.column += l.tab - r.column%l.tab
	case b == '\f':
		r.column = 0
	default:
		r.text = true
	}
	return r
}

// Dropped tells whether a lexeme of terminal t would be dropped by the layout step now.
func (l *Layout) Dropped(r Registers, t grammar.Terminal) bool {
	return l != nil && t == l.newline && r.depth > 0
}

// An Output is what one lexeme, or the end of input, becomes: First, then Count times Then. Either
// may be absent.
type Output struct {
	First    grammar.Terminal
	HasFirst bool
	Then     grammar.Terminal
	Count    int
}

// Lexeme is the output for a lexeme of terminal t (not an ignored one), and the registers after it.
// ok is false if its column dedents to no open block.
func (l *Layout) Lexeme(r Registers, t grammar.Terminal) (out Output, next Registers, ok bool) {
	if l == nil {
		return Output{First: t, HasFirst: true}, r, true
	}
	if t == l.newline {
		return l.line(r, r.column)
	}
	r.fed = true
	r.depth = max(r.depth+int32(l.depth[t]), 0)
	return Output{First: t, HasFirst: true}, r, true
}

// line is the output for a newline lexeme whose last line begins at column.
func (l *Layout) line(r Registers, column int32) (out Output, next Registers, ok bool) {
	if r.depth > 0 {
		return Output{}, r, true
	}
	r.fed = false
	out = Output{First: l.newline, HasFirst: true}
	if column > r.top() {
		r.stack = &columns{column, r.stack}
		out.Then, out.Count = l.indent, 1
		return out, r, true
	}
	out.Then = l.dedent
	for column < r.top() {
		r.stack = r.stack.outer
		out.Count++
	}
	return out, r, column == r.top()
}

// top is the column of the innermost open block.
func (r Registers) top() int32 {
	if r.stack == nil {
		return 0
	}
	return r.stack.column
}

// Action classifies what a newline lexeme that ends at the given column would become, without
// making it: indent (+1), same (0), dedent by k (-k); ok is false for a dedent to no open block.
// It does not look at the bracket depth.
func (r Registers) Action(column int) (levels int, ok bool) {
	c := int32(column)
	if c > r.top() {
		return 1, true
	}
	for c < r.top() {
		r.stack = r.stack.outer
		levels--
	}
	return levels, c == r.top()
}

// End is the output for the end of input. The pending lexeme, if it is a newline, must have been
// passed to EndNewline and any other to Lexeme before.
func (l *Layout) End(r Registers) Output {
	if l == nil {
		return Output{}
	}
	out := Output{First: l.newline, HasFirst: r.fed, Then: l.dedent}
	for c := r.stack; c != nil; c = c.outer {
		out.Count++
	}
	return out
}

// EndNewline is the output for a newline lexeme that is pending as the input ends: the newline
// terminal, unless brackets are open; the blocks are closed by End, whatever its column.
func (l *Layout) EndNewline(r Registers) (Output, Registers) {
	if r.depth > 0 {
		return Output{}, r
	}
	r.fed = false
	return Output{First: l.newline, HasFirst: true}, r
}
