package psc

import (
	"slices"
	"sync"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// A response that embeds schemas is free text, and markers of which each byte is known once they
// have begun: the name of a tool that is the only one left, what stands between it and its
// arguments, what closes a call. While the model computes, a scout goes ahead of the text along
// what has to come, and of free text along the triggers that it may come to. It builds the starts
// of all places on its way, and so the rules of a tool's arguments once that tool is chosen. Where
// several literals may come it goes no further: the text decides first.

// maxScouted bounds the places that a scout of a core goes to.
const maxScouted = 512

// A scout goes ahead of texts, for one core.
type scout struct {
	sync.Mutex
	seen map[scouted]struct{}
	todo []recognizer.State
}

// A scouted is what tells places apart, as far as a mask does.
type scouted struct {
	q   lexer.State
	top int32
}

// scout goes to one more place, from where the generation is on. It tells whether there is another.
func (g *gen) scout(c *core) (more bool) {
	s := &c.scout
	if !s.TryLock() {
		return false
	}
	defer s.Unlock()
	if c.embedded(g.State.Lexer) {
		c.scoutOn(g.State)
	} else {
		s.add(g.State)
	}
	if len(s.todo) == 0 {
		return false
	}
	x := &gen{Position: g.Position, engine: g.engine}
	x.State, s.todo = s.todo[0], s.todo[1:]
	if so, depth := x.walk(c, x.row(c)); so != nil && c.lasts(x.State.Lexer) {
		for range 2 { // a mask is kept when it is asked for again
			x.finish(c, so, depth, x.space())
		}
	}
	c.scoutOn(x.State)
	return len(s.todo) > 0
}

// lasts tells whether masks of a lexer state will be asked for again and again: a text begins
// there, or a free text goes on.
func (c *core) lasts(q lexer.State) bool {
	lex := c.problem.Lexer
	return lex.Begins(q) || lex.Next(q, 'e') == q
}

// add has a place be gone to, unless it was.
func (s *scout) add(at recognizer.State) {
	if at.Stacks.NumTops() != 1 || len(s.seen) == maxScouted {
		return
	}
	key := scouted{at.Lexer, at.Stacks.TopNode(0).State}
	if _, seen := s.seen[key]; seen {
		return
	}
	if s.seen == nil {
		s.seen = map[scouted]struct{}{}
	}
	s.seen[key] = struct{}{}
	s.todo = append(s.todo, at)
}

// embedded tells whether a lexeme in q is one of an embedded schema.
func (c *core) embedded(q lexer.State) bool {
	return c.problem.Lexer.(*lexer.OnDemand).Embedded(q, c.problem.Grammar)
}

// embeds tells whether the grammar embeds schemas, whose rules are still to be written.
func (c *core) embeds() bool {
	return c.problem.Grammar.Demand != nil && c.problem.Grammar.Modes != nil
}

// scoutOn adds the places a byte behind one.
func (c *core) scoutOn(at recognizer.State) {
	p := c.engine.problem
	ways, complete := c.ways(at)
	if complete {
		if next, ok := p.EmitAny(at); ok && !c.embedded(next.Lexer) && next.Stacks.NumTops() == 1 {
			at = next
			ways, _ = c.ways(at)
		}
	}
	for _, b := range ways {
		if next, ok := p.Step(at, b); ok {
			c.scout.add(next)
		}
	}
}

// ways are the bytes by which the terminals that are pending at a place come nearer to their ends:
// that of the literal that alone is left, or those of terminals that are no literals. complete
// tells whether one terminal is pending, and ends there.
func (c *core) ways(at recognizer.State) (bytes []byte, complete bool) {
	lex, top := c.problem.Lexer.(*lexer.OnDemand), at.Stacks.TopNode(0).State
	if c.embedded(at.Lexer) {
		return nil, true
	}
	live := c.auto.tables.Live(top)
	var literals, others []byte
	parts := 0
	for _, part := range lex.Parts(nil, at.Lexer) {
		if !slices.ContainsFunc(c.problem.Grammar.Split.EmittedAs(part.Terminal), func(t grammar.Terminal) bool { return bitset.Has(live, t) }) {
			continue
		}
		parts++
		switch literal := c.problem.Grammar.Terminals[part.Terminal].Literal; {
		case lex.Terminal(part.Terminal).Accepting(part.State):
			complete = true
		case literal:
			literals = append(literals, lex.Nearer(part))
		default:
			others = append(others, lex.Nearer(part))
		}
	}
	if slices.Sort(literals); len(slices.Compact(literals)) == 1 {
		others = append(others, literals[0])
	}
	slices.Sort(others)
	return slices.Compact(others), complete && parts == 1
}
