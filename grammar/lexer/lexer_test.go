package lexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// terminals builds a grammar of terminals alone, one per line: NAME[.PRIORITY][!] /regex/ or
// "literal". The mark ! makes a terminal ignored.
func terminals(t testing.TB, mode grammar.LexerMode, lines string) *grammar.Grammar {
	t.Helper()
	g := &grammar.Grammar{Name: "test", Lexer: mode, Nonterminals: []grammar.NonterminalDef{{Name: "start"}}}
	for line := range strings.Lines(lines) {
		name, pattern, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		def := grammar.TerminalDef{Source: pattern[1 : len(pattern)-1], Literal: pattern[0] == '"'}
		name, def.Ignored = strings.CutSuffix(name, "!")
		def.Name, _, _ = strings.Cut(name, ".")
		if _, err := fmt.Sscanf(name, def.Name+".%d", &def.Priority); err != nil && strings.Contains(name, ".") {
			t.Fatalf("%q: %v", line, err)
		}
		def.Expr = automata.Literal(def.Source, 0)
		if !def.Literal {
			e, err := automata.Parse(def.Source, 0)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			def.Expr = e
		}
		g.Terminals = append(g.Terminals, def)
	}
	return g
}

// both builds the two automata of a grammar.
func both(t testing.TB, g *grammar.Grammar) map[string]Automaton {
	t.Helper()
	ahead := must.Get(Build(context.Background(), g, Limits{}))(t)
	onDemand := must.Get(NewOnDemand(context.Background(), g, Limits{}))(t)
	return map[string]Automaton{"ahead": ahead, "on demand": onDemand}
}

// after is the state that text leads to from the start, without emitting.
func after(a Automaton, text string) State {
	q := a.Start()
	for i := 0; i < len(text) && q != None; i++ {
		q = a.Next(q, text[i])
	}
	return q
}

// describe writes what a lexeme is emitted as and what it can become: "emit | reach", "-" for a
// dead end.
func describe(g *grammar.Grammar, a Automaton, text string) string {
	return describeState(g, a, after(a, text))
}

// describeState is describe for a state.
func describeState(g *grammar.Grammar, a Automaton, q State) string {
	if q == None {
		return "-"
	}
	var emit, reach []string
	for _, end := range a.Ends(q) {
		for _, t := range a.Members(end.Set) {
			emit = append(emit, g.Terminals[t].Name)
		}
	}
	r := a.ReachSet(a.Reach(q))
	for _, t := range r.Terminals() {
		reach = append(reach, g.Terminals[t].Name)
	}
	if r.Ignored {
		reach = append(reach, "(ignored)")
	}
	return strings.Join(emit, " ") + " | " + strings.Join(reach, " ")
}

