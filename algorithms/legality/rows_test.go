package legality

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/internal/must"
)

// oneBracket nests, and its rows can be worked out by hand.
const oneBracket = "start: \"(\" start \")\" |\n"

var bracketTokens = []string{"(", ")", "()", "))", "((", ")("}

// describe writes down a row: for each node the terminals read, its tokens, and after each question
// its own.
func describe(p *algorithms.Problem, r *row) string {
	var out []string
	path := []string{}
	for i := range r.nodes {
		n := &r.nodes[i]
		path = path[:max(0, int(n.depth)-1)]
		if n.depth > 0 {
			terms := n.terms
			if n.set >= 0 {
				terms = p.Lexer.Members(n.set)
			}
			path = append(path, names(p.Grammar, terms))
		}
		if !n.tokens.empty() {
			out = append(out, strings.Join(path, " ")+": "+tokensIn(p, n.tokens))
		}
		for _, c := range n.checks {
			var terms []grammar.Terminal
			for k, w := range c.terms {
				for ; w != 0; w &= w - 1 {
					terms = append(terms, grammar.Terminal(k<<6+bits.TrailingZeros64(w)))
				}
			}
			out = append(out, strings.Join(append(slices.Clone(path), "?"+names(p.Grammar, terms)), " ")+": "+tokensIn(p, c.tokens))
		}
	}
	return strings.Join(out, "; ")
}

func names(g *grammar.Grammar, terms []grammar.Terminal) string {
	var list []string
	for _, x := range terms {
		list = append(list, g.Terminals[x].Source)
	}
	return strings.Join(list, "|")
}

func tokensIn(p *algorithms.Problem, s tokenSet) string {
	words := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
	s.addTo(words)
	var list []string
	for _, id := range algorithms.MaskOf(words, p.Vocabulary.Len()).IDs(nil) {
		list = append(list, string(p.Vocabulary.Token(id)))
	}
	return strings.Join(list, " ")
}

// TestRowsByHand is the streamlined store of a grammar, row by row. X is the terminal shifted last;
// a further bracket is pending. A question is a path of terminals to shift, then ?terminals of
// which one must be accepted after it; tokens without a path are the row's ready mask.
func TestRowsByHand(t *testing.T) {
	p := realtext.Small(t, oneBracket, false, bracketTokens)
	all, none := proofs{true, true, true}, proofs{}
	for _, c := range []struct {
		about, text string // all but the last bracket of text are shifted
		use         proofs
		want        string
		tally       Tally
	}{
		{"at the start something must be opened", "", all, ": ( () ((", Tally{Always: 3, Never: 2}},
		{"behind X = ( with ( pending all is certain: the second of two closing ones closes X. One that opens behind one that closes is " +
			"no pair that the grammar knows: those are gone before they are counted", "((", all, ": ( ) () )) ((", Tally{Always: 5}},
		{"with ) pending it depends on how many are open", "()", all, ") ?): ); ) ) ?): ))", Tally{Asked: 2}},
		{"behind X = ) as well", "(())", all, ") ?): ); ) ) ?): ))", Tally{Asked: 2}},
		{"without proofs all is asked", "()", none, ") ?(: (; ) ?): ); ) ) ?(: )(; ) ) ?): )); ) ( ?(: ((; ) ( ?): ()", Tally{Asked: 6}},
		{"also what is certain", "((", none, "( ?(: (; ( ?): ); ( ( ?(: ((; ( ( ?): (); ( ) ?(: )(; ( ) ?): ))", Tally{Asked: 6}},
		{"never legal alone leaves )( out", "((", proofs{never: true}, "( ?(: (; ( ?): ); ( ( ?(: ((; ( ( ?): (); ( ) ?): ))", Tally{Asked: 5}},
		{"always legal alone asks about )( only", "((", proofs{always: true}, ": ( ) () )) ((; ( ) ?(: )(", Tally{Always: 5, Asked: 1}},
		{"and does not help where nothing is certain", "()", proofs{always: true}, ") ?(: (; ) ?): ); ) ) ?(: )(; ) ) ?): )); ) ( ?(: ((; ) ( ?): ()", Tally{Asked: 6}},
		{"jointly legal alone: no stack behind ) ( takes anything, so that those two are one question, about no terminal", "()", proofs{joint: true},
			") ?: (; ) ?): ); ) ) ?: )(; ) ) ?): )); ) ( ?: () ((", Tally{Asked: 5, Merged: 1}},
	} {
		for _, exact := range []bool{false, true} {
			s := newStore(p, config{exact: exact, proofs: c.use, memory: DefaultMemory, height: DefaultStack})
			r := s.row(keyAt(t, s, c.text))
			if got := describe(p, r); got != c.want {
				t.Errorf("%s: %q, by state %v, %v: %s\nwant %s", c.about, c.text, exact, c.use, got, c.want)
			}
			if r.tally != c.tally {
				t.Errorf("%s: %q, by state %v, %v: %+v, want %+v", c.about, c.text, exact, c.use, r.tally, c.tally)
			}
			if want := r.tally.Groups() - r.tally.Deferred; r.groups != want {
				t.Errorf("%q: %d groups, want %d", c.text, r.groups, want)
			}
		}
	}
}

