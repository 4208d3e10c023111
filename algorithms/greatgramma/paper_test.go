package greatgramma

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/must"
)

// The paper's figure 1, worked out by hand: the terminals B = ab* and C = ac+, the vocabulary, and
// sentences BCBC... Its lexer has four states: q0, q1 after "a", q2 after "ab", q3 after "ac".
const figure1 = "B: /ab*/\nC: /ac+/\nstart: (B C)*\n"

var figure1Tokens = []string{"a", "b", "c", "ab", "ac", "aba"}

// lexerState is the state that a text of one lexeme leads to.
func lexerState(p *algorithms.Problem, text string) lexer.State {
	q := p.Lexer.Start()
	for i := range len(text) {
		q = p.Lexer.Next(q, text[i])
	}
	return q
}

// figure1Engine is built with all tables. Unless it is pruned these are the paper's own.
func figure1Engine(t *testing.T, prune bool) *engine {
	t.Helper()
	e := newEngine(realtext.Small(t, figure1, false, figure1Tokens), settings{memo: true, prune: prune, always: true, share: true, maxBytes: MaxBytes, maxHeld: MaxHeld})
	must.OK(t, e.buildAll(t.Context()))
	return e
}

// spannerTable is the inverse token spanner table of a root: the tokens by sequence, the last
// terminal being one of those that what is pending may become.
func spannerTable(e *engine, r *root) map[string]string {
	table := map[string][]string{}
	var path []string
	for i, x := range r.shape.entries {
		path = path[:r.shape.depths[i]]
		if !x.isReach() {
			path = append(path, e.problem.Grammar.Terminals[e.view.emits[x.what].parsed[0]].Name)
			continue
		}
		for _, last := range e.problem.Lexer.ReachSet(x.reach()).Terminals() {
			key := strings.Join(path, "") + e.problem.Grammar.Terminals[last].Name
			table[key] = append(table[key], tokensOfGroup(e, r.groups[x.link])...)
		}
	}
	text := map[string]string{}
	for key, tokens := range table {
		slices.Sort(tokens)
		text[key] = strings.Join(tokens, " ")
	}
	return text
}

// tokensOfGroup lists the tokens of a group.
func tokensOfGroup(e *engine, group int32) []string {
	words := make([]uint64, e.maskWords())
	e.view.groups[group].addTo(words)
	return texts(e, words)
}

// texts lists the tokens of a mask.
func texts(e *engine, words []uint64) []string {
	var list []string
	for _, id := range algorithms.MaskOf(words, e.problem.Vocabulary.Len()).IDs(nil) {
		list = append(list, string(e.problem.Vocabulary.Token(id)))
	}
	return list
}

// TestInverseSpannerTable is algorithm 4 by hand, all of it: definition 3.3 for each lexer state
// and sequence.
func TestInverseSpannerTable(t *testing.T) {
	e := figure1Engine(t, false)
	realizable := map[string]bool{}
	for text, want := range map[string]map[string]string{
		"":   {"B": "a ab", "C": "a ac", "BB": "aba", "BC": "aba"},
		"a":  {"B": "b", "C": "c", "BB": "a ab", "BC": "a ac", "BBB": "aba", "BBC": "aba"},
		"ab": {"B": "b", "BB": "a ab", "BC": "a ac", "BBB": "aba", "BBC": "aba"},
		"ac": {"C": "c", "CB": "a ab", "CC": "a ac", "CBB": "aba", "CBC": "aba"},
	} {
		got := spannerTable(e, e.roots[lexerState(e.problem, text)])
		if !maps.Equal(got, want) {
			t.Errorf("behind %q: %v, want %v", text, got, want)
		}
		for sequence := range want {
			realizable[sequence] = true
		}
	}
	// Definition 3.2: B C, BB BC CB CC, BBB BBC CBB CBC.
	if got := realtext.Counter(e, "realizable terminal sequences"); int(got) != len(realizable) || got != 10 {
		t.Errorf("%v realizable sequences, want %d", got, len(realizable))
	}
	// The paper has an entry for each last terminal, here one group ends in all that its lexeme may
	// become. By tokens: from q0 (B|C) B C B(B|C), from q1 moreover BB BC BB(B|C), from q2 none
	// that is new, from q3 C(B|C) CB CC CB(B|C).
	if got := realtext.Counter(e, "sequences, different"); got != 4+3+4 {
		t.Errorf("%v sequences with what may be pending", got)
	}
}

