package reports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFieldsAreDocumented: docs/reference.md names every field of a cell.
func TestFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	cell, err := json.Marshal(&Cell{SchemaFigures: &SchemaFigures{}, Counts: Counts{Detail: "set, or it is left out"}})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(cell, &fields); err != nil {
		t.Fatal(err)
	}
	for field := range fields {
		if field != "provenance" && !strings.Contains(string(text), "`"+field+"`") {
			t.Errorf("the field %s is not documented", field)
		}
	}
}
