package spanner

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// structural are the bytes that a text of JSON has between its strings, numbers and names.
const structural = `{}[]:,`

// Ahead builds what the first bracket, colon, comma and quote of a JSON text would have to wait
// for, some 0.1 ms of work: the branches after each structural byte and after the quotes of free
// strings, and what keys begin with. Nearly every text has all of them, so a caller does well to
// have them before. With values, the first places of patterns are walked as well. Where Strings is
// nil nothing is built.
func (s *Spanner) Ahead(values bool) {
	lex, q := s.apart(), &s.quoted
	if s.Strings() == nil || !lex.Uniform() {
		return
	}
	for i := range len(structural) {
		if q := lex.Next(lex.Start(), structural[i]); q != lexer.None {
			s.Shared(q)
		}
	}
	for _, list := range s.lexicon.FreeLists(q.profiles) {
		s.unprunedRests(list, lex.Start())
	}
	if values {
		s.aheadOfValues()
	}
}

// maxValues bounds the places of patterns that are walked ahead for a grammar.
const maxValues = 48

// aheadOfValues builds the roots at the first places of the strings that are values and neither
// free nor one text each.
func (s *Spanner) aheadOfValues() {
	left := maxValues
	for t, p := range s.quoted.profiles {
		if p == nil || s.rec.Grammar.Terminals[t].Key {
			continue
		}
		for _, q := range p.Places() {
			if left--; left < 0 {
				return
			}
			s.Root([]lexer.Part{{Terminal: grammar.Terminal(t), State: q}})
		}
	}
}
