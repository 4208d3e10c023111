package regular

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lark"
	"gcdbench/internal/must"
)

func parse(t *testing.T, text string) *grammar.Grammar {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	return g
}

func accepts(d *automata.DFA, text string) bool {
	s := d.Start()
	for i := range len(text) {
		s = d.Next(s, text[i])
	}
	return d.Accepting(s)
}

// TestCompile: texts of grammars with each kind of recursion.
func TestCompile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		states     int
		in, out    []string
	}{
		{"no recursion", `start: "a" x | x "b"` + "\n" + `x: "c" | "d"`, 4, []string{"ac", "ad", "cb", "db"}, []string{"", "a", "c", "acb"}},
		{"left", `start: "[" list "]"` + "\n" + `list: list "," "x" | "x"`, 4, []string{"[x]", "[x,x,x]"}, []string{"[]", "[x,]", "[,x]"}},
		{"right", `start: "[" list "]"` + "\n" + `list: "x" "," list | "x"`, 4, []string{"[x]", "[x,x]"}, []string{"[]", "[x,]"}},
		{"two that lead to each other", "start: a \";\"\na: \"x\" b | \"y\"\nb: \"z\" a", 4, []string{"y;", "xzy;", "xzxzy;"}, []string{"xy;", "xz;", "y"}},
		{"two on the left", "start: a\na: b \"x\" | \"y\"\nb: a \"z\"", 3, []string{"y", "yzx", "yzxzx"}, []string{"yz", "zx"}},
		{"one list twice", "start: l \"-\" l\nl: l \"x\" | \"x\"", 4, []string{"x-x", "xx-xxx"}, []string{"-", "x-", "xx"}},
		{"ignored", "start: \"a\" \"b\"\n%ignore \" \"", 3, []string{"ab", " a  b "}, []string{"a", " ", "abb"}},
		{"empty", "start: \"a\" start |", 1, []string{"", "aa"}, []string{"b"}},
	} {
		d, err := Compile(t.Context(), parse(t, c.text), automata.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d.NumStates() != c.states {
			t.Errorf("%s: %d states, expected %d", c.name, d.NumStates(), c.states)
		}
		for _, s := range c.in {
			if !accepts(d, s) {
				t.Errorf("%s: %q is refused", c.name, s)
			}
		}
		for _, s := range c.out {
			if accepts(d, s) {
				t.Errorf("%s: %q is accepted", c.name, s)
			}
		}
	}
}

// TestErrors: what has no automaton is refused with its reason.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"start: v\nv: \"[\" v \"]\" | \"x\"", `in the rule v -> "[" v "]", v leads back`},
		{"start: v\nv: v \"+\" v | \"x\"", `v -> v "+" v`},
		{"start: v\nv: v \"a\" | \"b\" v | \"x\"", "neither all recursion there is at the left end nor all at the right"},
		{"start: v\nv: \"a\" w \"b\" | \"x\"\nw: v \"c\"", "leads back"},
	} {
		_, err := Compile(t.Context(), parse(t, c.text), automata.Limits{})
		var recursion *RecursionError
		if !errors.As(err, &recursion) || !strings.Contains(err.Error(), c.want) || recursion.Pos.Line == 0 {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	copies := "start: a0 a0\n"
	for i := range 40 {
		copies += fmt.Sprintf("a%d: a%d \"x\" a%d\n", i, i+1, i+1)
	}
	copies += "a40: \"y\""
	var limit *automata.LimitError
	if _, err := Compile(t.Context(), parse(t, copies), automata.Limits{}); !errors.As(err, &limit) || limit.Name != "MaxPositions" {
		t.Errorf("2^40 copies: %v", err)
	}
	if _, err := Compile(t.Context(), parse(t, "start: /(a|b)*a(a|b){12}/ \"c\" | \"d\""), automata.Limits{MaxStates: 100}); !errors.As(err, &limit) || limit.Name != "MaxStates" {
		t.Errorf("many subsets: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compile(ended, parse(t, `start: "a"`), automata.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	layout := &grammar.Grammar{Layout: &grammar.Layout{}}
	if _, err := Compile(t.Context(), layout, automata.Limits{}); !errors.Is(err, ErrLayout) {
		t.Errorf("layout: %v", err)
	}
}

// drawn is a random grammar over "a" and "b", of which each nonterminal recurs at one end at most:
// n1 and n2 at an end that is drawn for each, n0 not at all.
func drawn(r *rand.Rand) *grammar.Grammar {
	g := &grammar.Grammar{Name: "drawn"}
	for _, c := range []string{"a", "b"} {
		g.Terminals = append(g.Terminals, grammar.TerminalDef{Name: c, Expr: automata.Literal(c, 0), Source: c, MaxWidth: 1, Literal: true})
	}
	for n := range grammar.Nonterminal(3) {
		g.Nonterminals = append(g.Nonterminals, grammar.NonterminalDef{Name: fmt.Sprintf("n%d", n)})
		atLeft := r.IntN(2) == 0
		for k := range 1 + r.IntN(3) {
			var body []grammar.Symbol
			for range r.IntN(3) {
				if later := int(n) + 1 + r.IntN(3); later < 3 && r.IntN(2) == 0 {
					body = append(body, grammar.N(grammar.Nonterminal(later)))
				} else {
					body = append(body, grammar.T(grammar.Terminal(r.IntN(2))))
				}
			}
			switch {
			case k == 0 || n == 0:
			case atLeft:
				body = append([]grammar.Symbol{grammar.N(n)}, body...)
			default:
				body = append(body, grammar.N(n))
			}
			g.Rules = append(g.Rules, grammar.Rule{LHS: n, RHS: body})
		}
	}
	return g
}

// longest bounds the texts that TestDrawn compares.
const longest = 7

// words are the texts of each nonterminal of at most longest bytes, by the least fixed point of the
// rules: nothing of automata.
func words(g *grammar.Grammar) []map[string]bool {
	of := make([]map[string]bool, len(g.Nonterminals))
	for n := range of {
		of[n] = map[string]bool{}
	}
	for changed := true; changed; {
		changed = false
		for _, r := range g.Rules {
			texts := map[string]bool{"": true}
			for _, s := range r.RHS {
				next := map[string]bool{}
				for t := range texts {
					if s.IsTerminal() {
						next[t+g.Terminals[s.Terminal()].Source] = true
						continue
					}
					for w := range of[s.Nonterminal()] {
						next[t+w] = true
					}
				}
				texts = next
			}
			for t := range texts {
				if len(t) <= longest && !of[r.LHS][t] {
					of[r.LHS][t], changed = true, true
				}
			}
		}
	}
	return of
}

// TestDrawn: automata of random grammars have exactly the texts of the rules.
func TestDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	looped, texts := 0, 0
	for i := range 1000 {
		g := drawn(r)
		d, err := Compile(t.Context(), g, automata.Limits{})
		if err != nil {
			t.Fatalf("grammar %d: %v", i, err)
		}
		want := words(g)[g.Start]
		texts += len(want)
		for n := range longest + 1 {
			for k := range 1 << n {
				text := strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%0*b", n, k)[:n])
				if n == 0 {
					text = ""
				}
				if accepts(d, text) != want[text] {
					t.Fatalf("grammar %d %v: %q: %v, expected %v", i, g.Rules, text, accepts(d, text), want[text])
				}
			}
		}
		if len(want) > longest {
			looped++
		}
	}
	if looped < 50 || texts < 1000 {
		t.Errorf("%d grammars with more than %d texts, %d texts: too few to prove anything", looped, longest, texts)
	}
}
