package automata

import "slices"

// An nfa is an expression written out as positions. It is built from its end to
// its beginning: each node of the expression is given the state that follows
// it, so that concatenation costs no state and a repeat is a loop around its
// body. Reading happens in the states of fragments; all others are followed at
// once.
type nfa struct {
	states []nfaState
	edges  []edge  // of reading states
	jumps  []int32 // of splitting states
	looks  []*look
	start  int32
	copies copyRanks
	parts  []nfaPart // whose ends are the first positions
}

// An nfaState has its edges or jumps at first .. first+count.
type nfaState struct {
	kind  nfaKind
	look  int32 // index in looks
	first int32
	count int32
}

type nfaKind uint8

const (
	nfaRead   nfaKind = iota // edges
	nfaSplit                 // jumps, any number
	nfaLook                  // an assertion, then one jump
	nfaAccept                // the end of the match
)

// nfaStateBytes estimates the memory of a position with its share of the edges.
const nfaStateBytes = 48

// measure returns how many positions e has when it is written out, and checks
// the limits that can be checked beforehand.
func (b *budget) measure(e *Expr) (int, error) {
	if e.depth > 2*maxDepth {
		return 0, &LimitError{"depth", 2 * maxDepth, "the expression is nested too deeply", hintDepth}
	}
	return b.positions(e)
}

// positions stops as soon as there are too many, so that expressions which
// share parts many times over do not take long either.
func (b *budget) positions(e *Expr) (int, error) {
	total := 1
	switch e.op {
	case opLiteral:
		total = max(1, len(e.bytes))
	case opClass:
		total = len(e.frag.nodes)
	case opAutomaton:
		if !e.dfa.Within(b.MaxPositions) {
			return 0, b.tooManyPositions()
		}
		total = 2*e.dfa.Whole().NumStates() + e.dfa.NumContexts()
	case opConcat, opAlternate, opRepeat:
		for _, sub := range e.subs {
			n, err := b.positions(sub)
			if err != nil {
				return 0, err
			}
			if total += n; total > b.MaxPositions {
				return 0, b.tooManyPositions()
			}
		}
	}
	if count := max(e.min, e.max); count > b.MaxRepeat {
		return 0, &LimitError{"MaxRepeat", b.MaxRepeat, "a count of a repeat {m,n} is too large", hintRepeat}
	} else if total > b.MaxPositions/max(count, 1) {
		return 0, b.tooManyPositions()
	} else if count > 1 {
		total *= count
	}
	if e.parts {
		total += 1 + len(e.subs) // with ends of their own
	}
	return total, nil
}

func (b *budget) tooManyPositions() error {
	return &LimitError{"MaxPositions", b.MaxPositions, "the expression, with its repeats written out, is too long", hintRepeat}
}

// A nfaBuilder builds one nfa.
type nfaBuilder struct {
	nfa
	budget  *budget
	ordered bool            // the order of jumps is one of preference
	looked  map[*Expr]int32 // assertions already built, by their node
	bodies  map[lookBody]*DFA
}

// A lookBody is what an assertion looks for. Those of anchors are shared.
type lookBody struct {
	body   *Expr
	behind bool
}

// newNFA writes e out. Lookarounds get automata of their own. If the order of preference matters,
// the parts of e have ends of their own, and jumps are in that order.
func newNFA(e *Expr, b *budget, ordered bool) (*nfa, error) {
	size, err := b.measure(e)
	if err != nil {
		return nil, err
	}
	if err := b.hold(size * nfaStateBytes); err != nil {
		return nil, err
	}
	nb := &nfaBuilder{budget: b, ordered: ordered, looked: map[*Expr]int32{}, bodies: b.bodies}
	if nb.bodies == nil {
		nb.bodies = map[lookBody]*DFA{}
	}
	parts := []*Expr{e}
	if ordered {
		parts = e.ownParts()
	}
	nb.states = slices.Repeat([]nfaState{{kind: nfaAccept}}, len(parts))
	starts := make([]int32, len(parts))
	for i, part := range parts {
		if starts[i], err = nb.build(part, int32(i)); err != nil {
			return nil, err
		}
		nb.parts = append(nb.parts, nfaPart{int32(len(nb.states)), part.lazy})
	}
	nb.start = starts[0]
	if len(starts) > 1 {
		nb.start = nb.split(starts...)
	}
	return &nb.nfa, nil
}

