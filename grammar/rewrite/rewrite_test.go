package rewrite

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func read(t testing.TB, text string) *grammar.Grammar {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	return g
}

func tables(t testing.TB, g *grammar.Grammar) *lr.Tables {
	t.Helper()
	tables := must.Get(lr.Build(t.Context(), g, lr.Options{}))(t)
	return tables
}

// text writes rules as "a: x B | y", a nonterminal each line, new ones by their number.
func text(w *rewriter) string {
	var b strings.Builder
	for i, rules := range w.rules {
		var list []string
		for _, r := range rules {
			var symbols []string
			for _, s := range r.RHS {
				symbols = append(symbols, w.g.SymbolName(s))
			}
			list = append(list, strings.Join(symbols, " "))
		}
		fmt.Fprintf(&b, "%s: %s\n", w.g.Nonterminals[i].Name, strings.Join(list, " | "))
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), `"`, "")
}

// TestKinds shows each rewriting of rules on a grammar that has one place for it.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		try          func(*rewriter, grammar.Nonterminal) bool
		before, want string
	}{
		{Inline, (*rewriter).inline, `start: "a" b "c"` + "\n" + `b: "x" | "y" b`, "start: a x c | a y b c\nb: x | y b"},
		{Fold, (*rewriter).fold, `start: "a" "b"`, "start: start~1 b\nstart~1: a"},
		{Factor, (*rewriter).factor, `start: "a" "b" | "a" "c" | "d"`, "start: d | a start~1\nstart~1: b | c"},
		{Copy, (*rewriter).copyOne, `start: "a" start | "b"`, "start: a start~1 | b\nstart~1: a start | b"},
		{Option, (*rewriter).option, `start: "a" b` + "\n" + `b: | "x"`, "start: a b~2 | a\nb:  | x\nb~2: x"},
		{TurnRight, (*rewriter).turnRight, `start: start "a" | start "b" | "c"`, "start: c | c start~1\nstart~1: a | b | a start~1 | b start~1"},
		{TurnLeft, (*rewriter).turnLeft, `start: "a" start | "b" start | "c"`, "start: c | start~1 c\nstart~1: a | b | start~1 a | start~1 b"},
	} {
		g := read(t, c.before)
		found := ""
		for seed := range uint64(20) { // some draw where to
			w := newRewriter(g, seed)
			if !c.try(w, g.Start) {
				continue
			}
			if found = text(w); found == c.want {
				break
			}
		}
		if found != c.want {
			t.Errorf("%s of\n%s\ngives\n%s\nwant\n%s", c.kind, c.before, found, c.want)
		}
	}
}

// sentences are those of at most n terminals, by the rules alone: the least sets that the rules ask
// for. Terminals are written by their names.
func sentences(g *grammar.Grammar, n int) []string {
	sets := make([]map[string]int, len(g.Nonterminals)) // to the number of terminals
	for i := range sets {
		sets[i] = map[string]int{}
	}
	for grown := true; grown; {
		grown = false
		for _, r := range g.Rules {
			all := map[string]int{"": 0}
			for _, s := range r.RHS {
				next := map[string]int{}
				for head, have := range all {
					if s.IsTerminal() {
						if have < n {
							next[head+" "+g.Terminals[s.Terminal()].Name] = have + 1
						}
						continue
					}
					for tail, more := range sets[s.Nonterminal()] {
						if have+more <= n {
							next[head+tail] = have + more
						}
					}
				}
				all = next
			}
			before := len(sets[r.LHS])
			maps.Copy(sets[r.LHS], all)
			grown = grown || len(sets[r.LHS]) > before
		}
	}
	return slices.Sorted(maps.Keys(sets[g.Start]))
}

// randomGrammar has three terminals, and rules that are recursive, ambiguous and empty at will.
func randomGrammar(rng *rand.Rand) string {
	names := []string{"start", "x", "y"}[:1+rng.IntN(3)]
	text := "%conflicts keep\n"
	for i, name := range names {
		var list []string
		for range 1 + rng.IntN(3) {
			var symbols []string
			for range rng.IntN(4) {
				if rng.IntN(2) == 0 {
					symbols = append(symbols, names[rng.IntN(len(names))])
				} else {
					symbols = append(symbols, []string{`"a"`, `"b"`, `"c"`}[rng.IntN(3)])
				}
			}
			list = append(list, strings.Join(symbols, " "))
		}
		if i == 0 {
			list = append(list, strings.Join(names[1:], " ")+` "a"`)
		}
		slices.Sort(list)
		text += name + ": " + strings.Join(slices.Compact(list), " | ") + "\n"
	}
	return text
}

