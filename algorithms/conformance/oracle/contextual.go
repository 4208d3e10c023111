package oracle

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// A contextual lexer reads the terminals that the parser's state has an action on. The states are
// those of an LALR(1) automaton, made here by the definition: LR(0) states whose items have
// lookaheads, which spread until nothing changes.

// endOfText is the lookahead that is no terminal.
const endOfText grammar.Terminal = -1

// An lrItem is a rule with a dot; rule -1 is the whole sentence.
type lrItem struct{ rule, dot int }

// An lrState is the items of a state with their lookaheads, and where symbols lead.
type lrState struct {
	items map[lrItem]map[grammar.Terminal]bool
	next  map[grammar.Symbol]*lrState
	reads map[grammar.Terminal]bool // that it has an action on
}

// lalr is an automaton without conflicts.
type lalr struct {
	*earley
	states map[string]*lrState // by the items that they were entered with
	start  *lrState
	first  []map[grammar.Terminal]bool // by nonterminal; endOfText if it derives the empty sequence
}

func newLALR(e *earley) (*lalr, error) {
	a := &lalr{earley: e, states: map[string]*lrState{}, first: make([]map[grammar.Terminal]bool, len(e.g.Nonterminals))}
	for n := range a.first {
		a.first[n] = map[grammar.Terminal]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := range e.g.Rules {
			r := &e.g.Rules[i]
			changed = spread(a.first[r.LHS], a.firstOf(r.RHS, map[grammar.Terminal]bool{endOfText: true})) || changed
		}
	}
	a.start = a.enter(map[lrItem]map[grammar.Terminal]bool{{-1, 0}: {endOfText: true}})
	for changed := true; changed; {
		changed = false
		for _, s := range a.list() {
			changed = a.close(s) || changed
			changed = a.lead(s) || changed
		}
	}
	return a, a.decide()
}

// spread adds the terminals of one set to another.
func spread(to, from map[grammar.Terminal]bool) (grew bool) {
	for t := range from {
		grew = grew || !to[t]
		to[t] = true
	}
	return grew
}

// firstOf is the terminals that begin what some symbols and then one of the lookaheads derive.
func (a *lalr) firstOf(symbols []grammar.Symbol, lookaheads map[grammar.Terminal]bool) map[grammar.Terminal]bool {
	found := map[grammar.Terminal]bool{}
	for _, s := range symbols {
		if s.IsTerminal() {
			found[s.Terminal()] = true
			return found
		}
		empty := false
		for t := range a.first[s.Nonterminal()] {
			if t == endOfText {
				empty = true
			} else {
				found[t] = true
			}
		}
		if !empty {
			return found
		}
	}
	spread(found, lookaheads)
	return found
}

// enter is the state with these items and those that it makes out of them; lookaheads are added.
func (a *lalr) enter(kernel map[lrItem]map[grammar.Terminal]bool) *lrState {
	s, _ := a.entered(kernel)
	return s
}

func (a *lalr) entered(kernel map[lrItem]map[grammar.Terminal]bool) (s *lrState, grew bool) {
	var names []string
	for it := range kernel {
		names = append(names, fmt.Sprint(it))
	}
	slices.Sort(names)
	key := strings.Join(names, " ")
	s = a.states[key]
	if s == nil {
		s = &lrState{map[lrItem]map[grammar.Terminal]bool{}, map[grammar.Symbol]*lrState{}, map[grammar.Terminal]bool{}}
		a.states[key], grew = s, true
	}
	for it, lookaheads := range kernel {
		grew = s.add(it, lookaheads) || grew
	}
	return s, grew
}

func (s *lrState) add(it lrItem, lookaheads map[grammar.Terminal]bool) (grew bool) {
	if s.items[it] == nil {
		s.items[it], grew = map[grammar.Terminal]bool{}, true
	}
	return spread(s.items[it], lookaheads) || grew
}

func (a *lalr) list() []*lrState {
	var list []*lrState
	for _, s := range a.states {
		list = append(list, s)
	}
	return list
}

