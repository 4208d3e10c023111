package judging

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// finding is the finding of a kind, which has to be there, replayed.
func (w *world) finding(t *testing.T, r *Result, whose string, class judged.Class, cause string) *judged.Witness {
	t.Helper()
	for _, f := range r.Findings {
		if f.Whose == whose && f.Class == class && f.Cause == cause {
			w.replay(t, f, f.Name())
			return w.witnessOf(t, f)
		}
	}
	var names []string
	for _, f := range r.Findings {
		x := w.witnessOf(t, f)
		names = append(names, f.Name()+": after "+x.Prefix+" the token "+x.TokenText+": "+x.Witness)
	}
	t.Fatalf("no finding: the %s %s %s, in\n%s", whose, class, cause, strings.Join(names, "\n"))
	return nil
}

// TestRefusedBehind: an engine that writes no white space, and knows no keys but those declared,
// has a convention where a blank is at issue. That it refuses our completion's empty key is a
// fault of its own, which does not lead.
func TestRefusedBehind(t *testing.T) {
	const open = `{"type": "object", "properties": {"s": {"type": "string"}, "t": {"type": "string"}}, "required": ["s"]}`
	w := newWorld(t, []tested{{open, `{"s":"ab"}`}}, ", whitespace: any", &deviant{
		name:    "deviant",
		source:  func(s string) string { return strings.TrimSuffix(s, "}") + `, "additionalProperties": false}` },
		options: jsonschema.Options{WhiteSpace: jsonschema.AnySpace},
		without: func(text, _, token string) bool {
			return strings.Count(text, `"`)%2 == 0 && strings.ContainsAny(token, " \n\t\r") || strings.ContainsAny(strings.TrimRight(token, " \n\t\r"), " \n\t\r") || strings.TrimRight(token, " \n\r\t") != token
		}})
	r := w.judge(t, Options{})["deviant"]
	x := w.finding(t, r, judged.Engine, judged.Convention, "white space")
	if x.Respelled == "" || strings.ContainsAny(x.Respelled, " \n\t") {
		t.Errorf("respelled %q", x.Respelled)
	}
	leading := 0
	for _, f := range r.Findings {
		x := w.witnessOf(t, f)
		leading += f.Leading
		w.replay(t, f, f.Name())
		switch behind := strings.HasSuffix(f.Cause, behindToken); {
		case behind && f.Leading > 0:
			t.Errorf("%s leads at %d positions", f.Name(), f.Leading)
		case !behind && f.Class == judged.ExcludesValid && strings.HasPrefix(strings.TrimSpace(x.TokenText), ",") && !strings.Contains(x.TokenText, `"`):
			t.Errorf("%s: the token %q before %q", f.Name(), x.TokenText, x.Witness)
		}
	}
	if leading != r.Judged {
		t.Errorf("%d positions lead, of %d", leading, r.Judged)
	}
	if !slices.ContainsFunc(r.Findings, func(f judged.SummedFinding) bool {
		return f.Class == judged.ExcludesValid && strings.HasSuffix(f.Cause, behindToken)
	}) {
		t.Errorf("what is refused behind a token is in no finding: %+v", r.Findings)
	}
}

// TestMaskOfReference: a reference whose mask is not its grammar's excludes a valid text, whatever
// other spelling it takes.
func TestMaskOfReference(t *testing.T) {
	w := newWorld(t, []tested{{`{"type": "array", "items": {"type": "integer"}}`, `[1, 2]`}}, "",
		&deviant{name: "reference", contract: true, without: func(text, _, token string) bool {
			return strings.HasSuffix(text, "1") && strings.HasPrefix(token, ",") && len(token) == 1
		}},
		&deviant{name: "deviant"})
	r := w.judge(t, Options{})["deviant"]
	x := w.finding(t, r, judged.Reference, judged.ExcludesValid, masksDiffer)
	if len(r.Findings) != 1 || x.TokenText != "," || x.Verdict == nil || !x.Verdict.Valid {
		t.Errorf("%+v, witness %+v", r.Findings, x)
	}
	// So does one that does not let a text end.
	w = newWorld(t, []tested{{`{"type": "array", "items": {"type": "integer"}}`, `[1, 2]`}}, "",
		&deviant{name: "reference", contract: true}, &deviant{name: "deviant", ends: func(text string) bool { return text == "[1" }})
	w.finding(t, w.judge(t, Options{})["deviant"], judged.Engine, judged.AdmitsInvalid, "not JSON")
}

