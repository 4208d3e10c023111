package koo

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gcdbench/grammar"
)

// A PDA is a pushdown automaton over bytes in the paper's own form (section 3.1): edges pop and
// push strings of stack symbols. The engine does not use it, since it cannot be built for a grammar
// with left recursion and cannot be determinized in general; it is the definition that the engine's
// configurations are compared with, and what the paper's figures show.
type PDA struct {
	// Edges are by state. State 0 is the start.
	Edges [][]PDAEdge
	// Final is by state. A text is accepted in a final state with an empty stack.
	Final []bool
}

// A PDAEdge reads Byte, or nothing if Reads is false. Pop is taken off the top of the stack, the
// last symbol being the top; then Push is put on, the last symbol becoming the top.
type PDAEdge struct {
	Reads     bool
	Byte      byte
	Pop, Push []int32
	To        int32
}

// GrammarPDA builds the automaton of a grammar by replacement (Allauzen and Riley 2012, section
// 4.5): each rule is a chain of states; in place of a symbol the return address is pushed and the
// symbol's own automaton entered, whose end pops it. The last symbol of a rule is entered without a
// return address: its end is the rule's, and right recursion needs no stack. Terminals are entered
// like nonterminals, and ignored ones from everywhere between two symbols. A stack symbol is the
// state to return to. It fails for left-recursive grammars, which would push for ever.
func GrammarPDA(g *grammar.Grammar) (*PDA, error) {
	if n, ok := leftRecursive(g); ok {
		return nil, fmt.Errorf("grammar %s: %s is left-recursive; rewrite it with right recursion, or use the engine", g.Name, g.Nonterminals[n].Name)
	}
	t, err := newTerminals(g)
	if err != nil {
		return nil, err
	}
	b := pdaBuilder{g: g, terminals: t, pda: &PDA{}, entries: map[grammar.Symbol]int32{}, returns: map[grammar.Symbol]map[int32]bool{}}
	return b.build(), nil
}

// pdaBuilder gives out states: the start and the end, the entries of nonterminals, the places of
// terminals, the dots of rules.
type pdaBuilder struct {
	g         *grammar.Grammar
	terminals *terminals
	pda       *PDA
	between   []int32                           // the states between symbols
	entries   map[grammar.Symbol]int32          // where a symbol's automaton begins
	returns   map[grammar.Symbol]map[int32]bool // the addresses its end may return to
	tails     [][2]grammar.Symbol               // the last symbol of a rule, and its left-hand side
}

func (b *pdaBuilder) state() int32 {
	b.pda.Edges = append(b.pda.Edges, nil)
	b.pda.Final = append(b.pda.Final, false)
	return int32(len(b.pda.Final) - 1)
}

func (b *pdaBuilder) edge(from int32, e PDAEdge) { b.pda.Edges[from] = append(b.pda.Edges[from], e) }

// call enters the automaton of a symbol, to return to a state.
func (b *pdaBuilder) call(from int32, sym grammar.Symbol, back int32) {
	b.edge(from, PDAEdge{Push: []int32{back}, To: b.entries[sym]})
	b.mayReturn(sym, back)
}

// mayReturn notes a return address; it tells whether it is new.
func (b *pdaBuilder) mayReturn(sym grammar.Symbol, to int32) bool {
	if b.returns[sym] == nil {
		b.returns[sym] = map[int32]bool{}
	}
	was := b.returns[sym][to]
	b.returns[sym][to] = true
	return !was
}

func (b *pdaBuilder) build() *PDA {
	start, end := b.state(), b.state()
	b.pda.Final[end] = true
	b.between = []int32{start, end}
	for i := range b.g.Nonterminals {
		b.entries[grammar.N(grammar.Nonterminal(i))] = b.state()
	}
	base := int32(len(b.pda.Final))
	for range b.terminals.owner {
		b.state()
	}
	for t, first := range b.terminals.first {
		if first >= 0 {
			b.entries[grammar.T(grammar.Terminal(t))] = base + first
		}
	}
	b.call(start, grammar.N(b.g.Start), end)
	var empty []int32 // by rule without symbols: its dot
	for _, r := range b.g.Rules {
		dot := b.rule(r)
		empty = append(empty, dot)
	}
	for _, s := range b.between {
		for _, first := range b.terminals.blanks {
			b.call(s, grammar.T(b.terminals.owner[first]), s)
		}
	}
	for again := true; again; {
		again = false
		for _, tail := range b.tails {
			for to := range b.returns[tail[1]] {
				again = b.mayReturn(tail[0], to) || again
			}
		}
	}
	for i, r := range b.g.Rules {
		if len(r.RHS) == 0 {
			b.leave(empty[i], grammar.N(r.LHS))
		}
	}
	for p := range b.terminals.owner {
		b.places(base, place(p))
	}
	return b.pda
}

