package completion

import (
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// A place is where a text is between two lexemes: the stacks, and of the layout registers what
// outlives a lexeme. It keeps what a search asks again for each lexeme that is tried there: what
// each terminal leaves to be done, and how long a text is at least that begins with a byte. Places
// of equal content are one.
type place struct {
	number int32
	state  recognizer.State // no lexeme is pending
	places *places

	rest    map[grammar.Terminal]cost // the least cost after a terminal, of those that were asked for
	skipped cost                      // the least cost after ignored text
	lines   *lineEnds                 // of the layout's newline, once asked for
	open    []layout.Column           // columns of the open blocks

	starts []cost // by candidate byte: the least cost of a text that begins with it; nil until asked for
	next   map[emission]*place
}

// An emission is a lexeme that ends in a place; of a newline its column counts.
type emission struct {
	set    lexer.Set
	start  lexer.State // in which the next lexeme begins
	column layout.Column
}

// places has all places of a search.
type places struct {
	*Completer
	rests rests
	all   []*place
	seen  index.Index       // of all
	work  int               // spent on forked stacks, in nodes of a search
	met   map[*lr.Node]bool // nodes of stacks whose forks were counted
	list  []ending          // scratch
}

func (c *Completer) newPlaces() *places {
	return &places{Completer: c, met: map[*lr.Node]bool{},
		rests: rests{exitTable: c.exits, columns: c.columns, known: map[restKey]vector{}, levels: map[*lr.Node]int32{}}}
}

// of is the place of a state; the lexeme pending in it, if any, is left out, and counts as begun in
// the lexer's Start.
func (p *places) of(s recognizer.State) *place {
	if p.r.Pending(s) {
		s.Lexer = p.r.Lexer.Start()
	}
	if p.r.Layout != nil {
		s.Layout = p.r.Layout.Begin(s.Layout)
	}
	s.Items = nil
	hash := s.Stacks.Key()
	if i := p.seen.Find(hash, func(i int32) bool {
		x := &p.all[i].state
		return x.Lexer == s.Lexer && x.Stacks.Equal(s.Stacks) && x.Layout.Equal(s.Layout)
	}); i >= 0 {
		return p.all[i]
	}
	x := &place{number: p.seen.Add(hash), state: s, places: p, rest: map[grammar.Terminal]cost{}, next: map[emission]*place{}, open: s.Layout.Columns()}
	p.work += p.effort(s.Stacks)
	x.skipped = p.rests.of(s.Stacks, 0, x.open)
	p.all = append(p.all, x)
	return x
}

// forksPerNode is the square of the forks that cost as much time as a node of a search.
const forksPerNode = 10

// effort is what it takes to read on with stacks, in nodes of a search beyond the first. The
// general algorithm of package lr goes along pairs of the links that the last lexeme made; in a
// text with many readings these are as many as its lexemes.
func (p *places) effort(s lr.Stacks) int {
	var todo []*lr.Node
	for i := range s.NumTops() {
		todo = append(todo, s.TopNode(i))
	}
	forks := 0
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.met[n] {
			continue
		}
		p.met[n] = true
		forks += max(0, n.NumUnder()-1)
		for i := range n.NumUnder() {
			todo = append(todo, n.Under(i))
		}
	}
	return forks * forks / forksPerNode
}

// behind appends the places that a lexeme which is pending here can end in, as far as that is
// legal: s is the place's state but for lexer and layout.
func (x *place) behind(dst []*place, s recognizer.State) []*place {
	for _, end := range x.places.r.Lexer.Ends(s.Lexer) {
		if next := x.emit(s, end); next != nil {
			dst = append(dst, next)
		}
	}
	return dst
}

// emit is the place after one way to end the pending lexeme; nil if that is not legal.
func (x *place) emit(s recognizer.State, end lexer.End) *place {
	r := x.places.r
	e := emission{set: end.Set, start: end.Start}
	if r.Layout.IsNewline(r.Lexer.Members(end.Set)[0]) {
		e.column = s.Layout.Line().Column
	}
	next, known := x.next[e]
	if !known || s.Items != nil { // which may not allow what they allowed before
		next = nil
		if s, ok := r.Emit(s, end); ok {
			next = x.places.of(s)
		}
		x.next[e] = next
	}
	return next
}

// wants tells whether a terminal leads anywhere from here.
func (x *place) wants(t grammar.Terminal) bool { return x.after(t) < unreachable }

// after is the least cost of what follows a lexeme of terminal t. Of the layout's newline it only
// tells whether there is a way on: lineCost knows more.
func (x *place) after(t grammar.Terminal) cost {
	p := x.places
	switch {
	case p.r.Grammar.Terminals[t].Ignored, p.r.Layout.Dropped(x.state.Layout, t):
		return x.skipped
	case !x.live(t):
		return unreachable
	}
	c, known := x.rest[t]
	if !known {
		c = x.findAfter(t)
		x.rest[t] = c
	}
	return c
}

// live tells whether some stack has an action on a terminal.
func (x *place) live(t grammar.Terminal) bool {
	for i := range x.state.Stacks.NumTops() {
		if bitset.Has(x.places.r.Tables.Live(x.state.Stacks.TopNode(i).State), t) {
			return true
		}
	}
	return false
}

func (x *place) findAfter(t grammar.Terminal) cost {
	p := x.places
	if p.r.Layout.IsNewline(t) {
		ends := p.rests.findLineEnds(x.state.Stacks, x.open)
		x.lines = &ends
		return p.rests.lineCost(ends, 0, layout.Registers{})
	}
	s, ok := p.r.Tables.Shift(x.state.Stacks, t)
	if !ok {
		return unreachable
	}
	return p.rests.of(s, p.exits.behind[t], x.open)
}

// least is the least cost of a text that goes on from here with a lexeme pending that has these
// endings; regs are the registers with it.
func (x *place) least(endings []ending, regs layout.Registers) cost {
	least := unreachable
	for _, e := range endings {
		if after := x.after(e.terminal); after == unreachable {
			continue
		} else if x.lines != nil && x.places.r.Layout.IsNewline(e.terminal) {
			least = min(least, x.places.rests.lineCost(*x.lines, e.bytes, regs))
		} else {
			least = min(least, plus(e.bytes, after))
		}
	}
	return least
}

// findStarts fills starts.
func (x *place) findStarts() {
	p := x.places
	v := p.lengths.look(x.state.Lexer, x.wants)
	x.starts = make([]cost, len(p.bytes))
	for i, b := range p.bytes {
		x.starts[i] = unreachable
		list, alive := p.lengths.after(p.list[:0], v, b)
		if alive {
			x.starts[i] = x.least(list, p.r.Layout.Read(x.state.Layout, b))
		}
		p.list = list
	}
}
