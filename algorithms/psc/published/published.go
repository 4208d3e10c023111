// Package published is PSC as its paper publishes it (option form): algorithm 3 offline, algorithm
// 4 online.
//
//   - Lexical preprocessing is GreatGramma's (section 3.1): a sequence for each terminal that the
//     pending lexeme may become.
//   - P_w (sections 3.3 and 3.4) reads the stack from its top and follows w. A tree of sequences is
//     followed at once, which composes their transducers with their common beginnings shared. A
//     reduction that pops all that was read waits for what it still has to pop, so a state is a
//     terminal, what follows it, the left-hand side of the rule, and a number of symbols. Outputs
//     are never made: that is REMOVEOUTPUT.
//   - A (section 3.5) is the union over all tokens and lexer states, determinized: a state is the
//     set of accepted tokens and the set of waiting states. It is then minimized, and each state
//     has its mask.
//   - A mask (algorithm 4) belongs to the state that A reaches on the whole stack. A state in
//     which nothing waits leads to itself on every symbol, so reading may stop there.
//
// One thing is ours. The paper's transitions without input know nothing of the next terminal, but
// an LR(1) parser does. So P_a makes the reductions that precede a and then shifts it.
//
// What bounds it: determinizing on what is accepted tells contexts apart that differ in nothing
// that is still open, and the alphabet is every LR state at every depth. The paper reports neither
// size nor time. Compiling stops at a stated number of states (option states), after a stated time
// (option seconds), or at maxBytes bytes, and says how far it came.
package published

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// maxBytes bounds the bytes of the automaton before it is minimized.
const maxBytes = 1 << 30

// Limits bound the compile.
type Limits struct {
	States int // before minimizing
	Time   time.Duration
}

// engine is the minimal automaton with its masks.
type engine struct {
	problem *algorithms.Problem
	symbols int     // of the stack: LR states
	start   []int32 // by lexer state
	next    []int32 // by state and symbol
	mask    []int32 // by state
	final   []bool  // by state: every symbol leads to the state itself
	masks   [][]uint64
	before  int // states before minimizing
	moves   int
	bytes   int64
}

// Compile compiles a problem by algorithm 3 within limits.
func Compile(ctx context.Context, p *algorithms.Problem, limit Limits) (algorithms.Engine, error) {
	if why := spanner.NotPublished(p.Recognizer); why != "" {
		return nil, unsupportedPublished("the paper has no " + why)
	}
	d := &determinizer{
		problem: p, tables: p.Tables, limit: limit, began: time.Now(),
		sets: tokenSets{words: algorithms.MaskWords(p.Vocabulary.Len()), unions: map[[2]int32]int32{}}, moves: map[[2]int32]advance{},
	}
	d.sets.add(make([]uint64, d.sets.words)) // number 0 is the empty set
	if err := d.starts(ctx); err != nil {
		return nil, err
	}
	if err := d.expandAll(ctx); err != nil {
		return nil, err
	}
	return d.minimize(ctx)
}

func unsupportedPublished(why string) error {
	return &algorithms.UnsupportedError{Algorithm: "psc (form=published)", Reason: why}
}

// tokenSets interns sets of tokens, and their unions.
type tokenSets struct {
	words  int
	list   [][]uint64
	seen   index.Index
	unions map[[2]int32]int32
}

// add is the number of a set, which is given away.
func (s *tokenSets) add(set []uint64) int32 {
	hash := index.Hash(set)
	if id := s.seen.Find(hash, func(i int32) bool { return slices.Equal(s.list[i], set) }); id >= 0 {
		return id
	}
	s.list = append(s.list, set)
	return s.seen.Add(hash)
}

// union is the number of the union of two sets.
func (s *tokenSets) union(a, b int32) int32 {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	key := [2]int32{min(a, b), max(a, b)}
	id, ok := s.unions[key]
	if !ok {
		set := slices.Clone(s.list[a])
		algorithms.Unite(set, s.list[b])
		id = s.add(set)
		s.unions[key] = id
	}
	return id
}

// A waiting state of the P_w: terminal x and what may follow it, once skip symbols were popped and
// lhs was pushed on the one below. x is -1 before anything was read.
type waiting struct {
	x         grammar.Terminal
	rest      int32 // a tree of sequences
	lhs, skip int32
}

// An advance is what a symbol does to a waiting state: tokens that it has accepted, and states that
// wait.
type advance struct {
	accepts int32
	waits   []int32
}

// determinizer makes A.
type determinizer struct {
	problem *algorithms.Problem
	tables  *lr.Tables
	limit   Limits
	began   time.Time
	sets    tokenSets
	trees   intern.Lists[int32] // tokens when it is reached, then terminals with their trees in turn
	items   intern.Keys[waiting]
	moves   map[[2]int32]advance // by waiting state and symbol
	states  intern.Lists[int32]  // the accepted tokens, then the waiting states, ascending
	start   []int32
	next    []int32
	held    int64
	scratch []int32
}

