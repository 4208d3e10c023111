package parserdwa

import (
	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
)

// A label is the symbol of an edge of the terminal DWA: a lexeme that ended, as the parser is to
// see it.
type label struct {
	// terms are the members of the emitted set that the parser sees.
	terms []int32
	// ignored is whether a member is ignored: then the parser may also stay as it is.
	ignored bool
	// line numbers the effect of a newline lexeme on its column; noLine for all other labels.
	line int32
}

// noLine is the line of labels that are not newlines.
const noLine = -1

// silent tells whether the parser never sees the lexeme.
func (l *label) silent() bool { return l.ignored && len(l.terms) == 0 }

// labels interns labels, by emitted set and effect on the column.
type labels struct {
	problem *algorithms.Problem
	list    []label
	plain   []int32 // by set: 1 + its label
	lines   map[lineKey]int32
	columns []spanner.Column
}

// A lineKey identifies a newline label.
type lineKey struct {
	set    lexer.Set
	column spanner.Column
}

func newLabels(p *algorithms.Problem) labels {
	return labels{problem: p, lines: map[lineKey]int32{}}
}

// of is the label of a set.
func (l *labels) of(set lexer.Set, line int32) int32 {
	for int(set) >= len(l.plain) {
		l.plain = append(l.plain, 0)
	}
	if id := l.plain[set]; id > 0 && line == noLine {
		return id - 1
	}
	var made label
	made.line = line
	for _, t := range l.problem.Lexer.Members(set) {
		if l.problem.Grammar.Terminals[t].Ignored {
			made.ignored = true
		} else {
			made.terms = append(made.terms, int32(t))
		}
	}
	l.list = append(l.list, made)
	id := int32(len(l.list) - 1)
	if line == noLine {
		l.plain[set] = id + 1
	}
	return id
}

// newline is the label of a newline lexeme that begins with a column, and whose part within the
// token is text.
func (l *labels) newline(set lexer.Set, lay *layout.Layout, text []byte, c spanner.Column) int32 {
	for _, b := range text {
		c = c.Read(b, lay)
	}
	c = c.Ended()
	key := lineKey{set, c}
	id, ok := l.lines[key]
	if !ok {
		l.columns = append(l.columns, c)
		id = l.of(set, int32(len(l.columns)-1))
		l.lines[key] = id
	}
	return id
}
