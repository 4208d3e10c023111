package legality

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/intern"
)

// The LR automaton as a pushdown machine that is explored with unlimited credit.
//
// Section 4.3 of the paper starts in a state of its pushdown automaton with an empty stack, reads
// on, and where a symbol must be popped that is not there, goes on for each symbol that might be,
// noting the debt. Here the pushdown automaton is the parser itself: its stack alphabet are the LR
// states, its transitions the tables. What may lie under an LR state are its predecessors, so a
// debt branches over those, and a proof must hold on every branch.
//
// A cell is a known part of a stack, from some state up. A branch is a set of cells that are
// tops of one and the same unknown stack; it has several cells only where the parser forks. A
// branch stands for every stack that continues its cells downwards, and it gets on if one of
// its cells does. What is proved of a set of branches must hold on every branch.
//
// Cells, branches and sets are interned, and every step is remembered. So two sequences with a
// common prefix share the work, and so do two lexer states with common sequences.

// A cell is the top of a stack: a state, and the cell under it or -1 where nothing is known. Height
// counts the known states. The cells on one cell are a chain, from its kid on by their siblings;
// they are a handful, so that looking through them is faster than a map. Met is the run that came
// to it last.
type cell struct {
	state, under, height, kid, sibling int32
	met                                int64
}

// A symbol is the emission of a lexeme to the parser: one of the terminals, or nothing at all.
type symbol struct {
	parsed []grammar.Terminal
	skip   bool // an ignored terminal is among the members: the parser may also stay as it is
}

// setID and branchID are interned; set 0 is the empty one, where nothing is left.
type (
	setID    int32
	branchID int32
)

const nothing setID = 0

// maxRun bounds the reductions before one terminal where the stack is known. In tables without
// conflicts a run ends after a few. A run that goes on is given up, which decides nothing.
const maxRun = 1 << 10

// maxBranches bounds a set of branches. A larger set is replaced by all states that its last
// symbol is shifted to, on any stack. The replacement stands for more stacks than were
// possible, and a proof about more stacks holds of fewer.
const maxBranches = 2048

// maxForks bounds the cells of a branch. Leaving out stacks that exist can lose a proof and
// never make a wrong one.
const maxForks = 8

// machine explores the stacks of one parser. It is not safe for concurrent use.
type machine struct {
	tables   *lr.Tables
	several  bool      // a lexeme may be emitted as several terminals
	forks    bool      // a terminal may be taken in several ways
	hasLoops bool      // the tables have endless reductions
	height   int32     // the most states that are known of a stack
	entered  [][]int32 // by terminal: the states entered on it

	vocabulary
	parts
	memo
	debts

	judging   judging
	scratch   outcome
	runs      int64 // single runs of the parser on a known part of a stack
	collapses int64 // sets widened to all stacks that a symbol is shifted on
}

// vocabulary has the symbols that the machine reads, interned.
type vocabulary struct {
	symbols    []symbol
	symbolKeys intern.Lists[grammar.Terminal] // of symbols: the terminals, and -1 for skip
	terms      intern.Lists[uint64]           // sets of terminals, one of which may be pending
}

// parts are the known parts of stacks, interned.
type parts struct {
	cells    []cell
	bottoms  []int32             // by state: the cell of it with nothing known under it, -1 not made
	alone    []branchID          // by cell: the branch of it alone, -1 not made
	branches intern.Lists[int32] // cells
	sets     intern.Lists[branchID]
}

// cellsOf lists the cells of a branch; read-only.
func (p *parts) cellsOf(b branchID) []int32 { return p.branches.At(int32(b)) }

// branchesOf lists the branches of a set; read-only.
func (p *parts) branchesOf(s setID) []branchID { return p.sets.At(int32(s)) }

