package legality

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/seed"
)

// TestCells builds stacks with room for few states: what is too high forgets its lower half, and
// what is known is one cell.
func TestCells(t *testing.T) {
	p := realtext.Small(t, nested(4, ""), true, []string{"}"})
	for _, height := range []int{2, 3, 4, 7} {
		m := newMachine(p.Tables, false, height)
		c, known := int32(-1), []int32{}
		for i := range int32(20) {
			state := i * 7 % int32(p.Tables.NumStates())
			if len(known) == height {
				known = known[len(known)-height/2:]
			}
			known = append(known, state)
			c = m.cell(state, c)
			if got := stackOf(m, c); !slices.Equal(got, known) {
				t.Fatalf("height %d: %v is known, want %v", height, got, known)
			}
			if int(m.cells[c].height) != len(known) {
				t.Fatalf("height %d: a stack of %d states has height %d", height, len(known), m.cells[c].height)
			}
			if again := m.cell(state, m.cells[c].under); len(known) < height && again != c {
				t.Fatalf("height %d: the same stack is another cell", height)
			}
		}
	}
}

// stackOf is what is known of a stack, top last.
func stackOf(m *machine, c int32) []int32 {
	var list []int32
	for ; c >= 0; c = m.cells[c].under {
		list = append(list, m.cells[c].state)
	}
	slices.Reverse(list)
	return list
}

// TestInterning has the same branches and sets, given in any order and with things twice.
func TestInterning(t *testing.T) {
	p := realtext.Small(t, nested(4, ""), true, []string{"}"})
	m := newMachine(p.Tables, false, 8)
	var cells []int32
	for s := range int32(6) {
		cells = append(cells, m.cell(s, -1))
	}
	if m.branch(cells[0]) != m.single(cells[0]) || m.branch(cells[1], cells[1]) != m.single(cells[1]) {
		t.Error("a branch of one cell is two")
	}
	ab := m.branch(cells[0], cells[1])
	if m.branch(cells[1], cells[0], cells[1]) != ab || m.branch(cells[0], cells[2]) == ab {
		t.Error("branches are not those of their cells")
	}
	one := m.set([]branchID{ab, m.single(cells[2])})
	if m.set([]branchID{m.single(cells[2]), ab, ab}) != one || m.set([]branchID{ab}) == one || m.set(nil) != nothing {
		t.Error("sets are not those of their branches")
	}
	x, y := grammar.Terminal(0), grammar.Terminal(1)
	if a := m.symbol([]grammar.Terminal{x}, false); m.symbol([]grammar.Terminal{x}, false) != a || m.symbol([]grammar.Terminal{x}, true) == a || m.symbol([]grammar.Terminal{x, y}, false) == a {
		t.Error("symbols are not those of their terminals")
	}
	if many := m.branchOf(append(slices.Clone(cells), 1, 2, 3)); len(m.cellsOf(many)) > maxForks || !slices.Equal(cells, slices.Sorted(slices.Values(cells))) {
		t.Errorf("%d cells are a branch of %d", len(cells), len(m.cellsOf(many)))
	}
}

// TestBelow follows the predecessors of random tables step by step.
func TestBelow(t *testing.T) {
	worlds(t, func(seed uint64, w *world) {
		m := newMachine(w.tables, false, 8)
		for s := range int32(w.tables.NumStates()) {
			want := map[int32]bool{s: true}
			for depth := range int32(4) {
				got := map[int32]bool{}
				for _, state := range m.below(s, depth) {
					got[state] = true
				}
				if !maps.Equal(got, want) || len(got) != len(m.below(s, depth)) {
					t.Fatalf("seed %d: %d under %d lie %v, want %v", seed, depth, s, got, want)
				}
				next := map[int32]bool{}
				for state := range want {
					for _, under := range w.tables.Predecessors(state) {
						next[under] = true
					}
				}
				want = next
			}
		}
	})
}

// TestStart says what stacks a basis stands for: all that a terminal is shifted to, one LR state,
// or where a parser has forked several that are there side by side.
func TestStart(t *testing.T) {
	p := realtext.Small(t, "start: \"a\" | \"a\" \",\" \"b\" | \"a\" \",\" \"c\" \",\" \"b\"\n", false, []string{"a"})
	m := newMachine(p.Tables, false, 8)
	comma, b := terminalOf(t, p.Grammar, ","), terminalOf(t, p.Grammar, "b")
	first, second := m.entered[comma][0], m.entered[comma][1]
	for _, c := range []struct {
		about    string
		bases    []basis
		all, may [][]int32 // the states on top of each branch
	}{
		{"nothing was shifted", []basis{^0}, [][]int32{{0}}, [][]int32{{0}}},
		{"a terminal in two places", []basis{basis(comma)}, [][]int32{{first}, {second}}, [][]int32{{first}, {second}}},
		{"one LR state", []basis{basis(^second)}, [][]int32{{second}}, [][]int32{{second}}},
		{"two side by side", []basis{basis(^first), basis(^second)}, [][]int32{{first, second}}, [][]int32{{first}, {second}}},
		{"a terminal and a state: no way to tell which belong together", []basis{basis(comma), basis(^m.entered[b][0])},
			[][]int32{{first}, {second}, {m.entered[b][0]}}, [][]int32{{first}, {second}, {m.entered[b][0]}}},
	} {
		s := m.start(c.bases)
		for _, x := range []struct {
			what string
			set  setID
			want [][]int32
		}{{"all", s.all, c.all}, {"may", s.may, c.may}} {
			var got []string
			for _, branch := range m.branchesOf(x.set) {
				var tops []int32
				for _, cell := range m.cellsOf(branch) {
					tops = append(tops, m.cells[cell].state)
				}
				slices.Sort(tops)
				got = append(got, fmt.Sprint(tops))
			}
			var want []string
			for _, tops := range x.want {
				slices.Sort(tops)
				want = append(want, fmt.Sprint(tops))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", c.about, x.what, got, want)
			}
		}
	}
}

