package greatgramma

import (
	"encoding/binary"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
)

// counters add up over all states of an engine.
type counters struct{ masks, context, emitted, checked atomic.Int64 }

// add counts one mask: what its path asked the parser, and how many tokens depended on the stack.
func (c *counters) add(p *path, context int64) {
	c.masks.Add(1)
	c.context.Add(context)
	c.emitted.Add(p.emitted)
	c.checked.Add(p.checked)
	p.emitted, p.checked = 0, 0
}

// Stats implements algorithms.Engine. Counting the sequences takes some tens of milliseconds.
func (e *engine) Stats() algorithms.Stats {
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	var s sizes
	s.measure(e)
	masks := float64(max(e.counters.masks.Load(), 1))
	legal := float64(e.legalTokens())
	return algorithms.Stats{Bytes: s.bytes, Counters: []algorithms.Counter{
		{Name: "lexer states", Value: float64(s.roots - len(e.quoted))},
		{Name: "strings taken in lexer states", Value: float64(len(e.quoted))},
		{Name: "shapes of sequences", Value: float64(len(e.shapes))},
		{Name: "sequences, all shapes", Value: float64(s.leaves)},
		{Name: "sequences, different", Value: float64(s.sequences)},
		{Name: "realizable terminal sequences", Value: float64(s.realizable)},
		{Name: "token groups", Value: float64(len(e.groups.list))},
		{Name: "(lexer state, LR state) pairs", Value: float64(e.pairs)},
		{Name: "classes of LR states", Value: float64(len(e.tops))},
		{Name: "rows", Value: float64(e.rows)},
		{Name: "rows behind newlines", Value: float64(e.lineRows)},
		{Name: "always-accepted masks", Value: float64(len(e.view.masks))},
		{Name: "context-dependent sets", Value: float64(s.contexts)},
		{Name: "context-independent, mean over pairs", Value: share(s.contextTokens, float64(s.pairs)*legal), Unit: "%"},
		{Name: "context-independent, mean over masks", Value: share(float64(e.counters.context.Load()), masks*legal), Unit: "%"},
		{Name: "masks", Value: float64(e.counters.masks.Load())},
		{Name: "terminals parsed per mask", Value: float64(e.counters.emitted.Load()) / masks},
		{Name: "sequences checked per mask", Value: float64(e.counters.checked.Load()) / masks},
		{Name: "started over", Value: float64(e.startedOver)},
	}}
}

// share is the rest of a whole without a part, in percent.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * (1 - part/whole)
}

// allRoots visits the roots that were made.
func (e *engine) allRoots(yield func(*root) bool) {
	for _, r := range e.roots {
		if r != nil && !yield(r) {
			return
		}
	}
	for _, r := range e.quoted {
		if !yield(r) {
			return
		}
	}
}

// legalTokens is the number of tokens that can be in a mask, EOS aside.
func (e *engine) legalTokens() int {
	n := 0
	for id := range e.problem.Vocabulary.Len() {
		if e.problem.Vocabulary.Legal(id) {
			n++
		}
	}
	return n
}

// sizes are counted when somebody asks.
type sizes struct {
	roots, leaves, contexts, sequences, realizable int
	pairs                                          int
	contextTokens                                  float64 // over pairs
	bytes                                          int64
}

func (s *sizes) measure(e *engine) {
	for r := range e.allRoots {
		s.roots++
		for _, c := range r.context {
			s.pairs += int(c.pairs)
			s.contextTokens += float64(c.size) * float64(c.pairs)
		}
		s.bytes += 4*int64(cap(r.groups)+cap(r.masks)) + 8*int64(cap(r.context))
	}
	last, different := map[string][]uint64{}, map[string]struct{}{}
	for _, sh := range e.shapes {
		s.leaves += sh.leaves
		s.contexts += sh.context.Len()
		s.bytes += 9*int64(cap(sh.entries)) + 8*int64(len(sh.rows)*(1+len(sh.lines)))
		s.bytes += int64(sh.always.Len()+sh.context.Len()) * (24 + 8*int64(len(sh.entries)+63)/64)
		e.collect(sh, last, different)
	}
	for i := range e.groups.list {
		s.bytes += 4*int64(cap(e.groups.list[i].ids)) + 8*int64(cap(e.groups.list[i].words)) + 80
	}
	if e.builder != nil {
		s.bytes += e.spanner.Stats().Bytes
	}
	for _, m := range e.view.masks {
		s.bytes += 8 * int64(len(m))
	}
	s.sequences = len(different)
	for _, terms := range last {
		s.realizable += bitset.Count(terms)
	}
}

// collect adds a shape's sequences: to last, by the symbols emitted, the terminals that may come
// last, which makes the paper's realizable sequences; to different, the symbols with the reach,
// which are ours.
func (e *engine) collect(sh *shape, last map[string][]uint64, different map[string]struct{}) {
	var key []byte
	for i, x := range sh.entries {
		key = key[:4*int(sh.depths[i])]
		if !x.isReach() {
			key = binary.LittleEndian.AppendUint32(key, uint32(x.what))
			continue
		}
		different[string(binary.LittleEndian.AppendUint32(key, uint32(x.what)))] = struct{}{}
		if x.reach() == sureReach {
			continue
		}
		parser := e.problem.Lexer.ReachSet(x.reach()).Parser
		terms := last[string(key)]
		if terms == nil {
			terms = make([]uint64, len(parser))
			last[string(key)] = terms
		}
		bitset.Unite(terms, parser)
	}
}
