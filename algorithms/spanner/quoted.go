package spanner

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/lexer"
)

// In a grammar whose lexemes are emitted as all they match (a JSON schema's), a state in which a JSON string
// is pending is nothing but its parts, the terminals alive, and all of them end at the same quote
// (spelling). So an algorithm that knows which of them the parser takes has the rest left out, and the
// many states that only differ in what the parser does not take have one root in the shared graph.
// What the tokens do inside a string then does not depend on the schema but by the DFAs of a few
// terminals, often those of all strings, and is kept for all schemas.

// Sure is the reach of groups of tokens that end inside a string of which only terminals that the
// parser takes are followed: one of them is in reach.
const Sure lexer.ReachID = -1

// quoted is what a Spanner knows about strings.
type quoted struct {
	lex       *lexer.OnDemand // nil: strings are not followed apart
	terminals []uint64        // those that are JSON strings; their lexemes begin with a quote
	spellings []*spelling     // by terminal
	roots     partRoots
	local     memory
	symbols   map[string]Symbol
	behind    map[string]NodeID // see restNode
	unpruned  map[uint32]SharedNode
	spans     []span   // of the rests, read from the start
	ready     bool     // spans are made
	endings   []ending // scratch
	order     []int32
	key       []byte
	strands   map[uint64]*strand // by part
	loom      loom
}

// An ending is a state of a DFA with a spelling: what can still come.
type ending struct {
	d     *automata.DFA
	p     *spelling
	state int32
}

// A verdict is what all tokens do after some endings.
type verdict struct {
	few   []int32  // the tokens after which an ending is alive
	alive []uint64 // or the bits of those, if they are many; never empty
	// minus and plus are tokens that are not among those of alive in truth, and that are besides.
	minus, plus []int32
	closers     []closer
}

// setAlive sets alive, minus and plus, unless that comes to nothing.
func (v *verdict) setAlive(words []uint64, minus, plus []int32) {
	count := len(plus) - len(minus)
	for _, w := range words {
		if count += bits.OnesCount64(w); count > 0 {
			v.alive, v.minus, v.plus = words, minus, plus
			return
		}
	}
}

// A closer is the tokens that have a quote after which some endings accept and others do not, and something
// behind that.
type closer struct {
	members []int32 // the endings, by their index
	list    *restList
}

// memory has verdicts by endings.
type memory struct {
	sync.Mutex
	of      map[string]*verdict
	strands strands
}

// maxVerdicts bounds a memory: some 20 KB each make 80 MB at most.
const maxVerdicts = 4096

func (m *memory) get(key []byte) *verdict {
	m.Lock()
	defer m.Unlock()
	return m.of[string(key)]
}

func (m *memory) put(key []byte, v *verdict) {
	m.Lock()
	defer m.Unlock()
	if m.of == nil || len(m.of) >= maxVerdicts {
		m.of = map[string]*verdict{}
	}
	m.of[string(key)] = v
}

// Strings lists the terminals that are JSON strings (a bit set over terminals) and of which Parts may be
// left out; nil if Quoted cannot be used: the lexer is not built on demand, lexemes are emitted as
// the first of what they match, there are no strings, or Options.NoSlices is set.
func (s *Spanner) Strings() []uint64 {
	q := &s.quoted
	if q.symbols == nil {
		q.symbols, q.behind, q.unpruned = map[string]Symbol{}, map[string]NodeID{}, map[uint32]SharedNode{}
		q.init(s)
	}
	if q.lex == nil {
		return nil
	}
	return q.terminals
}

// apart is the lexer if parts of its states may be followed apart from the others, else nil: it is built on demand, and lexemes
// are emitted as all that they match, without a layout step.
func (s *Spanner) apart() *lexer.OnDemand {
	lex, ok := s.rec.Lexer.(*lexer.OnDemand)
	if !ok || s.options.NoSlices || s.rec.Grammar.Lexer != grammar.LexAll || s.rec.Layout != nil {
		return nil
	}
	return lex
}

