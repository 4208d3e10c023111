package jsonschema

import (
	"encoding/binary"
	"slices"
	"strings"

	"gcdbench/internal/intern"
)

// Objects in cases that differ only in which declared keys must be there, or must not: anyOf of
// {"required": ["a"]}, {"required": ["b"]} and so on, or oneOf of the same. With rules for each
// case, a parser could not tell the cases apart: after some keys any set of them may still be
// meant, 2^16 sets for 16 cases. But the keys come in one order. At each key it is known what each
// case still asks for, and what it asked for before does not matter. So the cases that are still
// possible become part of the state of the rules; where they ask for the same from there on, the
// state is the same.

// A demand is what one case asks for: the declared keys that must be there, and those that must
// not. Both lists are sorted.
type demand struct{ required, forbidden []int }

// An objectGroup is a list of clauses that share all but their demands.
type objectGroup struct {
	common  clause // without demands, if there are several clauses
	clauses []clause
}

// groupObjects puts together clauses about objects that differ in demands on declared keys only.
func (c *emitter) groupObjects(clauses []clause) []*objectGroup {
	var groups []*objectGroup
	byKey := map[string]*objectGroup{}
	for _, x := range clauses {
		common := x
		if !c.opt.LooseOrder && len(clauses) > 1 {
			common = withoutDemands(x)
		}
		g := byKey[common.key()]
		if g == nil {
			g = &objectGroup{common: common}
			byKey[common.key()] = g
			groups = append(groups, g)
		}
		g.clauses = append(g.clauses, x)
	}
	for _, g := range groups {
		if len(g.clauses) == 1 {
			g.common = g.clauses[0]
		}
	}
	return groups
}

// withoutDemands is a clause without what it demands of the keys that its other literals declare.
func withoutDemands(x clause) clause {
	var common clause
	declared := map[string]bool{}
	for _, l := range x {
		if forbids(l) {
			continue
		}
		if l.op == opProps {
			for _, key := range l.props.keys {
				declared[key] = true
			}
		}
	}
	for _, l := range x {
		demands := l.op == opRequired && declared[l.strs[0]] || forbids(l) && declared[l.props.keys[0]]
		if !demands {
			common = append(common, l)
		}
	}
	return common
}

// forbids tells whether a literal says only that one key must not be there.
func forbids(l *literal) bool {
	return l.op == opProps && len(l.props.keys) == 1 && l.props.goals[0] == falseRef && l.props.extra == trueRef && len(l.props.langs) == 0
}

// demandsOf are the demands of the clauses of a group on the keys of its shape.
func (g *objectGroup) demandsOf(keys []string) []demand {
	number := make(map[string]int, len(keys))
	for i, key := range keys {
		number[key] = i
	}
	var list []demand
	for _, x := range g.clauses {
		var d demand
		for _, l := range x {
			switch {
			case l.op == opRequired:
				d.required = append(d.required, number[l.strs[0]])
			case forbids(l):
				if i, ok := number[l.props.keys[0]]; ok && len(g.clauses) > 1 {
					d.forbidden = append(d.forbidden, i)
				}
			}
		}
		slices.Sort(d.required)
		slices.Sort(d.forbidden)
		list = append(list, d)
	}
	return list
}

// from is the rest of a demand after the keys before number at.
func (d demand) from(at int) demand {
	rest := func(list []int) []int {
		i, _ := slices.BinarySearch(list, at)
		return list[i:]
	}
	return demand{rest(d.required), rest(d.forbidden)}
}

// met tells whether a demand asks for no key any more.
func (d demand) met() bool { return len(d.required) == 0 }

// implies tells whether any object that meets d meets o.
func (d demand) implies(o demand) bool {
	return includes(d.required, o.required) && includes(d.forbidden, o.forbidden)
}

// includes tells whether a sorted list has all elements of another.
func includes(list, part []int) bool {
	for _, x := range part {
		i, found := slices.BinarySearch(list, x)
		if !found {
			return false
		}
		list = list[i+1:]
	}
	return true
}

// openDemands are the lists of demands that a place in an object can still meet, interned by what
// they ask for. Two lists are one if they ask for the same.
type openDemands struct {
	lists [][]demand
	keys  intern.Keys[string]
	after map[[2]int]int // of came
}

// intern numbers the demands that are left at a key. A demand that implies another one is dropped.
func (o *openDemands) intern(list []demand, at int) int {
	var open []demand
	for _, d := range list {
		d = d.from(at)
		if slices.ContainsFunc(open, d.implies) {
			continue
		}
		open = append(slices.DeleteFunc(open, func(other demand) bool { return other.implies(d) }), d)
	}
	keys := make([]string, len(open))
	for i, d := range open {
		keys[i] = d.key()
	}
	slices.Sort(keys)
	id, isNew := o.keys.ID(strings.Join(keys, ""))
	if isNew {
		o.lists = append(o.lists, open)
	}
	return int(id)
}

func (d demand) key() string {
	var b []byte
	for _, list := range [][]int{d.required, d.forbidden} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, i := range list {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	return string(b)
}

// take is the number of the demands that are left when key i comes, skip when it does not; -1 if
// nothing can be met any more.
func (o *openDemands) take(id, i int) int {
	return o.without(id, i, func(d demand) []int { return d.forbidden })
}
func (o *openDemands) skip(id, i int) int {
	return o.without(id, i, func(d demand) []int { return d.required })
}

// without drops the demands with i among some of their keys, and goes on to the next key.
func (o *openDemands) without(id, i int, keys func(demand) []int) int {
	var open []demand
	for _, d := range o.lists[id] {
		if _, found := slices.BinarySearch(keys(d), i); !found {
			open = append(open, d)
		}
	}
	if len(open) == 0 {
		return -1
	}
	return o.intern(open, i+1)
}

// came is the number of the demands that are left when key i comes, in any order; -1 if nothing can
// be met any more.
func (o *openDemands) came(id, i int) int {
	if next, ok := o.after[[2]int{id, i}]; ok {
		return next
	}
	var open []demand
	next, changed := id, false
	for _, d := range o.lists[id] {
		if _, found := slices.BinarySearch(d.forbidden, i); found {
			changed = true
			continue
		}
		if at, found := slices.BinarySearch(d.required, i); found {
			d.required, changed = slices.Delete(slices.Clone(d.required), at, at+1), true
		}
		open = append(open, d)
	}
	switch {
	case len(open) == 0:
		next = -1
	case changed:
		next = o.intern(open, 0)
	}
	if o.after == nil {
		o.after = map[[2]int]int{}
	}
	o.after[[2]int{id, i}] = next
	return next
}

// met tells whether one of the demands is met.
func (o *openDemands) met(id int) bool { return slices.ContainsFunc(o.lists[id], demand.met) }
