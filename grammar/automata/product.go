package automata

import (
	"slices"

	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// Products: two automata run side by side, as far as a text comes.

// A statePair is a state of each factor of a product, or Dead.
type statePair struct{ a, b int32 }

// A product has the rows of two automata that run side by side.
type product struct {
	search
	a, b    *DFA
	accepts func(inA, inB bool) bool
	covered bool // b accepts all that a does, and a pair accepts if both do
	classes pairClasses
	seen    index.Index
	pairs   []statePair

	alphabet [4]uint64 // once it is on demand
}

func newProduct(a, b *DFA, accepts func(inA, inB bool) bool) (*product, error) {
	if a.HasContexts() || b.HasContexts() {
		return nil, ErrContext
	}
	return pairsOf(a, b, accepts), nil
}

func pairsOf(a, b *DFA, accepts func(inA, inB bool) bool) *product {
	p := &product{a: a, b: b, accepts: accepts, classes: newPairClasses(a, b)}
	p.expand = p.after
	return p
}

// InBoth, InFirst and InEither say what a product accepts, by what its factors accept: the
// intersection, the difference, the union.
func InBoth(inA, inB bool) bool   { return inA && inB }
func InFirst(inA, inB bool) bool  { return inA && !inB }
func InEither(inA, inB bool) bool { return inA || inB }

// onDemand is the automaton on demand of the product.
func (p *product) onDemand() *DFA {
	if start := p.start(); start == Dead || !p.leads(start) {
		return emptyDFA()
	}
	p.alphabet = p.bytes()
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
	i := p.seen.Find(h, func(i int32) bool { return p.pairs[i] == x })
	if i >= 0 {
		return i
	}
	sure := p.covered || x.a == Dead || x.b == Dead // every state of a factor leads to acceptance
	p.add(p.accepts(p.a.Accepting(x.a), p.b.Accepting(x.b)), sure || p.outlook(x) != Unknown)
	p.pairs = append(p.pairs, x)
	return p.seen.Add(h)
}

// outlook is that of a pair of which both must accept.
func (p *product) outlook(x statePair) Outlook {
	if p.accepts(true, false) || p.accepts(false, true) {
		return Unknown
	}
	a, b := p.a.Outlook(x.a), p.b.Outlook(x.b)
	if less, more := min(a, b), max(a, b); more == Free || more == Growing && less >= Endless {
		return less
	}
	return Unknown
}

// Outlook implements outlooker.
func (p *product) Outlook(s int32) Outlook { return p.outlook(p.pairs[s>>1]) }

// after lists the pairs after a pair, by class.
func (p *product) after(i int32) []int32 {
	x := p.pairs[i]
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
	return row
}

// rowOf is Row, nil for Dead.
func (d *DFA) rowOf(s int32) []int32 {
	if s == Dead {
		return nil
	}
	return d.Row(s)
}

// Bound is a number above those of all states.
func (p *product) Bound() int { return 2 * min(maxBound/2, (p.a.Bound()+1)*(p.b.Bound()+1)) }

// Alphabet implements alphabeted.
func (p *product) Alphabet() [4]uint64 { return p.alphabet }

// bytes is a set of bytes that has all those of the product's texts.
func (p *product) bytes() (set [4]uint64) {
	a, b := p.a.Alphabet(), p.b.Alphabet()
	for i := range set {
		switch {
		case p.accepts(false, true):
			set[i] = a[i] | b[i]
		case p.accepts(true, false):
			set[i] = a[i]
		default:
			set[i] = a[i] & b[i]
		}
	}
	return set
}

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
	return p.within(lim)
}

// within is all of the product; an error if that is larger than lim allows.
func (p *product) within(lim Limits) (*DFA, error) {
	if p.start() == Dead {
		return emptyDFA(), nil
	}
	return p.whole(p.classes.of, len(p.classes.pairs), newBudget(lim))
}

// Beside is the product of d and o, which accept texts in UTF-8 only: InBoth, InFirst or InEither.
// It is all of the product if both have all their rows and it is within lim, else an automaton on
// demand that is Stepped. The error is ErrContext.
func (d *DFA) Beside(o *DFA, accepts func(inD, inO bool) bool, lim Limits) (*DFA, error) {
	p, err := newProduct(d, o, accepts)
	if err != nil {
		return nil, err
	}
	if !p.accepts(true, false) && !p.accepts(false, true) && (d.avoids(o) || o.avoids(d)) {
		return emptyDFA(), nil
	}
	if d.demand == nil && o.demand == nil {
		if whole, err := p.within(lim); err == nil {
			return whole, nil
		}
	}
	return p.onDemand().stepped(), nil
}

// avoids tells whether each text of d has a byte that no text of o has, as those of URIs have a
// colon and those of host names have none. It is false for an automaton on demand.
func (d *DFA) avoids(o *DFA) bool {
	if d.demand != nil || d.IsEmpty() {
		return d.IsEmpty()
	}
	alphabet := o.Alphabet()
	within := make([]bool, d.classes) // of these classes o has a byte
	for b, class := range d.classOf {
		within[class] = within[class] || alphabet[b>>6]&(1<<(b&63)) != 0
	}
	seen := make([]bool, len(d.accepting))
	for todo := []int32{d.Start()}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if d.accepting[s] {
			return false
		}
		for class, to := range d.Row(s) {
			if within[class] && to != Dead && !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return true
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
	known := false
	switch x := d.Rows().(type) {
	case *product:
		known = x.covered || !x.accepts(false, true) && x.a.Stepped()
	case *counted:
		known = x.d.Stepped()
	case *jointPart:
		known = true
	}
	if !known {
		set := d.Alphabet()
		known = set[2]|set[3] == 0 // all characters are bytes
	}
	return known
}

// Wider is the automaton that d follows, and that accepts all that d does: a factor of a product on
// demand, or else d itself. A state of d is in one of its states.
func (d *DFA) Wider() *DFA {
	if x, ok := d.Rows().(*product); ok && !x.accepts(false, true) {
		return x.a.Wider()
	}
	return d
}

// stepped is d, which accepts UTF-8 only, beside the automaton of all texts in UTF-8, whose states
// are the places of a character.
func (d *DFA) stepped() *DFA {
	if d.IsEmpty() || d.Stepped() {
		return d
	}
	p := pairsOf(d, AnyText(), InBoth)
	p.covered = true
	return p.onDemand()
}
