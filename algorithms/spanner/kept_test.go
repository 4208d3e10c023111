package spanner

import (
	"math/rand/v2"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/automata"
	"gcdbench/grammar/lark"
	"gcdbench/lexer"
	"gcdbench/recognizer"
)

// keptGrammar has strings that judging takes something for, and numbers.
const keptGrammar = "%lexer all\nstart: KEY | FREE | SHORT | WORD | NUMBER\nKEY: \"\\\"abc\\\"\"\nFREE: /\"[^\"\\\\\\x00-\\x1f]*\"/\n" +
	"SHORT: /\"[^\"\\\\\\x00-\\x1f]{0,9}\"/\nWORD: /\"[0-9a-z]+\"/\nNUMBER: /-?[0-9]+/\n"

// told is what a lexicon has found out so far.
func (l *lexicon) told() [6]int {
	return [...]int{len(l.spellings.of), len(l.numerals.of), len(l.languages.of), len(l.found.of), len(l.found.strands.of), len(l.numbered.of)}
}

// TestKept has Spanners of the same grammar ask the same: with a Kept in common the second finds
// what the first found out, and nobody finds what was found out with another Kept, or with none.
func TestKept(t *testing.T) {
	g, err := lark.Parse([]byte(keptGrammar), lark.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatal(err)
	}
	v := verdictVocabulary(t, rand.New(rand.NewPCG(3, 3)), 400)
	use := func(k *algorithms.Kept) *Spanner {
		s := New(r, v, Options{Kept: k})
		s.Strings()
		s.Numbers()
		s.Ahead()
		lex := r.Lexer.(*lexer.OnDemand)
		for _, text := range []string{`"`, `"a`, `"ab`, `1`} {
			q := lex.Start()
			for _, b := range []byte(text) {
				q = lex.Next(q, b)
			}
			if parts := lex.Parts(nil, q); text == "1" {
				s.Numeric(parts)
			} else {
				s.Quoted(parts)
			}
		}
		return s
	}
	k := algorithms.NewKept()
	first := use(k)
	alone := first.lexicon.told()
	use(k)
	twice := first.lexicon.told()
	if third := use(k); third.lexicon != first.lexicon || third.lexicon.told() != twice {
		t.Errorf("the third with a Kept finds out %v, the second found %v", third.lexicon.told(), twice)
	}
	for i, n := range alone {
		if i != 3 && (n == 0 || twice[i] != n) { // verdicts go into the Kept once a second grammar has the strings
			t.Errorf("figure %d: the first has found %d, both %d", i, n, twice[i])
		}
	}
	for name, other := range map[string]*algorithms.Kept{"another Kept": algorithms.NewKept(), "none": nil} {
		if s := use(other); s.lexicon == first.lexicon || s.lexicon.told() != alone {
			t.Errorf("%s: it has found out %v, the first alone %v", name, s.lexicon.told(), alone)
		}
	}
}

// TestTableOfAutomata: a table that is full begins anew, and never gives a number twice.
func TestTableOfAutomata(t *testing.T) {
	var table byAutomaton[uint32]
	number := func(id uint32) uint32 { return id }
	a, b := automata.MustCompile(`"a"`, 0), automata.MustCompile(`"b"`, 0)
	one, known := table.about(a, number)
	if again, found := table.about(a, number); known || !found || again != one {
		t.Errorf("number %d, then %d; known %v, then %v", one, again, known, found)
	}
	table.held = maxAutomata
	two, _ := table.about(b, number)
	three, known := table.about(a, number)
	if known || one == two || two == three || one == three || len(table.of) != 2 {
		t.Errorf("numbers %d, %d and %d, %d automata in the table", one, two, three, len(table.of))
	}
}