// init finds the terminals that are strings. All that begin with a quote must be.
func (q *quoted) init(s *Spanner) {
	lex, g := s.apart(), s.rec.Grammar
	if lex == nil {
		return
	}
	q.terminals = make([]uint64, (len(g.Terminals)+64)/64)
	q.spellings = make([]*spelling, len(g.Terminals))
	any := false
	for t := range g.Terminals {
		d := lex.Terminal(grammar.Terminal(t))
		if d == nil || d.Next(d.Start(), '"') == automata.Dead {
			continue
		}
		if q.spellings[t] = s.lexicon.spelling(d); q.spellings[t] == nil || g.Terminals[t].Ignored {
			return
		}
		q.terminals[t>>6] |= 1 << (t & 63)
		any = true
	}
	if any {
		s.lexicon.cut()
		q.lex = lex
	}
}

// Quoted is the root of the tree of the given parts alone, which are all of strings (see Strings), built
// at the first call. The tokens that end inside the string or at its end are one group, with reach
// Sure; those that go on behind it are under symbols of parts that accept.
func (s *Spanner) Quoted(parts []lexer.Part) NodeID {
	return s.quoted.roots.of(s, parts, (*Spanner).quotedRoot)
}

// partRoots has roots by the parts that they are of.
type partRoots struct {
	byParts map[string]NodeID
	key     []byte
}

// of is the root of some parts, made at the first call.
func (r *partRoots) of(s *Spanner, parts []lexer.Part, root func(*Spanner, []lexer.Part) SharedNode) NodeID {
	r.key = r.key[:0]
	for _, x := range parts {
		r.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(r.key, uint32(x.Terminal)), uint32(x.State))
	}
	if id, ok := r.byParts[string(r.key)]; ok {
		return id
	}
	if r.byParts == nil {
		r.byParts = map[string]NodeID{}
	}
	key := string(r.key)
	id := s.shared.intern(root(s, parts))
	r.byParts[key] = id
	return id
}

// quotedRoot is the root of parts.
func (s *Spanner) quotedRoot(parts []lexer.Part) SharedNode {
	q := &s.quoted
	if len(parts) == 0 {
		return SharedNode{}
	}
	if first := parts[0]; q.spellings[first.Terminal].phases[first.State] == closed {
		x := q.symbol(s, parts, nil)
		return SharedNode{Kids: []SharedKid{{x, s.behind(x, &byteSet{})}}}
	}
	v := s.verdict(parts)
	root := SharedNode{}
	switch {
	case v.alive != nil:
		root.Leaves = append(root.Leaves, SharedLeaf{Sure, s.shared.bitLeaf(v.alive, v.minus, v.plus)})
	case len(v.few) > 0:
		s.blocks = append(s.blocks, block{v.few, []Range{{0, int32(len(v.few))}}})
		root.Leaves = append(root.Leaves, SharedLeaf{Sure, s.shared.leaf([]int32{int32(len(s.blocks) - 1)})})
	}
	for i := range v.closers {
		c := &v.closers[i]
		x := q.symbol(s, parts, c.members)
		if node := s.restNode(x, c.list); len(s.Node(node).Kids)+len(s.Node(node).Leaves) > 0 {
			root.Kids = append(root.Kids, SharedKid{x, node})
		}
	}
	return root
}

// symbol is the symbol of the parts with the given indexes, nil for all; the indexes are those of
// verdict's endings.
func (q *quoted) symbol(s *Spanner, parts []lexer.Part, members []int32) Symbol {
	var list []grammar.Terminal
	if members == nil {
		for _, x := range parts {
			list = append(list, x.Terminal)
		}
	}
	for _, i := range members {
		list = append(list, parts[q.order[i]].Terminal)
	}
	slices.Sort(list)
	q.key = q.key[:0]
	for _, t := range list {
		q.key = binary.AppendUvarint(q.key, uint64(t))
	}
	x, ok := q.symbols[string(q.key)]
	if !ok {
		x = s.symbols.strings(list)
		q.symbols[string(q.key)] = x
	}
	return x
}

