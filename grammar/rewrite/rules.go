package rewrite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// steps is how many rewritings are tried: about one for each eight rules of a large grammar, and a
// dozen of a small one.
func (w *rewriter) steps() int {
	const least, share = 12, 8
	return least + len(w.g.Rules)/share
}

// rewriteWithoutConflicts tries rewritings in a few batches and undoes those after which there is a
// conflict.
func (w *rewriter) rewriteWithoutConflicts(ctx context.Context) error {
	batches := 12 // each takes the time of tables
	size := max(1, w.steps()/batches)
	for range batches {
		rules, names, count := slices.Clone(w.rules), slices.Clone(w.g.Nonterminals), w.size
		done := maps.Clone(w.result.Done)
		w.rewriteRules(size)
		trial := *w.g
		trial.Rules = slices.Concat(w.rules...)
		tables, err := lr.Build(ctx, &trial, lr.Options{})
		if ctx.Err() != nil {
			return err
		}
		if err != nil || resolved(tables) {
			w.rules, w.g.Nonterminals, w.size, w.result.Done = rules, names, count, done
		}
	}
	return nil
}

// rewriteRules tries some rewritings, of kinds and at places drawn at random.
func (w *rewriter) rewriteRules(steps int) {
	tries := []struct {
		kind Kind
		try  func(a grammar.Nonterminal) bool
	}{
		{Inline, w.inline}, {Fold, w.fold}, {Factor, w.factor}, {Copy, w.copyOne},
		{Option, w.option}, {TurnRight, w.turnRight}, {TurnLeft, w.turnLeft},
	}
	for range steps {
		one := pick(w, tries)
		const places = 8 // most nonterminals have no place for most kinds
		for range places {
			if one.try(grammar.Nonterminal(w.rng.IntN(len(w.rules)))) {
				w.result.Done[one.kind]++
				break
			}
		}
	}
}

// set gives a nonterminal other rules, each of them once, unless the grammar would become too
// large.
func (w *rewriter) set(a grammar.Nonterminal, rules []grammar.Rule) bool {
	var own []grammar.Rule
	size := w.size
	for _, r := range w.rules[a] {
		size -= len(r.RHS) + 1
	}
	for _, r := range rules {
		r.LHS = a
		if slices.ContainsFunc(own, func(o grammar.Rule) bool { return slices.Equal(o.RHS, r.RHS) }) {
			continue
		}
		size += len(r.RHS) + 1
		own = append(own, r)
	}
	if size > w.limit {
		return false
	}
	w.rules[a], w.size = own, size
	return true
}

// fresh is a new nonterminal with rules; the last one that was made has its number.
func (w *rewriter) fresh(like grammar.Nonterminal, rules []grammar.Rule) (grammar.Symbol, bool) {
	a := grammar.Nonterminal(len(w.rules))
	w.rules = append(w.rules, nil)
	if !w.set(a, rules) {
		w.rules = w.rules[:a]
		return 0, false
	}
	w.g.Nonterminals = append(w.g.Nonterminals, grammar.NonterminalDef{Name: fmt.Sprintf("%s~%d", w.g.Nonterminals[like].Name, a),
		Pos: w.g.Nonterminals[like].Pos})
	return grammar.N(a), true
}

// occurrence draws a nonterminal in a rule of a: the rule's index in rules[a], and the symbol's in
// the rule. ok is false if there is none that fits.
func (w *rewriter) occurrence(a grammar.Nonterminal, fits func(b grammar.Nonterminal) bool) (rule, at int, ok bool) {
	var places [][2]int
	for i, r := range w.rules[a] {
		for j, s := range r.RHS {
			if !s.IsTerminal() && fits(s.Nonterminal()) {
				places = append(places, [2]int{i, j})
			}
		}
	}
	if len(places) == 0 {
		return 0, 0, false
	}
	p := pick(w, places)
	return p[0], p[1], true
}

// with is a copy of r in which the symbols from lo to hi are others.
func with(r grammar.Rule, lo, hi int, others ...grammar.Symbol) grammar.Rule {
	r.RHS = slices.Concat(r.RHS[:lo], others, r.RHS[hi:])
	return r
}

