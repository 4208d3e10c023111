package psc

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/layout"
	"gcdbench/lexer"
)

// starters are the bytes after which most masks of a JSON text are asked for: the structural
// bytes, and the quote that begins a string.
const starters = `"{[:,`

// maxStarts bounds the starts that a lazy engine builds ahead: as many as take half a millisecond
// or so.
const maxStarts = 64

// maxTrees bounds the trees that are built ahead for a program, in bytes; those of Python take 11
// MB, with Llama 3.
const maxTrees = 64 << 20

// ahead builds what the masks of new texts would wait longest for: of a program's grammar the trees
// of all lexer states, of a JSON schema the first starts. To read the vocabulary from a lexer state
// takes some 50 us alone, up to 5 ms for the first ones, and 20 to 90 ms for all of Java, Go,
// Python or SQL. Without the memo it would take seconds.
func (c *core) ahead(ctx context.Context) error {
	if c.sparse {
		c.aheadOfSchemas()
		return nil
	}
	spans, n := &c.auto.spans, c.engine.problem.Lexer.NumStates()
	if c.engine.spans.NoMemo {
		return nil
	}
	for q := range n {
		if err := algorithms.Step(ctx, "lexer states", q, n); err != nil {
			return err
		}
		if spans.Shared(lexer.State(q)); spans.Stats().Bytes > maxTrees {
			return nil
		}
	}
	spans.Release()
	spans.Flatten()
	return nil
}

// aheadOfSchemas builds the starts that the first texts of a JSON schema are bound to need: after
// the bytes of starters, for the first states of the parser that take what begins there. States are
// numbered from the start of the grammar, so the first ones belong to the outermost objects. Both
// this and what package spanner builds ahead is offline work, done once.
func (c *core) aheadOfSchemas() {
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
