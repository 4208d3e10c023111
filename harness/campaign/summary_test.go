package campaign

import (
	"encoding/json"
	"testing"
)

// TestFieldsStay: a script finds the lists of a campaign without failures, empty.
func TestFieldsStay(t *testing.T) {
	s, err := Summarize(t.TempDir(), &Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"failures", "witnesses"} {
		if string(fields[name]) != "[]" {
			t.Errorf("%s is %q, want an empty list", name, fields[name])
		}
	}
}
