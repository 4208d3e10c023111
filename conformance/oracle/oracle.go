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
// over ASCII, and no look-ahead; New refuses anything else.
package oracle

import (
	"fmt"

	"gcdbench/grammar"
)

// A Contract decides legality for one grammar by definition.
type Contract struct {
	g         *grammar.Grammar
	patterns  []*term // by terminal; nil for declared ones
	lazy      []bool
	chart     *earley
	reachable map[string][]bool // by the key of live patterns: what can still win
}

// New prepares a grammar. It fails if a terminal is outside what the oracle understands, or if a
// nonterminal derives no terminal string (then "viable prefix" and "the parser accepts" differ).
func New(g *grammar.Grammar) (*Contract, error) {
	c := &Contract{g: g, chart: newEarley(g), reachable: map[string][]bool{}}
	for i := range g.Terminals {
		def := &g.Terminals[i]
		if def.Declared {
			c.patterns, c.lazy = append(c.patterns, nil), append(c.lazy, false)
			continue
		}
		p, lazy, err := parsePattern(def)
		if err != nil {
			return nil, fmt.Errorf("terminal %s: %w", def.Name, err)
		}
		c.patterns, c.lazy = append(c.patterns, p), append(c.lazy, lazy)
	}
	if n, ok := c.chart.unproductive(); ok {
		return nil, fmt.Errorf("nonterminal %s derives nothing", g.Nonterminals[n].Name)
	}
	return c, nil
}

// A place is what a text has led to: the terminals emitted on each way of reading it, the pending
// lexeme, and the layout's registers.
type place struct {
	ways    [][]grammar.Terminal
	pending string
	depth   int
	columns []counts
	fed     bool
}

// Legal tells whether text is a legal prefix.
func (c *Contract) Legal(text string) bool {
	if text == "" {
		return true
	}
	p, ok := c.read(text)
	return ok && c.mayBecome(p)
}

// End tells whether the text may end.
func (c *Contract) End(text string) bool {
	p, ok := c.read(text)
	if !ok {
		return false
	}
	return c.mayEnd(p)
}

// read follows the lexing rule over text: stay in the lexeme while some terminal has a word that
// begins with it, else emit it and begin another with this byte.
func (c *Contract) read(text string) (place, bool) {
	p := place{ways: [][]grammar.Terminal{{}}}
	if c.g.Layout != nil && c.g.Layout.BeginsLine {
		p.pending = "\n"
	}
	for i := range len(text) {
		b := text[i : i+1]
		if c.alive(p.pending + b) {
			p.pending += b
			continue
		}
		var ok bool
		if p.pending == "" || !c.alive(b) {
			return place{}, false
		}
		if p, ok = c.emit(p, false); !ok {
			return place{}, false
		}
		p.pending = b
	}
	return p, true
}

// emit ends the pending lexeme: each way goes on with each terminal it is emitted as, and the ways
// that are no viable prefix are dropped.
func (c *Contract) emit(p place, atEnd bool) (place, bool) {
	emitted := c.emits(p.pending)
	if len(emitted) == 0 {
		return place{}, false
	}
	next := place{depth: p.depth, columns: p.columns, fed: p.fed}
	for _, t := range emitted {
		var more []grammar.Terminal
		switch {
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
	for t, can := range c.reach(p.pending) {
		switch {
		case !can:
			continue
		case c.g.Terminals[t].Ignored:
			return true
		case c.g.Layout != nil && grammar.Terminal(t) == c.g.Layout.Newline && p.depth > 0:
			return true
		}
		for _, way := range p.ways {
			if c.chart.viable(append(append([]grammar.Terminal{}, way...), grammar.Terminal(t))) {
				return true
			}
		}
	}
	return false
}

func (c *Contract) mayEnd(p place) bool {
	if p.pending != "" {
		var ok bool
		if p, ok = c.emit(p, true); !ok {
			return false
		}
	}
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
