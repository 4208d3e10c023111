package psc

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/unknown"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// The paper's theorems as properties, on random grammars: deterministic and conflicted, with either
// lexing mode, with empty rules and cycles.

// specProblem compiles a spec; nil if its grammar cannot be used.
func specProblem(t testing.TB, spec conformance.Spec) *algorithms.Problem {
	t.Helper()
	g, err := lark.Parse([]byte(spec.Grammar), lark.Options{File: "spec.lark"})
	if err != nil {
		return nil
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: spec.OnDemand})
	if err != nil {
		return nil
	}
	tokens := [][]byte{}
	for _, s := range spec.Vocabulary {
		tokens = append(tokens, []byte(s))
	}
	tokens = append(tokens, []byte("<eos>"))
	v := must.Get(tokenizers.NewVocabulary("spec", tokens, []int{len(tokens) - 1}, nil))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: v}
}

// eachProblem calls f for the usable ones of some random grammars.
func eachProblem(t *testing.T, seeds int, f func(t *testing.T, seed uint64, p *algorithms.Problem, rng *rand.Rand)) {
	t.Helper()
	used := 0
	for seed := range seed.Each(t, seeds) {
		spec := conformance.Random(seed)
		p := specProblem(t, spec)
		if p == nil {
			continue
		}
		used++
		f(t, seed, p, rand.New(rand.NewPCG(seed, 2)))
		if t.Failed() {
			t.Fatalf("seed %d, grammar:\n%s\nvocabulary %q", seed, spec.Grammar, spec.Vocabulary)
		}
	}
	t.Logf("%d grammars", used)
}

// randomState takes a few random legal bytes from the start.
func randomState(p *algorithms.Problem, rng *rand.Rand, alphabet string) recognizer.State {
	s := p.Start()
	for range rng.IntN(7) {
		next, ok := p.Read(s, []byte{alphabet[rng.IntN(len(alphabet))]})
		if ok {
			s = next
		}
	}
	return s
}

// maxStacks bounds how many stacks a run of a conflicted grammar is followed into; beyond it, and
// where a graph has a cycle, the run is not complete.
const maxStacks = 40

// A runner is P_w on whole stacks, top last: the symbolic parser is fed a stack symbol by symbol,
// as it asks for them, for each terminal in turn.
type runner struct {
	sym      *unknown.Parser
	complete bool
}

// run returns the stacks that come of w.
func (r *runner) run(stack []int32, w []grammar.Terminal) [][]int32 {
	stacks := [][]int32{stack}
	for _, t := range w {
		var next [][]int32
		for _, s := range stacks {
			next = append(next, r.shift(s, t)...)
		}
		slices.SortFunc(next, slices.Compare[[]int32])
		stacks = slices.CompactFunc(next, slices.Equal[[]int32])
		if len(stacks) > maxStacks {
			stacks, r.complete = stacks[:maxStacks], false
		}
	}
	return stacks
}

// shift returns the stacks that come of one terminal.
func (r *runner) shift(stack []int32, t grammar.Terminal) (done [][]int32) {
	type open struct {
		r    unknown.Result
		read int // index of the symbol read last
	}
	top := len(stack) - 1
	for todo := []open{{r.sym.Shift(r.sym.BaseOf(stack[top]), t), top}}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r.sym.Each(o.r, func(part unknown.Result) {
			if part.Kind() == unknown.ResultCell {
				for _, known := range r.spell(part.Value(), 6, nil) {
					done = append(done, append(slices.Clone(stack[:o.read]), known...))
				}
			} else if o.read > 0 {
				todo = append(todo, open{r.sym.Follow(part.Value(), stack[o.read-1]), o.read - 1})
			}
		})
	}
	return done
}

// spell lists the known stacks that a cell stands for, the base first; of cycles, a few turns.
func (r *runner) spell(c int32, turns int, all [][]int32) [][]int32 {
	x := r.sym.Cells[c]
	if x.Under < 0 {
		return append(all, []int32{x.State})
	}
	if turns == 0 || len(all) > maxStacks {
		r.complete = false
		return all
	}
	for _, u := range append([]int32{x.Under}, x.More...) {
		n := len(all)
		left := turns
		if len(x.More) > 0 {
			left-- // only forks can lead round in a cycle
		}
		all = r.spell(u, left, all)
		for k := range all[n:] {
			all[n+k] = append(all[n+k], x.State)
		}
	}
	return all
}

// parse is the definition: the stacks after the parser has shifted w.
func parse(t *lr.Tables, s lr.Stacks, w []grammar.Terminal) (lr.Stacks, bool) {
	ok := true
	for _, x := range w {
		if s, ok = t.Shift(s, x); !ok {
			return s, false
		}
	}
	return s, true
}

