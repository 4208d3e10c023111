package dialects

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/search"
)

// Left recursion made right recursion, for llama.cpp, whose parser would follow it forever.
//
// A rule is left-recursive through the rules that begin with each other: a component of the graph
// of first symbols. In a component, a derivation of A goes down a chain of first symbols, A -> A1
// a1, A1 -> A2 a2, and so on, to a rule Ak -> b that begins with no member. Its text is b ak ... a2
// a1, so that it can be had from the left (the left-corner transform: D. Rosenkrantz and P. Lewis,
// Deterministic left corner parsing, 1970):
//
//	A          -> b up(Ak, A)       for each rule Ak -> b of a member
//	up(X, A)   -> a up(C, A)        for each rule C -> X a of a member
//	up(A, A)   ->                   the chain ends here
//
// Symbols that may be empty hide first symbols after them. So a rule X -> N Y, where N may be
// empty, is first written as X -> N+ Y and X -> Y, where N+ is N without the empty text.

// An unfolding writes the grammar without left recursion of another one.
type unfolding struct {
	*source
	g     grammar.Grammar
	null  []bool
	group []int                                          // by nonterminal of source: its component, -1 for none
	plus  map[grammar.Nonterminal]grammar.Nonterminal    // by nonterminal of source: N+, which is N if it is never empty
	rules map[grammar.Nonterminal][][]grammar.Symbol     // by N+: its rules, without empty first symbols
	ups   map[[2]grammar.Nonterminal]grammar.Nonterminal // by X and A: up(X, A)
}

// withoutLeftRecursion is s, or a grammar of the same language if s is left-recursive.
func (s *source) withoutLeftRecursion() (*source, error) {
	groups := s.leftRecursive()
	recursive := func(n grammar.Nonterminal) bool { return groups[n] >= 0 }
	if !slices.ContainsFunc(s.order, recursive) {
		return s, nil
	}
	u := &unfolding{source: s, g: *s.g, null: s.nullable(), group: groups,
		plus:  map[grammar.Nonterminal]grammar.Nonterminal{},
		rules: map[grammar.Nonterminal][][]grammar.Symbol{},
		ups:   map[[2]grammar.Nonterminal]grammar.Nonterminal{}}
	u.g.Nonterminals, u.g.Rules = slices.Clone(s.g.Nonterminals), nil
	for _, n := range s.order {
		if recursive(n) {
			u.member(n)
			continue
		}
		for _, r := range s.rules[n] {
			u.g.Rules = append(u.g.Rules, *r)
		}
	}
	result, err := newSource(s.ctx, &u.g, s.dialect)
	if err != nil {
		return nil, err
	}
	left := result.leftRecursive()
	if slices.ContainsFunc(result.order, func(n grammar.Nonterminal) bool { return left[n] >= 0 }) {
		n := s.order[slices.IndexFunc(s.order, recursive)]
		return nil, s.unsupported(s.g.Nonterminals[n].Pos, "rule that derives nothing but itself, as %s may", s.g.Nonterminals[n].Name)
	}
	return result, nil
}

func (u *unfolding) rule(lhs grammar.Nonterminal, rhs ...grammar.Symbol) {
	u.g.Rules = append(u.g.Rules, grammar.Rule{LHS: lhs, RHS: rhs})
}

func (u *unfolding) nonterminal(name string) grammar.Nonterminal {
	u.g.Nonterminals = append(u.g.Nonterminals, grammar.NonterminalDef{Name: name})
	return grammar.Nonterminal(len(u.g.Nonterminals) - 1)
}

// nonempty is N+. What it begins with is written down when it is first asked for.
func (u *unfolding) nonempty(n grammar.Nonterminal) grammar.Nonterminal {
	p, ok := u.plus[n]
	if ok {
		return p
	}
	p = n
	if u.null[n] {
		p = u.nonterminal(u.source.g.Nonterminals[n].Name + "_nonempty")
	} else if u.group[n] < 0 {
		u.plus[n] = n
		return n // its rules stay as they are
	}
	u.plus[n] = p
	for _, r := range u.source.rules[n] {
		u.rules[p] = append(u.rules[p], u.begun(r.RHS)...)
	}
	if u.group[n] < 0 {
		for _, rhs := range u.rules[p] {
			u.rule(p, rhs...)
		}
	}
	return p
}

