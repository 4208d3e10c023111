package spanner

import (
	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/lexer"
)

// structural are the bytes that a text of JSON has between its strings, numbers and names.
const structural = `{}[]:,`

// Ahead builds what the first bracket, colon, comma and quote of a JSON text would have to wait
// for, some 0.1 ms of work: the branches after each structural byte and after the quotes of free
// strings, and what keys begin with. Nearly every text has all of them, so a caller does well to
// have them in its offline phase. Where Strings is nil nothing is built.
func (s *Spanner) Ahead() {
	if s.Strings() == nil {
		return
	}
	lex, q := s.apart(), &s.quoted
	for i := range len(structural) {
		if q := lex.Next(lex.Start(), structural[i]); q != lexer.None {
			s.Shared(q)
		}
	}
	for _, list := range s.lexicon.FreeLists(q.profiles) {
		s.unprunedRests(list)
	}
	s.aheadOfValues()
}

// maxValues bounds the places of patterns that are walked ahead for a grammar.
const maxValues = 48

// aheadOfValues builds the roots at the first places of the strings that are values and neither
// free nor one text each.
func (s *Spanner) aheadOfValues() {
	left := maxValues
	keys := s.keys()
	for t, p := range s.quoted.profiles {
		if p == nil || keys[t] {
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

// keys tells which terminals a colon follows in a rule: keys of objects.
func (s *Spanner) keys() []bool {
	g, lex := s.rec.Grammar, s.apart()
	keys := make([]bool, len(g.Terminals))
	for i := range g.Rules {
		rhs := g.Rules[i].RHS
		for k := 1; k < len(rhs); k++ {
			if !rhs[k].IsTerminal() || !rhs[k-1].IsTerminal() {
				continue
			}
			if d := lex.Terminal(rhs[k].Terminal()); d != nil && d.Next(d.Start(), ':') != automata.Dead {
				keys[rhs[k-1].Terminal()] = true
			}
		}
	}
	return keys
}
