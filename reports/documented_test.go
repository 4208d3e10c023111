package reports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/reports/result"
)

// TestFieldsAreDocumented: docs/reference.md names every field of a cell.
func TestFieldsAreDocumented(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "docs", "reference.md")))(t)
	cell := must.Get(json.Marshal(&result.Cell{SchemaFigures: &result.SchemaFigures{}, Counts: result.Counts{Detail: "set, or it is left out"}}))(t)
	var fields map[string]json.RawMessage
	must.OK(t, json.Unmarshal(cell, &fields))
	for field := range fields {
		if field != "provenance" && !strings.Contains(string(text), "`"+field+"`") {
			t.Errorf("the field %s is not documented", field)
		}
	}
}
