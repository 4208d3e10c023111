package parserdwa

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// TestWaysToIntern makes sets by their tokens and by masks, with few words and many: equal ones
// must be one object, whichever way they come, and both scratch masks be empty after.
func TestWaysToIntern(t *testing.T) {
	words := map[bool]int{}
	for seed := range seed.Each(t, 300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		size := 64 * (1 + rng.IntN(600))
		ws := newWeights(size/64, nil)
		list := randomTokens(rng, size, 1+rng.IntN(1<<rng.IntN(9)), 1+rng.IntN(3))
		shuffled := append(slices.Clone(list), list[:rng.IntN(len(list))]...) // some of them twice
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		mask := maskOf(size, list)
		var made [2]*weight
		first := rng.IntN(2)
		for k := range 2 {
			if k == first {
				made[k] = ws.of(shuffled)
			} else {
				made[k] = ws.take(mask)
			}
		}
		if made[0] != made[1] || ws.count != 1 || tokensOf(made[0]) != len(list) {
			t.Fatalf("seed %d: %d tokens of %d are %d sets", seed, len(list), size, ws.count)
		}
		if !bitset.Empty(ws.scratch) || !bitset.Empty(mask) {
			t.Fatalf("seed %d: a scratch mask is not empty", seed)
		}
		if got := ws.held; got != made[0].bytes() {
			t.Fatalf("seed %d: %d bytes held, want %d", seed, got, made[0].bytes())
		}
		words[len(ws.used) == few]++
	}
	if len(words) != 2 {
		t.Errorf("%v: one way was not taken", words)
	}
}

// TestFewWords goes over the borders between the ways: the number of words, and their share of a
// mask.
func TestFewWords(t *testing.T) {
	for _, c := range []struct {
		words, size int
		dense       bool
	}{
		{1, 1, true}, {1, 2, true}, {1, 3, false}, {1, 4, false}, {2, 6, false}, {2, 5, true},
		{few - 1, 3 * few, false}, {few, 3 * few, false}, {few + 1, 3 * few, true}, {few - 1, 3*few - 4, true}, {few + 1, 6 * few, false},
	} {
		ws := newWeights(c.size, nil)
		var tokens []int32
		for i := range c.words {
			tokens = append(tokens, int32(64*(c.size-1-i)+i%64))
		}
		w := ws.of(tokens)
		got := make([]uint64, c.size)
		w.orInto(got)
		if (w.index == nil) != c.dense || !slices.Equal(got, maskOf(64*c.size, tokens)) || !slices.IsSorted(w.index) {
			t.Errorf("%d of %d words: dense %v, places %v", c.words, c.size, w.index == nil, w.index)
		}
		if ws.dense != map[bool]int{true: 1}[c.dense] {
			t.Errorf("%d of %d words: %d dense sets", c.words, c.size, ws.dense)
		}
	}
}

// TestOwned keeps words that were given away: they are counted, and not copied.
func TestOwned(t *testing.T) {
	ws := newWeights(4, nil)
	words := []uint64{1, 0, 2, 0}
	w := ws.own(words)
	if &w.words[0] != &words[0] || w.index != nil || ws.count != 1 || ws.dense != 1 || ws.held != w.bytes() {
		t.Errorf("%+v, %d sets, %d bytes", w, ws.count, ws.held)
	}
	mask := slices.Clone(words)
	if other := ws.take(mask); other == w || ws.count != 2 {
		t.Error("a set that was not compared with others was found")
	}
}

// TestSharedBits has weights of the spanner's groups: those that it keeps as bits are not copied.
func TestSharedBits(t *testing.T) {
	p := stringProblem(t, stringGrammar, rand.New(rand.NewPCG(4, 1)), 3000)
	d := newAutomaton(p, 1<<40, true).composer.terminals
	d.spanner.Root(d.spanner.Pending(nil, behind(t, p, `["`).Lexer))
	kept, made := 0, 0
	for leaf := range d.spanner.NumLeaves() {
		id := spanner.LeafID(leaf)
		want := make([]uint64, d.weights.size)
		d.spanner.SetLeaf(want, id)
		held := d.weights.held
		w := d.sharedWeight(id)
		got := make([]uint64, d.weights.size)
		w.orInto(got)
		if !slices.Equal(got, want) || d.sharedWeight(id) != w || !bitset.Empty(d.weights.scratch) {
			t.Fatalf("leaf %d: %x, want %x", leaf, got, want)
		}
		if bits := d.spanner.LeafBits(id); bits == nil {
			made++
		} else if kept++; &bits[0] != &w.words[0] || d.weights.held != held {
			t.Errorf("leaf %d: its bits are copied, or counted", leaf)
		}
	}
	if kept == 0 || made == 0 {
		t.Errorf("%d leaves are bits, %d are not", kept, made)
	}
}