// memo has results that are asked for again.
type memo struct {
	pops      map[[2]int32][]int32   // by state and depth: the states that may lie so deep under it
	expanded  map[debt][]int32       // by debt: the cells that it leads to
	setSteps  map[[2]int32]step      // by set and symbol
	setMays   map[[2]int32]setID     // by set and symbol
	judged    map[[2]int32]judgement // by branch and terminals
	judgedSet [][]judgement          // by set and terminals
	places    map[place]*placeJudgement
}

// newMachine prepares the exploration of some tables. severalMembers says that a lexeme may be
// emitted as several terminals; height is the most states known of a stack.
func newMachine(t *lr.Tables, severalMembers bool, height int) *machine {
	m := &machine{
		tables: t, several: severalMembers, forks: severalMembers || !t.Deterministic(), height: int32(max(height, 2)),
		memo: memo{
			pops: map[[2]int32][]int32{}, expanded: map[debt][]int32{}, setSteps: map[[2]int32]step{},
			setMays: map[[2]int32]setID{}, judged: map[[2]int32]judgement{}, places: map[place]*placeJudgement{},
		},
	}
	m.set(nil)
	m.bottoms = slices.Repeat([]int32{-1}, t.NumStates())
	m.entered = make([][]int32, t.NumTerminals())
	for s := range int32(t.NumStates()) {
		if sym, ok := t.Accessing(s); ok && sym.IsTerminal() {
			m.entered[sym.Terminal()] = append(m.entered[sym.Terminal()], s)
		}
	}
	m.hasLoops = hasLoops(t)
	return m
}

// hasLoops tells whether tables have endless reductions (lr.Tables.Loops), which depend on the
// terminal.
func hasLoops(t *lr.Tables) bool {
	if !t.Deterministic() {
		return false
	}
	if shift, reduce := t.CountConflicts(); shift+reduce == 0 {
		return false
	}
	for s := range int32(t.NumStates()) {
		for n := range t.Grammar().Nonterminals {
			if t.Goto(s, grammar.Nonterminal(n)) < 0 {
				continue
			}
			for x := range t.NumTerminals() + 1 {
				if t.Loops(s, grammar.Nonterminal(n), grammar.Terminal(x)) {
					return true
				}
			}
		}
	}
	return false
}

// cell interns a cell, forgetting the lower half of one that would be too high.
func (m *machine) cell(state, under int32) int32 {
	if under < 0 {
		if m.bottoms[state] < 0 {
			m.bottoms[state] = m.newCell(cell{state: state, under: -1, height: 1, kid: -1, sibling: -1})
		}
		return m.bottoms[state]
	}
	if m.cells[under].height >= m.height {
		under = m.cut(under, m.height/2)
	}
	for c := m.cells[under].kid; c >= 0; c = m.cells[c].sibling {
		if m.cells[c].state == state {
			return c
		}
	}
	id := m.newCell(cell{state: state, under: under, height: m.cells[under].height + 1, kid: -1, sibling: m.cells[under].kid})
	m.cells[under].kid = id
	return id
}

func (m *machine) newCell(c cell) int32 {
	m.cells = append(m.cells, c)
	m.alone = append(m.alone, -1)
	return int32(len(m.cells) - 1)
}

// cut is the upper part of a cell's stack.
func (m *machine) cut(c, height int32) int32 {
	if height <= 1 {
		return m.cell(m.cells[c].state, -1)
	}
	return m.cell(m.cells[c].state, m.cut(m.cells[c].under, height-1))
}

// branch interns a branch; it sorts the cells given.
func (m *machine) branch(cells ...int32) branchID {
	if len(cells) == 1 {
		return m.single(cells[0])
	}
	slices.Sort(cells)
	if cells = slices.Compact(cells); len(cells) == 1 {
		return m.single(cells[0])
	}
	id, _ := m.branches.ID(cells)
	return branchID(id)
}

// single is the branch of one cell.
func (m *machine) single(c int32) branchID {
	if m.alone[c] < 0 {
		id, _ := m.branches.ID([]int32{c})
		m.alone[c] = branchID(id)
	}
	return m.alone[c]
}

