package completion

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// Contexts: what the end of one terminal costs the next. After a word another word needs a blank,
// or it would be read on; after a parenthesis it does not. The terminals whose ends cost the same
// are a context, and the least cost of a terminal is one by context. This is what keeps the bound
// of the search tight: with lengths alone it would be too low by one byte for each pair of words
// that is still to come, and the search would try all other texts of those few bytes more.
//
// Context 0 is that of an end which costs nothing: the begin of the text, or after ignored text. A
// few contexts are enough; a terminal of another kind belongs to one that costs no more anywhere.
//
// A layout has two contexts more, for what the parser was given no text for yet. After a newline
// terminal, and after a dedent terminal, whatever comes next needs a line break first, and the
// blanks up to a column; the end of the text needs neither.

// maxEnds is how many contexts there are for ends of lexemes.
const maxEnds = 4

// contexts are the contexts of a grammar and what terminals cost in them.
type contexts struct {
	shape
	behind       []int // by terminal: the context after it
	line, dedent int   // contexts of a layout; -1 without
	steps        []matrix
	separator    cost // bytes of the shortest ignored lexeme
}

// newContexts finds the contexts of a grammar. A lexer built on demand is not searched for them and
// has one: its grammars come from JSON schemas, where neighbours are told apart by punctuation.
func newContexts(r *recognizer.Recognizer, l lengths) *contexts {
	n := len(r.Grammar.Terminals)
	c := &contexts{behind: make([]int, n), line: -1, dedent: -1, separator: unreachable}
	for t := range r.Grammar.Terminals {
		if r.Grammar.Terminals[t].Ignored || r.Layout.IsNewline(grammar.Terminal(t)) {
			c.separator = min(c.separator, l.least(grammar.Terminal(t)))
		}
	}
	rows := [][]cost{make([]cost, n)}
	if table, ok := l.(*tableLengths); ok {
		rows = c.classify(c.gaps(r.Grammar, table))
	}
	c.shape = shape(len(rows))
	if r.Layout != nil {
		c.line, c.dedent = int(c.shape), int(c.shape)+1
		c.shape += 2
	}
	for t := range n {
		c.steps = append(c.steps, c.step(r.Layout, rows, grammar.Terminal(t), l.least(grammar.Terminal(t))))
	}
	return c
}

// step is the matrix of one terminal.
func (c *contexts) step(l *layout.Layout, rows [][]cost, t grammar.Terminal, least cost) matrix {
	m, n := c.nothing(), int(c.shape)
	set := func(from int, x cost) { m[from*n+c.behind[t]] = x }
	switch {
	case l != nil && t == l.Indent():
		c.behind[t] = 0
		set(c.line, 2) // a line break and a blank
		return m
	case l != nil && (t == l.Newline() || t == l.Dedent()):
		c.behind[t] = c.line
		if t == l.Dedent() {
			c.behind[t] = c.dedent
		}
		for from := range n {
			set(from, 0) // the end of the text supplies them
		}
		return m
	case l != nil:
		set(c.line, plus(1, least))
		set(c.dedent, plus(1, least))
	}
	for from, row := range rows {
		set(from, plus(least, row[t]))
	}
	return m
}

// gaps is, for each terminal, what its end costs each other one beyond that one's length.
func (c *contexts) gaps(g *grammar.Grammar, t *tableLengths) [][]cost {
	ends := endings(g, t.lexer)
	gaps := make([][]cost, len(g.Terminals))
	for x := range gaps {
		if ends[x] == nil { // no lexeme: the context after it is free
			gaps[x] = make([]cost, len(g.Terminals))
			continue
		}
		gaps[x] = slices.Repeat([]cost{c.separator}, len(g.Terminals))
		for start, classes := range ends[x] {
			t.closeGaps(gaps[x], start, classes)
		}
	}
	return gaps
}

// closeGaps lowers a row of gaps to what lexemes cost that begin in a start state, with a byte of
// the marked classes.
func (t *tableLengths) closeGaps(row []cost, start lexer.State, classes []bool) {
	for _, b := range t.bytes {
		to := t.lexer.Next(start, b)
		if to == lexer.None || !classes[t.lexer.Classes()[b]] {
			continue
		}
		for _, e := range t.ends[to] {
			row[e.terminal] = min(row[e.terminal], 1+e.bytes-t.first[e.terminal])
		}
	}
}

// endings marks, by terminal, start state and byte class, whether some lexeme of the terminal ends
// before such a byte and the next one begins in that state. A terminal that no lexeme is emitted as
// has nil.
func endings(g *grammar.Grammar, l *lexer.DFA) []map[lexer.State][]bool {
	ends := make([]map[lexer.State][]bool, len(g.Terminals))
	for q := range lexer.State(l.NumStates()) {
		for _, end := range l.Ends(q) {
			for _, x := range l.Members(end.Set) {
				if ends[x] == nil {
					ends[x] = map[lexer.State][]bool{}
				}
				if ends[x][end.Start] == nil {
					ends[x][end.Start] = make([]bool, l.NumClasses())
				}
				for class, to := range l.Row(q) {
					ends[x][end.Start][class] = ends[x][end.Start][class] || to == lexer.None
				}
			}
		}
	}
	return ends
}

// classify chooses the rows of gaps that are contexts, the most frequent ones, and puts every
// terminal into the one that tells most about it without telling too much.
func (c *contexts) classify(gaps [][]cost) (rows [][]cost) {
	rows = [][]cost{make([]cost, len(gaps))}
	count := make([]int, len(gaps)) // by terminal: how many have its row, at the first of them
	for x := range gaps {
		first := slices.IndexFunc(gaps, func(row []cost) bool { return slices.Equal(row, gaps[x]) })
		count[first]++
	}
	for len(rows) < maxEnds {
		best := 0
		for x := range count {
			if count[x] > count[best] {
				best = x
			}
		}
		if len(count) == 0 || count[best] == 0 {
			break
		}
		count[best] = 0
		if !slices.Equal(gaps[best], rows[0]) {
			rows = append(rows, gaps[best])
		}
	}
	for x := range gaps {
		most := -1
		for i, row := range rows {
			if weight := total(row); weight > most && noMore(row, gaps[x]) {
				c.behind[x], most = i, weight
			}
		}
	}
	return rows
}

// total is the sum of a row, in which what cannot be counts as much as two bytes.
func total(row []cost) (n int) {
	for _, x := range row {
		n += int(min(x, 2))
	}
	return n
}

// noMore tells whether a row costs no more than another one anywhere.
func noMore(row, other []cost) bool {
	for i, x := range row {
		if x > other[i] {
			return false
		}
	}
	return true
}

// candidates are the bytes that a search tries, the most readable first: of bytes that neither the
// lexer nor the layout tells apart, one.
func candidates(r *recognizer.Recognizer, avoid []byte) (list []byte) {
	classes := r.Lexer.Classes()
	seen := map[[2]int]bool{}
	for _, b := range automata.ReadableFirst() {
		kind := [2]int{int(classes[b]), 0}
		if r.Layout != nil && slices.Contains([]byte(" \t\f\r\n"), b) {
			kind[1] = int(b)
		}
		if !seen[kind] && !slices.Contains(avoid, b) {
			seen[kind] = true
			list = append(list, b)
		}
	}
	return list
}