// TestTheorem1 and 2: for each terminal and for sequences of terminals, running the symbolic parser
// on the top of a stack and reading more of it when asked agrees with running the parser, both in
// whether it goes on and, where stacks are plain, in the stack that results.
func TestTheorems1And2(t *testing.T) {
	ran, accepted := 0, 0
	eachProblem(t, seed.Rounds(100, 250, 250), func(t *testing.T, seed uint64, p *algorithms.Problem, rng *rand.Rand) {
		sym := unknown.New(p.Tables)
		var terminals []grammar.Terminal
		for i := range p.Grammar.Terminals {
			if !p.Grammar.Terminals[i].Ignored {
				terminals = append(terminals, grammar.Terminal(i))
			}
		}
		if len(terminals) == 0 {
			return
		}
		for range 30 {
			stacks := randomState(p, rng, "abc ").Stacks
			plain := stacks.Describe()
			if len(plain) != 1 {
				continue // a forked stack is read along each of its ways, which the paper has not
			}
			var w []grammar.Terminal
			for range 1 + rng.IntN(4) {
				w = append(w, terminals[rng.IntN(len(terminals))])
				after, ok := parse(p.Tables, stacks, w)
				r := runner{sym, true}
				got := r.run(plain[0], w)
				if len(got) > 0 && !ok || len(got) == 0 && ok && r.complete {
					t.Errorf("stack %v, terminals %v: the symbolic run gives %v, the parser says %v", plain[0], w, got, ok)
					return
				}
				if want := after.Describe(); ok && p.Tables.Deterministic() && !slices.EqualFunc(got, want, slices.Equal[[]int32]) {
					t.Errorf("stack %v, terminals %v: the symbolic run gives %v, the parser %v", plain[0], w, got, want)
					return
				}
				ran++
				if !ok {
					break
				}
				accepted++
			}
		}
	})
	t.Logf("%d runs, %d accepted", ran, accepted)
}

// read is the automaton's answer for a lexer state and one plain stack: the tokens it accepts.
func read(a *automaton, s recognizer.State, stack []int32) algorithms.Mask {
	b := algorithms.NewBuffer(a.problem.Vocabulary.Len())
	at := len(stack) - 1
	root := a.spans.Shared(s.Lexer)
	state := a.start(root, s.Lexer, 0, stack[at])
	for {
		v := view{a.outs.List, a.spans.Reader()}
		for _, group := range v.appendGroups(nil, root, state.out) {
			a.setGroup(b.Words(), group)
		}
		at -= int(state.skip) + 1
		if state.done() || at < 0 {
			return b.Mask()
		}
		state = a.transition(state, stack[at])
	}
}

// TestTheorem3: the stacks that accept a token are a regular language, the one that the automaton
// accepts for it. So reading every stack with the automaton gives the same tokens as reading every
// token with the parser; a forked stack accepts what one of its stacks accepts.
func TestTheorem3(t *testing.T) {
	stacks := 0
	eachProblem(t, seed.Rounds(100, 250, 250), func(t *testing.T, seed uint64, p *algorithms.Problem, rng *rand.Rand) {
		a := newAutomaton(p, newTrees(p, spanner.Options{Prune: seed%2 == 0}))
		for range 20 {
			s := randomState(p, rng, "abc ")
			all := s.Stacks.Describe()
			if len(all) > 8 {
				continue // Describe lists no more than some
			}
			got := algorithms.NewBuffer(p.Vocabulary.Len())
			for _, stack := range all {
				for i, w := range wordsOf(read(a, s, stack)) {
					got.Words()[i] |= w
				}
				stacks++
			}
			for id := range p.Vocabulary.Len() {
				_, want := p.Read(s, p.Vocabulary.Token(id))
				want = want && p.Vocabulary.Legal(id) || p.Vocabulary.IsEOS(id) && p.End(s)
				if cyclic(s.Stacks) && want && !got.Has(id) {
					continue // Describe does not follow cycles; the walk of a graph does
				}
				if got.Has(id) != want {
					t.Errorf("lexer state %d, stacks %v, token %q: the automaton says %v, the parser %v", s.Lexer, all, p.Vocabulary.Token(id), got.Has(id), want)
					return
				}
			}
		}
	})
	t.Logf("%d stacks", stacks)
}

func wordsOf(m algorithms.Mask) []uint64 {
	b := algorithms.NewBuffer(m.Len())
	for _, id := range m.IDs(nil) {
		b.Set(id)
	}
	return b.Words()
}

