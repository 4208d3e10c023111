// Package dfa makes automata over bytes for the compiler of JSON schemas, within the limits of one
// compile: from patterns, from transition functions, and from other automata.
package dfa

import (
	"gcdbench/grammar/automata"
	"gcdbench/internal/constants"
)

// Limits bound each automaton that is written down. The steps of a determinization are half of what
// package automata allows by default: 0.2 s, so that a compile can be cancelled that soon. The most
// frequent pattern for URLs takes most of them; a pattern that needs more is one that explodes.
var Limits = automata.Limits{MaxSteps: 1 << 23}

// Constants has the automata and tables that are the same for all schemas, of all packages below
// the compiler.
var Constants constants.Set

// Text is the automaton of a pattern of package automata over UTF-8.
func Text(pattern string) (*automata.DFA, error) { return compile(pattern, 0) }

// ASCII is Text for a pattern whose \\d, \\w and \\s mean characters of ASCII.
func ASCII(pattern string) (*automata.DFA, error) { return compile(pattern, automata.ASCII) }

func compile(pattern string, flags automata.Flags) (*automata.DFA, error) {
	e, err := automata.Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	return ofExpr(e)
}

// large bounds the expression of an automaton on demand.
var large = automata.Limits{MaxRepeat: 1 << 20, MaxPositions: 1 << 21}

// ofExpr is the automaton of an expression over UTF-8, on demand if it is large.
func ofExpr(e *automata.Expr) (*automata.DFA, error) {
	d, err := automata.Compile(e, Limits)
	if _, ok := err.(*automata.LimitError); ok {
		if d, ok, err := automata.CompileOnDemand(e, large); ok || err != nil {
			return d, err
		}
	}
	return d, err
}

// OnDemand is the automaton on demand of an expression over UTF-8 without assertions.
func OnDemand(e *automata.Expr) (*automata.DFA, error) {
	d, _, err := automata.CompileOnDemand(e, large)
	return d, err
}

// Anywhere is the automaton of the strings that end with one of d.
func Anywhere(d *automata.DFA) (*automata.DFA, error) {
	return ofExpr(automata.Concat(automata.FromDFA(automata.AnyText()), automata.FromDFA(d)))
}

// written bounds what is written down of a product: one that is larger is made on demand.
var written = automata.Limits{MaxStates: 1 << 13}

// Product accepts what both a and b accept; with not, what a accepts and b does not.
func Product(a, b *automata.DFA, not bool) (*automata.DFA, error) {
	if not {
		return a.Beside(b, automata.InFirst, written)
	}
	return a.Beside(b, automata.InBoth, written)
}

// fewUnions is up to how many automata are joined two by two. That takes the fewer steps per state
// the fewer automata there are.
const fewUnions = 4

// Union accepts what one of the automata accepts.
func Union(list []*automata.DFA) (*automata.DFA, error) {
	if len(list) > fewUnions || len(list) == 0 {
		d, err := automata.UnionAll(Limits, list...)
		if _, large := err.(*automata.LimitError); !large {
			return d, err
		}
	}
	d := list[0]
	for _, o := range list[1:] {
		var err error
		if d, err = d.Beside(o, automata.InEither, written); err != nil {
			return nil, err
		}
	}
	return d, nil
}