// inline replaces one nonterminal of a rule by each of its rules.
func (w *rewriter) inline(a grammar.Nonterminal) bool {
	i, at, ok := w.occurrence(a, func(b grammar.Nonterminal) bool { return len(w.rules[b]) > 0 })
	if !ok {
		return false
	}
	r := w.rules[a][i]
	rules := slices.Delete(slices.Clone(w.rules[a]), i, i+1)
	for _, b := range w.rules[r.RHS[at].Nonterminal()] {
		rules = append(rules, with(r, at, at+1, b.RHS...))
	}
	return w.set(a, rules)
}

// fold gives some symbols in a row a nonterminal of their own.
func (w *rewriter) fold(a grammar.Nonterminal) bool {
	if len(w.rules[a]) == 0 {
		return false
	}
	i := w.rng.IntN(len(w.rules[a]))
	r := w.rules[a][i]
	if len(r.RHS) < 2 {
		return false
	}
	lo := w.rng.IntN(len(r.RHS))
	hi := lo + 1 + w.rng.IntN(len(r.RHS)-lo)
	part, ok := w.fresh(a, []grammar.Rule{{RHS: slices.Clone(r.RHS[lo:hi]), Pos: r.Pos}})
	if !ok {
		return false
	}
	rules := slices.Clone(w.rules[a])
	rules[i] = with(r, lo, hi, part)
	return w.set(a, rules)
}

// factor makes one rule of those that begin with the same symbols.
func (w *rewriter) factor(a grammar.Nonterminal) bool {
	if len(w.rules[a]) < 2 {
		return false
	}
	r := pick(w, w.rules[a])
	if len(r.RHS) == 0 {
		return false
	}
	prefix := r.RHS[:1+w.rng.IntN(len(r.RHS))]
	var ends, rules []grammar.Rule
	for _, o := range w.rules[a] {
		if len(o.RHS) >= len(prefix) && slices.Equal(o.RHS[:len(prefix)], prefix) {
			ends = append(ends, with(o, 0, len(prefix)))
		} else {
			rules = append(rules, o)
		}
	}
	if len(ends) < 2 {
		return false
	}
	end, ok := w.fresh(a, ends)
	return ok && w.set(a, append(rules, with(r, 0, len(r.RHS), append(slices.Clone(prefix), end)...)))
}

// copyOne has one place go to a copy of its nonterminal. In a recursive nonterminal this unrolls a
// round.
func (w *rewriter) copyOne(a grammar.Nonterminal) bool {
	i, at, ok := w.occurrence(a, func(b grammar.Nonterminal) bool { return len(w.rules[b]) > 0 })
	if !ok {
		return false
	}
	b := w.rules[a][i].RHS[at].Nonterminal()
	other, ok := w.fresh(b, slices.Clone(w.rules[b]))
	if !ok {
		return false
	}
	rules := slices.Clone(w.rules[a])
	rules[i] = with(rules[i], at, at+1, other)
	return w.set(a, rules)
}

// option writes a rule with an optional nonterminal twice, with it and without.
func (w *rewriter) option(a grammar.Nonterminal) bool {
	empty := func(r grammar.Rule) bool { return len(r.RHS) == 0 }
	i, at, ok := w.occurrence(a, func(b grammar.Nonterminal) bool {
		return len(w.rules[b]) > 1 && slices.ContainsFunc(w.rules[b], empty)
	})
	if !ok {
		return false
	}
	r := w.rules[a][i]
	b := r.RHS[at].Nonterminal()
	some, ok := w.fresh(b, slices.DeleteFunc(slices.Clone(w.rules[b]), empty))
	if !ok {
		return false
	}
	rules := slices.Clone(w.rules[a])
	rules[i] = with(r, at, at+1, some)
	return w.set(a, append(rules, with(r, at, at+1)))
}

