package koo

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// A lexical is a state of the determinized union of terminals: the places that the bytes since some
// common point may have led to, all above the same parser stacks. Equal ones are one, so they are
// compared by address.
//
// A terminal that the parser would refuse is left out when it begins, so every place inside a
// terminal leads on to a sentence and nothing has to be asked later. For that reason the state
// also has the terminals that may begin after an ignored one (allowed).
type lexical struct {
	id     int32
	places []place // ascending, all of them open
	// fresh is whether a terminal has just ended, or none has begun: the text may end here as far as
	// terminals are concerned. Then places has the starts of allowed and of the ignored terminals.
	fresh bool
	// allowed are the parser's terminals that may begin where none has begun. It is nil, whatever may
	// begin, if no place can lead there, so that more states are equal.
	allowed []uint64
	next    []atomic.Pointer[edge] // by class; nil: not computed yet

	composed atomic.Pointer[composition]
}

// An edge is where a lexical goes on a byte. Both parts may be there at once: a terminal that could
// end here or go on.
type edge struct {
	to   *lexical           // terminals not ended; nil if none is left
	done []grammar.Terminal // parser terminals that end here, ascending
}

// nowhere is the edge that leads nowhere.
var nowhere = &edge{}

// lexicon interns lexicals and computes their edges on first use. It is safe for concurrent use:
// edges are found without a lock once they were computed.
type lexicon struct {
	*terminals
	words int // words of a bit set over terminals

	mu    sync.Mutex
	known map[string]*lexical
	count int32 // lexicals ever made
	bytes int64
	key   []byte // scratch
}

// maxKnown bounds the lexicals that are interned at one time. The union of terminals is exponential
// in the worst case; real grammars have some thousands of states, at about 500 bytes each. When
// there are more, all are forgotten and found anew: forgotten ones stay right where they are in
// use, they are only no longer recognised as equal to new ones.
const maxKnown = 1 << 18

func newLexicon(t *terminals, words int) *lexicon {
	return &lexicon{terminals: t, words: words, known: map[string]*lexical{}}
}

// begin is the state in which nothing was read of the terminals of a bit set, or of an ignored one.
func (x *lexicon) begin(allowed []uint64) *lexical {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.beginLocked(allowed)
}

func (x *lexicon) beginLocked(allowed []uint64) *lexical {
	return x.intern(x.starts(nil, allowed), true, allowed)
}

// starts appends the places where the members of a bit set and the ignored terminals begin.
func (x *lexicon) starts(dst []place, allowed []uint64) []place {
	dst = append(dst, x.blanks...)
	for t, at := range x.first {
		if at >= 0 && !x.ignored[t] && bitset.Has(allowed, grammar.Terminal(t)) {
			dst = append(dst, at)
		}
	}
	return dst
}

// intern finds or makes a state. It takes ownership of places, which need not be sorted.
func (x *lexicon) intern(places []place, fresh bool, allowed []uint64) *lexical {
	slices.Sort(places)
	places = slices.Compact(places)
	if !fresh && !slices.ContainsFunc(places, func(p place) bool { return x.ignored[x.owner[p]] }) {
		allowed = nil
	}
	x.key = x.key[:0]
	if fresh {
		x.key = append(x.key, 1)
	}
	for _, w := range allowed {
		x.key = binary.LittleEndian.AppendUint64(x.key, w)
	}
	x.key = append(x.key, byte(len(allowed)))
	for _, p := range places {
		x.key = binary.AppendUvarint(x.key, uint64(p))
	}
	if l, ok := x.known[string(x.key)]; ok {
		return l
	}
	if len(x.known) >= maxKnown {
		clear(x.known)
		x.bytes = 0
	}
	l := &lexical{id: x.count, places: slices.Clip(places), fresh: fresh, allowed: allowed, next: make([]atomic.Pointer[edge], x.width)}
	x.count++
	x.bytes += int64(96 + len(x.key) + 4*len(places) + 8*len(allowed) + 8*x.width)
	x.known[string(x.key)] = l
	return l
}

// step is the edge of l on a class of bytes.
func (x *lexicon) step(l *lexical, class uint8) *edge {
	if e := l.next[class].Load(); e != nil {
		return e
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stepLocked(l, class)
}

func (x *lexicon) stepLocked(l *lexical, class uint8) *edge {
	if e := l.next[class].Load(); e != nil {
		return e
	}
	e := x.compute(l, class, nil)
	l.next[class].Store(e)
	return e
}

// stepWithout is step as if the terminals of a bit set had not begun. It is computed each time.
func (x *lexicon) stepWithout(l *lexical, class uint8, refused []uint64) *edge {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.compute(l, class, refused)
}

// restrict is l with fewer terminals allowed, and without the places of refused ones.
func (x *lexicon) restrict(l *lexical, allowed, refused []uint64) *lexical {
	places := slices.DeleteFunc(slices.Clone(l.places), func(p place) bool { return bitset.Has(refused, x.owner[p]) })
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.intern(places, l.fresh, allowed)
}

func (x *lexicon) compute(l *lexical, class uint8, refused []uint64) *edge {
	var places []place
	var done []grammar.Terminal
	restart := false
	for _, p := range l.places {
		to := x.next[int(p)*x.width+int(class)]
		if to < 0 || refused != nil && bitset.Has(refused, x.owner[p]) {
			continue
		}
		if x.open[to] {
			places = append(places, to)
		}
		switch t := x.owner[to]; {
		case !x.final[to]:
		case x.ignored[t]:
			restart = true
		default:
			done = append(done, t)
		}
	}
	if restart {
		places = x.starts(places, l.allowed)
	}
	if len(places) == 0 && !restart && len(done) == 0 {
		return nowhere
	}
	slices.Sort(done)
	e := &edge{done: slices.Compact(done)}
	if len(places) > 0 || restart {
		e.to = x.intern(places, restart, l.allowed)
	}
	return e
}

// union is the state that holds what either holds; nil stands for nothing.
func (x *lexicon) union(a, b *lexical) *lexical {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.unionLocked(a, b)
}

func (x *lexicon) unionLocked(a, b *lexical) *lexical {
	allowed := a.allowed
	switch {
	case allowed == nil:
		allowed = b.allowed
	case b.allowed != nil && !slices.Equal(allowed, b.allowed):
		allowed = slices.Clone(allowed)
		bitset.Unite(allowed, b.allowed)
	}
	return x.intern(slices.Concat(a.places, b.places), a.fresh || b.fresh, allowed)
}

// stats are the number of states interned and the memory they hold.
func (x *lexicon) stats() (states int, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.known), x.bytes
}
