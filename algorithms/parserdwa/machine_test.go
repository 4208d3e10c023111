package parserdwa

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// problem compiles a grammar in Lark's language, or an embedded one by name, with a vocabulary.
func problem(t testing.TB, source string, tokens ...string) *algorithms.Problem {
	t.Helper()
	g, err := languages.Load(t.Context(), source)
	if err != nil {
		g, err = lark.Parse([]byte(source), lark.Options{File: "test.lark"})
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &algorithms.Problem{Recognizer: r, Vocabulary: realtext.Vocabulary(t, tokens...)}
}

// calculator is deterministic, with chains of unit reductions and an empty rule.
const calculator = `
start: sum
sum: product | sum "+" product
product: atom | product "*" atom
atom: /[0-9]+/ | "(" sum ")" | "f" "(" args ")"
args: | list
list: sum | list "," sum
%ignore " "
`

// parsed is a random walk of the parser: a stack that some input leads to, from which it goes on.
func parsed(rng *rand.Rand, t *lr.Tables, steps int) lr.Stacks {
	s, before := t.Start(), t.Start()
	for range rng.IntN(steps) {
		next := t.Acceptable(s, nil)
		next = slices.DeleteFunc(next, func(x grammar.Terminal) bool { return x == t.End() })
		if len(next) == 0 {
			return before
		}
		before = s
		s, _ = t.Shift(s, next[rng.IntN(len(next))])
	}
	return s
}

// run applies the template of a terminal to a whole stack, top last; nil if it refuses. At the
// bottom there is nothing to pop.
func (t *templates) run(stack []int32, terminal int32) []int32 {
	stack = slices.Clone(stack)
	e := t.start(terminal, stack[len(stack)-1])
	for e.kind == pop {
		stack = stack[:len(stack)-1-int(e.pops)]
		e = t.over(terminal, stack[len(stack)-1], e.lhs)
	}
	if e.kind == refuse {
		return nil
	}
	return append(stack, e.pushes...)
}

// TestTemplates runs templates on the stacks of random texts: they must do what the parser does.
func TestTemplates(t *testing.T) {
	seeds := seed.Each(t, 60)
	for _, source := range []string{calculator, "json", "java", "go"} {
		p := problem(t, source)
		tables := p.Tables
		templates := newTemplates(tables)
		shifted, refused := 0, 0
		for seed := range seeds {
			s := parsed(rand.New(rand.NewPCG(seed, 7)), tables, 40)
			stack := s.Describe()[0]
			for x := range int32(tables.NumTerminals()) {
				got := templates.run(stack, x)
				want, ok := tables.Shift(s, grammar.Terminal(x))
				if !ok {
					refused++
					if got != nil {
						t.Fatalf("seed %d, terminal %s: the template shifts, the parser does not", seed, p.Grammar.TerminalName(grammar.Terminal(x)))
					}
					continue
				}
				shifted++
				if !slices.Equal(got, want.Describe()[0]) {
					t.Fatalf("seed %d, terminal %s: stack %v, want %v", seed, p.Grammar.TerminalName(grammar.Terminal(x)), got, want.Describe()[0])
				}
			}
		}
		if shifted == 0 || refused == 0 {
			t.Errorf("%d shifted, %d refused: nothing was tested", shifted, refused)
		}
	}
}

// any applies the template of a set of terminals to a whole stack.
func (t *templates) any(stack []int32, p *probe) bool {
	if p.accepts {
		return true
	}
	for _, e := range p.pops {
		if left := len(stack) - 1 - int(e.pops); left > 0 {
			if t.any(stack[:left], t.overSet(e.label, stack[left-1], e.lhs)) {
				return true
			}
		}
	}
	return false
}

// TestSetTemplates compares the templates of random sets of terminals with the parser.
func TestSetTemplates(t *testing.T) {
	seeds := seed.Each(t, 400)
	for _, source := range []string{calculator, "json", "java", "go"} {
		tables := problem(t, source).Tables
		templates := newTemplates(tables)
		verdicts := map[bool]int{}
		for seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 8))
			s := parsed(rng, tables, 40)
			stack := s.Describe()[0]
			set := tables.NewSet()
			for range 1 + rng.IntN(5) {
				x := rng.IntN(tables.NumTerminals())
				bitset.Add(set, x)
			}
			want := tables.AcceptsAny(s, set)
			if got := templates.any(stack, templates.startSet(templates.set(set), stack[len(stack)-1])); got != want {
				t.Fatalf("seed %d: %v for %v, want %v", seed, got, slices.Collect(bitset.All[int](set)), want)
			}
			verdicts[want]++
		}
		if len(verdicts) < 2 {
			t.Errorf("verdicts %v: nothing was tested", verdicts)
		}
	}
}

// lexed is the terminal sequence of a token read from lexer state q by the contract's rule, without
// what the parser never sees; false if the bytes are illegal.
func lexed(l lexer.Automaton, g *grammar.Grammar, q lexer.State, token []byte) (sequence []lexer.Set, reach lexer.ReachID, ok bool) {
	for _, b := range token {
		if to := l.Next(q, b); to != lexer.None {
			q = to
			continue
		}
		ends := l.Ends(q)
		if len(ends) == 0 || l.Next(l.Start(), b) == lexer.None {
			return nil, 0, false
		}
		set := ends[0].Set
		if slices.ContainsFunc(l.Members(set), func(t grammar.Terminal) bool { return !g.Terminals[t].Ignored }) {
			sequence = append(sequence, set)
		}
		q = l.Next(l.Start(), b)
	}
	return sequence, l.Reach(q), true
}

