package legality

import (
	"encoding/binary"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// The LR automaton as a pushdown machine that is explored with unlimited credit.
//
// Section 4.3 of the paper starts in a state of its pushdown automaton with an empty stack, reads on,
// and where a symbol must be popped that is not there, goes on for each symbol that might be, noting the
// debt. Here the pushdown automaton is the parser itself: its stack alphabet are the LR states, its
// transitions the tables. What may lie under an LR state are its predecessors, so a debt branches over
// those, and a proof must hold on every branch.
//
// A cell is a known part of a stack, from some state up. A branch is a set of cells that are tops of one
// and the same unknown stack, several only where the parser forks; what it stands for is every stack
// that continues its cells downwards, and one of its cells that gets on is enough. A set of branches
// is what must hold on every branch.
//
// Everything is interned and every step is remembered, so that two sequences with a common prefix, or two
// lexer states with common sequences, share the work.

// A cell is the top of a stack: a state, and the cell under it or -1 where nothing is known. Height counts
// the known states. The cells on one cell are a chain, from its kid on by their siblings; they are a handful, so
// that looking through them is faster than a map. Met is the run that came to it last.
type cell struct {
	state, under, height, kid, sibling int32
	met                                int64
}

// A symbol is what a lexeme is emitted as, to the parser: one of the terminals, or nothing at all.
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

// maxRun bounds the reductions before one terminal where the stack is known. In tables without conflicts
// a run ends after a few; one that does not is given up, which decides nothing.
const maxRun = 1 << 10

// maxBranches bounds a set of branches. A larger one is replaced by all states that its last symbol is
// shifted to, on any stack, which stands for more stacks than were possible: what is proved of more holds
// of fewer.
const maxBranches = 2048

// maxForks bounds the cells of a branch; to know fewer of the stacks that exist proves less, never too much.
const maxForks = 8

// machine is not safe for concurrent use.
type machine struct {
	tables  *lr.Tables
	several bool // a lexeme may be emitted as several terminals
	forks   bool // a terminal may be taken in several ways
	height  int32

	cells     []cell
	bottoms   []int32    // by state: the cell of it with nothing known under it, -1 not made
	alone     []branchID // by cell: the branch of it alone, -1 not made
	branches  [][]int32
	byBranch  map[string]branchID
	sets      [][]branchID
	bySet     map[string]setID
	symbols   []symbol
	bySymbol  map[string]int32
	entered   [][]int32 // by terminal: the states entered on it
	startsOf  map[int32]setID
	pops      map[[2]int32][]int32
	expanded  map[debt][]int32
	setSteps  map[[2]int32]step
	setMays   map[[2]int32]setID
	claims    []claim // by debtID
	byOwed    map[owed]debtID
	search    int64            // the number of the search through debts
	todo      []debtID         // what it has to follow
	anyOf     map[string]int32 // terminal sets, interned
	terms     [][]uint64
	judged    map[[2]int32]judgement // by branch and terminals
	judgedSet [][]judgement          // by set and terminals
	places    map[place]*placeJudgement
	judging   judging
	key       []byte
	runs      int64 // single runs of the parser on a known part of a stack
	scratch   outcome
	hasLoops  bool
	collapses int64
}

// newMachine prepares the exploration of some tables. severalMembers says that a lexeme may be emitted as
// several terminals; height is the most states known of a stack.
func newMachine(t *lr.Tables, severalMembers bool, height int) *machine {
	m := &machine{
		tables: t, several: severalMembers, forks: severalMembers || !t.Deterministic(), height: int32(max(height, 2)),
		byBranch: map[string]branchID{}, bySet: map[string]setID{}, bySymbol: map[string]int32{},
		startsOf: map[int32]setID{}, pops: map[[2]int32][]int32{}, expanded: map[debt][]int32{},
		setSteps: map[[2]int32]step{}, setMays: map[[2]int32]setID{}, byOwed: map[owed]debtID{},
		anyOf: map[string]int32{}, judged: map[[2]int32]judgement{}, places: map[place]*placeJudgement{},
	}
	m.set(nil)
	m.bottoms = make([]int32, t.NumStates())
	for s := range m.bottoms {
		m.bottoms[s] = -1
	}
	m.entered = make([][]int32, t.NumTerminals())
	for s := range int32(t.NumStates()) {
		if sym, ok := t.Accessing(s); ok && sym.IsTerminal() {
			m.entered[sym.Terminal()] = append(m.entered[sym.Terminal()], s)
		}
	}
	m.hasLoops = hasLoops(t)
	return m
}

// hasLoops tells whether tables have endless reductions (lr.Tables.Loops), which depend on the terminal.
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
	key := m.key[:0]
	for _, c := range cells {
		key = binary.AppendUvarint(key, uint64(c))
	}
	m.key = key
	id, ok := m.byBranch[string(key)]
	if !ok {
		id = branchID(len(m.branches))
		m.branches = append(m.branches, slices.Clone(cells))
		m.byBranch[string(key)] = id
	}
	return id
}

