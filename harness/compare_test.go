package harness

import (
	"maps"
	"testing"

	"gcdbench/harness/measure"
)

// TestComparedByReference: a reference is credited with the masks at positions that it was asked
// at, and a mask that met two references is one mask.
func TestComparedByReference(t *testing.T) {
	s := &document{id: "d", tokens: []int32{1, 2, 3, 4, 5}, length: 5}
	p := &proof{Proof: measure.Proof{Hashes: []uint64{10, 11, 12, 13, 14}}, positions: []uint32{0, 1, 2, 3, 4}}
	naive := &answers{label: "naive", positions: []uint32{1, 4}, hashes: []uint64{11, 14}}
	trie := &answers{label: "trie", positions: []uint32{0, 1, 2, 3}, hashes: []uint64{10, 11, 12, 13}}
	for _, c := range []struct {
		name     string
		refs     []*answers
		compared int
		with     map[string]int
	}{
		{"none", nil, 0, nil},
		{"naive at two positions", []*answers{naive}, 2, map[string]int{"naive": 2}},
		{"both, at one position together", []*answers{naive, trie}, 5, map[string]int{"naive": 2, "trie": 4}},
		{"a difference ends it", []*answers{naive, {label: "trie", positions: []uint32{0, 1, 2, 3}, hashes: []uint64{10, 11, 99, 13}}}, 3, map[string]int{"naive": 2, "trie": 2}},
	} {
		got, diff := judge(&unit{}, s, p, c.refs...)
		if got.Compared != c.compared || !maps.Equal(got.ComparedWith, c.with) || (diff != nil) != (c.name == "a difference ends it") {
			t.Errorf("%s: %d compared, %v, %v; want %d, %v", c.name, got.Compared, got.ComparedWith, diff, c.compared, c.with)
		}
	}
}
