package legality

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/internal/seed"
)

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
