package automata

import (
	"math"
	"slices"
)

// Operations on automata. Each result is minimal, trimmed and canonical like
// any DFA. Those that can make an automaton larger take Limits and may return a
// *LimitError. Contexts (context.go) go through Union, UnionAll and Concat; Intersect,
// Difference and Complement refuse them with ErrContext.

// Complement accepts what d does not, within a universe such as AnyText or
// AnyBytes.
func (d *DFA) Complement(universe *DFA, lim Limits) (*DFA, error) {
	return universe.Difference(d, lim)
}

// Concat accepts the strings of d followed by those of o. The worst case is
// exponential in |o|.
func (d *DFA) Concat(o *DFA, lim Limits) (*DFA, error) {
	return Compile(Concat(FromDFA(d), FromDFA(o)), lim)
}

// UnionAll accepts what one of ds accepts. It is faster than unions two by two.
func UnionAll(lim Limits, ds ...*DFA) (*DFA, error) {
	exprs := make([]*Expr, len(ds))
	for i, d := range ds {
		exprs[i] = FromDFA(d)
	}
	return Compile(Alternate(exprs...), lim)
}

// Lazy cuts d to its shortest matches: the strings of d of which no proper
// prefix is in d. Contexts are not looked at, and gone in the result.
func (d *DFA) Lazy() *DFA { return d.behindMatches(func(int32) int32 { return Dead }) }

// thenAny accepts the strings of d with any bytes behind them.
func (d *DFA) thenAny() *DFA { return d.behindMatches(func(s int32) int32 { return s }) }

// behindMatches is d with one state after every byte behind a match, for an accepting state.
func (d *DFA) behindMatches(next func(accepting int32) int32) *DFA {
	raw := d.raw()
	for s, accepting := range raw.accepting {
		if accepting {
			row := raw.row(int32(s))
			for c := range row {
				row[c] = next(int32(s))
			}
		}
	}
	return raw.mustFinish()
}

// raw returns a copy without contexts that may be changed and finished.
func (d *DFA) raw() *rawDFA {
	d = d.Whole()
	return &rawDFA{classOf: d.classOf, classes: d.classes, table: slices.Clone(d.rows()), accepting: slices.Clone(d.accepting)}
}

// unbounded is for operations whose result is no larger than what they start from.
func unbounded() *budget {
	return &budget{Limits: Limits{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, nil}}
}

func (r *rawDFA) mustFinish() *DFA {
	d, err := r.finish(unbounded())
	if err != nil {
		panic(err) // an unbounded budget is never exceeded
	}
	return d
}
