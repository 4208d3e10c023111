package automata

import (
	"fmt"
	"slices"

	"gcdbench/internal/constants"
	"gcdbench/internal/intern"
)

// Lookarounds: what both kinds share, and lookaheads.
//
// A thread of the subset construction is a position of the nfa together with
// obligations: what the lookaheads it has passed still have to see. At (?=X) or
// (?!X) a thread takes on the automaton of X·Σ*, and from then on steps it with
// every byte. In a minimal automaton of X·Σ* only two kinds of state settle the
// matter. The one state that accepts everything: X has matched. No state at all:
// X cannot match any more. There the obligation is met and forgotten, or broken
// and the thread dies. Since threads go through groups, alternatives and rounds
// of a repeat as the match does, an obligation is held against exactly what
// follows its assertion to the end of the whole expression. This is an
// alternating automaton, determinized.
//
// If a match ends while an obligation is open, the assertion depends on text
// after the match, which makes it a context (context.go). Of two threads at one
// position the one whose obligations include the other's is dropped, so that
// there is a context only where the assertion decides something.

// A look is one lookaround of an nfa.
type look struct {
	*lookaround
	dfa   *DFA  // of X·Σ*, or Σ*·X for a lookbehind
	start int32 // where a lookahead starts in it
	all   int32 // of a lookahead: the state that accepts every continuation, or Dead

	// Of a lookbehind: the sets of states it may be in, and what is known in each.
	history  intern.Lists[int32]
	verdicts []verdict
}

// A verdict is what is known of an assertion.
type verdict uint8

const (
	undecided verdict = iota
	holds             // X matches
	fails             // X does not
)

// newLook builds the automaton of an assertion.
func (nb *nfaBuilder) newLook(e *Expr) (*look, error) {
	l := &look{lookaround: e.look, all: Dead}
	key := lookBody{e.subs[0], l.behind}
	if l.dfa = nb.bodies[key]; l.dfa == nil {
		var err error
		if l.known != nil {
			l.dfa = l.known()
		} else if l.dfa, err = key.compile(nb.budget); err != nil {
			return nil, err
		}
		nb.bodies[key] = l.dfa
	}
	l.start = l.dfa.Start()
	if l.behind {
		l.startHistory()
		return l, nil
	}
	for s := range int32(l.dfa.NumStates()) {
		if l.acceptsAll(s) {
			l.all = s
		}
	}
	return l, nil
}

// compile makes the automaton of X·Σ*, or Σ*·X for a lookbehind.
func (l lookBody) compile(b *budget) (*DFA, error) {
	parts := []*Expr{l.body, anyBytes()}
	if l.behind {
		slices.Reverse(parts)
	}
	return compile(Concat(parts...), b, compileMode{insideLook: true})
}

// words has the automata of \b's assertions, which have all letters in them. Prepare leaves them to
// the first pattern that has one, since most programs meet none: 20 ms.
var words constants.Set

var aheadOfWord, behindWord = wordLook(false), wordLook(true)

func wordLook(behind bool) func() *DFA {
	return constants.Of(&words, func() *DFA { return must(lookBody{wordChar(), behind}.compile(newBudget(Limits{}))) })
}

// expr is the assertion of a body.
func (l lookaround) expr(body *Expr) *Expr {
	if body == wordChar() {
		if l.known = aheadOfWord; l.behind {
			l.known = behindWord
		}
	}
	return &Expr{op: opLook, subs: []*Expr{body}, look: &l, depth: body.depth + 1}
}

// acceptsAll reports whether s accepts every continuation. The automaton is
// minimal, so such a state has no way to another one.
func (l *look) acceptsAll(s int32) bool {
	return l.dfa.Accepting(s) && !slices.ContainsFunc(l.dfa.Row(s), func(t int32) bool { return t != s })
}

// cut marks the bytes at which the automaton begins to tell bytes apart.
func (l *look) cut(cut *[257]bool) {
	for b := 1; b < 256; b++ {
		if l.dfa.classOf[b] != l.dfa.classOf[b-1] {
			cut[b] = true
		}
	}
}

// judge returns what is known of a lookahead in state s.
func (l *look) judge(s int32) verdict {
	switch s {
	case Dead:
		return fails
	case l.all:
		return holds
	}
	return undecided
}

// passes reports whether a thread lives on, given a settled verdict.
func (l *look) passes(v verdict) bool { return (v == holds) != l.negative }

// lookOf is the lookaround of a duty, and whether it must not match.
func (o *obligations) lookOf(d duty) (l *look, negative bool) {
	l = o.nfa.looks[d.look>>1]
	return l, l.negative != (d.look&1 == 1)
}

// opposite is met exactly where d is not.
func (d duty) opposite() duty { return duty{d.look ^ 1, d.state} }

// blindError says that an assertion depends on text in front of the match.
// The example is the match, or the start of one, for which it does.
func (l *look) blindError(example string) error {
	return &SyntaxError{l.pattern, l.offset, fmt.Sprintf("%s looks in front of the match: whether %q matches depends on what stands before it, which the lexer does not see; put the assertion further inside, or leave it out", l.text, example), true}
}

