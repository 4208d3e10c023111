package campaign

import (
	"encoding/json"
	"testing"

	"gcdbench/internal/must"
)

// TestFieldsStay: a script finds the lists of a campaign without failures, empty.
func TestFieldsStay(t *testing.T) {
	s := must.Get(Summarize(t.TempDir(), &Manifest{}))(t)
	text := must.Get(json.Marshal(s))(t)
	var fields map[string]json.RawMessage
	must.OK(t, json.Unmarshal(text, &fields))
	for _, name := range []string{"failures", "witnesses"} {
		if string(fields[name]) != "[]" {
			t.Errorf("%s is %q, want an empty list", name, fields[name])
		}
	}
}
