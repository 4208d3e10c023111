package legality

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// terminalsOf are the terminals whose strings are the words of a text.
func terminalsOf(t testing.TB, g *grammar.Grammar, text string) []grammar.Terminal {
	t.Helper()
	var list []grammar.Terminal
	for _, word := range strings.Fields(text) {
		list = append(list, terminalOf(t, g, word))
	}
	return list
}

// TestJudgeByHand: of all stacks that a terminal was shifted on, and some more were read on,
// whether some accept one of the terminals that may be pending, and whether some refuse all of
// them.
func TestJudgeByHand(t *testing.T) {
	const (
		yes     = mayAccept
		no      = mayRefuse
		depends = mayAccept | mayRefuse
	)
	const (
		lists  = "start: \"[\" l \"]\" | \"(\" l \")\"\nl: \"x\" | l \",\" \"x\"\n"
		kept   = "%conflicts keep\nstart: e\ne: e \"+\" e | \"x\" | \"(\" e \")\"\n"
		double = "%conflicts keep\n%lexer all\nstart: a \"1\" | b \"2\"\na: X | \"z\" a\nb: Y | \"z\" b\nX: \"x\"\nY: \"y\"\n"
	)
	for _, c := range []struct {
		grammar, last, read, pending string
		want                         judgement
	}{
		{oneBracket, "(", "", "(", yes},
		{oneBracket, "(", "", ")", yes},
		{oneBracket, "(", "", "( )", yes},
		{oneBracket, ")", "", "(", no},
		{oneBracket, ")", "", ")", depends},
		{oneBracket, ")", "", "( )", depends},
		{oneBracket, "(", ")", ")", depends}, // X is closed: what is below it counts
		{oneBracket, "(", "( )", ")", yes},   // closes X
		{oneBracket, "(", "( ) )", ")", depends},
		{oneBracket, "(", "( ) )", "(", no},
		{lists, "x", "", ",", yes},
		{lists, "x", "", "]", depends},
		{lists, "x", "", ") ]", yes}, // one of them closes, whichever is open
		{lists, "x", "", "x", no},
		{lists, ",", "x", "]", depends},
		{lists, ",", "x , x", ") ]", yes},
		{lists, "[", "x", ") ]", yes},
		{lists, "[", "x", ")", no},
		{lists, "]", "", ") ] , x", no},
		{kept, "x", "", "+", yes},
		{kept, "x", "", ")", depends},
		{kept, "+", "x", "+", yes},
		{kept, "+", "( x", ")", yes},
		{kept, "+", "( x )", ")", depends},
		{kept, "(", "x + x", ")", yes},
		{kept, ")", "", "x (", no},
		{double, "z", "", "x y", yes},
		{double, "z", "x", "1", yes},
		{double, "z", "x", "2", no},
		{double, "z", "z y", "2", yes},
	} {
		p := realtext.Small(t, c.grammar, true, []string{"x"})
		m := newMachine(p.Tables, p.Grammar.Lexer == grammar.LexAll, DefaultStack)
		b := &builder{machine: m}
		s := m.start([]basis{basis(terminalsOf(t, p.Grammar, c.last)[0])})
		for _, x := range terminalsOf(t, p.Grammar, c.read) {
			s, _ = b.step(s, m.symbol([]grammar.Terminal{x}, false))
		}
		terms := m.anyTerminal(p.Tables.NewSet(terminalsOf(t, p.Grammar, c.pending)...))
		if got := b.judge(s, terms); got != c.want {
			t.Errorf("behind %q, and %q read, %q pending: accept %v, refuse %v\n%s", c.last, c.read, c.pending, got&mayAccept != 0, got&mayRefuse != 0, c.grammar)
		}
		if again := b.judge(s, terms); again != c.want {
			t.Errorf("behind %q, and %q read, %q pending: another answer the second time", c.last, c.read, c.pending)
		}
	}
}

// TestStepsByHand: whether a sequence may be refused, and whether anything is left.
func TestStepsByHand(t *testing.T) {
	for _, c := range []struct {
		grammar, last, read string
		refuses, left       bool // by the last terminal
	}{
		{oneBracket, "(", "(", false, true},
		{oneBracket, "(", ")", false, true},
		{oneBracket, ")", ")", true, true},
		{oneBracket, ")", "(", true, false},
		{oneBracket, "(", ") )", true, true},
		{oneBracket, "(", "( ) )", false, true},
		{"start: \"a\" \"b\" | \"c\" \"b\" \"d\"\n", "b", "d", true, true}, // after a it is the end
		{"start: \"a\" \"b\" | \"c\" \"b\" \"d\"\n", "a", "b d", true, false},
		{"start: \"a\" \"b\" | \"c\" \"b\" \"d\"\n", "c", "b d", false, true},
	} {
		p := realtext.Small(t, c.grammar, true, []string{"x"})
		m := newMachine(p.Tables, false, DefaultStack)
		b := &builder{machine: m}
		s, refuses := m.start([]basis{basis(terminalsOf(t, p.Grammar, c.last)[0])}), false
		for _, x := range terminalsOf(t, p.Grammar, c.read) {
			s, refuses = b.step(s, m.symbol([]grammar.Terminal{x}, false))
		}
		if refuses != c.refuses || (s.may != nothing) != c.left {
			t.Errorf("behind %q, %q: refuses %v, something is left: %v\n%s", c.last, c.read, refuses, s.may != nothing, c.grammar)
		}
	}
}

