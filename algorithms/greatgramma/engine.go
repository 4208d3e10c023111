package greatgramma

import (
	"context"
	"slices"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// engine is the compiled problem. With lazy set, mu guards everything that grows.
type engine struct {
	problem *algorithms.Problem
	set     settings
	lazy    bool
	prune   bool  // sequences that every LR state refuses are dropped
	taker   taker // copied for each generation

	mu sync.Mutex
	topClasses
	made
	*builder // nil once all is made

	counters    counters
	startedOver int // how often a lazy engine forgot what it had made
}

// topClasses are the classes of LR states that may be on top; with lazy set, of those met.
type topClasses struct {
	tops     []int32             // by class: an LR state of it
	weights  []int32             // by class: how many LR states are in it
	topOf    []int32             // by LR state: its class, -1 if it has none yet
	maxTops  int                 // how many LR states may be on top
	topKeys  intern.Lists[setID] // of LR states that pop themselves: where each terminal leads
	topClass []int32             // by number in topKeys: the class
}

// made are the parts of masks.
type made struct {
	view    view
	roots   []*root // by lexer state; nil: not made
	shapes  []*shape
	groups  groups
	strings []*pending // by lexer state; nil: not looked at
	quoted  map[spanner.NodeID]*root

	rows      int   // how many were made
	lineRows  int   // how many were made for what follows newline lexemes
	pairs     int   // of a lexer and an LR state that can occur, as far as looked at
	rootBytes int64 // of roots, shapes, rows and fragments
}

// builder has the fields that only building needs.
type builder struct {
	spanner  *spanner.Spanner
	symbolic *symbolic
	flat     flattener

	class     []int32     // by spanner.Symbol: its index in symbolic.symbols
	lineOf    int32       // the class of all newline lexemes, -1 if none was met
	shapeOf   index.Index // shapes by their entries
	maskOf    map[[2]uint64]int32
	leafGroup map[spanner.LeafID]int32
	fragments map[fragmentKey]*fragment

	// Scratch.
	sure    []lexer.Part // of narrow
	configs [257]config  // of classifyInto, by depth
	always  []uint64     // of classify
	context []uint64     // of classify
	piece   []uint64     // of fragment
}

// maskWords is the number of words of a mask.
func (e *engine) maskWords() int { return algorithms.MaskWords(e.problem.Vocabulary.Len()) }

// view has the tables that masks read; it only grows, by appending.
type view struct {
	groups []group
	masks  [][]uint64
	emits  []emission
}

// An emission is the meaning of a symbol.
type emission struct {
	set     lexer.Set // NoSet: some terminals that strings may be
	newline bool
	column  spanner.Column
	parsed  []grammar.Terminal // the members that the parser sees
	ignored bool               // a member is ignored
}

func newEngine(p *algorithms.Problem, set settings) *engine {
	e := &engine{problem: p.Keeping(), set: set, lazy: set.lazy}
	if _, ahead := p.Lexer.(*lexer.DFA); !ahead {
		e.lazy = true
	}
	e.prune = set.prune && !e.lazy
	m := newSymbolic(p.Recognizer)
	e.taker = taker{tables: m.tables, reductions: m.reductions, exact: !m.mayLoop && m.tables.Deterministic()}
	e.begin(m)
	e.topOf = slices.Repeat([]int32{-1}, p.Tables.NumStates())
	list := p.Tables.Tops()
	e.maxTops = len(list)
	if !e.lazy {
		for _, s := range list {
			e.top(s)
		}
	}
	return e
}

// top is the class of an LR state on top. In some states every terminal first calls for a
// reduction that pops the state itself; two such states are alike if each terminal may then
// lead to the same states, since what told them apart is popped. A keyword that may be a name
// leaves such a state, and SQL has four hundred.
func (e *engine) top(s int32) int32 {
	if e.topOf[s] >= 0 {
		return e.topOf[s]
	}
	class := int32(len(e.tops))
	if s != 0 && e.symbolic.popsItself(s) {
		free := e.symbolic.free
		key := make([]setID, free.terminals)
		for x := range key {
			key[x] = free.from(s, grammar.Terminal(x))
		}
		id, isNew := e.topKeys.Take(key)
		if isNew {
			e.topClass = append(e.topClass, class)
		}
		class = e.topClass[id]
	}
	e.topOf[s] = class
	if int(class) == len(e.tops) {
		e.tops, e.weights = append(e.tops, s), append(e.weights, 0)
	}
	e.weights[class]++
	return class
}

// learn notes the symbols and reaches that a tree has and that were not met before.
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
	e.groups.bySum, e.quoted, e.topKeys, e.topClass = nil, nil, intern.Lists[setID]{}, nil
	e.builder = nil
}

// occurs tells whether a lexeme can be pending in q with p on top: something that it can become
// must be acceptable there. In the lexer's start state nothing was read yet.
func (e *engine) occurs(q lexer.State, p int32, start config) bool {
	if e.problem.Lexer.Begins(q) {
		return p == 0 && q == e.problem.Lexer.Start()
	}
	return e.symbolic.judge(start, e.problem.Lexer.Reach(q)) != never
}
