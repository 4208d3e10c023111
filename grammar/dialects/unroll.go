package dialects

import (
	"slices"

	"gcdbench/grammar/automata"
)

// Repeats without a way back. An engine of characters keeps a repeat of one class of characters as
// a loop of an automaton, and one of anything else as a rule that refers to itself:
//
//	("a" | B)*   is   x, where   x ::= "" | "a" x | B x
//
// Such a rule may end after every character, so that after n of them an Earley parser has n ends
// to complete, for each token that it tries. Inside a long string a mask of xgrammar then takes
// tens of milliseconds. The same language without it is a loop of characters, with the other
// alternatives between two of them:
//
//	(C | D)*   =   C* (D C*)*

// unrolled is an expression of the same language in which no unbounded repeat has alternatives of
// which one is a class.
func unrolled(e *automata.Expr) *automata.Expr {
	node := e.Node()
	subs := make([]*automata.Expr, len(node.Subs))
	for i, sub := range node.Subs {
		subs[i] = unrolled(sub)
	}
	switch node.Form {
	case automata.FormConcat:
		return automata.Concat(subs...)
	case automata.FormAlternate:
		return automata.Alternate(subs...)
	case automata.FormRepeat:
		star := loop(subs[0])
		switch {
		case node.Max >= 0 || star == nil:
			return automata.Repeat(subs[0], node.Min, node.Max)
		case node.Min == 0:
			return star
		}
		return automata.Concat(automata.Repeat(subs[0], node.Min, node.Min), star)
	}
	return e
}

// loop is any number of an expression, around the first class that it may be; nil if it is no
// choice with a class.
func loop(e *automata.Expr) *automata.Expr {
	choice := e.Node()
	if choice.Form != automata.FormAlternate {
		return nil
	}
	at := slices.IndexFunc(choice.Subs, func(sub *automata.Expr) bool { return sub.Node().Form == automata.FormClass })
	if at < 0 || len(choice.Subs) < 2 {
		return nil
	}
	class := automata.Repeat(choice.Subs[at], 0, -1)
	others := automata.Alternate(slices.Delete(slices.Clone(choice.Subs), at, at+1)...)
	return automata.Concat(class, automata.Repeat(automata.Concat(others, class), 0, -1))
}
