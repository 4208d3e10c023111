package parserdwa

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// The templates: what shifting a terminal does to the stack, as automata that read it from the top.
//
// The template of terminal T has a state "start", in which it reads the top state, and states
// (k, A): "k more states are popped, then A is gone to from the one below, with T still to come". A
// transition's effect is one of
//
//	refuse  no legal reduction path ends in shifting T
//	push    what was read goes back, and these states on top of it; the last is the one shifted to
//	pop     what was read is popped; go on in state (k, A)
//
// so each transition stands for a whole chain of reductions: all that stay above the symbol
// that was read. In the polycyclic monoid's terms, an effect is a product of pops and pushes
// that is in normal form, and composing it with the pushes of the terminal before cancels
// states one by one (compose.go).
//
// Transitions are derived from the tables when first used and kept. Only single-action tables have
// templates in this form; the effects of conflicting actions are a graph (closure.go).
type templates struct {
	tables  *lr.Tables
	known   lookup // transitions for one terminal; effects by their number
	effects []effect
	probed  lookup // transitions for a set; probes by their number
	probes  []*probe
	labels  intern.Lists[uint64] // sets of terminals
	stack   []int32
}

// noState is no LR state. As the top of a lookupKey it means that under is read in the start state;
// else it is read in a state (0, A) whose goto from there is top.
const noState = -1

type effectKind uint8

const (
	refuse effectKind = iota
	push
	pop
)

// An effect is the action of a transition of a template.
type effect struct {
	kind   effectKind
	pops   int32   // pop: k
	lhs    int32   // pop: A
	pushes []int32 // push: the states, topmost last
}

// A probe is what a transition for a set does: some member is shifted, or the members part into
// groups that go on in states of their own.
type probe struct {
	accepts bool
	pops    []setPop
}

// A setPop is the continuation of a group of terminals.
type setPop struct{ label, pops, lhs int32 }

func newTemplates(t *lr.Tables) *templates {
	return &templates{tables: t}
}

// start is the effect of reading the top state.
func (t *templates) start(terminal, top int32) effect {
	return t.single(lookupKey{terminal, top, noState})
}

// over is the effect of reading the state that lhs is gone to from.
func (t *templates) over(terminal, under, lhs int32) effect {
	to := t.tables.GotoBefore(under, grammar.Nonterminal(lhs), grammar.Terminal(terminal))
	if to < 0 {
		return effect{}
	}
	return t.single(lookupKey{terminal, under, to})
}

func (t *templates) single(k lookupKey) effect {
	n, isNew := t.known.number(k)
	if isNew {
		t.effects = append(t.effects, t.chain(k))
	}
	return t.effects[n]
}

// chain follows the reductions above what was read. It ends: GotoBefore refuses endless ones.
func (t *templates) chain(k lookupKey) effect {
	stack := append(t.stack[:0], k.under)
	if k.top != noState {
		stack = append(stack, k.top)
	}
	defer func() { t.stack = stack }()
	for {
		a := t.tables.Action(stack[len(stack)-1], grammar.Terminal(k.symbol))
		switch a.Kind() {
		case lr.KindShift:
			return effect{kind: push, pushes: append(append([]int32(nil), stack[1:]...), a.Target())}
		case lr.KindReduce:
			lhs, n := t.tables.Rule(a.Target())
			if n >= len(stack) {
				return effect{kind: pop, pops: int32(n - len(stack)), lhs: int32(lhs)}
			}
			stack = stack[:len(stack)-n]
			to := t.tables.GotoBefore(stack[len(stack)-1], lhs, grammar.Terminal(k.symbol))
			if to < 0 {
				return effect{}
			}
			stack = append(stack, to)
		default:
			return effect{}
		}
	}
}

// set interns a set of terminals.
func (t *templates) set(members []uint64) int32 {
	id, _ := t.labels.ID(members)
	return id
}

// startSet is start for a set.
func (t *templates) startSet(label, top int32) *probe {
	return t.probe(lookupKey{label, top, noState})
}

// overSet is over for a set.
func (t *templates) overSet(label, under, lhs int32) *probe {
	to := t.tables.Goto(under, grammar.Nonterminal(lhs))
	if to < 0 {
		return &probe{}
	}
	return t.probe(lookupKey{label, under, to})
}

func (t *templates) probe(k lookupKey) *probe {
	n, isNew := t.probed.number(k)
	if !isNew {
		return t.probes[n]
	}
	p := &probe{}
	t.probes = append(t.probes, p)
	members := t.labels.At(k.symbol)
	if k.top != noState {
		lhs, _ := t.tables.Accessing(k.top)
		members = t.withoutLoops(members, k.under, lhs.Nonterminal())
	}
	stack := []int32{k.under}
	if k.top != noState {
		stack = append(stack, k.top)
	}
	t.follow(p, members, stack)
	if p.accepts {
		p.pops = nil
	}
	return p
}

// follow is chain for a set: it takes the reductions of each group of members that reduce alike.
func (t *templates) follow(p *probe, members []uint64, stack []int32) {
	top := stack[len(stack)-1]
	if bitset.Intersect(members, t.tables.Shiftable(top)) {
		p.accepts = true
		return
	}
	for _, g := range t.tables.Reductions(top, members) {
		if p.accepts {
			return
		}
		lhs, n := t.tables.Rule(g.Rule)
		if n >= len(stack) {
			p.pops = append(p.pops, setPop{t.set(g.Terms), int32(n - len(stack)), int32(lhs)})
			continue
		}
		rest := append([]int32(nil), stack[:len(stack)-n]...)
		under := rest[len(rest)-1]
		members := t.withoutLoops(g.Terms, under, lhs)
		to := t.tables.Goto(under, lhs)
		if to >= 0 && !bitset.Empty(members) {
			t.follow(p, members, append(rest, to))
		}
	}
}

// withoutLoops leaves out the terminals before which going to lhs would never come to an end.
func (t *templates) withoutLoops(members []uint64, under int32, lhs grammar.Nonterminal) []uint64 {
	var kept []uint64
	for x := range bitset.All[int32](members) {
		if !t.tables.Loops(under, lhs, grammar.Terminal(x)) {
			continue
		}
		if kept == nil {
			kept = append(kept, members...)
		}
		bitset.Remove(kept, x)
	}
	if kept == nil {
		return members
	}
	return kept
}

// bytes is the memory t holds, roughly: a key is 32 bytes with its place in the table, an effect is
// 40 and its pushes 8 more, a probe 32 and its continuations as much again.
func (t *templates) bytes() int {
	return 32*(len(t.known.keys)+len(t.probed.keys)) + 48*len(t.effects) + 72*len(t.probes) + 64*t.labels.Len()
}
