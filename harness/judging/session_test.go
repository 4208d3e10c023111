package judging

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/config"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// text is a schema of a string, where trie and an engine that knows no digits differ at every
// character.
var text = tested{`{"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"], "additionalProperties": false}`, `{"s": "some words here"}`}

// digitless refuses digits.
func digitless(_, _, token string) bool { return strings.ContainsAny(token, "0123456789") }

// lines counts the lines about a cell, and has them.
func (w *world) lines(t *testing.T, key string) (n int, all string) {
	t.Helper()
	content := must.Get(os.ReadFile(filepath.Join(judged.Folder(w.opt.Out), key+".log")))(t)
	return bytes.Count(content, []byte("\n")), string(content)
}

// TestResume: what is judged is not judged again; a part is, once all is asked for.
func TestResume(t *testing.T) {
	w := newWorld(t, []tested{text, text, {`{"type": "integer"}`, "7"}}, "", &deviant{name: "deviant", without: digitless}, &deviant{name: "same"})
	part := w.judge(t, Options{Limit: 3})
	r := part["deviant"]
	if r.Judged != 3 || r.Differ <= 3 || part["same"].Differ != 0 || part["same"].Compared == 0 || len(part["same"].Findings) != 0 {
		t.Fatalf("of three positions: %+v and %+v", r, part["same"])
	}
	n, before := w.lines(t, r.Key)
	if n < 2 || n > 4 {
		t.Errorf("%d lines about 3 positions and what is to be judged", n)
	}
	if again := w.judge(t, Options{Limit: 3})["deviant"]; again.Judged != 3 {
		t.Errorf("again: %+v", again)
	}
	if _, after := w.lines(t, r.Key); after != before {
		t.Errorf("the same question is answered again:\n%s\nbefore\n%s", after, before)
	}
	all := w.judge(t, Options{})["deviant"]
	if all.Judged != all.Differ || all.Differ != r.Differ {
		t.Errorf("all: %+v", all)
	}
	n, whole := w.lines(t, r.Key)
	// A kill tears the last line: its document is judged again, and nothing else.
	path := filepath.Join(judged.Folder(w.opt.Out), r.Key+".log")
	must.OK(t, os.WriteFile(path, []byte(whole[:len(whole)-20]), 0o644))
	if again := w.judge(t, Options{})["deviant"]; again.Judged != all.Judged || len(again.Findings) != len(all.Findings) {
		t.Errorf("after a kill: %+v, want %+v", again, all)
	}
	if m, _ := w.lines(t, r.Key); m != n {
		t.Errorf("%d lines after a kill, want %d", m, n)
	}
	// What is judged of all is not thrown away for a part of it.
	if again := w.judge(t, Options{Limit: 2})["deviant"]; again.Judged != all.Judged || again.Limit != 0 {
		t.Errorf("a part, after all: %+v", again)
	}
	if m, _ := w.lines(t, r.Key); m != n {
		t.Errorf("%d lines after a part, want %d", m, n)
	}
}

// TestFailures: an engine that fails while it is judged, or gives other masks than before, leaves
// what is undecided and no error; the others are judged.
func TestFailures(t *testing.T) {
	var now atomic.Bool // whether it is judged
	w := newWorld(t, []tested{text}, "",
		&deviant{name: "changed", without: func(text, last, token string) bool {
			return digitless(text, last, token) || now.Load() && token == "a"
		}},
		&deviant{name: "panics", without: digitless, panics: func(text string) bool { return now.Load() && strings.Contains(text, "some") }},
		&deviant{name: "broken", without: digitless, source: func(s string) string {
			if now.Load() {
				return "{"
			}
			return s
		}},
		&deviant{name: "right", without: digitless})
	now.Store(true)
	all := w.judge(t, Options{})
	for name, cause := range map[string]string{"changed": "another mask than when it was measured", "panics": engineFailed, "broken": "an engine did not compile again"} {
		r, found := all[name], false
		for _, f := range r.Findings {
			found = found || f.Class == judged.Undecided && f.Cause == cause && f.Positions > 0
		}
		if !found || r.Judged != r.Differ {
			t.Errorf("%s: %+v, want undecided: %s", name, r, cause)
		}
	}
	if r := all["right"]; len(r.Findings) != 1 || r.Findings[0].Class != judged.ExcludesValid {
		t.Errorf("%+v", r)
	}
}

