package jsontokens

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
	"gcdbench/internal/kept"
	"gcdbench/tokenizers"
)

// What depends on the vocabulary only is made once for all grammars that have a Kept in common:
// slices of the vocabulary.
//
// A character is plain if a JSON string holds it as itself: any character but the quote, the
// backslash and the control characters. A token's slice is named by the first thing in it that is
// not a whole plain character:
//
//	plain   nothing: 95% of an ordinary vocabulary
//	quotes  a quote
//	slashes a backslash
//	broken  a byte that is not part of a whole character
//	(none)  a control character: no JSON string goes on with one, so these are left out
//
// Each slice is a prefix tree of its own. Whole subtrees of the plain slice are decided at once,
// by counting characters. Tokens with a quote are told apart by the text after the quote, the
// rest; there are few different rests.

// sliceKind names a slice.
type sliceKind uint8

const (
	plainSlice sliceKind = iota
	quoteSlice
	slashSlice
	brokenSlice
	numSlices
)

// A Lexicon has the tables that depend on a vocabulary only, and all findings made with them. It is
// safe for concurrent use.
type Lexicon struct {
	without    Mechanisms
	vocabulary *tokenizers.Vocabulary
	trie       *tokenizers.Trie
	order      []int32 // the legal ids in the order of the trie, equal tokens side by side
	first      []int32 // by trie node: the index in order of its first token
	words      int     // of a bit set of ids
	// numbers are the tokens that begin with bytes of numbers; numbered are the effects found on
	// number terminals.
	numbers  numberTree
	numbered numberMemory

	once   sync.Once
	slices [numSlices]Slice
	rests  Slice // the trie of rests; its order are their ranks
	// byLength are the plain tokens by length, shortest first; those of at most k characters are
	// byLength[:upTo[k]].
	byLength []int32
	texts    [][]byte // of byLength
	upTo     []int32
	masks    []atomic.Pointer[[]uint64] // by k: the bits of the plain tokens of at most k characters
	// unfinished are the broken tokens that consist of whole characters and a part of one more.
	// unfinishedLength is the most characters of such a token, the unfinished one counted.
	unfinished       []uint64
	unfinishedLength int32
	// quoting are the nodes of the quotes slice whose byte is the first quote of a token, in
	// order of the nodes. quotedLength is the most characters before such a quote.
	quoting      []int32
	quotedLength int32
	// all are the tokens of the quotes slice that go on after their first quote, ends the bits of
	// those that end with it.
	all  *List
	ends []uint64

	shapes shapes // of the plain slice
	// longest is the most plain characters that a token has, or has before a quote or an unfinished
	// character; 0 until Cut.
	longest int32

	// beyondPlain is the most characters of a token of another slice, those after a quote counted.
	beyondPlain int32

	// What was found out about strings with this vocabulary.
	widest   memory // by live state: see widen
	free     memory // by languages: the effects on free strings
	literals literals
	lists    lists
	allBut   allBut
	// What was found out about automata, whatever the vocabulary. A DFA that is no JSON string,
	// or no number, has nil.
	profiles       byAutomaton[*Profile]
	uncounted      byAutomaton[*automata.DFA] // by automaton over characters: its JSON text
	numberProfiles byAutomaton[*NumberProfile]
	languages      languages
}

// lexiconKey is the key of a vocabulary's Lexicon in a Kept.
type lexiconKey struct {
	vocabulary *tokenizers.Vocabulary
	without    Mechanisms
}

// Of is the Lexicon that a Kept has for a vocabulary. If k is nil it is a new one.
func Of(k *kept.Kept, v *tokenizers.Vocabulary, without Mechanisms) *Lexicon {
	return kept.Value(k, lexiconKey{v, without}, func() *Lexicon {
		l := newLexicon(v)
		l.without = without
		return l
	})
}

// newLexicon is a Lexicon that has not cut the vocabulary yet.
func newLexicon(v *tokenizers.Vocabulary) *Lexicon {
	t := v.Trie()
	l := &Lexicon{vocabulary: v, trie: t, words: (v.Len() + 63) / 64, order: t.Order(), first: t.First()}
	l.numbers = newNumberTree(l)
	return l
}

// Cut makes the slices, which effects need, at the first call: some 100 ms for 128,000 tokens.
func (l *Lexicon) Cut() {
	l.once.Do(func() {
		v := l.vocabulary
		var lists [numSlices][]int32
		var rests [][]byte
		for _, id := range l.order {
			text := v.Token(int(id))
			if kind, ok := kindOf(text); ok {
				lists[kind] = append(lists[kind], id)
				rests = appendRests(rests, text)
			}
		}
		text := func(id int32) []byte { return v.Token(int(id)) }
		for k := range lists {
			l.slices[k].grow(lists[k], text)
		}
		l.cutRests(rests)
		l.cutLengths(lists[plainSlice], text)
		l.cutUnfinished(lists[brokenSlice], text)
		l.cutQuoting(lists[quoteSlice], text)
		l.slices[plainSlice].kindsBelow(0)
		l.shapes.grow(&l.slices[plainSlice], []int32{0}, 0)
		l.beyondPlain = max(l.quotedLength, l.unfinishedLength, int32(l.slices[slashSlice].nodes[0].height))
		l.longest = max(int32(len(l.upTo)-1), l.quotedLength, l.unfinishedLength)
	})
}

