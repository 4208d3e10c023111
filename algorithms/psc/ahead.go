package psc

import (
	"gcdbench/internal/bitset"
	"gcdbench/layout"
	"gcdbench/lexer"
)

// starters are the bytes that tokens of a JSON text end in where a string, a value or a key is next:
// the quote that opens a string, the colon, and the comma after a string. The other structural
// bytes are mostly inside of a token, such as {" or },.
const starters = `":,`

// maxStarts bounds the starts that a lazy engine builds ahead: as many as take a quarter of a
// millisecond or so.
const maxStarts = 40

// ahead builds the starts that the first texts of a JSON schema are bound to need: after the
// bytes of starters, for the first states of the parser that take what begins there. States are
// numbered from the start of the grammar, so the first ones belong to the outermost objects. Both
// this and what package spanner builds ahead is offline work, done once.
func (c *core) ahead() {
	spans := &c.auto.spans
	if spans.Ahead(); spans.Strings() == nil || !c.engine.cached {
		return
	}
	rows, tables := c.starterRows(), c.engine.problem.Tables
	left := maxStarts
	for x := range int32(tables.NumStates()) {
		shiftable := tables.Shiftable(x)
		for _, r := range rows {
			if !meets(r.reach.Parser, shiftable) || r.after == ',' && !c.followsString(x) {
				continue
			}
			if left--; left < 0 {
				return
			}
			c.firstPath(r.row, x)
		}
	}
}

// A starterRow is the row after a byte of starters, and what the lexeme can become.
type starterRow struct {
	*row
	after byte
	reach *lexer.Reach
}

// starterRows are the rows after those of starters that the lexer takes.
func (c *core) starterRows() (rows []starterRow) {
	lex := c.engine.problem.Lexer
	var key []byte
	for i := range len(starters) {
		if q := lex.Next(lex.Start(), starters[i]); q != lexer.None {
			rows = append(rows, starterRow{c.row(q, layout.Registers{}, &key), starters[i], lex.ReachSet(lex.Reach(q))})
		}
	}
	return rows
}

// followsString tells whether a state of the parser is entered on a string.
func (c *core) followsString(x int32) bool {
	symbol, ok := c.engine.problem.Tables.Accessing(x)
	return ok && symbol.IsTerminal() && bitset.Has(c.auto.spans.Strings(), symbol.Terminal())
}

// meets tells whether two sets have a member in common.
func meets(a, b []uint64) bool {
	for i := range min(len(a), len(b)) {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}
