package lr

import "gcdbench/grammar"

// earley is an independent recogniser, by Earley's method in its most literal form: item sets that
// grow until nothing can be added. It shares no code with the package and is the measure of it. It
// reads sets of terminals: a sentence is any choice of one member each.
type earley struct {
	g        *grammar.Grammar
	finishes []bool // by rule: every symbol of it derives a sentence
	sets     []map[earleyItem]bool
}

type earleyItem struct {
	rule, dot, origin int
}

func newEarley(g *grammar.Grammar) *earley {
	e := &earley{g: g, finishes: make([]bool, len(g.Rules))}
	ends := make([]bool, len(g.Nonterminals))
	for range len(g.Nonterminals) + 1 {
		for i, r := range g.Rules {
			ok := true
			for _, s := range r.RHS {
				ok = ok && (s.IsTerminal() || ends[s.Nonterminal()])
			}
			if ok {
				e.finishes[i], ends[r.LHS] = true, true
			}
		}
	}
	e.sets = []map[earleyItem]bool{{}}
	e.predict(0, g.Start)
	e.close()
	return e
}

func (e *earley) predict(at int, n grammar.Nonterminal) bool {
	grew := false
	for i, r := range e.g.Rules {
		if it := (earleyItem{i, 0, at}); r.LHS == n && e.finishes[i] && !e.sets[at][it] {
			e.sets[at][it] = true
			grew = true
		}
	}
	return grew
}

// close completes the last set.
func (e *earley) close() {
	at := len(e.sets) - 1
	for grew := true; grew; {
		grew = false
		for it := range e.sets[at] {
			rhs := e.g.Rules[it.rule].RHS
			if it.dot < len(rhs) {
				if s := rhs[it.dot]; !s.IsTerminal() && e.predict(at, s.Nonterminal()) {
					grew = true
				}
				continue
			}
			for parent := range e.sets[it.origin] {
				rhs := e.g.Rules[parent.rule].RHS
				if parent.dot == len(rhs) || rhs[parent.dot] != grammar.N(e.g.Rules[it.rule].LHS) {
					continue
				}
				if moved := (earleyItem{parent.rule, parent.dot + 1, parent.origin}); !e.sets[at][moved] {
					e.sets[at][moved] = true
					grew = true
				}
			}
		}
	}
}

// push reads one lexeme; false if no sentence begins so, and then nothing was read.
func (e *earley) push(terms ...grammar.Terminal) bool {
	next := map[earleyItem]bool{}
	for it := range e.sets[len(e.sets)-1] {
		rhs := e.g.Rules[it.rule].RHS
		for _, t := range terms {
			if it.dot < len(rhs) && rhs[it.dot] == grammar.T(t) {
				next[earleyItem{it.rule, it.dot + 1, it.origin}] = true
			}
		}
	}
	if len(next) == 0 {
		return false
	}
	e.sets = append(e.sets, next)
	e.close()
	return true
}

// pop unreads the last lexeme.
func (e *earley) pop() { e.sets = e.sets[:len(e.sets)-1] }

// sentence tells whether what was read is a sentence.
func (e *earley) sentence() bool {
	for it := range e.sets[len(e.sets)-1] {
		if it.origin == 0 && it.dot == len(e.g.Rules[it.rule].RHS) && e.g.Rules[it.rule].LHS == e.g.Start {
			return true
		}
	}
	return false
}
