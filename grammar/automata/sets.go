package automata

// Patterns on demand. The subset construction of a pattern may take millions of sets, of which a
// text comes to one for each of its bytes. So the row of a set is made when a text comes there.
//
// From each set something is accepted: a set is not empty, and from each position of the expression
// something is, since those from which nothing is are cut off before (prune). That is why there are
// no lookarounds here: they may contradict one another further on.

// A setRows has the rows of the sets of threads. Set i is state 2i, or 2i+1 if it accepts; set 0 is
// the start, and state 0.
type setRows struct {
	d      *determinizer
	empty  bool      // it matches the empty string
	lists  [][]int32 // scratch
	filled []uint8   // scratch
}

// CompileOnDemand is Compile for an expression that may be too large for it. It is an automaton on
// demand that is Stepped, so its texts must be in UTF-8. Errors are those of Compile for an
// expression of too many positions. ok is false if the expression has lookarounds or lazy
// quantifiers.
func CompileOnDemand(e *Expr, lim Limits) (d *DFA, ok bool, err error) {
	n, err := newNFA(e, newBudget(lim), false)
	if err != nil || len(n.looks) > 0 || e.HasLazy() {
		return nil, false, err
	}
	n.prune()
	x := &setRows{d: newDeterminizer(n, unbounded(), compileMode{})}
	x.lists = make([][]int32, x.d.classes.num())
	if _, err := x.d.close([]int32{n.start}, x.d.internPast(nil), parent{set: Dead}); err != nil {
		return nil, false, err
	}
	if x.d.sets[0].count == 0 {
		return emptyDFA(), true, nil
	}
	x.empty = x.d.sets[0].end != Dead
	return OnDemand(x.d.classes.of, x.d.classes.num(), x).stepped(), true, nil
}

// prune makes the positions from which nothing is accepted such that no thread gets there.
func (n *nfa) prune() {
	into := newLists(len(n.states), func(add func(key, value int32)) {
		for i, s := range n.states {
			for k := s.first; k < s.first+s.count; k++ {
				if s.kind == nfaRead {
					add(n.edges[k].to, int32(i))
				} else {
					add(n.jumps[k], int32(i))
				}
			}
		}
	})
	live := make([]bool, len(n.states))
	var todo []int32
	for i, s := range n.states {
		if s.kind == nfaAccept {
			live[i], todo = true, append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, from := range into.of(i) {
			if !live[from] {
				live[from], todo = true, append(todo, from)
			}
		}
	}
	for i, is := range live {
		if !is {
			n.states[i] = nfaState{kind: nfaSplit}
		}
	}
}

// Row writes the row of a state: see Rows.
func (x *setRows) Row(s int32, to []int32) (filled []uint8) {
	filled = x.filled[:0]
	if int(s>>1) >= len(x.d.sets) {
		return filled
	}
	row, err := x.d.expand(s>>1, x.lists, nil)
	if err != nil {
		panic(err) // without lookarounds and bounds there is none
	}
	for c, i := range row {
		if i == Dead {
			continue
		}
		if to[c] = 2 * i; i > 0 && x.d.sets[i].end != Dead {
			to[c]++
		}
		filled = append(filled, uint8(c))
	}
	x.filled = filled
	return filled
}

// Accepting tells whether a state accepts.
func (x *setRows) Accepting(s int32) bool { return s&1 == 1 || s == 0 && x.empty }

// Bound is a number above those of all states.
func (x *setRows) Bound() int { return maxBound }