// TestPruned is the same after pruning: two B or two C side by side are gone, wherever they stand.
func TestPruned(t *testing.T) {
	e := figure1Engine(t, true)
	for text, want := range map[string]map[string]string{
		"":   {"B": "a ab", "C": "a ac", "BB": "aba", "BC": "aba"}, // the group of "aba" may become C: it stays, as a whole
		"a":  {"B": "b", "C": "c", "BB": "a", "BC": "a ac"},
		"ab": {"B": "b", "BB": "a", "BC": "a ac"},
		"ac": {"C": "c", "CB": "a ab", "CC": "a", "CBB": "aba", "CBC": "aba"},
	} {
		if got := spannerTable(e, e.roots[lexerState(e.problem, text)]); !maps.Equal(got, want) {
			t.Errorf("behind %q: %v, want %v", text, got, want)
		}
	}
}

// behindTerminals is the LR state on top after some terminals, named by letters.
func behindTerminals(t *testing.T, p *algorithms.Problem, letters string) int32 {
	t.Helper()
	stacks := p.Tables.Start()
	for _, c := range letters {
		x := slices.IndexFunc(p.Grammar.Terminals, func(x grammar.TerminalDef) bool { return x.Name == string(c) })
		var ok bool
		if stacks, ok = p.Tables.Shift(stacks, grammar.Terminal(x)); !ok {
			t.Fatalf("%s is refused", letters)
		}
	}
	return stacks.TopNode(0).State
}

// TestAlwaysAndContext is algorithm 5 by hand: for a lexer state, and an LR state on a stack of
// which nothing else is known, the tokens that are always accepted, and those with sequences that
// depend on the stack.
//
// After a B, C can be shifted at once; after a C, what is below must be known to tell whether a
// pair is complete, so that what follows depends on the stack, although it is refused never: the
// stack-free automaton says that much.
func TestAlwaysAndContext(t *testing.T) {
	for _, prune := range []bool{false, true} {
		e := figure1Engine(t, prune)
		for _, c := range []struct{ pending, behind, always, context string }{
			{"", "", "a ab aba", ""},
			{"a", "", "a ac b", ""}, // "ab" is BB; "aba" is BB and more
			{"ab", "", "a ac b", ""},
			{"a", "B", "c", ""}, // B cannot follow
			{"ac", "B", "c", "a ab aba"},
			{"a", "BC", "", "a ac b"},
			{"ab", "BC", "", "a ac b"},
			{"ac", "BCB", "c", "a ab aba"},
		} {
			q, top := lexerState(e.problem, c.pending), behindTerminals(t, e.problem, c.behind)
			p, ok := e.plan(q, top)
			if !ok {
				t.Errorf("prune %v, %q pending behind %q: nothing is accepted", prune, c.pending, c.behind)
				continue
			}
			var always []string
			if p.mask != nil {
				always = texts(e, p.mask)
			}
			var context []string
			for i := range bitset.All[int](p.context) {
				if x := p.root.shape.entries[i]; x.isReach() {
					context = append(context, tokensOfGroup(e, p.root.groups[x.link])...)
				}
			}
			slices.Sort(always)
			slices.Sort(context)
			if a, d := strings.Join(always, " "), strings.Join(context, " "); a != c.always || d != c.context {
				t.Errorf("prune %v, %q pending behind %q: always %q, depending on the stack %q; want %q, %q", prune, c.pending, c.behind, a, d, c.always, c.context)
			}
		}
		// What cannot come together has no row: C is pending, and C or nothing came before.
		for _, behind := range []string{"", "BC"} {
			if _, ok := e.plan(lexerState(e.problem, "ac"), behindTerminals(t, e.problem, behind)); ok {
				t.Errorf("prune %v: there is a row for C pending behind %q", prune, behind)
			}
		}
	}
}
