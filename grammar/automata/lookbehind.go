package automata

import "slices"

// Lookbehinds.
//
// A lookbehind is the mirror image of a lookahead and simpler, since the past is
// known: one automaton of Σ*·X runs along, the same for all threads, and a
// thread passes if it accepts. It starts in the set of all its states, because what stands in
// front of the match is unknown. If the set is not yet of one mind where a
// thread asks, the thread carries that on as an obligation that is never met.

// startHistory makes set 0 that of all states.
func (l *look) startHistory() {
	all := make([]int32, l.dfa.NumStates())
	for s := range all {
		all[s] = int32(s)
	}
	l.intern(all)
}

// from is the set that a match begins in: all states, unless it is known what stands in front.
func (l *look) from(mode compileMode) int32 {
	if !mode.behind {
		return 0
	}
	s := l.dfa.Start()
	for i := range len(mode.past) {
		s = l.dfa.Next(s, mode.past[i])
	}
	return l.intern([]int32{s})
}

// intern numbers a sorted set of states.
func (l *look) intern(states []int32) int32 {
	id, isNew := l.history.Take(states)
	if !isNew {
		return id
	}
	accepting := 0
	for _, s := range states {
		if l.dfa.Accepting(s) {
			accepting++
		}
	}
	v := undecided
	switch accepting {
	case 0:
		v = fails
	case len(states):
		v = holds
	}
	l.verdicts = append(l.verdicts, v)
	return id
}

// stepBehind returns the set that follows a set on byte c.
func (l *look) stepBehind(id int32, c byte) int32 {
	var to []int32
	for _, s := range l.history.At(id) {
		if t := l.dfa.Next(s, c); t != Dead {
			to = append(to, t)
		}
	}
	slices.Sort(to)
	return l.intern(slices.Compact(to))
}

// behindIndex returns the place of a lookbehind among the lookbehinds.
func (d *determinizer) behindIndex(id int32) int {
	n := 0
	for _, l := range d.nfa.looks[:id] {
		if l.behind {
			n++
		}
	}
	return n
}

// internPast numbers the states of all lookbehinds.
func (d *determinizer) internPast(sets []int32) int32 {
	id, _ := d.pasts.Take(sets)
	return id
}

// stepPast returns the history after a byte of class c.
func (d *determinizer) stepPast(past int32, c int) (int32, error) {
	if len(d.pasts.At(past)) == 0 {
		return past, nil
	}
	memo := [2]int32{past, int32(c)}
	if to, ok := d.pastSteps[memo]; ok {
		return to, nil
	}
	sets := make([]int32, 0, len(d.pasts.At(past)))
	for _, l := range d.nfa.looks {
		if !l.behind {
			continue
		}
		from := d.pasts.At(past)[len(sets)]
		size := len(l.history.At(from))
		if err := d.budget.step(size); err != nil {
			return 0, err
		}
		d.budget.note(8 * size)
		sets = append(sets, l.stepBehind(from, d.classes.first[c]))
	}
	to := d.internPast(sets)
	d.pastSteps[memo] = to
	return to, nil
}
