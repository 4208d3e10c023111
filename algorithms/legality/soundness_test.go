package legality

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/legality/rules"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func automaton(t testing.TB, g *grammar.Grammar) *rules.DFT {
	t.Helper()
	d := must.Get(rules.NewDFT(g))(t)
	return d
}

// world is a random grammar with everything that the brute force needs.
type world struct {
	text   string
	g      *grammar.Grammar
	tables *lr.Tables
	exact  bool // the tables accept what the rules allow: no conflict was resolved
	// prefixes are all texts up to a length that the parser accepts, by their last terminal.
	prefixes map[grammar.Terminal][]lr.Stacks
}

// newWorld makes a world, or fails if the grammar cannot be used.
func newWorld(seed uint64, length int) (*world, error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{text: conformance.RandomCFG(rng, rng.IntN(2) == 0), prefixes: map[grammar.Terminal][]lr.Stacks{}}
	var err error
	if w.g, err = lark.Parse([]byte(w.text), lark.Options{File: "random.lark"}); err != nil {
		return nil, err
	}
	if len(w.g.Terminals) == 0 {
		return nil, errors.New("no terminals")
	}
	if w.tables, err = lr.Build(context.Background(), w.g, lr.Options{}); err != nil {
		return nil, err
	}
	w.exact = resolved(w.tables) == 0
	w.extend(w.tables.Start(), length)
	return w, nil
}

func (w *world) extend(s lr.Stacks, length int) {
	if length == 0 {
		return
	}
	for x := range w.g.Terminals {
		if to, ok := w.tables.Shift(s, grammar.Terminal(x)); ok {
			w.prefixes[grammar.Terminal(x)] = append(w.prefixes[grammar.Terminal(x)], to)
			w.extend(to, length-1)
		}
	}
}

// takes tells whether a sequence may follow.
func (w *world) takes(s lr.Stacks, seq []grammar.Terminal) bool {
	for _, x := range seq {
		var ok bool
		if s, ok = w.tables.Shift(s, x); !ok {
			return false
		}
	}
	return true
}

// truth is what holds for all prefixes that end with x: whether all, and whether some, may go on
// with seq.
func (w *world) truth(x grammar.Terminal, seq []grammar.Terminal) (all, some bool) {
	all = true
	for _, s := range w.prefixes[x] {
		ok := w.takes(s, seq)
		all, some = all && ok, some || ok
	}
	return all, some
}

// sequences lists all sequences up to a length.
func (w *world) sequences(length int) [][]grammar.Terminal {
	list := [][]grammar.Terminal{}
	from := [][]grammar.Terminal{{}}
	for range length {
		var next [][]grammar.Terminal
		for _, s := range from {
			for x := range w.g.Terminals {
				next = append(next, append(slices.Clone(s), grammar.Terminal(x)))
			}
		}
		list = append(list, next...)
		from = next
	}
	return list
}

const (
	prefixSize = 6
	sequence   = 3
)

// few keeps the search for proofs short: most of the random grammars are ambiguous, and where a
// proof is not found at once it is not found.
var few = rules.Bounds{Nodes: 1000}

// worlds calls f for random grammars that can be used.
func worlds(t *testing.T, f func(seed uint64, w *world)) {
	n, seeds := 0, seed.Rounds(60, 100, 2000)
	for seed := range seed.Each(t, seeds) {
		if w, err := newWorld(seed, prefixSize); err == nil {
			n++
			f(seed, w)
		}
	}
	t.Logf("%d seeds, %d grammars", seeds, n)
	if n < seeds/4 {
		t.Errorf("only %d random grammars can be used", n)
	}
}