// TestMixed: where tokens of one group have different answers, each has its own.
func TestMixed(t *testing.T) {
	w := newWorld(t, []tested{text}, "", &deviant{name: "deviant", without: func(_, last, token string) bool {
		return strings.HasSuffix(token, "q") || len(token) == 3 && isLower(token) && token > "q"
	}})
	r := w.judge(t, Options{})["deviant"]
	got := map[string]int{}
	for _, f := range r.Findings {
		got[f.Name()] = f.Tokens / f.Positions
		w.replay(t, f, f.Name())
	}
	if q, cut := got["the engine excludes a valid text: a character of a string"], got["the engine has a convention: tokenisation"]; len(got) != 2 || q < 1 || cut < 10 {
		t.Errorf("tokens by finding: %v; want some with q, and many that are cut", got)
	}
}

// TestInput: what is not there, or is not what was run, is an error that says so.
func TestInput(t *testing.T) {
	if _, err := Judge(t.Context(), t.TempDir(), &config.Config{}, Options{}); err == nil {
		t.Error("an empty directory is judged")
	}
	w := newWorld(t, []tested{text}, "", &deviant{name: "deviant", without: digitless})
	w.file(t, "schemas.jsonl", fmt.Sprintf("{\"id\": \"s0\", \"schema\": %s, \"tests\": [{\"valid\": true, \"data\": {\"s\": \"other\"}}]}\n", text.schema))
	if _, err := Judge(t.Context(), w.opt.Out, w.cfg, Options{Harness: w.opt}); err == nil || !strings.Contains(err.Error(), "is not what was measured") {
		t.Errorf("of another corpus: %v", err)
	}
	must.OK(t, os.Remove(filepath.Join(w.dir, "schemas.jsonl")))
	if _, err := Judge(t.Context(), w.opt.Out, w.cfg, Options{Harness: w.opt}); err == nil || !strings.Contains(err.Error(), "schemas.jsonl") {
		t.Errorf("without the corpus: %v", err)
	}
}

// TestReference: the reference is judged by the same rules. A schema that is compiled leniently
// admits too much.
func TestReference(t *testing.T) {
	w := newWorld(t, []tested{{`{"type": "array", "items": {"type": "string", "pattern": "^(b*)\\1$"}}`, `[""]`}}, ", lenient: true",
		&deviant{name: "deviant", options: jsonschema.Options{Lenient: true}, without: func(text, _, token string) bool {
			return strings.Contains(text+token, ",")
		}})
	r := w.judge(t, Options{})["deviant"]
	for _, f := range r.Findings {
		w.replay(t, f, f.Name())
		if f.Whose == judged.Reference && f.Class == judged.AdmitsInvalid && f.Cause == "pattern" {
			return
		}
	}
	t.Errorf("%+v", r)
}

// TestReplayDisagrees: a witness that says what is not so does not stand, and one that cannot be
// asked is an error.
func TestReplayDisagrees(t *testing.T) {
	w := newWorld(t, []tested{text}, "", &deviant{name: "deviant", without: digitless})
	f := w.judge(t, Options{})["deviant"].Findings[0]
	path := judged.Path(w.opt.Out, f.Witness)
	for name, c := range map[string]struct {
		change     func(x *judged.Witness)
		reproduced bool
		err        string
	}{
		"as it is":           {func(*judged.Witness) {}, true, ""},
		"who allows it":      {func(x *judged.Witness) { x.Allows = judged.Engine }, false, ""},
		"the cause":          {func(x *judged.Witness) { x.Cause = "white space" }, false, ""},
		"the class":          {func(x *judged.Witness) { x.Class = judged.Convention }, false, ""},
		"the verdict":        {func(x *judged.Witness) { x.Verdict.Valid, x.Verdict.Rule = false, "minimum" }, false, ""},
		"the text":           {func(x *judged.Witness) { x.WitnessBytes = []byte(`{"s": "a"}`) }, false, ""},
		"the prefix":         {func(x *judged.Witness) { x.PrefixIDs = x.PrefixIDs[1:] }, false, ""},
		"a token":            {func(x *judged.Witness) { x.Token = 1 << 30 }, false, "not in its vocabulary"},
		"a negative token":   {func(x *judged.Witness) { x.PrefixIDs[0] = -1 }, false, "not in its vocabulary"},
		"another vocabulary": {func(x *judged.Witness) { x.Tokenizer = "o200k_base[:4000]" }, false, "--tokenizer"},
		"no vocabulary":      {func(x *judged.Witness) { x.Tokenizer = "nothing" }, false, "--tokenizer"},
		"no engine":          {func(x *judged.Witness) { x.Engine.Algorithm = "nobody" }, false, "nobody"},
		"no schema":          {func(x *judged.Witness) { x.Text = "{" }, false, "x.json"},
		"no grammar":         {func(x *judged.Witness) { x.Kind, x.Text = algorithms.KindGrammar, "start" }, false, "--grammar"},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := judged.ReadWitness(path)
			must.OK(t, err)
			c.change(x)
			content := must.Get(json.Marshal(x))(t)
			w.file(t, "x.json", string(content))
			r, err := Replay(t.Context(), filepath.Join(w.dir, "x.json"), ReplayOptions{Algorithm: w.opt.Algorithm})
			switch {
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("%v, want an error with %q", err, c.err)
			case c.err == "" && (err != nil || r.Reproduced != c.reproduced):
				t.Errorf("%+v, %v; want reproduced %v", r, err, c.reproduced)
			}
		})
	}
}

