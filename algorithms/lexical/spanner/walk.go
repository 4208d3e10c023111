package spanner

import (
	"unsafe"

	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/index"
	"gcdbench/tokenizers"
)

// A sequence is an interned list of symbols, shared at the tail: its first symbol and the rest.
type sequence int32

// empty is the sequence without symbols.
const empty sequence = 0

// refused stands for a sequence that pruning drops.
const refused sequence = -1

// A span is tokens that are adjacent in the order of the trie and are read alike: they emit the
// same sequence, and their last lexeme can still become the same terminals.
type span struct {
	seq    sequence
	reach  lexer.ReachID
	lo, hi int32
}

// A place is a lexer state with the column of the pending lexeme, interned. A walk carries it
// down.
type place int32

// A memo is the result of a pair: n spans from lo on, for the subtree of a trie node whose byte led
// to place.
type memo struct {
	place place
	next  int32 // the next memo of the node; -1 at the end
	lo, n int32
}

// memos are memos and their spans, in pages. They are many: a slice that grew with them would be
// copied from time to time, while a mask waits.
type memos struct {
	list     []*[memoPage]memo
	n, spans int
	pages    [][]span // of spanPage spans, or more if one memo has more
}

const (
	memoPage = 1 << 8
	spanPage = 1 << 10
)

// at is a memo by number.
func (m *memos) at(i int32) *memo { return &m.list[i/memoPage][i%memoPage] }

// of is the spans of a memo; read only.
func (m *memos) of(x *memo) []span {
	from := x.lo % spanPage
	return m.pages[x.lo/spanPage][from : from+x.n]
}

// add keeps some spans as the next memo.
func (m *memos) add(p place, next int32, spans []span) {
	last := len(m.pages) - 1
	if last < 0 || len(m.pages[last]) >= spanPage || len(m.pages[last])+len(spans) > cap(m.pages[last]) {
		m.pages = append(m.pages, make([]span, 0, max(spanPage, len(spans))))
		last++
	}
	page := &m.pages[last]
	if m.n%memoPage == 0 {
		m.list = append(m.list, new([memoPage]memo))
	}
	m.list[m.n/memoPage][m.n%memoPage] = memo{p, next, int32(last*spanPage + len(*page)), int32(len(spans))}
	*page = append(*page, spans...)
	m.n++
	m.spans += len(spans)
}

// bytes is the memory held.
func (m *memos) bytes() int64 {
	return int64(len(m.list))*memoPage*int64(unsafe.Sizeof(memo{})) + int64(m.spans)*int64(unsafe.Sizeof(span{}))
}

// minMemo is the smallest subtree whose result is kept. A smaller one is walked again in less
// time than a lookup takes.
const minMemo = 4

// walk is the memoised walk.
type walk struct {
	s      *Spanner
	trie   *tokenizers.Trie
	lex    lexer.Automaton
	memos  memos
	head   []*heads // by trie node, headsPage to a page: its first memo; nil pages have none
	places []position
	byPos  map[position]place
	byQ    []place         // by lexer state: its place without a column, -1 not made
	reach  []lexer.ReachID // by place, -1 not asked for
	loops  []loops         // by place
	inside []inside        // by place

	firsts []Symbol // by sequence
	rests  []sequence
	cons   map[[2]int32]sequence

	spans  []span // scratch of read
	roots  map[root][]group
	ranges int
	// byRanges finds blocks of the trie's order by their ranges, ofRanges are their numbers.
	byRanges index.Index
	ofRanges []int32

	steps, pruned int64

	late late

	takesWhole bool // see stays

	alike *lexer.OnDemand // see takesLiterals
	left  []string        // scratch of literals, a stack
}

// heads are the first memos of some trie nodes, plus one; 0 for none. They come in pages, as a
// grammar that is used for a short time looks at few nodes of a large trie.
type heads [headsPage]int32

const headsPage = 256

// A position is a lexer state and a column: the content of a place.
type position struct {
	q      lexer.State
	column Column
}

