package spanner

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// structural are the bytes that a text of JSON has between its strings, numbers and names.
const structural = `{}[]:,`

// Ahead lists what the first bracket, colon, comma and quote of a JSON text would have to wait for,
// some 0.1 ms of work in pieces: the branches after each structural byte and after the quotes of
// free strings, and what keys begin with. Nearly every text has all of them, so a caller does well
// to build them before. With values, the first places of patterns are walked as well. Where Strings
// is nil the list is empty.
func (s *Spanner) Ahead(values bool) (pieces []func()) {
	lex, q := s.apart(), &s.quoted
	if s.Strings() == nil || !lex.Uniform() {
		return nil
	}
	for i := range len(structural) {
		if q := lex.Next(lex.Start(), structural[i]); q != lexer.None {
			pieces = append(pieces, func() { s.Shared(q) })
		}
	}
	for _, list := range s.lexicon.FreeLists(q.profiles) {
		pieces = append(pieces, func() { s.unprunedRests(list, lex.Start()) })
	}
	if values {
		pieces = s.aheadOfValues(pieces)
	}
	return pieces
}

// maxValues bounds the places of patterns that are walked ahead for a grammar.
const maxValues = 48

// aheadOfValues adds the roots at the first places of the strings that are values and neither free
// nor one text each.
func (s *Spanner) aheadOfValues(pieces []func()) []func() {
	left := maxValues
	for t, p := range s.quoted.profiles {
		if p == nil || s.rec.Grammar.Terminals[t].Key {
			continue
		}
		for _, q := range p.Places() {
			if left--; left < 0 {
				return pieces
			}
			part := lexer.Part{Terminal: grammar.Terminal(t), State: q}
			pieces = append(pieces, func() { s.Root([]lexer.Part{part}) })
		}
	}
	return pieces
}