// TestGroups: on random masks every token that differs is in exactly one group, of the right side,
// with the byte at which the reference stops.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	tok := must.Get(tokenizers.Load(t.Context(), vocabulary, tokenizers.Options{}))(t)
	v := tok.Vocabulary()
	g := must.Get(languages.Load(t.Context(), "json"))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	c := newComparer(r, v, true)
	for _, prefix := range []string{"", `{"a": `, `["x`, `[1, 2`, `"\u00`, `{"a": 1}`} {
		s, ok := r.Read(r.Start(), []byte(prefix))
		if !ok {
			t.Fatal(prefix)
		}
		reference, engine := algorithms.NewBuffer(v.Len()), algorithms.NewBuffer(v.Len())
		for id := range v.Len() {
			_, legal := r.Read(s, v.Token(id))
			if legal = legal && v.Legal(id); legal {
				reference.Set(id)
			}
			if legal != (rng.IntN(20) == 0) {
				engine.Set(id)
			}
		}
		seen := map[int32]bool{}
		for _, group := range c.groups(s, []byte(prefix), reference.Mask(), engine.Mask()) {
			for _, d := range group.tokens {
				if seen[d.token] {
					t.Fatalf("%q: token %d is in two groups", prefix, d.token)
				}
				seen[d.token] = true
				checkDifference(t, r, s, v, group, d, reference.Mask(), engine.Mask())
			}
		}
		for id := range v.Len() {
			if seen[int32(id)] != (reference.Mask().Has(id) != engine.Mask().Has(id)) {
				t.Fatalf("%q: token %d %q: in a group is %v", prefix, id, v.Token(id), seen[int32(id)])
			}
		}
	}
}

// checkDifference holds a token to what its group says.
func checkDifference(t *testing.T, r *recognizer.Recognizer, s recognizer.State, v *tokenizers.Vocabulary, g *group, d difference, reference, engine algorithms.Mask) {
	t.Helper()
	token := v.Token(int(d.token))
	if reference.Has(int(d.token)) != (g.key.allows == judged.Reference) {
		t.Fatalf("token %q is in a group that %s allows", token, g.key.allows)
	}
	if !v.Legal(int(d.token)) {
		return
	}
	switch class := classOf(token[d.at]); {
	case g.key.class == class, g.key.class == classNotUTF8 && token[d.at] >= utf8.RuneSelf && !utf8.Valid(token), g.key.class == classSign && unicode.IsPunct(rune(class)) || unicode.IsSymbol(rune(class)):
	default:
		t.Fatalf("token %q: byte %d is no %v", token, d.at, g.key.class)
	}
	at, ok := r.Read(s, token[:d.at])
	if !ok || rough(r, at) != g.key.place {
		t.Fatalf("token %q: its place behind byte %d is another one", token, d.at)
	}
	if _, ok := r.Read(s, token[:d.at+1]); ok == (g.key.allows == judged.Engine) {
		t.Fatalf("token %q: the reference does not stop at byte %d", token, d.at)
	}
	if g.key.allows == judged.Reference && d.at > 0 && !engineHas(v, engine, token[:d.at]) {
		t.Fatalf("token %q: the engine does not allow its first %d bytes", token, d.at)
	}
}