// TestDrivenReference: a fault of the reference that its shortest completions do not show is found
// by driving it.
func TestDrivenReference(t *testing.T) {
	w := newWorld(t, []tested{{`{"type": "array", "items": {"type": "string"}, "contains": {"pattern": "^(?!.*(.)\\1)"}, "minContains": 0, "maxContains": 1}`, `["ab"]`}}, ", lenient: true",
		&deviant{name: "deviant", options: jsonschema.Options{Lenient: true}, without: func(_, _, token string) bool { return strings.Contains(token, "7") }})
	r := w.judge(t, Options{})["deviant"]
	w.finding(t, r, judged.Engine, judged.ExcludesValid, "a character of a string")
	x := w.finding(t, r, judged.Reference, judged.AdmitsInvalid, "maxContains"+behindToken)
	if !strings.Contains(x.Witness, "7") {
		t.Errorf("witness %q", x.Witness)
	}
}

// narrowHearing is a comparison of two tries on a grammar that is narrower than the schema.
func narrowHearing(t *testing.T, schema string) *comparison {
	t.Helper()
	tok := must.Get(tokenizers.Load(t.Context(), vocabulary, tokenizers.Options{}))(t)
	v := tok.Vocabulary()
	g := must.Get(lark.Parse([]byte(`start: "{\"s\":" /"[a-z]*"/ (",\"n\":" /[0-9]+/)? "}"`+"\n"), lark.Options{}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	trie := must.Get(algorithms.Lookup("trie"))(t)
	made := must.Get(trie.Compile(t.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: v}, nil))(t)
	judge := must.Get(judges.For(judges.Language{Schema: []byte(schema)}, judges.Options{}))(t)
	h := &comparison{opt: &Options{Timeout: DefaultTimeout}, tokenizer: tok, judge: judge, recognizer: r, schema: []byte(schema), order: jsontext.DeclaredOrder([]byte(schema)),
		reference: &engine{compiled: made, vocabulary: v}, engine: &engine{compiled: made, vocabulary: v}, describe: func(*judged.Witness) {}}
	h.begin(1)
	return h
}

// silent is a judge that has no verdict at first.
type silent struct {
	speaking
	left int
}

type speaking = judges.Judge

func (s *silent) Judge(ctx context.Context, text []byte) (judges.Verdict, error) {
	if s.left--; s.left >= 0 {
		return judges.Verdict{}, errors.New("no verdict today")
	}
	return s.speaking.Judge(ctx, text)
}

// TestUndecidedDoesNotStand: a group without an answer is asked again where it is met, and the
// first answer stands.
func TestUndecidedDoesNotStand(t *testing.T) {
	h := narrowHearing(t, `{"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]}`)
	asked := &silent{h.judge, 30}
	h.judge = asked
	prefix := h.inTokens([]byte(`{"s":"ab`))
	mask := algorithms.NewBuffer(h.vocabulary.Len()).Mask()
	state, _ := h.recognizer.Read(h.recognizer.Start(), []byte(`{"s":"ab`))
	p := &position{index: len(prefix), prefix: prefix, text: []byte(`{"s":"ab`), content: []byte(`{"s":"ab`), state: state, referenceMask: mask, engineMask: mask}
	tokens := []difference{{h.single['q'], 0}, {h.single['x'], 0}}
	var classes []judged.Class
	for range 20 {
		s, err := h.stand(t.Context(), p, "a group", tokens, judged.Reference)
		if err != nil || s.mixed {
			t.Fatal(err, s)
		}
		classes = append(classes, s.answer.Class)
	}
	if first, last := classes[0], classes[19]; first != judged.Undecided || last == judged.Undecided || asked.left >= 0 {
		t.Errorf("answers %v with %d questions left", classes, asked.left)
	}
}

// TestUndeclared: the reference's conventions are those that it declares. That its grammar refuses
// an escape, or a number with a fraction, is no convention.
func TestUndeclared(t *testing.T) {
	const schema = `{"type": "object", "properties": {"s": {"type": "string"}, "n": {"type": "number"}}, "required": ["s"]}`
	h := narrowHearing(t, schema)
	v := h.vocabulary
	for _, c := range []struct {
		prefix, token, rest string
		class               judged.Class
		cause               string
	}{
		{`{"s":"a`, `\`, `u0061"}`, judged.ExcludesValid, "spelling of strings"},
		{`{"s":"a","n":1`, `.`, `0}`, judged.ExcludesValid, "spelling of numbers"},
		{`{"s":"a`, `A`, `"}`, judged.ExcludesValid, "a character of a string"},
		{`{"s":"a"`, ` `, `}`, judged.Convention, "white space"},
		{`{"`, `n`, `":1,"s":"a"}`, judged.Convention, "order of keys"},
		{`{"s":"a","`, `s`, `":"b"}`, judged.Convention, conventionTwice},
	} {
		prefix, token := h.inTokens([]byte(c.prefix)), h.inTokens([]byte(c.token))
		if len(token) != 1 {
			t.Fatalf("%q is %d tokens", c.token, len(token))
		}
		mask := algorithms.NewBuffer(v.Len()).Mask()
		p := &position{index: len(prefix), prefix: prefix, text: []byte(c.prefix), content: []byte(c.prefix), referenceMask: mask, engineMask: mask}
		q := &question{comparison: h, position: p, difference: difference{token[0], 0}, allows: judged.Engine}
		must.OK(t, q.judgeAdmitted(t.Context(), slices.Concat(prefix, token, h.inTokens([]byte(c.rest)))))
		if q.found.Whose != judged.Reference || q.found.Class != c.class || q.found.Cause != c.cause {
			t.Errorf("%s%s%s: %s %s %s, want %s %s", c.prefix, c.token, c.rest, q.found.Whose, q.found.Class, q.found.Cause, c.class, c.cause)
		}
	}
}

// TestUndeclaredInCalls is TestUndeclared for the arguments of calls.
func TestUndeclaredInCalls(t *testing.T) {
	const text = `{"format": "mistral", "choice": "required", "tools": [{"name": "f", "parameters": {"type": "object", "properties": {"s": {"type": "string"}, "n": {"type": "integer"}},
		"required": ["s", "n"], "additionalProperties": false}}]}`
	h := narrowHearing(t, `{}`)
	h.schema = nil
	must.OK(t, h.of(&algorithms.Source{Kind: algorithms.KindTools, Name: "one", Text: []byte(text)}, nil))
	h.judge = must.Get(judges.For(judges.Language{Tools: []byte(text)}, judges.Options{}))(t)
	h.recognizer = must.Get(must.Get(recognizer.New(t.Context(), must.Get(h.request.Grammar(t.Context(), "one", nil))(t), recognizer.Options{OnDemand: true}))(t).Whole(t.Context()))(t)
	problem := &algorithms.Problem{Recognizer: h.recognizer, Vocabulary: h.vocabulary}
	h.reference.compiled = must.Get(must.Get(algorithms.Lookup("trie"))(t).Compile(t.Context(), problem, nil))(t)
	for _, c := range []struct {
		prefix, token, rest string
		class               judged.Class
		cause               string
	}{
		{`[TOOL_CALLS]f[ARGS]{"s":`, "\n", ` "a", "n": 1}`, judged.Convention, "white space"},
		{`[TOOL_CALLS]f[ARGS]{"`, `n`, `": 1, "s": "a"}`, judged.Convention, "order of keys"},
	} {
		prefix, token := h.inTokens([]byte(c.prefix)), h.inTokens([]byte(c.token))
		mask := algorithms.NewBuffer(h.vocabulary.Len()).Mask()
		p := &position{index: len(prefix), prefix: prefix, text: []byte(c.prefix), content: []byte(c.prefix), referenceMask: mask, engineMask: mask}
		q := &question{comparison: h, position: p, difference: difference{token[0], 0}, allows: judged.Engine}
		must.OK(t, q.judgeAdmitted(t.Context(), slices.Concat(prefix, token, h.inTokens([]byte(c.rest)))))
		if q.found.Whose != judged.Reference || q.found.Class != c.class || q.found.Cause != c.cause {
			t.Errorf("%s%s%s: %s %s %s, want %s %s; %+v, %s", c.prefix, c.token, c.rest, q.found.Whose, q.found.Class, q.found.Cause, c.class, c.cause, q.found.Verdict, q.found.Why)
		}
	}
}
