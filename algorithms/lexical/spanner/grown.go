package spanner

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// A grammar that embeds others gets more terminals while texts are read, all of them of embedded
// texts. What the walk has found about tokens that come to no such text stays as it is: the free
// text of a response, markers, and names of tools. It goes over to the Spanner of the grammar that
// has more.

// late is what a walk notes in a grammar that embeds others.
type late struct {
	lex     *lexer.OnDemand // nil in other grammars
	touched int             // how often the walk came to what may change
	crosses []bool          // by memo: whether it is of a walk that came there
	carried int             // memos that are of a grammar with fewer terminals
}

// begin has a walk note what may change, if something stays.
func (l *late) begin(r *recognizer.Recognizer) {
	g := r.Grammar
	if g.Demand == nil || g.Modes == nil || bitset.Next(insideJSON(g), 0) < 0 {
		return
	}
	lex := r.Lexer.(*lexer.OnDemand)
	for t := range g.Terminals {
		if d := lex.Terminal(grammar.Terminal(t)); !g.Terminals[t].All && d != nil && d.HasContexts() {
			return // what may follow a lexeme is asked of all terminals
		}
	}
	l.lex = lex
}

// touch notes that a walk reads from a lexer state.
func (w *walk) touch(q lexer.State) {
	if w.late.lex != nil && w.late.lex.Embedded(q, w.s.rec.Grammar) {
		w.late.touched++
	}
}

// note notes that a memo was made since the walk had touched so much.
func (l *late) note(touched int) {
	if l.lex != nil {
		l.crosses = append(l.crosses, l.touched != touched)
	}
}

// holds tells whether memo i is of the grammar as it is. To use it is to come to where it came.
func (l *late) holds(i int32) bool {
	if l.lex == nil || !l.crosses[i] {
		return true
	}
	l.touched++
	return int(i) >= l.carried
}

// Grown is a Spanner for the grammar of s with more terminals. It takes over what s need not find
// again; s goes on without that.
func (s *Spanner) Grown(r *recognizer.Recognizer, v *tokenizers.Vocabulary) *Spanner {
	n := New(r, v, s.options)
	w, from := &n.walk, &s.walk
	if w.late.lex == nil || from.late.lex == nil {
		return n
	}
	n.symbols.list, n.symbols.ofStrings, n.symbols.bySet = slices.Clip(s.symbols.list), slices.Clip(s.symbols.ofStrings), slices.Clone(s.symbols.bySet)
	w.memos, w.head, w.cons, w.steps, n.released = from.memos, from.head, from.cons, from.steps, s.released
	w.late.crosses, w.late.carried = from.late.crosses, from.memos.n
	w.places, w.firsts, w.rests = slices.Clip(from.places), slices.Clip(from.firsts), slices.Clip(from.rests)
	w.byQ, w.reach, w.loops, w.inside = slices.Clone(from.byQ), slices.Clone(from.reach), slices.Clone(from.loops), slices.Clone(from.inside)
	for p := range w.places {
		if !w.late.lex.Embedded(w.places[p].q, s.rec.Grammar) {
			continue
		}
		if p < len(w.reach) {
			w.reach[p] = -1
		}
		if p < len(w.inside) {
			w.inside[p] = inside{home: -1}
		}
	}
	from.memos, from.head, from.cons, from.late.crosses, from.late.carried = memos{}, make([]*heads, len(w.head)), map[[2]int32]sequence{}, nil, 0
	return n
}
