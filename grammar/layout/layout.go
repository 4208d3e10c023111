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
// The column of a newline lexeme is the column of its first character, after the last line break,
// that is no blank: a space is one column, a tab goes to the next multiple of the tab width, a form
// feed goes back to column 0. While the lexeme is pending its column may still change, so the
// contract asks only whether the parser would accept the newline terminal, not what follows it.
//
// # Two widths of tabs
//
// How deep a line is must not depend on the reader's tab width. Where the directive has an
// alternate tab width, every column is counted twice, and the two counts must agree: a line is
// deeper than a block, or level with it, in both or in neither. Otherwise its column is illegal.
// CPython decides so, with tab stops of 8 and of 1, and calls it a TabError.
//
// # Joined lines
//
// Where the directive has a join character (Python's backslash), one of them before a line feed, or
// before a carriage return and a line feed, takes away the line break behind it: no new line begins
// there. The column before the first join character counts for the line, in both counts, unless it
// is 0. A join character before anything else is text: the column stays where it stood, and nothing
// behind it on the line is joined. So it is in a comment, where the lexeme lets a carriage return
// stand that the layout step counts as a line break.
//
// # Cost
//
// The registers are a small immutable value: copying one is free, and a lexeme costs O(1) plus one
// step per dedent. Without a %layout directive the step passes everything through.
package layout

import (
	"slices"

	"gcdbench/grammar"
)

// A Layout is the compiled %layout directive of a grammar. It is immutable. The nil Layout passes
// every terminal through.
type Layout struct {
	// made are the terminals for a newline, an indent and a dedent: those that more follow, and behind
	// them the ends, by mode.
	made           [][3]grammar.Terminal
	makes          []bool // by terminal: whether it is one of them
	tab, alternate int32
	join           byte
	joins          bool
	depth          []int8  // by terminal: +1 opens a bracket, -1 closes one
	next           []int32 // by terminal: the mode after it, 0 if there are no ends
}

// New compiles the directive of g; nil if it has none.
func New(g *grammar.Grammar) *Layout {
	d := g.Layout
	if d == nil {
		return nil
	}
	n := len(g.Terminals)
	l := &Layout{tab: int32(d.Tab), alternate: int32(d.Alternate), depth: make([]int8, n), makes: make([]bool, n), next: make([]int32, n)}
	l.made = append([][3]grammar.Terminal{{d.Newline, d.Indent, d.Dedent}}, d.Ends...)
	if l.alternate == 0 {
		l.alternate = l.tab // the two counts are the same, and always agree
	}
	if d.Join != "" {
		l.join, l.joins = d.Join[0], true
	}
	for _, t := range d.Open {
		l.depth[t] = 1
	}
	for _, t := range d.Close {
		l.depth[t] = -1
	}
	for _, made := range l.made {
		for _, t := range made {
			l.makes[t] = true
		}
	}
	for t := range l.next {
		if d.Ends != nil {
			l.next[t] = int32(g.Terminals[t].Next)
		}
	}
	return l
}

// Newline is the terminal whose lexemes the layout step interprets.
func (l *Layout) Newline() grammar.Terminal { return l.made[0][0] }

// IsNewline tells whether lexemes of t are interpreted: it is Newline, or a copy of it that says in
// which mode the next lexeme is read. Without a layout none is.
func (l *Layout) IsNewline(t grammar.Terminal) bool {
	return l != nil && (t == l.Newline() || t == l.made[l.end(t)][0])
}

// Makes tells whether the layout step gives t to the parser of its own.
func (l *Layout) Makes(t grammar.Terminal) bool { return l != nil && l.makes[t] }

// end is the place in made of what leads to the mode after t.
func (l *Layout) end(t grammar.Terminal) int { return min(int(l.next[t])+1, len(l.made)-1) }

// Indent is the terminal that begins a block.
func (l *Layout) Indent() grammar.Terminal { return l.made[0][1] }

// Dedent is the terminal that ends a block.
func (l *Layout) Dedent() grammar.Terminal { return l.made[0][2] }

// Tab is the distance of tab stops, in columns.
func (l *Layout) Tab() int { return int(l.tab) }

// Alternate is the distance of tab stops in the second count of columns; Tab without one.
func (l *Layout) Alternate() int { return int(l.alternate) }

// Depth is +1 if terminal t opens a bracket, -1 if it closes one, else 0.
func (l *Layout) Depth(t grammar.Terminal) int { return int(l.depth[t]) }

// Registers are the run state of the layout step: an immutable value, comparable only by Equal. The
// zero Registers are those of the start.
type Registers struct {
	depth int32    // open brackets
	line  Line     // the line that the pending lexeme has reached
	fed   bool     // the last terminal given to the parser calls for a newline before the end
	mode  int32    // that the pending lexeme is read in, if the layout has ends
	stack *columns // nil: only column 0
}

// columns is a persistent stack of the columns of the open blocks, innermost first; 0 is implied.
type columns struct {
	column Column
	outer  *columns
}

// Depth is the number of open brackets.
func (r Registers) Depth() int { return int(r.depth) }

// Line is the line that the pending lexeme has reached; meaningful while a newline is pending.
func (r Registers) Line() Line { return r.line }

// At is the registers with a newline lexeme pending that has reached column c.
func (r Registers) At(c Column) Registers {
	r.line = Line{Column: c}
	return r
}

// Mode is the mode that the pending lexeme is read in, of a grammar whose lexer is contextual.
func (r Registers) Mode() int { return int(r.mode) }

