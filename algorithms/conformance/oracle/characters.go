package oracle

import (
	"slices"

	"gcdbench/grammar"
)

// Without a lexer a text may be cut into terminals in any way, with ignored terminals between
// them. The ways form a graph: a junction is a place in the text between two terminals, with what
// those before it ask of the text that follows. Charts are filled along it, as in earley.go, with
// a set of items for each junction.

// A junction is a place between two terminals.
type junction struct {
	at  int
	due []obligation
	// hold is the pattern of the ignored terminal before it: it does not go on with the next byte.
	hold  []*term
	items map[spot]bool
}

// A spot is a rule with a dot, and the junction that it began at. Rule -1 is the whole sentence.
type spot struct {
	rule, dot int
	origin    *junction
}

// A cover is all ways to cut a text.
type cover struct {
	*Contract
	text      string
	junctions []*junction // by place; those of the same place in any order
	byKey     map[string]*junction
	pending   bool // a terminal that the parser takes may be pending at the end of the text
}

func (c *Contract) cover(text string) *cover {
	v := &cover{Contract: c, text: text, byKey: map[string]*junction{}}
	v.junction(0, nil, nil).items[spot{-1, 0, nil}] = true
	for at := range len(text) + 1 {
		for i := 0; i < len(v.junctions); i++ {
			if j := v.junctions[i]; j.at == at {
				v.close(j)
				v.leave(j)
			}
		}
	}
	return v
}

// junction is the junction of a place with some obligations.
func (v *cover) junction(at int, due []obligation, hold []*term) *junction {
	key := string(rune(at)) + obligationKey(due) + "/" + keys(hold, " ")
	j := v.byKey[key]
	if j == nil {
		j = &junction{at, due, hold, map[spot]bool{}}
		v.byKey[key], v.junctions = j, append(v.junctions, j)
	}
	return j
}

// close predicts and completes until nothing is new.
func (v *cover) close(j *junction) {
	for before := -1; before < len(j.items); {
		before = len(j.items)
		var more []spot
		for s := range j.items {
			rhs := v.chart.rhs(s.rule)
			switch {
			case s.dot < len(rhs) && !rhs[s.dot].IsTerminal():
				for _, r := range v.chart.byLHS[rhs[s.dot].Nonterminal()] {
					more = append(more, spot{r, 0, j})
				}
			case s.dot == len(rhs) && s.rule >= 0:
				for o := range s.origin.items {
					if r := v.chart.rhs(o.rule); o.dot < len(r) && r[o.dot] == grammar.N(v.g.Rules[s.rule].LHS) {
						more = append(more, spot{o.rule, o.dot + 1, o.origin})
					}
				}
			}
		}
		for _, s := range more {
			j.items[s] = true
		}
	}
}

// leave reads each terminal that may come after a junction, and each ignored one.
func (v *cover) leave(j *junction) {
	after := map[grammar.Terminal][]spot{}
	for s := range j.items {
		if rhs := v.chart.rhs(s.rule); s.dot < len(rhs) && rhs[s.dot].IsTerminal() {
			t := rhs[s.dot].Terminal()
			after[t] = append(after[t], spot{s.rule, s.dot + 1, s.origin})
		}
	}
	for t, spots := range after {
		v.match(j, t, false, spots)
	}
	for t := range v.g.Terminals {
		if v.g.Terminals[t].Ignored && !(j.at == 0 && v.g.SkipsLate) {
			var all []spot
			for s := range j.items {
				all = append(all, s)
			}
			v.match(j, grammar.Terminal(t), true, all)
		}
	}
}

// match reads a terminal's matches, each of which leads to a junction with some items.
func (v *cover) match(j *junction, t grammar.Terminal, ignored bool, spots []spot) {
	p := v.patterns[t]
	if p == nil {
		return
	}
	before := noByte
	if j.at > 0 {
		before = int(v.text[j.at-1])
	}
	var bodies []*term
	due := j.due
	for at := j.at; at < len(v.text); at++ {
		b := v.text[at]
		var ok bool
		if due, ok = advanceAll(due, b); !ok || at == j.at && goesOn(j.hold, b) {
			return
		}
		if at == j.at {
			bodies = p.first(before, b)
		} else {
			bodies = derive(bodies, b)
		}
		if !slices.ContainsFunc(bodies, isAlive) {
			return
		}
		v.pending = v.pending || at+1 == len(v.text)
		d := p.obligation(bodies, b)
		if d.broken() {
			continue
		}
		left, hold := slices.Clone(due), []*term(nil)
		if !d.met() {
			left = append(left, d)
		}
		if ignored {
			hold = bodies
		}
		next := v.junction(at+1, left, hold)
		for _, s := range spots {
			next.items[s] = true
		}
	}
}

func isAlive(t *term) bool { return t.op != opNone }

func derive(bodies []*term, b byte) []*term {
	next := make([]*term, len(bodies))
	for i, t := range bodies {
		next[i] = t.after(b)
	}
	return next
}

// goesOn tells whether a pattern goes on with a byte.
func goesOn(bodies []*term, b byte) bool { return slices.ContainsFunc(derive(bodies, b), isAlive) }

// ends tells whether a text may end.
func (v *cover) ends() bool {
	return slices.ContainsFunc(v.junctions, func(j *junction) bool {
		return j.at == len(v.text) && j.items[spot{-1, 1, nil}] && allHoldAtEnd(j.due)
	})
}
