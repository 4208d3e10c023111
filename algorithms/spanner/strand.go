package spanner

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/lexer"
	"gcdbench/tokenizers"
)

// At the beginning of a key, a schema's object may go on with each of its declared keys: dozens of endings, and
// another set of them at each place in the object. But each of these has a handful of tokens of its own, those
// that go along its text, and what they do has nothing to do with the others. So they are found once per key, for all
// sets and all schemas, and the verdict on a set is put together from those of its members (weave).

// A strand is an ending that few tokens go along. It is immutable.
type strand struct {
	few []int32 // the tokens after which it is alive
	// ends are the quotes that close it and have something behind them in a token, texts what is before them in
	// the token and the quote itself, list all of those tokens.
	ends  []spot
	texts [][]byte
	list  *restList
}

// noList is the list of a strand that no token goes on behind.
var noList = &restList{}

// noStrand stands for an ending that is none.
var noStrand = &strand{}

const (
	// maxStrandBytes is the number of bytes that a strand may go on with at any place: a text has one, a backslash and
	// what some escapes have in common.
	maxStrandBytes = 8
	// maxStrandNodes is the number of places in tokens that it may come to. A key of 20 characters comes to some 15.
	maxStrandNodes = 64
)

// strands has the strands of a vocabulary by spelling and state.
type strands struct {
	sync.Mutex
	of map[uint64]*strand
}

// maxStrands bounds it: some 300 bytes each make 10 MB at most.
const maxStrands = 1 << 15

// strand is the strand of an ending, noStrand if it has none.
func (l *lexicon) strand(t ending) *strand {
	key := uint64(t.p.id)<<32 | uint64(uint32(t.state))
	m := &l.found.strands
	m.Lock()
	x := m.of[key]
	m.Unlock()
	if x != nil {
		return x
	}
	x = l.spin(t)
	m.Lock()
	defer m.Unlock()
	if m.of == nil || len(m.of) >= maxStrands {
		m.of = map[uint64]*strand{}
	}
	m.of[key] = x
	return x
}

// spin finds the strand of an ending.
func (l *lexicon) spin(t ending) *strand {
	if !t.p.slim(t.state) {
		return noStrand
	}
	w := spinner{l: l, d: t.d, p: t.p, left: maxStrandNodes, text: make([]byte, 0, tokenizers.MaxTokenLength)}
	w.out.few = make([]int32, 0, maxStrandNodes)
	for k := range l.slices {
		w.kind, w.slice = sliceKind(k), &l.slices[k]
		if !w.below(0, t.state) {
			return noStrand
		}
	}
	if len(w.out.few) > maxFew {
		return noStrand
	}
	x := &strand{few: slices.Clone(w.out.few), ends: w.out.ends, texts: w.out.texts, list: noList}
	if len(x.ends) > 0 {
		x.list = l.list(listing{with: x.ends})
	}
	return x
}

// slim tells whether a state has few bytes to go on with.
func (p *spelling) slim(s int32) bool { return p.alive[s].count() <= maxStrandBytes }

// A spinner is the walk of one ending.
type spinner struct {
	l     *lexicon
	d     *automata.DFA
	p     *spelling
	kind  sliceKind
	slice *slice
	text  []byte // on the way to the node
	left  int    // nodes that may still be looked at
	out   strand
}

// below goes on to the children of a node, with the ending in state s. It is false if there is too much of it.
func (w *spinner) below(i, s int32) bool {
	if !w.p.slim(s) {
		return false
	}
	for k, set := range w.p.alive[s] {
		for ; set != 0; set &= set - 1 {
			b := byte(k<<6 + bits.TrailingZeros64(set))
			kid := w.slice.child(i, b)
			if kid < 0 {
				continue
			}
			w.text = append(w.text, b)
			if !w.visit(kid, w.d.Next(s, b)) {
				return false
			}
			w.text = w.text[:len(w.text)-1]
		}
	}
	return true
}

// visit is at a node.
func (w *spinner) visit(i, s int32) bool {
	if w.left--; w.left < 0 {
		return false
	}
	n := &w.slice.nodes[i]
	w.out.few = append(w.out.few, w.slice.order[n.lo:n.own]...)
	switch {
	case n.kidLo == n.kidHi:
		return true
	case w.p.phases[s] == closed:
		w.out.ends = append(w.out.ends, spot{w.kind, i})
		w.out.texts = append(w.out.texts, slices.Clone(w.text))
		return true
	}
	return w.below(i, s)
}

// strand is the strand of a part, nil if it has none.
func (s *Spanner) strand(x lexer.Part) *strand {
	if s.options.Without&Strands != 0 {
		return nil
	}
	q := &s.quoted
	key := uint64(x.Terminal)<<32 | uint64(uint32(x.State))
	t := q.strands[key]
	if t == nil {
		t = s.lexicon.strand(ending{q.lex.Terminal(x.Terminal), q.spellings[x.Terminal], x.State})
		if q.strands == nil {
			q.strands = map[uint64]*strand{}
		}
		q.strands[key] = t
	}
	if t == noStrand {
		return nil
	}
	return t
}

const (
	// maxStrandsAhead and maxDetoursAhead are how many strands and detours are found ahead: at half a microsecond and some
	// ten, 2 ms at most, for schemas whose automata have taken longer than that.
	maxStrandsAhead = 2000
	maxDetoursAhead = 100
)

// aheadOfKeys finds what the first quote of a key waits for: the strands of all keys, and the verdicts on the strings that
// are free but for some.
func (s *Spanner) aheadOfKeys() {
	if s.options.Without&AheadKeys != 0 {
		return
	}
	q := &s.quoted
	strands, detours := maxStrandsAhead, maxDetoursAhead
	for t, p := range q.spellings {
		if p == nil {
			continue
		}
		d := q.lex.Terminal(grammar.Terminal(t))
		x := lexer.Part{Terminal: grammar.Terminal(t), State: d.Next(d.Start(), '"')}
		switch {
		case x.State == automata.Dead:
		case p.slim(x.State):
			if strands--; strands >= 0 {
				s.strand(x)
			}
		case p.sinkOf(d).state != automata.Dead:
			if detours--; detours >= 0 {
				s.detour(ending{d, p, x.State})
			}
		}
	}
}

// detour finds the verdict on an ending whose automaton has a sink, for walked, unless it takes a walk of what is alive.
func (s *Spanner) detour(t ending) {
	m := &s.quoted.local
	if t.p.shared.Load() && s.options.Without&Memory == 0 {
		m = &s.lexicon.found
	}
	key := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, t.p.id), uint32(t.state))
	if m.get(key) != nil {
		return
	}
	if v := s.lexicon.detour(t, t.p.sinkOf(t.d)); v != nil {
		m.put(key, v)
	}
}
