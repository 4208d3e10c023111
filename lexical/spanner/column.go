package spanner

import (
	"gcdbench/grammar"
	"gcdbench/layout"
	"gcdbench/lexer"
	"gcdbench/recognizer"
)

// A Column says which column a newline lexeme ends at, as a function of the layout registers before
// the token in which it ends. A line break in the token fixes the column; blanks before any line
// break add to the column that was pending.
type Column struct {
	kind columnKind
	// text is whether a character that is not a blank was read since the last line break: from
	// there on the column stays.
	text  bool
	add   int32 // blanks read before the first tab, while the column depends on the pending one
	fixed int32 // the column from the last tab stop, form feed or line break on
}

type columnKind uint8

const (
	columnNone columnKind = iota // no newline lexeme can come of this
	columnAdd                    // pending + add
	columnTab                    // the next tab stop after pending + add, + fixed
	columnFeed                   // fixed, if no text was pending; else the pending column
	columnLine                   // fixed
)

// At is the column, for the registers before the token: the column that the pending lexeme has
// reached, and whether text followed its last line break. tab is the grammar's tab width.
func (c Column) At(pending int, text bool, tab int) int {
	switch {
	case c.kind == columnLine:
		return int(c.fixed)
	case text:
		return pending
	case c.kind == columnFeed:
		return int(c.fixed)
	case c.kind == columnTab:
		p := pending + int(c.add)
		return p + tab - p%tab + int(c.fixed)
	}
	return pending + int(c.add)
}

// AtRegisters is At for the registers before the token.
func (s *Spanner) AtRegisters(c Column, r layout.Registers) int {
	return c.At(r.Column(), s.Text(r), int(s.symbols.tab))
}

// Text tells whether text that is not blank followed the last line break of the pending lexeme, so
// that its column is final.
func (s *Spanner) Text(r layout.Registers) bool {
	return s.rec.Layout.Read(r, ' ').Column() == r.Column()
}

// read is the column after one more byte of the lexeme; it mirrors layout.Layout.Read.
func (c Column) read(b byte, tab int32) Column {
	switch {
	case b == '\n' || b == '\r':
		return Column{kind: columnLine}
	case c.text:
	case b == ' ' && c.kind == columnAdd:
		c.add++
	case b == ' ':
		c.fixed++
	case b == '\t' && c.kind == columnAdd:
		c.kind = columnTab
	case b == '\t':
		c.fixed += tab - c.fixed%tab
	case b == '\f' && c.kind == columnLine:
		c.fixed = 0
	case b == '\f':
		c = Column{kind: columnFeed}
	default:
		c.text = true
	}
	return c
}

// symbols interns symbols.
type symbols struct {
	lex     lexer.Automaton
	layout  *layout.Layout
	newline grammar.Terminal
	tab     int32
	list    []symbol
	bySet   []Symbol // by set: its symbol without a column; -1 not made, silent for ignored sets
	lines   map[symbol]Symbol
	ignored []bool // by terminal
	// ofStrings are the members of the symbols that are not sets of the lexer.
	ofStrings [][]grammar.Terminal
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
	if r.Layout != nil {
		y.newline, y.tab = r.Layout.Newline(), int32(r.Grammar.Layout.Tab)
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
	if y.layout != nil && members[0] == y.newline && !y.ignored[y.newline] {
		return y.line(symbol{set: set, newline: true, column: Column{kind: c.kind, add: c.add, fixed: c.fixed}})
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

// Tab is the tab width of the grammar's layout.
func (s *Spanner) Tab() int { return int(s.symbols.tab) }
