package jsontokens

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"gcdbench/grammar/automata"
)

// A pattern that looks for a word, or counts, is in another state after each character, and is
// alive all the same. So a state is asked once how long it stays alive on characters of some
// kinds, and subtrees of such characters are taken whole, however their characters lead from state
// to state.

// A stay says that a state is alive after any length characters of some kinds, and quote whether a
// quote may follow each number of them.
type stay struct {
	kinds  kinds
	length int32
	quote  quoteAfter
}

const (
	// maxStay is how many characters are looked at; tokens of more are few.
	maxStay = 160
	// maxStayStates bounds the states that are looked at, at some 100 ns each to 20 us.
	maxStayStates = 200
	// manyTokens is how many tokens a subtree has for which a stay is found out, and maxAsks for how
	// many subtrees of a walk it is.
	manyTokens = 256
	maxAsks    = 4
)

const allKinds kinds = 1<<numKinds - 1

// wordKinds are the kinds that words are made of.
const wordKinds kinds = 1<<smallKind | 1<<capitalKind | 1<<digitKind

// after is the rest of a stay after a character of a kind.
func (x stay) after(kind uint8) stay {
	switch {
	case x.kinds>>kind&1 == 0 || x.length == 0:
		return stay{}
	case x.length == endless:
		return x
	}
	return stay{x.kinds, x.length - 1, x.quote}
}

// holds tells whether a subtree of characters of some kinds stays alive.
func (x stay) holds(some kinds, height int16) bool {
	return some&^x.kinds == 0 && int32(height) <= x.length
}

// stays is the stay of a state that is between two characters, found out once. Of the kinds that
// the state goes on with, those are left out that lead to a state which refuses a letter, such as
// the percent sign of a URI, and those that a state on the way refuses.
func (p *Profile) stays(s int32) stay {
	r := p.react()
	known := &r.of(s).stay
	if x := known.Load(); x != nil {
		return *x
	}
	best := stay{}
	some := allKinds &^ p.refused(r, s)
	for left := maxStayStates; left > 0; {
		x, less := p.tryStay(r, s, some, &left)
		if x.length > best.length {
			best = x
		}
		if less == some || some&wordKinds != 0 && less&wordKinds == 0 {
			break
		}
		some = less
	}
	known.Store(&best)
	return best
}

// A stayedState is a state with the kinds that lead to it.
type stayedState struct {
	state int32
	by    kinds
}

// A stateSet is a set of two times maxStayStates at most: an open-addressed table of states and 1.
type stateSet [1024]int32

// add adds a state, and tells whether it is new.
func (x *stateSet) add(s int32) bool {
	for i := uint32(s) * 0x9e3779b1 >> 22; ; i = (i + 1) % uint32(len(x)) {
		switch x[i] {
		case s + 1:
			return false
		case 0:
			x[i] = s + 1
			return true
		}
	}
}

// tryStay is the stay of s for some kinds that s goes on with, and the kinds to try next. left is
// how many states may still be looked at.
func (p *Profile) tryStay(r *reactions, s int32, some kinds, left *int) (x stay, less kinds) {
	x.kinds = some
	always, never := true, true
	defer func() { x.quote = quotesAfter(always, never) }()
	seen := stateSet{}
	seen.add(s)
	now, later := []stayedState{{s, 0}}, []stayedState(nil)
	for ; x.length < maxStay; x.length++ {
		for _, at := range now {
			if p.alive(at.state).has('"') {
				never = false
			} else {
				always = false
			}
			switch refused := p.refused(r, at.state) & some; {
			case refused == 0:
			case at.by&wordKinds != 0 && refused&wordKinds != 0:
				return x, some // the end of a count
			case refused&wordKinds != 0:
				return x, some &^ at.by
			default:
				return x, some &^ refused
			}
		}
		later = later[:0]
		for _, at := range now {
			later = p.successors(r, later, at.state, some)
		}
		now = now[:0]
		for _, to := range later {
			if len(now) <= maxStayStates && seen.add(to.state) {
				now = append(now, to)
			}
		}
		if len(now) == 0 {
			x.length = endless
			return x, some
		}
		if *left -= len(now); *left < 0 {
			x.length++
			return x, some
		}
	}
	return x, some
}

// refused are the kinds of which s refuses a character.
func (p *Profile) refused(r *reactions, s int32) (out kinds) {
	for c, to := range p.d.Row(s) {
		if to == automata.Dead {
			out |= r.kinds[c]
		}
	}
	for kind := uint8(otherKind); kind <= lineKind; kind++ {
		if to := p.target(s, kind); to == automata.Dead || to == mixed {
			out |= 1 << kind
		}
	}
	return out
}

// successors adds the states that characters of some kinds lead to from s, none of which it
// refuses.
func (p *Profile) successors(r *reactions, dst []stayedState, s int32, some kinds) []stayedState {
	add := func(to int32, by kinds) {
		if i := slices.IndexFunc(dst, func(x stayedState) bool { return x.state == to }); i >= 0 {
			dst[i].by |= by
		} else {
			dst = append(dst, stayedState{to, by})
		}
	}
	for c, to := range p.d.Row(s) {
		if by := r.kinds[c] & some; by != 0 {
			add(to, by)
		}
	}
	for rest := some & foreign; rest != 0; rest &= rest - 1 {
		add(p.target(s, uint8(bits.TrailingZeros64(uint64(rest)))), rest&-rest)
	}
	return dst
}

// kindsOfClasses are, by class of a DFA, the kinds of the ASCII characters in it.
func kindsOfClasses(d *automata.DFA) []kinds {
	classOf, n := d.Classes()
	list := make([]kinds, n)
	for b := range utf8.RuneSelf {
		if plainASCII.has(byte(b)) {
			list[classOf[b]] |= 1 << kindOfASCII[b]
		}
	}
	return list
}
