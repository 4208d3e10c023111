package psc

import (
	"slices"

	"gcdbench/grammar"
)

// Often the result of a goal does not depend on the symbol that is read next. The symbols that
// can come next are known: the LR predecessors of the last one. If a goal has the same result for
// all of those that its reduction can go on from, the result is taken without reading. A group is
// then accepted or refused at once, and a chain of reductions (a name is a primary is a factor is
// a term) is followed to the point where it matters. Reads become shorter, and the automaton
// several times smaller: states that only differ in how far along such a chain they are become
// one.

// maxAhead bounds how far below the symbol read last a chain of reductions is followed. Some
// chains have no end in theory, as every bracket closes another; at the bound the goal stays
// pending and symbols are read as usual.
const maxAhead = 24

// lazyUnder bounds the symbols that a lazy engine tries for a fate. With many of them they seldom
// agree, and to try them is a third of what a new stack costs (SQL). States that are built offline
// are worth any number.
const lazyUnder = 6

// noneUnder is lazyUnder for a JSON schema, of which a text comes to a state once or twice: there
// a symbol more to read costs less than the fates of all that wait for it, and none is looked for.
const noneUnder = -1

// The fates of a goal, other than a goal to replace it.
const (
	fateRefused  int32 = -1
	fateAccepted int32 = -2
)

// decider knows the fates of goals.
type decider struct {
	fates  table64         // goal, symbol read last -> fate
	levels table64         // state, n -> the list of states n below it
	most   int             // how many states may lie below for a fate to be looked for; 0 for any number, or noneUnder
	lists  numbered[int32] // of states, ascending
}

// bytes is the memory held, roughly.
func (d *decider) bytes() int64 { return d.fates.bytes() + d.levels.bytes() + d.lists.bytes(4) }

// fate is the fate of a goal after x was read last: the goal that it becomes for every symbol
// that can be read, often itself, or fateRefused or fateAccepted.
func (a *automaton) fate(id, x int32) int32 {
	n, most := a.sym.goals[id].pops+1, a.decider.most
	if most == noneUnder || n > maxAhead+1 || most > 0 && len(a.under(x, n)) > most {
		return id
	}
	key := pair(id, x)
	f := a.decider.fates.get(key)
	if f == absent {
		f = a.findFate(id, x)
		a.decider.fates.put(key, f)
	}
	return f
}

func (a *automaton) findFate(id, x int32) int32 {
	g := a.sym.goals[id]
	last := g
	last.pops = 0
	lastID := a.sym.goalOf(last)
	common, any := nothing, false
	for _, y := range a.under(x, g.pops+1) {
		if a.tables.Goto(y, grammar.Nonterminal(g.lhs)) < 0 {
			continue // no stack that the goal arose on has y here
		}
		r := a.sym.follow(lastID, y)
		if any && r != common || r.kind() == resultCell || r.kind() == resultList {
			return id
		}
		common, any = r, true
	}
	switch {
	case !any || common == nothing:
		return fateRefused
	case common == accepted:
		return fateAccepted
	}
	next := a.sym.goals[common.value()]
	next.pops += g.pops + 1
	return a.fate(a.sym.goalOf(next), x)
}

// under lists the states that can lie n below x in a stack, ascending.
func (a *automaton) under(x, n int32) []int32 { return a.decider.lists.at(a.underID(x, n)) }

// underID is the interned list of the states that can lie n below x in a stack.
func (a *automaton) underID(x, n int32) int32 {
	d := &a.decider
	key := pair(x, n)
	if id := d.levels.get(key); id != absent {
		return id
	}
	var list []int32
	if n == 1 {
		list = a.tables.Predecessors(x)
	} else {
		for _, y := range a.under(x, n-1) {
			list = append(list, a.tables.Predecessors(y)...)
		}
		slices.Sort(list)
		list = slices.Clip(slices.Compact(list))
	}
	id := d.lists.of(list)
	d.levels.put(key, id)
	return id
}
