// Package oracle is ground truth for tiny grammars, by brute force. It shares no code with the
// engines: no automata, no tables, no recognizer; only the grammar's data type, and of a terminal
// only the text of its pattern.
//
// It answers two questions, which are not the same.
//
// Contract.Legal is the contract read literally (docs/contract.md): the text is lexed by taking
// derivatives of the patterns as Go's regexp/syntax parses them, and the emitted terminals are a
// viable prefix if an Earley chart says so. Engines must agree with it exactly.
//
// Contract.Completes enumerates continuations, and asks whether one makes a sentence of the prefix
// and the token. Engines must allow everything that begins a sentence. They may allow more only
// where the contract walks into a dead end, that is, where the parser still accepts a terminal that
// the lexing rule can never deliver.
//
// Both are exponential in places and meant for alphabets of a few letters and texts of a few bytes.
// They understand terminals written in the syntax that Go's and Python's regular expressions share,
// over ASCII, and lookaheads, \b and $ at the end of an alternative that stands in no group, and
// lookbehinds of a byte at its beginning; New refuses anything else.
package oracle

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
)

// A Contract decides legality for one grammar by definition.
type Contract struct {
	g         *grammar.Grammar
	patterns  []*pattern // by terminal; nil for declared ones
	chart     *earley
	reachable map[string][]bool // by what is live and due: what can still win
	lexed     map[lexed]live
	// uniform is whether no terminal asks what is around it, and there is one mode; boundaries whether
	// one asks by \b or in front.
	uniform, boundaries bool
	items               bool // items of arrays are compared
	// automaton decides the modes of a contextual lexer, nil for another one; contexts are the
	// terminals of the modes met so far.
	automaton *lalr
	contexts  [][]bool
	inner     []Language // of embedded schemas
}

