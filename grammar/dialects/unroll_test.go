package dialects

import (
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
)

// TestUnrolled: the text has loops of classes, and the automaton is that of the expression before.
func TestUnrolled(t *testing.T) {
	c, d := automata.Range('a', 'b'), automata.Range('x', 'y')
	one, two := automata.Literal("!", 0), automata.Literal("--", 0)
	choice := automata.Alternate(c, one)
	for _, test := range []struct {
		e    *automata.Expr
		want string
	}{
		{automata.Repeat(choice, 0, -1), `[ab]* ("!" [ab]*)*`},
		{automata.Repeat(choice, 1, -1), `([ab] | "!") [ab]* ("!" [ab]*)*`},
		{automata.Repeat(choice, 3, -1), `([ab] | "!"){3} [ab]* ("!" [ab]*)*`},
		{automata.Repeat(choice, 0, 3), `([ab] | "!"){0,3}`},
		{automata.Repeat(automata.Alternate(one, c, two, d), 0, -1), `[ab]* (("!" | "--" | [xy]) [ab]*)*`},
		{automata.Repeat(automata.Alternate(one, two), 0, -1), `("!" | "--")*`},
		{automata.Repeat(c, 0, -1), `[ab]*`},
		{automata.Repeat(automata.Alternate(c, automata.Concat(two, automata.Repeat(automata.Alternate(d, one), 0, -1))), 0, -1), ""},
	} {
		made := unrolled(test.e)
		if got := ebnfNotation().print(made, asChoice); test.want != "" && got != test.want {
			t.Errorf("%v is written %s, want %s", test.e, got, test.want)
		}
		before := must.Get(automata.Compile(test.e, automata.DefaultLimits))(t)
		after := must.Get(automata.Compile(made, automata.DefaultLimits))(t)
		if !same(before, after) {
			t.Errorf("%v and %v are two languages", test.e, made)
		}
	}
}

// same tells whether two automata, which are minimal, accept the same texts: whether they walk
// together.
func same(a, b *automata.DFA) bool {
	pairs := map[int32]int32{a.Start(): b.Start()}
	for queue := []int32{a.Start()}; len(queue) > 0; queue = queue[1:] {
		p, q := queue[0], pairs[queue[0]]
		if a.Accepting(p) != b.Accepting(q) {
			return false
		}
		for c := range 256 {
			to, with := a.Next(p, byte(c)), b.Next(q, byte(c))
			if (to == automata.Dead) != (with == automata.Dead) {
				return false
			}
			if to == automata.Dead {
				continue
			}
			if known, ok := pairs[to]; !ok {
				pairs[to] = with
				queue = append(queue, to)
			} else if known != with {
				return false
			}
		}
	}
	return a.NumStates() == b.NumStates()
}
