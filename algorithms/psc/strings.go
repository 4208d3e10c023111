package psc

import (
	"math/bits"

	"gcdbench/algorithms/spanner"
	"gcdbench/grammar"
	"gcdbench/lexer"
)

// Inside a JSON string the lexer of a schema follows all keys, values and patterns of the schema at once,
// while the parser, at the top of its stack, takes few of them. Which, does hardly ever depend on the
// rest of the stack: a string begins behind a bracket, a comma or a colon, and the state behind it shifts what
// may come. So where a string is pending, the start of the automaton is that of the terminals alone that
// the top is sure to take (spanner.Quoted). Lexer states that differ in other terminals share it, and
// its groups need no verdict. It is the same with numbers (spanner.Numeric).

// A narrowing is what a state on top of the stack does with strings and numbers: those it is sure to take, and
// those that depend on what lies under it.
type narrowing struct{ sure, unsure []uint64 }

// narrowing is the narrowing of state x.
func (a *automaton) narrowing(x int32) *narrowing {
	if a.narrowings == nil {
		a.narrowings = map[int32]*narrowing{}
	}
	n := a.narrowings[x]
	if n != nil {
		return n
	}
	n = &narrowing{a.tables.NewSet(), a.tables.NewSet()}
	a.narrowings[x] = n
	live, shiftable := a.tables.Live(x), a.tables.Shiftable(x)
	strings, numbers := a.spans.Strings(), a.spans.Numbers()
	for i := range max(len(strings), len(numbers)) {
		var w uint64
		if strings != nil {
			w |= strings[i]
		}
		if numbers != nil {
			w |= numbers[i]
		}
		n.sure[i] = w & shiftable[i]
		for w &= live[i] &^ shiftable[i]; w != 0; w &= w - 1 {
			t := grammar.Terminal(i<<6 + bits.TrailingZeros64(w))
			switch a.sym.leaf(a.sym.baseOf(x), a.sym.setOf(a.tables.NewSet(t))) {
			case accepted:
				n.sure[i] |= w & -w
			case nothing:
			default:
				n.unsure[i] |= w & -w
			}
		}
	}
	return n
}

// parts are the parts of lexer state q, nil if it is not one inside or at the end of a string or a number.
func (a *automaton) parts(q lexer.State) []lexer.Part {
	strings, numbers := a.spans.Strings(), a.spans.Numbers()
	if q == a.problem.Lexer.Start() || strings == nil && numbers == nil {
		return nil
	}
	parts := a.problem.Lexer.(*lexer.OnDemand).Parts(nil, q)
	if allIn(parts, strings) || allIn(parts, numbers) {
		return parts
	}
	return nil
}

// allIn tells whether the terminals of all parts are in a set; nil is the empty one.
func allIn(parts []lexer.Part, set []uint64) bool {
	for _, p := range parts {
		if set == nil || set[p.Terminal>>6]&(1<<(uint(p.Terminal)&63)) == 0 {
			return false
		}
	}
	return true
}

// narrow leaves out of the parts of a lexer state those that x does not take. It is not ok if for one
// of them that is not sure.
func (a *automaton) narrow(x int32, parts []lexer.Part) (sure []lexer.Part, ok bool) {
	n := a.narrowing(x)
	a.sure = a.sure[:0]
	for _, p := range parts {
		i, bit := p.Terminal>>6, uint64(1)<<(uint(p.Terminal)&63)
		if n.unsure[i]&bit != 0 {
			return nil, false
		}
		if n.sure[i]&bit != 0 {
			a.sure = append(a.sure, p)
		}
	}
	return a.sure, true
}

// startQuoted is start for a lexer state in which the given parts are followed, with root the tree of them.
func (a *automaton) startQuoted(root spanner.NodeID, parts []lexer.Part, x int32) *state {
	key := pair(int32(root), x)
	if s := a.quoted[key]; s != nil {
		return s
	}
	a.starts++
	a.begin(x)
	c := a.sym.baseOf(x)
	n := a.spans.Node(root)
	for i := range n.Leaves {
		a.accepts = append(a.accepts, ownLeaf+int32(i))
	}
	a.kids(c, n, 0)
	lex := a.problem.Lexer.(*lexer.OnDemand)
	for _, p := range parts {
		if lex.Terminal(p.Terminal).Accepting(p.State) {
			a.take(a.sym.shift(c, p.Terminal), eosPlace)
		}
	}
	s := a.finish()
	if a.quoted == nil {
		a.quoted = map[uint64]*state{}
	}
	a.quoted[key] = s
	return s
}