func TestEmitAndReach(t *testing.T) {
	const words = "IF \"if\"\nNAME /[a-z]+/\nNUMBER /[0-9]+/\nWS! / +/"
	const comment = "DIV \"/\"\nLINE! /\\/\\/[^\\n]*/\nBLOCK! /\\/\\*(.|\\n)*?\\*\\//\nNAME /[a-z]+/"
	cases := []struct {
		name      string
		mode      grammar.LexerMode
		terminals string
		want      map[string]string
	}{
		{"literal over regex", grammar.LexFirst, words, map[string]string{
			"i": "NAME | IF NAME", "if": "IF | IF NAME", "ifx": "NAME | NAME", "7": "NUMBER | NUMBER",
			" ": "WS | (ignored)", "": " | IF NAME NUMBER (ignored)", "i7": "-", "I": "-"}},
		{"all matches", grammar.LexAll, words, map[string]string{
			"i": "NAME | IF NAME", "if": "IF NAME | IF NAME", "ifx": "NAME | NAME"}},
		{"priority over literal", grammar.LexFirst, "A \"ab\"\nB.1 /[a-b]+/", map[string]string{
			"ab": "B | B", "a": "B | B", "": " | B"}},
		{"longer pattern", grammar.LexFirst, "A /[ab]+/\nB /[abababab]+/", map[string]string{"a": "B | B"}},
		{"name", grammar.LexFirst, "B /[ab]+/\nA /[ba]+/", map[string]string{"a": "A | A", "b": "A | A"}},
		{"never wins but alive", grammar.LexAll, "A /[ab]+/\nB /[ba]+/", map[string]string{"a": "A B | A B"}},
		{"lazy comment ends at its first end", grammar.LexFirst, comment, map[string]string{
			"/": "DIV | DIV (ignored)", "/*": " | (ignored)", "/* *": " | (ignored)", "/**/": "BLOCK | (ignored)",
			"/**/ ": "-", "/**/*/": "-", "//": "LINE | (ignored)", "//\n": "-"}},
		{"UTF-8", grammar.LexFirst, "E \"é\"\nANY /[^a]/", map[string]string{
			"\xc3": " | E ANY", "\xc3\xa9": "E | E", "\xc3\xa8": "ANY | ANY", "\xc3a": "-", "\xff": "-", "a": "-"}},
		{"the start is not a place lexemes lead back to", grammar.LexFirst, "A /x*y/", map[string]string{
			"": " | A", "x": " | A", "xy": "A | A"}},
	}
	for _, c := range cases {
		g := terminals(t, c.mode, c.terminals)
		for build, a := range both(t, g) {
			for text, want := range c.want {
				if got := describe(g, a, text); got != want {
					t.Errorf("%s, built %s: after %q: got %q, want %q", c.name, build, text, got, want)
				}
			}
		}
	}
}

func TestStartIsApart(t *testing.T) {
	for build, a := range both(t, terminals(t, grammar.LexFirst, "A /x*y/\nB /(zw)*v/")) {
		seen := map[State]bool{a.Start(): true}
		for queue := []State{a.Start()}; len(queue) > 0; queue = queue[1:] {
			for _, to := range a.Row(queue[0]) {
				if to == a.Start() {
					t.Fatalf("built %s: state %d leads back to the start", build, queue[0])
				}
				if to != None && !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
	}
}

func TestUnusableTerminals(t *testing.T) {
	for _, c := range []struct{ terminals, want string }{
		{"A /x*/", "terminal A matches the empty string"},
		{"A /(a|b)*a(a|b){40}/", "terminal A"},
	} {
		g := terminals(t, grammar.LexFirst, c.terminals)
		_, err := Build(context.Background(), g, Limits{})
		_, err2 := NewOnDemand(context.Background(), g, Limits{})
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want an error with %q", c.terminals, err, c.want)
			}
		}
	}
}

func TestLimit(t *testing.T) {
	// Each terminal remembers one position, so the product has a state for every set of letters seen.
	var lines strings.Builder
	for _, c := range "abcdefghijklmnop" {
		fmt.Fprintf(&lines, "%c /[a-p]*%c[a-p]*%c/\n", c-32, c, c)
	}
	g := terminals(t, grammar.LexFirst, lines.String())
	_, err := Build(context.Background(), g, Limits{MaxStates: 1000})
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Limit != 1000 {
		t.Fatalf("Build: got %v, want a LimitError", err)
	}
	a := must.Get(NewOnDemand(context.Background(), g, Limits{MaxStates: 100}))(t)
	after(a, "abcabc")
	if a.Err() != nil {
		t.Fatalf("a short text is within the limit: %v", a.Err())
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		after(a, strings.Map(func(rune) rune { return 'a' + rune(rng.IntN(16)) }, strings.Repeat("x", 20)))
	}
	if !errors.As(a.Err(), &limit) {
		t.Fatalf("on demand: got %v, want a LimitError", a.Err())
	}
}

