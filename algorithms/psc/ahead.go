package psc

import (
	"gcdbench/layout"
	"gcdbench/lexer"
)

// starters are the bytes after which most masks of a JSON text are asked for: the structural
// bytes, and the quote that begins a string.
const starters = `"{[:,`

// maxStarts bounds the starts that a lazy engine builds ahead: as many as take half a millisecond
// or so.
const maxStarts = 64

// ahead builds the starts that the first texts of a JSON schema are bound to need: after the
// bytes of starters, for the first states of the parser that take what begins there. States are
// numbered from the start of the grammar, so the first ones belong to the outermost objects. Both
// this and what package spanner builds ahead is offline work, done once.
func (c *core) ahead() {
	spans := &c.auto.spans
	if spans.Ahead(); spans.Strings() == nil || !c.engine.cached {
		return
	}
	lex, tables := c.engine.problem.Lexer, c.engine.problem.Tables
	var rows []*row
	var sets []*lexer.Reach
	var key []byte
	for i := range len(starters) {
		if q := lex.Next(lex.Start(), starters[i]); q != lexer.None {
			rows = append(rows, c.row(q, layout.Registers{}, &key))
			sets = append(sets, lex.ReachSet(lex.Reach(q)))
		}
	}
	left := maxStarts
	for x := range int32(tables.NumStates()) {
		shiftable := tables.Shiftable(x)
		for i, r := range rows {
			if !meets(sets[i].Parser, shiftable) {
				continue
			}
			if left--; left < 0 {
				return
			}
			c.firstPath(r, x)
		}
	}
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
