package reports

import (
	"slices"
	"testing"

	"gcdbench/reports/internal/made"
	"gcdbench/reports/plots"
)

// TestLinesOfFigures: in all figures of a report a label has one look, that of its algorithm.
func TestLinesOfFigures(t *testing.T) {
	set := load(t, made.SchemaSet.Store(t))
	looks := map[string]plots.Style{}
	for _, f := range set.Figures() {
		for _, p := range f.Panels {
			for _, s := range p.Series {
				look, ok := looks[s.Label]
				if looks[s.Label] = s.Style; ok && (look.Color != s.Style.Color || look.Marker != s.Style.Marker || !slices.Equal(look.Dash, s.Style.Dash)) {
					t.Errorf("%s: %s looks %v here and %v before", f.Name, s.Label, s.Style, look)
				}
			}
		}
	}
	if a, b := looks["trie"], looks["trie #2"]; a.Color != b.Color || a.Color != plots.StyleOf("trie", 0).Color || slices.Equal(a.Dash, b.Dash) {
		t.Errorf("trie looks %v and once more %v", a, b)
	}
	if len(looks) != 4 {
		t.Errorf("looks of %d labels", len(looks))
	}
}