// rule writes out the chain of a rule and returns its first dot.
func (b *pdaBuilder) rule(r grammar.Rule) int32 {
	first := b.state()
	b.edge(b.entries[grammar.N(r.LHS)], PDAEdge{To: first})
	b.between = append(b.between, first)
	for i, dot := 0, first; i < len(r.RHS); i++ {
		entry, ok := b.entries[r.RHS[i]]
		if !ok {
			break // a terminal that matches nothing
		}
		if i == len(r.RHS)-1 {
			b.edge(dot, PDAEdge{To: entry})
			b.tails = append(b.tails, [2]grammar.Symbol{r.RHS[i], grammar.N(r.LHS)})
			break
		}
		next := b.state()
		b.between = append(b.between, next)
		b.call(dot, r.RHS[i], next)
		dot = next
	}
	return first
}

// leave lets a state pop any return address of a symbol.
func (b *pdaBuilder) leave(from int32, sym grammar.Symbol) {
	for _, to := range slices.Sorted(maps.Keys(b.returns[sym])) {
		b.edge(from, PDAEdge{Pop: []int32{to}, To: to})
	}
}

// places writes out the edges of one place of a terminal.
func (b *pdaBuilder) places(base int32, p place) {
	for c := range 256 {
		if to := b.terminals.next[int(p)*b.terminals.width+int(b.terminals.classes[c])]; to >= 0 {
			b.edge(base+p, PDAEdge{Reads: true, Byte: byte(c), To: base + to})
		}
	}
	if b.terminals.final[p] {
		b.leave(base+p, grammar.T(b.terminals.owner[p]))
	}
}

// leftRecursive finds a nonterminal that can begin with itself.
func leftRecursive(g *grammar.Grammar) (grammar.Nonterminal, bool) {
	empty := make([]bool, len(g.Nonterminals))
	begins := make([]map[grammar.Nonterminal]bool, len(g.Nonterminals))
	for i := range begins {
		begins[i] = map[grammar.Nonterminal]bool{}
	}
	for again := true; again; {
		again = false
		grow := func(of, with grammar.Nonterminal) {
			if !begins[of][with] {
				begins[of][with], again = true, true
			}
		}
		for _, r := range g.Rules {
			all := true
			for _, sym := range r.RHS {
				if sym.IsTerminal() {
					all = false
					break
				}
				grow(r.LHS, sym.Nonterminal())
				for n := range begins[sym.Nonterminal()] {
					grow(r.LHS, n)
				}
				if all = empty[sym.Nonterminal()]; !all {
					break
				}
			}
			if all && !empty[r.LHS] {
				empty[r.LHS], again = true, true
			}
		}
	}
	for n := range begins {
		if begins[n][grammar.Nonterminal(n)] {
			return grammar.Nonterminal(n), true
		}
	}
	return 0, false
}

// A TokenPDA is a PDA composed with a detokenizing transducer (section 3.2): it reads tokens.
type TokenPDA struct {
	// Edges are by state of the PDA; those that read tokens, composed.
	Edges [][]TokenPDAEdge
	pda   *PDA
}

// A TokenPDAEdge reads a token. Pop and Push are as in PDAEdge: what the bytes of the token pushed
// and popped again is in neither.
type TokenPDAEdge struct {
	Token     int32
	Pop, Push []int32
	To        int32
}

// errEndless says that a PDA moves without reading for ever.
var errEndless = errors.New("the automaton pushes without reading for ever")

// maxIdle bounds the moves without reading between two bytes: a grammar without left recursion
// makes at most one for each nonterminal and dot; beyond this many something is circular.
const maxIdle = 10_000