// single is the branch of one cell.
func (m *machine) single(c int32) branchID {
	if m.alone[c] < 0 {
		m.alone[c] = branchID(len(m.branches))
		m.branches = append(m.branches, []int32{c})
	}
	return m.alone[c]
}

// set interns a set of branches; it sorts the list given.
func (m *machine) set(list []branchID) setID {
	slices.Sort(list)
	list = slices.Compact(list)
	key := m.key[:0]
	for _, b := range list {
		key = binary.AppendUvarint(key, uint64(b))
	}
	m.key = key
	id, ok := m.bySet[string(key)]
	if !ok {
		id = setID(len(m.sets))
		m.sets = append(m.sets, slices.Clone(list))
		m.bySet[string(key)] = id
	}
	return id
}

// symbol interns a symbol.
func (m *machine) symbol(parsed []grammar.Terminal, skip bool) int32 {
	key := m.key[:0]
	if skip {
		key = append(key, 's')
	}
	for _, t := range parsed {
		key = binary.AppendUvarint(key, uint64(t))
	}
	m.key = key
	id, ok := m.bySymbol[string(key)]
	if !ok {
		id = int32(len(m.symbols))
		m.symbols = append(m.symbols, symbol{slices.Clone(parsed), skip})
		m.bySymbol[string(key)] = id
	}
	return id
}

// anyTerminal interns a set of terminals.
func (m *machine) anyTerminal(terms []uint64) int32 {
	key := m.key[:0]
	for _, w := range terms {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	m.key = key
	id, ok := m.anyOf[string(key)]
	if !ok {
		id = int32(len(m.terms))
		m.terms = append(m.terms, slices.Clone(terms))
		m.anyOf[string(key)] = id
	}
	return id
}

// A basis says what is known of a stack before a token: a non-negative one is the terminal that was
// shifted last; ^s is the LR state s on top, which with s = 0 is also the start, where nothing lies under.
type basis int32

// basisOf is the basis of a parser with state on top: its last terminal, or with exact the state itself.
func basisOf(t *lr.Tables, state int32, exact bool) basis {
	if sym, ok := t.Accessing(state); ok && !exact {
		return basis(sym.Terminal())
	}
	return basis(^state)
}

// A stance is all stacks that may have taken a sequence: divided into branches for what must hold of all,
// and each on its own for what must hold of one. Where the parser does not fork the two are the same.
type stance struct{ all, may setID }

// start is all stacks of some bases. Several are those of one parser that has forked, which are there side
// by side.
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

// bytes is the memory that the exploration holds, roughly: entries of maps count with their keys and half as
// much again.
func (m *machine) bytes() int64 {
	sum := 32*len(m.cells) + 48*(len(m.branches)+len(m.sets)) + 24*(len(m.judged)+len(m.setSteps)+len(m.setMays)) + 64*len(m.places)
	for _, list := range m.sets {
		sum += 6 * len(list)
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