// TestRulesSound holds the paper's algorithms to the brute force: never legal is exact, always and
// jointly legal are true where they are claimed. It counts how often they do not know.
func TestRulesSound(t *testing.T) {
	var nevers, missed, alwaysTrue, alwaysKnown, circles, jointTrue, jointKnown int
	round := few
	round.Circles = true
	worlds(t, func(seed uint64, w *world) {
		if !w.exact {
			return
		}
		d := automaton(t, w.g)
		m := newMachine(w.tables, false, 8)
		for x := range w.prefixes {
			list := w.sequences(sequence)
			for i, seq := range list {
				all, some := w.truth(x, seq)
				never := d.IsNeverLegal(x, sequenced(seq...))
				if never {
					nevers++
				}
				if never && some {
					t.Fatalf("seed %d: %v %v is legal, but was proved never to be\n%s", seed, x, seq, w.text)
				}
				// Where rules derive nothing over and over, a fork of the parser can go on for ever, and the
				// exploration gives up: the tables then know less than the rules, never more.
				byTables := m.may(x, seq) == nothing
				if never && !byTables && m.forks {
					missed++
				} else if byTables != never {
					t.Fatalf("seed %d: %v %v: never legal by the rules: %v, by the tables: %v\n%s", seed, x, seq, never, byTables, w.text)
				}
				if all {
					alwaysTrue++
				}
				known, proof := d.IsAlwaysLegal(x, sequenced(seq...), few), d.IsAlwaysLegal(x, sequenced(seq...), round)
				alwaysKnown += count(known)
				circles += count(proof && !known)
				if proof && !all || known && !proof {
					t.Fatalf("seed %d: %v %v: always legal: %v, with circles %v, in truth %v\n%s", seed, x, seq, known, proof, all, w.text)
				}
				other := list[(i*7+1)%len(list)]
				same := w.same(x, seq, other)
				if same {
					jointTrue++
				}
				if route := d.AreJointlyLegal(x, sequenced(seq...), sequenced(other...), few); route != rules.NoRoute {
					jointKnown++
					if !same {
						t.Fatalf("seed %d: %v %v and %v are not jointly legal, but were proved to be (%v)\n%s", seed, x, seq, other, route, w.text)
					}
				}
			}
		}
	})
	t.Logf("never legal: %d, of which the tables do not know %d; always legal up to the length tried: %d, proved %d and %d with circles; jointly legal: %d, proved %d",
		nevers, missed, alwaysTrue, alwaysKnown, circles, jointTrue, jointKnown)
	if alwaysKnown == 0 || jointKnown == 0 || nevers == 0 {
		t.Error("nothing was proved")
	}
}

// same tells whether after all prefixes that end with x both sequences are legal or neither is.
func (w *world) same(x grammar.Terminal, s1, s2 []grammar.Terminal) bool {
	for _, s := range w.prefixes[x] {
		if w.takes(s, s1) != w.takes(s, s2) {
			return false
		}
	}
	return true
}

// may is the stacks on which x and then a sequence may be taken.
func (m *machine) may(x grammar.Terminal, seq []grammar.Terminal) setID {
	s := m.start([]basis{basis(x)}).may
	for _, y := range seq {
		s = m.mayAll(s, m.symbol([]grammar.Terminal{y}, false))
	}
	return s
}

// TestTablesSound holds the proofs over the tables to the brute force, on tables whose conflicts
// were resolved or kept: reading a sequence, judging what may be pending, and joint legality with a
// prefix.
func TestTablesSound(t *testing.T) {
	seed.Usual(t)
	var always, alwaysKnown, nevers, prefix int
	worlds(t, func(seed uint64, w *world) {
		m := newMachine(w.tables, false, 2+int(seed%8))
		b := &builder{machine: m}
		for x := range w.prefixes {
			for _, seq := range w.sequences(sequence) {
				all, some := w.truth(x, seq)
				s := m.start([]basis{basis(x)})
				certain, home := true, 0
				for i, y := range seq[:len(seq)-1] {
					var refuses bool
					if s, refuses = b.step(s, m.symbol([]grammar.Terminal{y}, false)); refuses {
						certain, home = false, i+1
					}
				}
				last := seq[len(seq)-1]
				j := b.judge(s, m.anyTerminal(w.tables.NewSet(last)))
				to, refuses := b.step(s, m.symbol([]grammar.Terminal{last}, false))
				fail := func(what string) {
					t.Fatalf("seed %d: after %v, %v: %s\n%s", seed, x, seq, what, w.text)
				}
				if to.may == nothing {
					nevers++
				}
				switch {
				case j&mayAccept == 0 && some, to.may == nothing && some:
					fail("legal, but was proved never to be")
				case s.may != nothing && certain && (j&mayRefuse == 0 || !refuses) && !all:
					fail("not legal, but was proved always to be")
				case s.may != nothing && (j&mayRefuse == 0 || !refuses) && !w.same(x, seq, seq[:home]):
					fail(fmt.Sprintf("not jointly legal with %v, but was proved to be", seq[:home]))
				}
				if all {
					always++
				}
				if certain && j&mayRefuse == 0 && s.may != nothing {
					alwaysKnown++
				} else if j&mayRefuse == 0 && s.may != nothing {
					prefix++
				}
			}
		}
	})
	t.Logf("never legal: %d; always legal up to the length tried: %d, proved %d; jointly with a prefix: %d", nevers, always, alwaysKnown, prefix)
	if alwaysKnown == 0 || prefix == 0 || nevers == 0 {
		t.Error("nothing was proved")
	}
}

