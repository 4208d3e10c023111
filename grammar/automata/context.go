package automata

import (
	"errors"
	"slices"

	"gcdbench/internal/intern"
)

// Contexts: what a match asks of the text after it.
//
// A lookahead that is still open where a match ends, as in 0(?![0-9]), is an obligation of the text
// that follows. A state of a DFA then accepts under a context: the set of all texts that may
// follow, up to the end of the input. The set is that of a small automaton with the states of all
// contexts. Context 0 asks nothing, Dead allows nothing, and ContextAtEnd tells of each whether the
// text may end there.
//
// Several threads of a set may accept, each with obligations of its own. The context of the set is
// the union of theirs, and that of one thread is the intersection of what its obligations ask. So a
// state of the automaton of contexts is a set of sets of obligations. Like the DFA itself it is
// minimized: contexts are equal exactly if they allow the same texts, a context that any text meets
// is 0, and a state whose context no text meets does not accept.
//
// A context must be of bounded length: after some number of bytes it is met or broken, whatever
// they are. Its automaton then has no cycle but the one of context 0. A lexer can therefore carry a
// context beside the next lexemes, and is rid of it soon. An unbounded context is an error that
// names the assertion. An assertion that looks in front of the match is one too, since a lexeme may
// begin anywhere.

// contexts are those of a DFA, or of an automaton that is to become one.
type contexts struct {
	of    []int32 // by state of the DFA: its context; 0 if it does not accept
	table []int32 // by context and byte class; that of context 0 leads to itself
	atEnd []bool  // by context
}

// ErrContext says that an operation is not defined on a DFA with contexts.
var ErrContext = errors.New("an assertion at the end of a match (a lookahead, \\b or $) asks what follows it, which cannot be expressed here")

// HasContexts reports whether some match of d asks what follows it.
func (d *DFA) HasContexts() bool { return d.contexts != nil }

// NumContexts is the number of contexts, which are 0 .. NumContexts()-1.
func (d *DFA) NumContexts() int {
	if d.contexts == nil {
		return 1
	}
	return len(d.contexts.atEnd)
}

// Context is what the match that leads to s asks of the text after it: 0 if nothing, Dead if s does
// not accept. Contexts are equal exactly if they allow the same texts.
func (d *DFA) Context(s int32) int32 {
	switch {
	case !d.Accepting(s):
		return Dead
	case d.contexts == nil:
		return 0
	}
	return d.contexts.of[s]
}

// NextContext is what context c asks of the text after byte b: Dead if b breaks it, 0 if it is met.
// It never comes back to a context before.
func (d *DFA) NextContext(c int32, b byte) int32 {
	if c <= 0 {
		return c
	}
	return d.contexts.table[int(c)*d.classes+int(d.classOf[b])]
}

// ContextAtEnd reports whether the end of the text meets context c.
func (d *DFA) ContextAtEnd(c int32) bool { return c == 0 || c > 0 && d.contexts.atEnd[c] }

// equal compares the contexts of two automata, either of which may have none.
func (x *contexts) equal(o *contexts) bool {
	if x == nil || o == nil {
		return x == o
	}
	return slices.Equal(x.of, o.of) && slices.Equal(x.table, o.table) && slices.Equal(x.atEnd, o.atEnd)
}

// asLook is the context of a state as a lookahead, for an automaton that becomes part of another.
func (d *DFA) asLook(context int32) *look {
	follow := &DFA{classOf: d.classOf, classes: d.classes, table: d.contexts.table, accepting: d.contexts.atEnd}
	return &look{lookaround: &lookaround{text: "a context of an automaton"}, dfa: follow, start: context, all: 0}
}

// joined is the table with the given classes alone, of so many.
func (x *contexts) joined(classes int, first []uint8) []int32 {
	table := make([]int32, 0, len(x.atEnd)*len(first))
	for c := range x.atEnd {
		for _, f := range first {
			table = append(table, x.table[c*classes+int(f)])
		}
	}
	return table
}

// alike reports whether each class leads where the one does that it is to be like.
func (x *contexts) alike(classes int, like []uint8) bool {
	for i, t := range x.table {
		if c := i % classes; t != x.table[i-c+int(like[c])] {
			return false
		}
	}
	return true
}

// numbered are the contexts of states in a new order, numbered as they are met in it, those that
// follow a context after all of the states. No contexts stay none.
func (x *contexts) numbered(states []int32, classes int) *contexts {
	if x == nil {
		return nil
	}
	var number intern.Keys[int32]
	number.ID(0)
	y := &contexts{}
	for _, s := range states {
		c, _ := number.ID(x.of[s])
		y.of = append(y.of, c)
	}
	for c := int32(0); int(c) < number.Len(); c++ {
		was := number.At(c)
		y.atEnd = append(y.atEnd, x.atEnd[was])
		for _, t := range x.table[int(was)*classes : (int(was)+1)*classes] {
			if t != Dead {
				t, _ = number.ID(t)
			}
			y.table = append(y.table, t)
		}
	}
	return y
}

// A contextBuilder builds the automaton of the contexts that a subset construction has met: lists
// of sets of obligations, of which one has to be met.
type contextBuilder struct {
	*determinizer
	raw   rawDFA  // by list
	block []int32 // by list: its context, or Dead
}

// met is the list of a match that asks nothing.
const met = int32(0)

