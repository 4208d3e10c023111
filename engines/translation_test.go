package engines

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/grammar/dialects"
	"gcdbench/internal/must"
)

// TestTranslatedBeforeCompile: Prepare leaves the translation for Compile, which has none to make.
func TestTranslatedBeforeCompile(t *testing.T) {
	program, err := os.Executable()
	must.OK(t, err)
	c := process.Command{Name: "ebnf", Args: []string{program}, Env: []string{faultEnv + "=hello:ebnf"}}
	p := grammarProblem(t, testVocabulary(t), "json")
	p.Kept = keptOpen(t)
	must.OK(t, prepare(t.Context(), p, c))
	made := translationOf(p, wire.KindEBNF).made
	if made == nil || !strings.Contains(made.Text, "root ::=") {
		t.Fatalf("after Prepare there is no translation: %+v", made)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	request, notes, err := requestFor(ended, p, []string{wire.KindEBNF}, nil) // whoever translates would fail
	if err != nil || request.Kind != wire.KindEBNF || request.Text != made.Text || len(notes) == 0 {
		t.Errorf("Compile does not find it: %q, %v", request.Kind, err)
	}
	e := must.Get(compile(t.Context(), p, c, nil))(t)
	closeAfter(t, e.(*Engine))
	if got := e.(*Engine).Provenance().Kind; got != wire.KindEBNF {
		t.Errorf("it compiled %q", got)
	}
}

// TestTranslationTooLong: a translation that is not done in time is unsupported, and no failure of
// a process; one that is interrupted is interrupted.
func TestTranslationTooLong(t *testing.T) {
	p := grammarProblem(t, testVocabulary(t), "json")
	p.Kept = keptOpen(t)
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the time limit is over"))
	var lacks *algorithms.UnsupportedError
	err := new(Engine).failure(translateFor(ended, p, []string{wire.KindEBNF}))
	if !errors.As(err, &lacks) || !strings.Contains(lacks.Reason, "takes too long: the time limit is over") {
		t.Errorf("%v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := translateFor(stopped, p, []string{wire.KindEBNF}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if err := translateFor(t.Context(), p, []string{wire.KindEBNF}); err != nil {
		t.Error(err)
	}
}

// TestEndedTranslationIsNotKept: what ended with its context is translated again; what a dialect
// cannot say is not asked twice.
func TestEndedTranslationIsNotKept(t *testing.T) {
	p := grammarProblem(t, testVocabulary(t), "json")
	p.Kept = keptOpen(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := requestFor(ended, p, []string{wire.KindEBNF}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	if _, err := translated(t.Context(), p, wire.KindEBNF); err != nil {
		t.Error(err)
	}
	p = grammarProblem(t, testVocabulary(t), "python")
	p.Kept = algorithms.NewKept()
	_, err := translated(t.Context(), p, wire.KindEBNF)
	_, again := translated(ended, p, wire.KindEBNF)
	var lacks *dialects.UnsupportedError
	if !errors.As(err, &lacks) || again != err {
		t.Errorf("%v, then %v", err, again)
	}
	if _, _, err := requestFor(t.Context(), p, []string{wire.KindEBNF}, nil); err == nil || !strings.Contains(err.Error(), "layout") {
		t.Errorf("%v, want the feature", err)
	}
}
