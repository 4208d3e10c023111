package greatgramma

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// asPublished are the options of the paper's own form.
var asPublished = algorithms.Options{algorithms.FormOption: algorithms.FormPublished}

// compileFigure1 is figure 1 in the paper's form.
func compileFigure1(t *testing.T) *published {
	t.Helper()
	e := must.Get(compilePublished(t.Context(), realtext.Small(t, figure1, false, figure1Tokens)))(t)
	return e.(*published)
}

// tokensIn lists the tokens of a lexer state's sequences by their names: Tinv(q, .).
func (e *published) tokensIn(q lexer.State) map[string]string {
	table := map[string]string{}
	of := &e.byLexer[q]
	for i, node := range of.sequences {
		name := ""
		for _, x := range e.re.Terminals(nil, node) {
			name += e.problem.Grammar.Terminals[x].Name
		}
		words := make([]uint64, algorithms.MaskWords(e.problem.Vocabulary.Len()))
		e.tokens.list[of.groups[i]].addTo(words)
		var texts []string
		for id := range bitset.All[int](words) {
			texts = append(texts, string(e.problem.Vocabulary.Token(id)))
		}
		slices.Sort(texts)
		table[name] = strings.Join(texts, " ")
	}
	return table
}

// TestPublishedSpannerTable is algorithm 4 by hand: definitions 3.2 and 3.3, with an entry for each
// last terminal.
func TestPublishedSpannerTable(t *testing.T) {
	e := compileFigure1(t)
	for text, want := range map[string]map[string]string{
		"":   {"B": "a ab", "C": "a ac", "BB": "aba", "BC": "aba"},
		"a":  {"B": "b", "C": "c", "BB": "a ab", "BC": "a ac", "BBB": "aba", "BBC": "aba"},
		"ab": {"B": "b", "BB": "a ab", "BC": "a ac", "BBB": "aba", "BBC": "aba"},
		"ac": {"C": "c", "CB": "a ab", "CC": "a ac", "CBB": "aba", "CBC": "aba"},
	} {
		if got := e.tokensIn(lexerState(e.problem, text)); !maps.Equal(got, want) {
			t.Errorf("behind %q: %v, want %v", text, got, want)
		}
	}
	if n := e.realizable; n != 10 || realtext.Counter(e, "realizable terminal sequences") != 10 {
		t.Errorf("%d realizable sequences, want 10", n)
	}
}

// TestPublishedTables: what is always accepted is that of the engineered form without pruning
// (proposition 3.4 is the same), and whatever depends on the stack there does here, since the
// paper's stack-free automaton refuses less (proposition 3.5).
func TestPublishedTables(t *testing.T) {
	for _, text := range []string{figure1, "A: \"a\"\nB: \"b\"\nstart: A start B |\n", "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n"} {
		p := realtext.Small(t, text, false, []string{"a", "b", "c", "ab", "ac", "aba", "(", ")", "[", "]", "x", "((", "))", "x)", "])", ")]", "(x)"})
		compiled := must.Get(compilePublished(t.Context(), p))(t)
		e := compiled.(*published)
		other := newEngine(p, settings{memo: true, always: true, share: true, maxBytes: MaxBytes, maxHeld: MaxHeld})
		must.OK(t, other.buildAll(t.Context()))
		pairs := 0
		for q := range e.byLexer {
			for _, top := range p.Tables.Tops() {
				plan, ok := other.plan(lexer.State(q), top)
				if !ok {
					continue
				}
				pairs++
				at := q*p.Tables.NumStates() + int(top)
				want := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
				plan.copyAlways(want)
				if !slices.Equal(e.masks[e.always[at]], want) {
					t.Errorf("%s: lexer state %d, LR state %d: always accepted are %v, want %v", text, q, top, texts(other, e.masks[e.always[at]]), texts(other, want))
				}
				ours, theirs := make([]uint64, len(want)), make([]uint64, len(want))
				for _, i := range e.lists.At(e.depends[at]) {
					e.tokens.list[e.byLexer[q].groups[i]].addTo(ours)
				}
				for i := range bitset.All[int](plan.context) {
					if plan.root.shape.entries[i].isReach() {
						plan.group(i).addTo(theirs)
					}
				}
				for i := range theirs {
					if theirs[i]&^(ours[i]|want[i]) != 0 {
						t.Errorf("%s: lexer state %d, LR state %d: %v depend on the stack, want %v among them", text, q, top, texts(other, ours), texts(other, theirs))
					}
				}
			}
		}
		if pairs < 5 {
			t.Errorf("%s: %d pairs", text, pairs)
		}
	}
}

// TestPublished: the paper's form gives the contract's masks.
func TestPublished(t *testing.T) { realtext.CheckPublished(t, algorithm{}, asPublished) }

// TestPublishedReal compares masks along real texts.
func TestPublishedReal(t *testing.T) {
	for _, language := range []string{"json", "go"} {
		if language != "json" && !seed.Full() {
			continue
		}
		r := realtext.Need(t, language, "o200k_base", 3)
		if r.Problem.Layout != nil {
			continue
		}
		e := realtext.MustCompile(t, "greatgramma", r.Problem, asPublished)
		engineered := realtext.MustCompile(t, "greatgramma", r.Problem, nil)
		positions, err := r.Compare(engineered, map[string]algorithms.Engine{"as published": e})
		if err != nil || positions == 0 {
			t.Errorf("%s: %d positions, %v", language, positions, err)
		}
	}
}

// TestFormTakesNoOptions: what the paper's form does not have cannot be turned on or off in it.
func TestFormTakesNoOptions(t *testing.T) {
	p := realtext.Small(t, figure1, false, figure1Tokens)
	_, err := algorithm{}.Compile(t.Context(), p, algorithms.Options{algorithms.FormOption: algorithms.FormPublished, "share": "off"})
	if err == nil || !strings.Contains(err.Error(), "share=off goes with form=engineered only") {
		t.Errorf("%v", err)
	}
}