// addEnd numbers a list of sets of obligations: Dead if it is empty, met if one of them is.
func (d *determinizer) addEnd(list []int32) int32 {
	switch {
	case len(list) == 0:
		return Dead
	case slices.Contains(list, 0):
		return met
	}
	slices.Sort(list)
	list = slices.Compact(list)
	d.budget.took(len(list) * len(list))
	kept := slices.DeleteFunc(slices.Clone(list), func(a int32) bool {
		return slices.ContainsFunc(list, func(b int32) bool { return a != b && d.obligations.includes(a, b) })
	})
	id, isNew := d.ends.Take(kept)
	if isNew {
		d.budget.note(setBytes + 4*len(kept))
	}
	return id
}

// contexts gives every set of the subset construction its context; nil if none asks anything.
func (d *determinizer) contexts() (*contexts, error) {
	if d.ends.Len() <= 1 {
		return nil, nil
	}
	b := contextBuilder{determinizer: d}
	if err := b.explore(); err != nil {
		return nil, err
	}
	if err := b.minimize(); err != nil {
		return nil, err
	}
	x := b.quotient()
	if err := b.checkBounded(x); err != nil {
		return nil, err
	}
	for i, s := range d.sets {
		c := Dead
		if s.end != Dead {
			c = b.block[s.end]
		}
		if c == Dead {
			d.sets[i].end = Dead
		}
		x.of = append(x.of, max(0, c))
	}
	if !slices.ContainsFunc(x.of, func(c int32) bool { return c > 0 }) {
		return nil, nil
	}
	return x, nil
}

// explore makes the table of all lists that those of the sets lead to.
func (b *contextBuilder) explore() error {
	b.raw.classes = b.classes.num()
	for id := int32(0); int(id) < b.ends.Len(); id++ {
		if err := b.budget.states(int(id) + 1); err != nil {
			return err
		}
		if err := b.budget.hold(4 * b.raw.classes); err != nil {
			return err
		}
		list := b.ends.At(id)
		b.raw.accepting = append(b.raw.accepting, slices.ContainsFunc(list, b.obligations.metAtEnd))
		for _, first := range b.classes.first {
			if err := b.budget.step(len(list)); err != nil {
				return err
			}
			b.raw.table = append(b.raw.table, b.addEnd(b.after(list, first)))
		}
	}
	return nil
}

// after lists the sets of obligations that are left of those of a list after a byte.
func (b *contextBuilder) after(list []int32, c byte) []int32 {
	var next []int32
	for _, duties := range list {
		if duties = b.obligations.step(duties, c); duties != broken {
			next = append(next, duties)
		}
	}
	return next
}

// minimize finds the block of each list. Block 0 is that of met; a list that no text meets has
// none.
func (b *contextBuilder) minimize() error {
	live := b.raw.coreachable()
	colour, transitions := make([]int32, len(live)), 0
	for s := range colour {
		switch {
		case !live[s]:
			colour[s] = 2
		case b.raw.accepting[s]:
			colour[s] = 1
		}
	}
	for i, t := range b.raw.table {
		switch {
		case t == Dead:
		case !live[t] || !live[i/b.raw.classes]:
			b.raw.table[i] = Dead
		default:
			transitions++
		}
	}
	block, _, err := refine(b.budget.Context, b.raw.table, b.raw.classes, colour, transitions)
	if err != nil {
		return err
	}
	var number intern.Keys[int32]
	b.block = make([]int32, len(block))
	for s := range block { // list 0 first
		if b.block[s] = Dead; live[s] {
			b.block[s], _ = number.ID(block[s])
		}
	}
	return nil
}

// quotient is the automaton of the blocks, without the contexts of states.
func (b *contextBuilder) quotient() *contexts {
	x := &contexts{}
	for s, c := range b.block {
		if int(c) != len(x.atEnd) { // numbered in the order of their first lists
			continue
		}
		x.atEnd = append(x.atEnd, b.raw.accepting[s])
		for _, t := range b.raw.row(int32(s)) {
			if t != Dead {
				t = b.block[t]
			}
			x.table = append(x.table, t)
		}
	}
	return x
}

// checkBounded fails if a context has no bounded length.
func (b *contextBuilder) checkBounded(x *contexts) error {
	open := endless(x.table, b.raw.classes, met)
	for i, s := range b.sets {
		if s.end == Dead || b.block[s.end] == Dead || !open[b.block[s.end]] {
			continue
		}
		var looks []int32
		for _, duties := range b.ends.At(s.end) {
			for _, duty := range b.obligations.sets[duties] {
				l := b.nfa.looks[duty.look>>1]
				if looks = append(looks, duty.look>>1); endless(l.dfa.table, l.dfa.classes, l.all)[duty.state] {
					return l.endlessError(b.exampleOf(int32(i)))
				}
			}
		}
		return b.nfa.looks[looks[0]].endlessError(b.exampleOf(int32(i)))
	}
	return nil
}

// endless tells of each state whether a way from it never ends, one through the given state apart.
func endless(table []int32, classes int, except int32) []bool {
	n := len(table) / classes
	ways := make([]int32, n) // by state: the transitions that are not known to end
	incoming := newLists(n, func(add func(key, value int32)) {
		for i, t := range table {
			if t != Dead && t != except {
				add(t, int32(i/classes))
			}
		}
	})
	open := slices.Repeat([]bool{true}, n)
	for i, t := range table {
		if t != Dead && t != except {
			ways[i/classes]++
		}
	}
	var ended []int32
	end := func(s int32) {
		open[s] = false
		ended = append(ended, s)
	}
	for s := range int32(n) {
		if ways[s] == 0 || s == except {
			end(s)
		}
	}
	for len(ended) > 0 {
		s := ended[len(ended)-1]
		ended = ended[:len(ended)-1]
		for _, from := range incoming.of(s) {
			if ways[from]--; ways[from] == 0 {
				end(from)
			}
		}
	}
	return open
}