func (w *walk) init(s *Spanner, t *tokenizers.Trie) {
	w.s, w.trie, w.lex = s, t, s.rec.Lexer
	w.head = make([]*heads, (len(t.Nodes)+headsPage-1)/headsPage)
	w.firsts, w.rests = []Symbol{-1}, []sequence{-1}
	w.cons = map[[2]int32]sequence{}
	w.byPos = map[position]place{}
	w.takesWhole = s.options.Without&jsontokens.Digits == 0
	w.late.begin(s.rec)
	w.alike = takesLiterals(s)
}

// at interns a position. The column is forgotten where no newline lexeme can come of it.
func (w *walk) at(q lexer.State, c Column) place {
	if l := w.s.symbols.layout; l == nil || c.kind == columnNone || !w.lex.ReachSet(w.lex.Reach(q)).Has(l.Newline()) {
		for len(w.byQ) <= int(q) {
			w.byQ = append(w.byQ, -1)
		}
		if w.byQ[q] < 0 {
			w.byQ[q] = place(len(w.places))
			w.places = append(w.places, position{q: q})
		}
		return w.byQ[q]
	}
	key := position{q, c}
	p, ok := w.byPos[key]
	if !ok {
		p = place(len(w.places))
		w.places = append(w.places, key)
		w.byPos[key] = p
	}
	return p
}

// start is the place before a token is read in lexer state q.
func (w *walk) start(q lexer.State) place {
	if w.s.rec.Layout == nil {
		return w.at(q, Column{})
	}
	return w.at(q, Pending(w.s.rec, q))
}

// fresh is the place before the first byte of a lexeme that begins inside a token, in a start
// state.
func (w *walk) fresh(start lexer.State) place { return w.at(start, w.freshColumn()) }

// freshColumn is the column where a lexeme begins inside a token.
func (w *walk) freshColumn() Column {
	if w.s.rec.Layout == nil {
		return Column{}
	}
	return Fresh()
}

// reachOf lists the terminals that the pending lexeme can become at a place.
func (w *walk) reachOf(p place) lexer.ReachID {
	for len(w.reach) <= int(p) {
		w.reach = append(w.reach, -1)
	}
	if w.reach[p] < 0 {
		w.reach[p] = w.lex.Reach(w.places[p].q)
	}
	return w.reach[p]
}

// step reads a byte. emitted is the symbol of a lexeme that ended before it, silent if it emits
// nothing or none ended; ok is false if the byte is illegal. A lexeme may end in several ways: way
// is 0 at first, and then the next that the call before has returned, unless that was 0.
func (w *walk) step(from place, b byte, way int) (to place, emitted Symbol, next int, ok bool) {
	p := w.places[from]
	if way == 0 {
		if q := w.lex.Next(p.q, b); q != lexer.None {
			return w.reading(q, p.column, b), silent, 0, true
		}
	}
	for ends := w.lex.Ends(p.q); way < len(ends); way++ {
		w.touch(ends[way].Start)
		q := w.lex.Next(ends[way].Start, b)
		if q == lexer.None {
			continue
		}
		if way+1 < len(ends) {
			next = way + 1
		}
		return w.reading(q, w.freshColumn(), b), w.s.symbols.of(ends[way].Set, p.column), next, true
	}
	return 0, silent, 0, false
}

func (w *walk) reading(q lexer.State, c Column, b byte) place {
	if c.kind != columnNone {
		c = c.Read(b, w.s.rec.Layout)
	}
	return w.at(q, c)
}

// visit appends the spans of the tokens in the subtree of trie node i, whose byte led to p.
func (w *walk) visit(dst []span, i int, p place) []span {
	size := w.trie.Nodes[i].Size()
	if size > 1 && w.takesWhole && w.stays(i, p) {
		lo, hi := w.trie.First()[i], w.trie.First()[i+size]
		return append(dst, span{empty, w.reachOf(p), lo, hi})
	}
	keep := size >= minMemo && !w.s.options.NoMemo
	if keep {
		for i := w.firstMemo(i); i >= 0; {
			m := w.memos.at(i)
			if m.place == p && w.late.holds(i) {
				return append(dst, w.memos.of(m)...)
			}
			i = m.next
		}
	}
	touched := w.late.touched
	w.touch(w.places[p].q)
	w.steps++
	from := len(dst)
	if dst = w.below(dst, i, p); keep {
		w.memos.add(p, w.firstMemo(i), dst[from:])
		w.late.note(touched)
		page := &w.head[i/headsPage]
		if *page == nil {
			*page = new(heads)
		}
		(*page)[i%headsPage] = int32(w.memos.n)
	}
	return dst
}

