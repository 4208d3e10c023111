package parserdwa

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// pairs is a language of brackets of two kinds around one of two atoms.
const pairs = "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\" | \"y\"\n"

var pairsTokens = []string{"(", "[", "x", "y", ")", "]", "))", ")]", "])", "(x)", "x)", ")))"}

// stateAt takes a new generation through a text of one-byte tokens.
func stateAt(t testing.TB, e *engine, text string) *algorithms.Filling {
	t.Helper()
	g := e.Start().(*algorithms.Filling)
	for _, c := range text {
		commit(t, g, g.Problem().Vocabulary, string(c))
	}
	return g
}

// decisions reads the stack of a generation by hand, symbol by symbol, and writes down which tokens
// each accepts: the weights of the path. It ends where nothing is waiting any more.
func decisions(e *engine, g *algorithms.Filling) []string {
	a := e.current.Load()
	s, node := a.root(g.State.Lexer).plain, g.State.Stacks.TopNode(0)
	var list []string
	for {
		arc := a.step(s, node.State)
		mask := make([]uint64, a.weights.size)
		arc.weight.orInto(mask)
		list = append(list, legal(g.Problem().Vocabulary, algorithms.MaskOf(mask, g.Problem().Vocabulary.Len())))
		if arc.to == nil || node.NumUnder() == 0 {
			return list
		}
		s, node = arc.to, node.Under(0)
	}
}

// TestDecisions works out by hand when each token is decided: "maintain a decided set as you go;
// when everything left is decided, stop". What is pending is not on the stack yet.
func TestDecisions(t *testing.T) {
	e := engineOf(t, realtext.Small(t, pairs, false, pairsTokens), nil)
	for _, c := range []struct {
		text string
		want []string // by symbol of the stack, from the top
	}{
		// The stack is the start state alone. A token's closing bracket closes its own opening one.
		{"", []string{"( [ x y (x)"}},
		// "(" is pending on the start state; what follows is decided by the terminal that it
		// becomes. With "x)" the bracket that is closed is the pending one.
		{"(", []string{"( [ x y (x) x)"}},
		// The stack is ( ( and x is pending: it needs no look to close the inner bracket, and one
		// more for each after it: on the first symbol ")" is decided, which ends pending, on the
		// second "))" that closes both. ")))" waits, and is refused by the start state at the
		// bottom.
		{"((x", []string{")", "))", ""}},
		// One of each kind, the inner one is the top.
		{"[(x", []string{")", ")]"}},
		{"([x", []string{"]", "])"}},
		// The pending bracket itself takes the atom, which is on the stack, and the "(" below. Then
		// as before: the next symbol is the bracket that what comes closes.
		{"(((x)", []string{"", "", ")", "))", ""}},
		{"[((x)", []string{"", "", ")", ")]"}},
		// One more, and the longest token is legal, too.
		{"((((x)", []string{"", "", ")", "))", ")))"}},
		{"(x)", []string{"", "", ""}},
	} {
		g := stateAt(t, e, c.text)
		if got := decisions(e, g); !slices.Equal(got, c.want) {
			t.Errorf("behind %q: %q, want %q", c.text, got, c.want)
		}
		all := strings.Fields(strings.Join(c.want, " "))
		if c.text == "(x)" {
			all = append(all, "<eos>")
		}
		mask := strings.Fields(legal(g.Problem().Vocabulary, g.Mask()))
		slices.Sort(all)
		slices.Sort(mask)
		if !slices.Equal(mask, all) {
			t.Errorf("behind %q: the mask is %q, want the union %q", c.text, mask, all)
		}
	}
}

// arcsBehind is the automaton's states along the stack of a text.
func arcsBehind(t testing.TB, e *engine, text string) []*state {
	t.Helper()
	a, g := e.current.Load(), stateAt(t, e, text)
	s, node := a.root(g.State.Lexer).plain, g.State.Stacks.TopNode(0)
	list := []*state{s}
	for {
		if s = a.step(s, node.State).to; s == nil {
			return list
		}
		list = append(list, s)
		if node.NumUnder() == 0 {
			return list
		}
		node = node.Under(0)
	}
}

