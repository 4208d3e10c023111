package spanner

import (
	"encoding/binary"

	"gcdbench/internal/bitset"
	"gcdbench/lexer"
	"gcdbench/recognizer"
)

// follow knows which terminals the parser may take next to each other. After a is shifted, the top
// is a state entered on a; if no such state has an action on b, then b is refused.
type follow struct {
	rec   *recognizer.Recognizer
	after [][]uint64 // by terminal: what may follow
	pairs map[[2]int32]bool
	ends  map[[2]int32]bool
}

func newFollow(r *recognizer.Recognizer) *follow {
	f := &follow{rec: r, pairs: map[[2]int32]bool{}, ends: map[[2]int32]bool{}}
	f.after = make([][]uint64, r.Tables.NumTerminals())
	for t := range f.after {
		f.after[t] = r.Tables.NewSet()
	}
	for q := range int32(r.Tables.NumStates()) {
		sym, ok := r.Tables.Accessing(q)
		if !ok || !sym.IsTerminal() {
			continue
		}
		for i, w := range r.Tables.Live(q) {
			f.after[sym.Terminal()][i] |= w
		}
	}
	return f
}

// open tells whether anything may follow x: it may emit nothing, or a terminal that is not its own.
func (f *follow) open(s *Spanner, x Symbol) bool { return s.Newline(x) || s.Ignored(x) }

// appendKey appends everything about x that next and end depend on: symbols with equal keys are
// alike.
func (f *follow) appendKey(dst []byte, s *Spanner, x Symbol) []byte {
	if f.open(s, x) {
		return append(dst, 1)
	}
	at := len(dst)
	dst = append(dst, make([]byte, 8*f.rec.Tables.SetWords())...)
	for _, a := range s.Members(x) {
		for i, w := range f.after[a] {
			k := dst[at+8*i:]
			binary.LittleEndian.PutUint64(k, binary.LittleEndian.Uint64(k)|w)
		}
	}
	return dst
}

// next tells whether symbol y may follow symbol x.
func (f *follow) next(s *Spanner, x, y Symbol) bool {
	if f.open(s, x) || f.open(s, y) {
		return true
	}
	key := [2]int32{int32(x), int32(y)}
	ok, known := f.pairs[key]
	if !known {
		for _, a := range s.Members(x) {
			for _, b := range s.Members(y) {
				ok = ok || bitset.Has(f.after[a], b)
			}
		}
		f.pairs[key] = ok
	}
	return ok
}

// end tells whether a lexeme with the given reach may be pending after symbol x.
func (f *follow) end(s *Spanner, x Symbol, r lexer.ReachID) bool {
	if f.open(s, x) {
		return true
	}
	key := [2]int32{int32(x), int32(r)}
	ok, known := f.ends[key]
	if !known {
		reach := f.rec.Lexer.ReachSet(r)
		ok = reach.Ignored || f.rec.Layout != nil && reach.Has(f.rec.Layout.Newline())
		for _, a := range s.Members(x) {
			for i, w := range f.after[a] {
				ok = ok || i < len(reach.Parser) && w&reach.Parser[i] != 0
			}
		}
		f.ends[key] = ok
	}
	return ok
}
