package greatgramma

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// What is read off the LR tables in some quick way, compared with what it is by definition, on
// random grammars.

// TestReductions asks each state about each terminal.
func TestReductions(t *testing.T) {
	several, byDefault := 0, 0
	randomProblems(t, 200, func(seed uint64, p *algorithms.Problem) {
		all := reductionsOf(p.Tables)
		for s := range int32(p.Tables.NumStates()) {
			want := map[int32][]grammar.Terminal{}
			for x := range grammar.Terminal(p.Tables.NumTerminals()) {
				for _, a := range p.Tables.Actions(s, x) {
					if a.Kind() == lr.KindReduce {
						want[a.Target()] = append(want[a.Target()], x)
					}
				}
			}
			got := map[int32][]grammar.Terminal{}
			for _, r := range all[s] {
				got[r.Rule] = members(p.Tables, r.Terms)
			}
			if !maps.EqualFunc(got, want, slices.Equal) || len(got) != len(all[s]) {
				t.Fatalf("seed %d, state %d: %v, want %v", seed, s, got, want)
			}
			if len(want) > 1 {
				several++
			}
			if _, ok := p.Tables.DefaultReduction(s); ok {
				byDefault++
			}
		}
	})
	if several == 0 || byDefault == 0 {
		t.Errorf("%d states with several reductions, %d with one for all: a kind was not tested", several, byDefault)
	}
}

// members lists the terminals of a set.
func members(t *lr.Tables, set []uint64) []grammar.Terminal {
	var list []grammar.Terminal
	for x := range grammar.Terminal(t.NumTerminals() + 1) {
		if bitset.Has(set, x) {
			list = append(list, x)
		}
	}
	return list
}

// TestUncovered follows the predecessors step by step, and the gotos from there.
func TestUncovered(t *testing.T) {
	found := 0
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		u, f := newUncover(p.Tables), newStackFree(p.Tables)
		for s := range int32(p.Tables.NumStates()) {
			under := map[int32]bool{s: true}
			for depth := range int32(4) {
				if got := setOf(u.below(s, depth)); !maps.Equal(got, under) {
					t.Fatalf("seed %d: %d under %d lie %v, want %v", seed, depth, s, got, under)
				}
				for rule := range int32(len(p.Grammar.Rules)) {
					lhs, _ := p.Tables.Rule(rule)
					want, can := map[int32]bool{}, p.Tables.NewSet()
					for state := range under {
						if to := p.Tables.Goto(state, lhs); to >= 0 {
							want[to] = true
							for i, w := range f.canFrom(to) {
								can[i] |= w
							}
						}
					}
					l := u.gotosBelow(f, s, depth, rule)
					if !maps.Equal(setOf(l.states), want) || !slices.Equal(l.taken, can) {
						t.Fatalf("seed %d: %d under %d, rule %d leads to %v, which take %b; want %v, %b", seed, depth, s, rule, l.states, l.taken, want, can)
					}
					if again := u.gotosBelow(f, s, depth, rule); again != l {
						t.Fatalf("seed %d: found out twice", seed)
					}
					found += len(want)
				}
				next := map[int32]bool{}
				for state := range under {
					for _, below := range p.Tables.Predecessors(state) {
						next[below] = true
					}
				}
				under = next
			}
		}
	})
	if found < 1000 {
		t.Errorf("only %d gotos were found", found)
	}
}

// setOf is a list as a set; it panics if something is in it twice.
func setOf(list []int32) map[int32]bool {
	set := map[int32]bool{}
	for _, x := range list {
		if set[x] {
			panic(fmt.Sprint(x, " is there twice in ", list))
		}
		set[x] = true
	}
	return set
}

// TestPopsItself says of a state that it forgets itself only if every way on from it does.
func TestPopsItself(t *testing.T) {
	verdicts := map[bool]int{}
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		m := newSymbolic(p.Recognizer)
		for s := range int32(p.Tables.NumStates()) {
			want := true
			for x := range grammar.Terminal(p.Tables.NumTerminals()) {
				for _, a := range p.Tables.Actions(s, x) {
					if a.Kind() == lr.KindShift {
						want = false
					}
					if a.Kind() == lr.KindReduce {
						_, length := p.Tables.Rule(a.Target())
						want = want && length > 0
					}
				}
			}
			if got := m.popsItself(s); got != want {
				t.Fatalf("seed %d, state %d: %v", seed, s, got)
			}
			verdicts[want]++
		}
	})
	if len(verdicts) != 2 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// TestLazyRootsHoldAll compares the sequences that lazy engines have with those of eager ones: what
// is pruned beforehand is left out of rows instead, so that the rows hold the same tokens.
func TestLazyRootsHoldAll(t *testing.T) {
	pruned, rows := 0, 0
	randomProblems(t, 150, func(seed uint64, p *algorithms.Problem) {
		set := settings{memo: true, prune: true, always: true, share: true, lines: true, maxBytes: MaxBytes, maxHeld: MaxHeld, minFragment: minFragment, minLine: 1 << 30}
		eager := newEngine(p, set)
		if eager.lazy {
			return
		}
		set.lazy = true
		lazy := newEngine(p, set)
		rootsOf(eager)
		rootsOf(lazy)
		for q := range eager.roots {
			a, b := eager.roots[q], lazy.roots[q]
			pruned += len(b.shape.entries) - len(a.shape.entries)
			for _, top := range eager.tops {
				if x, y := rowTokens(eager, a, top), rowTokens(lazy, b, top); x != y {
					t.Fatalf("seed %d, lexer state %d, LR state %d: %s, lazy %s", seed, q, top, x, y)
				}
				rows++
			}
		}
	})
	if pruned == 0 || rows == 0 {
		t.Errorf("%d entries were pruned, %d rows compared", pruned, rows)
	}
}

// rowTokens makes a row and writes down its tokens: always accepted, and depending on the stack.
func rowTokens(e *engine, r *root, top int32) string {
	at := e.classify(r.shape, 0, len(r.shape.entries), e.symbolic.start(top))
	var sets [2][]uint64
	for k, b := range [][]uint64{r.shape.always.At(at.always), r.shape.context.At(at.context)} {
		sets[k] = make([]uint64, e.maskWords())
		for i := range bitset.All[int](b) {
			if x := r.shape.entries[i]; x.isReach() {
				e.view.groups[r.groups[x.link]].addTo(sets[k])
			}
		}
	}
	return fmt.Sprintf("%x and %x", sets[0], sets[1])
}
