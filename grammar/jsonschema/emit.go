package jsonschema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gcdbench/automata"
	"gcdbench/grammar"
)

// maxRules bounds the rules of a grammar: four times those of the largest schemas met in practice, and
// some ten seconds and a gigabyte of building tables.
const maxRules = 60_000

// From normal forms to rules. The unit is a goal: a conjunction of schemas that a value must satisfy, with a
// nonterminal. Properties and items add goals for their values, which are interned as sets of references, so
// that recursive schemas come back to goals that exist; there are finitely many, since all references are to
// schemas of the document or their negations. Numbers and strings become terminals, one for each goal: the union
// of its clauses is an automaton, and no parser has to choose between them.

// A goal is a conjunction of schemas, the unit that has a nonterminal.
type goal struct {
	refs []ref
	nt   grammar.Nonterminal
}

// goalOf interns a conjunction. ok is false if it plainly has no instance.
func (c *compiler) goalOf(refs []ref) (g *goal, ok bool) {
	sorted := slices.Clone(refs)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	var key []byte
	var list []ref
	for _, r := range sorted {
		if r == falseRef || slices.Contains(sorted, r.not()) {
			return nil, false
		}
		if r != trueRef {
			key = binary.AppendUvarint(key, uint64(r))
		}
	}
	if g := c.goals[string(key)]; g != nil {
		return g, true
	}
	for _, r := range refs { // in the order of the schema, for the order of keys
		if r != trueRef && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	g = &goal{refs: list, nt: c.nonterminal(fmt.Sprintf("value%d", len(c.goals)))}
	c.goals[string(key)] = g
	c.queue = append(c.queue, g)
	return g, true
}

// clausesOf is the normal form of a conjunction of schemas for one kind.
func (c *compiler) clausesOf(refs []ref, k jsonKind) ([]clause, error) {
	all := []clause{nil}
	for _, r := range refs {
		restore := c.meanwhile(all, k)
		list, err := c.cases(r, k)
		restore()
		if err != nil {
			return nil, err
		}
		if all, err = c.product(all, list, k, c.doc.nodes[r>>1]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (c *compiler) nonterminal(name string) grammar.Nonterminal {
	c.g.Nonterminals = append(c.g.Nonterminals, grammar.NonterminalDef{Name: name})
	return grammar.Nonterminal(len(c.g.Nonterminals) - 1)
}

// rule adds a rule. Its symbols are copied to a block of many, which rules of few symbols share.
func (c *compiler) rule(lhs grammar.Nonterminal, rhs ...grammar.Symbol) {
	if len(c.symbols)+len(rhs) > cap(c.symbols) {
		c.symbols = make([]grammar.Symbol, 0, 256+len(rhs))
	}
	first := len(c.symbols)
	c.symbols = append(c.symbols, rhs...)
	c.g.Rules = append(c.g.Rules, grammar.Rule{LHS: lhs, RHS: c.symbols[first:len(c.symbols):len(c.symbols)]})
}

// emit writes the rules of every goal that is reached.
func (c *compiler) emit() error {
	for len(c.queue) > 0 {
		g := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.emitGoal(g); err != nil {
			return err
		}
		if len(c.g.Rules) > maxRules {
			return refusal(reasonTooLarge, "the grammar has more than %d rules", maxRules).at(nil, "")
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) emitGoal(g *goal) error {
	first := len(c.g.Rules)
	var leftOut *UnsupportedError
	for k := range numKinds {
		clauses, err := c.clausesOf(g.refs, k)
		if err != nil {
			return err
		}
		switch {
		case len(clauses) == 0:
		case k == kindNull:
			c.rule(g.nt, c.literalTerminal("null"))
		case k == kindBool:
			c.emitBool(g, clauses)
		case k == kindNumber:
			err = c.emitScalar(g, clauses, k)
		case k == kindString:
			clauses, leftOut = c.withoutUncounted(clauses)
			err = c.emitScalar(g, clauses, k)
		default:
			err = c.emitNested(g, clauses, k)
		}
		if err != nil {
			return err
		}
	}
	if leftOut != nil && !slices.ContainsFunc(c.g.Rules[first:], func(r grammar.Rule) bool { return r.LHS == g.nt }) {
		delete(c.leaving, leftOut.Pointer) // it was no alternative
		return leftOut
	}
	return nil
}

// withoutUncounted leaves out the alternatives about strings that are longer than is counted, where they are nothing
// but that: "at least 2,000 characters, or a number". What is left of the goal must have an instance, else the
// minimum is why it has none.
func (c *compiler) withoutUncounted(clauses []clause) (kept []clause, leftOut *UnsupportedError) {
	for _, x := range clauses {
		_, err := c.clauseLanguage(x, kindString)
		var refused *UnsupportedError
		if errors.As(err, &refused) && refused.Reason == reasonUncounted && c.isOfStrings(x, refused.Pointer) {
			leftOut, c.dropped = refused, true
			c.leaving[refused.Pointer] = "strings of more characters than are counted are refused, so that this alternative is left out"
			c.coverage[refused.Pointer] = nil
			c.coverAt(refused.Pointer, refused.Keyword, Refused, "")
			continue
		}
		kept = append(kept, x)
	}
	return kept, leftOut
}

// reasonUncounted is the reason for which a large minimum is refused.
const reasonUncounted = "a minimum this large is not counted"

// isOfStrings tells whether the schema with the minimum at a pointer is one of strings only.
func (c *compiler) isOfStrings(x clause, pointer string) bool {
	for _, l := range x {
		if l.node != nil && l.node.ptr+"/"+l.keyword == pointer {
			t := l.node.get("type")
			return t != nil && t.text == kindString.String()
		}
	}
	return false
}

func (c *compiler) emitBool(g *goal, clauses []clause) {
	for truth, word := range []string{"false", "true"} {
		for _, x := range clauses {
			if len(x) == 0 || x[0].n == truth {
				c.rule(g.nt, c.literalTerminal(word))
				break
			}
		}
	}
}

// emitScalar makes one terminal for all numbers or all strings of a goal.
func (c *compiler) emitScalar(g *goal, clauses []clause, k jsonKind) error {
	d, err := c.scalarLanguage(clauses, k)
	if err != nil || d.IsEmpty() {
		return err
	}
	name := "number"
	if k == kindString {
		name = "string"
		for _, x := range clauses {
			c.noteSpelling(d, x, opLength, opPattern)
		}
		if text := aloneText(clauses); text != nil {
			d = text()
		} else if d, err = c.kept.encoded(d); err != nil {
			return c.tooLarge(clauses, err)
		}
	}
	c.rule(g.nt, c.automatonTerminal(name, d))
	return nil
}

// aloneText is the JSON text of a language that is all that is said of a string, if it has one
// made ahead.
func aloneText(clauses []clause) func() *automata.DFA {
	if len(clauses) == 1 && len(clauses[0]) == 1 && clauses[0][0].op == opPattern && !clauses[0][0].not {
		return clauses[0][0].lang.alone
	}
	return nil
}

// noteSpelling notes on the literals with one of the ops how the strings of a large automaton must be written.
func (c *compiler) noteSpelling(d *automata.DFA, x clause, ops ...op) {
	reason := spelling(d)
	for _, l := range x {
		if reason != "" && slices.Contains(ops, l.op) {
			c.narrow(l, reason)
		}
	}
}

// tooLarge is the error for a language whose automaton outgrows the limits.
func (c *compiler) tooLarge(clauses []clause, err error) error {
	for _, x := range clauses {
		for _, l := range x {
			return refusalOf(err).at(l.node, l.keyword)
		}
	}
	return err
}

// scalarLanguage is the union of the languages of clauses: of characters for strings, of JSON text
// for numbers.
func (c *compiler) scalarLanguage(clauses []clause, k jsonKind) (*automata.DFA, error) {
	var list []*automata.DFA
	for _, x := range clauses {
		l, err := c.clauseLanguage(x, k)
		if err != nil {
			return nil, err
		}
		list = append(list, l.d)
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return unionOf(list)
}

// A clauseText is the language of a clause about numbers or strings.
type clauseText struct {
	d *automata.DFA
	// narrow: values are left out, not only ways to write them. So that it is empty proves nothing.
	narrow bool
}

func (c *compiler) clauseLanguage(x clause, k jsonKind) (clauseText, error) {
	key := k.String() + x.key()
	if l, ok := c.languages[key]; ok {
		return l, nil
	}
	compute := c.numberLanguage
	if k == kindString {
		compute = c.stringLanguage
	}
	before := c.narrowings
	d, err := compute(x)
	if err != nil {
		return clauseText{}, c.wrapLimit(x, err)
	}
	l := clauseText{d, c.narrowings != before}
	c.languages[key] = l
	return l, nil
}

// wrapLimit turns an automaton that is too large into an outcome that names the keyword.
func (c *compiler) wrapLimit(x clause, err error) error {
	if _, ok := err.(*automata.LimitError); ok && len(x) > 0 {
		return refusalOf(err).at(x[0].node, x[0].keyword)
	}
	return err
}

// keyLanguage is the strings that satisfy all of refs.
func (c *compiler) keyLanguage(refs []ref) (*automata.DFA, error) {
	defer c.elsewhere()()
	clauses, err := c.clausesOf(refs, kindString)
	if err != nil {
		return nil, err
	}
	return c.scalarLanguage(clauses, kindString)
}

// literalTerminal is the terminal of a fixed text, one of texts.
func (c *compiler) literalTerminal(text string) grammar.Symbol {
	if s, ok := c.fixed[text]; ok {
		return s
	}
	t := c.terminal(grammar.TerminalDef{Name: "lit_" + strconv.Itoa(len(c.g.Terminals)), Expr: texts()[text], Source: text, Literal: true})
	c.fixed[text] = t
	return t
}

// patternTerminal is the terminal of a regular expression of this package, one of texts.
func (c *compiler) patternTerminal(name, pattern string) grammar.Symbol {
	return c.terminal(grammar.TerminalDef{Name: name, Expr: texts()[pattern], Source: pattern})
}

func (c *compiler) terminal(def grammar.TerminalDef) grammar.Symbol {
	c.g.Terminals = append(c.g.Terminals, def)
	return grammar.T(grammar.Terminal(len(c.g.Terminals) - 1))
}

// automatonTerminal is the terminal of an automaton; equal automata share one.
func (c *compiler) automatonTerminal(name string, d *automata.DFA) grammar.Symbol {
	if s, ok := c.byAutomaton[d]; ok {
		return s
	}
	e := c.kept.terminalOf(d)
	s, ok := c.byExpr[e]
	if !ok {
		name += "_" + strconv.Itoa(len(c.g.Terminals))
		s = c.terminal(grammar.TerminalDef{Name: name, Expr: e, Source: name})
		c.byExpr[e] = s
	}
	c.byAutomaton[d] = s
	return s
}

// keyTerminal is the terminal of one key.
func (c *compiler) keyTerminal(key string) (grammar.Symbol, error) {
	if s, ok := c.keys[key]; ok {
		return s, nil
	}
	d, err := c.kept.keyAutomaton(key)
	if err != nil {
		return 0, err
	}
	quoted := strconv.Quote(key)
	s := c.terminal(grammar.TerminalDef{Name: "key " + quoted, Expr: c.kept.terminalOf(d), Source: quoted})
	c.keys[key] = s
	return s, nil
}
