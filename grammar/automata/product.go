package automata

import (
	"slices"

	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// Products: two automata run side by side. A pair of states is made when a text first comes to it,
// so that a product costs what is met of it, however large it would be. Whoever wants all of it
// visits all of it (whole).
//
// A mask asks of a pair whether something is accepted from it. That is found out by a search
// forward (settle).

// A statePair is a state of each factor of a product, or Dead.
type statePair struct{ a, b int32 }

// A product has the rows of two automata that run side by side. Pair i is state 2i, or 2i+1 if it
// accepts; pair 0 is the start, and state 0.
type product struct {
	a, b    *DFA
	accepts func(inA, inB bool) bool
	covered bool // b accepts all that a does, and a pair accepts if both do
	classes pairClasses
	seen    index.Index
	pairs   []pairState
	filled  []uint8 // scratch
}

// A pairState is what is known of a pair.
type pairState struct {
	at        statePair
	accepting bool
	lives     liveness
	row       []int32 // the pairs that follow, by class; nil before they are made, and once the row of the state is
}

// A liveness says whether something is accepted from a pair.
type liveness uint8

const (
	unsettled liveness = iota
	settling           // it is being found out
	lives
	dies
)

func newProduct(a, b *DFA, accepts func(inA, inB bool) bool) (*product, error) {
	if a.HasContexts() || b.HasContexts() {
		return nil, ErrContext
	}
	p := &product{a: a, b: b, accepts: accepts, classes: newPairClasses(a, b)}
	return p, nil
}

// InBoth, InFirst and InEither say what a product accepts, by what its factors accept: the
// intersection, the difference, the union.
func InBoth(inA, inB bool) bool   { return inA && inB }
func InFirst(inA, inB bool) bool  { return inA && !inB }
func InEither(inA, inB bool) bool { return inA || inB }

// whole is all of the product; an error if that is larger than b allows.
func (p *product) whole(b *budget) (*DFA, error) {
	raw := rawDFA{classOf: p.classes.of, classes: len(p.classes.pairs)}
	if p.start() == Dead {
		return emptyDFA(), nil
	}
	for i := int32(0); int(i) < len(p.pairs); i++ {
		if err := b.states(len(p.pairs)); err != nil {
			return nil, err
		}
		if err := b.hold(setBytes + 4*raw.classes); err != nil {
			return nil, err
		}
		raw.table = append(raw.table, p.follow(i)...)
		raw.accepting = append(raw.accepting, p.pairs[i].accepting)
	}
	return raw.finish(b)
}

// onDemand is the automaton on demand of the product.
func (p *product) onDemand() *DFA {
	if start := p.start(); start == Dead || !p.leads(start) {
		return emptyDFA()
	}
	return OnDemand(p.classes.of, len(p.classes.pairs), p)
}

// start is the number of the first pair; Dead if nothing is accepted.
func (p *product) start() int32 { return p.pair(statePair{p.a.Start(), p.b.Start()}) }

// pair is the number of a pair; Dead if a factor is dead without which nothing is accepted.
func (p *product) pair(x statePair) int32 {
	if x.a == Dead && (x.b == Dead || !p.accepts(false, true)) || x.b == Dead && !p.accepts(true, false) {
		return Dead
	}
	h := index.Mix(uint64(uint32(x.a))<<32 | uint64(uint32(x.b)))
	i := p.seen.Find(h, func(i int32) bool { return p.pairs[i].at == x })
	if i >= 0 {
		return i
	}
	s := pairState{at: x, accepting: p.accepts(p.a.Accepting(x.a), p.b.Accepting(x.b))}
	if p.covered || s.accepting || x.a == Dead || x.b == Dead { // every state of a factor leads to acceptance
		s.lives = lives
	}
	p.pairs = append(p.pairs, s)
	return p.seen.Add(h)
}

// follow lists the pairs after a pair, by class.
func (p *product) follow(i int32) []int32 {
	if row := p.pairs[i].row; row != nil {
		return row
	}
	x := p.pairs[i].at
	rowA, rowB := p.a.rowOf(x.a), p.b.rowOf(x.b)
	row := make([]int32, len(p.classes.pairs))
	last, to := statePair{unknown, unknown}, Dead
	for c, class := range p.classes.pairs {
		next := statePair{Dead, Dead}
		if rowA != nil {
			next.a = rowA[class.a]
		}
		if rowB != nil {
			next.b = rowB[class.b]
		}
		if next != last { // else as on the class before
			last, to = next, p.pair(next)
		}
		row[c] = to
	}
	p.pairs[i].row = row
	return row
}

// rowOf is Row, nil for Dead.
func (d *DFA) rowOf(s int32) []int32 {
	if s == Dead {
		return nil
	}
	return d.Row(s)
}

// leads tells whether something is accepted from a pair.
func (p *product) leads(i int32) bool {
	if p.pairs[i].lives == unsettled {
		p.settle(i)
	}
	return p.pairs[i].lives == lives
}

// settle finds out whether something is accepted from a pair, by a search forward, depth first.
//
// It ends when it meets a pair from which something is accepted, and then something is from all on
// the way there. The others that it met it has left behind: all that follows them was met as well.
// So of these something is accepted exactly from those that lead, by others of them, to a pair so
// found; from the rest nothing is, as nothing accepts among all that follows. If the search does
// not meet such a pair, that is said of all. Thus every pair that is met is settled at once, and a
// pair is met by one search only: all searches together take a step for each transition.
func (p *product) settle(start int32) {
	type step struct {
		pair  int32
		class int // the next one to follow
	}
	way, left := []step{{pair: start}}, []int32(nil)
	p.pairs[start].lives = settling
	for len(way) > 0 {
		top := &way[len(way)-1]
		row := p.follow(top.pair)
		if top.class == 0 && p.anyLives(row) {
			break
		}
		for top.class < len(row) && (row[top.class] == Dead || p.pairs[row[top.class]].lives != unsettled) {
			top.class++
		}
		if top.class == len(row) {
			left = append(left, top.pair)
			way = way[:len(way)-1]
			continue
		}
		next := row[top.class]
		p.pairs[next].lives = settling
		way = append(way, step{pair: next})
	}
	for _, s := range way {
		p.pairs[s.pair].lives = lives
	}
	p.settleLeft(left)
}

// settleLeft settles the pairs that a search has left behind.
func (p *product) settleLeft(left []int32) {
	for changed := true; changed; {
		changed = false
		for _, i := range left { // what follows a pair was mostly left before it
			if s := &p.pairs[i]; s.lives == settling && p.anyLives(s.row) {
				s.lives, changed = lives, true
			}
		}
	}
	for _, i := range left {
		if s := &p.pairs[i]; s.lives == settling {
			s.lives = dies
		}
	}
}

// anyLives tells whether a pair of a row is known to live.
func (p *product) anyLives(row []int32) bool {
	return slices.ContainsFunc(row, func(i int32) bool { return i != Dead && p.pairs[i].lives == lives })
}

// Row writes the row of a state: see Rows.
func (p *product) Row(s int32, to []int32) (filled []uint8) {
	filled = p.filled[:0]
	if int(s>>1) >= len(p.pairs) {
		return filled
	}
	row := p.follow(s >> 1)
	for c, i := range row {
		if i == Dead || !p.leads(i) {
			continue
		}
		if to[c] = 2 * i; i > 0 && p.pairs[i].accepting {
			to[c]++
		}
		filled = append(filled, uint8(c))
	}
	p.pairs[s>>1].row = nil // a pair that lives is not searched again
	p.filled = filled
	return filled
}

// Accepting tells whether a state accepts.
func (p *product) Accepting(s int32) bool {
	if s == 0 {
		return p.accepts(p.a.MatchesEmpty(), p.b.MatchesEmpty())
	}
	return s&1 == 1
}

// Bound is a number above those of all states.
func (p *product) Bound() int { return 2 * min(maxBound/2, (p.a.Bound()+1)*(p.b.Bound()+1)) }

// A pairClasses is the common refinement of the byte classes of two automata.
type pairClasses struct {
	of    [256]uint8
	pairs []statePair // the class in each
}

func newPairClasses(a, b *DFA) pairClasses {
	var pc pairClasses
	var seen intern.Keys[statePair]
	for i := range 256 {
		id, isNew := seen.ID(statePair{int32(a.classOf[i]), int32(b.classOf[i])})
		if isNew {
			pc.pairs = append(pc.pairs, seen.At(id))
		}
		pc.of[i] = uint8(id)
	}
	return pc
}

// Union accepts what d or o accepts. Its states are at most (|d|+1)(|o|+1).
func (d *DFA) Union(o *DFA, lim Limits) (*DFA, error) {
	if d.HasContexts() || o.HasContexts() {
		return UnionAll(lim, d, o)
	}
	return d.beside(o, lim, InEither)
}

// Intersect accepts what both d and o accept. Its states are at most |d|·|o|.
func (d *DFA) Intersect(o *DFA, lim Limits) (*DFA, error) { return d.beside(o, lim, InBoth) }

// Difference accepts what d accepts and o does not. Its states are at most
// |d|·(|o|+1).
func (d *DFA) Difference(o *DFA, lim Limits) (*DFA, error) { return d.beside(o, lim, InFirst) }

// beside is all of a product.
func (d *DFA) beside(o *DFA, lim Limits, accepts func(inD, inO bool) bool) (*DFA, error) {
	p, err := newProduct(d, o, accepts)
	if err != nil {
		return nil, err
	}
	return p.whole(newBudget(lim))
}

// Beside is the product of d and o, which accept texts in UTF-8 only: InBoth, InFirst or InEither.
// It is all of the product if that is within lim, else an automaton on demand that is Stepped. The
// error is ErrContext.
func (d *DFA) Beside(o *DFA, accepts func(inD, inO bool) bool, lim Limits) (*DFA, error) {
	p, err := newProduct(d, o, accepts)
	if err != nil {
		return nil, err
	}
	whole, err := p.whole(newBudget(lim))
	if err != nil {
		return p.onDemand().stepped(), nil
	}
	return whole, nil
}

// besideOnDemand is a product on demand.
func (d *DFA) besideOnDemand(o *DFA, accepts func(inD, inO bool) bool) (*DFA, error) {
	p, err := newProduct(d, o, accepts)
	if err != nil {
		return nil, err
	}
	return p.onDemand(), nil
}

// Without accepts what d accepts but for some texts. It is d itself if it accepts none of them, or
// else an automaton on demand, which need not be minimal. Errors are ErrContext, or a *LimitError
// if the texts are too many.
func (d *DFA) Without(texts []string, lim Limits) (*DFA, error) {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !d.MatchString(text) })
	if len(texts) == 0 {
		return d, nil
	}
	few, err := FromStrings(texts, lim)
	if err != nil {
		return nil, err
	}
	return d.besideOnDemand(few, InFirst)
}

// Stepped tells whether d is known to be in each state at one place of a character: at the same
// bytes before its end, and of the same first bytes as far as these matter. That of a product on
// demand is known without a look at all of its states.
func (d *DFA) Stepped() bool {
	switch x := d.Rows().(type) {
	case *product:
		return x.covered || !x.accepts(false, true) && x.a.Stepped()
	case *counted:
		return x.d.Stepped()
	}
	return false
}

// stepped is d, which accepts UTF-8 only, beside the automaton of all texts in UTF-8, whose states
// are the places of a character.
func (d *DFA) stepped() *DFA {
	if d.IsEmpty() || d.Stepped() {
		return d
	}
	return (&product{a: d, b: AnyText(), accepts: InBoth, covered: true, classes: newPairClasses(d, AnyText())}).onDemand()
}
