// Package regular turns a grammar into a finite automaton, where its recursion allows it.
//
// # What it is
//
// Rules without recursion are an expression written in pieces, and so are rules whose recursion is
// at one end only: a list that ends with a list, or begins with one. A grammar is strongly regular
// if each group of mutually recursive nonterminals has one of these kinds. It then has a finite
// automaton of about the size of its rules written out (M. Mohri and M.-J.
// Nederhof, "Regular approximation of context-free grammars through transformation", 2001, section
// 2). A nonterminal that stands inside of itself with something on both sides, such as a JSON value
// in an object, has none: that is a *RecursionError. Whether a grammar of another kind has a
// regular language cannot be decided in general, and is not tried.
//
// # The construction
//
// The automaton is written from its end to its beginning: symbol (build.go) gives the state from
// which the words of a symbol lead to a given state. Equal requests have one answer. So the rest
// of an object, say, is written once however many keys may come before it, and a nonterminal that
// ends with itself becomes a loop. One that begins with itself is written the other way: each
// member of the group gets a state in which it has just ended. Elsewhere every place has its own
// copy of a nonterminal, since a finite automaton has no stack to return. Subsets of
// states (subset.go) and package automata's minimization finish the work.
//
// # The semantics
//
// Those that algorithms/koo calls characters: any way to cut a text into words of terminals
// counts. Priorities, longest matches and the resolution of conflicts play no part. Ignored
// terminals may stand before, between and after the others.
package regular

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/search"
)

// A RecursionError says that a grammar is not strongly regular.
type RecursionError struct {
	// Rule is a rule, as text, whose recursion is not at the same end as that of the others.
	Rule string
	// Inside is the nonterminal on the rule's right-hand side that leads back to the left.
	Inside string
	Pos    grammar.Position
}

// Error names the rule.
func (e *RecursionError) Error() string {
	return fmt.Sprintf("no finite automaton: in the rule %s, %s leads back to the rule, and neither all recursion there is at the left end nor all at the right", e.Rule, e.Inside)
}

// ErrLayout says that more than the bytes of a lexeme decides what a terminal is.
var ErrLayout = errors.New("no finite automaton: the grammar has a layout step, or modes of the lexer, or compares the items of arrays")

// Compile is the minimal automaton over bytes of the texts of g. Its errors are ErrLayout,
// *RecursionError, *automata.LimitError, *grammar.Error for a terminal, and ctx's. Limits of which
// a field is zero have automata.DefaultLimits' value.
func Compile(ctx context.Context, g *grammar.Grammar, lim automata.Limits) (*automata.DFA, error) {
	if g.Layout != nil || len(g.Modes) > 0 || g.ComparesItems() {
		return nil, ErrLayout
	}
	lim.Context = ctx
	b := newBuilder(g, lim)
	if err := b.classify(); err != nil {
		return nil, err
	}
	if err := b.compileTerminals(); err != nil {
		return nil, err
	}
	start, err := b.build()
	if err != nil {
		return nil, err
	}
	return b.determinize(start)
}

// compileTerminals makes the automata of the terminals.
func (b *builder) compileTerminals() error {
	for i := range b.g.Terminals {
		def := &b.g.Terminals[i]
		if def.Declared {
			continue
		}
		d, err := automata.Compile(def.Expr, automata.Limits{Context: b.lim.Context})
		if err == nil && d.HasContexts() {
			err = automata.ErrContext
		}
		if b.lim.Context.Err() != nil {
			return b.lim.Context.Err()
		}
		if err != nil {
			return &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s: %v", def.Name, err)}
		}
		b.words[i] = d
	}
	return nil
}

// A kind says how the nonterminals of a group lead back to themselves.
type kind uint8

const (
	plain kind = iota // not at all
	right             // at the right end of rules, so that a group's words are written as loops
	left              // at the left end
)

// classify finds the groups of mutually recursive nonterminals, and the kind of each.
func (b *builder) classify() error {
	b.findGroups()
	for n := range b.rules {
		for _, r := range b.rules[n] {
			if err := b.classifyRule(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// classifyRule takes note of the recursion of one rule. A -> A is at both ends, and adds no word.
func (b *builder) classifyRule(r *grammar.Rule) error {
	own := b.group[r.LHS]
	inside := func(s grammar.Symbol) bool { return !s.IsTerminal() && b.group[s.Nonterminal()] == own }
	i := slices.IndexFunc(r.RHS, inside)
	if i < 0 || len(r.RHS) == 1 {
		return nil
	}
	k := plain
	switch {
	case slices.ContainsFunc(r.RHS[i+1:], inside):
	case i == 0:
		k = left
	case i == len(r.RHS)-1:
		k = right
	}
	if k == plain || b.kinds[own] != plain && b.kinds[own] != k {
		return &RecursionError{b.text(r), b.g.SymbolName(r.RHS[i]), r.Pos}
	}
	b.kinds[own] = k
	return nil
}

// text writes a rule.
func (b *builder) text(r *grammar.Rule) string {
	var t strings.Builder
	t.WriteString(b.g.Nonterminals[r.LHS].Name + " ->")
	for _, s := range r.RHS {
		t.WriteString(" " + b.g.SymbolName(s))
	}
	return t.String()
}

// findGroups finds the groups. Unit recursion, such as A -> A, makes a group whose kind stays
// plain; symbol ends for it all the same, as equal requests have one answer.
func (b *builder) findGroups() {
	var groups int32
	b.group, groups = search.Components(len(b.rules), func(dst []int32, n int32) []int32 {
		for _, r := range b.rules[n] {
			for _, s := range r.RHS {
				if !s.IsTerminal() {
					dst = append(dst, int32(s.Nonterminal()))
				}
			}
		}
		return dst
	})
	b.kinds = make([]kind, groups)
}