// TestSpansLieInPages works out what is lexed from every node of a vocabulary's tree, and compares
// with a walk of its own.
func TestSpansLieInPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	p := problem(t, calculator, realtext.Pieced(rng, []string{"1", "2", "+", "*", "(", ")", " ", "f", ","}, 800)...)
	d := newAutomaton(p, 1<<40, true).composer.terminals
	if len(d.trie.Nodes) < 2*spanPage {
		t.Fatalf("%d nodes are too few", len(d.trie.Nodes))
	}
	before := d.bytes()
	for v := range int32(len(d.trie.Nodes)) {
		s := d.span(v)
		want := d.walk(int(v), int(v)+d.trie.Nodes[v].Size(), p.Lexer.Start(), false)
		if !slices.Equal(s.ends, want.ends) || !slices.Equal(s.events, want.events) || d.span(v) != s {
			t.Fatalf("node %d: %v, want %v", v, s, want)
		}
	}
	if want := (len(d.trie.Nodes) + spanPage - 1) / spanPage; d.pages != want || d.bytes() < before+8*spanPage*want {
		t.Errorf("%d pages for %d nodes, %d bytes more", d.pages, len(d.trie.Nodes), d.bytes()-before)
	}
}

// TestClosure makes all reductions before a terminal on real stacks, in tables with conflicts: what
// is on top after must be what the parser has there, and nothing waits, as the whole stack is
// known.
func TestClosure(t *testing.T) {
	forked, shifted := 0, 0
	for seed := range seed.Each(t, 400) {
		g, err := lark.Parse([]byte("%conflicts keep\n"+conformance.Random(seed).Grammar), lark.Options{})
		if err != nil {
			continue
		}
		tables, err := lr.Build(t.Context(), g, lr.Options{})
		if err != nil || tables.NumTerminals() == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		for range 10 {
			s := parsed(rng, tables, 6)
			if !single(s) {
				continue
			}
			c := &composer{problem: &algorithms.Problem{}, templates: newTemplates(tables)}
			c.problem.Recognizer = &recognizer.Recognizer{Grammar: g, Tables: tables}
			c.closure.c = c
			for x := range grammar.Terminal(tables.NumTerminals()) {
				c.begin()
				c.arena = c.arena[:0]
				for i, state := range s.Describe()[0] {
					c.arena = append(c.arena, cell{state: state, under: int32(i) - 1})
				}
				var got []int32
				for _, top := range c.closure.run(item{terminal: int32(x)}, []int32{int32(len(c.arena) - 1)}) {
					got = append(got, c.arena[top].state)
				}
				next, ok := tables.Shift(s, x)
				var want []int32
				for i := range next.NumTops() {
					if ok {
						want = append(want, next.TopNode(i).State)
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) || len(c.pending) > 0 {
					t.Fatalf("seed %d, stack %v, terminal %d: tops %v, want %v; %d wait", seed, s.Describe(), x, got, want, len(c.pending))
				}
				shifted += len(want)
				if ok && !single(next) {
					forked++
				}
			}
		}
	}
	t.Logf("%d shifts, %d of them on several stacks", shifted, forked)
	if shifted < 500 || forked < 20 {
		t.Errorf("%d shifts, %d on several stacks: too few", shifted, forked)
	}
}

// single tells whether there is one stack, and not a graph of several.
func single(s lr.Stacks) bool {
	if s.NumTops() != 1 {
		return false
	}
	node := s.TopNode(0)
	for ; node.NumUnder() == 1; node = node.Under(0) {
	}
	return node.NumUnder() == 0
}