// engineHas reports whether a text is a token of the mask.
func engineHas(v *tokenizers.Vocabulary, m algorithms.Mask, text []byte) bool {
	for _, id := range m.IDs(nil) {
		if v.Legal(id) && bytes.Equal(v.Token(id), text) {
			return true
		}
	}
	return false
}

// TestTextSpellings: other spellings of programs are still taken, and have the same lexemes that
// count.
func TestTextSpellings(t *testing.T) {
	g := must.Get(languages.Load(t.Context(), "sql"))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	for _, c := range [][5]string{ // the text, without ends, with spaces, with least spaces, without comments
		{" SELECT  a ,b\n FROM\tc -- d\n", "SELECT  a ,b\n FROM\tc -- d", "SELECT a ,b\nFROM c -- d", "SELECT  a,b\n FROM\tc -- d", " SELECT  a ,b\n FROM\tc  \n"},
		{"SELECT (\n1 )/* x */", "SELECT (\n1 )/* x */", "SELECT (\n1 )/* x */", "SELECT(1)/* x */", "SELECT (\n1 )"},
		{"SELECT FROM WHERE", "SELECT FROM WHERE", "SELECT FROM WHERE", "SELECT FROM WHERE", "SELECT FROM WHERE"}, // refused, so it stays
	} {
		for i, rule := range []ignoredRule{withoutEnds, withSpaces, withLeastSpaces, withoutComments} {
			spell := rewriteIgnored(r, 0, rule)
			if got := string(spell([]byte(c[0]))); got != c[i+1] {
				t.Errorf("spelling %d of %q: %q, want %q", i, c[0], got, c[i+1])
			}
		}
	}
}

// TestSpoils: a drive knows a token that writes a key twice, or an empty one.
func TestSpoils(t *testing.T) {
	for _, c := range []struct {
		text, token string
		want        bool
	}{
		{`{"a":1,"`, `a"`, true}, {`{"a":1,"`, `a`, false}, {`{"a":1,"`, `b":`, false}, {`{`, `""`, true}, {`{"`, `":`, true}, {`{"a":`, `""`, false},
		{`{"a":[{"a":1,`, `"a":`, true}, {`{"a":[`, `{"a":`, false}, {`["`, `"`, false}, {`{"a":1,"\u0061":2`, `,"b":`, false}, {`{"\u0061":1,"`, `a"`, true}, {`[`, `{"":0`, true}, {`{"a":{"b":1},"`, `b"`, false},
	} {
		if got := readOpen([]byte(c.text)).spoils([]byte(c.token)); got != c.want {
			t.Errorf("%s behind %s: %v", c.token, c.text, got)
		}
	}
	for text, want := range map[string]string{`["a"`: `,"a"`, `["a","a"`: "", `["a`: "", `{"a":1`: "", `[[1]`: `,[1]`, `{"x":[ {"a": 1}`: `,{"a": 1}`, `[`: ""} {
		if got := string(readOpen([]byte(text)).copyItem()); got != want {
			t.Errorf("a copy behind %s: %q, want %q", text, got, want)
		}
	}
	ids := func(n int, of ...int32) (list []int32) {
		for i := range n {
			list = append(list, of[i%len(of)])
		}
		return list
	}
	for i, c := range []struct {
		ids  []int32
		want bool
	}{{ids(200, 1), true}, {ids(30, 1), false}, {ids(200, 1, 2, 3, 4, 5, 6, 7), true}, {slices.Concat(ids(200, 1, 2), []int32{9}), false}, {slices.Concat(ids(9, 5, 6), ids(90, 1, 2, 3)), true}, {nil, false}} {
		if got := repeats(c.ids); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}

// TestClasses: what can be no UTF-8 is a class, and so are the signs in a JSON string.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		text, token string
		at          int
		want        byteClass
	}{
		{`"`, "\x80", 0, classNotUTF8}, {"\"\xc3", "\xa9", 0, classInside}, {"\"\xc3", "\xa9\xa9", 1, classNotUTF8}, {`"`, "é", 0, classCharacter}, {`"`, "\xe2\x82", 0, classCharacter}, {`"`, "a\xc3a", 1, classNotUTF8},
		{`"`, "-", 0, classSign}, {``, "-", 0, '-'}, {`"`, `"-`, 1, '-'}, {`"\`, "/", 0, '/'}, {`"`, `\/`, 1, '/'}, {`"`, `"`, 0, '"'}, {`"`, "0", 0, '0'}, {`"`, "a", 0, classLetter}, {`{"a":"x",`, `"#`, 1, classSign},
	} {
		cmp := &comparer{json: true, before: begunCharacter([]byte(c.text))}
		cmp.cursor = jsontext.Cursor{}.After([]byte(c.text))
		copy(cmp.bytes[:], c.token)
		if got := cmp.class(c.at, len(c.token)); got != c.want {
			t.Errorf("byte %d of %q behind %q: %v, want %v", c.at, c.token, c.text, got, c.want)
		}
	}
}

