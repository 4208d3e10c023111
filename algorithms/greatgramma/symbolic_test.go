package greatgramma

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/seed"
)

// randomRecognizer compiles the grammar of a random spec; nil if it cannot be used.
func randomRecognizer(t *testing.T, seed uint64) *recognizer.Recognizer {
	return realtext.Recognizer(t, conformance.Random(seed).Grammar, false)
}

// stacksOf shifts random acceptable terminals and returns the stacks on the way.
func stacksOf(r *recognizer.Recognizer, rng *rand.Rand, length int) []lr.Stacks {
	list := []lr.Stacks{r.Tables.Start()}
	for len(list) < length {
		s := list[len(list)-1]
		terms := slices.DeleteFunc(r.Tables.Acceptable(s, nil), func(x grammar.Terminal) bool { return x == r.Tables.End() })
		if len(terms) == 0 {
			break
		}
		next, ok := r.Tables.Shift(s, terms[rng.IntN(len(terms))])
		if !ok {
			break
		}
		list = append(list, next)
	}
	return list
}

// TestVerdicts holds the symbolic runs to their promise: on real stacks with the LR state on top,
// what is always accepted is accepted, and what never is is refused.
func TestVerdicts(t *testing.T) {
	seeds := seed.Rounds(60, 100, 300)
	var count [4]int
	accepted := 0
	for seed := range seed.Each(t, seeds) {
		r := randomRecognizer(t, seed)
		if r == nil || r.Lexer.NumSets() == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		m := newSymbolic(r)
		for s := range lexer.Set(r.Lexer.NumSets()) {
			m.addSymbol(r, r.Lexer.Members(s), false)
		}
		m.addReaches(r)
		for _, stacks := range stacksOf(r, rng, 12) {
			for range 30 {
				sequence := make([]lexer.Set, rng.IntN(4))
				for i := range sequence {
					sequence[i] = lexer.Set(rng.IntN(r.Lexer.NumSets()))
				}
				reach := lexer.ReachID(rng.IntN(r.Lexer.NumReaches()))
				real := runReal(r, stacks, sequence, reach)
				best := never
				for i := range stacks.NumTops() {
					best = max(best, runSymbolic(m, stacks.TopNode(i).State, sequence, reach))
				}
				count[best]++
				if best == contextual && real {
					accepted++
				}
				if best == always && !real || best == never && real {
					t.Fatalf("seed %d: stacks %v, sets %v, reach %v: verdict %d, but the parser says %v\n%s",
						seed, stacks.Describe(), sequence, reach, best, real, conformance.Random(seed).Grammar)
				}
			}
		}
	}
	t.Logf("never %d, context-dependent %d (%d accepted), always %d", count[never], count[contextual], accepted, count[always])
	if count[never] == 0 || count[always] == 0 || accepted == 0 || accepted == count[contextual] {
		t.Error("some verdict did not come up: the test does not test it")
	}
}

func runReal(r *recognizer.Recognizer, stacks lr.Stacks, sequence []lexer.Set, id lexer.ReachID) bool {
	s := recognizer.State{Stacks: stacks}
	for _, set := range sequence {
		var ok bool
		if s, ok = r.EmitSet(s, set); !ok {
			return false
		}
	}
	reach := r.Lexer.ReachSet(id)
	return reach.Ignored || r.Tables.AcceptsAny(s.Stacks, reach.Parser)
}

func runSymbolic(m *symbolic, top int32, sequence []lexer.Set, id lexer.ReachID) verdict {
	c := m.start(top)
	for _, set := range sequence {
		if c = m.step(c, int32(set)); c == dead {
			return never
		}
	}
	return m.judge(c, id)
}

