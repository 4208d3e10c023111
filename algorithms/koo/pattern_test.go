package koo_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/koo"
	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestExtensions says of each extension which texts it matches, as an automaton over bytes.
func TestExtensions(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{`(?P<QUOTED_TEXT>)`, []string{`""`, `"a b"`, `"\""`, `"\\"`, `"é"`}, []string{``, `"`, `"""`, `"\"`, "\"\n\"", `a`}},
		{`x=(?P<QUOTED_TEXT>);`, []string{`x="1";`}, []string{`x=1;`, `x="1"`}},
		{`(?P<UNQUOTED_TEXT>)`, []string{`a`, `a b`, `a:b`, `-1`, `a#b`, `a- b`, `b:c d`, `http://x y`, `:x`}, []string{``, `a:`, `a `, ` a`, `a: b`, `a #b`, `-`, `- a`, `#a`, `[a`, `"a"`, "a\nb", `-:`}},
		{`(?P<TEXT_UNTIL>END)`, []string{`END`, `some text END`, `EEND`, "a\nEND", `ENEND`}, []string{``, `END.`, `ENDEND`, `EN`}},
		{`(?P<TEXT_UNTIL>\n\n)x`, []string{"a\n\nx", "\n\nx", "a\nb\n\nx"}, []string{"a\nx", "a\n\n\nx"}},
		{`(?P<TEXT_UNTIL>\))`, []string{"a)"}, []string{"a", ")a"}},
		{`(?P<SUBSTRING_OF>abcb)`, []string{``, `a`, `abcb`, `bc`, `cb`, `b`}, []string{`ac`, `abcbc`, `bb`, `d`}},
		{`(?P<SUBSTRING_OF>zéy)`, []string{`é`, `zé`, `éy`}, []string{"\xc3", "\xa9", "z\xc3", "\xa9y"}},
		{`<(?P<SUBSTRING_OF>a\)b\\)>`, []string{`<)>`, `<a)b\>`, `<\>`}, []string{`<b)>`}},
		{`(?P<DELIMITED_LIST>, |[ab]+)`, []string{`a`, `a, b`, `ab, ba, b`}, []string{``, `a,b`, `a, `, `, a`}},
		{`\[(?P<DELIMITED_LIST>,|(?:1|2))?\]`, []string{`[]`, `[1]`, `[1,2,1]`}, []string{`[,]`, `[1,]`}},
		{`(?P<DELIMITED_SUBSEQUENCE_OF>-|a|b|c)`, []string{`a`, `b`, `c`, `a-b`, `a-c`, `b-c`, `a-b-c`}, []string{``, `b-a`, `a-a`, `a-`, `-a`, `c-c`}},
		{`(?P<DELIMITED_LIST>;|(?P<DELIMITED_SUBSEQUENCE_OF>-|a|b))`, []string{`a;a-b;b`}, []string{`b-a`, `a;`}},
		{`((?P<QUOTED_TEXT>)|n+){2}`, []string{`"a""b"`, `n"x"`, `nn`, `nnn`}, []string{`"a"`, `n`, ``}},
		{`(?P<small>(?P<QUOTED_TEXT>))*`, []string{``, `"a"`, `"a""b"`}, []string{`a`}},
		{`(?i)ab(?P<QUOTED_TEXT>)?c`, []string{`abc`, `AB"x"C`}, []string{`ab"x"`}},
		{`[(?P<QUOTED_TEXT>)]`, []string{`(`, `Q`, `?`}, []string{`"a"`, ``}},
		{`\(?(?P<QUOTED_TEXT>){1,2}`, []string{`("a"`, `"a"`, `"a""b"`}, []string{`(`, ``, `"a""b""c"`}},
		{`(?P<TEXT_UNTIL>;)*?;`, []string{`;`, `a;;`}, []string{``, `;;`}},
		{`(?s:(?P<QUOTED_TEXT>).)|(?#(?P<QUOTED_TEXT>)x`, []string{"\"\"\n", `x`}, []string{`""`, `""x"`}},
		{`(?P<JSON_VALUE>1,1)`, []string{`{"a": [1, 2]}`, `[{}]`, `true`, `"x"`, `{}`, `-1.5e3`}, []string{`{"a": {}}`, `[[]]`, `[1,]`, ``, `01`}},
	} {
		e, err := koo.ParsePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		d, err := automata.Compile(e, automata.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, s := range c.yes {
			if !d.MatchString(s) {
				t.Errorf("%s should match %q", c.pattern, s)
			}
		}
		for _, s := range c.no {
			if d.MatchString(s) {
				t.Errorf("%s should not match %q", c.pattern, s)
			}
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{`(?P<TEXT_TOKENS>)`, "unknown extension TEXT_TOKENS"},
		{`(?P<TEXT_TOKEN>a)`, "nothing inside"},
		{`(?P<TEXT_UNTIL>)`, "wants a text"},
		{`(?P<TEXT_UNTIL>a`, "unterminated group"},
		{`(?P<SUBSTRING_OF>)`, "wants a text"},
		{`(?P<DELIMITED_LIST>,)`, "wants a delimiter and an item"},
		{`(?P<DELIMITED_LIST>,|a|b)`, "one kind of item"},
		{`(?P<JSON_VALUE>)`, "two depths"},
		{`(?P<JSON_VALUE>-1,2)`, "negative"},
		{`(?P<JSON_VALUE>30,30)`, "lower the depths"},
		{`(?=(?P<TEXT_TOKEN>))`, "this kind of group"},
		{`(?P<TEXT_TOKEN>)*+`, "possessive"},
		{`(?P<TEXT_TOKEN>){3,2}`, "minimum"},
		{`(?P<TEXT_TOKEN>))`, "unbalanced parenthesis"},
		{`a(?P<TEXT_TOKEN>)b**`, "offset 19"},
		{`((?P<TEXT_TOKEN>)`, "unterminated group"},
		{strings.Repeat("(", 1100) + `(?P<TEXT_TOKEN>)` + strings.Repeat(")", 1100), "nested more than"},
	} {
		if _, err := koo.ParsePattern(c.pattern); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %v, want %q", c.pattern, err, c.want)
		}
	}
	p := must.Get(compile(t, "start: \"a\"\n", []string{"a"}))(t)
	if _, err := realtext.Lookup(t, "automata").Compile(t.Context(), p, algorithms.Options{"pattern": "[^\\s\\S]"}); err == nil || !strings.Contains(err.Error(), "no text at all") {
		t.Errorf("an empty language: %v", err)
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, s := range []string{`a(?P<QUOTED_TEXT>)+|b`, `(?P<DELIMITED_LIST>,|a)`, `(?P<TEXT_UNTIL>\`, `((?P<TEXT_TOKEN>){`, `[(?P<TEXT_TOKEN>`, `(?i)(?P<A_>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 60 || strings.Count(pattern, "{") > 2 || strings.Contains(pattern, "JSON") {
			return
		}
		e, err := koo.ParsePattern(pattern)
		if err != nil {
			return
		}
		if _, err := automata.Compile(e, automata.Limits{MaxRepeat: 50, MaxStates: 2000}); err != nil {
			t.Log(err)
		}
	})
}

// regular starts a generation under a pattern.
func regular(t testing.TB, pattern string, tokens []string, o algorithms.Options) (algorithms.State, *algorithms.Problem) {
	t.Helper()
	p := must.Get(compile(t, "start: \"a\"\n", tokens))(t)
	full := algorithms.Options{"pattern": pattern}
	for k, v := range o {
		full[k] = v
	}
	return start(t, "automata", p, full), p
}

// TestRegular compares masks with their definition: a token is legal if some text of at most six
// more letters completes a match, by Go's regexp.
func TestRegular(t *testing.T) {
	const alphabet = "abc"
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, pattern := range []string{"(ab)+c?", "a*b{2,3}", "[ab]*c", "(a|bc){1,3}", "(abc|ab|b)+", "", "c|(a(b|c)){2}"} {
		re := regexp.MustCompile("^(?:" + pattern + ")$")
		known := map[string]bool{}
		var begins func(text string, left int) bool
		begins = func(text string, left int) bool {
			if re.MatchString(text) {
				return true
			}
			for i := 0; i < len(alphabet) && left > 0; i++ {
				if begins(text+alphabet[i:i+1], left-1) {
					return true
				}
			}
			return false
		}
		legal := func(text string) bool {
			ok, found := known[text]
			if !found {
				ok = begins(text, 6)
				known[text] = ok
			}
			return ok
		}
		for range 3 {
			tokens := conformance.RandomVocabulary(rng, alphabet, 4, 8)
			var states []algorithms.State
			var p *algorithms.Problem
			for _, o := range variants {
				s, problem := regular(t, "(?:"+pattern+")", tokens, o)
				states, p = append(states, s), problem
			}
			text := ""
			for range 5 {
				mask := states[0].Mask().Clone()
				for i, s := range states {
					if !s.Mask().Equal(mask) {
						t.Fatalf("/%s/ after %q: options %v differ", pattern, text, variants[i])
					}
					if message := conformance.CheckCommits(s, p.Vocabulary.Len()); message != "" {
						t.Fatal(message)
					}
				}
				var ids []int
				for id := range p.Vocabulary.Len() {
					token := string(p.Vocabulary.Token(id))
					want := p.Vocabulary.Legal(id) && legal(text+token)
					if p.Vocabulary.IsEOS(id) {
						want = re.MatchString(text)
					} else if want {
						ids = append(ids, id)
					}
					if mask.Has(id) != want {
						t.Fatalf("/%s/ after %q, token %q: want %v", pattern, text, token, want)
					}
				}
				if len(ids) == 0 {
					break
				}
				id := ids[rng.IntN(len(ids))]
				text += string(p.Vocabulary.Token(id))
				for _, s := range states {
					must.OK(t, s.Commit(id))
				}
			}
		}
	}
}

// allowed lists the tokens of a mask by their bytes.
func allowed(s algorithms.State, p *algorithms.Problem) string {
	var texts []string
	for _, id := range s.Mask().IDs(nil) {
		texts = append(texts, fmt.Sprintf("%q", p.Vocabulary.Token(id)))
	}
	return strings.Join(texts, " ")
}

// TestTokenLabels follows the paper's example of bullets: labels read whole tokens, and where a
// token can be read by a label and by its bytes, both ways are followed.
func TestTokenLabels(t *testing.T) {
	tokens := []string{"Summary", ":", "\n* ", "x", " y", "z\n", "\xc3", "\n", "*", " "}
	s, p := regular(t, `Summary:(\n\* (?P<PARAGRAPH_TOKEN>)+){1,2}`, tokens, nil)
	commit := func(token string) {
		t.Helper()
		must.OK(t, s.Commit(tokenOf(t, p.Vocabulary, token)))
		if message := conformance.CheckCommits(s, p.Vocabulary.Len()); message != "" {
			t.Fatal(message)
		}
	}
	expect := func(want string) {
		t.Helper()
		if got := allowed(s, p); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	expect(`"Summary"`)
	commit("Summary")
	commit(":")
	expect(`"\n* " "\n"`)
	commit("\n* ")
	expect(`"Summary" ":" "x" " y" "*" " "`) // no line breaks, no half characters
	commit("x")
	expect(`"Summary" ":" "\n* " "x" " y" "\n" "*" " " "<eos>"`)
	commit("\n")
	expect(`"*"`) // the second bullet, spelled
	commit("*")
	commit(" ")
	commit(" y")
	expect(`"Summary" ":" "x" " y" "*" " " "<eos>"`) // no third

	s, p = regular(t, `(?P<TEXT_TOKEN>)b|ab`, []string{"a", "b", "ab", "\n", "\xff"}, nil)
	expect(`"a" "b" "ab" "\n"`)
	commit("a") // the label, or the first letter of ab
	expect(`"b"`)
	commit("b")
	expect(`"<eos>"`)
	s, p = regular(t, `(?P<TEXT_TOKEN>)b|ab`, []string{"a", "b", "ab", "\n", "\xff"}, nil)
	commit("ab") // the label, or all of ab
	expect(`"b" "<eos>"`)
}

// TestJSONPattern compares depth-limited JSON with the definition by counting brackets.
func TestJSONPattern(t *testing.T) {
	values := []string{`1`, `[]`, `{}`, `[[]]`, `{"a":{}}`, `[{}]`, `{"a":[]}`, `[{"a":[]}]`, `{"a":[{}]}`, `[[[]]]`, `{"a":{"b":{}}}`, `[ 1 , {"x" : [true, null]} ]`}
	for objects := range 3 {
		for arrays := range 3 {
			text := must.Get(koo.JSONPattern(objects, arrays))(t)
			d := automata.MustCompile(text, 0)
			for _, v := range values {
				want := nesting(v, '{', '}') <= objects && nesting(v, '[', ']') <= arrays
				if got := d.MatchString(v); got != want {
					t.Errorf("%d objects, %d arrays, %s: got %v", objects, arrays, v, got)
				}
			}
		}
	}
}

func nesting(s string, open, closing rune) int {
	depth, deepest := 0, 0
	for _, r := range s {
		switch r {
		case open:
			depth++
			deepest = max(deepest, depth)
		case closing:
			depth--
		}
	}
	return deepest
}

// TestSubstrings compares SUBSTRING_OF with strings.Contains, and its size with its bound.
func TestSubstrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 60 {
		var b strings.Builder
		for range 1 + rng.IntN(20) {
			b.WriteByte("aab"[rng.IntN(3)])
		}
		text := b.String()
		e := must.Get(koo.ParsePattern("(?P<SUBSTRING_OF>" + text + ")"))(t)
		d := must.Get(automata.Compile(e, automata.Limits{}))(t)
		if d.NumStates() > 2*len(text) {
			t.Errorf("%q: %d states", text, d.NumStates())
		}
		for range 100 {
			i := rng.IntN(len(text) + 1)
			j := i + rng.IntN(len(text)+1-i)
			part := []byte(text[i:j])
			if len(part) > 0 && rng.IntN(2) == 0 {
				part[rng.IntN(len(part))] ^= 3 // a to b, or to what is not there
			}
			if got, want := d.Match(part), strings.Contains(text, string(part)); got != want {
				t.Errorf("%q in %q: got %v", part, text, got)
			}
		}
	}
}