// ComposePDA composes a PDA with a transducer. Before and after the token's bytes only such moves
// without reading are made as they need; those before belong to the edge. Pops that an edge cannot
// match with its own pushes are left for the stack at run time, so an edge crosses the bounds of
// rules in either direction (figure 7).
func ComposePDA(f *FST, p *PDA) (*TokenPDA, error) {
	t := &TokenPDA{pda: p}
	for s := range int32(len(p.Edges)) {
		var edges []TokenPDAEdge
		err := p.paths(f, 0, TokenPDAEdge{To: s}, 0, &edges)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(edges, compareEdges)
		edges = slices.CompactFunc(edges, func(a, b TokenPDAEdge) bool { return compareEdges(a, b) == 0 })
		t.Edges = append(t.Edges, edges)
	}
	return t, nil
}

func compareEdges(a, b TokenPDAEdge) int {
	if c := slices.Compare([]int32{a.Token, a.To}, []int32{b.Token, b.To}); c != 0 {
		return c
	}
	if c := slices.Compare(a.Pop, b.Pop); c != 0 {
		return c
	}
	return slices.Compare(a.Push, b.Push)
}

// paths follows transducer and automaton together from a transducer's state.
func (p *PDA) paths(f *FST, at int32, so TokenPDAEdge, idle int, out *[]TokenPDAEdge) error {
	if idle > maxIdle || len(so.Push) > maxIdle {
		return errEndless
	}
	for _, e := range p.Edges[so.To] {
		next, ok := so.then(e)
		if !ok {
			continue
		}
		if !e.Reads {
			if err := p.paths(f, at, next, idle+1, out); err != nil {
				return err
			}
			continue
		}
		for _, w := range f.Edges[at] {
			if w.Byte != e.Byte {
				continue
			}
			if w.Token >= 0 {
				next.Token = w.Token
				*out = append(*out, next)
			} else if err := p.paths(f, w.To, next, 0, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// then is an edge followed by another; ok is false if it pops what was not pushed.
func (e TokenPDAEdge) then(next PDAEdge) (_ TokenPDAEdge, ok bool) {
	pop := next.Pop
	push := slices.Clone(e.Push)
	for len(pop) > 0 && len(push) > 0 {
		if pop[len(pop)-1] != push[len(push)-1] {
			return e, false
		}
		pop, push = pop[:len(pop)-1], push[:len(push)-1]
	}
	e.Pop = append(slices.Clone(pop), e.Pop...)
	e.Push = append(push, next.Push...)
	e.To = next.To
	return e, true
}

// A PDAPosition is a state and a stack of a TokenPDA.
type PDAPosition struct {
	State int32
	Stack []int32
}

// Step is where a token leads from some positions: the edges whose pops the stacks match.
func (t *TokenPDA) Step(from []PDAPosition, token int32) []PDAPosition {
	var to []PDAPosition
	for _, p := range from {
		for _, e := range t.Edges[p.State] {
			rest := len(p.Stack) - len(e.Pop)
			if e.Token != token || rest < 0 || !slices.Equal(p.Stack[rest:], e.Pop) {
				continue
			}
			next := PDAPosition{e.To, slices.Concat(p.Stack[:rest], e.Push)}
			if !slices.ContainsFunc(to, func(o PDAPosition) bool { return o.State == next.State && slices.Equal(o.Stack, next.Stack) }) {
				to = append(to, next)
			}
		}
	}
	return to
}

// Accepts tells whether a text may end in one of some positions, after moves that read nothing.
func (t *TokenPDA) Accepts(at []PDAPosition) bool {
	for i := 0; i < len(at) && i < maxIdle; i++ {
		p := at[i]
		if t.pda.Final[p.State] && len(p.Stack) == 0 {
			return true
		}
		for _, e := range t.pda.Edges[p.State] {
			if rest := len(p.Stack) - len(e.Pop); !e.Reads && rest >= 0 && slices.Equal(p.Stack[rest:], e.Pop) {
				at = append(at[:len(at):len(at)], PDAPosition{e.To, slices.Concat(p.Stack[:rest], e.Push)})
			}
		}
	}
	return false
}