// close adds the rules of the nonterminals that come next.
func (a *lalr) close(s *lrState) (grew bool) {
	for it, lookaheads := range s.items {
		rhs := a.rhs(it.rule)
		if it.dot == len(rhs) || rhs[it.dot].IsTerminal() {
			continue
		}
		for _, r := range a.byLHS[rhs[it.dot].Nonterminal()] {
			grew = s.add(lrItem{r, 0}, a.firstOf(rhs[it.dot+1:], lookaheads)) || grew
		}
	}
	return grew
}

// lead moves the dots over each symbol.
func (a *lalr) lead(s *lrState) (grew bool) {
	moved := map[grammar.Symbol]map[lrItem]map[grammar.Terminal]bool{}
	for it, lookaheads := range s.items {
		if rhs := a.rhs(it.rule); it.dot < len(rhs) {
			x := rhs[it.dot]
			if moved[x] == nil {
				moved[x] = map[lrItem]map[grammar.Terminal]bool{}
			}
			moved[x][lrItem{it.rule, it.dot + 1}] = lookaheads
		}
	}
	for x, kernel := range moved {
		to, more := a.entered(kernel)
		s.next[x], grew = to, grew || more
	}
	return grew
}

// decide finds what each state has an action on. The error is a conflict.
func (a *lalr) decide() error {
	for _, s := range a.states {
		for x := range s.next {
			if x.IsTerminal() {
				s.reads[x.Terminal()] = true
			}
		}
		for it, lookaheads := range s.items {
			if it.dot < len(a.rhs(it.rule)) || it.rule < 0 {
				continue
			}
			for t := range lookaheads {
				if s.reads[t] {
					return fmt.Errorf("the LALR(1) tables have a conflict, and the lexer is contextual")
				}
				s.reads[t] = true
			}
		}
	}
	return nil
}

// after is the state on top of the stack once some terminals were shifted; nil if one is refused.
func (a *lalr) after(w []grammar.Terminal) *lrState {
	stack := []*lrState{a.start}
	for _, t := range w {
		for {
			top := stack[len(stack)-1]
			if to := top.next[grammar.T(t)]; to != nil {
				stack = append(stack, to)
				break
			}
			done := -1
			for it, lookaheads := range top.items {
				if it.rule >= 0 && it.dot == len(a.rhs(it.rule)) && lookaheads[t] {
					done = it.rule
				}
			}
			if done < 0 {
				return nil
			}
			stack = stack[:len(stack)-len(a.rhs(done))]
			stack = append(stack, stack[len(stack)-1].next[grammar.N(a.g.Rules[done].LHS)])
		}
	}
	return stack[len(stack)-1]
}

// everywhere tells whether a terminal is read wherever its grammar is.
func (c *Contract) everywhere(t grammar.Terminal) bool {
	def := &c.g.Terminals[t]
	lexer := c.g.Lexer
	if def.Scope > 0 {
		lexer = c.g.Scopes[def.Scope-1]
	}
	return def.Ignored || lexer == grammar.LexFirst || c.g.Layout != nil && t == c.g.Layout.Newline
}

// present tells whether a state takes a terminal of a grammar, one of which may stand in a rule of
// another; or the end of the text, which is the outermost's.
func (c *Contract) present(s *lrState, scope int) bool {
	if len(c.g.Scopes) == 0 || s == nil {
		return true
	}
	for t := range s.reads {
		if t == endOfText && scope == 0 || t != endOfText && c.g.Terminals[t].Scope == scope {
			return true
		}
	}
	return false
}

// everywhere is the mode that has all terminals.
const everywhere = -1

// context is the mode after some terminals: the number of the set that the state there reads.
func (c *Contract) context(w []grammar.Terminal) int {
	reads := make([]bool, len(c.g.Terminals))
	s := c.automaton.after(w)
	for t := range reads {
		taken := s != nil && s.reads[grammar.Terminal(t)]
		reads[t] = taken || c.everywhere(grammar.Terminal(t)) && c.present(s, c.g.Terminals[t].Scope) &&
			!(len(w) == 0 && c.g.SkipsLate && c.g.Terminals[t].Ignored)
	}
	i := slices.IndexFunc(c.contexts, func(o []bool) bool { return slices.Equal(o, reads) })
	if i < 0 {
		i, c.contexts = len(c.contexts), append(c.contexts, reads)
	}
	return i
}
