package greatgramma

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/lexer"
	"gcdbench/lexical/spanner"
)

// engine is the compiled problem. With lazy set, mu guards everything that grows.
type engine struct {
	problem  *algorithms.Problem
	set      settings
	lazy     bool
	prune    bool // sequences that every LR state refuses are dropped
	spanner  *spanner.Spanner
	symbolic *symbolic
	tops     []int32 // LR states that may be on top, one of each class; with lazy set, of those met
	weights  []int32 // how many are alike;
	topOf    []int32 // by LR state: the index of its class, -1 if it has none yet
	maxTops  int     // how many may be on top
	topClass map[string]int32
	taker    taker // copied for each generation

	mu      sync.Mutex
	view    view
	class   []int32 // by spanner.Symbol: its index in symbolic.symbols
	lineOf  int32   // the class of all newline lexemes, -1
	roots   []*root // by lexer state; nil: not made
	shapes  []*shape
	shapeOf map[string]*shape
	groups  groups
	maskOf  map[[2]uint64]int32
	flat    flattener
	key     []byte

	strings   []*pending // by lexer state; nil: not looked at
	quoted    map[spanner.NodeID]*root
	leafGroup map[spanner.LeafID]int32
	sure      []lexer.Part // scratch of narrow

	counters counters

	fragments map[fragmentKey]*fragment
	configs   [257]config
	always    bitmap
	context   bitmap
	piece     bitmap
	rows      int // made
	lineRows  int // made for what follows newline lexemes
	pairs     int // (q, p) that can occur, as far as looked at

	rootBytes   int64 // of roots, shapes, rows and fragments
	startedOver int   // how often all was forgotten
}

// maskWords is the number of words of a mask.
func (e *engine) maskWords() int { return algorithms.MaskWords(e.problem.Vocabulary.Len()) }

// view is what masks read; it only grows, by appending.
type view struct {
	groups []group
	masks  [][]uint64
	emits  []emission
}

// An emission is what a symbol stands for.
type emission struct {
	set     lexer.Set // NoSet: some terminals that strings may be
	newline bool
	column  spanner.Column
	parsed  []grammar.Terminal // the members that the parser sees
	ignored bool               // a member is ignored
}

func newEngine(p *algorithms.Problem, set settings) *engine {
	e := &engine{problem: p.Keeping(), set: set, lazy: set.lazy, lineOf: -1}
	if _, ahead := p.Lexer.(*lexer.DFA); !ahead {
		e.lazy = true
	}
	e.prune = set.prune && !e.lazy
	e.symbolic = newSymbolic(p.Recognizer)
	m := e.symbolic
	e.taker = taker{tables: m.tables, reductions: m.reductions, exact: !m.mayLoop && m.tables.Deterministic()}
	e.begin()
	e.topOf, e.topClass = make([]int32, p.Tables.NumStates()), map[string]int32{}
	for i := range e.topOf {
		e.topOf[i] = -1
	}
	list := tops(p.Tables)
	e.maxTops = len(list)
	if !e.lazy {
		for _, s := range list {
			e.top(s)
		}
	}
	return e
}

// top is the number of the class of an LR state on top. States in which any terminal first calls for a reduction
// that pops the state itself are alike, if where each terminal may then lead is: what tells them apart is gone. A
// keyword that may be a name leaves such a state, and SQL has four hundred.
func (e *engine) top(s int32) int32 {
	if e.topOf[s] >= 0 {
		return e.topOf[s]
	}
	class := int32(len(e.tops))
	if s != 0 && e.symbolic.popsItself(s) {
		free := e.symbolic.free
		key := e.key[:0]
		for x := range grammar.Terminal(free.terminals) {
			key = binary.LittleEndian.AppendUint32(key, uint32(free.from(s, x)))
		}
		e.key = key
		if known, ok := e.topClass[string(key)]; ok {
			class = known
		} else {
			e.topClass[string(key)] = class
		}
	}
	e.topOf[s] = class
	if int(class) == len(e.tops) {
		e.tops, e.weights = append(e.tops, s), append(e.weights, 0)
	}
	e.weights[class]++
	return class
}

// learn takes note of the symbols and reaches that a tree brought up.
func (e *engine) learn() {
	s := e.spanner
	for x := spanner.Symbol(len(e.class)); int(x) < s.NumSymbols(); x++ {
		em := emission{set: s.Set(x), newline: s.Newline(x)}
		class := e.lineOf
		if em.newline {
			em.column = s.Column(x)
		}
		if !em.newline || class < 0 {
			class = e.symbolic.addSymbol(e.problem.Recognizer, s.Members(x), em.newline)
		}
		if em.newline {
			e.lineOf = class
		}
		em.parsed, em.ignored = e.symbolic.symbols[class].parsed, e.symbolic.symbols[class].ignored
		e.class = append(e.class, class)
		e.view.emits = append(e.view.emits, em)
	}
	e.symbolic.addReaches(e.problem.Recognizer)
}

// buildAll makes all roots, and the rows of all pairs that can occur.
func (e *engine) buildAll(ctx context.Context) error {
	e.roots = make([]*root, e.problem.Lexer.NumStates())
	for q := range e.roots {
		if err := algorithms.Step(ctx, "sequences by lexer state", q, len(e.roots)); err != nil {
			return err
		}
		e.roots[q] = e.flat.root(lexer.State(q))
	}
	for top, p := range e.tops {
		if err := algorithms.Step(ctx, "rows by LR state", top, len(e.tops)); err != nil {
			return err
		}
		start := e.symbolic.start(p)
		for q, r := range e.roots {
			if e.occurs(lexer.State(q), p, start) {
				e.makeRow(r, top, start)
			}
			for entry := range r.shape.lines {
				e.makeLine(r, entry, top, start)
			}
		}
	}
	e.finish()
	return nil
}

// finish drops what only building needs.
func (e *engine) finish() {
	e.view.groups = slices.Clip(e.groups.list)
	e.symbolic = nil
	e.spanner, e.flat, e.fragments, e.shapeOf, e.maskOf, e.groups.bySum = nil, flattener{}, nil, nil, nil, nil
	e.quoted, e.leafGroup, e.topClass = nil, nil, nil
	e.key, e.always, e.context, e.piece = nil, nil, nil, nil
	for _, s := range e.shapes {
		s.always.byKey, s.context.byKey = nil, nil
	}
}

// occurs tells whether a lexeme can be pending in q with p on top: something that it can become must be
// acceptable there. In the lexer's start state nothing was read yet.
func (e *engine) occurs(q lexer.State, p int32, start config) bool {
	if q == e.problem.Lexer.Start() {
		return p == 0
	}
	return e.symbolic.judge(start, e.problem.Lexer.Reach(q)) != never
}
