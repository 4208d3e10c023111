package greatgramma

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

var plainSettings = settings{memo: true, slices: true, always: true, share: true, lines: true, maxBytes: MaxBytes, minFragment: 1 << 30, minLine: 1 << 30}

// randomProblems calls f with the problems of random specs that can be used, without contexts and
// modes, as lex knows one way for a lexeme to end. TestRandomWalks has those.
func randomProblems(t *testing.T, seeds int, f func(seed uint64, p *algorithms.Problem)) {
	t.Helper()
	seeds = seed.Rounds(seeds/4, seeds/2, seeds*10)
	n := 0
	for seed := range seed.Each(t, seeds) {
		r := randomRecognizer(t, seed)
		if r == nil || !r.Lexer.Uniform() {
			continue
		}
		v := realtext.Vocabulary(t, conformance.Random(seed).Vocabulary...)
		f(seed, &algorithms.Problem{Recognizer: r, Vocabulary: v})
		n++
	}
	if n < seeds/10 {
		t.Errorf("only %d of %d random grammars can be used", n, seeds)
	}
}

// rootsOf makes the roots of all lexer states of an engine that keeps its scratch.
func rootsOf(e *engine) {
	e.roots = make([]*root, e.problem.Lexer.NumStates())
	for q := range e.roots {
		e.roots[q] = e.flat.root(lexer.State(q))
	}
	e.view.groups = e.groups.list
}

// TestSequencesHoldEveryToken reads each token from each lexer state by the lexing rule and looks
// for it in the tree of the state: it must be in the one group with what was emitted and what can
// still become.
func TestSequencesHoldEveryToken(t *testing.T) {
	read := 0
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		e := newEngine(p, plainSettings)
		rootsOf(e)
		for q := range e.roots {
			found := groupsOfTokens(e, e.roots[q])
			for id := range p.Vocabulary.Len() {
				want := ""
				if p.Vocabulary.Legal(id) {
					want = lex(p, lexer.State(q), p.Vocabulary.Token(id))
				}
				if got := found[id]; got != want {
					t.Fatalf("seed %d, lexer state %d, token %q: %q, want %q", seed, q, p.Vocabulary.Token(id), got, want)
				}
				if want != "" {
					read++
				}
			}
		}
	})
	t.Logf("%d tokens read", read)
}

// lex is what the lexing rule makes of a token: the sets emitted, without those that are ignored,
// and the reach.
func lex(p *algorithms.Problem, q lexer.State, token []byte) string {
	text := ""
	for _, b := range token {
		to := p.Lexer.Next(q, b)
		if to == lexer.None {
			ends := p.Lexer.Ends(q)
			to = p.Lexer.Next(p.Lexer.Start(), b)
			if to == lexer.None || len(ends) == 0 {
				return ""
			}
			set := ends[0].Set
			if slices.ContainsFunc(p.Lexer.Members(set), func(x grammar.Terminal) bool { return !p.Grammar.Terminals[x].Ignored }) {
				text += fmt.Sprint(set, " ")
			}
		}
		q = to
	}
	return text + fmt.Sprint("then ", p.Lexer.Reach(q))
}

// groupsOfTokens writes down where in a root's tree each token is, twice if it is there twice.
func groupsOfTokens(e *engine, r *root) map[int]string {
	found := map[int]string{}
	var path []string
	for i, x := range r.shape.entries {
		path = path[:r.shape.depths[i]]
		if !x.isReach() {
			path = append(path, fmt.Sprint(e.view.emits[x.what].set, " "))
			continue
		}
		mask := make([]uint64, algorithms.MaskWords(e.problem.Vocabulary.Len()))
		e.view.groups[r.groups[x.link]].addTo(mask)
		for id := range bitset.All[int](mask) {
			for _, s := range path {
				found[id] += s
			}
			found[id] += fmt.Sprint("then ", x.reach())
		}
	}
	return found
}

