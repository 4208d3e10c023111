package psc

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/grammar/lr"
	"gcdbench/internal/index"
)

// A forked stack has several ways down. Its mask is the union of the masks of the paths at their
// ends. The finished union is kept by the list of these paths: for a configuration of tops seen
// before, a mask is a walk and a lookup.

// maxVisits bounds the pairs of a path and a node that are looked at. Forks that matter are few
// and close to the top. Where ways multiply, unite goes by states instead, which are fewer than
// paths.
const maxVisits = 256

// A forkVisit is a path at a node of the stack; skip is as in visit.
type forkVisit struct {
	path *path
	node *lr.Node
	skip int32
}

// forks is the scratch of a walk.
type forks struct {
	visits []forkVisit // made or to be made
	ends   []*path
}

// A unionMask is the mask of a list of paths; words are nil of one that is not kept yet.
type unionMask struct {
	paths []*path
	words []uint64
}

// fork is gen.mask of a forked stack; not ok if there are too many ways.
func (g *gen) fork(c *core, r *row, b *algorithms.Buffer) (words []uint64, ok bool) {
	f := &g.forks
	f.visits, f.ends = f.visits[:0], f.ends[:0]
	stacks := g.State.Stacks
	for i := range stacks.NumTops() {
		n := stacks.TopNode(i)
		f.add(forkVisit{g.pathAt(c, r, n.State), n, -1})
	}
	for i := 0; i < len(f.visits); i++ {
		if i == maxVisits {
			return nil, false
		}
		g.forkStep(c, f.visits[i])
	}
	slices.SortFunc(f.ends, func(a, b *path) int { return int(a.id - b.id) })
	f.ends = slices.Compact(f.ends)
	g.sheet().forked.Add(1)
	if len(f.ends) == 1 {
		return g.finish(c, f.ends[0], 1, b), true
	}
	return g.union(c, f.ends, b), true
}

// forkStep goes on from a visit.
func (g *gen) forkStep(c *core, at forkVisit) {
	f := &g.forks
	switch {
	case at.skip == 0:
		f.add(forkVisit{g.pathAfter(c, at.path, at.node.State), at.node, -1})
		return
	case at.skip < 0:
		if at.path.skip < 0 {
			f.ends = append(f.ends, at.path)
			return
		}
		at.skip = at.path.skip + 1
	}
	n := at.node.NumUnder()
	if n == 0 {
		f.ends = append(f.ends, at.path)
	}
	for i := range n {
		f.add(forkVisit{at.path, at.node.Under(i), at.skip - 1})
	}
}

// add queues a visit that was not made.
func (f *forks) add(v forkVisit) {
	if !slices.Contains(f.visits, v) {
		f.visits = append(f.visits, v)
	}
}

// union is gen.mask of several paths, ascending.
func (g *gen) union(c *core, paths []*path, b *algorithms.Buffer) []uint64 {
	h := uint64(len(paths))
	for _, p := range paths {
		h = index.Mix(h ^ uint64(p.id))
	}
	again := false
	if found, ok := c.unions.Load(h); ok {
		if u := found.(*unionMask); slices.Equal(u.paths, paths) {
			if u.words != nil {
				return u.words
			}
			again = true
		}
	}
	words, dear := c.mask(b, 0, again, paths...)
	if words == nil && !dear {
		return nil
	}
	if !again {
		g.missed()
	}
	c.unions.Store(h, &unionMask{slices.Clone(paths), words})
	c.numUnions.Add(1)
	c.tidySoon()
	return words
}
