package psc

import "gcdbench/algorithms"

// Stats implements algorithms.Engine.
func (e *engine) Stats() algorithms.Stats {
	c := e.core.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.auto
	sp := a.spans.Stats()
	count := func(name string, n int) algorithms.Counter {
		return algorithms.Counter{Name: name, Value: float64(n)}
	}
	st := algorithms.Stats{Bytes: c.bytes()}
	done := 0
	for _, s := range a.states {
		if s.done() {
			done++
		}
	}
	st.Counters = append(st.Counters,
		count("groups", a.spans.NumLeaves()), count("branches", a.spans.NumNodes()), count("sequences", sp.Sequences),
		count("states", len(a.states)), count("final states", done), count("transitions", a.transitions), count("pending items", a.itemCount),
		count("outputs", len(a.outs)), count("goals", len(a.sym.goals)), count("cells", len(a.sym.cells)), count("parser runs", int(a.sym.runs)),
		count("cached paths", len(c.paths)), count("distinct masks", c.numMask), count("flushes", int(e.flushes.Load())), count("forked stacks", int(e.forked.Load())),
	)
	return st
}
