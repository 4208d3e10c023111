package dialects

import (
	"cmp"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// outranking lists the terminals that win over t for some lexeme that both match, the first in rank
// first. In the mode that emits all terminals that match (%lexer all) there are none.
func (s *source) outranking(t grammar.Terminal) ([]grammar.Terminal, error) {
	if s.g.Lexer == grammar.LexAll {
		return nil, nil
	}
	limits := automata.DefaultLimits
	limits.Context = s.ctx
	var list []grammar.Terminal
	for u, d := range s.dfas {
		if d == nil || s.rank[u] >= s.rank[t] {
			continue
		}
		both, err := d.Intersect(s.dfas[t], limits)
		if err != nil {
			return nil, err
		}
		if !both.IsEmpty() {
			list = append(list, grammar.Terminal(u))
		}
	}
	slices.SortFunc(list, func(a, b grammar.Terminal) int { return cmp.Compare(s.rank[a], s.rank[b]) })
	return list, nil
}

// overlapping tells whether priority decides anything among the terminals that are used or ignored.
func (s *source) overlapping() (bool, error) {
	for _, t := range slices.Concat(s.used, s.ignored) {
		if list, err := s.outranking(t); err != nil || len(list) > 0 {
			return len(list) > 0, err
		}
	}
	return false, nil
}
