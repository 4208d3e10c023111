package parserdwa

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// problem compiles a grammar in Lark's language, or an embedded one by name, with a vocabulary.
func problem(t testing.TB, source string, tokens ...string) *algorithms.Problem {
	t.Helper()
	g, err := languages.Load(t.Context(), source)
	if err != nil {
		g, err = lark.Parse([]byte(source), lark.Options{File: "test.lark"})
	}
	must.OK(t, err)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: realtext.Vocabulary(t, tokens...)}
}

// calculator is deterministic, with chains of unit reductions and an empty rule.
const calculator = `
start: sum
sum: product | sum "+" product
product: atom | product "*" atom
atom: /[0-9]+/ | "(" sum ")" | "f" "(" args ")"
args: | list
list: sum | list "," sum
%ignore " "
`
