package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
	"gcdbench/internal/must"
)

// sums is a grammar of sums. What judges say of them in these tests differs from it on purpose.
const sums = "start: N (\"+\" N)*\nN: /[0-9]+/\n%ignore /[ \\n]+/\n"

// compiled is the recognizer of a grammar.
func compiled(t *testing.T, text string) *recognizer.Recognizer {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "sums.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return r
}

// known is a judge whose verdicts are a function.
type known struct {
	verdict func(text string) (judges.Verdict, error)
}

func (known) Name() string    { return "known" }
func (known) Version() string { return "1" }
func (known) Close()          {}
func (k known) Judge(ctx context.Context, text []byte) (judges.Verdict, error) {
	if ctx.Err() != nil {
		return judges.Verdict{}, ctx.Err()
	}
	return k.verdict(string(text))
}

// sumJudge takes sums of digits, and "-" for a "+"; it does not take the digit 9, its compiler does
// not like an 8, and it hangs at a 7.
func sumJudge(text string) (judges.Verdict, error) {
	fields := strings.Fields(strings.NewReplacer("+", " + ", "-", " - ").Replace(text))
	for i, f := range fields {
		switch sign := f == "+" || f == "-"; {
		case strings.Contains(f, "7"):
			return judges.Verdict{}, errors.New("no verdict")
		case sign != (i%2 == 1), strings.Contains(f, "9"):
			return judges.Verdict{Why: "not " + f}, nil
		}
	}
	v := judges.Verdict{Valid: len(fields)%2 == 1}
	if strings.Contains(text, "8") {
		v.Note = "an 8"
	}
	return v, nil
}

// textsOf is a corpus of texts in memory.
func textsOf(name string, list ...string) Corpus {
	c := Corpus{Name: name}
	for i, text := range list {
		c.Texts = append(c.Texts, Text{fmt.Sprintf("%s%d", name, i), func() ([]byte, error) { return []byte(text), nil }})
	}
	return c
}

// sumOptions are those of an audit of sums.
func sumOptions(t *testing.T, jobs int, corpora ...Corpus) Options {
	language, ok := LanguageOf("sums")
	if ok {
		t.Fatal("there is no such language")
	}
	return Options{Grammar: compiled(t, sums), Language: language, Jobs: jobs, Kinds: language.Kinds(), Examples: 2, Corpora: corpora,
		Judge: func() (judges.Judge, error) { return known{sumJudge}, nil }}
}

// TestRunCounts: every outcome is counted in its place, and differences are shown, made small.
func TestRunCounts(t *testing.T) {
	opt := sumOptions(t, 1,
		textsOf("a", "1", "1+2", "1 -\n2", "1+\n1+\n1+\n9 + 1", "+", "1-8", "1+8", "7", "1+2+3 - 4 + 5"), textsOf("b", "1+"))
	got := must.Get(Run(t.Context(), opt))(t)
	want := []Row{
		{Name: "a", Texts: 8, ValidAccepted: 3, ValidRefused: 2, CompilerRefuses: 1, InvalidAccepted: 1, InvalidRefused: 1, NoVerdict: 1},
		{Name: "b", Texts: 1, InvalidRefused: 1},
	}
	if len(got.Rows) != 2 || *got.Rows[0] != want[0] || *got.Rows[1] != want[1] {
		t.Errorf("%+v %+v, want %+v", got.Rows[0], got.Rows[1], want)
	}
	if got.Judge != "known" || got.Version != "1" {
		t.Errorf("the judge is %s %s", got.Judge, got.Version)
	}
	var texts []string
	for _, e := range got.Examples {
		texts = append(texts, fmt.Sprintf("%s %s %s:%d %q %q", e.Row, e.Direction, e.ID, e.Line, e.Text, e.Judge))
		if (e.Direction == ValidRefused) != (e.Grammar != "") {
			t.Errorf("%+v: the grammar has to say why it refuses a text, and nothing else", e)
		}
	}
	slices.Sort(texts)
	if want := []string{
		`a invalid accepted a3:0 "9" "not 9"`, `a valid refused a2:1 "1 -2" ""`, `a valid refused a8:1 "3 - 5" ""`,
	}; !slices.Equal(texts, want) {
		t.Errorf("examples:\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(want, "\n"))
	}
}

// TestRunIsReproducible: counts and examples follow from seed and texts, whatever the number of
// judges; another seed has other mutants.
func TestRunIsReproducible(t *testing.T) {
	texts := textsOf("a", "1+2", "1 + 2 + 3\n+ 4 + 5", "19 + 9", "10+20+30+40", "5")
	result := func(jobs int, seed uint64) string {
		opt := sumOptions(t, jobs, texts)
		opt.Mutants, opt.Seed = 400, seed
		r := must.Get(Run(t.Context(), opt))(t)
		n := 0
		for _, row := range r.Rows {
			if row.Mutants {
				n += row.Texts + row.NoVerdict
			}
		}
		if len(r.Rows) != 5 || n != 400 {
			t.Errorf("%d rows and %d mutants", len(r.Rows), n)
		}
		text := must.Get(json.Marshal(r))(t)
		return string(text)
	}
	one := result(1, 5)
	if four := result(4, 5); one != four {
		t.Errorf("one judge:\n%s\nfour judges:\n%s", one, four)
	}
	if other := result(1, 6); one == other {
		t.Error("the seed changes nothing")
	}
}

// TestRunFails: what cannot be judged ends the audit with one error.
func TestRunFails(t *testing.T) {
	missing := &judges.MissingError{Judge: "known", Why: "install it"}
	unread := Corpus{"a", []Text{{"a1", func() ([]byte, error) { return nil, errors.New("a1: gone") }}}}
	for _, c := range []struct {
		name, want string
		change     func(*Options)
	}{
		{"no judge", "install it", func(o *Options) { o.Judge = func() (judges.Judge, error) { return nil, missing } }},
		{"a judge that is found missing when asked", "install it", func(o *Options) {
			o.Judge = func() (judges.Judge, error) {
				return known{func(string) (judges.Verdict, error) { return judges.Verdict{}, missing }}, nil
			}
		}},
		{"a text that is gone", "a1: gone", func(o *Options) { o.Corpora = []Corpus{unread} }},
		{"mutants of nothing", "nothing to make mutants of", func(o *Options) { o.Corpora, o.Mutants = []Corpus{textsOf("a", "+")}, 10 }},
		{"one lexeme is too few", `of the kind "delete"`, func(o *Options) { o.Corpora, o.Mutants = []Corpus{textsOf("a", "1")}, 10 }},
	} {
		opt := sumOptions(t, 2, textsOf("a", "1+2"))
		c.change(&opt)
		if _, err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ended, sumOptions(t, 2, textsOf("a", "1+2"))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// TestLeftOut: texts that the grammar does not cover are counted and not judged.
func TestLeftOut(t *testing.T) {
	opt := sumOptions(t, 1, textsOf("a", "1+2", "x", "3"))
	language := *opt.Language
	language.Class = func(text []byte) string {
		if text[0] == 'x' {
			return ""
		}
		return "sums"
	}
	language.Classes = []string{"sums"}
	opt.Language = &language
	got := must.Get(Run(t.Context(), opt))(t)
	if want := (Row{Name: "a, sums", Texts: 2, ValidAccepted: 2, LeftOut: 1}); len(got.Rows) != 1 || *got.Rows[0] != want {
		t.Errorf("%+v, want %+v", got.Rows[0], want)
	}
}
