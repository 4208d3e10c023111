package legality

import (
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
)

// TestMeasureStore: proofs leave fewer questions, the groups are there without them too, and a
// store that does not fit says so.
func TestMeasureStore(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"[\" start \"]\" | X\nX: /[a-z]+/\n%ignore \" \"\n", false,
		[]string{"(", ")", "[", "]", "a", "b", " ", "((", "))", "](", "a)", "a]", "(a", ")]", "] "})
	with, err := MeasureStore(t.Context(), p, true, 0)
	must.OK(t, err)
	without := must.Get(MeasureStore(t.Context(), p, false, 0))(t)
	if with.Rows == 0 || with.Bytes == 0 || with.NS == 0 || with.Asked >= without.Asked || without.Asked != without.Groups {
		t.Errorf("with proofs %+v, without %+v", with, without)
	}
	c := realtext.Need(t, "json", "r50k_base", 1)
	small, err := MeasureStore(t.Context(), c.Problem, false, 1)
	if err != nil || !strings.Contains(small.TooLarge, "1 MiB") || small.Rows != 0 {
		t.Errorf("%+v, %v", small, err)
	}
}