// TestCancel: the build ends wherever its context does: while terminals are compiled, states made,
// minimized and their reaches found.
func TestCancel(t *testing.T) {
	var lines strings.Builder
	for i := range 10 {
		fmt.Fprintf(&lines, "T%d /x{0,%d}[a-p]*%c[a-p]*/\n", i, 100*i, 'a'+i)
	}
	g := terminals(t, grammar.LexFirst, lines.String())
	counter := &must.Patience{Context: t.Context(), Left: 1 << 30}
	must.Get(Build(counter, g, Limits{}))(t)
	looks := counter.Asked
	if looks < 50 {
		t.Errorf("the context is looked at %d times only", looks)
	}
	for i := 0; i < looks; i += seed.Rounds(5, 1, 1) {
		if _, err := Build(&must.Patience{Context: t.Context(), Left: i}, g, Limits{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended at look %d of %d: got %v, want context.Canceled", i, looks, err)
		}
	}
	for i := range 10 {
		if _, err := NewOnDemand(&must.Patience{Context: t.Context(), Left: i}, g, Limits{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("on demand: ended at look %d: got %v, want context.Canceled", i, err)
		}
	}
}

// TestLongLiteral: a terminal as long as a file is no more work than its length; the rounds of a
// refinement would be as many as it has characters.
func TestLongLiteral(t *testing.T) {
	g := terminals(t, grammar.LexFirst, "LONG \""+strings.Repeat("ab", 50000)+"\"\nWORD /[a-z]+/")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // takes half a second
	defer cancel()
	d := must.Get(Build(ctx, g, Limits{}))(t)
	if n := d.NumStates(); n != 100002 {
		t.Errorf("%d states, want the start, one for each character and one for other words", n)
	}
}

// TestManyTerminals: too many are refused before their tables fill the memory.
func TestManyTerminals(t *testing.T) {
	var lines strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&lines, "T%d \"%d.\"\n", i, i)
	}
	_, err := Build(t.Context(), terminals(t, grammar.LexFirst, lines.String()), Limits{})
	var limit *LimitError
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "one bit for each terminal") {
		t.Errorf("got %v, want the limit on reaches", err)
	}
}

// TestManyOverlaps: states of very many pairs are bounded by their number of pairs.
func TestManyOverlaps(t *testing.T) {
	seed.Usual(t)
	var lines strings.Builder
	for i := range 600 {
		fmt.Fprintf(&lines, "T%d /[a-z]*%c[a-z]{%d}/\n", i, 'a'+i%26, i%13)
	}
	_, err := Build(t.Context(), terminals(t, grammar.LexFirst, lines.String()), Limits{})
	var limit *LimitError
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "pairs of a terminal and its state") {
		t.Errorf("got %v, want the limit on pairs", err)
	}
}

// randomTerminals makes a few overlapping patterns over the letters a to c.
func randomTerminals(rng *rand.Rand) string {
	var b strings.Builder
	for i := range 1 + rng.IntN(5) {
		ignored := ""
		if rng.IntN(4) == 0 {
			ignored = "!"
		}
		fmt.Fprintf(&b, "T%d.%d%s /%s/\n", i, rng.IntN(2), ignored, randomPattern(rng, 2))
	}
	return b.String()
}

func randomPattern(rng *rand.Rand, depth int) string {
	if depth == 0 || rng.IntN(4) == 0 {
		return string("abc"[rng.IntN(3)])
	}
	x, y := randomPattern(rng, depth-1), randomPattern(rng, depth-1)
	switch rng.IntN(4) {
	case 0:
		return "(" + x + "|" + y + ")"
	case 1:
		return "(" + x + ")*" + y
	case 2:
		return "(" + x + ")+"
	}
	return x + y
}

// TestAgainstTerminalsAlone compares both builds with the definition: the terminals' own DFAs, run
// one by one, over all short texts.
func TestAgainstTerminalsAlone(t *testing.T) {
	const longest, shorter = 6, 3
	grammars := seed.Rounds(8, 60, 60)
	t.Logf("%d random grammars, all texts over {a,b,c} up to length %d", grammars, shorter)
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	var texts []string
	for layer := []string{""}; len(layer[0]) <= longest; {
		texts = append(texts, layer...)
		var next []string
		for _, s := range layer {
			next = append(next, s+"a", s+"b", s+"c")
		}
		layer = next
	}
	for n := range grammars {
		for _, mode := range []grammar.LexerMode{grammar.LexFirst, grammar.LexAll} {
			lines := randomTerminals(rng)
			g := terminals(t, mode, lines)
			ref := newReference(t, g)
			for build, a := range both(t, g) {
				for _, text := range texts {
					if len(text) > shorter {
						break
					}
					if got, want := describe(g, a, text), ref.describe(text, texts); got != want {
						t.Fatalf("grammar %d, mode %v, built %s:\n%safter %q: got %q, want %q", n, mode, build, lines, text, got, want)
					}
				}
			}
		}
	}
}