// TestSetsCover follows real stacks of random grammars beside the sets: what a stack has become
// must go on a part that is known, on top of the stack that the exploration does not know. Of the
// sets in which each way is on its own (may) that holds for every stack of the parser; of the
// others, where one way is enough, for one of them.
func TestSetsCover(t *testing.T) {
	followed, forked := 0, 0
	worlds(t, func(seed uint64, w *world) {
		m := newMachine(w.tables, false, 2+int(seed%7))
		b := &builder{machine: m}
		rng := rand.New(rand.NewPCG(seed, 3))
		for x, list := range w.prefixes {
			for range 40 {
				stacks := list[rng.IntN(len(list))]
				s, ok := m.start([]basis{basis(x)}), true
				for ok {
					y := grammar.Terminal(rng.IntN(len(w.g.Terminals)))
					if stacks, ok = w.tables.Shift(stacks, y); !ok {
						break
					}
					s, _ = b.step(s, m.symbol([]grammar.Terminal{y}, false))
					real, finite := stacksOf(stacks)
					if !finite {
						break
					}
					some := false
					for _, stack := range real {
						if !m.covers(s.may, stack) {
							t.Fatalf("seed %d: the stack %v of %v is in no branch\n%s", seed, stack, real, w.text)
						}
						some = some || m.covers(s.all, stack)
					}
					if !some {
						t.Fatalf("seed %d: none of the stacks %v is in a branch\n%s", seed, real, w.text)
					}
					followed++
					if len(real) > 1 {
						forked++
					}
					ok = followed%9 > 0
				}
			}
		}
	})
	t.Logf("%d stacks, %d of them several", followed, forked)
	if followed < 1000 || forked < 100 {
		t.Errorf("only %d stacks were followed, %d of them several", followed, forked)
	}
}

// covers tells whether some known part is the top of a stack.
func (m *machine) covers(set setID, stack []int32) bool {
	for _, branch := range m.branchesOf(set) {
		for _, c := range m.cellsOf(branch) {
			known := stackOf(m, c)
			if len(known) <= len(stack) && slices.Equal(known, stack[len(stack)-len(known):]) {
				return true
			}
		}
	}
	return false
}

// stacksOf lists the stacks of a graph, top last; not finite if there are more than some, as in a
// graph with circles.
func stacksOf(s lr.Stacks) (list [][]int32, finite bool) {
	const most, deepest = 40, 60
	var down func(n *lr.Node, above []int32) bool
	down = func(n *lr.Node, above []int32) bool {
		above = append(slices.Clone(above), n.State)
		if n.NumUnder() == 0 {
			slices.Reverse(above)
			list = append(list, above)
		}
		if len(list) > most || len(above) > deepest {
			return false
		}
		for i := range n.NumUnder() {
			if !down(n.Under(i), above) {
				return false
			}
		}
		return true
	}
	for i := range s.NumTops() {
		if !down(s.TopNode(i), nil) {
			return nil, false
		}
	}
	return list, true
}

// TestTooManyBranches: beyond the bound, all stacks that the last symbol is shifted on stand for
// those that there are.
func TestTooManyBranches(t *testing.T) {
	p := realtext.Small(t, nested(5, ""), true, []string{"}"})
	m := newMachine(p.Tables, false, 8)
	brace := []grammar.Terminal{terminalOf(t, p.Grammar, "}")}
	sym, skipped := m.symbol(brace, false), m.symbol(brace, true)
	many := make([]branchID, 0, maxBranches+1)
	for i := range int32(maxBranches + 1) {
		many = append(many, m.single(m.cell(i%5, m.cell(i/5%7, m.cell(i/35%9, m.cell(i/315, -1))))))
	}
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	rng.Shuffle(len(many), func(i, j int) { many[i], many[j] = many[j], many[i] })
	if got := m.bounded(slices.Clone(many[1:]), false, sym); len(m.branchesOf(got)) != maxBranches || m.collapses != 0 {
		t.Errorf("%d branches are %d, widened %d times", maxBranches, len(m.branchesOf(got)), m.collapses)
	}
	if got := m.bounded(slices.Clone(many), false, sym); got != m.entry(brace) || m.collapses != 1 {
		t.Errorf("%d branches are %d, widened %d times", len(many), len(m.branchesOf(got)), m.collapses)
	}
	if got := m.bounded(slices.Clone(many), false, skipped); len(m.branchesOf(got)) != len(many) {
		t.Errorf("a symbol that may be skipped: %d branches are %d", len(many), len(m.branchesOf(got)))
	}
	if got := m.bounded(slices.Clone(many[:3]), true, sym); got != m.entry(brace) {
		t.Error("stacks that are not covered were not added")
	}
	if n := len(m.branchesOf(m.entry(brace))); n != 5 {
		t.Errorf("the brace is shifted to %d states", n)
	}
}
