package automata

import (
	"fmt"
	"gcdbench/internal/seed"
	"slices"
	"strings"
	"testing"
)

// attempts lists the places where a match of e that starts at a place may end, in the order in
// which a backtracking matcher comes to them.
func (o *oracle) attempts(e *Expr, at int) []int {
	key := oracleKey{e, at}
	list, ok := o.order[key]
	if ok {
		return list
	}
	defer func() { o.order[key] = list }()
	add := func(ends ...int) {
		for _, end := range ends {
			if !slices.Contains(list, end) {
				list = append(list, end)
			}
		}
	}
	switch e.op {
	case opConcat:
		list = []int{at}
		for _, sub := range e.subs {
			from := list
			list = nil
			for _, i := range from {
				add(o.attempts(sub, i)...)
			}
		}
	case opAlternate:
		for _, sub := range e.subs {
			add(o.attempts(sub, at)...)
		}
	case opRepeat:
		add(o.rounds(e, at, 0, -1, map[[3]int]bool{})...)
	default:
		for end, ok := range o.ends(e, at) {
			if ok {
				add(end)
			}
		}
	}
	return list
}

// rounds is attempts for a repeat after a number of rounds, of which the last began at some place.
// After the required rounds, an empty one is the last. What was tried once is not tried again.
func (o *oracle) rounds(e *Expr, at, done, last int, tried map[[3]int]bool) (list []int) {
	if tried[[3]int{at, done, last}] {
		return nil
	}
	tried[[3]int{at, done, last}] = true
	more := func() {
		if e.max >= 0 && done == e.max || done > e.min && at == last {
			return
		}
		for _, end := range o.attempts(e.subs[0], at) {
			if end == at && done >= e.min+len(o.text) {
				continue
			}
			list = append(list, o.rounds(e, end, done+1, at, tried)...)
		}
	}
	if done < e.min || !e.few {
		more()
	}
	if done >= e.min {
		list = append(list, at)
		if e.few {
			more()
		}
	}
	return list
}

// first is where the match of e at the start of the text ends by its own rule, -1 if there is none.
func (o *oracle) first(e *Expr) int {
	for _, part := range e.ownParts() {
		list := o.attempts(part, 0)
		switch {
		case len(list) == 0:
		case part.lazy:
			return list[0]
		default:
			return slices.Max(list)
		}
	}
	return -1
}

// munch reads as much of a text as d goes on with, and returns how much that is; -1 if the match is
// none there.
func munch(d *DFA, text string) int {
	s := d.Start()
	for i := 0; ; i++ {
		next := Dead
		if i < len(text) {
			next = d.Next(s, text[i])
		}
		if next == Dead {
			if matchesBefore(d, text[:i], text[i:]) {
				return i
			}
			return -1
		}
		s = next
	}
}

// checkMatch compares what d takes of the start of a text with where the match should end (-1:
// there is none). A lexer that goes on beyond that finds no match, since it does not go back.
func checkMatch(t *testing.T, pattern string, d *DFA, text string, want int) {
	t.Helper()
	if got := munch(d, text); got >= 0 && got != want {
		t.Errorf("/%s/ takes %d bytes of %q, want %d", pattern, got, text, want)
	}
	if want < 0 {
		return
	}
	if !matchesBefore(d, text[:want], text[want:]) {
		t.Errorf("/%s/ does not match %q before %q", pattern, text[:want], text[want:])
	}
	for i := want + 1; i <= len(text); i++ {
		if matchesBefore(d, text[:i], text[i:]) {
			t.Errorf("/%s/ matches %q before %q", pattern, text[:i], text[i:])
		}
	}
}

// TestLazy has the cases that people write.
func TestLazy(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          int
	}{
		{`//[^\n]*|/\*(.|\n)*?\*/`, "// a */ b\nc", 9},
		{`//[^\n]*|/\*(.|\n)*?\*/`, "/* a\n */ b */", 8},
		{`"(\\.|.)*?"`, `"a\"b" "`, 6},
		{`"(\\.|.)*?"`, `"" "`, 2},
		{`"(?:\\.|[^\\])*?(?<!\\)(?:\\\\)*?"`, `"a\\" "`, 5},
		{`'''(?:\\.|.)*?'''`, `'''a''\'''b'''`, 14},
		{`/[^/]*?/[imslux]*`, "/a/ix b", 5},
		{`(?:#|//)[^\n]*?(?=\n|\Z)|\n`, "# a\nb", 3},
		{`(\n|#[^\n]*?(?=\n))+`, "\n# a\n\n  b", 6},
		{`a+?`, "aaa", 1},
		{`a+?b*`, "aabb", 1},
		{`a??b*`, "abb", 0},
		{`(?:a|ab)(?:c|bcd)x??`, "abcd", 4},
		{`<.*?>|<a>b`, "<a>b", 3},
		{`<a>b|<.*?>`, "<a>b", 4},
		{`[0-9]+?(?![0-9])`, "123a", 3},
		{`".*?"(?!")`, `"a""b" `, 4},
		{`"[^"]*?"(?!")`, `"a" "`, 3},
		{`"(?:[^"]|"")*?"(?!")`, `"a""b" `, 6},
		{`x(?:ab?)*?(?:c|$)`, "xababc", 6},
	} {
		d := MustCompile(c.pattern, 0)
		checkCanonical(t, d)
		checkMatch(t, c.pattern, d, c.text, c.want)
		if got := munch(d, c.text); got != c.want {
			t.Errorf("/%s/ takes %d bytes of %q, want %d", c.pattern, got, c.text, c.want)
		}
	}
}

