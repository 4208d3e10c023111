package jsonschema

import (
	"errors"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/jsontext"
)

// maxRules bounds the rules of a grammar: four times those of the largest schemas met in practice,
// and some ten seconds and a gigabyte of building tables.
const maxRules = 60_000

// From normal forms to rules. The unit is a goal: a conjunction of schemas that a value must
// satisfy, with a nonterminal. Properties and items add goals for their values. Goals are interned
// as sets of references, so that recursive schemas come back to goals that exist; there are
// finitely many, since all references are to schemas of the document or their negations. Numbers
// and strings become terminals, one for each goal: the union of its clauses is an automaton, and
// no parser has to choose between them.

// A goal is a conjunction of schemas, the unit that has a nonterminal.
type goal struct {
	refs  []ref
	nt    grammar.Nonterminal
	state goalState // if rules are written on demand
}

// An emitter writes the grammar of a document.
type emitter struct {
	*normalizer
	*writer
	goals      map[string]*goal // by the set of their references
	queue      []*goal          // those whose rules are not written
	ruleBase   int              // how many rules there were before those that are counted
	orderCells int              // taken by objects with keys in any order (anyorder.go), where all rules are written
	// later registers a nonterminal whose rules are written when a text comes to it, and surely tells
	// whether that of a goal has an instance; nil where all rules are written.
	later  func(nt grammar.Nonterminal, write func())
	surely func(nt grammar.Nonterminal) bool
}

// goalOf interns a conjunction. ok is false if it plainly has no instance.
func (c *emitter) goalOf(refs []ref) (g *goal, ok bool) {
	var some [16]ref
	list := distinctRefs(some[:0], refs)
	if contradictory(list) {
		return nil, false
	}
	var room [64]byte
	key := appendRefs(room[:0], list)
	if g := c.goals[string(key)]; g != nil {
		return g, true
	}
	g = &goal{refs: slices.Clone(list), nt: c.nonterminal(fmt.Sprintf("value%d", len(c.goals)))}
	c.goals[string(key)] = g
	c.queue = append(c.queue, g)
	return g, true
}

// distinctRefs appends each of some schemas once, but those that hold of every value.
func distinctRefs(list, refs []ref) []ref {
	for _, r := range refs {
		if r != trueRef && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// emit writes the rules of every goal that is reached.
func (c *emitter) emit() error {
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

func (c *emitter) emitGoal(g *goal) error {
	first := len(c.g.Rules)
	var leftOut *UnsupportedError
	for k := range jsontext.NumKinds {
		form, done, err := normalForm{}, false, error(nil)
		if k == jsontext.Object {
			form, done, err = c.objectCases(g)
		} else {
			form, err = c.clausesOf(g.refs, outermost(k))
		}
		if err != nil {
			return err
		}
		if done {
			continue
		}
		clauses := form.clauses
		switch {
		case len(clauses) == 0:
		case k == jsontext.Null:
			c.rule(g.nt, c.literalTerminal("null"))
		case k == jsontext.Bool:
			c.emitBool(g, clauses)
		case k == jsontext.Number:
			err = c.emitScalar(g, clauses, k)
		case k == jsontext.String:
			clauses, leftOut = c.withoutUncounted(clauses)
			err = c.emitScalar(g, clauses, k)
		case k == jsontext.Array:
			for _, x := range clauses {
				if err = c.emitArray(g.nt, x); err != nil {
					break
				}
			}
		default:
			err = c.emitObjects(g.nt, clauses)
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

// withoutUncounted leaves out the alternatives about strings that are longer than is counted,
// where the alternative is nothing but that: "at least 2,000 characters, or a number". The rest of
// the goal must have an instance; else the minimum is why it has none.
func (c *emitter) withoutUncounted(clauses []clause) (kept []clause, leftOut *UnsupportedError) {
	for _, x := range clauses {
		_, err := c.clauseLanguage(x, jsontext.String)
		var refused *UnsupportedError
		if errors.As(err, &refused) && refused.Reason == reasonUncounted && isOfStrings(x, refused.Pointer) {
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
func isOfStrings(x clause, pointer string) bool {
	for _, l := range x {
		if l.node != nil && l.node.ptr+"/"+l.keyword == pointer {
			t := l.node.get("type")
			return t != nil && t.Text == jsontext.String.String()
		}
	}
	return false
}

func (c *emitter) emitBool(g *goal, clauses []clause) {
	for truth, word := range []string{"false", "true"} {
		if slices.ContainsFunc(clauses, func(x clause) bool { return len(x) == 0 || x[0].n == truth }) {
			c.rule(g.nt, c.literalTerminal(word))
		}
	}
}

// emitScalar makes a terminal for all numbers or all strings of a goal, or some terminals for
// strings that are counted on demand.
func (c *emitter) emitScalar(g *goal, clauses []clause, k jsontext.Kind) error {
	list, err := c.scalarLanguages(clauses, k)
	if err != nil {
		return err
	}
	for _, d := range list {
		c.rule(g.nt, c.scalarTerminal(clauses, k, d))
	}
	return nil
}

// scalarTerminal is the terminal of a language that clauses about numbers or strings have.
func (c *emitter) scalarTerminal(clauses []clause, k jsontext.Kind, d *automata.DFA) grammar.Symbol {
	if k == jsontext.Number {
		return c.automatonTerminal("number", d)
	}
	if alone := aloneText(clauses); alone != nil {
		return c.automatonTerminal("string", alone())
	}
	return c.automatonTerminal("string", c.kept.encoded(d))
}
