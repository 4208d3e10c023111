package lark

import "fmt"

// Repeats. Which helper rules stand for x*, x+ and x~n, and which repeats share one, decides about
// the conflicts of the LALR tables, so the scheme is Lark's:
//
//	x?       x, or nothing
//	[x]      x, or as many holes as x has symbols that stay in the parse tree
//	x+       a helper h with the rules h: x and h: h x
//	x*       the same helper, or nothing
//	x~n..m   written out if m is below 50; else helpers that multiply and add (see counted)
//
// A helper is shared by all repeats of an equal tree, in any rule.

// writtenOut is the count from which ~ gets helpers.
const writtenOut = 50

// maxFactor bounds the factors and summands that large counts are split into.
const maxFactor = 5

// A helper is a rule that lowering adds.
type helper struct {
	name string
	tree treeID
	at   place
}

// A helperKey says what a helper stands for.
type helperKey struct {
	a, b              int // of counted repeats
	target, unit      treeID
	optional, counted bool
}

// A repeater replaces the repeats of one rule after the other.
type repeater struct {
	*forest
	terms   *terminals
	helpers []helper
	byKey   map[helperKey]treeID
	reserve int      // holes made
	prefix  string   // the rule's name
	keepAll bool     // the rule keeps all its terminals in the parse tree
	at      place    // of the repeat
	kids    []treeID // scratch
}

// rule lowers the body of rule d, whose nodes are given bottom up.
func (r *repeater) rule(d *definition, nodes []*node) error {
	r.prefix, r.keepAll = d.name, d.keepAll
	for _, n := range nodes {
		for _, kid := range n.kids {
			if kid.kind == nRef {
				r.leafNode(kid)
			}
		}
		r.at = n.at
		if err := r.node(n); err != nil {
			return err
		}
	}
	return nil
}

// leafNode lowers a reference.
func (r *repeater) leafNode(n *node) {
	if n.terminal {
		n.lowered = r.leaf(r.terminal(r.terms.meant(n)))
	} else {
		n.lowered = r.leaf(r.forest.rule(n.name))
	}
	n.size = 1
	if n.terminal && n.dropped && !r.keepAll || !n.terminal && n.name[0] == '_' {
		n.size = 0
	}
}

// node lowers a node whose kids are lowered. Its size is the largest number of symbols that stay in
// the parse tree.
func (r *repeater) node(n *node) error {
	if err := n.checkCounts(); err != nil {
		return err
	}
	kids := r.kids[:0]
	sum, most := 0, 0
	for _, kid := range n.kids {
		kids = append(kids, kid.lowered)
		sum += kid.size
		most = max(most, kid.size)
	}
	r.kids = kids
	switch n.kind {
	case nSequence:
		n.lowered, n.size = r.sequence(kids...), sum
	case nAlternatives:
		n.lowered, n.size = r.alternatives(kids...), most
	case nAlias:
		n.lowered, n.size = kids[0], most
	case nMaybe:
		return r.maybe(n, most)
	case nRepeat:
		r.repeat(n, kids[0], most)
	}
	if n.size > maxSymbols {
		return n.at.errorf("make the inner parts rules of their own", "this expands to more than %d symbols", maxSymbols)
	}
	return nil
}

// maybe lowers [ ].
func (r *repeater) maybe(n *node, size int) error {
	if r.reserve += size; r.reserve > maxSymbols {
		return n.at.errorf("make the inner parts rules of their own", "this expands to more than %d symbols", maxSymbols)
	}
	holes := make([]treeID, size)
	for i := range holes {
		holes[i] = r.leaf(hole)
	}
	n.lowered, n.size = r.alternatives(n.kids[0].lowered, r.sequence(holes...)), size
	return nil
}

// repeat lowers an operator.
func (r *repeater) repeat(n *node, x treeID, size int) {
	switch n.op {
	case '?':
		n.lowered, n.size = r.alternatives(x, r.sequence()), size
	case '+':
		n.lowered, n.size = r.recursive("plus", x), 0
	case '*':
		n.lowered, n.size = r.alternatives(r.recursive("star", x), r.sequence()), 0
	case '~':
		n.lowered, n.size = r.counted(x, n.min, n.max)
		n.size *= size
	}
}