// TestPrefer: each part by its own rule, and tried only where none before it matches.
func TestPrefer(t *testing.T) {
	parse := func(pattern string) *Expr {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		parts []string
		text  string
		want  int
	}{
		{[]string{`a|ab`, `x.*?y`}, "ab", 2}, // no lazy quantifier: the longest
		{[]string{`(?:a|ab)c??`, `x`}, "ab", 1},
		{[]string{`x.*?y`, `x[yz]*`}, "xyz", 2},
		{[]string{`x[yz]*`, `x.*?y`}, "xyzy", 4},
		{[]string{`x[yz]*`, `x.*?y`}, "xay", 1},
		{[]string{`xa*?b`, `xa*`}, "xaab", 4},
		{[]string{`a(?=b)|ab(?=c)`, `ab*?`}, "abc", 2},
	} {
		var parts []*Expr
		for _, p := range c.parts {
			parts = append(parts, parse(p))
		}
		d := must(Compile(Prefer(parts...), Limits{}))
		checkCanonical(t, d)
		checkMatch(t, strings.Join(c.parts, "/ | /"), d, c.text, c.want)
	}
	if a, b := Prefer(parse("a|ab"), parse("c")), Alternate(parse("a|ab"), parse("c")); a.String() != b.String() || a.parts {
		t.Error("without a lazy quantifier, Prefer is not Alternate")
	}
	if nested := Prefer(Prefer(parse("a|ab"), parse("c*?d")), parse("e")); len(nested.ownParts()) != 3 {
		t.Errorf("%d parts", len(nested.ownParts()))
	}
}

// TestLazyRandom compares random patterns with the oracle.
func TestLazyRandom(t *testing.T) {
	g := &generator{Rand: newRand(t), looks: true, lazy: true, chars: []string{"a", "b", "[ab]", "[^a]", "c", "ab", ""}}
	texts := append(allStrings([]string{"a", "b", "c"}, 4), g.words([]string{"a", "b", "c"}, 100)...)
	taken := 0
	for range seed.Rounds(75, 150, 3000) {
		var exprs []*Expr
		var patterns []string
		for range 1 + g.IntN(6)/4 {
			pattern := g.pattern(2 + g.IntN(3))
			e, err := Parse(pattern, 0)
			if err != nil {
				t.Fatalf("%s: %v", pattern, err)
			}
			exprs, patterns = append(exprs, e), append(patterns, pattern)
		}
		e := Prefer(exprs...)
		d, err := Compile(e, Limits{})
		if err != nil || !e.HasLazy() {
			continue
		}
		taken++
		checkCanonical(t, d)
		for _, text := range texts {
			checkMatch(t, strings.Join(patterns, "/ | /"), d, text, newOracle(text).first(e))
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d patterns", taken)
}

// TestLazyAgainstPython compares random patterns with what Python's re takes at the start of a
// text.
func TestLazyAgainstPython(t *testing.T) {
	seed.Usual(t)
	g := &generator{Rand: newRand(t), looks: true, lazy: true, anchors: true, chars: []string{"a", "b", "é", "[ab]", "[^a]", "-", `\w`, `\n`, "."}}
	texts := append(allStrings([]string{"a", "b", "-", "é", "\n"}, 3), g.words([]string{"a", "b", "-", "é", "\n"}, 100)...)
	var queries []pythonQuery
	var dfas []*DFA
	for len(queries) < 400 {
		pattern, flags := g.pattern(2+g.IntN(3)), g.flags()
		e, err := Parse(pattern, flags)
		if err != nil {
			t.Fatalf("/%s/: %v", pattern, err)
		}
		if !e.HasLazy() {
			continue
		}
		if d, err := Compile(e, Limits{}); err == nil {
			dfas = append(dfas, d)
			queries = append(queries, pythonQuery{pattern, flags.String(), texts})
		}
	}
	for i, a := range askPythonFor(t, "ends", queries) {
		for j, want := range a.Ends {
			text := texts[j]
			if want > 0 {
				want = len(string([]rune(text)[:want]))
			}
			checkMatch(t, fmt.Sprintf("%s/%s", queries[i].Pattern, queries[i].Flags), dfas[i], text, want)
		}
		if len(a.Ends) != len(texts) {
			t.Errorf("/%s/: %s", queries[i].Pattern, a.Error)
		}
	}
}
