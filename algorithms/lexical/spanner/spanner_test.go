package spanner_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// compile makes a recognizer of a grammar's text.
func compile(t testing.TB, text string, onDemand bool) *recognizer.Recognizer {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: onDemand}))(t)
	return r
}

// A reading is what reading a token by the definition gives.
type reading struct {
	emitted []string // each set, with its column if it is a newline lexeme
	reach   lexer.ReachID
}

// read reads a token byte by byte from lexer state q with the given registers: the definition.
// There may be several readings, if a lexeme in the token may end in several ways.
func read(r *recognizer.Recognizer, q lexer.State, regs layout.Registers, token []byte) []reading {
	lex := r.Lexer
	if len(token) == 0 {
		return []reading{{reach: lex.Reach(q)}}
	}
	if next := lex.Next(q, token[0]); next != lexer.None {
		return read(r, next, r.Layout.Read(regs, token[0]), token[1:])
	}
	var list []reading
	for _, end := range lex.Ends(q) {
		next := lex.Next(end.Start, token[0])
		if next == lexer.None {
			continue
		}
		name := nameOf(r, end.Set, regs.Line().Column)
		for _, rest := range read(r, next, r.Layout.Read(begin(r.Layout, regs), token[0]), token[1:]) {
			if name != "" {
				rest.emitted = append([]string{name}, rest.emitted...)
			}
			if !slices.ContainsFunc(list, rest.equal) {
				list = append(list, rest)
			}
		}
	}
	return list
}

func (x reading) equal(y reading) bool {
	return x.reach == y.reach && slices.Equal(x.emitted, y.emitted)
}

// nameOf names a set with the column it ends at; "" if all of it is ignored.
func nameOf(r *recognizer.Recognizer, set lexer.Set, column layout.Column) string {
	var names []string
	parsed := false
	for _, t := range r.Lexer.Members(set) {
		parsed = parsed || !r.Grammar.Terminals[t].Ignored
		names = append(names, r.Grammar.TerminalName(t))
	}
	if !parsed {
		return ""
	}
	name := strings.Join(names, "|")
	if r.Layout != nil && r.Lexer.Members(set)[0] == r.Layout.Newline() {
		name += fmt.Sprintf("@%d,%d", column.Stops, column.Alternate)
	}
	return name
}

func begin(l *layout.Layout, regs layout.Registers) layout.Registers {
	if l == nil {
		return regs
	}
	return l.Begin(regs)
}

// check compares the tree of q with the definition, for every token.
func check(t *testing.T, s *spanner.Spanner, r *recognizer.Recognizer, v *tokenizers.Vocabulary, q lexer.State, regs layout.Registers) int {
	t.Helper()
	tree := s.Tree(q)
	found := map[int32]int{} // the groups of each token
	for i := range tree.Leaves {
		leaf := &tree.Leaves[i]
		var emitted []string
		for _, x := range tree.Sequence(nil, leaf.Node) {
			var column layout.Column
			if s.Newline(x) {
				column = s.Column(x).At(r.Layout, regs)
			}
			emitted = append(emitted, nameOf(r, s.Set(x), column))
		}
		ids := s.AppendTokens(nil, tree, int32(i))
		if len(ids) == 0 {
			t.Fatalf("state %d: group %d has no tokens", q, i)
		}
		for _, id := range ids {
			found[id]++
			want, in := read(r, q, regs, v.Token(int(id))), reading{emitted, leaf.Reach}
			if found[id] > len(want) || !slices.ContainsFunc(want, in.equal) {
				t.Fatalf("state %d, token %q: the tree says %+v, in group %d of the token; reading it says %+v", q, v.Token(int(id)), in, found[id], want)
			}
		}
	}
	for id := range v.Len() - 1 { // the last is EOS
		if n := len(read(r, q, regs, v.Token(id))); v.Legal(id) && found[int32(id)] != n {
			t.Fatalf("state %d: token %q is in %d groups, and read in %d ways", q, v.Token(id), found[int32(id)], n)
		}
	}
	return len(tree.Leaves)
}

// TestAgainstReading compares the trees of all states of random grammars with reading each token.
func TestAgainstReading(t *testing.T) {
	trees, groups := 0, 0
	for seed := range seed.Each(t, 300) {
		spec := conformance.Random(seed)
		r := realtext.Recognizer(t, spec.Grammar, spec.OnDemand)
		if r == nil || r.Grammar.Split != nil { // whose copies of a terminal have one name
			continue
		}
		v := realtext.Vocabulary(t, spec.Vocabulary...)
		s := spanner.New(r, v, spanner.Options{NoMemo: seed%4 == 0})
		for q := lexer.State(0); int(q) < r.Lexer.NumStates() && q < 200; q++ {
			groups += check(t, s, r, v, q, layout.Registers{})
			trees++
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, spec.Grammar)
		}
	}
	t.Logf("%d trees, %d groups", trees, groups)
}