// add adds a helper, or finds the one of its key.
func (r *repeater) add(key helperKey, kind string, body func(self treeID) treeID) treeID {
	if t, ok := r.byKey[key]; ok {
		return t
	}
	name := fmt.Sprintf("__%s_%s_%d", r.prefix, kind, len(r.helpers))
	self := r.leaf(r.forest.rule(name))
	r.byKey[key] = self
	r.helpers = append(r.helpers, helper{name: name, at: r.at})
	r.helpers[len(r.helpers)-1].tree = body(self)
	return self
}

// recursive is the helper for one or more x.
func (r *repeater) recursive(kind string, x treeID) treeID {
	return r.add(helperKey{target: x}, kind, func(self treeID) treeID {
		return r.alternatives(r.sequence(x), r.sequence(self, x))
	})
}

// counted lowers x~lo..hi. The second result is how often x is in the alternative that has it most.
//
// A large count n is split into factors: with 1 = x(0) and n = x(k), x(i+1) = a*x(i) + b. The
// helper of a step repeats that of the step before it a times and then x itself b times. x~lo..hi
// is lo of them, then up to hi-lo, for which each step has a second helper that matches fewer than
// the first.
func (r *repeater) counted(x treeID, lo, hi int) (treeID, int) {
	if hi < writtenOut {
		alts := make([]treeID, 0, hi-lo+1)
		for n := lo; n <= hi; n++ {
			alts = append(alts, r.sequence(times(n, x)...))
		}
		return r.alternatives(alts...), hi
	}
	must := x
	for _, f := range factors(lo) {
		must = r.exactly(f, must, x)
	}
	if lo == hi {
		return must, 0
	}
	all, fewer := x, r.sequence()
	steps := factors(hi - lo + 1)
	for i, f := range steps {
		fewer = r.fewer(f, all, fewer, x)
		if i < len(steps)-1 {
			all = r.exactly(f, all, x)
		}
	}
	return r.alternatives(r.sequence(must, fewer)), 0
}

// exactly is the helper for target f.a times, then x f.b times.
func (r *repeater) exactly(f factor, target, x treeID) treeID {
	key := helperKey{a: f.a, b: f.b, target: target, unit: x, counted: true}
	return r.add(key, fmt.Sprintf("repeat_a%d_b%d", f.a, f.b), func(treeID) treeID {
		return r.alternatives(r.sequence(append(times(f.a, target), times(f.b, x)...)...))
	})
}

// fewer is the helper for less than exactly(f, target, x) matches: target fewer than f.a times and
// then less, which matches less than target; or target f.a times and then x fewer than f.b times.
func (r *repeater) fewer(f factor, target, less, x treeID) treeID {
	key := helperKey{a: f.a, b: f.b, target: target, unit: x, counted: true, optional: true}
	return r.add(key, fmt.Sprintf("repeat_a%d_b%d_opt", f.a, f.b), func(treeID) treeID {
		var alts []treeID
		for i := range f.a {
			alts = append(alts, r.sequence(append(times(i, target), less)...))
		}
		for i := range f.b {
			alts = append(alts, r.sequence(append(times(f.a, target), times(i, x)...)...))
		}
		return r.alternatives(alts...)
	})
}

// times is x n times.
func times(n int, x treeID) []treeID {
	list := make([]treeID, n, n+1)
	for i := range list {
		list[i] = x
	}
	return list
}

// A factor is a step from m to a*m + b.
type factor struct{ a, b int }

// factors splits n into steps that lead from 1 to n, with a+b at most maxFactor.
func factors(n int) []factor {
	if n <= maxFactor {
		return []factor{{n, 0}}
	}
	for a := maxFactor; a > 1; a-- {
		if b := n % a; a+b <= maxFactor {
			return append(factors(n/a), factor{a, b})
		}
	}
	panic("unreachable: a = 2 leaves a remainder of at most 1")
}