// starts makes the states behind the lexer states, which B_q leads to.
func (d *determinizer) starts(ctx context.Context) error {
	inverse := spanner.NewInverse(spanner.New(d.problem.Recognizer, d.problem.Vocabulary, spanner.Options{NoSlices: true}))
	d.start = make([]int32, d.problem.Lexer.NumStates())
	for q := range d.start {
		if err := algorithms.Step(ctx, "sequences by lexer state", q, len(d.start)); err != nil {
			return err
		}
		tree := d.tree(inverse, inverse.Entries(lexer.State(q)))
		item, _ := d.items.ID(waiting{x: -1, rest: tree})
		d.start[q] = d.state(d.trees.At(tree)[0], []int32{item})
	}
	return nil
}

// tree interns the sequences of a lexer state as a tree.
func (d *determinizer) tree(inverse *spanner.Inverse, entries []spanner.Entry) int32 {
	tokens, kids := map[int32]int32{}, map[int32][]int32{}
	nodes := []int32{0}
	for _, e := range entries {
		set := make([]uint64, d.sets.words)
		for _, id := range e.Tokens {
			set[id>>6] |= 1 << (id & 63)
		}
		tokens[e.Node] = d.sets.add(set)
		for at := e.Node; at > 0; at = inverse.Parent(at) {
			nodes = append(nodes, at)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	tree := int32(0)
	for _, node := range slices.Backward(nodes) { // kids come after their parents
		tree, _ = d.trees.ID(append([]int32{tokens[node]}, kids[node]...))
		if node > 0 {
			up := inverse.Parent(node)
			kids[up] = append(kids[up], int32(inverse.Last(node)), tree)
		}
	}
	return tree
}

// state is the number of a state of A. Its waiting states are sorted here.
func (d *determinizer) state(accepted int32, waits []int32) int32 {
	slices.Sort(waits)
	d.scratch = append(append(d.scratch[:0], accepted), slices.Compact(waits)...)
	id, isNew := d.states.ID(d.scratch)
	if isNew {
		d.held += 4*int64(len(d.scratch)+d.tables.NumStates()) + 64
	}
	return id
}

// expandAll makes the transitions of all states that are reached.
func (d *determinizer) expandAll(ctx context.Context) error {
	symbols := d.tables.NumStates()
	var waits []int32
	for s := 0; s < d.states.Len(); s++ {
		if err := algorithms.Step(ctx, "states of the automaton", s, d.states.Len()); err != nil {
			return err
		}
		if err := d.within(s); err != nil {
			return err
		}
		of := d.states.At(int32(s))
		for y := range int32(symbols) {
			if len(of) == 1 {
				d.next = append(d.next, int32(s))
				continue
			}
			accepted := of[0]
			waits = waits[:0]
			for _, item := range of[1:] {
				m := d.move(item, y)
				accepted = d.sets.union(accepted, m.accepts)
				waits = append(waits, m.waits...)
			}
			d.next = append(d.next, d.state(accepted, waits))
		}
	}
	return nil
}

// within is the error of a compile beyond its limits, with how far it came: so many states have
// their transitions.
func (d *determinizer) within(expanded int) error {
	held, took := d.held+8*int64(len(d.sets.list)*d.sets.words)+64*int64(len(d.moves)), time.Since(d.began)
	if d.states.Len() <= d.limit.States && held <= maxBytes && took <= d.limit.Time {
		return nil
	}
	return unsupportedPublished(fmt.Sprintf("not finished: %d states, %d of them with transitions, %d sets of tokens, %d MiB, %.1f s; "+
		"the limits are %d states (option states), %d MiB and %v (option seconds)", d.states.Len(), expanded, len(d.sets.list), held>>20, took.Seconds(),
		d.limit.States, maxBytes>>20, d.limit.Time))
}

// move is what a symbol does to a waiting state.
func (d *determinizer) move(item, y int32) advance {
	key := [2]int32{item, y}
	m, ok := d.moves[key]
	if ok {
		return m
	}
	switch w := d.items.At(item); {
	case w.x < 0:
		d.follow(&m, w.rest, []int32{y})
	case w.skip > 0:
		w.skip--
		d.wait(&m, w)
	default:
		if g := d.tables.GotoBefore(y, grammar.Nonterminal(w.lhs), w.x); g >= 0 {
			d.read(&m, w.x, w.rest, []int32{y, g})
		}
	}
	d.moves[key] = m
	return m
}

// wait adds a waiting state to a move.
func (d *determinizer) wait(m *advance, w waiting) {
	id, _ := d.items.ID(w)
	m.waits = append(m.waits, id)
}

// follow reads the sequences of a tree on a stack of which the top is known, last symbol on top.
func (d *determinizer) follow(m *advance, tree int32, known []int32) {
	of := d.trees.At(tree)
	for i := 1; i < len(of); i += 2 {
		d.read(m, grammar.Terminal(of[i]), of[i+1], known)
	}
}

// read reads a terminal and the sequences of the tree behind it. It is P_a: the reductions that the
// terminal asks for, and its shift.
func (d *determinizer) read(m *advance, x grammar.Terminal, rest int32, known []int32) {
	stack := slices.Clone(known)
	for {
		a := d.tables.Action(stack[len(stack)-1], x)
		switch a.Kind() {
		case lr.KindShift:
			m.accepts = d.sets.union(m.accepts, d.trees.At(rest)[0])
			d.follow(m, rest, append(stack, a.Target()))
			return
		case lr.KindReduce:
			lhs, length := d.tables.Rule(a.Target())
			if length >= len(stack) {
				d.wait(m, waiting{x, rest, int32(lhs), int32(length - len(stack))})
				return
			}
			stack = stack[:len(stack)-length]
			g := d.tables.GotoBefore(stack[len(stack)-1], lhs, x)
			if g < 0 {
				return
			}
			stack = append(stack, g)
		default:
			return
		}
	}
}

// minimize merges the states that no stack tells apart, by refining the partition into states with
// the same mask until the transitions agree with it.
func (d *determinizer) minimize(ctx context.Context) (algorithms.Engine, error) {
	n, symbols := d.states.Len(), d.tables.NumStates()
	class := make([]int32, n)
	for s := range class {
		class[s] = d.states.At(int32(s))[0]
	}
	classes := -1
	var first []int32 // by class: a state of it
	for {
		refined, firsts, err := d.refine(ctx, class)
		if err != nil {
			return nil, err
		}
		class, first = refined, firsts
		if len(first) == classes {
			break
		}
		classes = len(first)
	}
	e := &engine{problem: d.problem, symbols: symbols, masks: d.sets.list, before: n, moves: len(d.moves)}
	for _, s := range d.start {
		e.start = append(e.start, class[s])
	}
	used := map[int32]bool{}
	for c, s := range first {
		of := d.states.At(s)
		final := true
		for _, to := range d.next[int(s)*symbols:][:symbols] {
			e.next = append(e.next, class[to])
			final = final && class[to] == int32(c)
		}
		e.mask, e.final = append(e.mask, of[0]), append(e.final, final)
		used[of[0]] = true
	}
	for i := range e.masks {
		if !used[int32(i)] {
			e.masks[i] = nil // a step on the way to a mask
		}
	}
	e.bytes = 4*int64(len(e.next)+len(e.start)+2*len(e.mask)) + 8*int64(len(used)*d.sets.words)
	return e, nil
}

// refine splits the classes whose states go to different classes. It returns the class of each
// state, and a state of each class.
func (d *determinizer) refine(ctx context.Context, class []int32) (refined, first []int32, err error) {
	symbols := d.tables.NumStates()
	var seen index.Index
	key := make([]int32, symbols+1)
	same := func(a, b int32) bool {
		if class[a] != class[b] {
			return false
		}
		for y := range symbols {
			if class[d.next[int(a)*symbols+y]] != class[d.next[int(b)*symbols+y]] {
				return false
			}
		}
		return true
	}
	refined = make([]int32, len(class))
	for s := range class {
		if err := algorithms.Step(ctx, "minimizing", s, len(class)); err != nil {
			return nil, nil, err
		}
		key[0] = class[s]
		for y, to := range d.next[s*symbols:][:symbols] {
			key[y+1] = class[to]
		}
		hash := index.Hash(key)
		id := seen.Find(hash, func(i int32) bool { return same(first[i], int32(s)) })
		if id < 0 {
			id = seen.Add(hash)
			first = append(first, int32(s))
		}
		refined[s] = id
	}
	return refined, first, nil
}

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	return algorithms.NewFilling(e.problem, func() algorithms.Fill { return e.fill })
}

// Stats implements algorithms.Engine.
func (e *engine) Stats() algorithms.Stats {
	masks := 0
	for _, m := range e.masks {
		if m != nil {
			masks++
		}
	}
	return algorithms.Stats{Bytes: e.bytes, Counters: []algorithms.Counter{
		{Name: "states before minimizing", Value: float64(e.before)},
		{Name: "states", Value: float64(len(e.mask))},
		{Name: "transitions", Value: float64(len(e.next))},
		{Name: "distinct masks", Value: float64(masks)},
		{Name: "moves of the parser", Value: float64(e.moves)},
	}}
}

// fill is algorithm 4.
func (e *engine) fill(at *algorithms.Position, row []uint64) {
	s := e.start[at.State.Lexer]
	for node := at.State.Stacks.TopNode(0); !e.final[s]; node = node.Under(0) {
		s = e.next[int(s)*e.symbols+int(node.State)]
		if node.NumUnder() == 0 {
			break
		}
	}
	copy(row, e.masks[e.mask[s]])
}
