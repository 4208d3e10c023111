package automata

import (
	"context"
	"slices"
)

// A rawDFA is a deterministic automaton as the constructions leave it: any
// states, state 0 the start, byte classes in any partition.
type rawDFA struct {
	classOf   [256]uint8
	classes   int
	table     []int32 // by state and class
	accepting []bool
	contexts  *contexts // nil if there are none
}

// colour tells states apart that accept differently.
func (r *rawDFA) colour(s int32) int32 {
	switch {
	case !r.accepting[s]:
		return 0
	case r.contexts == nil:
		return 1
	}
	return 1 + r.contexts.of[s]
}

// transitionBytes is what the minimization holds per transition.
const transitionBytes = 32

// finish trims, minimizes and numbers the automaton.
func (r *rawDFA) finish(b *budget) (*DFA, error) {
	r.trim()
	if len(r.accepting) == 0 {
		return emptyDFA(), nil
	}
	live := 0
	for _, t := range r.table {
		if t != Dead {
			live++
		}
	}
	if err := b.hold(live * transitionBytes); err != nil {
		return nil, err
	}
	defer b.hold(-live * transitionBytes)
	block, n, err := r.minimize(b.Context, live)
	if err != nil {
		return nil, err
	}
	return r.quotient(block, n), nil
}

// trim removes the states that cannot be reached or cannot reach acceptance.
func (r *rawDFA) trim() {
	n := len(r.accepting)
	reached := make([]bool, n)
	var stack []int32
	visit := func(s int32) {
		if !reached[s] {
			reached[s] = true
			stack = append(stack, s)
		}
	}
	if n > 0 {
		visit(0)
	}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, t := range r.row(s) {
			if t != Dead {
				visit(t)
			}
		}
	}
	live := r.coreachable()
	number := make([]int32, n)
	kept := int32(0)
	for s := range number {
		number[s] = Dead
		if reached[s] && live[s] {
			number[s] = kept
			kept++
		}
	}
	if n == 0 || number[0] == Dead {
		r.table, r.accepting = nil, nil
		return
	}
	for s := range int32(n) {
		to := number[s]
		if to == Dead {
			continue
		}
		r.accepting[to] = r.accepting[s]
		if r.contexts != nil {
			r.contexts.of[to] = r.contexts.of[s]
		}
		target := r.row(to)
		for c, t := range r.row(s) {
			if t != Dead {
				t = number[t]
			}
			target[c] = t
		}
	}
	r.table, r.accepting = r.table[:int(kept)*r.classes], r.accepting[:kept]
}

func (r *rawDFA) row(s int32) []int32 {
	return r.table[int(s)*r.classes : (int(s)+1)*r.classes]
}

// coreachable marks the states that reach acceptance.
func (r *rawDFA) coreachable() []bool {
	n := len(r.accepting)
	incoming := newLists(n, func(add func(key, value int32)) {
		for s := range int32(n) {
			last := Dead
			for _, t := range r.row(s) {
				if t != Dead && t != last {
					add(t, s)
					last = t
				}
			}
		}
	})
	live := slices.Clone(r.accepting)
	var stack []int32
	for s, a := range r.accepting {
		if a {
			stack = append(stack, int32(s))
		}
	}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, t := range incoming.of(s) {
			if !live[t] {
				live[t] = true
				stack = append(stack, t)
			}
		}
	}
	return live
}

// A lists holds a list of numbers for each of some keys, in two arrays.
type lists struct{ first, values []int32 }

// newLists collects what each adds; it calls each twice, with equal results.
func newLists(keys int, each func(add func(key, value int32))) lists {
	l := lists{first: make([]int32, keys+1)}
	each(func(key, _ int32) { l.first[key+1]++ })
	for k := range keys {
		l.first[k+1] += l.first[k]
	}
	l.values = make([]int32, l.first[keys])
	next := slices.Clone(l.first)
	each(func(key, value int32) {
		l.values[next[key]] = value
		next[key]++
	})
	return l
}

func (l *lists) of(key int32) []int32 { return l.values[l.first[key]:l.first[key+1]] }

// minimize returns the block of equivalent states of each state, and the
// number of blocks. The automaton is trim and has so many transitions.
func (r *rawDFA) minimize(ctx context.Context, live int) (block []int32, n int, err error) {
	colour := make([]int32, len(r.accepting))
	for s := range colour {
		colour[s] = r.colour(int32(s))
	}
	return refine(ctx, r.table, r.classes, colour, live)
}