// New prepares a grammar. It fails if a terminal is outside what the oracle understands, or if a
// nonterminal derives no terminal string (then "viable prefix" and "the parser accepts" differ).
func New(g *grammar.Grammar) (*Contract, error) {
	c := &Contract{g: g, chart: newEarley(g), reachable: map[string][]bool{}, lexed: map[lexed]live{}, uniform: g.Modes == nil, items: g.ComparesItems()}
	for i := range g.Terminals {
		def := &g.Terminals[i]
		if def.Declared {
			c.patterns = append(c.patterns, nil)
			continue
		}
		p, err := parsePattern(def)
		if err != nil {
			return nil, fmt.Errorf("terminal %s: %w", def.Name, err)
		}
		for _, a := range p.alternatives {
			c.uniform = c.uniform && len(a.asks) == 0
			c.boundaries = c.boundaries || a.front != nil || slices.ContainsFunc(a.asks, func(x ask) bool { return x.kind == askBoundary })
			c.uniform = c.uniform && a.front == nil
		}
		c.patterns = append(c.patterns, p)
	}
	if n, ok := c.chart.unproductive(); ok {
		return nil, fmt.Errorf("nonterminal %s derives nothing", g.Nonterminals[n].Name)
	}
	if g.Lexer == grammar.LexContextual || len(g.Scopes) > 0 || g.SkipsLate && g.Lexer != grammar.LexDynamic {
		var err error
		if c.automaton, err = newLALR(c.chart); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// A place is the state after a text: the terminals emitted on each way of reading it, the pending
// lexeme with its mode, the conditions of earlier lexemes on the text to come, and the layout's
// registers.
type place struct {
	ways        [][]grammar.Terminal
	text        string // before the pending lexeme
	pending     string
	before      int // the byte before the pending lexeme
	mode        int
	obligations []obligation
	depth       int
	columns     []counts
	fed         bool
	inside      []grammar.Terminal // the inner texts that are read here; nil: none
}

// Legal tells whether text is a legal prefix.
func (c *Contract) Legal(text string) bool {
	if text == "" {
		return true
	}
	if c.g.Lexer == grammar.LexDynamic {
		return c.cover(text).pending
	}
	places, _ := c.read(text)
	return slices.ContainsFunc(places, c.mayBecome)
}

// End tells whether the text may end.
func (c *Contract) End(text string) bool {
	if c.g.Lexer == grammar.LexDynamic {
		return c.cover(text).ends()
	}
	places, _ := c.read(text)
	return slices.ContainsFunc(places, c.mayEnd)
}

// read follows the lexing rule over text from its beginning. There are several places only if
// lexemes were emitted as terminals that lead to different modes. ok is false if there is none.
func (c *Contract) read(text string) (places []place, ok bool) { return c.follow(c.begin(), text) }

// begin is the place before any text.
func (c *Contract) begin() []place {
	p := place{ways: [][]grammar.Terminal{{}}, before: noByte}
	if c.automaton != nil {
		p = c.arrive(p)
	}
	if c.g.Layout != nil && c.g.Layout.BeginsLine {
		p.pending = "\n"
	}
	return []place{p}
}

// follow follows the lexing rule on from some places: stay in the lexeme while some terminal has a
// word that begins with it, else emit it and begin another with this byte.
func (c *Contract) follow(places []place, text string) ([]place, bool) {
	for i := range len(text) {
		var next []place
		for _, p := range places {
			next = append(next, c.step(p, text[i])...)
		}
		if places = next; len(places) == 0 {
			return nil, false
		}
	}
	return places, true
}

// step reads a byte.
func (c *Contract) step(p place, b byte) []place {
	if p.inside != nil {
		return c.stepInside(p, b)
	}
	obligations, ok := advanceAll(p.obligations, b)
	if !ok {
		return nil
	}
	over := p.pending != "" && c.isOver(c.state(p.mode, p.before, p.pending))
	if longer := p.pending + string([]byte{b}); !over && c.alive(p.mode, p.before, longer) {
		p.pending, p.obligations = longer, obligations
		return []place{p}
	}
	if p.pending == "" {
		return nil
	}
	var list []place
	last := p.pending[len(p.pending)-1]
	for _, e := range c.endings(c.state(p.mode, p.before, p.pending), last, int(b)) {
		next, ok := c.emit(p, e.emitted, false)
		if ok && c.automaton != nil {
			if next = c.arrive(next); next.inside != nil {
				list = append(list, c.stepInside(next, b)...)
				continue
			}
			e.mode = next.mode
		}
		if ok && c.alive(e.mode, int(last), string([]byte{b})) {
			next.pending, next.before, next.mode, next.obligations = string([]byte{b}), int(last), e.mode, slices.Clone(obligations)
			next.text = p.text + p.pending
			for _, d := range e.obligations {
				if !d.met() {
					next.obligations = append(next.obligations, d)
				}
			}
			list = append(list, next)
		}
	}
	return list
}

// emit ends the pending lexeme: each way goes on with each terminal it is emitted as, and the ways
// that are no viable prefix are dropped.
func (c *Contract) emit(p place, emitted []grammar.Terminal, atEnd bool) (place, bool) {
	next := place{depth: p.depth, columns: p.columns, fed: p.fed}
	for _, t := range emitted {
		var more []grammar.Terminal
		switch {
		case !c.itemsAllow(p.text, t):
			continue
		case c.g.Terminals[t].Ignored:
		case c.g.Layout != nil:
			var ok bool
			if more, next, ok = c.layout(next, t, p.pending, atEnd); !ok {
				return place{}, false
			}
		default:
			more = []grammar.Terminal{t}
		}
		for _, way := range p.ways {
			longer := append(append([]grammar.Terminal{}, way...), more...)
			if c.chart.viable(longer) {
				next.ways = append(next.ways, longer)
			}
		}
	}
	return next, len(next.ways) > 0
}

// layout says what terminal t becomes in a grammar with a layout step, and moves the registers.
func (c *Contract) layout(p place, t grammar.Terminal, lexeme string, atEnd bool) ([]grammar.Terminal, place, bool) {
	l := c.g.Layout
	if t != l.Newline {
		p.fed = true
		for _, o := range l.Open {
			if o == t {
				p.depth++
			}
		}
		for _, x := range l.Close {
			if x == t && p.depth > 0 {
				p.depth--
			}
		}
		return []grammar.Terminal{t}, p, true
	}
	if p.depth > 0 {
		return nil, p, true
	}
	p.fed = false
	out := []grammar.Terminal{l.Newline}
	if atEnd {
		return out, p, true
	}
	column := columnOf(lexeme, l)
	open := append([]counts{{}}, p.columns...)
	if top := open[len(open)-1]; column[0] > top[0] {
		p.columns = append(append([]counts{}, p.columns...), column)
		return append(out, l.Indent), p, column[1] > top[1]
	}
	for column[0] < open[len(open)-1][0] {
		open = open[:len(open)-1]
		out = append(out, l.Dedent)
	}
	p.columns = open[1:]
	return out, p, column == open[len(open)-1]
}

// mayBecome is the contract's last clause.
func (c *Contract) mayBecome(p place) bool {
	if p.inside != nil {
		return c.mayBecomeInside(p)
	}
	if c.finishedAgain(p) {
		return c.goesOnAfterEqual(p)
	}
	for t, can := range c.reach(p) {
		switch {
		case !can, !c.itemsAllow(p.text, grammar.Terminal(t)):
			continue
		case c.g.Terminals[t].Ignored:
			return true
		case c.g.Layout != nil && grammar.Terminal(t) == c.g.Layout.Newline && p.depth > 0:
			return true
		}
		if c.viableAfter(p, grammar.Terminal(t)) {
			return true
		}
	}
	return false
}

func (c *Contract) mayEnd(p place) bool {
	if p.inside != nil {
		return slices.ContainsFunc(c.leave(p), c.mayEnd)
	}
	if p.pending == "" {
		return c.accepts(p)
	}
	if !allHoldAtEnd(p.obligations) {
		return false
	}
	for _, e := range c.endings(c.state(p.mode, p.before, p.pending), p.pending[len(p.pending)-1], atEnd) {
		if last, ok := c.emit(p, e.emitted, true); ok && c.accepts(last) {
			return true
		}
	}
	return false
}

// accepts tells whether the text may end in a place where no lexeme is pending.
func (c *Contract) accepts(p place) bool {
	var tail []grammar.Terminal
	if l := c.g.Layout; l != nil {
		if p.fed {
			tail = append(tail, l.Newline)
		}
		for range p.columns {
			tail = append(tail, l.Dedent)
		}
	}
	for _, way := range p.ways {
		if c.chart.accepts(append(append([]grammar.Terminal{}, way...), tail...)) {
			return true
		}
	}
	return false
}