// paths lists the tokens of the terminal DWA below a node, each with its path.
func (t *terminalDWA) paths(id int32, path string, into map[int]string) error {
	n := t.expand(id)
	for _, f := range n.finals {
		mask := make([]uint64, t.weights.size)
		t.finals[f].weight.orInto(mask)
		for token := range bitset.All[int](mask) {
			if at, ok := into[token]; ok {
				return fmt.Errorf("token %d is on the paths %s and %s", token, at, path)
			}
			into[token] = fmt.Sprint(path, " reach ", t.finals[f].reach)
		}
	}
	for _, e := range n.edges {
		if err := t.paths(e.to, fmt.Sprint(path, " ", t.labels.list[e.label].terms), into); err != nil {
			return err
		}
	}
	return nil
}

// TestTerminalDWA compares the automaton with lexing each token by itself, from every lexer state.
func TestTerminalDWA(t *testing.T) {
	alphabet := []string{"1", "23", "+", "*", "(", ")", " ", "  ", "f", ",", "f(", "1+", "+1", ")) ", " ) ", "1+2*3", "(((", "1 2", "f (1", "", "1", "@", "1@"}
	for _, c := range []struct{ about, grammar string }{
		{"first", calculator},
		{"all", "%lexer all\n" + calculator},
		{"ignored or not", "%lexer all\nstart: (/[0-9]+/ | \"+\" | \"f\" | /[( ]+/)*\n%ignore / +/\n"},
	} {
		t.Run(c.about, func(t *testing.T) {
			p := problem(t, c.grammar, alphabet...)
			a := newAutomaton(p, 1<<40, true)
			d := a.composer.terminals
			for q := range lexer.State(p.Lexer.NumStates()) {
				plain, line := d.root(q)
				if line >= 0 {
					t.Fatal("a start node for the layout, without a layout")
				}
				got := map[int]string{}
				if err := d.paths(plain, "", got); err != nil {
					t.Fatal(err)
				}
				count := 0
				for id, token := range alphabet {
					sequence, reach, ok := lexed(p.Lexer, p.Grammar, q, []byte(token))
					if !ok || token == "" {
						continue
					}
					count++
					want := ""
					for _, set := range sequence {
						want = fmt.Sprint(want, " ", d.labels.list[d.labels.of(set, noLine)].terms)
					}
					if want = fmt.Sprint(want, " reach ", reach); got[id] != want {
						t.Errorf("state %d, token %q: path %q, want %q", q, token, got[id], want)
					}
				}
				if count != len(got) {
					t.Errorf("state %d: %d tokens, want %d", q, len(got), count)
				}
				if w := d.tokens(plain); count > 0 && tokensOf(w) != count || count == 0 && w != nil {
					t.Errorf("state %d: the weight of the start node is not all its tokens", q)
				}
			}
		})
	}
}

// TestNodesAreShared checks that equal rests of tokens are one node, whatever lexer state they came
// from.
func TestNodesAreShared(t *testing.T) {
	p := problem(t, calculator, "1", "+(", "*(", ")(", "+", "(")
	a := newAutomaton(p, 1<<40, true)
	for q := range lexer.State(p.Lexer.NumStates()) {
		a.composer.terminals.root(q)
	}
	places := map[string]bool{}
	for _, n := range a.composer.terminals.nodes {
		if key := fmt.Sprint(n.at); len(n.at) > 0 {
			if places[key] {
				t.Errorf("two nodes for the places %s", key)
			}
			places[key] = true
		}
	}
}

// TestLookup compares with a map.
func TestLookup(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	var l lookup
	known := map[lookupKey]int32{}
	for range 20000 {
		k := lookupKey{rng.Int32N(30), rng.Int32N(30), rng.Int32N(20) - 1}
		want, ok := known[k]
		if !ok {
			want = int32(len(known))
			known[k] = want
		}
		if n, isNew := l.number(k); n != want || isNew == ok {
			t.Fatalf("%v: number %d, new %v; want %d, %v", k, n, isNew, want, !ok)
		}
	}
}

// TestArcs inserts arcs and finds them, and no others.
func TestArcs(t *testing.T) {
	a := &automaton{}
	for _, n := range []int{0, 1, 2, 3, 17, 1000} {
		s := &state{}
		for i := range n {
			a.insert(s, &arc{symbol: int32(i * 7)})
		}
		for i := range n * 7 {
			if found := s.find(int32(i)); (found != nil) != (i%7 == 0) || found != nil && found.symbol != int32(i) {
				t.Errorf("%d arcs: wrong answer for %d", n, i)
			}
		}
		if s.find(-5) != nil {
			t.Errorf("%d arcs: one that was not put in", n)
		}
	}
	if want := 1023; a.arcs != want {
		t.Errorf("%d arcs counted, want %d", a.arcs, want)
	}
}
