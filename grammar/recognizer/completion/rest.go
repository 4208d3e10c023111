package completion

import (
	"slices"
	"sync"

	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lr"
)

// The rest of a text: the least cost of what a stack of the parser is still missing. A stack spells
// the symbols read so far, so what completes it completes, one after the other, an item of its top,
// then an item of the state that the reduction leads to on a node further down, and so on to the
// bottom. Lookaheads are not asked: without them there are more ways, so that the result is a lower
// bound, and for the terminals alone it is the least there is.
//
// An exit is such a step from a node to one below it, with all steps that stay on the node in
// between. Exits depend on the LR state of the node alone and are kept in the Completer. The costs
// of a node are found once in a search, since stacks share their lower nodes.

// An exit is what can come of a nonterminal on top of a node: pops nodes further down, lhs lies on
// top.
type exit = option

// exits are all exits of a nonterminal on a state, and the cost of the end of the text.
type exits struct {
	end  vector
	list []exit
}

// An exitTable finds exits when they are first asked for.
type exitTable struct {
	*yields
	known sync.Map // of *exits, by state and nonterminal
}

// exits is the exits of nonterminal a on state s.
func (t *exitTable) exits(s, a int32) *exits {
	key := [2]int32{s, a}
	if known, ok := t.known.Load(key); ok {
		return known.(*exits)
	}
	known, _ := t.known.LoadOrStore(key, t.find(s, a))
	return known.(*exits)
}

// find follows the options that stay on the node, and collects those that leave it.
func (t *exitTable) find(s, a int32) *exits {
	e := &exits{end: slices.Repeat(vector{unreachable}, int(t.shape))}
	way := map[int32]matrix{a: t.empty()}
	for queue := []int32{a}; len(queue) > 0; queue = queue[1:] {
		b := queue[0]
		for _, o := range t.on(s, b) {
			if o.pops > 1 {
				continue
			}
			m := t.then(way[b], o.cost)
			if known, ok := way[o.lhs]; !ok && possible(m) {
				way[o.lhs] = m
			} else if !ok || !lower(known, m) {
				continue
			}
			queue = append(queue, o.lhs)
		}
	}
	for _, b := range sortedKeys(way) {
		t.leave(e, s, b, way[b])
	}
	return e
}

// on is the options of b on s, none if b cannot lie there.
func (t *exitTable) on(s, b int32) []option {
	if top := t.tables.Goto(s, grammar.Nonterminal(b)); top >= 0 {
		return t.options[top]
	}
	return nil
}

// leave adds the exits of b on s, to which m leads.
func (t *exitTable) leave(e *exits, s, b int32, m matrix) {
	if top := t.tables.Goto(s, grammar.Nonterminal(b)); top >= 0 && t.accepting[top] {
		for from := range e.end {
			e.end[from] = min(e.end[from], slices.Min(m[from*int(t.shape):(from+1)*int(t.shape)]))
		}
	}
	for _, o := range t.on(s, b) {
		if o.pops > 1 {
			e.list = t.add(e.list, exit{o.pops - 1, o.lhs, t.then(m, o.cost)})
		}
	}
}

func sortedKeys(m map[int32]matrix) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A rests finds the rests of stacks, for one search.
type rests struct {
	*exitTable
	columns columns
	known   map[restKey]vector
	levels  map[*lr.Node]int32
}

// A restKey is a node with a nonterminal on top, or with nothing: -1.
type restKey struct {
	node *lr.Node
	on   int32
}

// of is the least cost from a context to the end of the text. open is the columns of the open
// blocks.
func (r *rests) of(s lr.Stacks, context int, open []layout.Column) cost {
	least := unreachable
	for i := range s.NumTops() {
		least = min(least, r.top(s.TopNode(i), open)[context])
	}
	return least
}

// top is the rest of a stack.
func (r *rests) top(n *lr.Node, open []layout.Column) vector {
	key := restKey{n, -1}
	if known, ok := r.known[key]; ok {
		return known
	}
	v := slices.Repeat(vector{unreachable}, int(r.shape))
	if n.NumUnder() == 0 { // nothing was read
		r.lower(v, r.yields.of[r.start], r.under(n, r.start-r.terminals, open), n, open)
	}
	r.follow(v, n, r.options[n.State], open)
	r.known[key] = v
	return v
}

// under is the rest of a stack that has nonterminal a on top of node n. In a graph of stacks with a
// cycle it may be asked for while it is being found; then the answer is 0, which is never too much.
// What it depends on is found first, from a list of its own: a stack can be millions of nodes deep.
func (r *rests) under(n *lr.Node, a int32, open []layout.Column) vector {
	key := restKey{n, a}
	if known, ok := r.known[key]; ok {
		return known
	}
	begun := map[restKey]bool{}
	for todo := []restKey{key}; len(todo) > 0; {
		last := todo[len(todo)-1]
		if _, ok := r.known[last]; ok && !begun[last] {
			todo = todo[:len(todo)-1]
			continue
		}
		e := r.exits(last.node.State, last.on)
		if !begun[last] && len(e.list) > 0 {
			begun[last], r.known[last] = true, make(vector, r.shape)
			todo = r.missing(todo, last.node, e.list)
			continue
		}
		v := slices.Clone(e.end)
		r.follow(v, last.node, e.list, open)
		r.known[last] = v
		delete(begun, last)
		todo = todo[:len(todo)-1]
	}
	return r.known[key]
}

// missing appends what the ways below node n lead to and is not known.
func (r *rests) missing(dst []restKey, n *lr.Node, list []option) []restKey {
	for _, o := range list {
		for _, u := range below(n, o.pops) {
			if _, ok := r.known[restKey{u, o.lhs}]; !ok {
				dst = append(dst, restKey{u, o.lhs})
			}
		}
	}
	return dst
}

// follow lowers v by the ways that go on below node n.
func (r *rests) follow(v vector, n *lr.Node, list []option, open []layout.Column) {
	for _, o := range list {
		for _, u := range below(n, o.pops) {
			r.lower(v, o.cost, r.under(u, o.lhs, open), n, open)
		}
	}
}

// lower lowers v by a step of cost m on the level of node n, and what comes after it.
func (r *rests) lower(v vector, m matrix, after vector, n *lr.Node, open []layout.Column) {
	k := int(r.shape)
	for from := range v {
		extra := cost(0)
		if r.columns.charged && (from == r.line || from == r.dedent) {
			extra = r.indentation(n, open)
		}
		for to, x := range m[from*k : from*k+k] {
			if x > 0 {
				x = plus(x, extra)
			}
			v[from] = min(v[from], plus(x, after[to]))
		}
	}
}

// below lists the nodes that pops links lead to from n.
func below(n *lr.Node, pops int32) []*lr.Node {
	list := []*lr.Node{n}
	for ; pops > 0; pops-- {
		if len(list) == 1 && list[0].NumUnder() == 1 {
			list[0] = list[0].Under(0)
			continue
		}
		var next []*lr.Node
		seen := make(map[*lr.Node]bool, len(list))
		for _, x := range list {
			for i := range x.NumUnder() {
				if u := x.Under(i); !seen[u] {
					seen[u] = true
					next = append(next, u)
				}
			}
		}
		list = next
	}
	return list
}