// build adds e in front of the state next, and returns the state where e starts.
func (nb *nfaBuilder) build(e *Expr, next int32) (int32, error) {
	switch e.op {
	case opLiteral:
		for i := len(e.bytes) - 1; i >= 0; i-- {
			c := e.bytes[i]
			next = nb.read(edge{c, c, next})
		}
		return next, nil
	case opClass:
		return nb.class(e.frag, next), nil
	case opConcat:
		var err error
		for i := len(e.subs) - 1; i >= 0; i-- {
			if next, err = nb.build(e.subs[i], next); err != nil {
				return 0, err
			}
		}
		return next, nil
	case opAlternate:
		return nb.alternate(e, next)
	case opRepeat:
		return nb.repeat(e, next)
	case opAutomaton:
		return nb.automaton(e.dfa, next), nil
	}
	return nb.assertion(e, next)
}

// read adds a reading state.
func (nb *nfaBuilder) read(edges ...edge) int32 {
	nb.states = append(nb.states, nfaState{first: int32(len(nb.edges)), count: int32(len(edges))})
	nb.edges = append(nb.edges, edges...)
	return int32(len(nb.states) - 1)
}

// split adds a state that goes on in any of the given ones.
func (nb *nfaBuilder) split(targets ...int32) int32 {
	nb.states = append(nb.states, nfaState{kind: nfaSplit, first: int32(len(nb.jumps)), count: int32(len(targets))})
	nb.jumps = append(nb.jumps, targets...)
	return int32(len(nb.states) - 1)
}

// class copies a fragment.
func (nb *nfaBuilder) class(f *fragment, next int32) int32 {
	base := int32(len(nb.states))
	for _, node := range f.nodes {
		id := nb.read(node...)
		for i := range nb.edges[nb.states[id].first:] {
			e := &nb.edges[int(nb.states[id].first)+i]
			if e.to == exit {
				e.to = next
			} else {
				e.to += base
			}
		}
	}
	return base
}

func (nb *nfaBuilder) alternate(e *Expr, next int32) (int32, error) {
	targets := make([]int32, len(e.subs))
	for i, sub := range e.subs {
		var err error
		if targets[i], err = nb.build(sub, next); err != nil {
			return 0, err
		}
	}
	return nb.split(targets...), nil
}

// repeat writes a repeat out. Optional copies all skip to the same end, so that
// no chain of skips arises.
func (nb *nfaBuilder) repeat(e *Expr, next int32) (int32, error) {
	body, required, start := e.subs[0], e.min, next
	var err error
	if e.max < 0 { // a loop; its first round is the last required copy
		loop := nb.split(next, next)
		if start, err = nb.build(body, loop); err != nil {
			return 0, err
		}
		choice := nb.choice(e, nb.round(body, start, loop, next), next)
		copy(nb.jumps[nb.states[loop].first:], choice)
		if required == 0 {
			return loop, nil
		}
		required--
	}
	first, optional := len(nb.states), max(0, e.max-e.min) // none if unbounded
	for range optional {
		after := start
		if start, err = nb.build(body, after); err != nil {
			return 0, err
		}
		start = nb.split(nb.choice(e, nb.round(body, start, after, next), next)...)
	}
	if optional > 1 {
		nb.copies.repeat(first, (len(nb.states)-first)/optional, optional)
	}
	for range required {
		if start, err = nb.build(body, start); err != nil {
			return 0, err
		}
	}
	return start, nb.checkSize()
}

// choice is one more round of a repeat and what follows it, by preference.
func (nb *nfaBuilder) choice(e *Expr, round, next int32) []int32 {
	if e.few {
		return []int32{next, round}
	}
	return []int32{round, next}
}