// TestTaker compares what all terminals together find with the parser asked about each.
func TestTaker(t *testing.T) {
	stacks, forks := 0, 0
	for seed := range seed.Each(t, 200) {
		r := randomRecognizer(t, seed)
		if r == nil {
			continue
		}
		m := newSymbolic(r)
		tk := taker{tables: r.Tables, reductions: m.reductions, exact: !m.mayLoop && r.Tables.Deterministic()}
		out := r.Tables.NewSet()
		for _, s := range stacksOf(r, rand.New(rand.NewPCG(seed, 6)), 20) {
			tk.into(out, s)
			for x := range grammar.Terminal(r.Tables.NumTerminals()) {
				if got, want := intersects(out, []grammar.Terminal{x}), r.Tables.Accepts(s, x); got != want {
					t.Fatalf("seed %d: stacks %v, terminal %d: %v, the parser says %v", seed, s.Describe(), x, got, want)
				}
			}
			stacks++
			if s.NumTops() > 1 {
				forks++
			}
		}
	}
	t.Logf("%d stacks, %d with several tops", stacks, forks)
}

// TestPaperExample is figure 1 of the paper: B is an a and b's, C an a and c's, and sentences go
// BCBC...
func TestPaperExample(t *testing.T) {
	tokens := []string{"a", "b", "c", "ab", "ac", "aba"}
	p := problemOf(t, "B: /ab*/\nC: /ac+/\nstart: (B C)*\n", false, tokens...)
	for _, prune := range []bool{false, true} {
		e := newEngine(p, settings{memo: true, slices: true, prune: prune, always: true, share: true, maxBytes: MaxBytes, maxHeld: MaxHeld})
		if err := e.buildAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		q2 := p.Lexer.Next(p.Lexer.Next(p.Lexer.Start(), 'a'), 'b')
		for _, c := range []struct {
			in       lexer.State
			sequence string
			want     string
		}{
			{p.Lexer.Start(), "BC", "aba"}, // the paper: aba is in T_inv(q0, BC)
			{q2, "BC", "a ac"},             // and ac in T_inv(q2, BC)
			{q2, "BBB", map[bool]string{false: "aba", true: ""}[prune]},
		} {
			if got := tokensOf(e, c.in, c.sequence, tokens); got != c.want {
				t.Errorf("prune %v: T_inv(%d, %s) is %q, want %q", prune, c.in, c.sequence, got, c.want)
			}
		}
	}
}

// tokensOf is an entry of the paper's inverse token spanner table: the tokens that from lexer state
// q emit a sequence of terminals, named by letters, but for the last, which may come of what is
// pending.
func tokensOf(e *engine, q lexer.State, sequence string, tokens []string) string {
	r := e.roots[q]
	var path []string
	var found []string
	g := e.problem.Grammar
	for i, x := range r.shape.entries {
		path = path[:r.shape.depths[i]]
		if !x.isReach() {
			path = append(path, g.Terminals[e.view.emits[x.what].parsed[0]].Name)
			continue
		}
		for _, t := range e.problem.Lexer.ReachSet(x.reach()).Terminals() {
			if strings.Join(path, "")+g.Terminals[t].Name != sequence {
				continue
			}
			words := make([]uint64, 1)
			e.view.groups[r.groups[x.link]].addTo(words)
			for id, s := range tokens {
				if words[0]&(1<<id) != 0 {
					found = append(found, s)
				}
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

func TestSymbolOfLayout(t *testing.T) {
	p := problemOf(t, "start: \"p\" NL\nNL: /\\n */\n%declare INDENT DEDENT\n%layout newline=NL indent=INDENT dedent=DEDENT open=\"(\" close=\")\" tab=8\nx: \"(\" \")\" INDENT DEDENT\n", false, "p\n", "\n", " ", "p\n p")
	e := newEngine(p, settings{memo: true, slices: true, maxBytes: MaxBytes, maxHeld: MaxHeld})
	b := e.builder
	if err := e.buildAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	var columns []spanner.Column
	for x, em := range e.view.emits {
		if em.newline {
			columns = append(columns, em.column)
			if b.class[x] != b.lineOf {
				t.Error("newline lexemes of several columns are several symbols to the parser")
			}
		}
	}
	if len(columns) == 0 {
		t.Error("no newline lexeme was met")
	}
}
