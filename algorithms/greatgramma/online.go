package greatgramma

import (
	"gcdbench/algorithms"
)

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	return e.newState(algorithms.NewPosition(e.problem))
}

// state is one generation.
type state struct {
	algorithms.Position
	engine *engine
	buffer *algorithms.Buffer
	path   path
}

func (e *engine) newState(at algorithms.Position) *state {
	return &state{at, e, algorithms.NewBuffer(e.problem.Vocabulary.Len()), path{engine: e, taker: e.taker}}
}

// Mask implements algorithms.State; it is algorithm 6.
func (s *state) Mask() algorithms.Mask {
	s.buffer.Reset()
	if s.Ended {
		return s.buffer.Mask()
	}
	stacks, context := s.State.Stacks, int64(0)
	for i := range stacks.NumTops() {
		p, ok := s.engine.plan(s.State.Lexer, stacks.TopNode(i).State)
		if !ok {
			continue
		}
		context += int64(p.size)
		s.copyAlways(&p, i == 0)
		if s.engine.set.share {
			s.path.begin(s.State)
			s.parse(&p, 0, len(p.root.shape.entries))
		} else {
			s.parseEach(&p)
		}
	}
	s.engine.counters.add(&s.path, context)
	s.path.clear()
	s.MarkEnd(s.buffer)
	return s.buffer.Mask()
}

// copyAlways adds the always-accepted tokens to the buffer, which is empty at the first of several tops.
func (s *state) copyAlways(p *plan, first bool) {
	words := s.buffer.Words()
	switch {
	case p.mask == nil:
		for i := p.always.next(0); i >= 0; i = p.always.next(i + 1) {
			p.group(i).addTo(words)
		}
	case first:
		copy(words, p.mask)
	default:
		for i, w := range p.mask {
			words[i] |= w
		}
	}
}

// group is the tokens of the leaf at entry i.
func (p *plan) group(i int) *group {
	return &p.view.groups[p.root.groups[p.root.shape.entries[i].link]]
}

// parse runs the parser along the tree of context-dependent sequences, as far as it lies in the entries from
// up to end, and adds the tokens of those that are accepted.
func (s *state) parse(p *plan, from, end int) {
	shape, words := p.root.shape, s.buffer.Words()
	for i := p.context.next(from); i >= 0 && i < end; i = p.context.next(i) {
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
			s.line(p, i, d+1)
			i += int(x.link)
		default:
			i++
		}
	}
}

// line goes on behind the newline lexeme emitted at entry i, whose effect is known now: by the row of the
// state on top at the given depth of the path.
func (s *state) line(p *plan, i, depth int) {
	stacks := s.path.places[depth].Stacks
	for k := range stacks.NumTops() {
		after := s.engine.planLine(p.root, int32(i), stacks.TopNode(k).State)
		s.copyAlways(&after, false)
		s.parse(&after, i+1, i+int(p.root.shape.entries[i].link))
	}
}

// parseEach is parse without sharing: it runs the parser from the beginning for each sequence.
func (s *state) parseEach(p *plan) {
	shape, words := p.root.shape, s.buffer.Words()
	var above [256]int32
	s.path.begin(s.State)
	for i := p.context.next(0); i >= 0; i = p.context.next(i + 1) {
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

// Clone implements algorithms.State.
func (s *state) Clone() algorithms.State {
	return s.engine.newState(s.Position)
}