// Columns lists the columns of the open blocks, outermost first, without the implied 0.
func (r Registers) Columns() []Column {
	var list []Column
	for c := r.stack; c != nil; c = c.outer {
		list = append(list, c.column)
	}
	slices.Reverse(list)
	return list
}

// NeedsNewline tells whether End would supply a newline terminal.
func (r Registers) NeedsNewline() bool { return r.fed }

// Equal tells whether two registers are the same from here on.
func (r Registers) Equal(o Registers) bool {
	if r.depth != o.depth || r.line != o.line || r.fed != o.fed || r.mode != o.mode {
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
	r.line = Line{}
	return r
}

// Read returns the registers after one more byte of the pending lexeme.
func (l *Layout) Read(r Registers, b byte) Registers {
	if l != nil {
		r.line = l.ReadLine(r.line, b)
	}
	return r
}

// Dropped tells whether a lexeme of terminal t would be dropped by the layout step now.
func (l *Layout) Dropped(r Registers, t grammar.Terminal) bool {
	return r.depth > 0 && l.IsNewline(t)
}

// An Output is what one lexeme, or the end of input, becomes: First, then blocks. Either may be
// absent.
type Output struct {
	First    grammar.Terminal
	HasFirst bool
	Then     Blocks
}

// Blocks are blocks that begin or end one after the other: positive an indent, negative dedents, 0
// nothing. Where a layout has ends, they say too which one the last terminal is.
type Blocks int32

// blocks are an indent (+1) or dedents (-k), the last of which is that of a place in made.
func (l *Layout) blocks(levels, end int) Blocks {
	if levels < 0 {
		return -l.blocks(-levels, end)
	}
	if levels == 0 {
		return 0
	}
	return Blocks(levels*len(l.made) + end)
}

// Next is the first terminal of blocks, which are not 0, and the rest of them.
func (l *Layout) Next(b Blocks) (t grammar.Terminal, rest Blocks) {
	n := max(int(b), -int(b))
	levels, end := n/len(l.made), n%len(l.made)
	switch {
	case b > 0:
		return l.made[end][1], 0
	case levels == 1:
		return l.made[end][2], 0
	}
	return l.Dedent(), l.blocks(1-levels, end)
}

// Lexeme is the output for a lexeme of terminal t (not an ignored one), and the registers after it.
// ok is false if its column dedents to no open block, or if it is dropped and the next lexeme is
// not to be read in the same mode.
func (l *Layout) Lexeme(r Registers, t grammar.Terminal) (out Output, next Registers, ok bool) {
	if l == nil {
		return Output{First: t, HasFirst: true}, r, true
	}
	mode := r.mode
	r.mode = l.next[t]
	if l.IsNewline(t) {
		out, next, ok = l.line(r, t)
		return out, next, ok && (r.depth == 0 || r.mode == mode)
	}
	r.fed = true
	r.depth = max(r.depth+int32(l.depth[t]), 0)
	return Output{First: t, HasFirst: true}, r, true
}

// line is the output for a newline lexeme, of terminal t.
func (l *Layout) line(r Registers, t grammar.Terminal) (out Output, next Registers, ok bool) {
	if r.depth > 0 {
		return Output{}, r, true
	}
	r.fed = false
	levels, ok := r.Action(r.line.Column)
	if levels == 0 {
		return Output{First: t, HasFirst: true}, r, ok
	}
	out = Output{First: l.Newline(), HasFirst: true, Then: l.blocks(levels, l.end(t))}
	if levels > 0 {
		r.stack = &columns{r.line.Column, r.stack}
	}
	for ; levels < 0; levels++ {
		r.stack = r.stack.outer
	}
	return out, r, ok
}

// top is the column of the innermost open block.
func (r Registers) top() Column {
	if r.stack == nil {
		return Column{}
	}
	return r.stack.column
}

// Action classifies what a newline lexeme that ends at column c would become, without making it:
// indent (+1), same (0), dedent by k (-k); ok is false for a dedent to no open block, and where the
// two counts of c disagree. It does not look at the bracket depth.
func (r Registers) Action(c Column) (levels int, ok bool) {
	if top := r.top(); c.Stops > top.Stops {
		return 1, c.Alternate > top.Alternate
	}
	for c.Stops < r.top().Stops {
		r.stack = r.stack.outer
		levels--
	}
	return levels, c == r.top()
}

// Disagree tells whether c is illegal only because its two counts disagree.
func (r Registers) Disagree(c Column) bool {
	levels, ok := r.Action(c)
	for ; levels < 0; levels++ {
		r.stack = r.stack.outer
	}
	return !ok && c.Stops >= r.top().Stops && (levels > 0 || c.Stops == r.top().Stops)
}

// End is the output for the end of input. The pending lexeme, if it is a newline, must have been
// passed to EndNewline and any other to Lexeme before.
func (l *Layout) End(r Registers) Output {
	if l == nil {
		return Output{}
	}
	levels := 0
	for c := r.stack; c != nil; c = c.outer {
		levels--
	}
	return Output{First: l.Newline(), HasFirst: r.fed, Then: l.blocks(levels, 0)}
}

// EndNewline is the output for a newline lexeme that is pending as the input ends: the newline
// terminal, unless brackets are open; the blocks are closed by End, whatever its column.
func (l *Layout) EndNewline(r Registers) (Output, Registers) {
	if r.depth > 0 {
		return Output{}, r
	}
	r.fed = false
	return Output{First: l.Newline(), HasFirst: true}, r
}
