package spanner

import (
	"encoding/binary"
	"slices"

	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// quoted has a Spanner's tables about strings.
type quoted struct {
	asked     bool
	terminals []uint64              // JSON strings; nil: Root cannot be used
	profiles  []*jsontokens.Profile // by terminal
	effects   *jsontokens.Effects
	after     map[string]NodeID // see restNode
	unpruned  map[rests]SharedNode
	spans     map[lexer.State][]span // of the rests, by the state that they are read from
	lives     []jsontokens.Live
}

// A rests has the tokens of a list without their beginning up to a quote, and the state in which
// the lexeme after the quote begins.
type rests struct {
	list  uint32
	start lexer.State
}

// Strings lists the terminals that are JSON strings (a bit set over terminals) and of which Root
// may leave out some; nil if it cannot be used: the lexer is not built on demand, lexemes are
// emitted as the first of what they match, there are no strings, or Options.NoSlices is set.
func (s *Spanner) Strings() []uint64 {
	if q := &s.quoted; !q.asked {
		q.asked = true
		q.init(s)
	}
	return s.quoted.terminals
}

// init finds the terminals that are strings.
func (q *quoted) init(s *Spanner) {
	lex, g := s.apart, s.rec.Grammar
	if lex == nil {
		return
	}
	terminals := bitset.New(len(g.Terminals) + 1)
	q.profiles = make([]*jsontokens.Profile, len(g.Terminals))
	any := false
	for t := range g.Terminals {
		d := lex.Terminal(grammar.Terminal(t))
		if !s.isApart(t) || d == nil || d.Next(d.Start(), '"') == automata.Dead {
			continue
		}
		if q.profiles[t] = s.lexicon.Profile(d); q.profiles[t] != nil {
			bitset.Add(terminals, t)
			any = true
		}
	}
	if any {
		s.lexicon.Cut()
		q.terminals, q.effects = terminals, s.lexicon.NewEffects()
		q.after, q.unpruned, q.spans = map[string]NodeID{}, map[rests]SharedNode{}, map[lexer.State][]span{}
	}
}

// Word is what a string may go on with; nil of other terminals. See jsontokens.Profile.Word.
func (s *Spanner) Word(p lexer.Part) []byte {
	if q := &s.quoted; q.terminals != nil && q.profiles[p.Terminal] != nil {
		return q.profiles[p.Terminal].Word(p.State)
	}
	return nil
}

// stringRoot is the root of parts of strings.
func (s *Spanner) stringRoot(parts []lexer.Part) (root SharedNode) {
	q := &s.quoted
	q.lives = q.lives[:0]
	for _, p := range parts {
		q.lives = append(q.lives, q.profiles[p.Terminal].At(p.State))
	}
	if q.lives[0].Closed() {
		var all []grammar.Terminal
		for _, p := range parts {
			all = append(all, p.Terminal)
		}
		s.eachStart(all, func(x Symbol, start lexer.State) {
			root.Kids = append(root.Kids, SharedKid{x, s.after(x, start, &byteSet{})})
		})
		return root
	}
	v, order := q.effects.Of(q.lives)
	switch {
	case v.Alive != nil:
		root.Leaves = append(root.Leaves, SharedLeaf{Sure, s.shared.bitLeaf(v.Alive, v.Minus, v.Plus)})
	case len(v.Few) > 0:
		s.blocks = append(s.blocks, block{order: v.Few, ranges: []tokenizers.Range{{Lo: 0, Hi: int32(len(v.Few))}}})
		blocks := []int32{int32(len(s.blocks) - 1)}
		root.Leaves = append(root.Leaves, SharedLeaf{Sure, s.shared.add(tokens{blocks, listed}, 4)})
	}
	for i := range v.Closings {
		c := &v.Closings[i]
		s.eachStart(terminalsOf(parts, order, c.Members), func(x Symbol, start lexer.State) {
			if node := s.restNode(x, c.List, start); len(s.Node(node).Kids)+len(s.Node(node).Leaves) > 0 {
				root.Kids = append(root.Kids, SharedKid{x, node})
			}
		})
	}
	return root
}

// restNode is the node of a list's tokens after symbol x, read from a start state. Pruning treats
// most symbols alike; then it is the same node.
func (s *Spanner) restNode(x Symbol, list *jsontokens.List, start lexer.State) NodeID {
	q, h := &s.quoted, &s.shared
	s.key = binary.LittleEndian.AppendUint32(s.key[:0], list.ID)
	s.key = binary.LittleEndian.AppendUint32(s.key, uint32(start))
	if s.follow != nil {
		s.key = s.follow.appendKey(s.key, s, x)
	}
	if node, ok := q.after[string(s.key)]; ok {
		return node
	}
	key := string(s.key)
	node := h.intern(s.prune(x, s.unprunedRests(list, start)))
	q.after[key] = node
	return node
}

// unprunedRests is the node of a list's tokens, whatever symbol is before.
func (s *Spanner) unprunedRests(list *jsontokens.List, start lexer.State) SharedNode {
	key := rests{list.ID, start}
	all, ok := s.quoted.unpruned[key]
	if !ok {
		all = s.shared.unite([]int32{s.shared.piece(&s.walk, s.restGroups(list, start))})
		s.quoted.unpruned[key] = all
		s.shared.bytes += nodeBytes(all)
	}
	return all
}

// restGroups are the groups of a list's tokens, by what is emitted after the quote.
func (s *Spanner) restGroups(list *jsontokens.List, start lexer.State) []group {
	w := &s.walk
	spans, ok := s.quoted.spans[start]
	if !ok {
		spans = w.readRests(nil, s.lexicon.Rests(), 0, w.start(start))
		s.quoted.spans[start] = spans
	}
	var groups []group
	for _, sp := range spans { // of a fork one way comes after the other, so they are not by rank
		lo, _ := slices.BinarySearch(list.Ranks, sp.lo)
		n, _ := slices.BinarySearch(list.Ranks[lo:], sp.hi)
		if n > 0 {
			groups = append(groups, group{sp.seq, sp.reach, int32(len(s.blocks))})
			s.blocks = append(s.blocks, block{order: list.Tokens, ranges: []tokenizers.Range{{Lo: int32(lo), Hi: int32(lo + n)}}})
		}
	}
	return groups
}

// readRests appends the spans of the rests below node i of their prefix tree, read from p; lo and
// hi are ranks.
func (w *walk) readRests(dst []span, t *jsontokens.Slice, i int32, p place) []span {
	own, kids := t.Node(i)
	from := len(dst)
	if own.Hi > own.Lo {
		dst = append(dst, span{empty, w.reachOf(p), own.Lo, own.Hi})
	}
	for _, kid := range kids {
		for way, more := 0, true; more; more = way != 0 {
			to, emitted, next, ok := w.step(p, t.Byte(kid), way)
			if !ok {
				break
			}
			at := len(dst)
			dst = w.readRests(dst, t, kid, to)
			if emitted != silent {
				dst = append(dst[:at], w.prefix(emitted, dst[at:])...)
			}
			dst = join(dst, from, at)
			way = next
		}
	}
	return dst
}