// TestJointRowsByHand: an operator that may follow is asked about once, and all that always follows
// it goes with it; those that are interchangeable are one question.
func TestJointRowsByHand(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" e \")\" | \"[\" e \"]\"\ne: N | e \"+\" N | e \"-\" N\nN: /[0-9]+/\n", false,
		[]string{"1", "+", "-", ")", "]", "+1", "-1", "+1-", "+1-1", "+1)", "++"})
	all := proofs{true, true, true}
	for _, c := range []struct {
		text, want string
		use        proofs
		tally      Tally
	}{
		// X = ( and a number is pending: all is certain, and ] is never legal.
		{"(1", ": 1 + - ) +1 -1 +1- +1-1 +1)", all, Tally{Always: 9, Never: 1}},
		// X = + and a number is pending: an operator may follow on every stack, and its operand;
		// which bracket does depends.
		{"(1+1", ": 1 + - +1 -1 +1- +1-1; N ?): ); N ?]: ]; N + N ?): +1)", all, Tally{Always: 7, Asked: 3}},
		// Without always legal, too, + and - are one question, and so are their operands.
		{"(1+1", "?N: 1; N ?): ); N ?+: + -; N ?]: ]; N + ?N: +1 -1; N + N ?): +1); N + N ?+: +1-; N + N - ?N: +1-1",
			proofs{never: true, joint: true}, Tally{Asked: 8, Merged: 2}},
		// Without jointly legal, too, they are two.
		{"(1+1", "?N: 1; N ?): ); N ?+: +; N ?-: -; N ?]: ]; N + ?N: +1; N + N ?): +1); N + N ?-: +1-; N + N - ?N: +1-1; N - ?N: -1",
			proofs{never: true}, Tally{Asked: 10}},
	} {
		s := newStore(p, config{proofs: c.use, memory: DefaultMemory, height: DefaultStack})
		r := s.row(keyAt(t, s, c.text))
		if got := strings.ReplaceAll(describe(p, r), "[0-9]+", "N"); got != c.want || r.tally != c.tally {
			t.Errorf("%q, %v: %s, %+v\nwant %s, %+v", c.text, c.use, got, r.tally, c.want, c.tally)
		}
	}
}

// TestPrefixRowsByHand: what always follows a bracket that may be refused is jointly legal with the
// bracket.
func TestPrefixRowsByHand(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" e \")\" \"!\" \"!\" | \"[\" e \"]\" \"!\" \"!\"\ne: N | e \",\" N\nN: /[0-9]+/\n", false,
		[]string{"1", ",", ")", "]", ")!", "]!", ")!!", ",1"})
	for _, c := range []struct {
		text, want string
		use        proofs
		tally      Tally
	}{
		{"(1,2", ": 1 , ,1; N ?): ); N ?]: ]; N ): )! )!!; N ]: ]!", proofs{true, true, true}, Tally{Always: 3, Asked: 2, Joint: 3}},
		{"(1", ": 1 , ) )! )!! ,1", proofs{true, true, true}, Tally{Always: 6, Never: 2}},
		// Always legal alone does not know what goes with the bracket.
		{"(1,2", ": 1 , ,1; N ?): ); N ?]: ]; N ) ?!: )!; N ) ! ?!: )!!; N ] ?!: ]!", proofs{never: true, always: true}, Tally{Always: 3, Asked: 5}},
	} {
		s := newStore(p, config{proofs: c.use, memory: DefaultMemory, height: DefaultStack})
		r := s.row(keyAt(t, s, c.text))
		if got := strings.ReplaceAll(describe(p, r), "[0-9]+", "N"); got != c.want || r.tally != c.tally {
			t.Errorf("%q, %v: %s, %+v\nwant %s, %+v", c.text, c.use, got, r.tally, c.want, c.tally)
		}
	}
}

