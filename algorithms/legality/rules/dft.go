// Package rules has the paper's own algorithms on the legality of terminal sequences, over the
// rules of a grammar ("Technical Appendix: Accelerating LLM Code Generation Through Mask Store
// Streamlining", Tran-Thien 2025): the DFT pushdown automaton (definition 1), is_never_legal
// (section 2, algorithm 1), unlimited_credit_exploration (section 4.3, algorithm 2) and
// are_jointly_legal (sections 6.1 and 6.2).
//
// No mask is computed with them. The algorithm legality proves the same over the parser's tables,
// and its tests and its analysis compare the two. A pair takes a millisecond or so to be proved
// never legal, up to ten to be proved always legal.
package rules

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/intern"
)

// A Sequence is the S of the paper's functions: each step is one of some terminals. A sequence of
// single terminals is the paper's own; the last step of one that comes from a token is what the
// pending lexeme can still become.
type Sequence [][]grammar.Terminal

// A DFT is the DFT pushdown automaton of a grammar (definition 1): it generates a sentence while
// walking its syntax tree depth first, left to right. A state is the symbol that was generated last
// or is about to be; a stack symbol is a place in a rule, the return address for when the symbol
// before it is complete. The paper writes a place as the part of the rule before it, X ::=
// α1...αk, and here it is just that: rules of X that begin alike share their places, so that what
// comes next is chosen when it comes, not at the beginning of the rule. Without that little could
// be proved: of "[" in array: "[" "]" | "[" list "]" one would have to know which of the two rules
// it began.
//
// Rules that take part in no sentence are left out, so that lemma 2 holds: whatever can be reached
// can be completed. It is immutable.
type DFT struct {
	g           *grammar.Grammar
	rules       []int32              // those used, by number in the grammar
	places      intern.Keys[partial] // by stack symbol; that of Bottom is none
	transitions [][]Transition       // by state
	pops        [][]StackSymbol
	sets        *lr.Sets
}

// A DFTState is a state of the automaton: a terminal, the start or the end of a nonterminal, or
// End.
type DFTState int32

// A StackSymbol is a place in a rule, or Bottom.
type StackSymbol int32

const (
	// Bottom is the initial stack symbol, Z0.
	Bottom StackSymbol = 0
	// NoSymbol is the absence of a stack symbol in a Transition.
	NoSymbol StackSymbol = -1
	// NoTerminal is the absence of a terminal in a Transition.
	NoTerminal grammar.Terminal = -1
)

// A partial is a place: the place before the last symbol (Bottom at the beginning of a rule), the
// nonterminal, and the last symbol.
type partial struct {
	before StackSymbol
	lhs    grammar.Nonterminal
	last   grammar.Symbol
}

// A Transition is the paper's 5-tuple: state, terminal read, symbol popped, symbol pushed, next
// state.
type Transition struct {
	From DFTState
	Read grammar.Terminal
	Pop  StackSymbol
	Push StackSymbol
	To   DFTState
}

// NewDFT builds the automaton of a grammar. It fails if the grammar derives no sentence.
func NewDFT(g *grammar.Grammar) (*DFT, error) {
	sets, err := lr.NewSets(g)
	if err != nil {
		return nil, err
	}
	d := &DFT{g: g, sets: sets, rules: usefulRules(g)}
	d.place(partial{before: NoSymbol}) // Bottom
	d.transitions = make([][]Transition, int(d.End())+1)
	for _, r := range d.rules {
		d.addRule(&g.Rules[r])
	}
	d.add(Transition{d.finish(grammar.N(g.Start)), NoTerminal, Bottom, NoSymbol, d.End()})
	d.pops = make([][]StackSymbol, len(d.transitions))
	for s, list := range d.transitions {
		for _, t := range list {
			if t.Pop != NoSymbol && !slices.Contains(d.pops[s], t.Pop) {
				d.pops[s] = append(d.pops[s], t.Pop)
			}
		}
	}
	return d, nil
}

// addRule adds the transitions of a rule.
func (d *DFT) addRule(rule *grammar.Rule) {
	x := grammar.N(rule.LHS)
	from, pop := d.begin(x), NoSymbol
	for _, a := range rule.RHS {
		place := d.place(partial{max(pop, Bottom), rule.LHS, a})
		d.add(Transition{from, reading(a), pop, place, d.begin(a)})
		from, pop = d.finish(a), place
	}
	d.add(Transition{from, NoTerminal, pop, NoSymbol, d.finish(x)})
}

// place is the stack symbol of a place.
func (d *DFT) place(p partial) StackSymbol {
	y, _ := d.places.ID(p)
	return StackSymbol(y)
}

// add adds a transition, once.
func (d *DFT) add(t Transition) {
	if !slices.Contains(d.transitions[t.From], t) {
		d.transitions[t.From] = append(d.transitions[t.From], t)
	}
}

// begin and finish are the paper's start(a) and end(a); a terminal is both.
func (d *DFT) begin(a grammar.Symbol) DFTState {
	if a.IsTerminal() {
		return DFTState(a.Terminal())
	}
	return DFTState(len(d.g.Terminals) + 2*int(a.Nonterminal()))
}

func (d *DFT) finish(a grammar.Symbol) DFTState {
	if a.IsTerminal() {
		return DFTState(a.Terminal())
	}
	return d.begin(a) + 1
}

func reading(a grammar.Symbol) grammar.Terminal {
	if a.IsTerminal() {
		return a.Terminal()
	}
	return NoTerminal
}

// End is the only accepting state, $END.
func (d *DFT) End() DFTState {
	return DFTState(len(d.g.Terminals) + 2*len(d.g.Nonterminals))
}

// NumStates counts the states.
func (d *DFT) NumStates() int { return len(d.transitions) }

// NumTransitions counts the transitions.
func (d *DFT) NumTransitions() int {
	n := 0
	for _, list := range d.transitions {
		n += len(list)
	}
	return n
}

// usefulRules lists the rules that take part in a sentence: those whose symbols all derive
// terminals, and whose left-hand side is reached from the start.
func usefulRules(g *grammar.Grammar) []int32 {
	yields := make([]bool, len(g.Nonterminals))
	productive := func(r *grammar.Rule) bool {
		for _, a := range r.RHS {
			if !a.IsTerminal() && !yields[a.Nonterminal()] {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for i := range g.Rules {
			if r := &g.Rules[i]; !yields[r.LHS] && productive(r) {
				yields[r.LHS], changed = true, true
			}
		}
	}
	reached := make([]bool, len(g.Nonterminals))
	reached[g.Start] = true
	for changed := true; changed; {
		changed = false
		for i := range g.Rules {
			r := &g.Rules[i]
			if !reached[r.LHS] || !productive(r) {
				continue
			}
			for _, a := range r.RHS {
				if !a.IsTerminal() && !reached[a.Nonterminal()] {
					reached[a.Nonterminal()], changed = true, true
				}
			}
		}
	}
	var used []int32
	for i := range g.Rules {
		if r := &g.Rules[i]; reached[r.LHS] && productive(r) {
			used = append(used, int32(i))
		}
	}
	return used
}
