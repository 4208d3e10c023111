package rewrite

import (
	"slices"

	"gcdbench/grammar/automata"
)

// rewritePatterns rewrites half of the patterns.
func (w *rewriter) rewritePatterns() {
	for i := range w.g.Terminals {
		t := &w.g.Terminals[i]
		if t.Expr == nil || w.one(2) {
			continue
		}
		e, ok := w.pattern(t.Expr)
		if !ok {
			w.result.PatternsKept++
			continue
		}
		t.Expr = e
		w.result.Done[Pattern]++
	}
}

// maxParts bounds the parts of an expression that are rewritten one by one, and the states of an
// automaton that an expression is made of: eliminating states multiplies.
const maxParts, maxStates = 200, 24

// pattern is an expression for the same strings; ok is false if strings do not say all.
func (w *rewriter) pattern(e *automata.Expr) (_ *automata.Expr, ok bool) {
	if e.HasLazy() {
		return nil, false
	}
	left := maxParts
	if plain(e, &left) && !w.one(4) {
		return w.parts(e), true
	}
	d, err := automata.Compile(e, automata.Limits{})
	if err != nil || d.HasContexts() {
		return nil, false
	}
	if d.Within(maxStates) {
		if again, err := d.Expr(); err == nil {
			return again, true
		}
	}
	return automata.FromDFA(d), true
}

// plain reports whether an expression has no lookaround and no automaton, and few parts.
func plain(e *automata.Expr, left *int) bool {
	*left--
	n := e.Node()
	return n.Form != automata.FormOther && *left > 0 &&
		!slices.ContainsFunc(n.Subs, func(s *automata.Expr) bool { return !plain(s, left) })
}

// parts rewrites a plain expression from the inside.
func (w *rewriter) parts(e *automata.Expr) *automata.Expr {
	n := e.Node()
	subs := make([]*automata.Expr, len(n.Subs))
	for i, s := range n.Subs {
		subs[i] = w.parts(s)
	}
	switch n.Form {
	case automata.FormLiteral:
		return w.literal(n.Text)
	case automata.FormClass:
		return w.class(n.Ranges)
	case automata.FormConcat:
		return w.concat(subs)
	case automata.FormAlternate:
		w.rng.Shuffle(len(subs), func(i, j int) { subs[i], subs[j] = subs[j], subs[i] })
		if w.one(3) {
			subs = append(subs, subs[0])
		}
		return automata.Alternate(subs...)
	}
	return w.repeat(subs[0], n.Min, n.Max)
}

// literal cuts a text in two, also within a character.
func (w *rewriter) literal(text string) *automata.Expr {
	if len(text) < 2 {
		return automata.Literal(text, 0)
	}
	cut := 1 + w.rng.IntN(len(text)-1)
	return automata.Concat(automata.Literal(text[:cut], 0), automata.Literal(text[cut:], 0))
}

// class divides a set of characters in two that may overlap.
func (w *rewriter) class(ranges []automata.RuneRange) *automata.Expr {
	var list []*automata.Expr
	for _, r := range ranges {
		if r.Lo < r.Hi && w.one(2) {
			cut := r.Lo + w.rng.Int32N(r.Hi-r.Lo)
			list = append(list, automata.Range(r.Lo, cut), automata.Range(cut+int32(w.rng.IntN(2)), r.Hi))
			continue
		}
		list = append(list, automata.Range(r.Lo, r.Hi))
	}
	return automata.Alternate(list...)
}

// concat multiplies one alternative out: x (y | z) becomes x y | x z.
func (w *rewriter) concat(subs []*automata.Expr) *automata.Expr {
	i := w.rng.IntN(len(subs))
	n := subs[i].Node()
	if n.Form != automata.FormAlternate || len(n.Subs) > 4 {
		return automata.Concat(subs...)
	}
	var list []*automata.Expr
	for _, one := range n.Subs {
		list = append(list, automata.Concat(slices.Replace(slices.Clone(subs), i, i+1, one)...))
	}
	return automata.Alternate(list...)
}

// repeat takes the first or the last round out of a repetition.
func (w *rewriter) repeat(e *automata.Expr, least, most int) *automata.Expr {
	rest := most
	if most > 0 {
		rest = most - 1
	}
	first := automata.Repeat(e, max(0, least-1), rest)
	switch {
	case most == 0:
		return automata.Repeat(e, least, most)
	case w.one(2):
		first = automata.Concat(e, first)
	default:
		first = automata.Concat(first, e)
	}
	if least > 0 {
		return first
	}
	return automata.Alternate(automata.Literal("", 0), first)
}
