package koo

import (
	"errors"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/regular"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// finiteProblem is a grammar with a cut vocabulary.
func finiteProblem(t *testing.T, text string) *algorithms.Problem {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "finite.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	tok := must.Get(tokenizers.Load(t.Context(), "r50k_base[:3000]", tokenizers.Options{Offline: true}))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary()}
}

// TestFinite: the finite automaton of a grammar has the masks of its pushdown automaton, at each
// place of a text, with states composed lazily and eagerly.
func TestFinite(t *testing.T) {
	p := finiteProblem(t, "start: \"set \" pair (\", \" pair)*\npair: NAME \"=\" (INT | list)\nlist: \"[\" items \"]\"\nitems: items \" \" INT | INT\n"+
		"NAME: /[a-z]+/\nINT: /[0-9]+/\n%ignore /#[^\\n]*\\n/")
	var states []algorithms.State
	for _, o := range []algorithms.Options{nil, {"automaton": "finite"}, {"automaton": "finite", "compile": "eager"}} {
		e := must.Get(algorithm{}.Compile(t.Context(), p, o))(t)
		states = append(states, e.Start())
	}
	text := "set a=1, name=[10 200 3], # a note\nb=22"
	for i := range len(text) + 1 {
		want := states[0].Mask().Clone()
		for _, s := range states[1:] {
			if m := s.Mask(); !m.Equal(want) {
				t.Fatalf("after %q: masks differ first at token %d", text[:i], m.FirstDifference(want))
			}
		}
		if want.Count() == 0 {
			t.Fatalf("after %q: nothing is legal", text[:i])
		}
		if i == len(text) {
			break
		}
		id := -1
		for k := range p.Vocabulary.Len() {
			if string(p.Vocabulary.Token(k)) == text[i:i+1] {
				id = k
				break
			}
		}
		for _, s := range states {
			must.OK(t, s.Commit(id))
		}
	}
}

// TestFiniteUnsupported: grammars without a finite automaton are outside of the scope, with the
// reason.
func TestFiniteUnsupported(t *testing.T) {
	finite := algorithms.Options{"automaton": "finite"}
	var unsupported *algorithms.UnsupportedError
	var recursion *regular.RecursionError
	_, err := algorithm{}.Compile(t.Context(), finiteProblem(t, "start: v\nv: \"[\" v \"]\" | \"x\""), finite)
	if !errors.As(err, &unsupported) || !errors.As(err, &recursion) || !strings.Contains(err.Error(), `v -> "[" v "]"`) {
		t.Errorf("recursion inside: %v", err)
	}
	var limit *automata.LimitError
	_, err = algorithm{}.Compile(t.Context(), finiteProblem(t, "start: \"a\" x~2000\nx: /[a-z]{300}/ \"-\""), finite)
	if !errors.As(err, &unsupported) || !errors.As(err, &limit) {
		t.Errorf("600,000 positions: %v", err)
	}
}