// round is where an optional round of a repeat starts: at the start of its body, which leads to
// after. Where order matters, an empty round is the last one, as in Python: what leads through the
// body without reading is copied, and leads to next.
func (nb *nfaBuilder) round(body *Expr, start, after, next int32) int32 {
	if !nb.ordered || !body.isNullable() {
		return start
	}
	copies := map[int32]int32{after: next}
	var visit func(s int32) int32
	visit = func(s int32) int32 {
		if to, ok := copies[s]; ok {
			return to
		}
		state := nb.states[s]
		if state.kind == nfaRead || state.kind == nfaAccept {
			return s
		}
		id := int32(len(nb.states))
		copies[s] = id
		first := int32(len(nb.jumps))
		nb.states = append(nb.states, nfaState{state.kind, state.look, first, state.count})
		nb.jumps = append(nb.jumps, nb.jumps[state.first:state.first+state.count]...)
		for i := first; i < first+state.count; i++ {
			to := visit(nb.jumps[i])
			nb.jumps[i] = to
		}
		return id
	}
	return visit(start)
}

// checkSize stops an nfa that has more positions than were measured, as that of nested repeats with
// empty rounds may.
func (nb *nfaBuilder) checkSize() error {
	if len(nb.states) > nb.budget.MaxPositions {
		return nb.budget.tooManyPositions()
	}
	return nil
}

// automaton copies a DFA: a state that accepts may also go on to next.
func (nb *nfaBuilder) automaton(d *DFA, next int32) int32 {
	if d.IsEmpty() {
		return nb.read()
	}
	d = d.Whole()
	// State s becomes two positions: base+2s splits into next, if s accepts,
	// and base+2s+1, which reads.
	ends := nb.contexts(d, next)
	base := int32(len(nb.states))
	var edges []edge
	for s := range int32(d.NumStates()) {
		if d.Accepting(s) {
			nb.split(base+2*s+1, ends[d.Context(s)])
		} else {
			nb.split(base + 2*s + 1)
		}
		edges = edges[:0]
		for _, e := range d.edges(s) {
			edges = append(edges, edge{e.lo, e.hi, base + 2*e.to})
		}
		nb.read(edges...)
	}
	return base
}

// contexts adds the contexts of a DFA in front of next, and returns where each starts.
func (nb *nfaBuilder) contexts(d *DFA, next int32) []int32 {
	ends := []int32{next}
	for c := 1; c < d.NumContexts(); c++ {
		nb.looks = append(nb.looks, d.asLook(int32(c)))
		ends = append(ends, nb.look(int32(len(nb.looks)-1), next))
	}
	return ends
}

// look adds an assertion that is among looks.
func (nb *nfaBuilder) look(id, next int32) int32 {
	nb.states = append(nb.states, nfaState{kind: nfaLook, look: id, first: int32(len(nb.jumps)), count: 1})
	nb.jumps = append(nb.jumps, next)
	return int32(len(nb.states) - 1)
}

// assertion adds a lookaround.
func (nb *nfaBuilder) assertion(e *Expr, next int32) (int32, error) {
	id, ok := nb.looked[e]
	if !ok {
		l, err := nb.newLook(e)
		if err != nil {
			return 0, err
		}
		id = int32(len(nb.looks))
		nb.looks = append(nb.looks, l)
		nb.looked[e] = id
	}
	return nb.look(id, next), nil
}

// classes returns the coarsest partition of the bytes into ranges such that no
// edge tells two bytes of a range apart.
func (n *nfa) classes() byteClasses {
	var cut [257]bool
	for _, e := range n.edges {
		cut[e.lo], cut[int(e.hi)+1] = true, true
	}
	for _, l := range n.looks {
		l.cut(&cut)
	}
	return newByteClasses(&cut)
}

// A byteClasses partitions the bytes into ranges, numbered from 0 in order.
type byteClasses struct {
	of    [256]uint8
	first []byte // the first byte of each class
}

// newByteClasses starts a class at each byte that cut marks.
func newByteClasses(cut *[257]bool) byteClasses {
	var bc byteClasses
	for b := range 256 {
		if b == 0 || cut[b] {
			bc.first = append(bc.first, byte(b))
		}
		bc.of[b] = uint8(len(bc.first) - 1)
	}
	return bc
}

func (bc *byteClasses) num() int { return len(bc.first) }