// Equivalent partitions the states of a deterministic automaton into blocks: two states are in one
// block if they have the same colour and lead by every class to states of one block, or both to
// none. The table has a row of classes entries for each state, Dead where there is no transition.
// It returns the block of each state and the number of blocks. For m transitions it takes time O(m
// log m) and 40 bytes for each. The only error is that of a context that ends on the way.
func Equivalent(ctx context.Context, table []int32, classes int, colour []int32) (block []int32, n int, err error) {
	live := 0
	for _, t := range table {
		if t != Dead {
			live++
		}
	}
	return refine(ctx, table, classes, colour, live)
}

// refine is Hopcroft's idea in the form of Valmari and Lehtinen: blocks of states and bundles of
// transitions (cords) refine each other, each time by the smaller half, over the transitions that
// exist. The context may be nil.
func refine(ctx context.Context, table []int32, classes int, colour []int32, live int) (block []int32, n int, err error) {
	tails := make([]int32, 0, live)
	byClass := newPartition(live)
	heads := make([]int32, 0, live)
	order := newLists(classes, func(add func(key, value int32)) {
		tails, heads = tails[:0], heads[:0]
		for s := range int32(len(colour)) {
			for c, t := range table[int(s)*classes : (int(s)+1)*classes] {
				if t != Dead {
					add(int32(c), int32(len(tails)))
					tails, heads = append(tails, s), append(heads, t)
				}
			}
		}
	})
	byClass.start(&order)
	incoming := newLists(len(colour), func(add func(key, value int32)) {
		for t, head := range heads {
			add(head, int32(t))
		}
	})
	blocks := byColour(colour)
	for cord, done := int32(0), int32(1); int(cord) < byClass.num(); cord++ {
		if ctx != nil && cord%checkEvery == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		for _, t := range byClass.members(cord) {
			blocks.mark(tails[t])
		}
		blocks.split()
		for ; int(done) < blocks.num(); done++ {
			if ctx != nil && done%checkEvery == 0 && ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			for _, s := range blocks.members(done) {
				for _, t := range incoming.of(s) {
					byClass.mark(t)
				}
			}
			byClass.split()
		}
	}
	return blocks.set, blocks.num(), nil
}

// byColour is the partition of states by their colours.
func byColour(colour []int32) *partition {
	states := newLists(int(slices.Max(colour))+1, func(add func(key, value int32)) {
		for s, c := range colour {
			add(c, int32(s))
		}
	})
	p := newPartition(len(colour))
	p.start(&states)
	return p
}

// A partition of the numbers 0..n-1 that can be refined: members are marked,
// then every set with marked and unmarked members is split. Marking moves a
// member to the front part of its set.
type partition struct {
	elements []int32 // grouped by set
	place    []int32 // of each element in elements
	set      []int32 // of each element
	first    []int32 // per set
	end      []int32 // per set
	marked   []int32 // per set: how many
	touched  []int32 // sets with marks
}

func newPartition(n int) *partition {
	return &partition{elements: make([]int32, n), place: make([]int32, n), set: make([]int32, n)}
}

// start makes a set of each list that is not empty.
func (p *partition) start(l *lists) {
	copy(p.elements, l.values)
	for i, e := range p.elements {
		p.place[e] = int32(i)
	}
	for k := range len(l.first) - 1 {
		if l.first[k] < l.first[k+1] {
			p.add(l.first[k], l.first[k+1])
		}
	}
}

// add appends a set.
func (p *partition) add(first, end int32) {
	id := int32(len(p.first))
	for _, e := range p.elements[first:end] {
		p.set[e] = id
	}
	p.first, p.end, p.marked = append(p.first, first), append(p.end, end), append(p.marked, 0)
}

func (p *partition) num() int { return len(p.first) }

func (p *partition) members(id int32) []int32 { return p.elements[p.first[id]:p.end[id]] }

// mark marks e, once.
func (p *partition) mark(e int32) {
	id := p.set[e]
	to := p.first[id] + p.marked[id]
	from := p.place[e]
	if from < to {
		return
	}
	other := p.elements[to]
	p.elements[from], p.elements[to] = other, e
	p.place[other], p.place[e] = from, to
	if p.marked[id] == 0 {
		p.touched = append(p.touched, id)
	}
	p.marked[id]++
}

// split splits the sets with marks and forgets the marks. The smaller part
// gets the new number.
func (p *partition) split() {
	for _, id := range p.touched {
		first, middle, end := p.first[id], p.first[id]+p.marked[id], p.end[id]
		p.marked[id] = 0
		switch {
		case middle == end:
		case middle-first <= end-middle:
			p.first[id] = middle
			p.add(first, middle)
		default:
			p.end[id] = middle
			p.add(middle, end)
		}
	}
	p.touched = p.touched[:0]
}

