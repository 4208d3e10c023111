package automata

import (
	"slices"

	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// A determinizer runs the subset construction: a state of the result is a set of
// threads of the nfa (and the state of its lookbehinds). A thread is a number:
// that of its position, or, with obligations, one given out by thread.
type determinizer struct {
	nfa     *nfa
	classes byteClasses
	budget  *budget
	mode    compileMode

	obligations *obligations
	pairs       intern.Keys[threadPair] // threads with obligations, numbered from len(nfa.states)

	pasts     intern.Lists[int32] // per history: the set of each lookbehind
	pastSteps map[[2]int32]int32  // (history, class) -> history

	ends intern.Lists[int32] // sets of obligations, of which one has to be met after a match

	arena    []int32 // the threads of all sets
	sets     []threadSet
	index    index.Index // of sets
	table    []int32     // by set and class
	parents  []parent
	singles  []int32 // per position: the set of its closure, or unknown; if there are no lookarounds
	marks    []uint32
	mark     uint32
	pairMark map[int32]uint32
	stack    []int32
	closed   []int32
	rowPasts []int32 // by class, while a row is made
	rivals   rivals
}

// A threadPair is a position and a set of obligations.
type threadPair struct{ position, duties int32 }

// A threadSet is arena[first:first+count] with a history.
type threadSet struct {
	first, count int32
	past         int32
	end          int32 // what it asks of the text after a match: see addEnd; Dead if it does not accept
}

// A parent says how a set was reached first.
type parent struct {
	set  int32
	byte byte
}

// unknown marks a set that was not computed yet.
const unknown = int32(-2)

const (
	// setBytes estimates the memory of a set beside its threads and its row.
	setBytes = 80
	// pairBytes estimates that of a thread with obligations, with its place in maps.
	pairBytes = 64
)

// compileMode says what kind of automaton is asked for.
type compileMode struct {
	// insideLook: the end of the input decides what lookaheads leave open.
	insideLook bool
	// ordered: threads have an order of preference.
	ordered bool
	// cut: accepting states have no way out.
	cut bool
	// patient: a match that depends on what follows is none yet.
	patient bool
	// behind: the match begins behind a text like past.
	behind bool
	past   string
}

// compile turns an expression into a DFA.
func compile(e *Expr, b *budget, mode compileMode) (*DFA, error) {
	held := b.bytes
	defer func() { b.bytes = held }()
	n, err := newNFA(e, b, mode.ordered)
	if err != nil {
		return nil, err
	}
	d := newDeterminizer(n, b, mode)
	if err := d.run(); err != nil {
		return nil, err
	}
	return d.result()
}

// result is the automaton of the sets.
func (d *determinizer) result() (*DFA, error) {
	x, err := d.contexts()
	if err != nil {
		return nil, err
	}
	raw := rawDFA{classOf: d.classes.of, classes: d.classes.num(), table: d.table, accepting: make([]bool, len(d.sets)), contexts: x}
	for i, s := range d.sets {
		raw.accepting[i] = s.end != Dead
	}
	return raw.finish(d.budget)
}

func newDeterminizer(n *nfa, b *budget, mode compileMode) *determinizer {
	d := &determinizer{
		nfa: n, classes: n.classes(), budget: b, mode: mode,
		obligations: newObligations(n, b), pastSteps: map[[2]int32]int32{},
		marks: make([]uint32, len(n.states)), pairMark: map[int32]uint32{},
	}
	d.rowPasts = make([]int32, d.classes.num())
	d.ends.Take([]int32{0})
	if len(n.looks) == 0 {
		d.singles = slices.Repeat([]int32{unknown}, len(n.states))
	}
	return d
}

// run builds all sets that can be reached.
func (d *determinizer) run() error {
	var past []int32
	for _, l := range d.nfa.looks {
		if l.behind {
			past = append(past, l.from(d.mode))
		}
	}
	if _, err := d.close([]int32{d.nfa.start}, d.internPast(past), parent{set: Dead}); err != nil {
		return err
	}
	lists := make([][]int32, d.classes.num()) // per class: the threads after it
	for id := int32(0); int(id) < len(d.sets); id++ {
		var err error
		if d.table, err = d.expand(id, lists, d.table); err != nil {
			return err
		}
	}
	return nil
}

// expand appends the row of a set.
func (d *determinizer) expand(id int32, lists [][]int32, table []int32) ([]int32, error) {
	for range lists {
		table = append(table, Dead)
	}
	row := table[len(table)-len(lists):]
	if err := d.budget.hold(4 * len(lists)); err != nil {
		return table, err
	}
	if d.mode.cut && d.sets[id].end == met {
		return table, nil
	}
	if err := d.follow(id, lists); err != nil {
		return table, err
	}
	for c, list := range lists {
		if len(list) == 0 {
			continue
		}
		past, err := d.stepPast(d.sets[id].past, c)
		if err != nil {
			return table, err
		}
		if same := d.closedBefore(lists, c, past); same >= 0 {
			row[c] = row[same]
			continue
		}
		if row[c], err = d.close(list, past, parent{id, d.classes.first[c]}); err != nil {
			return table, err
		}
	}
	return table, nil
}

// closedBefore is the first class of a row with the threads and the history of class c, -1 if there
// is none.
func (d *determinizer) closedBefore(lists [][]int32, c int, past int32) int {
	d.rowPasts[c] = past
	for o, list := range lists[:c] {
		if d.rowPasts[o] == past && slices.Equal(list, lists[c]) {
			return o
		}
	}
	return -1
}

// follow lists the threads that come after those of a set, by class.
func (d *determinizer) follow(id int32, lists [][]int32) error {
	for c := range lists {
		lists[c] = lists[c][:0]
	}
	set := d.sets[id]
	for _, t := range d.arena[set.first : set.first+set.count] {
		p := d.pair(t)
		s := d.nfa.states[p.position]
		if s.kind != nfaRead {
			continue
		}
		for _, e := range d.nfa.edges[s.first : s.first+s.count] {
			lo, hi := int(d.classes.of[e.lo]), int(d.classes.of[e.hi])
			if err := d.budget.step(hi - lo + 1); err != nil {
				return err
			}
			for c := lo; c <= hi; c++ {
				if duties := d.obligations.step(p.duties, d.classes.first[c]); duties != broken {
					lists[c] = append(lists[c], d.thread(e.to, duties))
				}
			}
		}
	}
	return nil
}

// thread returns the number of a position with obligations.
func (d *determinizer) thread(position, duties int32) int32 {
	if duties == 0 {
		return position
	}
	id, isNew := d.pairs.ID(threadPair{position, duties})
	if isNew {
		d.budget.note(pairBytes)
	}
	return int32(len(d.nfa.states)) + id
}

// pair is the inverse of thread.
func (d *determinizer) pair(t int32) threadPair {
	if n := int32(len(d.nfa.states)); t >= n {
		return d.pairs.At(t - n)
	}
	return threadPair{position: t}
}

// close returns the set of all threads that the given ones lead to without
// reading.
func (d *determinizer) close(threads []int32, past int32, from parent) (int32, error) {
	single := d.singles != nil && len(threads) == 1
	if single && d.singles[threads[0]] != unknown {
		return d.singles[threads[0]], nil
	}
	if err := d.reduced(threads, past, from); err != nil {
		return 0, err
	}
	id, err := d.intern(past, from)
	if err == nil && single {
		d.singles[threads[0]] = id
	}
	return id, err
}

// reduced is closure without the threads that add nothing to others.
func (d *determinizer) reduced(threads []int32, past int32, from parent) error {
	if d.mode.ordered {
		if err := d.closureInOrder(threads, past, from); err != nil {
			return err
		}
		return d.cutByPreference()
	}
	if err := d.closure(threads, past, from); err != nil {
		return err
	}
	d.sort()
	if d.pairs.Len() > 0 {
		if err := d.subsume(); err != nil {
			return err
		}
	}
	if d.nfa.copies.base != nil && len(d.closed) > 1 {
		d.dropCopies()
	}
	return nil
}

// closure leaves the threads in d.closed: those that read or accept.
func (d *determinizer) closure(threads []int32, past int32, from parent) error {
	d.mark++
	d.closed = d.closed[:0]
	d.stack = d.stack[:0]
	for _, t := range threads {
		d.push(t)
	}
	for len(d.stack) > 0 {
		if err := d.budget.step(1); err != nil {
			return err
		}
		t := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		p := d.pair(t)
		s := d.nfa.states[p.position]
		if s.kind == nfaRead || s.kind == nfaAccept {
			d.closed = append(d.closed, t)
			continue
		}
		duties, err := d.duties(s, p.duties, past, from)
		if err != nil {
			return err
		}
		if duties == broken {
			continue
		}
		for _, to := range d.nfa.jumps[s.first : s.first+s.count] {
			d.push(d.thread(to, duties))
		}
	}
	return nil
}

// duties are the obligations of a thread behind a position.
func (d *determinizer) duties(s nfaState, duties, past int32, from parent) (int32, error) {
	if s.kind != nfaLook {
		return duties, nil
	}
	return d.ask(s.look, duties, past, from)
}

// sort sorts d.closed. A set that has most of all positions is listed anew in
// their order, which costs less.
func (d *determinizer) sort() {
	const log = 8 // the factor of sorting
	if d.pairs.Len() > 0 || len(d.closed)*log < len(d.marks) {
		slices.Sort(d.closed)
		return
	}
	d.closed = d.closed[:0]
	for s, mark := range d.marks {
		if kind := d.nfa.states[s].kind; mark == d.mark && (kind == nfaRead || kind == nfaAccept) {
			d.closed = append(d.closed, int32(s))
		}
	}
}

// push puts a thread on the stack that was not there since the last mark.
func (d *determinizer) push(t int32) {
	if d.visit(t) {
		d.stack = append(d.stack, t)
	}
}

// visit marks a thread, and reports whether it was not marked yet.
func (d *determinizer) visit(t int32) bool {
	if int(t) < len(d.marks) {
		if d.marks[t] == d.mark {
			return false
		}
		d.marks[t] = d.mark
		return true
	}
	if d.pairMark[t] == d.mark {
		return false
	}
	d.pairMark[t] = d.mark
	return true
}

// ask returns the obligations of a thread after an assertion.
func (d *determinizer) ask(id, duties, past int32, from parent) (int32, error) {
	l := d.nfa.looks[id]
	if !l.behind {
		return d.obligations.begin(duties, id), nil
	}
	v := l.verdicts[d.pasts.At(past)[d.behindIndex(id)]]
	switch {
	case v == undecided && d.mode.insideLook:
		return broken, l.blindError(d.example(from))
	case v == undecided:
		return d.obligations.carry(duties, id), nil
	case l.passes(v):
		return duties, nil
	}
	return broken, nil
}

// subsume drops from d.closed each thread that is at the same position as
// another one with fewer obligations: what it can match, the other can.
func (d *determinizer) subsume() error {
	d.mark++
	if !slices.ContainsFunc(d.closed, func(t int32) bool { return !d.visit(d.pair(t).position) }) {
		return nil // each is at a position of its own
	}
	at := map[int32][]int32{} // position -> obligations
	for _, t := range d.closed {
		p := d.pair(t)
		at[p.position] = append(at[p.position], p.duties)
	}
	kept := d.closed[:0]
	for _, t := range d.closed {
		p := d.pair(t)
		rivals := at[p.position]
		if err := d.budget.step(len(rivals)); err != nil {
			return err
		}
		if !slices.ContainsFunc(rivals, func(r int32) bool { return r != p.duties && d.obligations.includes(p.duties, r) }) {
			kept = append(kept, t)
		}
	}
	d.closed = kept
	return nil
}

// intern numbers the set d.closed.
func (d *determinizer) intern(past int32, from parent) (int32, error) {
	if len(d.closed) == 0 && from.set != Dead {
		return Dead, nil
	}
	h := index.Mix(index.Hash(d.closed) ^ uint64(past))
	id := d.index.Find(h, func(i int32) bool {
		s := d.sets[i]
		return s.past == past && slices.Equal(d.arena[s.first:s.first+s.count], d.closed)
	})
	if id >= 0 {
		return id, nil
	}
	if err := d.budget.states(len(d.sets) + 1); err != nil {
		return 0, err
	}
	if err := d.budget.hold(setBytes + 4*len(d.closed)); err != nil {
		return 0, err
	}
	set := threadSet{first: int32(len(d.arena)), count: int32(len(d.closed)), past: past}
	var err error
	if set.end, err = d.end(from); err != nil {
		return 0, err
	}
	d.arena = append(d.arena, d.closed...)
	d.sets = append(d.sets, set)
	d.parents = append(d.parents, from)
	return d.index.Add(h), nil
}

// end is what d.closed asks of the text after a match, Dead if it does not accept. It is an error
// if that depends on the text in front.
func (d *determinizer) end(from parent) (int32, error) {
	var open []int32 // obligations of the threads at the end
	for _, t := range d.closed {
		p := d.pair(t)
		switch {
		case d.nfa.states[p.position].kind != nfaAccept:
		case p.duties == 0, d.mode.insideLook && d.obligations.metAtEnd(p.duties):
			return met, nil
		default:
			open = append(open, p.duties)
		}
	}
	if len(open) == 0 || d.mode.insideLook || d.mode.patient {
		return Dead, nil
	}
	for _, duties := range open {
		if l := d.obligations.blind(duties); l != nil {
			return Dead, l.blindError(d.example(from))
		}
	}
	return d.addEnd(open), nil
}

// exampleOf returns the bytes that lead to a set that is numbered.
func (d *determinizer) exampleOf(id int32) string { return d.example(d.parents[id]) }

// example returns the bytes that lead to a set.
func (d *determinizer) example(from parent) string {
	var bytes []byte
	for from.set != Dead {
		bytes = append(bytes, from.byte)
		from = d.parents[from.set]
	}
	slices.Reverse(bytes)
	return string(bytes)
}