// reference answers from the terminals' own DFAs. Whether a terminal can still win is found by
// trying all short continuations, which is enough for patterns this small.
type reference struct {
	g    *grammar.Grammar
	dfas []*automata.DFA
	// known are the answers of emits so far.
	known map[string][]int
}

func newReference(t *testing.T, g *grammar.Grammar) *reference {
	r := &reference{g: g, known: map[string][]int{}}
	for i := range g.Terminals {
		d := must.Get(automata.Compile(g.Terminals[i].Expr, automata.DefaultLimits))(t)
		r.dfas = append(r.dfas, d)
	}
	return r
}

func (r *reference) emits(text string) []int {
	if all, ok := r.known[text]; ok {
		return all
	}
	var all []int
	for i, d := range r.dfas {
		if d.Match([]byte(text)) {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(x, y int) int {
		a, b := &r.g.Terminals[x], &r.g.Terminals[y]
		return cmp.Or(b.Priority-a.Priority, b.MaxWidth-a.MaxWidth, len(b.Source)-len(a.Source), cmp.Compare(a.Name, b.Name))
	})
	if r.g.Lexer == grammar.LexFirst && len(all) > 1 {
		all = all[:1]
	}
	r.known[text] = all
	return all
}

func (r *reference) describe(text string, continuations []string) string {
	reach := map[int]bool{}
	for _, c := range continuations {
		if text == "" && c == "" {
			continue
		}
		for _, t := range r.emits(text + c) {
			reach[t] = true
		}
	}
	if len(reach) == 0 {
		return "-"
	}
	var emit, names []string
	if text != "" {
		for _, t := range r.emits(text) {
			emit = append(emit, r.g.Terminals[t].Name)
		}
	}
	ignored := false
	for i := range r.dfas {
		switch {
		case reach[i] && r.g.Terminals[i].Ignored:
			ignored = true
		case reach[i]:
			names = append(names, r.g.Terminals[i].Name)
		}
	}
	if ignored {
		names = append(names, "(ignored)")
	}
	return strings.Join(emit, " ") + " | " + strings.Join(names, " ")
}

// TestOnDemandConcurrently has many goroutines discover the same states; run it with -race.
func TestOnDemandConcurrently(t *testing.T) {
	g := terminals(t, grammar.LexFirst, "A /[a-f]*x[a-f]{1,8}/\nB /[b-f]*y[a-f]*/\nC /([a-z][a-z])+/")
	want := must.Get(Build(context.Background(), g, Limits{}))(t)
	a := must.Get(NewOnDemand(context.Background(), g, Limits{}))(t)
	var wg sync.WaitGroup
	seed := seed.New(t)
	for worker := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed+uint64(worker), 3))
			for range 500 {
				text := strings.Map(func(rune) rune { return rune("abcfxyz"[rng.IntN(7)]) }, strings.Repeat(".", 1+rng.IntN(8)))
				if got, want := describe(g, a, text), describe(g, want, text); got != want {
					t.Errorf("after %q: got %q, want %q", text, got, want)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkNext(b *testing.B) {
	g := terminals(b, grammar.LexFirst, "IF \"if\"\nNAME /[a-z]+/\nNUMBER /[0-9]+/\nWS! / +/")
	for build, a := range both(b, g) {
		b.Run(strings.ReplaceAll(build, " ", "-"), func(b *testing.B) {
			q := after(a, "a")
			for b.Loop() {
				q = a.Next(q, 'b')
			}
		})
	}
}