// quotient builds the canonical DFA of the blocks.
func (r *rawDFA) quotient(block []int32, n int) *DFA {
	member := make([]int32, n) // a state of each block
	for s, b := range block {
		member[b] = int32(s)
	}
	merged, first := r.mergeClasses(block, member)
	q := &rawDFA{classes: len(first), accepting: make([]bool, n), table: make([]int32, 0, n*len(first))}
	for b := range 256 {
		q.classOf[b] = merged[r.classOf[b]]
	}
	if r.contexts != nil {
		q.contexts = &contexts{of: make([]int32, n), table: r.contexts.joined(r.classes, first), atEnd: r.contexts.atEnd}
	}
	// The block of the start comes first: it changes places with block 0.
	start := block[0]
	place := func(b int32) int32 {
		switch b {
		case start:
			return 0
		case 0:
			return start
		}
		return b
	}
	for i := range int32(n) {
		s := member[place(i)]
		q.accepting[i] = r.accepting[s]
		if r.contexts != nil {
			q.contexts.of[i] = r.contexts.of[s]
		}
		row := r.row(s)
		for _, c := range first {
			t := row[c]
			if t != Dead {
				t = place(block[t])
			}
			q.table = append(q.table, t)
		}
	}
	return q.numbered()
}

// numbered is the canonical DFA of an automaton that is minimal, trimmed, and has no two classes
// that are alike, numbered by their first bytes: its states numbered breadth first.
func (r *rawDFA) numbered() *DFA {
	n := len(r.accepting)
	d := &DFA{classOf: r.classOf, classes: r.classes, accepting: make([]bool, 0, n), table: make([]int32, 0, len(r.table))}
	number := slices.Repeat([]int32{Dead}, n)
	order := make([]int32, 1, n) // states by number
	number[0] = 0
	for i := 0; i < len(order); i++ {
		d.accepting = append(d.accepting, r.accepting[order[i]])
		for _, t := range r.row(order[i]) {
			if t != Dead {
				if number[t] == Dead {
					number[t] = int32(len(order))
					order = append(order, t)
				}
				t = number[t]
			}
			d.table = append(d.table, t)
		}
	}
	d.contexts = r.contexts.numbered(order, r.classes)
	return d
}

// mergeClasses joins the classes on which all blocks behave alike. It returns
// the new class of each old one, numbered by their first bytes, and an old
// class for each new one.
func (r *rawDFA) mergeClasses(block, member []int32) (merged []uint8, first []uint8) {
	for seed := uint64(0); ; seed++ {
		hashes := r.hashClasses(block, member, seed)
		merged, first = make([]uint8, r.classes), nil
		like := make([]uint8, r.classes) // by class: the first class of equal hash
		seen := make([]bool, r.classes)
		for _, c := range r.classOf {
			if seen[c] {
				continue
			}
			seen[c] = true
			i := slices.IndexFunc(first, func(f uint8) bool { return hashes[f] == hashes[c] })
			if i < 0 {
				i = len(first)
				first = append(first, c)
			}
			merged[c], like[c] = uint8(i), first[i]
		}
		if r.alike(block, member, like) {
			return merged, first
		}
	}
}

// hashClasses hashes, for each class, the blocks that it leads to. Different seeds make for
// different collisions.
func (r *rawDFA) hashClasses(block, member []int32, seed uint64) []uint64 {
	hashes := slices.Repeat([]uint64{seed}, r.classes)
	for _, s := range member {
		for c, t := range r.row(s) {
			if t != Dead {
				t = block[t]
			}
			hashes[c] = mixClass(hashes[c], t)
		}
	}
	if r.contexts != nil {
		for i, t := range r.contexts.table {
			hashes[i%r.classes] = mixClass(hashes[i%r.classes], t)
		}
	}
	return hashes
}

func mixClass(hash uint64, t int32) uint64 {
	h := (hash ^ uint64(uint32(t))) * 0x9FB21C651E98DF25
	return h ^ h>>32
}

// alike reports whether each class leads where the one does that it is to be like.
func (r *rawDFA) alike(block, member []int32, like []uint8) bool {
	for _, s := range member {
		row := r.row(s)
		for c, t := range row {
			if u := row[like[c]]; t != u && (t == Dead || u == Dead || block[t] != block[u]) {
				return false
			}
		}
	}
	return r.contexts == nil || r.contexts.alike(r.classes, like)
}
