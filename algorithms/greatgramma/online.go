package greatgramma

import (
	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
)

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	return algorithms.NewFilling(e.problem, func() algorithms.Fill {
		return (&state{engine: e, path: path{engine: e, taker: e.taker}}).fill
	})
}

// state is what one generation makes masks with; its position is that of the mask at hand.
type state struct {
	*algorithms.Position
	engine *engine
	path   path
}

// fill is algorithm 6.
func (s *state) fill(at *algorithms.Position, row []uint64) {
	s.Position = at
	stacks, context, empty := s.State.Stacks, int64(0), true
	for i := range stacks.NumTops() {
		p, ok := s.engine.plan(s.State.Lexer, stacks.TopNode(i).State)
		if !ok {
			continue
		}
		context += int64(p.size)
		if empty {
			p.copyAlways(row)
			empty = false
		} else {
			p.addAlways(row)
		}
		if s.engine.set.share {
			s.path.begin(s.State)
			s.parse(row, &p, 0, len(p.root.shape.entries))
		} else {
			s.parseEach(row, &p)
		}
	}
	if empty {
		clear(row)
	}
	s.engine.counters.add(&s.path, context)
	s.path.clear()
}

// copyAlways writes the always-accepted tokens over the words of a mask.
func (p *plan) copyAlways(words []uint64) {
	if p.mask != nil {
		copy(words, p.mask)
		return
	}
	clear(words)
	p.addAlways(words)
}

// addAlways adds the always-accepted tokens to a mask.
func (p *plan) addAlways(words []uint64) {
	if p.mask != nil {
		algorithms.Unite(words, p.mask)
		return
	}
	for i := range bitset.All[int](p.always) {
		p.group(i).addTo(words)
	}
}

// group is the tokens of the leaf at entry i.
func (p *plan) group(i int) *group {
	return &p.view.groups[p.root.groups[p.root.shape.entries[i].link]]
}

// parse runs the parser along the tree of context-dependent sequences, as far as it lies in the
// entries from up to end, and adds the tokens of those that are accepted to a mask.
func (s *state) parse(words []uint64, p *plan, from, end int) {
	shape := p.root.shape
	for i := bitset.Next(p.context, from); i >= 0 && i < end; i = bitset.Next(p.context, i) {
		x, d := shape.entries[i], int(shape.depths[i])
		switch {
		case x.isReach():
			if s.path.legal(d, x.reach()) {
				p.group(i).addTo(words)
			}
			i++
		case !s.path.emit(d, &p.view.emits[x.what]):
			i += int(x.link)
		case shape.lines[int32(i)] != nil:
			s.line(words, p, i, d+1)
			i += int(x.link)
		default:
			i++
		}
	}
}

// line goes on after the newline lexeme emitted at entry i, whose effect is known now. It uses
// the row of the state on top at the given depth of the path.
func (s *state) line(words []uint64, p *plan, i, depth int) {
	stacks := s.path.places[depth].Stacks
	for k := range stacks.NumTops() {
		after := s.engine.planLine(p.root, int32(i), stacks.TopNode(k).State)
		after.addAlways(words)
		s.parse(words, &after, i+1, i+int(p.root.shape.entries[i].link))
	}
}

// parseEach is parse without sharing: it runs the parser from the beginning for each sequence.
func (s *state) parseEach(words []uint64, p *plan) {
	shape := p.root.shape
	var above [256]int32
	s.path.begin(s.State)
	for i := range bitset.All[int](p.context) {
		x, d := shape.entries[i], int(shape.depths[i])
		if !x.isReach() {
			above[d] = int32(i)
			continue
		}
		ok := true
		for k := 0; ok && k < d; k++ {
			ok = s.path.emit(k, &p.view.emits[shape.entries[above[k]].what])
		}
		if ok && s.path.legal(d, x.reach()) {
			p.group(i).addTo(words)
		}
	}
}