// below is visit for the first time.
func (w *walk) below(dst []span, i int, p place) []span {
	if w.alike != nil && w.trie.Nodes[i].Size() > 1 {
		if dst, ok := w.literals(dst, i, p); ok {
			return dst
		}
	}
	return w.children(w.token(dst, i, p), len(dst), i, p)
}

// token appends the span of the token that ends at trie node i, if one does; p is after it.
func (w *walk) token(dst []span, i int, p place) []span {
	if w.trie.Nodes[i].Token() < 0 {
		return dst
	}
	return append(dst, span{empty, w.reachOf(p), w.trie.First()[i], w.trie.First()[i+1]})
}

// children appends the spans of the children of trie node i, read from p; dst[from:] are those of
// the node.
func (w *walk) children(dst []span, from, i int, p place) []span {
	t := w.trie
	for j, end := i+1, i+t.Nodes[i].Size(); j < end; j += t.Nodes[j].Size() {
		if w.takesWhole && w.loopsOn(p, tokenizers.KindOfByte(t.Nodes[j].Byte())|t.Below(j)) {
			n := len(dst)
			dst = join(append(dst, span{empty, w.reachOf(p), t.First()[j], t.First()[j+t.Nodes[j].Size()]}), from, n)
			continue
		}
		dst = w.child(dst, from, j, p)
	}
	return dst
}

// firstMemo is the first memo of a trie node, -1 for none.
func (w *walk) firstMemo(i int) int32 {
	page := w.head[i/headsPage]
	if page == nil {
		return -1
	}
	return page[i%headsPage] - 1
}

// child appends the spans of trie node j, read from p; dst[from:] are those of its elder siblings.
func (w *walk) child(dst []span, from, j int, p place) []span {
	for way := 0; ; {
		to, emitted, next, ok := w.step(p, w.trie.Nodes[j].Byte(), way)
		if !ok {
			return dst
		}
		n := len(dst)
		dst = w.visit(dst, j, to)
		if emitted != silent {
			dst = append(dst[:n], w.prefix(emitted, dst[n:])...)
		}
		dst = join(dst, from, n)
		if way = next; way == 0 {
			return dst
		}
	}
}

// join merges the spans at n with the one before, if that is alike and adjacent.
func join(dst []span, from, n int) []span {
	if n == from || n == len(dst) {
		return dst
	}
	last, next := &dst[n-1], dst[n]
	if last.seq != next.seq || last.reach != next.reach || last.hi != next.lo {
		return dst
	}
	last.hi = next.hi
	return append(dst[:n], dst[n+1:]...)
}

// prefix puts a symbol before all spans, in place, without those that pruning drops.
func (w *walk) prefix(x Symbol, spans []span) []span {
	kept := spans[:0]
	last, lastSeq, lastReach := refused, refused, lexer.ReachID(-1)
	for _, sp := range spans {
		if sp.seq != lastSeq || sp.seq == empty && sp.reach != lastReach {
			lastSeq, lastReach = sp.seq, sp.reach
			last = w.put(x, sp.seq, sp.reach)
		}
		if last == refused {
			w.pruned++
			continue
		}
		sp.seq = last
		kept = append(kept, sp)
	}
	return kept
}

// allowed tells whether pruning lets x stand before rest, which is followed by a lexeme of the
// given reach.
func (w *walk) allowed(x Symbol, rest sequence, reach lexer.ReachID) bool {
	f := w.s.follow
	switch {
	case f == nil:
		return true
	case rest == empty:
		return f.end(w.s, x, reach)
	}
	return f.next(w.s, x, w.firsts[rest])
}

// put is the sequence of x and then rest, which is followed by a lexeme of the given reach.
func (w *walk) put(x Symbol, rest sequence, reach lexer.ReachID) sequence {
	if !w.allowed(x, rest, reach) {
		return refused
	}
	key := [2]int32{int32(x), int32(rest)}
	seq, ok := w.cons[key]
	if !ok {
		seq = sequence(len(w.firsts))
		w.firsts, w.rests = append(w.firsts, x), append(w.rests, rest)
		w.cons[key] = seq
	}
	return seq
}
