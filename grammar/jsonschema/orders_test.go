package jsonschema

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// crowded are schemas whose parts come to limits, one beside the other: what one part takes must
// not be missing to the next.
func crowded() map[string]string {
	// times is a text so many times, with its number in place of a mark.
	times := func(n int, mark, text string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.ReplaceAll(text, mark, fmt.Sprint(i))
		}
		return strings.Join(list, ", ")
	}
	inside := func(n int, text string) string { // of objects that are read when a text comes to them
		return times(n, "@", `"p@": {"properties": {"in": `+text+`}}`)
	}
	pairs := `{"type": "object", "minProperties": 3, "propertyNames": {"enum": ["k", "a", "b", "c", "d"]}, "allOf": [` +
		times(130, "!", `{"anyOf": [`+times(30, "#", `{"properties": {"k": {"enum": [#, "!"]}}, "required": ["k"]}`)+`]}`) + `]}`
	cases := `{"type": "array", "allOf": [` + times(4, "!", `{"anyOf": [`+times(4, "#", `{"contains": {"const": "! #"}}`)+`]}`) + `]}`
	orders := `{"type": "object", "minProperties": 3, "required": ["x@"], "propertyNames": {"enum": ["x@", ` + times(12, "#", `"#"`) + `]}}`
	return map[string]string{
		"pairs":  `{"properties": {"some": {"properties": {"in": ` + pairs + `}}, "more": {"properties": {"in": ` + pairs + `, "list": ` + cases + `}}}}`,
		"order":  `{"$defs": {"x": {"properties": {"a": {}, "m": {}}, "required": ["a"]}, "y": {"properties": {"b": {}}}}, "properties": {"one": {"allOf": [{"properties": {"k": {"$ref": "#/$defs/x"}}}, {"properties": {"k": {"$ref": "#/$defs/y"}}}]}, "two": {"allOf": [{"properties": {"k": {"$ref": "#/$defs/y"}}}, {"properties": {"k": {"$ref": "#/$defs/x"}}}]}}}`,
		"orders": `{"properties": {` + inside(40, orders) + `}}`,
	}
}

