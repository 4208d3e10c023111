package automata

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"gcdbench/internal/seed"
)

// Three independent judges of what a pattern matches: a naive interpreter of
// expressions (here), Go's regexp and regexp2 (here), Python (python_test.go).

// An oracle interprets expressions over one text by the definition of a match:
// the set of places where a match that starts at i may end.
type oracle struct {
	text  string
	memo  map[oracleKey][]bool
	order map[oracleKey][]int
}

type oracleKey struct {
	expr *Expr
	at   int
}

func newOracle(text string) *oracle {
	return &oracle{text, map[oracleKey][]bool{}, map[oracleKey][]int{}}
}

func (o *oracle) ends(e *Expr, at int) []bool {
	key := oracleKey{e, at}
	if set, ok := o.memo[key]; ok {
		return set
	}
	set := make([]bool, len(o.text)+1)
	o.fill(e, at, set)
	o.memo[key] = set
	return set
}

func (o *oracle) fill(e *Expr, at int, set []bool) {
	rest := o.text[at:]
	switch e.op {
	case opLiteral:
		if strings.HasPrefix(rest, e.bytes) {
			set[at+len(e.bytes)] = true
		}
	case opClass:
		if r, n := utf8.DecodeRuneInString(rest); (r != utf8.RuneError || n > 1) && e.set.contains(r) {
			set[at+n] = true
		}
	case opConcat:
		here := make([]bool, len(set))
		here[at] = true
		for _, sub := range e.subs {
			here = o.after(here, sub)
		}
		copy(set, here)
	case opAlternate:
		for _, sub := range e.subs {
			merge(set, o.ends(sub, at))
		}
	case opRepeat:
		o.repeat(e, at, set)
	case opLook:
		if o.looks(e, at) != e.look.negative {
			set[at] = true
		}
	case opAutomaton:
		s := e.dfa.Start()
		for i := at; s != Dead; i++ {
			set[i] = set[i] || e.dfa.Accepting(s)
			if i == len(o.text) {
				break
			}
			s = e.dfa.Next(s, o.text[i])
		}
	}
}

// after returns where e ends if it starts at one of the given places.
func (o *oracle) after(here []bool, e *Expr) []bool {
	next := make([]bool, len(here))
	for i, ok := range here {
		if ok {
			merge(next, o.ends(e, i))
		}
	}
	return next
}

// merge adds a set to another and reports whether that changed it.
func merge(to, from []bool) bool {
	changed := false
	for i, ok := range from {
		if ok && !to[i] {
			to[i], changed = true, true
		}
	}
	return changed
}

func (o *oracle) repeat(e *Expr, at int, set []bool) {
	here := make([]bool, len(set))
	here[at] = true
	for range e.min {
		here = o.after(here, e.subs[0])
	}
	merge(set, here)
	for i := e.min; e.max < 0 || i < e.max; i++ {
		here = o.after(here, e.subs[0])
		if !merge(set, here) && e.max < 0 {
			return
		}
	}
}

func (o *oracle) looks(e *Expr, at int) bool {
	if !e.look.behind {
		for _, ok := range o.ends(e.subs[0], at) {
			if ok {
				return true
			}
		}
		return false
	}
	for from := range at + 1 {
		if o.ends(e.subs[0], from)[at] {
			return true
		}
	}
	return false
}

// A generator writes random patterns.
type generator struct {
	*rand.Rand
	chars   []string // what single characters and classes are drawn from
	looks   bool     // with lookarounds
	anchors bool     // with $ \Z \b \B
	lazy    bool     // with lazy quantifiers
}