// begun are the ways that a right-hand side can begin: with its first symbol or, if that may be
// empty, with the next.
func (u *unfolding) begun(rhs []grammar.Symbol) [][]grammar.Symbol {
	var ways [][]grammar.Symbol
	for i, sym := range rhs {
		if sym.IsTerminal() {
			return append(ways, rhs[i:])
		}
		n := sym.Nonterminal()
		ways = append(ways, append([]grammar.Symbol{grammar.N(u.nonempty(n))}, rhs[i+1:]...))
		if !u.null[n] {
			break
		}
	}
	return ways
}

// member writes the rules of a left-recursive nonterminal.
func (u *unfolding) member(n grammar.Nonterminal) {
	a := u.nonempty(n)
	if a != n {
		u.rule(n, grammar.N(a))
		u.rule(n)
	}
	members := u.members(u.group[n])
	for _, m := range members {
		for _, rhs := range u.rules[m] {
			if first := rhs[0]; first.IsTerminal() || !slices.Contains(members, first.Nonterminal()) {
				u.rule(a, append(slices.Clone(rhs), grammar.N(u.up(m, a, members)))...)
			}
		}
	}
}

// members are the nonterminals of a component, each without the empty text.
func (u *unfolding) members(group int) []grammar.Nonterminal {
	var list []grammar.Nonterminal
	for n, g := range u.group {
		if g == group {
			list = append(list, u.nonempty(grammar.Nonterminal(n)))
		}
	}
	return list
}

// up is the nonterminal of what follows x until a derivation of a is complete.
func (u *unfolding) up(x, a grammar.Nonterminal, members []grammar.Nonterminal) grammar.Nonterminal {
	if n, ok := u.ups[[2]grammar.Nonterminal{x, a}]; ok {
		return n
	}
	n := u.nonterminal(u.g.Nonterminals[a].Name + "_after_" + u.g.Nonterminals[x].Name)
	u.ups[[2]grammar.Nonterminal{x, a}] = n
	for _, c := range members {
		for _, rhs := range u.rules[c] {
			if rhs[0] == grammar.N(x) && (len(rhs) > 1 || c != x) { // a rule X -> X adds nothing
				u.rule(n, append(slices.Clone(rhs[1:]), grammar.N(u.up(c, a, members)))...)
			}
		}
	}
	if x == a {
		u.rule(n)
	}
	return n
}

// leftRecursive numbers the components of nonterminals that begin with each other, or with
// themselves; all others have -1.
func (s *source) leftRecursive() []int {
	begins := s.firstSymbols()
	of, n := search.Components(len(begins), func(dst []int32, x int32) []int32 { return append(dst, begins[x]...) })
	inside := make([]bool, n) // by component: whether a member begins with a member
	for x, list := range begins {
		for _, y := range list {
			inside[of[x]] = inside[of[x]] || of[y] == of[x]
		}
	}
	groups := slices.Repeat([]int{-1}, len(begins))
	for x, group := range of {
		if inside[group] {
			groups[x] = int(group)
		}
	}
	return groups
}

// firstSymbols lists the nonterminals that each one's rules can begin with.
func (s *source) firstSymbols() [][]int32 {
	null := s.nullable()
	begins := make([][]int32, len(s.g.Nonterminals))
	for _, n := range s.order {
		for _, r := range s.rules[n] {
			for _, sym := range r.RHS {
				if sym.IsTerminal() {
					break
				}
				begins[n] = append(begins[n], int32(sym.Nonterminal()))
				if !null[sym.Nonterminal()] {
					break
				}
			}
		}
	}
	return begins
}
