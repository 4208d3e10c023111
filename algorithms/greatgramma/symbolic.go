package greatgramma

import (
	"maps"
	"math"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// Running the parser on a stack of which only the top is known.
//
// A configuration is all that the stack may have become after some terminals. It has stacks
// that are known down to the state that was on top at first (several where the tables keep
// conflicts or a lexeme was several terminals). And it has a set of LR states, one of which may
// be on top of a stack that was popped deeper. A known stack that takes a terminal takes it
// whatever lies below (the paper's proposition 3.4); a set that takes a terminal may take it on
// the real stack (proposition 3.5). So a sequence is
//
//	always accepted     if a known stack accepts it,
//	never accepted      if nothing does,
//	context-dependent   if only the set does.
//
// Configurations and their successors are kept while one LR state is worked on, for all lexer
// states and sequences, so each is computed once. The arena is emptied for the next LR state,
// which bounds it.

// A verdict says whether a sequence is accepted, as far as that is known without the stack.
type verdict uint8

const (
	unknown verdict = iota
	never
	contextual
	always
)

// A config is a configuration. A negative one is a set alone, ^setID, and means the same for every
// LR state; the others are indexes of the arena.
type config int32

const (
	dead    config = -1 // ^nothing
	unasked config = math.MinInt32
)

// A symbol is a member of terminal sequences: what a lexeme is emitted as, resolved for the parser.
type symbol struct {
	parsed  []grammar.Terminal // the members that the parser sees
	ignored bool               // a member is ignored: the parser may also stay as it is
	newline bool               // the layout step decides what the parser sees
}

// cell is a state on a known stack; under is -1 for the state that was on top at first.
type cell struct{ state, under int32 }

// stackSet is a configuration of the arena.
type stackSet struct {
	first int32   // a cell: the top of a known stack
	more  []int32 // further ones
	maybe setID
}

const (
	// maxSteps bounds the reductions that one terminal is followed for. Tables without kept
	// conflicts need some tens; with them, rules that derive nothing can be reduced without end.
	maxSteps = 1 << 10
	// maxKnown bounds the known stacks of a configuration. Beyond either limit the other stacks
	// are "maybe any state". That is always right: the sequence becomes context-dependent.
	maxKnown = 32
	// maxConfigs bounds the arena: Python's tables fill 17,000 of it for one LR state; at 400
	// symbols and reaches it is 100 MB.
	maxConfigs = 1 << 17
)

// symbolic runs sequences on unknown stacks.
type symbolic struct {
	tables  *lr.Tables
	free    *stackFree
	under   *uncover
	symbols []symbol
	reaches []reach
	line    layoutTerminals
	anyTop  setID
	limit   int // of configurations

	alike    []int32 // by LR state: the one that stands for it on known stacks
	bottom   int32   // the LR state being worked on
	cells    []cell
	cellOf   index.Index // cells by what they are
	configs  []stackSet
	configOf index.Index // configs by what they are
	next     []config    // by configuration and symbol
	verdicts []verdict   // by configuration and reach
	takes    []uint64    // by configuration: two bit sets of terminals, surely and perhaps taken
	tried    []bool      // by configuration: takes is known

	freeNext     [][]config // the same for sets
	freeVerdicts [][]verdict
	todo         []run
	found        []int32

	reductions [][]lr.Reduction // by LR state
	mayLoop    bool             // the tables have endless reductions
	tries      []int32          // known stacks being tried with
	tryTerms   []uint64         // these terminals
	terms      []uint64
}

// layoutTerminals are the terminals of a layout step.
type layoutTerminals struct {
	on                      bool
	newline, indent, dedent grammar.Terminal
}

// A reach is a lexer.Reach with the layout step's newline taken out: it may be dropped.
type reach struct {
	parser           []uint64
	ignored, newline bool
}

// newSymbolic prepares for the tables of a grammar; symbols and reaches are added as they come up.
func newSymbolic(r *recognizer.Recognizer) *symbolic {
	m := &symbolic{tables: r.Tables, free: newStackFree(r.Tables), under: newUncover(r.Tables), limit: maxConfigs}
	m.anyTop = m.free.full
	m.reductions = reductionsOf(r.Tables)
	m.mayLoop = len(r.Tables.Warnings()) > 0 // endless reductions are among them
	if r.Layout != nil {
		m.line = layoutTerminals{true, r.Layout.Newline(), r.Layout.Indent(), r.Layout.Dedent()}
	}
	m.alike = m.findAlike()
	return m
}

// addSymbol resolves a lexeme that is emitted as some terminals for the parser, and returns the
// symbol's number.
func (m *symbolic) addSymbol(r *recognizer.Recognizer, members []grammar.Terminal, newline bool) int32 {
	s := symbol{newline: newline}
	for _, t := range members {
		if r.Grammar.Terminals[t].Ignored {
			s.ignored = true
		} else {
			s.parsed = append(s.parsed, t)
		}
	}
	m.symbols = append(m.symbols, s)
	return int32(len(m.symbols) - 1)
}

// addReaches takes note of the lexer's new reaches.
func (m *symbolic) addReaches(r *recognizer.Recognizer) {
	for id := len(m.reaches); id < r.Lexer.NumReaches(); id++ {
		what := r.Lexer.ReachSet(lexer.ReachID(id))
		m.reaches = append(m.reaches, reach{what.Parser, what.Ignored, m.line.on && what.Has(m.line.newline)})
	}
}

// start empties the arena and returns the configuration that knows only the top of the stack.
func (m *symbolic) start(state int32) config {
	m.bottom = state
	m.cells = m.cells[:0]
	m.cellOf.Reset()
	m.configOf.Reset()
	m.configs, m.next, m.verdicts = m.configs[:0], m.next[:0], m.verdicts[:0]
	m.takes, m.tried = m.takes[:0], m.tried[:0]
	return m.add(stackSet{first: m.cell(state, -1)})
}

// add is the number of a configuration.
func (m *symbolic) add(s stackSet) config {
	hash := index.Mix(uint64(uint32(s.first))<<32|uint64(uint32(s.maybe))) ^ index.Hash(s.more)
	known := m.configOf.Find(hash, func(i int32) bool {
		o := &m.configs[i]
		return o.first == s.first && o.maybe == s.maybe && slices.Equal(o.more, s.more)
	})
	if known >= 0 {
		return config(known)
	}
	m.configOf.Add(hash)
	m.configs = append(m.configs, s)
	for range m.symbols {
		m.next = append(m.next, unasked)
	}
	m.verdicts = append(m.verdicts, make([]verdict, len(m.reaches))...)
	m.takes = append(m.takes, make([]uint64, 2*m.tables.SetWords())...)
	m.tried = append(m.tried, false)
	return config(len(m.configs) - 1)
}

// step is the configuration after a symbol.
func (m *symbolic) step(c config, sym int32) config {
	if c < 0 {
		return m.stepSet(setID(^c), sym)
	}
	i := int(c)*len(m.symbols) + int(sym)
	if m.next[i] == unasked {
		to := m.compute(c, &m.symbols[sym])
		m.next[i] = to // compute may have moved the table
	}
	return m.next[i]
}

// stepSet is step for a set.
func (m *symbolic) stepSet(set setID, sym int32) config {
	if set == nothing {
		return dead
	}
	for int(set) >= len(m.freeNext) {
		m.freeNext = append(m.freeNext, nil)
	}
	row := m.freeNext[set]
	for len(row) < len(m.symbols) {
		row = append(row, unasked)
	}
	m.freeNext[set] = row
	if row[sym] == unasked {
		row[sym] = ^config(m.afterSymbol(set, &m.symbols[sym]))
	}
	return row[sym]
}

// afterSymbol is where a symbol may lead from a set.
func (m *symbolic) afterSymbol(set setID, s *symbol) setID {
	to := nothing
	if s.ignored {
		to = set
	}
	if s.newline {
		return m.afterLine(set, m.free.step(set, m.line.newline))
	}
	for _, x := range s.parsed {
		to = m.free.union(to, m.free.step(set, x))
	}
	return to
}

// afterLine is where a newline lexeme may lead: it is dropped, or becomes the newline terminal
// (which leads to after) and an indent, nothing, or any number of dedents.
func (m *symbolic) afterLine(set, after setID) setID {
	to := m.free.union(set, after)
	to = m.free.union(to, m.free.step(after, m.line.indent))
	for level := after; ; {
		level = m.free.step(level, m.line.dedent)
		if sum := m.free.union(to, level); sum != to {
			to = sum
			continue
		}
		return to
	}
}

// compute is step for a configuration with known stacks.
func (m *symbolic) compute(c config, s *symbol) config {
	from := m.configs[c]
	if s.newline {
		return ^config(m.computeLine(&from))
	}
	m.found = m.found[:0]
	maybe := nothing
	if s.ignored {
		m.found = append(append(m.found, from.first), from.more...)
		maybe = from.maybe
	}
	can := m.canTake(c)
	for _, x := range s.parsed {
		if !bitset.Has(can.surely, x) && !bitset.Has(can.perhaps, x) {
			continue
		}
		maybe = m.free.union(maybe, m.free.step(from.maybe, x))
		maybe = m.free.union(maybe, m.shift(from.first, x))
		for _, top := range from.more {
			maybe = m.free.union(maybe, m.shift(top, x))
		}
	}
	switch {
	case len(m.found) == 0:
		return ^config(maybe)
	case len(m.configs) >= m.limit:
		return ^config(m.anyTop)
	}
	to := stackSet{first: m.found[0], maybe: maybe}
	if len(m.found) > maxKnown {
		m.found, to.maybe = m.found[:maxKnown], m.anyTop
	}
	to.more = append(to.more, m.found[1:]...)
	return m.add(to)
}

// computeLine is compute for a newline lexeme. The layout registers decide what it becomes, so
// no stack is known after it.
func (m *symbolic) computeLine(from *stackSet) setID {
	m.found = m.found[:0]
	set, after := from.maybe, m.free.step(from.maybe, m.line.newline)
	for _, top := range append([]int32{from.first}, from.more...) {
		set = m.free.union(set, m.free.single(m.cells[top].state))
		after = m.free.union(after, m.shift(top, m.line.newline))
	}
	for _, top := range m.found {
		after = m.free.union(after, m.free.single(m.cells[top].state))
	}
	return m.afterLine(set, after)
}

// A run is a known stack in the course of reductions.
type run struct{ top int32 }

// shift reduces for x on a known stack and shifts it, in every way the tables have. It appends the
// known stacks that result to m.found and returns the set of states that may be on top of the
// others.
func (m *symbolic) shift(top int32, x grammar.Terminal) (maybe setID) {
	m.todo = append(m.todo[:0], run{top})
	for steps := 0; len(m.todo) > 0; steps++ {
		if steps == maxSteps {
			return m.anyTop
		}
		at := m.todo[len(m.todo)-1].top
		m.todo = m.todo[:len(m.todo)-1]
		for _, a := range m.tables.Actions(m.cells[at].state, x) {
			switch a.Kind() {
			case lr.KindShift:
				m.found = append(m.found, m.push(a.Target(), at))
			case lr.KindReduce:
				maybe = m.free.union(maybe, m.reduce(at, a.Target(), x))
			}
		}
	}
	return maybe
}

// reduce makes one reduction. A stack that stays known goes to m.todo; for the others it returns
// where x may lead.
func (m *symbolic) reduce(at, rule int32, x grammar.Terminal) setID {
	lhs, length := m.tables.Rule(rule)
	for ; length > 0; length-- {
		if m.cells[at].under < 0 {
			set := nothing
			for _, g := range m.under.gotosBelow(m.free, m.bottom, int32(length), rule).states {
				set = m.free.union(set, m.free.from(g, x))
			}
			return set
		}
		at = m.cells[at].under
	}
	if g := m.tables.GotoBefore(m.cells[at].state, lhs, x); g >= 0 {
		m.todo = append(m.todo, run{m.push(g, at)})
	}
	return nothing
}

// push is a cell with a state on another cell.
func (m *symbolic) push(state, under int32) int32 { return m.cell(m.alike[state], under) }

// cell is the number of a cell.
func (m *symbolic) cell(state, under int32) int32 {
	hash := index.Mix(uint64(uint32(state))<<32 | uint64(uint32(under)))
	if known := m.cellOf.Find(hash, func(i int32) bool { return m.cells[i] == cell{state, under} }); known >= 0 {
		return known
	}
	m.cells = append(m.cells, cell{state, under})
	return m.cellOf.Add(hash)
}

// findAlike finds LR states that a known stack need not tell apart: they pop themselves before
// anything is shifted, and before each terminal by the same lengths and to the same nonterminals.
// A keyword that may be a name leaves such a state, and SQL has four hundred. With a layout step
// states are all told apart: what lies under a state counts where a newline lexeme is read.
func (m *symbolic) findAlike() []int32 {
	alike := make([]int32, m.tables.NumStates())
	var keys intern.Lists[uint64]
	var first []int32 // by key
	for s := range alike {
		alike[s] = int32(s)
		if m.line.on || !m.popsItself(int32(s)) {
			continue
		}
		id, isNew := keys.ID(m.pops(int32(s)))
		if isNew {
			first = append(first, int32(s))
		}
		alike[s] = first[id]
	}
	return alike
}

// pops is the reductions of a state as what they pop and lead to, each with its terminals.
func (m *symbolic) pops(state int32) (key []uint64) {
	of := map[uint64][]uint64{}
	for _, r := range m.reductions[state] {
		lhs, length := m.tables.Rule(r.Rule)
		what := uint64(lhs)<<32 | uint64(length)
		if of[what] == nil {
			of[what] = m.tables.NewSet()
		}
		bitset.Unite(of[what], r.Terms)
	}
	for _, what := range slices.Sorted(maps.Keys(of)) {
		key = append(append(key, what), of[what]...)
	}
	return key
}

// judge is the verdict on a lexeme pending with the given reach in a configuration.
func (m *symbolic) judge(c config, r lexer.ReachID) verdict {
	switch {
	case r == sureReach && c < 0:
		return contextual // a pair's own configuration is known: only pruning asks about others
	case r == sureReach:
		return always
	case c < 0:
		return m.judgeSet(setID(^c), r)
	}
	i := int(c)*len(m.reaches) + int(r)
	if m.verdicts[i] == unknown {
		m.verdicts[i] = m.decide(c, &m.reaches[r])
	}
	return m.verdicts[i]
}

// judgeSet is judge for a set.
func (m *symbolic) judgeSet(set setID, r lexer.ReachID) verdict {
	if set == nothing {
		return never
	}
	for int(set) >= len(m.freeVerdicts) {
		m.freeVerdicts = append(m.freeVerdicts, nil)
	}
	for len(m.freeVerdicts[set]) < len(m.reaches) {
		m.freeVerdicts[set] = append(m.freeVerdicts[set], unknown)
	}
	v := &m.freeVerdicts[set][r]
	if *v == unknown {
		*v = never
		if what := &m.reaches[r]; what.ignored || what.newline || m.free.accepts(set, what.parser) {
			*v = contextual
		}
	}
	return *v
}

// decide is judge for a configuration with known stacks.
func (m *symbolic) decide(c config, r *reach) verdict {
	if r.ignored {
		return always
	}
	can := m.canTake(c)
	switch {
	case bitset.Intersect(can.surely, r.parser):
		return always
	case r.newline || bitset.Intersect(can.perhaps, r.parser):
		return contextual
	}
	return never
}
