package parserdwa

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// A closure is the template of a terminal where actions are in conflict, or where the known
// piece of stack has several tops. It makes all reductions before the terminal, on the piece as
// a graph.
//
// A list of pushes cannot express it: with hidden left recursion (a: b a "x" | "y", b: | "z") the
// effects of one terminal are infinitely many. As a graph they are finite: a reduction's state gets
// one fresh cell, however often it is reached, and further ways to it are further links down, even
// to itself. This is the graph-structured stack of package lr (Tomita, with Nozohoor-Farshi's
// repair) on a stack whose lower part is unknown: where a reduction pops below the lowest cell, an
// item arises.
type closure struct {
	c     *composer
	it    item
	slot  []int32 // by LR state: 1 + its fresh cell, 0 for none
	fresh []int32 // cells
	seen  []int32 // tops and fresh cells, all that may shift
	todo  []int32
	ends  []int32
	next  []int32
	lefts []int32
	waits []item
}

// run shifts the item's terminal on top of the given cells, and returns the new tops.
func (k *closure) run(it item, tops []int32) []int32 {
	k.reset(it)
	for _, top := range tops {
		k.look(top)
	}
	return k.finish()
}

// resume goes to the item's nonterminal from cell 0, which holds symbol, and shifts its terminal.
func (k *closure) resume(it item, symbol int32) []int32 {
	to := k.c.problem.Tables.Goto(symbol, grammar.Nonterminal(it.lhs))
	if to < 0 {
		return nil
	}
	k.reset(it)
	k.add(to, 0)
	return k.finish()
}

func (k *closure) reset(it item) {
	if k.slot == nil {
		k.slot = make([]int32, k.c.problem.Tables.NumStates())
	}
	k.it = it
	k.fresh, k.seen, k.todo, k.waits = k.fresh[:0], k.seen[:0], k.todo[:0], k.waits[:0]
}

func (k *closure) actions(at int32) []lr.Action {
	return k.c.problem.Tables.Actions(k.c.arena[at].state, grammar.Terminal(k.it.terminal))
}

// look takes up a cell.
func (k *closure) look(at int32) {
	k.seen = append(k.seen, at)
	k.queue(at)
}

// queue puts a cell in line if it reduces.
func (k *closure) queue(at int32) {
	if slices.ContainsFunc(k.actions(at), func(a lr.Action) bool { return a.Kind() == lr.KindReduce }) && !slices.Contains(k.todo, at) {
		k.todo = append(k.todo, at)
	}
}

// finish makes the reductions, then the shifts. (An item's terminal is never the end of input.)
func (k *closure) finish() []int32 {
	for len(k.todo) > 0 {
		at := k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		for _, a := range k.actions(at) {
			if a.Kind() == lr.KindReduce {
				k.reduce(at, a.Target())
			}
		}
	}
	for _, at := range k.fresh {
		k.slot[k.c.arena[at].state] = 0
	}
	slices.SortFunc(k.waits, compareItems)
	k.c.pending = append(k.c.pending, slices.Compact(k.waits)...)
	return k.shift()
}

func (k *closure) shift() []int32 {
	var tops []int32
next:
	for _, at := range k.seen {
		all := k.actions(at)
		if len(all) == 0 || all[0].Kind() != lr.KindShift {
			continue
		}
		to := all[0].Target()
		for _, top := range tops {
			if k.c.arena[top].state == to {
				k.c.arena[top].more = append(k.c.arena[top].more, at)
				continue next
			}
		}
		k.c.arena = append(k.c.arena, cell{state: to, under: at})
		tops = append(tops, int32(len(k.c.arena)-1))
	}
	return tops
}

// reduce makes one reduction at a cell, on all ways down.
func (k *closure) reduce(at, rule int32) {
	lhs, n := k.c.problem.Tables.Rule(rule)
	ends, lefts := k.descend(at, int32(n))
	for _, left := range lefts {
		it := k.it
		it.pops, it.lhs = left-1, int32(lhs)
		k.waits = append(k.waits, it)
	}
	for _, under := range ends {
		to := k.c.problem.Tables.Goto(k.c.arena[under].state, lhs)
		if to >= 0 {
			k.add(to, under)
		}
	}
}

// add puts state on a cell. If that is a new way down from a fresh cell that was there, reductions
// from fresh cells are made again: one of them may find it.
func (k *closure) add(state, under int32) {
	if slot := k.slot[state]; slot > 0 {
		at := slot - 1
		cell := &k.c.arena[at]
		if cell.under == under || slices.Contains(cell.more, under) {
			return
		}
		cell.more = append(cell.more, under)
		for _, f := range k.fresh {
			k.queue(f)
		}
		return
	}
	k.c.arena = append(k.c.arena, cell{state: state, under: under})
	at := int32(len(k.c.arena) - 1)
	k.slot[state] = at + 1
	k.fresh = append(k.fresh, at)
	k.look(at)
}

// descend finds the cells n below a cell, on all ways, and for the ways that end before how many of
// the n remain. The results are valid until the next call.
func (k *closure) descend(at, n int32) (ends, lefts []int32) {
	k.ends, k.lefts = append(k.ends[:0], at), k.lefts[:0]
	for ; n > 0; n-- {
		k.next = k.next[:0]
		deeper := false
		for _, e := range k.ends {
			cell := &k.c.arena[e]
			deeper = k.down(cell.under) || deeper
			for _, u := range cell.more {
				deeper = k.down(u) || deeper
			}
		}
		if deeper {
			k.lefts = append(k.lefts, n)
		}
		k.ends, k.next = k.next, k.ends
	}
	return k.ends, k.lefts
}

// down adds a cell to next, and tells whether it is the bottom.
func (k *closure) down(at int32) bool {
	if at != bottom && !slices.Contains(k.next, at) {
		k.next = append(k.next, at)
	}
	return at == bottom
}
