package greatgramma

import "gcdbench/internal/bitset"

// A row is a shape with one LR state on top: the leaves that are always accepted, and the
// leaves that depend on the stack, with all nodes above them. Both are numbers of sets of
// entries in the shape.
type row struct{ always, context int32 }

// unmade marks a row or mask that was not made. (A row without bits has indexes like others.)
const unmade = -1

// makeRow makes the row of a shape for an LR state, and the mask of a root for it.
func (e *engine) makeRow(r *root, top int, start config) {
	e.pairs += int(e.weights[top])
	at := &r.shape.rows[top]
	if at.always == unmade {
		*at = e.classify(r.shape, 0, len(r.shape.entries), start)
		e.countRow(r.shape)
		e.rows++
	}
	e.makeMask(r, at.always, 0)
	e.countContext(r, at.context, e.weights[top])
}

// countContext notes that a pair has some context-dependent leaves, and how many tokens they are.
func (e *engine) countContext(r *root, context, pairs int32) {
	for len(r.context) <= int(context) {
		r.context = append(r.context, contextUse{size: unmade})
	}
	c := &r.context[context]
	c.pairs += pairs
	if c.size != unmade {
		return
	}
	c.size = 0
	b := r.shape.context.At(context)
	for i := range bitset.All[int](b) {
		if x := r.shape.entries[i]; x.isReach() {
			c.size += int32(e.groups.list[r.groups[x.link]].size)
		}
	}
}

// A contextUse is how many tokens some leaves of a root have, and for how many LR states they
// depend on the stack.
type contextUse struct{ size, pairs int32 }

// makeLine makes the row of the sequences after a newline lexeme, emitted at an entry of the
// root's shape.
func (e *engine) makeLine(r *root, entry int32, top int, start config) {
	at := &r.shape.lines[entry][top]
	if at.always == unmade {
		*at = e.classify(r.shape, int(entry)+1, int(entry+r.shape.entries[entry].link), start)
		e.lineRows++
	}
	e.makeMask(r, at.always, e.set.minMask)
}

// classify runs the sequences of the entries from up to end of a shape, siblings, from a
// configuration.
func (e *engine) classify(s *shape, from, end int, start config) row {
	n := (len(s.entries) + 63) / 64
	for len(e.always) < n {
		e.always, e.context = append(e.always, 0), append(e.context, 0)
	}
	all, some := e.always[:n], e.context[:n]
	clear(all)
	clear(some)
	if from < end {
		e.classifyInto(all, some, s, from, end, start)
	}
	a, _ := s.always.ID(all)
	c, _ := s.context.ID(some)
	return row{a, c}
}

// classifyInto adds the leaves that are always accepted to all. It adds the leaves that may be
// accepted, with the nodes above them, to some. From a set of LR states nothing is always
// accepted, and all is nil.
func (e *engine) classifyInto(all, some []uint64, s *shape, from, end int, start config) {
	var path [257]int32
	m, c := e.symbolic, &e.configs
	marked := int(s.depths[from]) // path[:marked] are in some, from the depth of from on
	c[marked] = start
	for i := from; i < end; {
		x, d := s.entries[i], int(s.depths[i])
		marked = min(marked, d)
		if !x.isReach() {
			to := m.step(c[d], e.class[x.what])
			path[d] = int32(i)
			switch {
			case to == dead:
				i += int(x.link)
				continue
			case to < 0 && int(x.link) >= e.set.minFragment && all != nil:
				if e.fragment(s, i, to).addTo(some) {
					marked = mark(some, &path, marked, d)
				}
				i += int(x.link)
				continue
			}
			c[d+1] = to
			i++
			continue
		}
		v := m.judge(c[d], x.reach())
		if v == always && e.set.always {
			bitset.Add(all, i)
		} else if v != never {
			bitset.Add(some, i)
			marked = mark(some, &path, marked, d)
		}
		i++
	}
}

// A fragment is what a subtree of a shape is from a set of LR states: the context-dependent leaves
// and the nodes above them, as words of a bitmap from word lo on. The set does not depend on the LR
// state being worked on, so the fragment is made once for all of them.
type fragment struct {
	words []uint64
	lo    int
	some  bool
}

type fragmentKey struct {
	shape *shape
	entry int32
	from  config
}

// addTo adds the fragment to a bitmap of the shape; false if there is nothing in it.
func (f *fragment) addTo(b []uint64) bool {
	if f.some {
		out := b[f.lo : f.lo+len(f.words)]
		for i, w := range f.words {
			out[i] |= w
		}
	}
	return f.some
}

// fragment is the subtree at entry at of a shape, whose symbol led to the configuration from, a
// set.
func (e *engine) fragment(s *shape, at int, from config) *fragment {
	key := fragmentKey{s, int32(at), from}
	if f, ok := e.fragments[key]; ok {
		return f
	}
	end := at + int(s.entries[at].link)
	n := (end + 63) / 64
	for len(e.piece) < n {
		e.piece = append(e.piece, 0)
	}
	f := &fragment{lo: at >> 6}
	some := e.piece[:n]
	clear(some[f.lo:])
	e.classifyInto(nil, some, s, at+1, end, from)
	if f.some = bitset.Next(some, at) >= 0; f.some {
		bitset.Add(some, at)
		f.words = append(f.words, some[f.lo:]...)
	}
	e.fragments[key] = f
	e.rootBytes += fragmentBytes + 8*int64(len(f.words))
	return f
}