// TestTreesAreFlat checks what walks rely on: a subtree's size leads to its next sibling, and
// depths fit.
func TestTreesAreFlat(t *testing.T) {
	e := newEngine(problemOf(t, nested, false, nestedTokens...), plainSettings)
	rootsOf(e)
	for _, s := range e.shapes {
		for i, x := range s.entries {
			if x.isReach() {
				continue
			}
			end := i + int(x.link)
			for k := i + 1; k < end; k++ {
				if s.depths[k] <= s.depths[i] {
					t.Fatalf("entry %d lies in the subtree of %d, but not under it", k, i)
				}
			}
			if x.link < 2 || end < len(s.entries) && s.depths[end] > s.depths[i] {
				t.Fatalf("the subtree of entry %d does not end at %d", i, end)
			}
		}
	}
}

// TestFragmentsChangeNothing compares rows made with kept fragments, even of the smallest subtrees,
// with rows made without.
func TestFragmentsChangeNothing(t *testing.T) {
	kept := 0
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		plain, set := plainSettings, plainSettings
		set.minFragment = 0
		a, b := newEngine(p, plain), newEngine(p, set)
		rootsOf(a)
		rootsOf(b)
		for i := range a.shapes {
			for _, top := range a.tops {
				x, y := rowOf(a, a.shapes[i], top), rowOf(b, b.shapes[i], top)
				if x != y {
					t.Fatalf("seed %d, shape %d, LR state %d: %s, with fragments %s", seed, i, top, x, y)
				}
			}
		}
		kept += len(b.fragments)
	})
	if kept == 0 {
		t.Error("there was no fragment")
	}
}

// rowOf makes a row and writes it down.
func rowOf(e *engine, s *shape, top int32) string {
	r := e.classify(s, 0, len(s.entries), e.symbolic.start(top))
	return fmt.Sprint(s.always.At(r.always), s.context.At(r.context))
}

// TestAlikeTopsHaveEqualRows makes the rows of LR states that are taken for one each for itself.
func TestAlikeTopsHaveEqualRows(t *testing.T) {
	merged := 0
	randomProblems(t, 300, func(seed uint64, p *algorithms.Problem) {
		e := newEngine(p, plainSettings)
		rootsOf(e)
		for _, s := range p.Tables.Tops() {
			as := e.tops[e.topOf[s]]
			if as == s {
				continue
			}
			merged++
			for i, sh := range e.shapes {
				if x, y := rowOf(e, sh, s), rowOf(e, sh, as); x != y {
					t.Fatalf("seed %d, shape %d: LR state %d has %s, %d has %s", seed, i, s, x, as, y)
				}
			}
		}
	})
	t.Logf("%d LR states are like another", merged)
	if merged == 0 {
		t.Error("no LR states were alike")
	}
}

// TestStackFree follows real parses: the state on top after a shift must be among those that the
// stack-free automaton says, from the one state before and from the set it has followed since the
// start.
func TestStackFree(t *testing.T) {
	shifts := 0
	randomProblems(t, 200, func(seed uint64, p *algorithms.Problem) {
		m := newSymbolic(p.Recognizer)
		rng := rand.New(rand.NewPCG(seed, 8))
		stacks := p.Tables.Start()
		set := m.free.single(0)
		for range 12 {
			terms := slices.DeleteFunc(p.Tables.Acceptable(stacks, nil), func(x grammar.Terminal) bool { return x == p.Tables.End() })
			if len(terms) == 0 {
				return
			}
			x := terms[rng.IntN(len(terms))]
			next, _ := p.Tables.Shift(stacks, x)
			from := nothing
			for i := range stacks.NumTops() {
				from = m.free.union(from, m.free.from(stacks.TopNode(i).State, x))
			}
			if !m.free.accepts(set, p.Tables.NewSet(x)) {
				t.Fatalf("seed %d: terminal %d is refused", seed, x)
			}
			set = m.free.step(set, x)
			for i := range next.NumTops() {
				top := next.TopNode(i).State
				if !slices.Contains(m.free.sets.At(int32(from)), top) || !slices.Contains(m.free.sets.At(int32(set)), top) {
					t.Fatalf("seed %d: terminal %d leads to %d, which is neither in %v nor in %v", seed, x, top, m.free.sets.At(int32(from)), m.free.sets.At(int32(set)))
				}
			}
			stacks = next
			shifts++
		}
	})
	t.Logf("%d shifts", shifts)
}

