package spanner

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// Where one of many names may come, such as those of a thousand tools, each prefix of a name is a
// lexer state of its own, and has a reach of its own. But the parser takes all names alike: a token
// that stays within a name is as legal as one that stays within another. So where nothing else is
// pending, the walk goes down the prefix tree of the names and that of the vocabulary together. It
// makes no lexer states, and the tokens that stay within are one group. Past the end of a name the
// walk is the ordinary one.

// takesLiterals is the lexer if there are places where the parser takes all literals alike, else
// nil.
func takesLiterals(s *Spanner) *lexer.OnDemand {
	lex, ok := s.rec.Lexer.(*lexer.OnDemand)
	if !ok || s.options.NoSlices || s.rec.Layout != nil || !slices.ContainsFunc(s.rec.Grammar.Modes, func(m grammar.Mode) bool { return m.Shifted }) {
		return nil
	}
	return lex
}

// literals appends the spans of the subtree of trie node i, whose byte led to p. It is not ok if
// anything else than such literals is pending at p.
func (w *walk) literals(dst []span, i int, p place) (_ []span, ok bool) {
	n := len(w.left)
	left, ok := w.alike.Literals(w.left, w.places[p].q)
	if ok {
		w.left = left
		dst = w.along(dst, i, p, left[n:], 0)
		w.left = left[:n]
	}
	return dst, ok
}

// along appends the spans of the subtree of trie node i, which is n bytes below p. left are the
// literals that have these bytes, from p on; it may change their order.
func (w *walk) along(dst []span, i int, p place, left []string, n int) []span {
	t, from := w.trie, len(dst)
	dst = w.token(dst, i, p)
	end := i + t.Nodes[i].Size()
	if i+1 == end {
		return dst
	}
	var next byteSet
	for _, text := range left {
		if len(text) > n {
			next.add(text[n])
			continue
		}
		q := w.places[p].q // a literal is complete: whatever comes now
		for k := range n {
			q = w.lex.Next(q, text[k])
		}
		return w.children(dst, from, i, w.at(q, Column{}))
	}
	for j := i + 1; j < end && len(left) > 0; j += t.Nodes[j].Size() {
		b, k, at := t.Nodes[j].Byte(), 0, len(dst)
		if !next.has(b) {
			continue
		}
		for m, text := range left {
			if text[n] == b {
				left[k], left[m] = text, left[k]
				k++
			}
		}
		w.steps++
		dst = join(w.along(dst, j, p, left[:k], n+1), from, at)
		left = left[k:]
	}
	return dst
}
