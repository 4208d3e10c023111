package automata

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// checkCanonical checks what is promised of every DFA: trim, minimal, states in
// breadth-first order, classes as few as possible and numbered in byte order.
func checkCanonical(t *testing.T, d *DFA) {
	t.Helper()
	n := d.NumStates()
	if n == 0 {
		if d.classes != 1 || d.Start() != Dead || len(d.table) != 0 {
			t.Errorf("the empty language has %d classes, start %d, %d entries", d.classes, d.Start(), len(d.table))
		}
		return
	}
	checkOrder(t, d)
	checkContexts(t, d)
	if slices.Contains(d.Distances(), -1) {
		t.Error("a state cannot reach acceptance")
	}
	if n <= 400 {
		checkMinimal(t, d)
	}
	first := slices.Repeat([]int{-1}, d.classes)
	columns := map[string]bool{}
	for b := 255; b >= 0; b-- {
		first[d.classOf[b]] = b
	}
	if !slices.IsSorted(first) || first[0] != 0 {
		t.Errorf("first bytes of the classes: %v", first)
	}
	for _, b := range first {
		var column []int32
		for s := range int32(n) {
			column = append(column, d.Next(s, byte(b)))
		}
		for c := range int32(d.NumContexts()) {
			column = append(column, d.NextContext(c, byte(b)))
		}
		columns[fmt.Sprint(column)] = true
	}
	if len(columns) != d.classes {
		t.Errorf("%d classes, of which %d differ", d.classes, len(columns))
	}
}

// checkContexts checks that the contexts of d are those of its states, that each differs from those
// before it, and that they end.
func checkContexts(t *testing.T, d *DFA) {
	t.Helper()
	if !d.HasContexts() {
		return
	}
	n := int32(d.NumContexts())
	next := int32(1)
	for s := range int32(d.NumStates()) {
		if c := d.Context(s); c > next || c == Dead && d.Accepting(s) {
			t.Errorf("state %d has context %d, %d expected next", s, c, next)
		} else if c == next {
			next++
		}
	}
	// A text says what a context allows: at the end, and after each class the number of the text of
	// the context there. Contexts that allow the same have one text.
	type meaning struct {
		text string
		any  bool // whether it allows something
	}
	texts := map[string]int{}
	of := map[int32]meaning{}
	var find func(c int32) meaning
	find = func(c int32) meaning {
		if m, ok := of[c]; ok {
			if m.text == "" {
				t.Errorf("context %d does not end", c)
			}
			return m
		}
		of[c] = meaning{} // to be found
		m := meaning{fmt.Sprint(c), c == 0}
		if c > 0 {
			m = meaning{fmt.Sprint(d.ContextAtEnd(c)), d.ContextAtEnd(c)}
			for class := range d.classes {
				after := find(d.contexts.table[int(c)*d.classes+class])
				if _, ok := texts[after.text]; !ok {
					texts[after.text] = len(texts)
				}
				m.text += fmt.Sprint(" ", texts[after.text])
				m.any = m.any || after.any
			}
		}
		of[c] = m
		return m
	}
	seen := map[string]bool{}
	for c := range n {
		if d.NextContext(c, 'a') >= next {
			next++
		}
		m := find(c)
		if seen[m.text] || !m.any {
			t.Errorf("context %d is another one, or allows nothing", c)
		}
		seen[m.text] = true
	}
}

// checkOrder walks the DFA breadth first.
func checkOrder(t *testing.T, d *DFA) {
	t.Helper()
	next := int32(1)
	for s := range int32(d.NumStates()) {
		if s >= next {
			t.Errorf("state %d cannot be reached from lower ones", s)
			return
		}
		for b := range 256 {
			to := d.Next(s, byte(b))
			if to > next {
				t.Errorf("state %d is met before state %d", to, next)
				return
			}
			if to == next {
				next++
			}
		}
	}
}

// checkMinimal refines {accepting, others} with Moore's algorithm, which shares
// nothing with the one in minimize.go.
func checkMinimal(t *testing.T, d *DFA) {
	t.Helper()
	n := d.NumStates()
	block := make([]int32, n)
	for s := range block {
		block[s] = d.Context(int32(s))
	}
	for blocks := 0; ; {
		index := map[string]int32{}
		next := make([]int32, n)
		for s := range next {
			key := []int32{block[s]}
			for _, to := range d.Row(int32(s)) {
				if to != Dead {
					to = block[to]
				}
				key = append(key, to)
			}
			k := fmt.Sprint(key)
			if _, ok := index[k]; !ok {
				index[k] = int32(len(index))
			}
			next[s] = index[k]
		}
		block = next
		if len(index) == blocks {
			break
		}
		blocks = len(index)
	}
	if m := int(slices.Max(block)) + 1; m != n {
		t.Errorf("%d states, of which %d differ", n, m)
	}
}

// TestKnownSizes are automata whose minimal size can be counted by hand.
func TestKnownSizes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		states  int
	}{
		{``, 1}, {`a`, 2}, {`a*`, 1}, {`(a|b)*abb`, 4}, {`a{10}`, 11}, {`a{0,10}`, 11},
		{`.`, 9},     // start, end, and 7 inside of a character
		{`.*`, 8},    // the same with start and end in one
		{`[é-ü]`, 3}, // one lead byte
		{`[^\s\S]`, 0},
		{`(?:(?:a|b)|(?:b|a))*`, 1},
		{`(a|b)*a(a|b){7}`, 256}, // the last 8 letters
		{`(?=a)(?!a)b`, 0},
		{`(?=a)(?=b)c`, 0},
	} {
		if d := MustCompile(c.pattern, 0); d.NumStates() != c.states {
			t.Errorf("/%s/: %d states, want %d\n%s", c.pattern, d.NumStates(), c.states, d)
		}
	}
}