// cyclic tells whether a graph of stacks has a cycle.
func cyclic(s lr.Stacks) bool {
	var path []*lr.Node
	var visit func(n *lr.Node) bool
	visit = func(n *lr.Node) bool {
		if slices.Contains(path, n) {
			return true
		}
		path = append(path, n)
		defer func() { path = path[:len(path)-1] }()
		for i := range n.NumUnder() {
			if visit(n.Under(i)) {
				return true
			}
		}
		return false
	}
	for i := range s.NumTops() {
		if visit(s.TopNode(i)) {
			return true
		}
	}
	return false
}

// TestEagerIsComplete walks eagerly compiled automata: nothing is left to build.
func TestEagerIsComplete(t *testing.T) {
	eachProblem(t, 150, func(t *testing.T, seed uint64, p *algorithms.Problem, rng *rand.Rand) {
		e := compile(t, p, algorithms.Options{"compile": "eager"})
		c := e.core.Load()
		states, starts, things := len(c.auto.states), c.auto.starts, c.things()
		for range 10 {
			s := &gen{Position: algorithms.NewPosition(p), engine: e}
			s.State = randomState(p, rng, "abc ")
			s.Mask()
		}
		if n := c.things() - things; n != 0 || len(c.auto.states) != states || c.auto.starts != starts {
			t.Errorf("decoding built %d states, %d starts, and %d starts and transitions", len(c.auto.states)-states, c.auto.starts-starts, n)
		}
		if e.core.Load() != c || things != c.offline || c.visited != p.Lexer.NumStates() {
			t.Errorf("%d of %d lexer states are built, %d of %d starts and transitions", c.visited, p.Lexer.NumStates(), c.offline, things)
		}
	})
}

// TestBaseOf: a symbol has one cell, the first one as well.
func TestBaseOf(t *testing.T) {
	p := realtext.Small(t, `start: "a" start "b" | "c"`, false, []string{"a", "b", "c"})
	sym := unknown.New(p.Tables)
	for x := range int32(p.Tables.NumStates()) {
		if one, again := sym.BaseOf(x), sym.BaseOf(x); one != again {
			t.Errorf("state %d has cells %d and %d", x, one, again)
		}
	}
}

// TestOneLoop: a parser looks out for the only reduction that never ends.
func TestOneLoop(t *testing.T) {
	g := must.Get(lark.Parse([]byte("start: c\nc: c | \"x\""), lark.Options{File: "test.lark"}))(t)
	for i := range g.Rules {
		if r := &g.Rules[i]; g.Nonterminals[r.LHS].Name == "c" && len(r.RHS) == 1 && !r.RHS[0].IsTerminal() {
			r.Priority = 2
		}
	}
	resolve := grammar.ResolveConflicts
	tables := must.Get(lr.Build(t.Context(), g, lr.Options{Conflicts: &resolve}))(t)
	if n := len(tables.Warnings()); n != 1 {
		t.Fatalf("%d warnings, and the test is of one", n)
	}
	if !unknown.New(tables).Loops {
		t.Error("it has no loops")
	}
}

// TestUniteWithoutEOS: a mask that is kept with EOS alone adds nothing to the mask of a longer list
// of outputs.
func TestUniteWithoutEOS(t *testing.T) {
	e := compile(t, realtext.Small(t, `start: "a" start "b" | "c"`, false, []string{"a", "b", "c", "ac", "cb", "bb"}), nil)
	g := e.Start().(*gen)
	c := e.latest()
	s, _ := g.walk(c, g.row(c))
	longer := &said{before: s, root: s.root, out: s.out}
	want, got := make([]uint64, 1), []uint64{^uint64(0)}
	c.unite(c.view.Load(), want, longer, 0)
	withEOS := []uint64{^uint64(0)}
	s.masks[1].Store(&withEOS)
	c.unite(c.view.Load(), got, longer, 0)
	if !slices.Equal(got, want) || want[0] == 0 {
		t.Errorf("%x, not %x", got, want)
	}
}

// TestPendingOf: equal items are one set, those of the first set as well.
func TestPendingOf(t *testing.T) {
	c := compile(t, realtext.Small(t, `start: "a" start "b" | "c"`, false, []string{"a", "b", "c", "ac", "cb", "bb"}), algorithms.Options{"compile": "eager"}).latest()
	if len(c.auto.sets) == 0 {
		t.Fatal("there are no sets")
	}
	for _, set := range c.auto.sets {
		if again := c.auto.pendingOf(slices.Clone(set.items)); again != set {
			t.Errorf("set %d is set %d when its items come again", set.id, again.id)
		}
	}
}