// endlessError says that an assertion may depend on any amount of text after the match.
func (l *look) endlessError(example string) error {
	return &SyntaxError{l.pattern, l.offset, fmt.Sprintf("%s looks without bound past the end of the match: whether %q matches may depend on any number of characters after it, and the lexer looks at a few; bound what is repeated in the assertion, or leave it out", l.text, example), false}
}

// blind is a lookbehind of a set that depends on the text in front of the match, nil if there is
// none.
func (o *obligations) blind(id int32) *look {
	for _, d := range o.sets[id] {
		if d.state == blind {
			return o.nfa.looks[d.look>>1]
		}
	}
	return nil
}

// A duty is one obligation: a lookahead and the state of its automaton, or a
// lookbehind that depends on the text in front of the match, with state blind. Lookaround n is
// number 2n, and 2n+1 is its opposite.
type duty struct{ look, state int32 }

const blind = int32(-2)

// obligations interns sorted sets of duties; set 0 is the empty one.
type obligations struct {
	nfa    *nfa
	budget *budget
	sets   [][]duty
	keys   intern.Lists[int32] // the duties of sets, written out
	steps  []*[256]int32       // by set and byte: the set that follows, or broken, plus 2; 0 if nobody asked
	begun  map[[2]int32]int32  // (set, lookahead) -> set or broken
}

// broken is the set of a thread that dies.
const broken = int32(-1)

func newObligations(n *nfa, b *budget) *obligations {
	o := &obligations{nfa: n, budget: b, begun: map[[2]int32]int32{}}
	o.intern(nil)
	return o
}

// intern numbers a set given in any order.
func (o *obligations) intern(set []duty) int32 {
	slices.SortFunc(set, func(a, b duty) int {
		if a.look != b.look {
			return int(a.look - b.look)
		}
		return int(a.state - b.state)
	})
	set = slices.Compact(set)
	var key []int32
	for _, d := range set {
		key = append(key, d.look, d.state)
	}
	id, isNew := o.keys.Take(key)
	if isNew {
		o.sets, o.steps = append(o.sets, set), append(o.steps, nil)
		o.budget.note(8*len(key) + pairBytes)
	}
	return id
}

// settle adds a duty to set unless its verdict is known. It is not ok if the
// thread dies of it.
func (o *obligations) settle(set []duty, d duty) (out []duty, ok bool) {
	if d.state == blind {
		return append(set, d), true
	}
	l, negative := o.lookOf(d)
	v := l.judge(d.state)
	if v == undecided {
		return append(set, d), true
	}
	return set, (v == holds) != negative
}

// carry returns set id with a lookbehind added that cannot be decided.
func (o *obligations) carry(id, look int32) int32 {
	return o.intern(append(slices.Clone(o.sets[id]), duty{2 * look, blind}))
}

// begin returns set id with the obligation of a lookahead added.
func (o *obligations) begin(id, look int32) int32 {
	to, known := o.begun[[2]int32{id, look}]
	if !known {
		to = broken
		if set, ok := o.settle(slices.Clone(o.sets[id]), duty{2 * look, o.nfa.looks[look].start}); ok {
			to = o.intern(set)
		}
		o.begun[[2]int32{id, look}] = to
	}
	return to
}

// without lists the sets of obligations that together are set id where not all duties of a
// condition are met: the first one that is not is one or another of them.
func (o *obligations) without(id, condition int32) []int32 {
	var out []int32
	set := slices.Clone(o.sets[id])
	o.budget.took(len(set) * len(o.sets[condition]))
	for _, d := range o.sets[condition] {
		if !slices.Contains(set, d) {
			out = append(out, o.intern(append(slices.Clone(set), d.opposite())))
		}
		if slices.Contains(set, d.opposite()) {
			break
		}
		set = append(set, d)
	}
	return out
}

// step returns the set that follows set id on byte c.
func (o *obligations) step(id int32, c byte) int32 {
	if id == 0 {
		return 0
	}
	row := o.steps[id]
	if row == nil {
		row = new([256]int32)
		o.steps[id] = row
		o.budget.note(len(row) * 4)
	} else if to := row[c]; to != 0 {
		return to - 2
	}
	o.budget.took(len(o.sets[id]))
	var set []duty
	to := int32(0)
	for _, d := range o.sets[id] {
		var ok bool
		if d.state != blind {
			d.state = o.nfa.looks[d.look>>1].dfa.Next(d.state, c)
		}
		if set, ok = o.settle(set, d); !ok {
			to = broken
			break
		}
	}
	if to != broken {
		to = o.intern(set)
	}
	row[c] = to + 2
	return to
}

// includes reports whether set a has all duties of set b.
func (o *obligations) includes(a, b int32) bool {
	as := o.sets[a]
	for _, d := range o.sets[b] {
		for len(as) > 0 && (as[0].look < d.look || as[0].look == d.look && as[0].state < d.state) {
			as = as[1:]
		}
		if len(as) == 0 || as[0] != d {
			return false
		}
	}
	return true
}

// metAtEnd reports whether all duties of a set are met if the text ends here.
func (o *obligations) metAtEnd(id int32) bool {
	for _, d := range o.sets[id] {
		if l, negative := o.lookOf(d); l.dfa.Accepting(d.state) == negative {
			return false
		}
	}
	return true
}
