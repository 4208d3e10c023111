package psc

import (
	"context"
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// starters are the bytes that tokens of a JSON text end in where a string, a value or a key is
// next: the quote that opens a string, the colon, and the comma after a string. The other
// structural bytes are mostly inside of a token, such as {" or },.
const starters = `":,`

// maxStarts bounds the starts that a lazy engine builds ahead: as many as take a quarter of a
// millisecond or so.
const maxStarts = 40

// maxNear bounds the states of the parser that are made ahead, for a schema.
const maxNear = 100

// maxTrees bounds the trees that are built ahead for a program, in bytes; those of Python take 11
// MB, with Llama 3.
const maxTrees = 64 << 20

// ahead builds offline what the masks of new texts would wait longest for: of a program's grammar
// the trees of all lexer states. To read the vocabulary from a lexer state takes some 50 us alone,
// up to 5 ms for the first ones, and 20 to 90 ms for all of Java, Go, Python or SQL. Without the
// memo it would take seconds. Of a schema nothing is built before a text asks (aheadOfSchemas).
func (c *core) ahead(ctx context.Context) error {
	if c.sparse {
		return nil
	}
	spans, n := c.auto.spans, c.problem.Lexer.NumStates()
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

// aheadOfSchemas builds a piece of what the next texts of a JSON schema are bound to need: what any
// text needs first, and the starts after the bytes of starters, for the first states of the parser
// that take what begins there. States are numbered from the start of the grammar, so the first ones
// belong to the outermost objects. Once the grammar has grown the text is elsewhere, and only what
// any text needs is built. A text that embeds schemas begins otherwise: only that is built, once a
// schema is chosen (scout.go has the rest). It tells whether there is another piece.
func (c *core) aheadOfSchemas() (more bool) {
	w := &c.warm
	if !w.TryLock() {
		return false
	}
	defer w.Unlock()
	if !w.begun {
		w.begun, w.left = true, maxStarts
		if c.embeds() {
			if c.grown {
				w.pieces = c.auto.spans.Ahead(true)
			}
		} else if w.pieces = c.auto.spans.Ahead(!c.grown); c.auto.spans.Strings() != nil && !c.grown && c.problem.Lexer.Uniform() {
			w.pieces = append(w.pieces, func() { c.startsAhead(c.starterRows(), 0) })
		}
	}
	if len(w.pieces) > 0 {
		build := w.pieces[0]
		w.pieces = w.pieces[1:]
		build()
	}
	if more = len(w.pieces) > 0 && !c.outgrown(); !more {
		w.pieces = nil
		w.done.Store(true)
	}
	return more
}

// warming is how far a core is with aheadOfSchemas, which holds its lock.
type warming struct {
	sync.Mutex
	begun  bool
	pieces []func() // to come
	left   int      // starts that may be built
	done   atomic.Bool
}

// startsAhead adds the starts of a state of the parser to the pieces, and the next state.
func (c *core) startsAhead(rows []starterRow, x int32) {
	tables, w := c.problem.Tables, &c.warm
	if int(x) >= tables.MakeNear(int(x)+1) {
		return
	}
	if tables.Made(x) {
		shiftable := tables.Shiftable(x)
		for _, r := range rows {
			if !bitset.Intersect(shiftable, r.reach.Parser) || r.after == ',' && !c.followsString(x) {
				continue
			}
			if w.left--; w.left < 0 {
				return
			}
			w.pieces = append(w.pieces, func() { c.firstStart(r.row, x) })
		}
	}
	if x+1 < maxNear {
		w.pieces = append(w.pieces, func() { c.startsAhead(rows, x+1) })
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
	lex := c.problem.Lexer
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
	symbol, ok := c.problem.Tables.Accessing(x)
	return ok && symbol.IsTerminal() && bitset.Has(c.auto.spans.Strings(), symbol.Terminal())
}
