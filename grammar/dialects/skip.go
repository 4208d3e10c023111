package dialects

import (
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// What the lexer ignores, where there is no lexer: a language of characters that may stand after
// each terminal and in front of the first.
//
// It is not any sequence of ignored lexemes: then a line comment could end in the middle of its
// line, and the rest be program. Within a run of ignored lexemes maximal munch is kept, and a run
// may only end where some terminal could follow by maximal munch. After `// a` none can, as every
// byte but the line's end continues the comment; such a lexeme can only be the text's last.

// A runs has the ignored texts that may stand between terminals, and those that only the end of the
// text allows.
type runs struct {
	between *automata.DFA
	end     *automata.DFA // one lexeme or more that nothing can follow
}

// skipping makes the two languages from the terminals that are ignored. Without any, both are nil.
func (s *source) skipping() (runs, error) {
	if len(s.ignored) == 0 {
		return runs{}, nil
	}
	limits := automata.DefaultLimits
	limits.Context = s.ctx
	var dfas []*automata.DFA
	for _, t := range s.ignored {
		dfas = append(dfas, s.dfas[t])
	}
	one, err := automata.UnionAll(limits, dfas...)
	if err != nil {
		return runs{}, err
	}
	first := s.firstBytes(s.used)
	m := muncher{dfa: one, ends: make([]bool, one.NumStates())}
	for q := range m.ends {
		m.ends[q] = one.Accepting(int32(q)) && !canFollow(one, int32(q), first)
	}
	between, err := m.runs(limits, false)
	if err != nil {
		return runs{}, err
	}
	end, err := m.runs(limits, true)
	return runs{between, end}, err
}

// canFollow tells whether a lexeme that ends in state q of d can be followed by one of the given
// first bytes: whether some of them does not continue it.
func canFollow(d *automata.DFA, q int32, first *[256]bool) bool {
	for b, begins := range first {
		if begins && d.Next(q, byte(b)) == automata.Dead {
			return true
		}
	}
	return false
}

// firstBytes are the bytes that terminals begin with.
func (s *source) firstBytes(terminals []grammar.Terminal) *[256]bool {
	var first [256]bool
	for _, t := range terminals {
		for b := range first {
			if s.dfas[t].Next(s.dfas[t].Start(), byte(b)) != automata.Dead {
				first[b] = true
			}
		}
	}
	return &first
}

// A muncher is an automaton of lexemes of which some, those that end in a state of ends, are the
// text's last.
type muncher struct {
	dfa  *automata.DFA
	ends []bool
}

// runs is the language of lexemes in a row by maximal munch: a lexeme ends where the next byte does
// not continue it. With atEnd, it is that of the last lexemes, each of which only its own kind can
// follow; without, of the others, the empty run included. State 0 is the start, and state q of the
// lexemes' automaton is q+1.
func (m *muncher) runs(limits automata.Limits, atEnd bool) (*automata.DFA, error) {
	var transitions []automata.Transition
	add := func(from int32, b int, to int32) {
		transitions = append(transitions, automata.Transition{From: from, Lo: byte(b), Hi: byte(b), To: to + 1})
	}
	var accepting []int32
	if !atEnd {
		accepting = append(accepting, 0)
	}
	start := m.dfa.Start()
	for b := range 256 {
		if to := m.dfa.Next(start, byte(b)); to != automata.Dead {
			add(0, b, to)
		}
	}
	for q := range int32(m.dfa.NumStates()) {
		complete := m.dfa.Accepting(q)
		if complete && m.ends[q] == atEnd {
			accepting = append(accepting, q+1)
		}
		for b := range 256 {
			if to := m.dfa.Next(q, byte(b)); to != automata.Dead {
				add(q+1, b, to)
			} else if to := m.dfa.Next(start, byte(b)); to != automata.Dead && complete && (!atEnd || m.ends[q]) {
				add(q+1, b, to)
			}
		}
	}
	return automata.FromTransitions(m.dfa.NumStates()+1, accepting, transitions, limits)
}