// TestSameLanguage checks that equal languages give equal automata however they
// are written.
func TestSameLanguage(t *testing.T) {
	for _, group := range [][]string{
		{`a*`, `(?:a*)*`, `|a+`, `(?:|a|aa)*`, `a{0,}`, `(?:(?!b)a)*`},
		{`[ab]*abb`, `(?:a|b)*abb`, `(?:b*a)+bb(?:(?:b*a)+bb)*`},
		{`[^a]`, `(?s)(?!a).`, `[\x00-\x60b-\U0010ffff]`},
		{`\w`, `[\w]`, `[^\W]`, `(?=\w)[\s\S]`, `(?i)\w`},
		{`(?i)straße`, `[sSſ][tT][rR][aA][ßẞ][eE]`},
		{`/\*(?:[^*]|\*+[^*/])*\*+/`, `/\*[\s\S]*?\*/`, `/\*(?:(?!\*/)[\s\S])*\*/`},
		{`[^\s\S]`, `a[^\s\S]`, `(?!)`, `(?=b)a`},
	} {
		first := MustCompile(group[0], 0)
		checkCanonical(t, first)
		for _, pattern := range group[1:] {
			if d := MustCompile(pattern, 0); !d.Equal(first) {
				t.Errorf("/%s/ differs from /%s/:\n%s\n%s", pattern, group[0], d, first)
			}
		}
	}
	if MustCompile("a", 0).Equal(MustCompile("b", 0)) || MustCompile("a", 0).Equal(MustCompile("a*", 0)) {
		t.Error("different languages are equal")
	}
}

func TestAccessors(t *testing.T) {
	d := MustCompile("ab|ac", 0)
	if d.Start() != 0 || d.NumStates() != 3 || d.IsEmpty() || d.MatchesEmpty() {
		t.Fatalf("unexpected %s", d)
	}
	classOf, n := d.Classes()
	if n != 3 || classOf['b'] != classOf['c'] || classOf['a'] == classOf['b'] {
		t.Errorf("%d classes: %v", n, classOf)
	}
	for s := range int32(3) {
		for b := range 256 {
			if d.Next(s, byte(b)) != d.Row(s)[classOf[b]] {
				t.Fatalf("Next and Row differ in state %d on byte %d", s, b)
			}
		}
	}
	if d.Next(Dead, 'a') != Dead || d.Accepting(Dead) {
		t.Error("Dead is alive")
	}
	if !d.Match([]byte("ac")) || d.Match([]byte("a")) {
		t.Error("Match is wrong")
	}
	if d.Bytes() < 4*9 {
		t.Errorf("Bytes: %d", d.Bytes())
	}
}

func TestShortest(t *testing.T) {
	for pattern, want := range map[string]string{
		`a*`: "", `\d+`: "0", `[^a]`: "b", `\W`: "!", `\s`: " ", `[\n\x00]`: "\n", `abc|xy|[0-9]{2}`: "xy",
		`[漢é]`: "é", `(?!a)\w{2}`: "ba",
	} {
		if got, ok := MustCompile(pattern, 0).Shortest(); !ok || string(got) != want {
			t.Errorf("/%s/: %q, want %q", pattern, got, want)
		}
	}
	if _, ok := emptyDFA().Shortest(); ok {
		t.Error("the empty language has a shortest string")
	}
}

func TestDump(t *testing.T) {
	const withContexts = "DFA of 2 states, 5 byte classes\n 0: a->1\n*1: context 1\n" +
		"$context 1: 00-09->0 0A->2 0B-a->0 c-FF->0\n$context 2: 00-b->0 d-FF->0\n"
	if got := MustCompile(`a(?!b|\nc)`, 0).String(); got != withContexts {
		t.Errorf("got  %s\nwant %s", got, withContexts)
	}
	d := MustCompile(`a[0-9-]*|\n`, 0)
	want := "DFA of 3 states, 4 byte classes\n 0: 0A->1 a->2\n*1:\n*2: 2D->2 0-9->2\n"
	if d.String() != want {
		t.Errorf("got  %q\nwant %q", d, want)
	}
	if got := MustCompile(`[~\x7f]`, 0).String(); !strings.Contains(got, "~-7F->1") {
		t.Errorf("an unprintable byte in %q", got)
	}
	var b strings.Builder
	if err := d.Dot(&b, "x"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`digraph "x" {`, `2 [shape=doublecircle];`, `2 -> 2 [label="2D 0-9"];`} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, &b)
		}
	}
}

// The automaton of a literal is that of the general way to compile it, and nobody else's.
func TestLiterals(t *testing.T) {
	for _, text := range []string{"", "{", "aa", "é", "\xff\x00", "{17", strings.Repeat("ab", maxLiteral/2), strings.Repeat("ab", maxLiteral)} {
		want := must(compile(Literal(text, 0), newBudget(Limits{}), compileMode{}))
		got, again := must(Compile(Literal(text, 0), Limits{})), must(Compile(Literal(text, 0), DefaultLimits))
		if !got.Equal(want) || !again.Equal(want) || got == again {
			t.Fatalf("%q: same language %t and %t, same automaton %t", text, got.Equal(want), again.Equal(want), got == again)
		}
	}
	if _, err := Compile(Literal("abc", 0), Limits{MaxStates: 2}); err == nil {
		t.Error("more states than allowed")
	}
}
