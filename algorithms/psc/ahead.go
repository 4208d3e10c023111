package psc

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/algorithms/psc/table"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

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

// openings are what a text of JSON goes on with outside of strings, and closings at the end of one,
// as far as tokens of the usual vocabularies have it.
var (
	openings = []string{`"`, `{"`, `[`, `["`, `[{"`, `true`, `false`, `null`, `1`}
	closings = []string{`":`, `",`, `"}`, `"]`}
	others   = []string{`,`, `}`, `]`}
)

// manyWords is the number of keys or values from which on a text is read on with the first alone.
const manyWords = 5

// An ahead is how far a generation has read on from where its text stands.
type ahead struct {
	core *core
	from *start   // where the text stood
	top  *lr.Node // of its stack there
	left []onward // texts to come
}

// An onward is a text to read from a state.
type onward struct {
	from recognizer.State
	text []byte
}

// readOn builds a piece of what the next mask may need: of a schema, what the mask behind one of
// the texts needs that are likely to come next. That is rules of the grammar, states of the parser
// and the lexer, and starts of the automaton. It tells whether there is another piece.
func (g *gen) readOn(c *core) (more bool) {
	a := &g.ahead
	if len(a.left) == 0 || a.core != c {
		a.left = g.textsAhead(c)
	}
	for len(a.left) > 0 {
		next := a.left[0]
		a.left = a.left[1:]
		state, ok := g.engine.problem.Read(next.from, next.text)
		if !ok {
			continue
		}
		on := gen{Position: g.Position, engine: g.engine}
		if on.State = state; on.Unbuilt() {
			on.Build()
			return len(a.left) > 0 || g.engine.latest() != c // which begins anew
		}
	}
	return false
}

// textsAhead lists the texts to read on with; none where that was done.
func (g *gen) textsAhead(c *core) (list []onward) {
	if g.State.Stacks.NumTops() != 1 {
		return nil
	}
	a, top, r := &g.ahead, g.State.Stacks.TopNode(0), g.row(c)
	from := g.startAt(c, r, top.State)
	was := *a
	if a.core, a.from, a.top = c, from, top; was.core == c && was.from == from && was.top == top || !c.leave(from.id, top.State) {
		return nil
	}
	add := func(from recognizer.State, texts ...string) {
		for _, text := range texts {
			list = append(list, onward{from, []byte(text)})
		}
	}
	strings := c.auto.spans.Strings()
	if len(r.parts) == 0 || strings == nil || !bitset.Has(strings, r.parts[0].Terminal) {
		add(g.State, others...)
		from := g.State
		if spaced, ok := g.engine.problem.Read(from, []byte(" ")); ok {
			from = spaced
		}
		add(from, openings...)
		return list
	}
	words, only := c.words(r, top.State)
	add(g.State, words...)
	if _, closes := g.engine.problem.Read(g.State, []byte(`"`)); closes && (only < 0 || c.leave(^only, top.State)) {
		add(g.State, closings...)
	}
	return list
}

// leave tells whether no text was read on yet from a place, which is noted: a start, or the
// complement of a terminal, and the top of the stack.
func (c *core) leave(place, top int32) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := table.Pair(place, top)
	if _, left := c.left[key]; left {
		return false
	}
	c.left[key] = struct{}{}
	return true
}

// words are what strings go on with that the parser takes at a top. only is the terminal that all
// of them are, -1 if there is no such.
func (c *core) words(r *row, top int32) (words []string, only int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts, ok := c.auto.narrow(top, r.parts)
	if only = -1; !ok || len(parts) == 0 {
		return nil, only
	}
	if len(parts) == 1 {
		only = int32(parts[0].Terminal)
	}
	if len(parts) >= manyWords {
		parts = parts[:1]
	}
	for _, p := range parts {
		if word := c.auto.spans.Word(p); len(word) > 0 {
			words = append(words, string(word))
		}
	}
	return words, only
}