const blocks = `
start: _NL? (NAME ":" _NL? | "(" NAME* ")" _NL)*
_NL: /(\r?\n[\t \f]*(#[^\n]*)?)+/
NAME: /[a-z]+/
%ignore /[ \t\f]+/
%declare _DEDENT _IN
%layout newline=_NL indent=_IN dedent=_DEDENT open=LPAR close=RPAR tab=8
`

// TestColumns reads tokens of blanks, line breaks and text from every state, with every pending
// column: what a column symbol says must be what the layout's registers say.
func TestColumns(t *testing.T) {
	t.Run("one width of tabs", func(t *testing.T) { testColumns(t, blocks) })
	t.Run("two widths and joined lines", func(t *testing.T) {
		joined := strings.Replace(blocks, `(\r?\n[\t \f]*(#`, `(\r?\n[\t \f]*(\\\r?\n[\t \f]*)*(#`, 1)
		testColumns(t, strings.Replace(joined, "tab=8", `tab=8 alternate=1 join="\\"`, 1))
	})
}

func testColumns(t *testing.T, text string) {
	r := compile(t, text, false)
	rng := rand.New(rand.NewPCG(seed.New(t), 7))
	const alphabet = " \t\n\f\r#a(:)\\"
	var tokens []string
	for _, c := range alphabet {
		tokens = append(tokens, string(c))
	}
	for range 400 {
		var b bytes.Buffer
		for range 1 + rng.IntN(7) {
			b.WriteByte(alphabet[rng.IntN(len(alphabet))])
		}
		tokens = append(tokens, b.String())
	}
	v := realtext.Vocabulary(t, tokens...)
	s := spanner.New(r, v, spanner.Options{})
	for range 200 {
		state, ok := r.Start(), true
		for range rng.IntN(12) {
			var next recognizer.State
			if next, ok = r.Step(state, alphabet[rng.IntN(len(alphabet))]); ok {
				state = next
			}
		}
		check(t, s, r, v, state.Lexer, state.Layout)
	}
}

// TestPruned holds pruning to what it may drop: a token is dropped only if no state of the parser's
// goes on over its sequence; and it must drop something.
func TestPruned(t *testing.T) {
	g := must.Get(languages.Load(t.Context(), "json"))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	v := realtext.Vocabulary(t, "{", "}", "[", "]", "{}", "[]", "]]", "}}", "[1", "1]", "1,", ",1", "1 1", "1 ", "\":", "\",", "\"a\"", "\"a\":", "][", "{{", "true", "true,", "truefalse", ",]")
	all := spanner.New(r, v, spanner.Options{})
	pruned := spanner.New(r, v, spanner.Options{Prune: true})
	dropped := map[string]bool{}
	for q := lexer.State(0); int(q) < r.Lexer.NumStates(); q++ {
		kept := map[int32]bool{}
		tree := pruned.Tree(q)
		for i := range tree.Leaves {
			for _, id := range pruned.AppendTokens(nil, tree, int32(i)) {
				kept[id] = true
			}
		}
		full := all.Tree(q)
		for i := range full.Leaves {
			for _, id := range all.AppendTokens(nil, full, int32(i)) {
				if !kept[id] {
					dropped[string(v.Token(int(id)))] = true
				}
			}
		}
	}
	for _, want := range []string{"1 1", "][", "{{", ",]"} {
		if !dropped[want] {
			t.Errorf("%q was not dropped", want)
		}
	}
	for _, not := range []string{"{}", "[]", "[1", "{", "["} {
		if !keptFrom(pruned, v, 0, not) {
			t.Errorf("%q was dropped from the start", not)
		}
	}
	if pruned.Stats().Pruned == 0 {
		t.Error("nothing was counted as pruned")
	}
}

func keptFrom(s *spanner.Spanner, v *tokenizers.Vocabulary, q lexer.State, token string) bool {
	tree := s.Tree(q)
	for i := range tree.Leaves {
		for _, id := range s.AppendTokens(nil, tree, int32(i)) {
			if string(v.Token(int(id))) == token {
				return true
			}
		}
	}
	return false
}
