package algorithms

import (
	"bytes"
	"slices"

	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/items"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// Items that are compared (docs/contract.md). What an engine knows of a grammar is its lexer and
// its parser; the items of a text are no part of either. So its masks have every token that is
// legal, and those beside them that finish an item which is there already. ComparingItems lays a
// filter over the masks, the same for all engines. It looks at few tokens: at those that the prefix
// tree of the vocabulary has on the way to an earlier item, from where the pending item is equal to
// the beginning of that one, and at the few tokens that may hold a whole item. What they are is
// decided by the recognizer.

// ComparingItems is an engine for p whose masks leave out what the items of arrays do not allow, of
// one whose masks do not, and whose States have a Position. It is inner itself if the grammar
// compares none.
func ComparingItems(p *Problem, inner Engine) Engine {
	if !p.Compares() {
		return inner
	}
	e := &comparing{Engine: inner, problem: p.Keeping()}
	e.tokens()
	return e
}

// comparing is the engine of ComparingItems.
type comparing struct {
	Engine
	problem *Problem
}

// itemTokens are the tokens of a vocabulary that may hold a whole item, or a member that takes
// another one's place: outside of strings, and behind the end of the string that is pending; and
// those that may hold an array with two equal items.
type itemTokens struct{ outside, quoted, arrays []int32 }

// itemTokensKey is the key of itemTokens; equal is whether there are arrays that must have equal
// items, of which the end counts too.
type itemTokensKey struct{ equal bool }

// tokens are the tokens to look at in any case.
func (e *comparing) tokens() *itemTokens {
	equal := e.problem.Current().CountsEqual()
	return KeptValue(e.problem.Kept, itemTokensKey{equal}, func() *itemTokens { return findItemTokens(e.problem.Vocabulary, equal) })
}

func findItemTokens(v *tokenizers.Vocabulary, equal bool) *itemTokens {
	t := &itemTokens{}
	for _, id := range v.Trie().Order() {
		text := v.Token(int(id))
		if !slices.ContainsFunc(text, func(b byte) bool { return b == ',' || b == ':' || b == '[' || b == ']' }) {
			continue // most of them
		}
		if mayHoldItem(text, equal) {
			t.outside = append(t.outside, id)
		}
		if _, behind, ends := bytes.Cut(text, []byte{'"'}); ends && mayHoldItem(behind, equal) {
			t.quoted = append(t.quoted, id)
		}
		if mayHoldArray(text, equal) {
			t.arrays = append(t.arrays, id)
		}
	}
	return t
}

// mayHoldItem tells whether a token may begin and finish an item, or a member of an object that is
// finished; of arrays that must have equal items also whether it may end one.
func mayHoldItem(text []byte, ends bool) bool {
	for i, b := range text {
		rest := text[i+1:]
		switch b {
		case ']':
			if ends {
				return true
			}
		case ':':
			if bytes.IndexByte(rest, '}') >= 0 {
				return true
			}
		case ',', '[':
			rest = bytes.TrimLeft(rest, " \t\n\r")
			if len(rest) > 1 && bytes.ContainsAny(rest[1:], "\"]},\t\n\r ") {
				return true
			}
		}
	}
	return false
}

// mayHoldArray tells whether a token may hold an array with two equal items; of arrays that must
// have them also whether it may hold any.
func mayHoldArray(text []byte, any bool) bool {
	for i, b := range text {
		if b != '[' {
			continue
		}
		r := items.Open()
		for _, b := range text[i+1:] {
			if r.Read(b, true); r.Again() || r.Blocked().Other || any && r.Closed() {
				return true
			} else if r.Closed() {
				break
			}
		}
	}
	return false
}

// Start implements Engine.
func (e *comparing) Start() State { return e.over(e.Engine.Start()) }

// over is the State over one of the engine.
func (e *comparing) over(s State) State {
	return &comparingState{engine: e, inner: s.(placed)}
}

// placed is a State that has a Position.
type placed interface {
	Rewinder
	place() *recognizer.State
}

func (p *Position) place() *recognizer.State { return &p.State }

var _ interface{ place() *recognizer.State } = (*Position)(nil)

// comparingState is a generation of comparing.
type comparingState struct {
	engine *comparing
	inner  placed
	buffer *Buffer
	rivals items.Rivals
}

// Mask implements State.
func (s *comparingState) Mask() Mask {
	if s.buffer == nil {
		s.buffer = NewBuffer(s.engine.problem.Vocabulary.Len())
	}
	s.Fill(s.buffer.Words())
	return s.buffer.Mask()
}

// Commit implements State.
func (s *comparingState) Commit(token int) error { return s.inner.Commit(token) }

// Clone implements State.
func (s *comparingState) Clone() State { return s.engine.over(s.inner.Clone()) }

// Rollback implements Rewinder.
func (s *comparingState) Rollback(k int) error { return s.inner.Rollback(k) }

// Idle implements Idler.
func (s *comparingState) Idle() (more bool) { return Idle(s.inner) }

// Unbuilt implements Builder.
func (s *comparingState) Unbuilt() bool {
	b, ok := s.inner.(Builder)
	return ok && b.Unbuilt()
}

// Build implements Builder.
func (s *comparingState) Build() {
	if b, ok := s.inner.(Builder); ok {
		b.Build()
	}
}

// Fill implements Filler.
func (s *comparingState) Fill(row []uint64) {
	Deliver(s.inner, row)
	e, at := s.engine, s.inner.place()
	f := &itemFilter{at: at, problem: e.problem, trie: e.problem.Vocabulary.Trie(), row: row, rivals: &s.rivals}
	r := at.Items
	switch {
	case r == nil:
		f.check(e.tokens().arrays)
		return
	case r.Again() || r.Blocked() != (items.Blocked{}):
		// One reading of the text compares the items and another does not: the engine's parser has
		// both until the next lexeme.
		f.check(f.trie.Order())
		for _, id := range e.problem.Vocabulary.EOS() {
			if bitset.Has(row, id) && !e.problem.End(*at) {
				bitset.Remove(row, id)
			}
		}
		return
	case r.Quoted():
		f.check(e.tokens().quoted)
	default:
		f.check(e.tokens().outside)
	}
	if next := f.rivals.Next(r); next != (items.Bytes{}) {
		for _, root := range f.trie.Roots() {
			if next.Has(root.Byte) {
				f.read(int(root.Node), *r)
			}
		}
	}
}

// An itemFilter takes tokens out of a mask.
type itemFilter struct {
	at      *recognizer.State
	problem *Problem
	trie    *tokenizers.Trie
	row     []uint64
	rivals  *items.Rivals
}

// check takes those of some tokens out that are not legal.
func (f *itemFilter) check(tokens []int32) {
	for _, id := range tokens {
		if !bitset.Has(f.row, id) {
			continue
		}
		if _, ok := f.problem.Read(*f.at, f.problem.Vocabulary.Token(int(id))); !ok {
			bitset.Remove(f.row, id)
		}
	}
}

// read reads the byte of a node of the prefix tree, and looks at the tokens below it: all of them
// if it finishes an item that is there already, or those on the ways that lead to one.
func (f *itemFilter) read(node int, r items.Register) {
	n := f.trie.Nodes[node]
	r.Read(n.Byte(), true)
	if r.Again() || r.Blocked().Other {
		first := f.trie.First()
		f.check(f.trie.Order()[first[node]:first[node+n.Size()]])
		return
	}
	ends := tokenizers.QuoteBytes | tokenizers.BraceBytes | tokenizers.SignBytes // the kinds of bytes that end an item
	if !r.Quoted() {
		ends |= tokenizers.BlankBytes | tokenizers.BreakBytes
	}
	if f.trie.Below(node)&ends == 0 {
		return
	}
	next := f.rivals.Next(&r)
	for i := node + 1; i < node+n.Size(); i += f.trie.Nodes[i].Size() {
		if next.Has(f.trie.Nodes[i].Byte()) {
			f.read(i, r)
		}
	}
}
