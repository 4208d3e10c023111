package automata

import (
	"math"
	"slices"

	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// Operations on automata. Each result is minimal, trimmed and canonical like
// any DFA. Those that can make an automaton larger take Limits and may return a
// *LimitError. Contexts (context.go) go through Union, UnionAll, Concat and Star; Intersect,
// Difference, Complement and Includes refuse them with ErrContext.

// Union accepts what d or o accepts. Its states are at most (|d|+1)(|o|+1).
func (d *DFA) Union(o *DFA, lim Limits) (*DFA, error) {
	if d.HasContexts() || o.HasContexts() {
		return UnionAll(lim, d, o)
	}
	return product(d, o, newBudget(lim), func(a, b bool) bool { return a || b })
}

// Intersect accepts what both d and o accept. Its states are at most |d|·|o|.
func (d *DFA) Intersect(o *DFA, lim Limits) (*DFA, error) {
	return product(d, o, newBudget(lim), func(a, b bool) bool { return a && b })
}

// Difference accepts what d accepts and o does not. Its states are at most
// |d|·(|o|+1).
func (d *DFA) Difference(o *DFA, lim Limits) (*DFA, error) {
	if !d.HasContexts() && !o.HasContexts() && o.acyclic() {
		return d.without(o, newBudget(lim))
	}
	return product(d, o, newBudget(lim), func(a, b bool) bool { return a && !b })
}

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

// Star accepts any number of strings of d, one after the other. The worst case
// is exponential in |d|.
func (d *DFA) Star(lim Limits) (*DFA, error) {
	return Compile(Repeat(FromDFA(d), 0, -1), lim)
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
func (d *DFA) Lazy() *DFA {
	raw := d.raw()
	for s, accepting := range raw.accepting {
		if accepting {
			row := raw.row(int32(s))
			for c := range row {
				row[c] = Dead
			}
		}
	}
	return raw.mustFinish()
}

// PrefixClosure accepts every prefix of the strings of d, under no context.
func (d *DFA) PrefixClosure() *DFA {
	raw := d.raw()
	for s := range raw.accepting {
		raw.accepting[s] = true
	}
	return raw.mustFinish()
}

// Includes reports whether d accepts everything that o accepts. It visits at
// most |d|·|o| pairs of states, and no more than MaxStates.
func (d *DFA) Includes(o *DFA, lim Limits) (bool, error) {
	missing, err := o.Difference(d, lim)
	return err == nil && missing.IsEmpty(), err
}

// raw returns a copy without contexts that may be changed and finished.
func (d *DFA) raw() *rawDFA {
	d = d.Whole()
	return &rawDFA{classOf: d.classOf, classes: d.classes, table: slices.Clone(d.table), accepting: slices.Clone(d.accepting)}
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

// A statePair is a state of each factor of a product, or Dead.
type statePair struct{ a, b int32 }

// A productBuilder runs two automata side by side.
type productBuilder struct {
	a, b    *DFA
	accepts func(inA, inB bool) bool
	seen    index.Index
	order   []statePair // by number
}

// product runs a and b side by side; accepts says when the pair accepts. Pairs
// that cannot accept any more because a factor is dead are not built.
func product(a, b *DFA, budget *budget, accepts func(inA, inB bool) bool) (*DFA, error) {
	if a.HasContexts() || b.HasContexts() {
		return nil, ErrContext
	}
	a, b = a.Whole(), b.Whole()
	classes := newPairClasses(a, b)
	raw := rawDFA{classOf: classes.of, classes: len(classes.pairs)}
	p := productBuilder{a: a, b: b, accepts: accepts}
	p.visit(statePair{a.Start(), b.Start()})
	for i := 0; i < len(p.order); i++ {
		pair := p.order[i]
		if err := budget.states(len(p.order)); err != nil {
			return nil, err
		}
		if err := budget.hold(setBytes + 4*raw.classes); err != nil {
			return nil, err
		}
		raw.accepting = append(raw.accepting, accepts(a.Accepting(pair.a), b.Accepting(pair.b)))
		last, to := statePair{unknown, unknown}, Dead
		for _, c := range classes.pairs {
			if next := (statePair{a.byClass(pair.a, c.a), b.byClass(pair.b, c.b)}); next != last { // else as on the class before
				last, to = next, p.visit(next)
			}
			raw.table = append(raw.table, to)
		}
	}
	return raw.finish(budget)
}

// visit is the number of a pair, Dead if it cannot accept any more.
func (p *productBuilder) visit(x statePair) int32 {
	if x.a == Dead && (x.b == Dead || !p.accepts(false, true)) || x.b == Dead && !p.accepts(true, false) {
		return Dead
	}
	h := index.Mix(uint64(uint32(x.a))<<32 | uint64(uint32(x.b)))
	id := p.seen.Find(h, func(i int32) bool { return p.order[i] == x })
	if id < 0 {
		id = p.seen.Add(h)
		p.order = append(p.order, x)
	}
	return id
}

// byClass is Next for a class.
func (d *DFA) byClass(s, class int32) int32 {
	if s == Dead {
		return Dead
	}
	return d.table[int(s)*d.classes+int(class)]
}

// A pairClasses is the common refinement of the byte classes of two automata.
type pairClasses struct {
	of    [256]uint8
	pairs []statePair // the class in each
}

func newPairClasses(a, b *DFA) pairClasses {
	var pc pairClasses
	var seen intern.Keys[statePair]
	for i := range 256 {
		id, isNew := seen.ID(statePair{int32(a.classOf[i]), int32(b.classOf[i])})
		if isNew {
			pc.pairs = append(pc.pairs, seen.At(id))
		}
		pc.of[i] = uint8(id)
	}
	return pc
}