// TestFromAllStates compares what the set of all states does with what its members do, and the
// terminals that a state takes with those that lead somewhere from it.
func TestFromAllStates(t *testing.T) {
	exact, terminals := 0, 0
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		f := newStackFree(p.Tables)
		all, any := p.Tables.Tops(), p.Tables.NewSet()
		for x := range grammar.Terminal(p.Tables.NumTerminals()) {
			to := nothing
			for _, s := range all {
				after := f.from(s, x)
				if after != f.from(s, x) {
					t.Fatalf("seed %d: terminal %d leads from %d to two sets", seed, x, s)
				}
				if bit := bitset.Has(f.canFrom(s), x); bit != (after != nothing) {
					t.Fatalf("seed %d: LR state %d takes terminal %d: %v", seed, s, x, bit)
				}
				to = f.union(to, after)
			}
			if to != nothing {
				bitset.Add(any, x)
			}
			// A state that is entered on x where a conflict was decided against it may be one too many.
			got := f.step(f.full, x)
			if f.union(got, to) != got {
				t.Fatalf("seed %d: terminal %d leads from all states to %v, want %v", seed, x, f.sets.At(int32(got)), f.sets.At(int32(to)))
			}
			for _, s := range f.sets.At(int32(got)) {
				if sym, ok := p.Tables.Accessing(s); !ok || sym != grammar.T(x) {
					t.Fatalf("seed %d: LR state %d is not entered on terminal %d", seed, s, x)
				}
			}
			if got == to {
				exact++
			}
			terminals++
		}
		for i, w := range any {
			if f.taken(f.full)[i]&w != w {
				t.Fatalf("seed %d: %b are taken, want %b", seed, f.taken(f.full), any)
			}
		}
	})
	if exact < terminals*9/10 {
		t.Errorf("%d of %d are exact", exact, terminals)
	}
}

// TestTopsAsTheyAreMet says that LR states are alike in an engine that meets them in any order if
// they are in one that knows them all.
func TestTopsAsTheyAreMet(t *testing.T) {
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		set := plainSettings
		ahead := newEngine(p, set)
		set.lazy = true
		met := newEngine(p, set)
		list := p.Tables.Tops()
		if ahead.lazy {
			for _, s := range list {
				ahead.top(s)
			}
		}
		if len(met.tops) > 0 || met.maxTops != len(list) {
			t.Fatalf("seed %d: %d tops were looked at, at most %d", seed, len(met.tops), met.maxTops)
		}
		slices.Reverse(list)
		for _, a := range list {
			for _, b := range list {
				if x, y := ahead.top(a) == ahead.top(b), met.top(a) == met.top(b); x != y {
					t.Fatalf("seed %d: LR states %d and %d are alike: %v, as they are met: %v", seed, a, b, x, y)
				}
			}
		}
		sum := int32(0)
		for i, w := range met.weights {
			sum += w
			if met.top(met.tops[i]) != int32(i) {
				t.Fatalf("seed %d: LR state %d stands for another class", seed, met.tops[i])
			}
		}
		if int(sum) != len(list) || len(met.tops) != len(ahead.tops) {
			t.Fatalf("seed %d: %d LR states in %d classes, want %d in %d", seed, sum, len(met.tops), len(list), len(ahead.tops))
		}
	})
}

func TestUnionOfSets(t *testing.T) {
	f := newStackFree(problemOf(t, nested, false, "a").Tables)
	a, b, c := f.single(0), f.single(1), f.single(2)
	ab := f.union(a, b)
	for _, law := range []struct {
		name     string
		got, len setID
		want     setID
	}{
		{"in either order", f.union(b, a), 2, ab},
		{"with itself", f.union(ab, ab), 2, ab},
		{"with a part", f.union(ab, b), 2, ab},
		{"with nothing", f.union(nothing, ab), 2, ab},
		{"in any grouping", f.union(ab, c), 3, f.union(a, f.union(b, c))},
	} {
		if law.got != law.want || len(f.sets.At(int32(law.got))) != int(law.len) {
			t.Errorf("%s: %v, want %v", law.name, f.sets.At(int32(law.got)), f.sets.At(int32(law.want)))
		}
	}
	f.limit = 0
	if got := f.union(ab, f.union(c, f.single(3))); got != f.full {
		t.Errorf("without room for sets a new one is %v, want all tops %v", f.sets.At(int32(got)), f.sets.At(int32(f.full)))
	}
}