// TestInterchangeByHand says which terminals the tables cannot tell apart.
func TestInterchangeByHand(t *testing.T) {
	for _, c := range []struct{ about, grammar, want string }{
		{"operators of one rank", "start: e\ne: N | e \"+\" N | e \"-\" N\nN: \"n\"\n", "+ -"},
		{"operators of two ranks", "start: e\ne: f | e \"+\" f | e \"-\" f\nf: N | f \"*\" N | f \"/\" N\nN: \"n\"\n", "* /, + -"},
		{"conflicts that were decided alike", "start: e\ne: \"x\" | e \"+\" e | e \"-\" e\n", "+ -"},
		{"conflicts that are kept", "%conflicts keep\nstart: e\ne: \"x\" | e \"+\" e | e \"-\" e\n", "+ -"},
		{"brackets close what opened them", "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\" | \"y\"\n", "x y"},
		{"brackets that may be mixed", "start: (\"(\" | \"[\") start (\")\" | \"]\") | \"x\"\n", "( [, ) ]"},
		{"one is missing in one place", "start: \"a\" \"x\" | \"a\" \"y\" | \"b\" \"x\"\n", ""},
		{"what is ignored is no terminal of the parser", "start: \"a\" | \"b\"\n%ignore \" \"\n%ignore \"_\"\n", "a b"},
		{"an end and a beginning", "start: \"a\" \"b\" | \"b\" \"a\"\n", ""},
	} {
		p := realtext.Small(t, c.grammar, true, []string{"x"})
		first := newInterchange(p.Recognizer, hasLoops(p.Tables)).first
		classes := map[grammar.Terminal][]string{}
		for x, f := range first {
			classes[f] = append(classes[f], p.Grammar.Terminals[x].Source)
		}
		var got []string
		for _, list := range classes {
			if len(list) > 1 {
				slices.Sort(list)
				got = append(got, strings.Join(list, " "))
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", c.about, text, c.want)
		}
	}
}

// TestLimitErrorSays names all that one needs to do something about it.
func TestLimitErrorSays(t *testing.T) {
	p := realtext.Small(t, nested(30, ""), false, realtext.Bytes(128))
	s := newStore(p, config{proofs: proofs{true, true, true}, memory: 1, height: DefaultStack})
	s.limit = 20_000
	err := s.all(t.Context())
	limit, ok := err.(*LimitError)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if limit.OfStates != p.Lexer.NumStates() || limit.States < 1 || limit.States > limit.OfStates || limit.Rows != s.built {
		t.Errorf("%+v of %d lexer states, %d rows", limit, p.Lexer.NumStates(), s.built)
	}
	for _, want := range []string{"legality", "memory", "lazily"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

// TestFlow: what may become of all terminals at once is what the judgement of one after the other
// says, on real tables and on random ones.
func TestFlow(t *testing.T) {
	both, loops := 0, 0
	compare := func(tables *lr.Tables) {
		t.Helper()
		m := newMachine(tables, false, DefaultStack)
		if m.hasLoops {
			loops++
		}
		for x, of := range afterEach(m) {
			from := basis(x)
			if x == len(m.entered) {
				from = basis(^int32(0))
			}
			for y := range grammar.Terminal(tables.NumTerminals()) {
				is := m.judgeSet(m.start([]basis{from}).all, m.anyTerminal(tables.NewSet(y)))
				if is&mayAccept != 0 != bitset.Has(of.accepts, y) || is&mayRefuse != 0 != bitset.Has(of.refuses, y) {
					t.Fatalf("terminal %d after basis %d: judged %d, the flow accepts %v and refuses %v",
						y, from, is, bitset.Has(of.accepts, y), bitset.Has(of.refuses, y))
				}
				if is == mayAccept|mayRefuse {
					both++
				}
			}
		}
	}
	for _, language := range []string{"json", "go", "java"} {
		compare(realtext.Need(t, language, "r50k_base", 1).Problem.Tables)
	}
	const endless = "%conflicts resolve\nstart: c | c \"x\"\nc: d | \"y\" | \"(\" start \")\"\nd.2: c\n"
	compare(realtext.Small(t, endless, true, []string{"x"}).Tables)
	worlds(t, func(_ uint64, w *world) {
		if w.tables.Deterministic() {
			compare(w.tables)
		}
	})
	t.Logf("%d pairs may be accepted and refused; %d tables with endless reductions", both, loops)
	if both == 0 || loops == 0 {
		t.Error("the comparison met no case of a kind")
	}
}
