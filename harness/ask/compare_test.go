package ask

import (
	"maps"
	"testing"

	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// TestComparedByReference: a reference is credited with the masks at positions that it was asked
// at, and a mask that met two references is one mask.
func TestComparedByReference(t *testing.T) {
	s := &prepare.Document{ID: "d", Tokens: []int32{1, 2, 3, 4, 5}, Length: 5}
	p := &Proof{Proof: measure.Proof{Hashes: []uint64{10, 11, 12, 13, 14}}, Positions: []uint32{0, 1, 2, 3, 4}}
	naive := &Answers{Label: "naive", Positions: []uint32{1, 4}, Hashes: []uint64{11, 14}}
	trie := &Answers{Label: "trie", Positions: []uint32{0, 1, 2, 3}, Hashes: []uint64{10, 11, 12, 13}}
	for _, c := range []struct {
		name     string
		refs     []*Answers
		compared int
		with     map[string]int
	}{
		{"none", nil, 0, nil},
		{"naive at two positions", []*Answers{naive}, 2, map[string]int{"naive": 2}},
		{"both, at one position together", []*Answers{naive, trie}, 5, map[string]int{"naive": 2, "trie": 4}},
		{"a difference ends it", []*Answers{naive, {Label: "trie", Positions: []uint32{0, 1, 2, 3}, Hashes: []uint64{10, 11, 99, 13}}}, 3, map[string]int{"naive": 2, "trie": 2}},
	} {
		got, diff := judge(&prepare.Unit{}, s, p, c.refs...)
		if got.Compared != c.compared || !maps.Equal(got.ComparedWith, c.with) || (diff != nil) != (c.name == "a difference ends it") {
			t.Errorf("%s: %d compared, %v, %v; want %d, %v", c.name, got.Compared, got.ComparedWith, diff, c.compared, c.with)
		}
	}
}
