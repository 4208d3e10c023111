package greatgramma

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// path is the real parser along one sequence: a place for each depth, the first being where the
// prefix stands. It is the scratch of one generation, and is empty between masks.
type path struct {
	engine *engine
	places []place
	taker  taker
	takes  []uint64 // rows of terminals, of the places that were asked
	lines  []line   // newline lexemes emitted from places of the path, shallow ones first
	// emitted and checked count the symbols and reaches that the parser was asked about.
	emitted, checked int64
}

// A place is a state of the recognizer after some symbols.
type place struct {
	recognizer.State
	takes int32 // where its row in path.takes begins; -1: not asked yet
	line  int32 // the line that led here; -1
}

// A line is the effect of a newline lexeme on the parser. It depends on the column only by the
// number of blocks that the column opens or closes, so many columns share a line.
type line struct {
	from   int // depth of the place it was emitted from
	levels int // as layout.Registers.Action has it, or dropped
	set    lexer.Set
	to     recognizer.State
	ok     bool
	takes  int32
}

const (
	droppedLine = 1 << 20 // beyond the number of blocks that any text opens
	illegalLine = droppedLine + 1
)

// begin starts the path at a position.
func (p *path) begin(s recognizer.State) {
	p.takes, p.lines = p.takes[:0], p.lines[:0]
	p.places = append(p.places[:0], place{s, -1, -1})
}

// clear drops the references of the path, so that old stacks are not kept.
func (p *path) clear() {
	clear(p.places)
	clear(p.lines)
	p.places, p.lines = p.places[:0], p.lines[:0]
}

// taken is the terminals that the parser takes at depth d.
func (p *path) taken(d int) []uint64 {
	w := p.engine.problem.Tables.SetWords()
	at := &p.places[d]
	if at.takes < 0 && at.line >= 0 {
		at.takes = p.lines[at.line].takes
	}
	if at.takes < 0 {
		at.takes = int32(len(p.takes))
		for range w {
			p.takes = append(p.takes, 0)
		}
		p.taker.into(p.takes[at.takes:], at.Stacks)
		if at.line >= 0 {
			p.lines[at.line].takes = at.takes
		}
	}
	return p.takes[at.takes:][:w]
}

// emit gives a symbol to the layout step and the parser, from the place at depth d, and puts what
// results at depth d+1; false if it is refused.
func (p *path) emit(d int, em *emission) bool {
	p.emitted++
	for n := len(p.lines); n > 0 && p.lines[n-1].from > d; n-- {
		p.lines = p.lines[:n-1]
	}
	if em.newline {
		return p.emitLine(d, em)
	}
	if !em.ignored && !intersects(p.taken(d), em.parsed) {
		return false
	}
	if em.set == lexer.NoSet {
		return p.shiftSet(d, em.parsed)
	}
	to, ok := p.engine.problem.EmitSet(p.places[d].State, em.set)
	if ok {
		p.places = append(p.places[:d+1], place{to, -1, -1})
	}
	return ok
}

// emitLine is emit for a newline lexeme.
func (p *path) emitLine(d int, em *emission) bool {
	e := p.engine
	lay := e.problem.Layout
	at := p.places[d].State
	column := em.column.At(lay, p.places[0].Layout)
	at.Layout = at.Layout.At(column)
	levels, ok := at.Layout.Action(column)
	switch {
	case lay.Dropped(at.Layout, lay.Newline()):
		levels = droppedLine
	case !ok:
		levels = illegalLine
	}
	for i := len(p.lines) - 1; i >= 0 && p.lines[i].from == d; i-- {
		l := &p.lines[i]
		if l.levels != levels || l.set != em.set {
			continue
		}
		if l.ok {
			to := l.to
			_, to.Layout, _ = lay.Lexeme(at.Layout, e.problem.Lexer.Members(em.set)[0])
			to.Layout = lay.Begin(to.Layout)
			p.places = append(p.places[:d+1], place{to, -1, int32(i)})
		}
		return l.ok
	}
	to, ok := e.problem.EmitSet(at, em.set)
	p.lines = append(p.lines, line{d, levels, em.set, to, ok, -1})
	if ok {
		p.places = append(p.places[:d+1], place{to, -1, int32(len(p.lines) - 1)})
	}
	return ok
}

// legal tells whether a lexeme may be pending with the given reach at depth d.
func (p *path) legal(d int, id lexer.ReachID) bool {
	e := p.engine.problem
	p.checked++
	if id == sureReach {
		return true
	}
	r := e.Lexer.ReachSet(id)
	if r.Ignored {
		return true
	}
	if l := e.Layout; l != nil && r.Has(l.Newline()) && l.Dropped(p.places[d].Layout, l.Newline()) {
		return true
	}
	return bitset.Intersect(p.taken(d), r.Parser)
}

// intersects tells whether one of some terminals is in a bit set.
func intersects(set []uint64, terms []grammar.Terminal) bool {
	for _, x := range terms {
		if bitset.Has(set, x) {
			return true
		}
	}
	return false
}
