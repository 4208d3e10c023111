package lr

import (
	"math/rand/v2"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// Both forms of a matrix hold what a dense one would.
func TestComb(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	b := &budget{ctx: t.Context()}
	for range 200 {
		columns := 1 + rng.IntN(90)
		rows := make([][]combEntry, rng.IntN(60))
		fill := rng.Float64()
		for r := range rows {
			if r > 0 && rng.IntN(4) == 0 {
				rows[r] = rows[rng.IntN(r)]
				continue
			}
			for c := range columns {
				if rng.Float64() < fill*fill {
					rows[r] = append(rows[r], combEntry{int32(c), Action(1 + rng.IntN(3))})
				}
			}
		}
		c, err := newMatrix(b, sparseOf(rows), columns, true)
		if err != nil || c.cells == nil {
			t.Fatalf("seed %d: packed: %t, %v", seed, c.cells != nil, err)
		}
		sorted, err := newMatrix(b, sparseOf(rows), columns, false)
		if err != nil {
			t.Fatal(err)
		}
		for r, row := range rows {
			dense := make([]Action, columns)
			for _, e := range row {
				dense[e.column] = e.value
			}
			for k, want := range dense {
				for form, m := range map[string]*matrix{"packed": &c, "sorted": &sorted} {
					got, list := m.get(int32(r), int32(k)), m.list(int32(r), int32(k))
					if got != want || (len(list) == 1) != (want != 0) || len(list) == 1 && list[0] != want {
						t.Fatalf("seed %d: %s: (%d,%d) is %d, want %d", seed, form, r, k, got, want)
					}
				}
			}
		}
	}
}

// sparseOf is a matrix with the given rows. Every other row whose values are all the same has a
// single entry for any column.
func sparseOf(rows [][]combEntry) sparse {
	s := newSparse(len(rows), 0)
	any := newSetTableBuilder(len(rows), 128)
	for r, row := range rows {
		set := bitset.New(128)
		same := len(row) > 0 && r%2 == 0
		for _, e := range row {
			bitset.Add(set, e.column)
			same = same && e.value == row[0].value
		}
		any.add(set)
		if same {
			s.add(anyColumn, row[0].value)
			row = nil
		}
		for _, e := range row {
			s.add(e.column, e.value)
		}
		s.endRow()
	}
	s.any = &any.setTable
	return s
}

func TestSets(t *testing.T) {
	g := compact("E -> T R; R -> + T R | ; T -> F Q; Q -> * F Q | ; F -> ( E ) | id; U -> U id")
	s, err := NewSets(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nonterminal   int
		nullable      bool
		first, follow string
		end           bool
	}{
		{0, false, "( id", ")", true},
		{1, true, "+", ")", true},
		{2, false, "( id", "+ )", true},
		{3, true, "*", "+ )", true},
		{4, false, "( id", "* + )", true},
		{5, false, "", "", false},
	} {
		n := grammar.Nonterminal(c.nonterminal)
		name := g.Nonterminals[n].Name
		if s.Nullable(n) != c.nullable {
			t.Errorf("%s: nullable %t", name, !c.nullable)
		}
		checkSet(t, g, "FIRST of "+name, s.First(n), c.first, false)
		checkSet(t, g, "FOLLOW of "+name, s.Follow(n), c.follow, c.end)
	}
	if _, err := NewSets(compact("S -> S a")); err == nil {
		t.Error("sets of a grammar that derives nothing")
	}
}

func checkSet(t *testing.T, g *grammar.Grammar, what string, got []uint64, want string, end bool) {
	t.Helper()
	set := bitset.New(len(g.Terminals) + 1)
	for _, x := range words(t, g, want) {
		bitset.Add(set, int32(x))
	}
	if end {
		bitset.Add(set, int32(len(g.Terminals)))
	}
	for i := range set {
		if set[i] != got[i] {
			t.Errorf("%s is %b, want %b", what, got, set)
		}
	}
}