// TestSentences compares the sentences of grammars before and after, by a way that knows no parser.
func TestSentences(t *testing.T) {
	seed.Usual(t)
	compared, done := 0, map[Kind]int{}
	for seed := range seed.Each(t, 2000) {
		source := randomGrammar(rand.New(rand.NewPCG(seed, 0)))
		g, err := lark.Parse([]byte(source), lark.Options{})
		if err != nil {
			continue
		}
		built, err := lr.Build(t.Context(), g, lr.Options{})
		if err != nil {
			continue
		}
		r := must.Get(Grammar(t.Context(), g, built, seed))(t)
		must.OK(t, r.Grammar.Validate())
		for kind, n := range r.Done {
			done[kind] += n
		}
		want := sentences(g, 5)
		if got := sentences(r.Grammar, 5); !slices.Equal(got, want) {
			t.Fatalf("seed %d, rewritings %v:\n%s\nsentences %q\nbefore %q", seed, r.Done, source, got, want)
		}
		compared += len(want)
	}
	t.Logf("%d sentences, rewritings %v", compared, done)
	for _, kind := range Kinds {
		if done[kind] < 20 {
			t.Errorf("%d rewritings of the kind %q", done[kind], kind)
		}
	}
}

// TestPatterns compares the minimal automata of patterns before and after.
func TestPatterns(t *testing.T) {
	patterns := []string{
		`abc`, `[a-z]+`, `(a|b)*c`, `a{2,5}`, `a{0,3}b{3}`, `[^"\\]*`, `\\(["\\/bfnrt]|u[0-9a-f]{4})`, `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`,
		`[a-zà-ÿ]*é`, `(ab|ac|ad)?`, `(x|)`, `[\u0000-\U0010FFFF]`,
	}
	changed := 0
	for seed := range seed.Each(t, 200) {
		for _, p := range patterns {
			e := must.Get(automata.Parse(p, 0))(t)
			w := &rewriter{rng: rand.New(rand.NewPCG(seed, 0))}
			got, ok := w.pattern(e)
			if !ok {
				t.Fatalf("%s is left alone", p)
			}
			before := must.Get(automata.Compile(e, automata.Limits{}))(t)
			after := must.Get(automata.Compile(got, automata.Limits{}))(t)
			if !before.Equal(after) {
				t.Fatalf("seed %d: %s became %s", seed, p, got)
			}
			if got.String() != e.String() {
				changed++
			}
		}
	}
	if changed < 1500 {
		t.Errorf("%d of %d patterns are written in another way", changed, 200*len(patterns))
	}
	for _, p := range []string{`a+?b`, `a(?=b)`, `a$`} {
		e := must.Get(automata.Parse(p, 0))(t)
		w := &rewriter{rng: rand.New(rand.NewPCG(1, 0))}
		if got, ok := w.pattern(e); ok {
			t.Errorf("%s became %s", p, got)
		}
	}
}

// TestRefused: what would change the language is left alone.
func TestRefused(t *testing.T) {
	dangling := `start: "i" start | "i" start "e" start | "s"`
	for source, refused := range map[string]bool{dangling: true, "%conflicts keep\n" + dangling: false, `start: "a" start | "b"`: false} {
		g := read(t, source)
		r := must.Get(Grammar(t.Context(), g, tables(t, g), 1))(t)
		if refused != (r.RulesKept != "") || refused != (len(r.Grammar.Rules) == len(g.Rules)) {
			t.Errorf("%s: %d rules became %d, kept for %q", source, len(g.Rules), len(r.Grammar.Rules), r.RulesKept)
		}
		if r.Grammar.SHA256 == g.SHA256 {
			t.Error("the grammar has the same sum")
		}
	}
}

// TestModes: with modes the tables keep being without conflicts.
func TestModes(t *testing.T) {
	g := read(t, "start: (A | s)*\ns: Q T* E\nA: \"a\"\nQ: \"'\"\nT: /[a-z]+/\nE: \"'\"\n%mode inside in=T,E after=Q,T\n")
	changed := 0
	for seed := range seed.Each(t, 20) {
		r := must.Get(Grammar(t.Context(), g, tables(t, g), seed))(t)
		if n := len(tables(t, r.Grammar).Conflicts()); n > 0 {
			t.Errorf("seed %d: %d conflicts", seed, n)
		}
		if len(r.Done) > 2 {
			changed++
		}
	}
	if changed < 10 {
		t.Errorf("rules were rewritten by %d of 20 seeds", changed)
	}
}
