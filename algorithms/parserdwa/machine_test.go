package parserdwa

import (
	"fmt"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
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

// run applies the template of a terminal to a whole stack, top last; nil if it refuses. At the
// bottom there is nothing to pop.
func (t *templates) run(stack []int32, terminal int32) []int32 {
	stack = slices.Clone(stack)
	e := t.start(terminal, stack[len(stack)-1])
	for e.kind == pop {
		stack = stack[:len(stack)-1-int(e.pops)]
		e = t.over(terminal, stack[len(stack)-1], e.lhs)
	}
	if e.kind == refuse {
		return nil
	}
	return append(stack, e.pushes...)
}

// any applies the template of a set of terminals to a whole stack.
func (t *templates) any(stack []int32, p *probe) bool {
	if p.accepts {
		return true
	}
	for _, e := range p.pops {
		if left := len(stack) - 1 - int(e.pops); left > 0 {
			if t.any(stack[:left], t.overSet(e.label, stack[left-1], e.lhs)) {
				return true
			}
		}
	}
	return false
}

// paths lists the tokens of the terminal DWA below a node, each with its path.
func (t *terminalDWA) paths(id int32, path string, into map[int]string) error {
	n := t.expand(id)
	for _, f := range n.finals {
		mask := make([]uint64, t.weights.size)
		t.finals[f].weight.orInto(mask)
		for token := range bitset.All[int](mask) {
			if at, ok := into[token]; ok {
				return fmt.Errorf("token %d is on the paths %s and %s", token, at, path)
			}
			into[token] = fmt.Sprint(path, " reach ", t.finals[f].reach)
		}
	}
	for _, e := range n.edges {
		if err := t.paths(e.to, fmt.Sprint(path, " ", t.labels.list[e.label].terms), into); err != nil {
			return err
		}
	}
	return nil
}
