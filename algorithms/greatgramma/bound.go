package greatgramma

import (
	"gcdbench/lexical/spanner"
)

// What a lazy engine holds, and how it is kept from growing without end.
//
// A lexer that is built on demand may have a state for each character of a bounded string, ten thousand for a
// length that people write into schemas. Each state that a generation comes to has a root of its own: the
// tokens that still fit are others. So an engine that is lazy counts what it makes, and where that is more
// than it may hold, forgets all and starts over, as lazy DFAs do. Masks that are being computed go on with
// what they have looked up; that is immutable.
//
// The memo of the vocabulary's walk is dropped more often (spanner.ReleaseLong).

// MaxHeld bounds what a lazy engine holds, ready masks included: half of what a schema may take in all, as the
// lexer and the walk's own memory come on top. Most schemas need a few MiB; a token group inside a bounded
// string takes 20 KB at 128,000 ids.
const MaxHeld = 1 << 30

// startSpanner begins with a new spanner.
func (e *engine) startSpanner() {
	e.spanner = spanner.New(e.problem.Recognizer, e.problem.Vocabulary, spanner.Options{Prune: e.set.prune, NoMemo: !e.set.memo, NoSlices: !e.set.slices, Kept: e.problem.Kept})
}

// forget makes room before a lazy engine makes another root. With a layout step it does not: there a mask
// comes back for rows behind newlines, and lexers are small.
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

// held is the bytes of what the engine made, as far as it grows with what is asked.
func (e *engine) held() int64 {
	return e.rootBytes + e.groups.bytes + int64(len(e.view.masks))*8*int64(e.maskWords())
}

// startOver forgets all that was made on demand.
func (e *engine) startOver() {
	old := e.symbolic
	e.symbolic = newSymbolic(e.problem.Recognizer)
	e.symbolic.limit, e.symbolic.free.limit = old.limit, old.free.limit
	e.view = view{}
	e.class, e.lineOf = nil, -1
	e.roots, e.shapes, e.strings = nil, nil, nil
	clear(e.topClass) // in terms of the old symbolic; classes stay
	e.rootBytes = 0
	e.begin()
	e.startedOver++
}

// begin makes what interns, empty.
func (e *engine) begin() {
	e.shapeOf, e.maskOf, e.fragments = map[string]*shape{}, map[[2]uint64]int32{}, map[fragmentKey]*fragment{}
	e.groups = groups{bySum: map[[2]uint64]int32{}}
	e.quoted, e.leafGroup = map[spanner.NodeID]*root{}, map[spanner.LeafID]int32{}
	e.flat = flattener{e: e}
	e.startSpanner()
}

// The sizes of what is interned, in bytes beside the elements: a map's entry with its key, and the value.
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
		// 9 bytes an entry, and 9 of its key; rows as numbered by tops.
		e.rootBytes += shapeBytes + 18*int64(len(s.entries)) + 8*int64(len(s.rows))
	}
}

// countRow adds a row of a shape. Equal bitmaps are one, so this is at most too much.
func (e *engine) countRow(s *shape) { e.rootBytes += rowBytes + 4*int64(len(s.entries)+63)/8 }
