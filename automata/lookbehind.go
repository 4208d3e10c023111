package automata

import "slices"

// Lookbehinds.
//
// A lookbehind is the mirror image of a lookahead and simpler, since the past is
// known: one automaton of Σ*·X runs along, the same for all threads, and a
// thread passes if it accepts. It starts in the set of all its states, because what stands in
// front of the match is unknown. If the set is not yet of one mind where a
// thread asks, the thread carries that on as an obligation that is never met.

// A behindSet is a set of states a lookbehind may be in, and its verdict.
type behindSet struct {
	states  []int32
	verdict verdict
}

// startHistory makes set 0 that of all states.
func (l *look) startHistory() {
	l.index = map[string]int32{}
	all := make([]int32, l.dfa.NumStates())
	for s := range all {
		all[s] = int32(s)
	}
	l.intern(all)
}

// intern numbers a sorted set of states.
func (l *look) intern(states []int32) int32 {
	key := packInt32(nil, states...)
	if id, ok := l.index[string(key)]; ok {
		return id
	}
	id := int32(len(l.history))
	l.index[string(key)] = id
	set := behindSet{states: states, verdict: fails}
	accepting := 0
	for _, s := range states {
		if l.dfa.Accepting(s) {
			accepting++
		}
	}
	if accepting > 0 {
		set.verdict = undecided
		if accepting == len(states) {
			set.verdict = holds
		}
	}
	l.history = append(l.history, set)
	return id
}

// stepBehind returns the set that follows a set on byte c.
func (l *look) stepBehind(id int32, c byte) int32 {
	var to []int32
	for _, s := range l.history[id].states {
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
	key := packInt32(nil, sets...)
	id, ok := d.pastIndex[string(key)]
	if !ok {
		id = int32(len(d.pasts))
		d.pasts = append(d.pasts, sets)
		d.pastIndex[string(key)] = id
	}
	return id
}

// stepPast returns the history after a byte of class c.
func (d *determinizer) stepPast(past int32, c int) (int32, error) {
	if len(d.pasts[past]) == 0 {
		return past, nil
	}
	memo := [2]int32{past, int32(c)}
	if to, ok := d.pastSteps[memo]; ok {
		return to, nil
	}
	sets := make([]int32, 0, len(d.pasts[past]))
	for _, l := range d.nfa.looks {
		if !l.behind {
			continue
		}
		from := d.pasts[past][len(sets)]
		size := len(l.history[from].states)
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
