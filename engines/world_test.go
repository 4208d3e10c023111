package engines

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/engines/process"
	"gcdbench/engines/serve"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// TestMain makes of the test program what is tested: a child that serves an algorithm, as
// gcdbench itself does, or one with a fault.
func TestMain(m *testing.M) {
	if fault := os.Getenv(faultEnv); fault != "" {
		misbehave(fault)
	}
	if os.Getenv(parentEnv) != "" {
		parent()
	}
	if len(os.Args) == 4 && os.Args[1] == "engines" && os.Args[2] == "serve" {
		a, err := algorithms.Lookup(os.Args[3])
		if err == nil {
			err = serve.Serve(a, os.Stdin, os.Stdout)
		}
		if err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// eos is the id of EOS in the vocabulary of tests, which has 300 ids, no multiple of 64 or of 8.
const (
	eos      = 299
	testSize = 300
)

// testVocabulary has all bytes, some words of JSON, a special token, ids without bytes, and EOS.
func testVocabulary(t testing.TB) *tokenizers.Vocabulary {
	t.Helper()
	tokens := make([][]byte, testSize)
	for b := range 256 {
		tokens[b] = []byte{byte(b)}
	}
	for i, word := range []string{`{"`, `":`, `": `, `", "`, `true`, `"a"`, ` 1`, `, `, `[[`, `]]`, `}}`, `null`, `é`} {
		tokens[256+i] = []byte(word)
	}
	tokens[290] = []byte("<special>")
	v := must.Get(tokenizers.NewVocabulary("test", tokens, []int{eos}, []int{290}))(t)
	return v
}

// tokensOf encodes a text with the longest tokens, EOS last.
func tokensOf(v *tokenizers.Vocabulary, text string) []int32 {
	var out []int32
	for len(text) > 0 {
		best := int(text[0])
		for id := 256; id < 290; id++ {
			if word := string(v.Token(id)); word != "" && len(word) > len(v.Token(best)) && len(word) <= len(text) && text[:len(word)] == word {
				best = id
			}
		}
		out = append(out, int32(best))
		text = text[len(v.Token(best)):]
	}
	return append(out, eos)
}

// grammarProblem is a problem of an embedded grammar, as the harness makes one.
func grammarProblem(t testing.TB, v *tokenizers.Vocabulary, name string) *algorithms.Problem {
	t.Helper()
	g := must.Get(languages.Load(t.Context(), name))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: v, Source: &algorithms.Source{Kind: algorithms.KindGrammar, Name: name}}
}

// schemaProblem is a problem of a JSON schema.
func schemaProblem(t testing.TB, v *tokenizers.Vocabulary, schema string, options map[string]string) *algorithms.Problem {
	t.Helper()
	o := jsonschema.Options{Name: "test"}
	if options["whitespace"] == "any" {
		o.WhiteSpace = jsonschema.AnySpace
	}
	compiled := must.Get(jsonschema.Compile(t.Context(), []byte(schema), o))(t)
	r := must.Get(recognizer.New(t.Context(), compiled.Grammar, recognizer.Options{OnDemand: true}))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: v, Source: &algorithms.Source{
		Kind: algorithms.KindSchema, Name: "test", Text: []byte(schema), Options: options,
	}}
}

// outside compiles a problem with the algorithm child.
func outside(t testing.TB, p *algorithms.Problem, algorithm, options string) *Engine {
	t.Helper()
	full := must.Get(algorithms.Resolve(own{}, algorithms.Options{"algorithm": algorithm, "options": options}))(t)
	e := must.Get(own{}.Compile(t.Context(), p, full))(t)
	closeAfter(t, e.(*Engine))
	return e.(*Engine)
}

// closeAfter ends the process of an engine with the test.
func closeAfter(t testing.TB, e *Engine) {
	t.Cleanup(func() { e.host.Close() })
}

// inside compiles a problem in this process.
func inside(t testing.TB, p *algorithms.Problem, algorithm string, given algorithms.Options) algorithms.Engine {
	t.Helper()
	a := must.Get(algorithms.Lookup(algorithm))(t)
	o := must.Get(algorithms.Resolve(a, given))(t)
	e := must.Get(a.Compile(t.Context(), p, o))(t)
	return e
}

// faulty compiles a problem with a child that has a fault. What becomes of it is the error.
func faulty(t testing.TB, ctx context.Context, fault string, kept *algorithms.Kept) (*Engine, error) {
	t.Helper()
	return faultyWith(t, ctx, fault, kept, testVocabulary(t))
}

// faultyWith is faulty for a vocabulary: engines that share it and what is kept share a process.
func faultyWith(t testing.TB, ctx context.Context, fault string, kept *algorithms.Kept, v *tokenizers.Vocabulary) (*Engine, error) {
	t.Helper()
	p := &algorithms.Problem{Vocabulary: v, Kept: kept, Source: &algorithms.Source{Kind: algorithms.KindSchema, Name: "test", Text: []byte(`{}`)}}
	program, err := os.Executable()
	must.OK(t, err)
	e, err := compile(ctx, p, process.Command{Name: "faulty", Args: []string{program}, Env: []string{faultEnv + "=" + fault}}, nil)
	if err != nil {
		return nil, err
	}
	closeAfter(t, e.(*Engine))
	return e.(*Engine), nil
}

// died checks that an error is a ProcessError with an outcome, and returns its detail.
func died(t testing.TB, err error, outcome string) string {
	t.Helper()
	var p *algorithms.ProcessError
	if !errors.As(err, &p) || p.Outcome != outcome || p.Detail == "" {
		t.Fatalf("%T %v, want a process error: %s", err, err, outcome)
	}
	return p.Detail
}

// keptOpen is a Kept that is closed with the test.
func keptOpen(t testing.TB) *algorithms.Kept {
	kept := algorithms.NewKept()
	t.Cleanup(func() { kept.Close() })
	return kept
}

// document is one to walk.
func document(tokens []int32, positions ...uint32) *measure.Document {
	return &measure.Document{Tokens: tokens, Positions: positions}
}

// within is a context with a time limit.
func within(t testing.TB, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}
