package legality

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
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

// TestForkNumbers: several bases have one number, in whatever order they come, and each basis once.
func TestForkNumbers(t *testing.T) {
	p := realtext.Small(t, oneBracket, true, []string{"x"})
	s := stringStore(p, true, proofs{})
	a := s.fork([]basis{3, 1, 2})
	if b := s.fork([]basis{2, 3, 1}); a != b || a == 0 {
		t.Errorf("the same bases are %d and %d", a, b)
	}
	if b := s.fork([]basis{^2, 1, 3}); a == b {
		t.Error("other bases have the same number")
	}
	if got := s.basesOf(knowledge{forks: a}); len(got) != 3 || got[0] != 1 || got[2] != 3 {
		t.Errorf("bases %v", got)
	}
	if got := s.basesOf(knowledge{basis: ^5}); len(got) != 1 || got[0] != ^5 {
		t.Errorf("one basis is %v", got)
	}
}

// TestKnow follows real parsers: what is known is the last terminal, or the states on top, all of
// them where the parser forked.
func TestKnow(t *testing.T) {
	forks := 0
	for seed := range seed.Each(t, 60) {
		w, err := newWorld(seed, 4)
		if err != nil {
			continue
		}
		r := realtext.Small(t, "start: \"x\"\n", true, nil)
		r.Recognizer.Grammar, r.Recognizer.Tables = w.g, w.tables
		for _, exact := range []bool{false, true} {
			s := &store{exact: exact}
			s.builder.problem = r
			for x, list := range w.prefixes {
				for _, stacks := range list {
					want := map[basis]bool{}
					for i := range stacks.NumTops() {
						if want[basis(x)] = !exact; exact {
							delete(want, basis(x))
							want[basis(^stacks.TopNode(i).State)] = true
						}
					}
					got := s.basesOf(s.know(stacks))
					if len(got) != len(want) {
						t.Fatalf("seed %d: %v is known, want %v", seed, got, want)
					}
					for _, b := range got {
						if !want[b] {
							t.Fatalf("seed %d: %v is known, want %v", seed, got, want)
						}
					}
					if len(got) > 1 {
						forks++
					}
				}
			}
		}
	}
	if forks == 0 {
		t.Error("no parser forked")
	}
}

// TestRenewed: an exploration that begins anew finds the same, and holds what one held that had
// nothing before.
func TestRenewed(t *testing.T) {
	p := realtext.Small(t, nested(8, "%conflicts keep\n%lexer all\n"), true, []string{"}", "}}", "}}}", "v", ",", "{", "k1", "v}"})
	text := "{k0{k1{k2{k3{k4{k5{k6{k7v,k7v}"
	s := newStore(p, config{proofs: proofs{true, true, true}, memory: DefaultMemory, height: DefaultStack})
	first := describe(p, s.row(keyAt(t, s, text)))
	held, runs := s.builder.machine.bytes(), s.builder.machine.runs
	if held <= 0 || runs == 0 {
		t.Fatalf("%d bytes, %d runs", held, runs)
	}
	for round := range 2 {
		s.builder.renew()
		if n := s.builder.machine.bytes(); n >= held {
			t.Errorf("round %d: %d bytes are held at first, %d when all is known", round, n, held)
		}
		clear(s.rows)
		clear(s.builder.strings)
		if again := describe(p, s.row(keyAt(t, s, text))); again != first {
			t.Errorf("round %d: %s, want %s", round, again, first)
		}
		if n := s.builder.machine.bytes(); n != held {
			t.Errorf("round %d: %d bytes, want %d", round, n, held)
		}
		if s.builder.machine.runs <= runs {
			t.Errorf("round %d: runs of the parser are not counted on", round)
		}
		runs = s.builder.machine.runs
	}
}

// TestNewlineRows: what follows a line break inside a token is put off to rows of its own, one for
// each column.
func TestNewlineRows(t *testing.T) {
	text := "start: (\"p\" NL (INDENT (\"p\" NL)+ DEDENT)?)+\nNL: /(\\n *)+/\n%declare INDENT DEDENT\n%layout newline=NL indent=INDENT dedent=DEDENT open=\"(\" close=\")\" tab=8\nx: \"(\" \")\"\n"
	p := realtext.Small(t, text, false, []string{"p", "\n", " ", "p\n", "\np", "\n p", "\n  p", "\n p\n", "\n\n p"})
	s := newStore(p, config{proofs: proofs{true, true, true}, memory: DefaultMemory, height: DefaultStack})
	at, ok := p.Read(p.Start(), []byte("p"))
	if !ok {
		t.Fatal("p is refused")
	}
	r := s.row(rowKey{at.Lexer, whole, s.know(at.Stacks)})
	columns := map[int]int{}
	for i := range r.nodes {
		if l := r.nodes[i].lines; l != nil {
			columns[int(l.column.At(p.Layout, layout.Registers{}).Stops)] += len(l.roots)
		}
	}
	// "\np" is at column 0, "\n p", "\n p\n" and "\n\n p" at 1, "\n  p" at 2.
	if len(columns) != 3 || columns[0] == 0 || columns[1] == 0 || columns[2] == 0 {
		t.Errorf("rows by column: %v", columns)
	}
	if r.tally.Deferred == 0 || r.groups != r.tally.Groups()-r.tally.Deferred {
		t.Errorf("%+v, %d groups", r.tally, r.groups)
	}
	if err := s.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	behind := 0
	for key := range s.rows {
		if key.node != whole {
			behind++
		}
	}
	if behind == 0 {
		t.Error("no row behind a line break was built ahead")
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
		compare(realtext.Need(t, language, "o200k_base", 1).Problem.Tables)
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