// TestInterchangeSound: the parser cannot tell interchangeable terminals apart.
func TestInterchangeSound(t *testing.T) {
	pairs := 0
	worlds(t, func(seed uint64, w *world) {
		classes := newInterchange(&recognizer.Recognizer{Grammar: w.g, Tables: w.tables}, hasLoops(w.tables))
		for x, first := range classes.first {
			if grammar.Terminal(x) == first {
				continue
			}
			pairs++
			for z := range w.prefixes {
				for _, seq := range w.sequences(sequence) {
					other := slices.Clone(seq)
					for i, y := range other {
						if y == grammar.Terminal(x) {
							other[i] = first
						}
					}
					if !w.same(z, seq, other) {
						t.Fatalf("seed %d: after %v, %v and %v differ\n%s", seed, z, seq, other, w.text)
					}
				}
			}
		}
	})
	t.Logf("%d pairs", pairs)
	if pairs == 0 {
		t.Error("no interchangeable terminals were met")
	}
}

// TestInterchangeByRules: what the rules say to be interchangeable, the tables do, too.
func TestInterchangeByRules(t *testing.T) {
	for _, text := range []string{
		"start: e\ne: \"x\" | e \"+\" t | e \"-\" t\nt: \"x\" | \"y\"",
		"%conflicts keep\nstart: e\ne: \"x\" | e \"+\" e | e \"*\" e",
		"start: e\ne: \"x\" | e \"+\" e | e \"*\" e",
		"start: (\"a\" | \"b\" | \"c\")* \"d\"",
	} {
		g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
		r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
		byRules, tables := automaton(t, g).Interchangeable(), newInterchange(r, false).first
		if (interchange{byRules}).classes() == len(byRules) {
			t.Errorf("no interchangeable terminals in\n%s", text)
		}
		for x, first := range byRules {
			if tables[x] != tables[first] {
				t.Errorf("%s and %s are interchangeable by the rules only in\n%s", g.TerminalName(grammar.Terminal(x)), g.TerminalName(first), text)
			}
		}
	}
}

// TestInterchangeLayout: line breaks, indents and dedents are no other terminal, even if the parser
// takes all of them alike.
func TestInterchangeLayout(t *testing.T) {
	text := "start: (\"p\" | \"q\" | NL | INDENT | DEDENT)*\nNL: /(\\n *)+/\n%declare INDENT DEDENT\n%layout newline=NL indent=INDENT dedent=DEDENT tab=8\n"
	p := realtext.Small(t, text, false, []string{"p", "q", "\n"})
	classes := newInterchange(p.Recognizer, false)
	for _, x := range []grammar.Terminal{p.Layout.Newline(), p.Layout.Indent(), p.Layout.Dedent()} {
		for y, first := range classes.first {
			if (first == classes.first[x]) != (grammar.Terminal(y) == x) {
				t.Errorf("%s and %s are interchangeable", p.Grammar.TerminalName(x), p.Grammar.TerminalName(grammar.Terminal(y)))
			}
		}
	}
	if classes.classes() != len(classes.first)-1 {
		t.Errorf("%d classes of %d terminals: p and q are one", classes.classes(), len(classes.first))
	}
}

// sequenced is the sequence of single terminals.
func sequenced(terminals ...grammar.Terminal) rules.Sequence {
	s := make(rules.Sequence, len(terminals))
	for i, t := range terminals {
		s[i] = []grammar.Terminal{t}
	}
	return s
}