// set interns a set of branches; it sorts the list given.
func (m *machine) set(list []branchID) setID {
	slices.Sort(list)
	id, _ := m.sets.ID(slices.Compact(list))
	return setID(id)
}

// symbol interns a symbol.
func (m *machine) symbol(parsed []grammar.Terminal, skip bool) int32 {
	parsed = slices.Clip(parsed)
	key := parsed
	if skip {
		key = append(key, -1)
	}
	id, isNew := m.symbolKeys.ID(key)
	if isNew {
		m.symbols = append(m.symbols, symbol{m.symbolKeys.At(id)[:len(parsed)], skip})
	}
	return id
}

// anyTerminal interns a set of terminals.
func (m *machine) anyTerminal(terms []uint64) int32 {
	id, _ := m.terms.ID(terms)
	return id
}

// A basis says what is known of a stack before a token: a non-negative one is the terminal that was
// shifted last; ^s is the LR state s on top, which with s = 0 is also the start, where nothing lies
// under.
type basis int32

// basisOf is the basis of a parser with state on top: its last terminal, or with exact the state
// itself.
func basisOf(t *lr.Tables, state int32, exact bool) basis {
	if sym, ok := t.Accessing(state); ok && !exact {
		return basis(sym.Terminal())
	}
	return basis(^state)
}

// A stance is all stacks that may have taken a sequence, in two forms: all is divided into
// branches, for proofs about every stack; may has each stack on its own, for proofs about some
// stack. Where the parser does not fork the two are the same.
type stance struct{ all, may setID }

// start is all stacks of some bases. Several bases are those of one parser that has forked,
// whose stacks exist side by side.
func (m *machine) start(bases []basis) stance {
	var cells, tops []int32
	for _, x := range bases {
		if x >= 0 {
			for _, s := range m.entered[x] {
				cells = append(cells, m.cell(s, -1))
			}
			continue
		}
		c := m.cell(int32(^x), -1)
		cells, tops = append(cells, c), append(tops, c)
	}
	single := make([]branchID, len(cells))
	for i, c := range cells {
		single[i] = m.branch(c)
	}
	may := m.set(single)
	if len(tops) != len(bases) || len(bases) == 1 {
		return stance{may, may}
	}
	return stance{m.set([]branchID{m.branchOf(tops)}), may}
}

// entry is all stacks on which one of the terminals was just shifted.
func (m *machine) entry(parsed []grammar.Terminal) setID {
	var list []branchID
	for _, x := range parsed {
		for _, s := range m.entered[x] {
			list = append(list, m.branch(m.cell(s, -1)))
		}
	}
	return m.set(list)
}

// below lists the states that may lie depth states under a state.
func (m *machine) below(state, depth int32) []int32 {
	if depth == 0 {
		return []int32{state}
	}
	key := [2]int32{state, depth}
	list, ok := m.pops[key]
	if !ok {
		for _, s := range m.below(state, depth-1) {
			list = append(list, m.tables.Predecessors(s)...)
		}
		slices.Sort(list)
		list = slices.Compact(list)
		m.pops[key] = list
	}
	return list
}

// bytes is the memory that the exploration holds, roughly: entries of maps count with their keys
// and half as much again.
func (m *machine) bytes() int64 {
	sum := 32*len(m.cells) + 48*(m.branches.Len()+m.sets.Len()) + 24*(len(m.judged)+len(m.setSteps)+len(m.setMays)) + 64*len(m.places)
	for s := range int32(m.sets.Len()) {
		sum += 6 * len(m.sets.At(s))
	}
	for i := range m.claims {
		sum += 72
		for _, p := range [...]*payment{m.claims[i].all, m.claims[i].some} {
			if p != nil {
				sum += 56 + 4*(len(p.to)+len(p.next))
			}
		}
	}
	for _, list := range m.expanded {
		sum += 48 + 4*len(list)
	}
	return int64(sum)
}
