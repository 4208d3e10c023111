package unknown

import (
	"math/bits"
	"slices"

	"gcdbench/algorithms/psc/table"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// Where an entry of the tables has several actions, a run forks. As in package lr the forks are
// kept in a graph: before a terminal every state that comes to lie on top has one fresh node, and
// reductions add links from fresh nodes down until nothing is new. That also ends where empty
// rules or cycles let a stack grow without end: the graph then has a cycle.
//
// The graph stands on a cell. A reduction that runs out of known states becomes a goal; goals are
// finitely many, as a rule pops a bounded number of symbols. The nodes under a shifted terminal
// are turned into cells: interned where the graph is a tree or shares nodes, fresh where it has a
// cycle.

// A link leads to a cell (from 0 on) or to a fresh node (^index).
type link int32

// A freshNode is a state that came to lie on top during the reductions before one terminal.
type freshNode struct {
	state int32
	under []link
	done  bool  // its reductions have been made
	mark  uint8 // freezing: 0 not seen, 1 on the way down, 2 frozen
	cell  int32
}

// forest is the scratch of a run.
type forest struct {
	fresh []freshNode
	slot  map[int32]int32 // by state: its fresh node
	todo  []link
	goals []int32
	found bool
	ends  []link
	more  []link
}

// run reduces for terminal t on cell c until nothing is new. For a leaf it is accepted as soon as t
// can be shifted; else the result is the cells that t is shifted to. Goals are added to either.
func (f *forest) run(s *Parser, c int32, t grammar.Terminal, leaf bool) Result {
	f.reset()
	look := int32(t)
	if leaf {
		look = s.SetOf(s.tables.NewSet(t))
	}
	f.look(s, link(c), t)
	for len(f.todo) > 0 && !(leaf && f.found) {
		n := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		if n < 0 {
			f.fresh[^n].done = true
		}
		for _, a := range s.tables.Actions(f.state(s, n), t) {
			if a.Kind() == lr.KindReduce {
				f.reduce(s, n, a.Target(), t, Goal{Look: look, Leaf: leaf})
			}
		}
	}
	if leaf && f.found {
		return Accepted
	}
	var list []Result
	if !leaf {
		list = f.tops(s, c, t)
	}
	slices.Sort(f.goals)
	for _, g := range slices.Compact(f.goals) {
		list = append(list, Result(g)<<2|ResultGoal)
	}
	return s.pack(list)
}

func (f *forest) reset() {
	f.fresh, f.todo, f.goals, f.found = f.fresh[:0], f.todo[:0], f.goals[:0], false
	if f.slot == nil {
		f.slot = map[int32]int32{}
	}
	clear(f.slot)
}

// runLeaf is symbolic.leaf by forks: each terminal of the set on its own.
func (f *forest) runLeaf(s *Parser, c, set int32) Result {
	live := s.tables.Live(s.Cells[c].State)
	var list []Result
	for i, w := range s.Set(set) {
		for w &= live[i]; w != 0; w &= w - 1 {
			r := f.run(s, c, grammar.Terminal(i<<6+bits.TrailingZeros64(w)), true)
			if r == Accepted {
				return Accepted
			}
			s.Each(r, func(part Result) { list = append(list, part) })
		}
	}
	return s.pack(list)
}

func (f *forest) state(s *Parser, n link) int32 {
	if n < 0 {
		return f.fresh[^n].state
	}
	return s.Cells[n].State
}

// look takes note of what a node does on the terminal, and queues it if it reduces.
func (f *forest) look(s *Parser, n link, t grammar.Terminal) {
	reduces := false
	for _, a := range s.tables.Actions(f.state(s, n), t) {
		if a.Kind() == lr.KindReduce {
			reduces = true
		} else {
			f.found = true
		}
	}
	if reduces {
		f.todo = append(f.todo, n)
	}
}

// reduce makes one reduction at n, on all ways down.
func (f *forest) reduce(s *Parser, n link, rule int32, t grammar.Terminal, g Goal) {
	lhs, length := s.tables.Rule(rule)
	g.Lhs = int32(lhs)
	f.ends = append(f.ends[:0], n)
	for k := length; k > 0; k-- {
		f.more = f.more[:0]
		for _, x := range f.ends {
			f.descend(s, x, int32(k-1), g)
		}
		f.ends, f.more = f.more, f.ends
	}
	again := false
	for _, u := range f.ends {
		to := s.tables.Goto(f.state(s, u), lhs)
		if to < 0 {
			continue
		}
		i, known := f.slot[to]
		if !known {
			i = int32(len(f.fresh))
			f.slot[to] = i
			f.fresh = append(f.fresh, freshNode{state: to})
		}
		if slices.Contains(f.fresh[i].under, u) {
			continue
		}
		f.fresh[i].under = append(f.fresh[i].under, u)
		if known {
			again = true
		} else {
			f.look(s, ^link(i), t)
		}
	}
	if again {
		f.again()
	}
}

// descend adds what lies under x to f.more. Under the base nothing is known: there the reduction
// becomes a goal, with left more symbols to pop.
func (f *forest) descend(s *Parser, x link, left int32, g Goal) {
	add := func(u link) {
		if !slices.Contains(f.more, u) {
			f.more = append(f.more, u)
		}
	}
	if x < 0 {
		for _, u := range f.fresh[^x].under {
			add(u)
		}
		return
	}
	c := &s.Cells[x]
	if c.Under < 0 {
		g.Pops = left
		f.goals = append(f.goals, s.goalOf(g))
		return
	}
	add(link(c.Under))
	for _, u := range c.More {
		add(link(u))
	}
}

// again queues all nodes whose reductions were made: one of them has got another way down, and
// others may lie over it.
func (f *forest) again() {
	for i := range f.fresh {
		if f.fresh[i].done {
			f.fresh[i].done = false
			f.todo = append(f.todo, ^link(i))
		}
	}
}

// tops are the cells that t is shifted to from c and from the fresh nodes, one for each target.
func (f *forest) tops(s *Parser, c int32, t grammar.Terminal) []Result {
	targets := map[int32][]int32{} // by target: the cells under it
	var order []int32
	add := func(from, under int32) {
		a := s.tables.Action(from, t)
		if a.Kind() != lr.KindShift {
			return
		}
		if targets[a.Target()] == nil {
			order = append(order, a.Target())
		}
		targets[a.Target()] = append(targets[a.Target()], under)
	}
	add(s.Cells[c].State, c)
	for i := range f.fresh {
		if s.tables.Action(f.fresh[i].state, t).Kind() == lr.KindShift {
			add(f.fresh[i].state, f.freeze(s, int32(i)))
		}
	}
	slices.Sort(order)
	var list []Result
	for _, to := range order {
		list = append(list, Result(s.join(to, targets[to]))<<2|ResultCell)
	}
	return list
}

// join is the cell of a state on several cells.
func (s *Parser) join(state int32, under []int32) int32 {
	slices.Sort(under)
	under = slices.Compact(under)
	if len(under) == 1 {
		return s.push(state, under[0])
	}
	id := int32(0)
	for _, u := range under {
		n := s.byList.Get(table.Pair(id, u))
		if n == table.Absent {
			s.joins++
			n = s.joins
			s.byList.Put(table.Pair(id, u), n)
		}
		id = n
	}
	key := table.Pair(id, state)
	c := s.byJoin.Get(key)
	if c == table.Absent {
		c = int32(len(s.Cells))
		s.Cells = append(s.Cells, Cell{state, under[0], slices.Clone(under[1:])})
		s.byJoin.Put(key, c)
	}
	return c
}

// freeze makes a cell of a fresh node and of all under it.
func (f *forest) freeze(s *Parser, i int32) int32 {
	if f.fresh[i].mark != 0 {
		return f.fresh[i].cell
	}
	if f.onCycle(i) {
		return f.freezeCycle(s, i)
	}
	f.fresh[i].mark = 1
	under := make([]int32, 0, len(f.fresh[i].under))
	for _, u := range f.fresh[i].under {
		if u < 0 {
			under = append(under, f.freeze(s, int32(^u)))
		} else {
			under = append(under, int32(u))
		}
	}
	f.fresh[i].mark, f.fresh[i].cell = 2, s.join(f.fresh[i].state, under)
	return f.fresh[i].cell
}

// onCycle tells whether a fresh node can be reached from itself.
func (f *forest) onCycle(i int32) bool {
	seen := make([]bool, len(f.fresh))
	for todo := []int32{i}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, u := range f.fresh[n].under {
			switch {
			case u >= 0:
			case int32(^u) == i:
				return true
			case !seen[^u]:
				seen[^u] = true
				todo = append(todo, int32(^u))
			}
		}
	}
	return false
}

// freezeCycle makes a cell of a node on a cycle: its own first, so that the way round finds it.
func (f *forest) freezeCycle(s *Parser, i int32) int32 {
	c := int32(len(s.Cells))
	s.Cells = append(s.Cells, Cell{State: f.fresh[i].state})
	f.fresh[i].mark, f.fresh[i].cell = 2, c
	var under []int32
	for _, u := range f.fresh[i].under {
		if u < 0 {
			under = append(under, f.freeze(s, int32(^u)))
		} else {
			under = append(under, int32(u))
		}
	}
	s.Cells[c].Under, s.Cells[c].More = under[0], under[1:]
	return c
}
