package automata

import "slices"

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
	lefts := n.lefts()
	n.prune(lefts)
	x := &setRows{d: newDeterminizer(n, unbounded(), compileMode{})}
	x.d.lefts = lefts
	x.lists = make([][]int32, x.d.classes.num())
	if err := x.d.open(); err != nil {
		return nil, false, err
	}
	if x.d.sets[0].count == 0 {
		return emptyDFA(), true, nil
	}
	x.empty = x.d.sets[0].end != Dead
	return OnDemand(x.d.classes.of, x.d.classes.num(), x).stepped(), true, nil
}

// lefts are the fewest bytes from each position to the end of a match, assertions aside; many where
// there is none.
func (n *nfa) lefts() []int32 {
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
	lefts := slices.Repeat([]int32{noMatch}, len(n.states))
	var now, later []int32
	for i, s := range n.states {
		if s.kind == nfaAccept {
			now = append(now, int32(i))
		}
	}
	for left := int32(0); len(now) > 0; left++ {
		for len(now) > 0 {
			i := now[len(now)-1]
			now = now[:len(now)-1]
			if lefts[i] != noMatch {
				continue
			}
			lefts[i] = left
			for _, from := range into.of(i) {
				if n.states[from].kind == nfaRead {
					later = append(later, from)
				} else {
					now = append(now, from)
				}
			}
		}
		now, later = later, now[:0]
	}
	return lefts
}

// noMatch is how many bytes are left where none lead to the end of a match.
const noMatch = 1 << 24

// prune makes the positions from which nothing is accepted such that no thread gets there.
func (n *nfa) prune(lefts []int32) {
	for i, left := range lefts {
		if left == noMatch {
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

// Outlook implements outlooker.
func (x *setRows) Outlook(s int32) Outlook {
	if s>>1 == x.d.rest {
		return Free
	}
	return Leads
}

// Near implements nearing.
func (x *setRows) Near(s int32) int32 { return x.d.near(s >> 1) }

// Bound is a number above those of all states.
func (x *setRows) Bound() int { return maxBound }

// A Firsts reads the texts that an expression matches and of which it matches no proper prefix, as
// far as they are asked for. Where a lookaround at the end of a match depends on what follows,
// there is no match yet, instead of an error. It suits patterns that any text may follow: what
// comes after a match, which may be all combinations of further matches, is never looked at. It is
// for one goroutine at a time.
//
// Its states are numbers. From one that is not Dead there need not be a match.
type Firsts struct {
	d    *determinizer
	rows [][]int32 // by set and class, unknown before it is asked for; nil before one of a set is
}

// FirstsOf are those of an expression. Errors are those of Compile for an expression of too many
// positions, or for an assertion inside of another one that looks in front of it.
func FirstsOf(e *Expr, lim Limits) (*Firsts, error) {
	n, err := newNFA(e, newBudget(lim), false)
	if err != nil {
		return nil, err
	}
	f := &Firsts{d: newDeterminizer(n, unbounded(), compileMode{cut: true, patient: true})}
	return f, f.d.open()
}

// Start is the first state.
func (f *Firsts) Start() int32 { return 0 }

// Next is the state after a byte.
func (f *Firsts) Next(s int32, b byte) int32 {
	if s == Dead {
		return Dead
	}
	for int(s) >= len(f.rows) {
		f.rows = append(f.rows, nil)
	}
	if f.rows[s] == nil {
		f.rows[s] = slices.Repeat([]int32{unknown}, f.d.classes.num())
	}
	class := f.d.classes.of[b]
	if f.rows[s][class] == unknown {
		f.rows[s][class] = must(f.d.after(s, int(class))) // without bounds there is no error
	}
	return f.rows[s][class]
}

// Matches tells whether there is a match in a state.
func (f *Firsts) Matches(s int32) bool { return s != Dead && f.d.sets[s].end != Dead }

// Near is an estimate of the bytes from a state, which is not Dead, to a match.
func (f *Firsts) Near(s int32) int32 { return f.d.near(s) }

// Same tells whether two bytes lead to the same state from any.
func (f *Firsts) Same(a, b byte) bool { return f.d.classes.of[a] == f.d.classes.of[b] }
