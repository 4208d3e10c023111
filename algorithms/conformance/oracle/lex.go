package oracle

import (
	"cmp"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// live is the derivatives of the alternatives of every pattern by a lexeme, by terminal; a terminal
// of another mode has none.
type live [][]*term

// A lexed is a lexeme that is read in a mode, behind a byte (noByte for none).
type lexed struct {
	mode, before int
	lexeme       string
}

// maxLexed is how many states of lexemes are remembered.
const maxLexed = 1 << 16

// state is the lexer's state after a lexeme, which is not empty.
func (c *Contract) state(mode, before int, lexeme string) live {
	at := lexed{mode, before, lexeme}
	if l, ok := c.lexed[at]; ok {
		return l
	}
	l := make(live, len(c.patterns))
	if last := len(lexeme) - 1; last > 0 {
		l = c.advance(c.state(mode, before, lexeme[:last]), lexeme[last])
	} else {
		for t, p := range c.patterns {
			if p != nil && c.inMode(grammar.Terminal(t), mode) {
				l[t] = p.first(before, lexeme[0])
			}
		}
	}
	if len(c.lexed) >= maxLexed {
		clear(c.lexed)
	}
	c.lexed[at] = l
	return l
}

// noByte stands for the byte before a text.
const noByte = -1

// inMode tells whether a terminal is read in a mode.
func (c *Contract) inMode(t grammar.Terminal, mode int) bool {
	if c.automaton != nil {
		return mode == everywhere || c.contexts[mode][t]
	}
	return c.g.Modes == nil || slices.Contains(c.g.Modes[mode].Terminals, t)
}

// advance reads one more byte.
func (c *Contract) advance(l live, b byte) live {
	next := make(live, len(l))
	for t, alternatives := range l {
		for _, p := range alternatives {
			next[t] = append(next[t], p.after(b))
		}
	}
	return next
}

// alive tells whether some terminal of a mode has a word that begins with the lexeme, behind a
// byte.
func (c *Contract) alive(mode, before int, lexeme string) bool {
	return c.state(mode, before, lexeme).any()
}

func (l live) any() bool {
	return slices.ContainsFunc(l, func(alternatives []*term) bool {
		return slices.ContainsFunc(alternatives, func(p *term) bool { return p.op != opNone })
	})
}

func (l live) key() string {
	var b strings.Builder
	for _, alternatives := range l {
		b.WriteString(keys(alternatives, "\x01"))
		b.WriteByte(0)
	}
	return b.String()
}

// isOver tells whether a lexeme ends that leads to l, since it matches a lazy terminal.
func (c *Contract) isOver(l live) bool {
	for t, alternatives := range l {
		if c.g.Terminals[t].Lazy && slices.ContainsFunc(alternatives, (*term).nullable) {
			return true
		}
	}
	return false
}

// An ending is the emission of a lexeme, with the condition on the text after it.
type ending struct {
	emitted     []grammar.Terminal
	mode        int // of the next lexeme
	obligations []obligation
}

// alphabet has the bytes that lexemes may have: ASCII, and the two around the name of a special
// token (package special), the first of which begins it.
var alphabet = append(ascii(), beginsSpecial, 0xFE)

const beginsSpecial = 0xFF

func ascii() (list []int) {
	for b := range 128 {
		list = append(list, b)
	}
	return list
}

// atEnd stands for the end of the text where a next byte is asked for.
const atEnd = -1

// endings lists what a lexeme that ends in l before a byte, or at the end of the text, is emitted
// as: of the terminals that match and that the byte allows the preferred one, or all of them. There
// is one for each mode that these terminals lead to.
func (c *Contract) endings(l live, last byte, next int) []ending {
	var list []ending
	var matches []grammar.Terminal
	for t := range l {
		if slices.ContainsFunc(l[t], (*term).nullable) {
			matches = append(matches, grammar.Terminal(t))
		}
	}
	slices.SortFunc(matches, c.compare)
	for _, t := range matches {
		d := c.patterns[t].obligation(l[t], last)
		if next == atEnd && !d.holdsAtEnd() {
			continue
		}
		if next != atEnd {
			if d = d.after(byte(next)); d.broken() {
				continue
			}
		}
		mode := c.g.Terminals[t].Next
		if c.automaton != nil {
			mode = everywhere // until the parser has taken it
		}
		i := slices.IndexFunc(list, func(e ending) bool { return e.mode == mode })
		switch {
		case i < 0:
			list = append(list, ending{[]grammar.Terminal{t}, mode, []obligation{d}})
		case c.g.Lexer == grammar.LexAll:
			list[i].emitted, list[i].obligations = append(list[i].emitted, t), append(list[i].obligations, d)
		}
	}
	return list
}

// compare puts the terminal first that wins over another one.
func (c *Contract) compare(x, y grammar.Terminal) int {
	a, b := &c.g.Terminals[x], &c.g.Terminals[y]
	literals := 0
	if a.Literal != b.Literal {
		literals = 1
		if a.Literal {
			literals = -1
		}
	}
	lazy := 0
	if a.Lazy != b.Lazy {
		lazy = 1
		if a.Lazy {
			lazy = -1
		}
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), lazy, literals, cmp.Compare(b.MaxWidth, a.MaxWidth),
		cmp.Compare(len([]rune(b.Source)), len([]rune(a.Source))), cmp.Compare(a.Name, b.Name))
}

// reach says of each terminal whether the pending lexeme, or some longer one, is emitted as it.
func (c *Contract) reach(p place) []bool {
	l, last := c.state(p.mode, p.before, p.pending), p.pending[len(p.pending)-1]
	whole := l.key() + string(last) + obligationKey(p.obligations)
	if r, ok := c.reachable[whole]; ok {
		return r
	}
	found := make([]bool, len(c.patterns))
	seen := map[string]bool{}
	var visit func(l live, last byte, obligations []obligation)
	visit = func(l live, last byte, obligations []obligation) {
		k := l.key() + obligationKey(obligations)
		if c.boundaries {
			k += string(last)
		}
		if seen[k] || !l.any() {
			return
		}
		seen[k] = true
		c.emittedAs(found, l, last, obligations)
		if c.isOver(l) {
			return
		}
		for _, b := range alphabet {
			if left, ok := advanceAll(obligations, byte(b)); ok {
				visit(c.advance(l, byte(b)), byte(b), left)
			}
		}
	}
	visit(l, last, p.obligations)
	c.reachable[whole] = found
	return found
}

// emittedAs marks what a lexeme that ends in l can be emitted as, at the end of the text or before
// some byte with which another lexeme begins.
func (c *Contract) emittedAs(found []bool, l live, last byte, obligations []obligation) {
	mark := func(e ending) {
		for _, t := range e.emitted {
			found[t] = true
		}
	}
	if allHoldAtEnd(obligations) {
		for _, e := range c.endings(l, last, atEnd) {
			mark(e)
		}
	}
	if c.uniform { // what may be at the end may be before a byte
		return
	}
	for _, b := range alphabet {
		if _, ok := advanceAll(obligations, byte(b)); !ok {
			continue
		}
		for _, e := range c.endings(l, last, b) {
			if c.alive(e.mode, int(last), string([]byte{byte(b)})) {
				mark(e)
			}
		}
	}
}