// TestTableSizes counts the rows of eager stores by hand: one for each lexer state (start, one for
// each bracket pending) and each basis (nothing shifted yet, and each terminal or each LR state
// that one leads to).
func TestTableSizes(t *testing.T) {
	for _, c := range []struct {
		about, grammar  string
		tokens          []string
		lexer           int
		terminal, state int
	}{
		// LR states entered on "(" and ")": "(" . start ")", and "(" start ")" .
		{"one bracket", oneBracket, bracketTokens, 3, 1 + 2, 1 + 2},
		// "x" is entered in two places, as the sentence and in brackets of either kind as well:
		// LALR has one state of it.
		{"two kinds", "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n", []string{"x", "(", "]"}, 6, 1 + 5, 1 + 5},
		// A comma is entered after the first item and after the others.
		{"lists", "start: \"a\" | \"a\" \",\" \"b\" | \"a\" \",\" \"c\" \",\" \"b\"\n", []string{"a", ",", "b"}, 5, 1 + 4, 1 + 6},
	} {
		p := realtext.Small(t, c.grammar, false, c.tokens)
		if n := p.Lexer.NumStates(); n != c.lexer {
			t.Errorf("%s: %d lexer states, want %d", c.about, n, c.lexer)
		}
		for _, exact := range []bool{false, true} {
			s := newStore(p, config{exact: exact, proofs: proofs{true, true, true}, memory: DefaultMemory, height: DefaultStack})
			must.OK(t, s.all(t.Context()))
			bases := c.terminal
			if exact {
				bases = c.state
			}
			if len(s.rows) != c.lexer*bases || s.built != len(s.rows) || len(s.bases()) != bases {
				t.Errorf("%s, by state %v: %d rows, %d built; want %d lexer states x %d bases", c.about, exact, len(s.rows), s.built, c.lexer, bases)
			}
			sum := int64(0)
			for _, r := range s.rows {
				sum += int64(r.bytes) + knownBytes
			}
			if sum != s.bytes {
				t.Errorf("%s: %d bytes are counted, the rows have %d", c.about, s.bytes, sum)
			}
		}
	}
}

// TestRowsAreKept asks for rows again: one that was made is there, and is not made by another
// basis.
func TestRowsAreKept(t *testing.T) {
	p := realtext.Small(t, oneBracket, false, bracketTokens)
	s := newStore(p, config{proofs: proofs{true, true, true}, memory: DefaultMemory, height: DefaultStack})
	seen := map[*row]string{}
	for _, c := range []struct {
		text  string
		built int
	}{
		{"", 1}, {"(", 2}, {"((", 3}, {"(((", 3}, {"((((", 3}, {"()", 4}, {"(()", 4}, {"(())", 5}, {"((()))", 5}, {"", 5},
	} {
		r := s.row(keyAt(t, s, c.text))
		if s.built != c.built {
			t.Errorf("%q: %d rows were built, want %d", c.text, s.built, c.built)
		}
		if seen[r] == "" {
			seen[r] = c.text
		}
	}
	if len(seen) != 5 || len(s.rows) != 5 {
		t.Errorf("%d different rows of %d", len(seen), len(s.rows))
	}
	// With no room but for one row, each new one drops the others, and is the same as before.
	before := describe(p, s.row(keyAt(t, s, "()")))
	s.limit = 1
	for i := range 2 {
		s.row(rowKey{keyAt(t, s, "()").q, whole, knowledge{basis: basis(^(i + 1))}}) // by LR state: not there yet
		if s.dropped != i+1 || len(s.rows) != 1 {
			t.Errorf("row %d: dropped %d times, %d rows", i, s.dropped, len(s.rows))
		}
	}
	if after := describe(p, s.row(keyAt(t, s, "()"))); after != before || s.dropped != 3 {
		t.Errorf("behind a start anew: %s, want %s", after, before)
	}
}

func (t tokenSet) empty() bool { return t.ids == nil && t.words == nil }
