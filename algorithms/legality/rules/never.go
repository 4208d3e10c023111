package rules

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// IsNeverLegal is the paper's is_never_legal (section 2, algorithm 1): whether no sentence has x
// followed by s in it. It is exact.
//
// The sentences with x s in them are the language intersected with Σ* x s Σ*, which a chain of
// states recognises: state 0 loops on everything, x and the steps of s lead along the chain, its
// last state loops. After Bar-Hillel, Perles and Shamir, the intersection has a nonterminal (i, A,
// j) for what A derives that leads the chain from i to j, and is empty if (first, start symbol,
// last) derives nothing. Those triples that derive something are the least fixed point computed
// here, for each A and i as a set of j.
//
// A rule is looked at again only if one of its nonterminals got more triples, so that it costs a
// few times the rules times the length of s: a millisecond or so for a programming language.
func (d *DFT) IsNeverLegal(x grammar.Terminal, s Sequence) bool {
	chain := append(Sequence{{x}}, s...)
	n := &intersection{d: d, chain: chain, states: len(chain) + 1}
	n.words = bitset.Words(n.states)
	n.reach = make([]uint64, len(d.g.Nonterminals)*n.states*n.words)
	n.set, n.next = bitset.New(n.states), bitset.New(n.states)
	n.changed = make([]int32, len(d.g.Nonterminals))
	n.looked = make([]int32, len(d.rules))
	for n.now = 1; n.round(); {
	}
	last := n.of(d.g.Start, 0)
	return !bitset.Has(last, len(chain))
}

// intersection is the fixed point being computed.
type intersection struct {
	d             *DFT
	chain         Sequence
	states, words int
	reach         []uint64 // by nonterminal and state: the states it can lead to
	set, next     []uint64
	changed       []int32 // by nonterminal: when its triples grew
	looked        []int32 // by index in the automaton's rules: when it was looked at
	now           int32
}

func (n *intersection) of(a grammar.Nonterminal, i int) []uint64 {
	at := (int(a)*n.states + i) * n.words
	return n.reach[at : at+n.words]
}

// round goes once through the rules that may say more than before, last ones first (they tend to be
// the ones at the bottom), and tells whether anything is new.
func (n *intersection) round() bool {
	grown := false
	for k := len(n.d.rules) - 1; k >= 0; k-- {
		rule := &n.d.g.Rules[n.d.rules[k]]
		if !n.stale(rule, n.looked[k]) {
			continue
		}
		n.now++
		n.looked[k] = n.now
		for i := range n.states {
			if n.derive(rule, i) {
				grown = true
				n.now++
				n.changed[rule.LHS] = n.now
			}
		}
	}
	return grown
}

// stale tells whether a rule that was looked at then may say more now.
func (n *intersection) stale(rule *grammar.Rule, then int32) bool {
	if then == 0 {
		return true
	}
	for _, a := range rule.RHS {
		if !a.IsTerminal() && n.changed[a.Nonterminal()] > then {
			return true
		}
	}
	return false
}

// derive adds where a rule leads from state i.
func (n *intersection) derive(rule *grammar.Rule, i int) (grown bool) {
	clear(n.set)
	bitset.Add(n.set, i)
	for _, a := range rule.RHS {
		n.read(a)
	}
	return bitset.Unite(n.of(rule.LHS, i), n.set)
}

// read replaces set by where a symbol leads from it.
func (n *intersection) read(a grammar.Symbol) {
	clear(n.next)
	for i := range bitset.All[int](n.set) {
		if !a.IsTerminal() {
			bitset.Unite(n.next, n.of(a.Nonterminal(), i))
			continue
		}
		if i == 0 || i == len(n.chain) {
			bitset.Add(n.next, i)
		}
		if i < len(n.chain) && slices.Contains(n.chain[i], a.Terminal()) {
			bitset.Add(n.next, i+1)
		}
	}
	n.set, n.next = n.next, n.set
}