// cutUnfinished finds the broken tokens that consist of whole characters and a part of one more.
func (l *Lexicon) cutUnfinished(broken []int32, text func(int32) []byte) {
	l.unfinished = make([]uint64, l.words)
	for _, id := range broken {
		rest, length := text(id), int32(1)
		for utf8.FullRune(rest) {
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 || n == 1 && !ordinary.has(rest[0]) {
				rest = nil
				break
			}
			rest = rest[n:]
			length++
		}
		if len(rest) > 0 {
			bitset.Add(l.unfinished, id)
			l.unfinishedLength = max(l.unfinishedLength, length)
		}
	}
}

// cutQuoting finds the first quotes of the quotes slice.
func (l *Lexicon) cutQuoting(quotes []int32, text func(int32) []byte) {
	s := &l.slices[quoteSlice]
	l.ends = make([]uint64, l.words)
	var all []spot
	for i := int32(1); i < int32(len(s.nodes)); i++ {
		if n := &s.nodes[i]; n.byte == '"' {
			l.quoting = append(l.quoting, i)
			all = append(all, spot{quoteSlice, i})
			bitset.AddAll(l.ends, s.order[n.lo:n.own])
			for n := n; i < n.end; i++ {
				s.nodes[i].quoted = true
			}
			i--
		}
	}
	l.all = l.list(listing{with: all})
	for _, id := range quotes {
		before, _, _ := bytes.Cut(text(id), []byte{'"'})
		l.quotedLength = max(l.quotedLength, int32(utf8.RuneCount(before)))
	}
}

// kindOf is the slice a token is in; false if it is in none.
func kindOf(text []byte) (sliceKind, bool) {
	for len(text) > 0 {
		switch c := text[0]; {
		case c == '"':
			return quoteSlice, true
		case c == '\\':
			return slashSlice, true
		case c < ' ':
			return 0, false
		}
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			return brokenSlice, true
		}
		text = text[n:]
	}
	return plainSlice, true
}

// appendRests appends what follows each quote of a token, if anything does.
func appendRests(dst [][]byte, text []byte) [][]byte {
	for i, c := range text {
		if c == '"' && i+1 < len(text) {
			dst = append(dst, text[i+1:])
		}
	}
	return dst
}

// cutRests makes the prefix tree of the rests, ranks them, and notes at each quote of a token the
// ranks of the rests after it.
func (l *Lexicon) cutRests(rests [][]byte) {
	slices.SortFunc(rests, bytes.Compare)
	rests = slices.CompactFunc(rests, bytes.Equal)
	ranks := make([]int32, len(rests))
	for i := range ranks {
		ranks[i] = int32(i)
	}
	l.rests.grow(ranks, func(rank int32) []byte { return rests[rank] })
	for k := range l.slices {
		s := &l.slices[k]
		for i := range s.nodes {
			if i > 0 && s.nodes[i].byte == '"' {
				s.nodes[i].quote = int32(len(s.ranks))
				l.rank(s, 0, int32(i))
			}
		}
	}
}

// rank appends the ranks of the rests of the tokens below node i of s. The text from the quote to
// node i leads to node at of the tree of rests. Rests have the order of the tokens.
func (l *Lexicon) rank(s *Slice, at, i int32) {
	n := &s.nodes[i]
	for k := n.kidLo; k < n.kidHi; k++ {
		kid := s.kids[k]
		to := l.rests.child(at, s.nodes[kid].byte)
		for range s.nodes[kid].own - s.nodes[kid].lo {
			s.ranks = append(s.ranks, l.rests.order[l.rests.nodes[to].lo])
		}
		l.rank(s, to, kid)
	}
}

// cutLengths orders the plain tokens by length.
func (l *Lexicon) cutLengths(plain []int32, text func(int32) []byte) {
	lengths := make([]uint8, len(plain)) // tokens have at most tokenizers.MaxTokenLength bytes
	longest := uint8(0)
	for i, id := range plain {
		lengths[i] = uint8(utf8.RuneCount(text(id)))
		longest = max(longest, lengths[i])
	}
	l.upTo = make([]int32, int(longest)+1)
	for _, n := range lengths {
		l.upTo[n]++
	}
	next := make([]int32, len(l.upTo))
	for k := 1; k < len(l.upTo); k++ {
		next[k] = l.upTo[k-1]
		l.upTo[k] += l.upTo[k-1]
	}
	l.byLength, l.texts = make([]int32, len(plain)), make([][]byte, len(plain))
	for i, n := range lengths {
		l.byLength[next[n]], l.texts[next[n]] = plain[i], text(plain[i])
		next[n]++
	}
	l.masks = make([]atomic.Pointer[[]uint64], len(l.upTo))
	for k := range min(int32(len(l.upTo)), layersAhead) {
		l.upToLength(k)
	}
}

// layersAhead is for how many lengths the masks of upToLength are made when the vocabulary is cut.
// Hardly any token is longer.
const layersAhead = 32

// upToLength is the bits of the plain tokens of at most k characters; read only. They are made from
// those of the next shorter length that are there.
func (l *Lexicon) upToLength(k int32) []uint64 {
	k = min(k, int32(len(l.masks)-1))
	if m := l.masks[k].Load(); m != nil {
		return *m
	}
	m, from := make([]uint64, l.words), int32(0)
	for shorter := k - 1; shorter >= 0; shorter-- {
		if made := l.masks[shorter].Load(); made != nil {
			copy(m, *made)
			from = l.upTo[shorter]
			break
		}
	}
	bitset.AddAll(m, l.byLength[from:l.upTo[k]])
	l.masks[k].Store(&m)
	return m
}

// Rests is the prefix tree of what tokens have after a quote; a List's ranks are places in its
// order.
func (l *Lexicon) Rests() *Slice { return &l.rests }
