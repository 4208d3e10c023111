package engines

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
)

// TestPythonExample: the example of the Python side is an engine that can be walked, timed, and
// asked.
func TestPythonExample(t *testing.T) {
	python := must.Python(t, "numpy")
	dir := must.Get(writeAdapters())(t)
	v := testVocabulary(t)
	h := newHost(process.Command{Name: "example", Args: []string{python, dir + "/example.py"}}, v, "")
	t.Cleanup(func() { h.Close() })
	e := &Engine{host: h, name: "example", size: v.Len()}
	e.request.Do, e.request.Kind, e.request.Text = "compile", "regex", `(\[(true|null)(, (true|null))*\])?`
	tokens := tokensOf(v, `[true, null, true]`)
	var p measure.Proof
	if err := e.WalkProof(t.Context(), document(tokens), &p, all); err != nil || p.Refused || len(p.Hashes) != len(tokens) {
		t.Fatalf("%+v, %v", p, err)
	}
	s := e.Start()
	for i, token := range tokens {
		m := s.Mask()
		if m.Hash() != p.Hashes[i] {
			t.Errorf("at %d a step gives another mask than the walk", i)
		}
		want := map[int][]int{0: {'[', eos}, 1: {'n', 't', 260, 267}, len(tokens) - 1: {eos}}[i]
		if got := m.IDs(nil); want != nil && !algorithms.MaskOf(rowOf(want), testSize).Equal(m) {
			t.Errorf("at %d the mask has %v, want %v", i, got, want)
		}
		must.OK(t, s.Commit(int(token)))
	}
	checkTimes(t, e, tokens)
	bad := document(append(tokens[:2:2], '!', eos))
	p = measure.Proof{}
	if err := e.WalkProof(t.Context(), bad, &p, all); err != nil || !p.Refused || p.RefusedAt != 2 || p.Contradiction != "" {
		t.Errorf("%+v, %v", p, err)
	}
}

// rowOf has the bits of some ids.
func rowOf(ids []int) []uint64 {
	b := algorithms.NewBuffer(testSize)
	for _, id := range ids {
		b.Set(id)
	}
	return b.Words()
}