// turnRight makes right recursion of left recursion.
func (w *rewriter) turnRight(a grammar.Nonterminal) bool {
	var rounds, bases []grammar.Rule
	for _, r := range w.rules[a] {
		switch {
		case len(r.RHS) == 0 || r.RHS[0] != grammar.N(a):
			bases = append(bases, r)
		case len(r.RHS) > 1: // a: a says nothing
			rounds = append(rounds, with(r, 0, 1))
		}
	}
	return w.turn(a, rounds, bases, func(r grammar.Rule, more grammar.Symbol) grammar.Rule {
		return with(r, len(r.RHS), len(r.RHS), more)
	})
}

// turnLeft makes left recursion of right recursion.
func (w *rewriter) turnLeft(a grammar.Nonterminal) bool {
	var rounds, bases []grammar.Rule
	for _, r := range w.rules[a] {
		last := len(r.RHS) - 1
		switch {
		case last < 0 || r.RHS[last] != grammar.N(a):
			bases = append(bases, r)
		case last > 0:
			rounds = append(rounds, with(r, last, last+1))
		}
	}
	return w.turn(a, rounds, bases, func(r grammar.Rule, more grammar.Symbol) grammar.Rule { return with(r, 0, 0, more) })
}

// turn writes the rounds of a recursion as a nonterminal of their own, which add puts to the end
// that it belongs to.
func (w *rewriter) turn(a grammar.Nonterminal, rounds, bases []grammar.Rule, add func(grammar.Rule, grammar.Symbol) grammar.Rule) bool {
	if len(rounds) == 0 || len(bases) == 0 {
		return false
	}
	more := grammar.N(grammar.Nonterminal(len(w.rules)))
	twice := func(list []grammar.Rule) []grammar.Rule {
		all := slices.Clone(list)
		for _, r := range list {
			all = append(all, add(r, more))
		}
		return all
	}
	if _, ok := w.fresh(a, twice(rounds)); !ok {
		return false
	}
	return w.set(a, twice(bases))
}

// reorder gives terminals, nonterminals and rules another order, and nonterminals other names.
func (w *rewriter) reorder() {
	g := w.g
	to := w.rng.Perm(len(g.Terminals))
	nto := w.rng.Perm(len(g.Nonterminals))
	t := func(old grammar.Terminal) grammar.Terminal { return grammar.Terminal(to[old]) }
	terminals, nonterminals := make([]grammar.TerminalDef, len(to)), make([]grammar.NonterminalDef, len(nto))
	for i, at := range to {
		terminals[at] = g.Terminals[i]
	}
	for i, at := range nto {
		nonterminals[at] = grammar.NonterminalDef{Name: fmt.Sprintf("n%d_%s", at, g.Nonterminals[i].Name), Pos: g.Nonterminals[i].Pos}
	}
	g.Terminals, g.Nonterminals, g.Start, g.Rules = terminals, nonterminals, grammar.Nonterminal(nto[g.Start]), nil
	for _, rules := range w.rules {
		for _, r := range rules {
			rhs := make([]grammar.Symbol, len(r.RHS))
			for i, s := range r.RHS {
				if rhs[i] = grammar.N(0); s.IsTerminal() {
					rhs[i] = grammar.T(t(s.Terminal()))
				} else {
					rhs[i] = grammar.N(grammar.Nonterminal(nto[s.Nonterminal()]))
				}
			}
			r.LHS, r.RHS = grammar.Nonterminal(nto[r.LHS]), rhs
			g.Rules = append(g.Rules, r)
		}
	}
	w.rng.Shuffle(len(g.Rules), func(i, j int) { g.Rules[i], g.Rules[j] = g.Rules[j], g.Rules[i] })
	all := func(list []grammar.Terminal) []grammar.Terminal {
		out := slices.Clone(list)
		for i := range out {
			out[i] = t(out[i])
		}
		return out
	}
	if g.Layout != nil {
		l := *g.Layout
		l.Newline, l.Indent, l.Dedent, l.Open, l.Close = t(l.Newline), t(l.Indent), t(l.Dedent), all(l.Open), all(l.Close)
		g.Layout = &l
	}
	g.Modes = slices.Clone(g.Modes)
	for i := range g.Modes {
		g.Modes[i].Terminals = all(g.Modes[i].Terminals)
		slices.Sort(g.Modes[i].Terminals)
	}
	w.result.Done[Order]++
}