// TestNotes: what the validator does not mind explains a refusal where it stands, and no other.
func TestNotes(t *testing.T) {
	twice, half := judges.Verdict{Valid: true, Note: judges.RepeatedKey}, judges.Verdict{Valid: true, Note: judges.LoneSurrogate}
	for _, c := range []struct {
		v    judges.Verdict
		text string
		at   int
		want string
	}{
		{twice, `{"ab":1,"ab":2}`, 9, judges.RepeatedKey}, {twice, `{"ab":1,"ab":2}`, 11, judges.RepeatedKey}, {twice, `{"ab":1,"ab":2}`, 8, ""}, {twice, `{"ab":1,"ab":2}`, 7, ""}, {twice, `{"ab":1,"ab":2}`, 13, ""},
		{twice, `{"ab":{"ab":1,"c":2},"ab":3}`, 15, ""}, {judges.Verdict{Valid: true}, `{"ab":1,"ab":2}`, 9, ""},
		{half, `["\ud800"]`, 3, judges.LoneSurrogate}, {half, `["\ud800"]`, 8, judges.LoneSurrogate}, {half, `["\ud800","abcdefgh"]`, 15, ""}, {half, `["abc","\ud800"]`, 3, ""},
	} {
		if got := noteAt(c.v, []byte(c.text), c.at); got != c.want {
			t.Errorf("byte %d of %s: %q, want %q", c.at, c.text, got, c.want)
		}
	}
}

// TestWishes: what is open is closed, in strings and out of them.
func TestWishes(t *testing.T) {
	h := &comparison{order: jsontext.Order{{"ab", "q\"r", "ac"}, {"z", "ab"}}}
	wishes := func(text string) string { return string(h.wishes([]byte(text), h.open([]byte(text)))) }
	for text, want := range map[string]string{
		`{"a": [1`: "]", `{"a": "x]`: `"`, `{"a": {`: "}", `{"a": [`: "]", `[{"a":1}`: "]", `{"a": "\`: "n", `{"a":`: "0", `[1,`: "0", `{"a`: "b", `{"xa`: `"`, `{"x\"`: `"`, ``: "0",
		`{"`: "aqz", `{"ab":1,"`: "qaz", `{"z":1,"`: "a", `{"ab":1,"a`: "c", `{"a": {"`: "aqz", `{"q`: `\`, `{"q\"`: "r", `{"ab`: `"`, `{"ab":1,"ab`: "abc", `{"x":"`: `"`, `["`: `"`,
	} {
		if got := wishes(text); !strings.HasPrefix(got, want) {
			t.Errorf("after %q: %q, want %q first", text, got, want)
		}
	}
	if got := wishes("[1, "); strings.ContainsAny(got, " \n") {
		t.Errorf("behind white space: %q", got)
	}
	if got := wishes(`{"`); strings.Contains(got, `"`) {
		t.Errorf("an empty key is wished for: %q", got)
	}
	h = &comparison{}
	for text, want := range map[string]string{"f(a[1": "]", "f(a[1]": ")", "class A {": "}", "x = 1": ";", "f(\"a)": "\"", "x = 'a\\'": "'", "a \n": ";", "f(`a\n": "`", "f('a\n": ")"} {
		if got := wishes(text); got[:1] != want {
			t.Errorf("after %q: %q, want %q first", text, got, want)
		}
	}
}
