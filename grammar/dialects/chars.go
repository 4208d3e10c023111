package dialects

import (
	"fmt"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// Dialects of characters: every terminal becomes a rule of characters with what the lexer ignores
// after it, and the root rule puts the same in front of the whole.

// A charText writes a grammar in a dialect of characters.
type charText struct {
	*source
	syntax       charSyntax
	b            strings.Builder
	rules, terms []string // names, by nonterminal and terminal
	skip, tail   string   // names; empty if nothing is ignored, or nothing of it can only stand at the end
	atEnd        grammar.Nonterminal
	split        grammar.Terminal // the first terminal that nothing can follow
}

// A charSyntax has the differences between dialects of characters.
type charSyntax struct {
	root      string // the name of the start rule
	separator string // of the words in a name
	end       string // what ends a rule
	finish    string // what ends a text, beyond the grammar
	pattern   func(e *automata.Expr, at int) string
	// transform changes the rules before they are written; may be nil.
	transform func(s *source) (*source, error)
}

// writeChars writes s in a dialect of characters.
func writeChars(s *source, syntax charSyntax) (*Translation, error) {
	split, atEnd, err := s.splitEnds()
	if err != nil {
		return nil, err
	}
	if syntax.transform != nil {
		if split, err = syntax.transform(split); err != nil {
			return nil, err
		}
	}
	c := &charText{source: split, syntax: syntax, atEnd: atEnd, split: grammar.Terminal(len(s.g.Terminals))}
	run, err := s.skipping()
	if err != nil {
		return nil, err
	}
	c.name(run)
	c.root()
	for _, n := range split.order[1:] { // the first is the root
		c.rule(c.rules[n], c.alternatives(n))
	}
	c.b.WriteString("\n")
	if err := c.terminals(); err != nil {
		return nil, err
	}
	if err := c.runs(run); err != nil {
		return nil, err
	}
	notes, err := s.widerNotes(noteMunch)
	return &Translation{Text: c.b.String(), Notes: notes}, err
}

// name gives all rules their names.
func (c *charText) name(run runs) {
	names := newNamer(c.syntax.separator, false)
	c.rules, c.terms = make([]string, len(c.g.Nonterminals)), make([]string, len(c.g.Terminals))
	c.rules[c.g.Start] = names.unique(c.syntax.root)
	if run.between != nil {
		c.skip = names.unique("skip")
		if !run.end.IsEmpty() {
			c.tail = names.unique("tail")
		}
	}
	for _, n := range c.order[1:] {
		c.rules[n] = names.rule(c.g.Nonterminals[n].Name)
	}
	for _, t := range c.used {
		c.terms[t] = names.terminal(c.g.Terminals[t].Name)
	}
}

// root writes the start rule: what is ignored, the grammar, and what is ignored and can only stand
// at the end.
func (c *charText) root() {
	var alternatives []string
	for _, r := range c.source.rules[c.g.Start] {
		parts := []string{c.skip, c.symbols(r.RHS)}
		if r.RHS[0] != grammar.N(c.atEnd) {
			parts = append(parts, c.tail)
		}
		alternatives = append(alternatives, spaced(append(parts, c.syntax.finish)...))
	}
	c.rule(c.rules[c.g.Start], alternatives)
}

// spaced joins what is not empty.
func spaced(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

func (c *charText) alternatives(n grammar.Nonterminal) []string {
	var out []string
	for _, r := range c.source.rules[n] {
		out = append(out, c.symbols(r.RHS))
	}
	return out
}

// symbols writes a right-hand side. An empty one is the empty string.
func (c *charText) symbols(rhs []grammar.Symbol) string {
	if len(rhs) == 0 {
		return `""`
	}
	names := make([]string, len(rhs))
	for i, sym := range rhs {
		if sym.IsTerminal() {
			names[i] = c.terms[sym.Terminal()]
		} else {
			names[i] = c.rules[sym.Nonterminal()]
		}
	}
	return strings.Join(names, " ")
}

// rule writes a rule with its alternatives, one a line.
func (c *charText) rule(name string, alternatives []string) {
	fmt.Fprintf(&c.b, "%s ::= %s%s\n", name, strings.Join(alternatives, "\n    | "), c.syntax.end)
}

// terminals writes the rules of the terminals, with what is ignored after each that something can
// follow.
func (c *charText) terminals() error {
	for _, t := range c.used {
		e, err := c.pattern(t)
		if err != nil {
			return err
		}
		body := c.syntax.pattern(e, asChoice)
		if c.skip != "" && t < c.split {
			body = c.syntax.pattern(e, asSequence) + " " + c.skip
		}
		c.rule(c.terms[t], []string{body})
	}
	return nil
}

// runs writes the rules of what is ignored.
func (c *charText) runs(run runs) error {
	if c.skip == "" {
		return nil
	}
	ignored := &c.g.Terminals[c.ignored[0]]
	e, err := c.patternOf(run.between, ignored)
	if err != nil {
		return err
	}
	c.rule(c.skip, []string{c.syntax.pattern(e, asChoice)})
	if c.tail == "" {
		return nil
	}
	if e, err = c.patternOf(run.end, ignored); err != nil {
		return err
	}
	c.rule(c.tail, []string{c.syntax.pattern(automata.Repeat(e, 0, 1), asChoice)})
	return nil
}

// writeEBNF writes the dialect of xgrammar.
func writeEBNF(s *source) (*Translation, error) {
	looped := func(e *automata.Expr, at int) string { return ebnfNotation().print(unrolled(e), at) }
	return writeChars(s, charSyntax{root: "root", separator: "-", pattern: looped})
}

// writeGBNF writes the dialect of llama.cpp, whose parser takes no left recursion.
func writeGBNF(s *source) (*Translation, error) {
	return writeChars(s, charSyntax{root: "root", separator: "-", pattern: ebnfNotation().print, transform: (*source).withoutLeftRecursion})
}

// ebnfNotation is how ebnf and gbnf write characters. They differ in the escapes that they take;
// these both do.
func ebnfNotation() *notation {
	return &notation{
		literal: func(text string) string { return `"` + mapRunes(text, stringChar) + `"` },
		class: func(ranges []automata.RuneRange) string {
			return writeClass(ranges, `[^]`, ebnfClassChar)
		},
		empty: `""`, open: "(", join: " ", bar: " | ", quoted: true,
	}
}

func ebnfClassChar(r rune) string {
	switch r {
	case '\\', '[', ']':
		return `\` + string(r)
	case '-', '^':
		return fmt.Sprintf(`\u%04x`, r)
	}
	return escapeUnseen(r)
}

// endMark ends a text in kbnf, whose engine stops where the grammar could: U+0004, END OF
// TRANSMISSION.
const endMark = "\x04"

// writeKBNF writes the dialect of kbnf. A terminal is a string, or a regular expression in quotes.
func writeKBNF(s *source) (*Translation, error) {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	quoted := func(e *automata.Expr, _ int) string {
		if text, ok := literalText(e); ok && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			return `"` + quote.Replace(text) + `"`
		}
		return `#"` + quote.Replace(regexps().print(e, asChoice)) + `"`
	}
	t, err := writeChars(s, charSyntax{root: "start", separator: "_", end: ";", finish: `#"\\u0004"`, pattern: quoted})
	if err != nil {
		return nil, err
	}
	t.EndMark = endMark
	t.Notes = append(t.Notes, "every text ends with U+0004: give the EOS token these bytes, and no other token")
	return t, nil
}
