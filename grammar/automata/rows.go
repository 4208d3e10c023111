package automata

// An automaton that is known to be minimal, written down state by state in the order of its
// canonical form: no list of transitions is made, sorted or numbered afterwards.

// FromMinimalRows builds an automaton from its rows. States are known by ids below a number, 0 is
// the start. Row is called once for each state that can be reached, breadth first. It writes the
// ids of the states that follow into to, by class, and returns the classes on which there is one,
// ascending, and whether the state accepts; the rest of to is not read. Classes are numbered by
// their first bytes, and may be finer than they have to be.
//
// The automaton must be trimmed and minimal, as for FromMinimal, which is not checked. Errors are a
// *LimitError or the context's.
func FromMinimalRows(classOf [256]uint8, classes, ids int, row func(id int32, to []int32) (filled []uint8, accepting bool), lim Limits) (*DFA, error) {
	b := newBudget(lim)
	if err := b.states(ids); err != nil {
		return nil, err
	}
	if err := b.hold(ids * (setBytes + 4*classes)); err != nil {
		return nil, err
	}
	d := &DFA{accepting: make([]bool, 0, ids), table: make([]int32, 0, ids*classes)}
	number := make([]int32, ids) // 1 + the number of an id
	order := make([]int32, 1, ids)
	number[0] = 1
	to := make([]int32, classes)
	equal := newEqualClasses(classes)
	for i := 0; i < len(order); i++ {
		if err := b.step(1); err != nil {
			return nil, err
		}
		filled, accepting := row(order[i], to)
		at := len(d.table)
		d.table = d.table[:at+classes]
		target := d.table[at:]
		for c := range target {
			target[c] = Dead
		}
		for _, c := range filled {
			id := to[c]
			if number[id] == 0 {
				order = append(order, id)
				number[id] = int32(len(order))
			}
			target[c] = number[id] - 1
		}
		equal.refine(target)
		d.accepting = append(d.accepting, accepting)
	}
	d.merge(&classOf, classes, equal)
	return d, nil
}

// merge makes classes that are equal one, and numbers them by their first bytes.
func (d *DFA) merge(classOf *[256]uint8, classes int, equal *equalClasses) {
	first := make([]uint8, 0, classes) // by class: one of the old ones
	for b, c := range classOf {
		leader := equal.leader[c]
		n := -1
		for i, f := range first {
			if f == leader {
				n = i
				break
			}
		}
		if n < 0 {
			n = len(first)
			first = append(first, leader)
		}
		d.classOf[b] = uint8(n)
	}
	d.classes = len(first)
	if d.classes == classes {
		return
	}
	for s := range d.accepting {
		from, to := d.table[s*classes:(s+1)*classes], d.table[s*d.classes:(s+1)*d.classes]
		for i, c := range first {
			to[i] = from[c] // first ascends, so nothing is overwritten that is still to be read
		}
	}
	d.table = d.table[:len(d.accepting)*d.classes]
}

// equalClasses are the classes that no row so far tells apart. Of those that are alike in the end
// there are few, and only these cost anything per row.
type equalClasses struct {
	groups [][]uint8 // of two classes or more, each ascending
	leader []uint8   // by class: the first of its group
}

func newEqualClasses(n int) *equalClasses {
	e := &equalClasses{leader: make([]uint8, n)}
	all := make([]uint8, n)
	for c := range all {
		all[c] = uint8(c)
	}
	if n > 1 {
		e.groups = [][]uint8{all}
	}
	return e
}

// refine splits the groups of classes that a row tells apart.
func (e *equalClasses) refine(row []int32) {
	for i := 0; i < len(e.groups); i++ {
		group := e.groups[i]
		same := 1
		for same < len(group) && row[group[same]] == row[group[0]] {
			same++
		}
		if same == len(group) {
			continue
		}
		stay := append(make([]uint8, 0, len(group)), group[:same]...)
		var rest []uint8
		for _, c := range group[same:] {
			if row[c] == row[group[0]] {
				stay = append(stay, c)
			} else {
				rest = append(rest, c)
			}
		}
		for _, c := range rest {
			e.leader[c] = rest[0]
		}
		if len(rest) > 1 {
			e.groups = append(e.groups, rest) // is looked at in turn
		}
		if e.groups[i] = stay; len(stay) == 1 {
			last := len(e.groups) - 1
			e.groups[i] = e.groups[last]
			e.groups = e.groups[:last]
			i--
		}
	}
}