// walked is the verdict on those parts that are in q.order, which it puts in an order that does not depend on the
// grammar, and into q.endings.
func (s *Spanner) walked(parts []lexer.Part) *verdict {
	q := &s.quoted
	q.endings = q.endings[:0]
	shared := true
	for _, i := range q.order {
		shared = shared && q.spellings[parts[i].Terminal].shared.Load()
	}
	slices.SortFunc(q.order, func(a, b int32) int {
		x, y := parts[a], parts[b]
		return cmp.Or(cmp.Compare(q.spellings[x.Terminal].id, q.spellings[y.Terminal].id), cmp.Compare(x.State, y.State))
	})
	q.key = q.key[:0]
	for _, i := range q.order {
		x := parts[i]
		p := q.spellings[x.Terminal]
		q.endings = append(q.endings, ending{q.lex.Terminal(x.Terminal), p, x.State})
		q.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(q.key, p.id), uint32(x.State))
	}
	m := &q.local
	if shared && s.options.Without&Memory == 0 {
		m = &s.lexicon.found
	}
	v := m.get(q.key)
	if v == nil {
		key := slices.Clone(q.key)
		v = s.lexicon.judge(q.endings)
		m.put(key, v)
	}
	return v
}

// restNode is the node of a list's tokens behind symbol x. Pruning treats most symbols alike; then it is the same
// node.
func (s *Spanner) restNode(x Symbol, list *restList) NodeID {
	q, h := &s.quoted, &s.shared
	q.key = binary.LittleEndian.AppendUint32(q.key[:0], list.id)
	if s.follow != nil {
		q.key = s.follow.appendKey(q.key, s, x)
	}
	if node, ok := q.behind[string(q.key)]; ok {
		return node
	}
	key := string(q.key)
	node := h.intern(s.prune(x, s.unprunedRests(list)))
	q.behind[key] = node
	return node
}

// unprunedRests is the node of a list's tokens, whatever symbol is before.
func (s *Spanner) unprunedRests(list *restList) SharedNode {
	all, ok := s.quoted.unpruned[list.id]
	if !ok {
		all = s.shared.content(&s.walk, s.restGroups(list))
		s.quoted.unpruned[list.id] = all
		s.shared.bytes += nodeBytes(all)
	}
	return all
}

// restGroups are the groups of a list's tokens, by what is emitted behind the quote.
func (s *Spanner) restGroups(list *restList) []group {
	q := &s.quoted
	w := &s.walk
	if !q.ready {
		q.spans, q.ready = w.readRests(nil, &s.lexicon.rests, 0, w.start(w.lex.Start())), true
	}
	var groups []group
	at := 0 // the spans are by rank, and so is the list
	for _, sp := range q.spans {
		n, _ := slices.BinarySearch(list.ranks[at:], sp.lo)
		lo := at + n
		n, _ = slices.BinarySearch(list.ranks[lo:], sp.hi)
		at = lo + n
		if lo < at {
			groups = append(groups, group{sp.seq, sp.reach, int32(len(s.blocks))})
			s.blocks = append(s.blocks, block{list.tokens, []Range{{int32(lo), int32(at)}}})
		}
	}
	return groups
}

// readRests appends the spans of the rests below node i of their trie, read from p; lo and hi are ranks.
func (w *walk) readRests(dst []span, t *slice, i int32, p place) []span {
	n := &t.nodes[i]
	from := len(dst)
	if n.own > n.lo {
		dst = append(dst, span{empty, w.lex.Reach(w.places[p].q), n.lo, n.own})
	}
	for _, kid := range t.kids[n.kidLo:n.kidHi] {
		to, emitted, ok := w.step(p, t.nodes[kid].byte)
		if !ok {
			continue
		}
		at := len(dst)
		dst = w.readRests(dst, t, kid, to)
		if emitted != silent {
			dst = append(dst[:at], w.prefix(emitted, dst[at:])...)
		}
		dst = join(dst, from, at)
	}
	return dst
}