// visited is a grammar of which some more rules are written, in a random order.
func visited(t *testing.T, id string, g *grammar.Grammar, rng *rand.Rand, times int) *grammar.Grammar {
	t.Helper()
	for range times {
		var some []grammar.Nonterminal
		for _, r := range g.Rules {
			for _, s := range r.RHS {
				if !s.IsTerminal() && !g.Demand.Written(s.Nonterminal()) {
					some = append(some, s.Nonterminal())
				}
			}
		}
		if len(some) == 0 {
			break
		}
		var err error
		if g, err = g.Demand.Write(t.Context(), some[rng.IntN(len(some))]); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	return g
}

// A twin compares two grammars of one schema, rule by rule, and names the nonterminals of one by
// those of the other.
type twin struct {
	g     [2]*grammar.Grammar
	byLHS [2]map[grammar.Nonterminal][][]grammar.Symbol
	rules [2]int // of each, that byLHS has
	of    map[grammar.Nonterminal]grammar.Nonterminal
	todo  []grammar.Nonterminal
}

// rulesOf are the rules of a nonterminal, which are written if they are not.
func (w *twin) rulesOf(t *testing.T, i int, n grammar.Nonterminal) [][]grammar.Symbol {
	t.Helper()
	if !w.g[i].Demand.Written(n) {
		w.g[i] = must.Get(w.g[i].Demand.Write(t.Context(), n))(t)
	}
	for _, r := range w.g[i].Rules[w.rules[i]:] {
		w.byLHS[i][r.LHS] = append(w.byLHS[i][r.LHS], r.RHS)
	}
	w.rules[i] = len(w.g[i].Rules)
	return w.byLHS[i][n]
}

// same tells whether two symbols are alike, as far as is known; those of nonterminals are then held
// against each other.
func (w *twin) same(t *testing.T, a, b grammar.Symbol) bool {
	t.Helper()
	if a.IsTerminal() != b.IsTerminal() {
		return false
	}
	if a.IsTerminal() {
		x, y := w.g[0].Terminals[a.Terminal()], w.g[1].Terminals[b.Terminal()]
		return x.Items == y.Items && x.Key == y.Key && (x.Expr == y.Expr || equalExprs(t, x.Expr, y.Expr))
	}
	n, known := w.of[a.Nonterminal()]
	if !known {
		n = b.Nonterminal()
		w.of[a.Nonterminal()] = n
		w.todo = append(w.todo, a.Nonterminal())
	}
	return n == b.Nonterminal()
}

// equalExprs tells whether two patterns have one language: what is kept for schemas is made anew
// when there is too much of it.
func equalExprs(t *testing.T, a, b *automata.Expr) bool {
	t.Helper()
	d, e := must.Get(automata.Compile(a, dfa.Limits))(t), must.Get(automata.Compile(b, dfa.Limits))(t)
	return must.Get(d.Difference(e, dfa.Limits))(t).IsEmpty() && must.Get(e.Difference(d, dfa.Limits))(t).IsEmpty()
}

// differ finds a nonterminal, among so many, whose rules differ; "" if there is none.
func (w *twin) differ(t *testing.T, most int) string {
	t.Helper()
	w.of = map[grammar.Nonterminal]grammar.Nonterminal{w.g[0].Start: w.g[1].Start}
	w.byLHS = [2]map[grammar.Nonterminal][][]grammar.Symbol{{}, {}}
	for w.todo = append(w.todo, w.g[0].Start); len(w.todo) > 0 && most > 0; most-- {
		n := w.todo[0]
		w.todo = w.todo[1:]
		a, b := w.rulesOf(t, 0, n), w.rulesOf(t, 1, w.of[n])
		if len(a) != len(b) {
			return fmt.Sprintf("%s has %d rules, and %d", w.g[0].Nonterminals[n].Name, len(a), len(b))
		}
		for i := range a {
			if !slices.EqualFunc(a[i], b[i], func(x, y grammar.Symbol) bool { return w.same(t, x, y) }) {
				return fmt.Sprintf("rule %d of %s: %v, and %v", i, w.g[0].Nonterminals[n].Name, a[i], b[i])
			}
		}
	}
	return ""
}

// TestOrders: what a schema accepts does not depend on the order in which a text asks for its
// parts, nor on what was compiled before.
func TestOrders(t *testing.T) {
	s, kept := seed.New(t), NewKept()
	check := func(id, text string, opt Options, times int) {
		opt.Kept = kept
		rng := rand.New(rand.NewPCG(s, uint64(len(text))))
		for range times {
			first, err := Open(t.Context(), []byte(text), opt)
			if err != nil || first.Grammar.Demand == nil {
				return
			}
			again := must.Get(Open(t.Context(), []byte(text), opt))(t)
			w := &twin{g: [2]*grammar.Grammar{first.Grammar, visited(t, id, again.Grammar, rng, 60)}}
			if what := w.differ(t, seed.Rounds(300, 2000, 2000)); what != "" {
				t.Errorf("%s, keys in any order %v: %s", id, opt.AnyOrder, what)
				return
			}
		}
	}
	for _, anyOrder := range []bool{false, true} {
		for id, text := range crowded() {
			check(id, text, Options{AnyOrder: anyOrder, Batch: 1}, seed.Rounds(1, 3, 3))
		}
		for _, c := range seed.Some(t, corpusOf(t), 80, 1, 1) {
			check(c.ID, string(c.Schema), Options{AnyOrder: anyOrder, Batch: 20}, 1)
		}
	}
}

// TestKeptNames: what names a schema allows is not taken from another schema with the same Kept.
func TestKeptNames(t *testing.T) {
	kept := NewKept()
	for _, name := range []string{"x", "y", "x"} {
		schema := `{"patternProperties": {"^": true, "^(a|b)*a(a|b)$": true, "^(a|b)*a(a|b){2}$": true, "^(a|b)*b(a|b)$": true, "^(a|b)*b(a|b){2}$": true, "^a": true, "b$": true}, "not": {"propertyNames": {"pattern": "^` + name + `"}}}`
		accepts, _, err := acceptance(schema, Options{Kept: kept})
		must.OK(t, err)
		for _, key := range []string{"x", "y", "aab"} {
			if want := key != name; accepts(`{"`+key+`": 1}`) != want {
				t.Errorf("some key does not begin with %s: %s is accepted: %v", name, key, !want)
			}
		}
	}
}
