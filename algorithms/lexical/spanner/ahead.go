package spanner

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
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
	if s.Strings() == nil {
		return nil
	}
	start := s.startOfJSON(lex)
	if start == lexer.None {
		return nil
	}
	for i := range len(structural) {
		if q := lex.Next(start, structural[i]); q != lexer.None {
			pieces = append(pieces, func() { s.Shared(q) })
		}
	}
	for _, list := range s.lexicon.FreeLists(q.profiles) {
		pieces = append(pieces, func() { s.unprunedRests(list, start) })
	}
	if values {
		left := maxValues
		for t, p := range q.profiles {
			if p == nil || s.rec.Grammar.Terminals[t].Key {
				continue
			}
			pieces = append(pieces, func() { s.firstPlaces(grammar.Terminal(t), &left) })
		}
	}
	return pieces
}

// startOfJSON is the state in which a lexeme begins inside a text of JSON; None if there are
// several.
func (s *Spanner) startOfJSON(lex *lexer.OnDemand) lexer.State {
	if lex.Uniform() {
		return lex.Start()
	}
	inside := insideJSON(s.rec.Grammar)
	if t := bitset.Next(inside, 0); t >= 0 {
		return lex.After(grammar.Terminal(t))
	}
	return lexer.None
}

// maxValues bounds the places of patterns that are walked ahead for a grammar.
const maxValues = 48

// firstPlaces makes the roots at the first places of a string that is a value, if that is neither
// free nor one text.
func (s *Spanner) firstPlaces(t grammar.Terminal, left *int) {
	if *left <= 0 {
		return
	}
	for _, q := range s.quoted.profiles[t].Places() {
		if *left--; *left < 0 {
			return
		}
		s.Root([]lexer.Part{{Terminal: t, State: q}})
	}
}
