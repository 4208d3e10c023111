package spanner

import (
	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/lexer"
)

// structural are the bytes that a text of JSON has between its strings, numbers and names.
const structural = `{}[]:,`

// Ahead builds what the first bracket, colon, comma and quote of a JSON text would have to wait for, some 0.1 ms of work:
// the branches behind each structural byte, and those behind the quotes of free strings, and what keys begin with. Nearly
// every text has all of them, so a caller does well to have them in its offline phase. Where Strings is nil nothing is built.
func (s *Spanner) Ahead() {
	if s.Strings() == nil {
		return
	}
	lex := s.quoted.lex
	for i := range len(structural) {
		if q := lex.Next(lex.Start(), structural[i]); q != lexer.None {
			s.Shared(q)
		}
	}
	s.aheadOfKeys()
	q := &s.quoted
	for t, p := range q.spellings {
		if p == nil {
			continue
		}
		d := lex.Terminal(grammar.Terminal(t))
		if to := p.sinkOf(d); to.state != automata.Dead {
			s.aheadOfQuotes(s.lexicon.judgeSinks([]sunk{{ending{d, p, to.state}, to.language, 0}}))
			break
		}
	}
	s.aheadOfValues()
}

// aheadOfQuotes builds what is behind the quotes of a free string, whose verdict is given: all, those that are the
// first of their tokens, and the others. A declared key ends at the former, as its end is hardly ever inside of a token.
func (s *Spanner) aheadOfQuotes(free *verdict) {
	if s.options.Without&AheadQuotes != 0 {
		return
	}
	l := s.lexicon
	first := l.slices[quoteSlice].child(0, '"')
	for _, c := range free.closers {
		s.unprunedRests(c.list)
		if first >= 0 {
			at := []spot{{quoteSlice, first}}
			s.unprunedRests(l.list(listing{with: at}))
			s.unprunedRests(l.list(listing{base: c.list, without: at}))
		}
	}
}