// TestStatesAreMerged says which stacks lead to one state of the determinized automaton, n symbols
// down: those after which the same items wait, whatever was read before.
func TestStatesAreMerged(t *testing.T) {
	e := engineOf(t, realtext.Small(t, pairs, false, pairsTokens), nil)
	for _, c := range []struct {
		about, a, b string
		depth       int
		same        bool
	}{
		{"the same stack", "((x", "((x", 1, true},
		{"what is below was not read", "((x", "[(x", 1, true},
		{"another atom is pending, of which nothing is left", "((x)", "((y)", 1, true},
		{"another bracket is pending", "((x)", "([x]", 1, false},
		{"the bracket was read, and its kind does not matter any more", "(((x)", "([(x)", 2, true},
		{"a pending bracket waits for its partner", "(((x)", "(((x", 2, false},
		{"where nothing waits there is no state", "(", "[", 1, false},
	} {
		a, b := arcsBehind(t, e, c.a), arcsBehind(t, e, c.b)
		same := len(a) > c.depth && len(b) > c.depth && a[c.depth] == b[c.depth]
		if same != c.same {
			t.Errorf("%s: %q and %q share a state %d symbols down: %v", c.about, c.a, c.b, c.depth, same)
		}
	}
}

// TestNormalForm composes pushes and pops by hand: what a token pushes and pops again itself never
// reaches the stack.
func TestNormalForm(t *testing.T) {
	p := realtext.Small(t, pairs, false, []string{"(", ")", "x", "(x)", "((x))", "(x))", "(x]", "[(x)]", "((x)", "()"})
	e := engineOf(t, p, nil)
	for _, c := range []struct {
		text string
		want []string
	}{
		// What opens and closes its own brackets is decided without a look below the top, as what
		// opens only.
		{"", []string{"( x (x) ((x)) [(x)] ((x)"}},
		// "(x))" closes one that it did not open: the pending one.
		{"(", []string{"( x (x) ((x)) (x)) [(x)] ((x)"}},
		{"((", []string{"( x (x) ((x)) (x)) [(x)] ((x)"}},
		// What opens is refused once there is an atom.
		{"(x", []string{")"}},
	} {
		if got := decisions(e, stateAt(t, e, c.text)); !slices.Equal(got, c.want) {
			t.Errorf("behind %q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestUnionsOnForks reads graphs of stacks: the mask is the union of what each stack alone would
// give.
func TestUnionsOnForks(t *testing.T) {
	p := realtext.Small(t, "%lexer all\n%conflicts keep\nstart: a \"1\" | b \"2\" | \"(\" a \")\" | \"[\" b \"]\"\na: X | \"z\" a\nb: Y | \"z\" b\nX: /x/\nY: /x|y/\n", false,
		[]string{"x", "y", "z", "1", "2", "(", "[", ")", "]", "zx1", "zy2", "x1", "x2", "12"})
	for _, c := range []struct {
		text, want string
		tops       int
	}{
		{"", "x y z ( [ zx1 zy2 x1 x2", 1},
		{"x", "1 2", 1},
		{"y", "2", 1},
		{"z", "x y z zx1 zy2 x1 x2", 1},
		{"zx", "1 2", 1},
		{"zy", "2", 1},
		{"(x", ")", 1},
		{"[x", "]", 1},
		{"[y", "]", 1},
		{"(z", "x z", 1},
		// The lexeme "x" was emitted as both terminals, and there are two stacks.
		{"x1", "<eos>", 2},
		{"zx2", "<eos>", 2},
		{"zzx2", "<eos>", 2},
		{"y2", "<eos>", 1},
		{"(x)", "<eos>", 1},
	} {
		for _, o := range []algorithms.Options{nil, {"determinize": "none"}, {"determinize": "eager"}} {
			g := stateAt(t, engineOf(t, p, o), c.text)
			if got := legal(p.Vocabulary, g.Mask()); got != c.want {
				t.Errorf("%v, behind %q: %q, want %q", o, c.text, got, c.want)
			}
			if got := g.State.Stacks.NumTops(); got != c.tops {
				t.Errorf("behind %q: %d stacks, want %d", c.text, got, c.tops)
			}
		}
	}
}
