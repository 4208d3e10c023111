package greatgramma

import (
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/internal/intern"
)

// What a lazy engine holds, and how it is kept from growing without end.
//
// A lexer that is built on demand may have a state for each character of a bounded string, ten
// thousand for a length that people write into schemas. Each state that a generation comes to
// has a root of its own, as other tokens still fit. So a lazy engine counts what it makes. When
// that is more than it may hold, it forgets everything and starts over, as lazy DFAs do. A mask
// that is being computed goes on with the plan that it has looked up, which is immutable.
//
// The memo of the vocabulary's walk is dropped more often (spanner.ReleaseLong).

// MaxHeld bounds what a lazy engine holds, ready masks included: half of what a schema may take in
// all, as the lexer and the walk's own memory come on top. Most schemas need a few MiB; a token
// group inside a bounded string takes 20 KB at 128,000 ids.
const MaxHeld = 1 << 30

// startSpanner begins with a new spanner.
func (e *engine) startSpanner() {
	e.spanner = spanner.New(e.problem.Recognizer, e.problem.Vocabulary, spanner.Options{Prune: e.set.prune, NoMemo: !e.set.memo, NoSlices: !e.set.slices, Kept: e.problem.Kept})
}

// forget makes room before a lazy engine makes another root. With a layout step nothing is
// forgotten: there a mask comes back for the rows after newlines, and lexers are small.
func (e *engine) forget() {
	if e.problem.Layout != nil {
		return
	}
	s := e.spanner.Stats()
	if e.held()+s.Bytes > int64(e.set.maxHeld) && len(e.shapes) > 0 {
		e.startOver()
		return
	}
	e.spanner.ReleaseLong()
}

// held is the bytes of what the engine made on demand.
func (e *engine) held() int64 {
	return e.rootBytes + e.groups.bytes + int64(len(e.view.masks))*8*int64(e.maskWords())
}

// startOver forgets all that was made on demand.
func (e *engine) startOver() {
	m := newSymbolic(e.problem.Recognizer)
	m.limit, m.free.limit = e.symbolic.limit, e.symbolic.free.limit
	made := e.made
	e.topKeys, e.topClass = intern.Lists[setID]{}, nil // in terms of the old symbolic; classes stay
	e.begin(m)
	e.rows, e.lineRows, e.pairs = made.rows, made.lineRows, made.pairs // they are counted on
	e.startedOver++
}

// begin has nothing made.
func (e *engine) begin(m *symbolic) {
	e.made = made{groups: groups{bySum: map[[2]uint64]int32{}}, quoted: map[spanner.NodeID]*root{}}
	e.builder = &builder{
		symbolic: m, flat: flattener{e: e}, lineOf: -1, maskOf: map[[2]uint64]int32{},
		leafGroup: map[spanner.LeafID]int32{}, fragments: map[fragmentKey]*fragment{},
	}
	e.startSpanner()
}

// The sizes of interned values in bytes, beside their elements: the entry in a table, and the
// value.
const (
	groupBytes    = 120
	shapeBytes    = 400
	rowBytes      = 160 // two bitmaps
	fragmentBytes = 96
)

// countRoot adds a root, and its shape if that is new.
func (e *engine) countRoot(r *root, isNew bool) {
	e.rootBytes += 8 + 4*int64(len(r.groups))
	if isNew {
		s := r.shape
		// 9 bytes an entry; rows as numbered by tops.
		e.rootBytes += shapeBytes + 9*int64(len(s.entries)) + 8*int64(len(s.rows))
	}
}

// countRow adds a row of a shape. Equal bitmaps are one, so this is at most too much.
func (e *engine) countRow(s *shape) { e.rootBytes += rowBytes + 4*int64(len(s.entries)+63)/8 }
