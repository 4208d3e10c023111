package spanner

import (
	"encoding/binary"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// follow knows which terminals the parser may take next to each other. After a is shifted, the top
// is a state entered on a; if no such state has an action on b, then b is refused.
type follow struct {
	rec   *recognizer.Recognizer
	after [][]uint64  // by terminal: what may follow
	sets  []followers // by symbol
	kinds []jsonKind  // by terminal, of a grammar that is written on demand; else nil
}

// followers are the terminals that may follow a symbol, if that is known.
type followers struct {
	known bool
	set   []uint64
}

func newFollow(r *recognizer.Recognizer) *follow {
	if lex, ok := r.Lexer.(*lexer.OnDemand); ok && r.Grammar.Demand != nil {
		return newJSONFollow(r, lex.Terminal)
	}
	f := &follow{rec: r}
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

// of is the set of terminals that may follow symbol x; nil if anything may.
func (f *follow) of(s *Spanner, x Symbol) []uint64 {
	for len(f.sets) <= int(x) {
		f.sets = append(f.sets, followers{})
	}
	e := &f.sets[x]
	if e.known {
		return e.set
	}
	e.known = true
	if !f.open(s, x) {
		e.set = f.rec.Tables.NewSet()
		for _, a := range s.Members(x) {
			bitset.Unite(e.set, f.after[a])
		}
	}
	return e.set
}

// appendKey appends everything about x that next and end depend on: symbols with equal keys are
// alike.
func (f *follow) appendKey(dst []byte, s *Spanner, x Symbol) []byte {
	set := f.of(s, x)
	if set == nil {
		return append(dst, 1)
	}
	for _, w := range set {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// next tells whether symbol y may follow symbol x.
func (f *follow) next(s *Spanner, x, y Symbol) bool {
	set := f.of(s, x)
	return set == nil || f.open(s, y) || slices.ContainsFunc(s.Members(y), func(b grammar.Terminal) bool { return bitset.Has(set, b) })
}

// end tells whether a lexeme with the given reach may be pending after symbol x.
func (f *follow) end(s *Spanner, x Symbol, r lexer.ReachID) bool {
	set := f.of(s, x)
	if set == nil {
		return true
	}
	reach := f.rec.Lexer.ReachSet(r)
	return reach.Ignored || f.rec.Layout != nil && reach.Has(f.rec.Layout.Newline()) || bitset.Intersect(set, reach.Parser)
}
