package psc

import "gcdbench/algorithms"

// Stats implements algorithms.Engine. Depths are over the masks computed so far: how many symbols
// of the stack were looked at, those passed over unread included.
func (e *engine) Stats() algorithms.Stats {
	c := e.core.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.auto
	final := 0
	for _, s := range a.states {
		if s.done() {
			final++
		}
	}
	st := algorithms.Stats{Bytes: c.bytes()}
	add := func(name string, n int64) {
		st.Counters = append(st.Counters, algorithms.Counter{Name: name, Value: float64(n)})
	}
	spans := a.spans.Stats()
	add("memoised pairs", int64(spans.Pairs))
	add("walk steps", spans.Steps)
	add("terminal sequences", int64(spans.Sequences))
	add("branches", int64(a.spans.NumNodes()))
	add("token groups", int64(a.spans.NumLeaves()))
	add("starts", int64(a.starts))
	add("states", int64(len(a.states)))
	add("final states", int64(final))
	add("transitions", int64(a.transitions))
	add("pending items", int64(a.itemCount))
	add("goals", int64(len(a.sym.Goals)))
	add("cells", int64(len(a.sym.Cells)))
	add("parser runs", a.sym.Runs)
	add("lists of outputs", int64(len(c.saids)))
	_, masks := c.masks.size()
	add("distinct masks", int64(masks))
	if !e.lazy {
		add("lexer states built ahead", int64(c.visited))
		add("lexer states", int64(e.problem.Lexer.NumStates()))
		add("starts and transitions built later", c.things()-c.offline)
	}
	add("flushes", e.flushes.Load())
	e.addDepths(add)
	return st
}

// addDepths adds the distribution of depths.
func (e *engine) addDepths(add func(name string, n int64)) {
	counts, forked, built := counted(&e.counts)
	total, deepest := int64(0), 0
	for d, n := range counts {
		total += n
		if n > 0 {
			deepest = d
		}
	}
	add("masks", total)
	add("masks on forked stacks", forked)
	add(algorithms.BuiltMasks, built)
	for _, p := range []struct {
		name  string
		share float64
	}{{"depth p50", 0.5}, {"depth p90", 0.9}, {"depth p99", 0.99}, {"depth p99.9", 0.999}} {
		seen, d := int64(0), 0
		for ; d < deepest && float64(seen+counts[d]) < p.share*float64(total); d++ {
			seen += counts[d]
		}
		add(p.name, int64(d))
	}
	add("depth max", int64(deepest))
}