func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g *generator) pattern(depth int) string {
	if depth == 0 {
		return g.pick(g.chars...)
	}
	switch n := g.IntN(12); {
	case n < 5:
		return g.pattern(depth-1) + g.pattern(depth-1)
	case n < 7:
		return g.pick("(?:", "(") + g.pattern(depth-1) + "|" + g.pattern(depth-1) + ")"
	case n < 10:
		quantifier := g.pick("*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "{0}")
		if g.lazy && g.IntN(3) == 0 {
			quantifier += "?"
		}
		return "(?:" + g.pattern(depth-1) + ")" + quantifier
	case n < 11 && g.anchors && g.IntN(2) == 0:
		return g.pick("$", `\b`, `\B`, `\Z`, `\b`)
	case n < 11 && g.looks:
		return g.pick("(?=", "(?!", "(?=", "(?!", "(?<=", "(?<!") + g.flat() + ")"
	}
	return g.pattern(depth - 1)
}

// flags are those that anchors depend on, or none.
func (g *generator) flags() Flags { return []Flags{0, ASCII, ASCII, Multiline | ASCII}[g.IntN(4)] }

// flat is a pattern for an assertion: of one length, so that Python takes it as
// a lookbehind, and short, so that short contexts decide it.
func (g *generator) flat() string {
	atom := func() string { return g.pick("a", "b", "[ab]", "[^a]", "c") }
	switch n := g.IntN(6); {
	case n < 3:
		return atom()
	case n < 5:
		return atom() + atom()
	}
	return "(?:" + atom() + "|" + atom() + ")"
}

// words are n words of 3 to 5 letters.
func (g *generator) words(letters []string, n int) []string {
	words := make([]string, n)
	for i := range words {
		for range 3 + g.IntN(3) {
			words[i] += g.pick(letters...)
		}
	}
	return words
}

// allStrings lists all strings of up to n letters.
func allStrings(letters []string, n int) []string {
	all := []string{""}
	for from := 0; n > 0; n-- {
		to := len(all)
		for _, s := range all[from:to] {
			for _, c := range letters {
				all = append(all, s+c)
			}
		}
		from = to
	}
	return all
}

// newRand is the randomness of a test.
func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seed.New(t), 0))
}

// compileGreedy compiles without the cut of lazy quantifiers, which no other
// engine knows.
func compileGreedy(e *Expr) (*DFA, error) {
	return compile(e, newBudget(Limits{}), compileMode{})
}

// TestAgainstGo compares with package regexp on the syntax both have.
func TestAgainstGo(t *testing.T) {
	g := &generator{Rand: newRand(t), lazy: true, chars: []string{
		"a", "b", "é", ".", "[ab]", "[^a]", `\n`, `(?i:b)`, `(?s:.)`, `[^\x00-\x60é]`, "", "漢", `(?-s:.)`}}
	texts := allStrings([]string{"a", "b", "é", "\n"}, 4)
	for range seed.Rounds(50, 100, 2000) {
		pattern := g.pattern(1 + g.IntN(5))
		theirs, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		ours, err := compileGreedy(e)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		checkCanonical(t, ours)
		for _, text := range texts {
			if got, want := ours.MatchString(text), theirs.MatchString(text); got != want {
				t.Fatalf("/%s/ on %q: %v, regexp says %v", pattern, text, got, want)
			}
		}
	}
}

// exampleOf returns the match that the message of an error gives as example.
func exampleOf(err error) []string {
	if err == nil {
		return nil
	}
	_, rest, _ := strings.Cut(err.Error(), "whether ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return nil
	}
	example, err := strconv.Unquote(quoted)
	if err != nil {
		return nil
	}
	return []string{example}
}

// verdicts reports whether e matches word before after with some text in front, and whether it does
// not with some.
func verdicts(e *Expr, word string, contexts []string, after string) (yes, no bool) {
	for _, before := range contexts {
		if newOracle(before+word+after).ends(e, len(before))[len(before)+len(word)] {
			yes = true
		} else {
			no = true
		}
	}
	return
}

// TestOracleAgainstRegexp2 keeps the judge itself honest: regexp2 backtracks
// like Python's engine.
func TestOracleAgainstRegexp2(t *testing.T) {
	g := &generator{Rand: newRand(t), looks: true, chars: []string{"a", "b", "[ab]", "[^a]", "c", "ab", ""}}
	texts := allStrings([]string{"a", "b", "c"}, 4)
	for range seed.Rounds(12, 25, 500) {
		pattern := g.pattern(2 + g.IntN(3))
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		const before, length = 1, 2
		theirs, err := regexp2.Compile(fmt.Sprintf(`\G(?:%s)(?<=\A[\s\S]{%d})`, pattern, before+length))
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		theirs.MatchTimeout = 10 * time.Second
		for _, text := range texts {
			if len(text) < before+length {
				continue
			}
			m, err := theirs.FindStringMatchStartingAt(text, before)
			if err != nil {
				t.Fatalf("%s: %v", pattern, err)
			}
			if got := newOracle(text).ends(e, before)[before+length]; got != (m != nil) {
				t.Fatalf("/%s/ on %q[%d:%d]: %v, regexp2 says %v", pattern, text, before, before+length, got, m != nil)
			}
		}
	}
}
