package psc

import (
	"context"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
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

// maxPlaces bounds the places that a core is read on from along markers.
const maxPlaces = 512

// An ahead is the texts that a generation is still to read on with, for a core.
type ahead struct {
	core *core
	left []onward
}

// An onward is a text to read from a state. Where a marker begins or goes on with it, there is more
// to read from where it leads.
type onward struct {
	from   *recognizer.State
	text   string
	marker bool
}

// readOn builds a piece of what masks to come may need: what the mask behind one of the texts needs
// that are likely to come next. That is rules of the grammar, states of the parser and the lexer,
// and starts of the automaton. It tells whether there is another piece.
//
// A response that embeds schemas is free text, and markers of which each byte is known once they
// have begun: the name of a tool that is the only one left, what stands between it and its
// arguments, what closes a call. Along these it is read on up to their ends, and of free text along
// all triggers, and so the rules of a tool's arguments are written once that tool is chosen. Where
// several literals may come it is not read on: the text decides first.
func (g *gen) readOn(c *core) (more bool) {
	a := &g.ahead
	if a.core != c {
		start := c.problem.Start()
		*a = ahead{c, append(g.textsAhead(c), onward{from: &start})} // where other texts begin
	}
	if len(a.left) == 0 {
		a.left = g.textsAhead(c)
	}
	for built := false; len(a.left) > 0 && !built; {
		next := a.left[0]
		a.left = a.left[1:]
		state, ok := g.engine.problem.Read(*next.from, []byte(next.text))
		if !ok {
			continue
		}
		on := gen{Position: g.Position, engine: g.engine}
		on.State = state
		if built = on.prepare(c); g.engine.latest() != c {
			return true // and begin anew
		}
		if next.marker && len(c.left) < maxPlaces {
			a.left = append(a.left, on.textsAhead(c)...)
		}
	}
	return len(a.left) > 0
}

// prepare builds what the mask needs, if anything is to be built. Masks that will be asked for time
// and again are made, as a text begins there, or a free text goes on.
func (g *gen) prepare(c *core) (built bool) {
	if built = g.Unbuilt(); built {
		g.Build()
	}
	lex := c.problem.Lexer
	if q := g.State.Lexer; built && c.embeds() && (lex.Begins(q) || lex.Next(q, 'e') == q) {
		if so, depth := g.walk(c, g.row(c)); so != nil {
			for range 2 { // a mask is kept when it is asked for again
				g.finish(c, so, depth, g.space())
			}
		}
	}
	return built
}

// textsAhead lists the texts to read on with; none where that was done.
func (g *gen) textsAhead(c *core) (list []onward) {
	if g.State.Stacks.NumTops() != 1 {
		return nil
	}
	r, top := g.row(c), g.State.Stacks.TopNode(0).State
	if c.embeds() {
		if !c.leave(left{byLexer, int32(g.State.Lexer), top}) {
			return nil
		}
		var embedded bool
		if list, embedded = c.markers(g.State); !embedded {
			return list
		}
	}
	if !c.leave(left{byStart, g.startAt(c, r, top).id, top}) {
		return list
	}
	here := g.State
	add := func(from *recognizer.State, texts ...string) {
		list = slices.Grow(list, len(texts))
		for _, text := range texts {
			list = append(list, onward{from, text, false})
		}
	}
	strings := c.auto.spans.Strings()
	if len(r.parts) == 0 || strings == nil || !bitset.Has(strings, r.parts[0].Terminal) {
		from := &here
		if spaced, ok := g.engine.problem.Read(here, []byte(" ")); ok {
			from = &spaced
		}
		add(&here, others...)
		add(from, openings...)
		return list
	}
	words, only := c.words(r, top)
	add(&here, words...)
	if _, closes := g.engine.problem.Read(g.State, []byte(`"`)); closes && (only < 0 || c.leave(left{byTerminal, only, top})) {
		add(&here, closings...)
	}
	return list
}

// A left is a place from which texts were read on: a lexer state, a start or a terminal, and the
// top of the stack.
type left struct {
	by      leftBy
	id, top int32
}

type leftBy uint8

const (
	byLexer leftBy = iota
	byStart
	byTerminal
)

// leave tells whether no text was read on yet from a place, which is noted.
func (c *core) leave(x left) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, was := c.left[x]; was {
		return false
	}
	c.left[x] = struct{}{}
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

// embeds tells whether the grammar embeds schemas, whose rules are still to be written.
func (c *core) embeds() bool {
	return c.problem.Grammar.Demand != nil && c.problem.Grammar.Modes != nil
}

// embedded tells whether a lexeme in q is one of an embedded schema.
func (c *core) embedded(q lexer.State) bool {
	return c.embeds() && c.problem.Lexer.(*lexer.OnDemand).Embedded(q, c.problem.Grammar)
}

// markers are the texts, of a byte each, with which markers go on at a place, or begin there: also
// behind a lexeme that may end. embedded tells whether an embedded text goes on or begins there.
func (c *core) markers(at recognizer.State) (list []onward, embedded bool) {
	ways, complete := c.ways(at)
	embedded = c.embedded(at.Lexer)
	if complete {
		next, ok := c.engine.problem.EmitAny(at)
		switch {
		case ok && c.embedded(next.Lexer):
			embedded = true
		case ok && next.Stacks.NumTops() == 1:
			at = next
			ways, _ = c.ways(at)
		}
	}
	for _, b := range ways {
		list = append(list, onward{&at, string([]byte{b}), true})
	}
	return list, embedded
}

// ways are the bytes by which the terminals that are pending at a place come nearer to their ends:
// that of the literal that alone is left, or those of terminals that are no literals. complete
// tells whether one terminal is pending, and ends there.
func (c *core) ways(at recognizer.State) (bytes []byte, complete bool) {
	lex, g := c.problem.Lexer.(*lexer.OnDemand), c.problem.Grammar
	if c.embedded(at.Lexer) {
		return nil, true
	}
	live := c.auto.tables.Live(at.Stacks.TopNode(0).State)
	taken := func(t grammar.Terminal) bool { return bitset.Has(live, t) }
	var literals []byte
	parts := 0
	for _, part := range lex.Parts(nil, at.Lexer) {
		if !slices.ContainsFunc(g.Split.EmittedAs(part.Terminal), taken) {
			continue
		}
		parts++
		switch {
		case lex.Terminal(part.Terminal).Accepting(part.State):
			complete = true
		case g.Terminals[part.Terminal].Literal:
			literals = append(literals, lex.Nearer(part))
		default:
			bytes = append(bytes, lex.Nearer(part))
		}
	}
	if slices.Sort(literals); len(slices.Compact(literals)) == 1 {
		bytes = append(bytes, literals[0])
	}
	slices.Sort(bytes)
	return slices.Compact(bytes), complete && parts == 1
}
