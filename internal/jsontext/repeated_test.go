package jsontext

import "testing"

func TestRepeatsKey(t *testing.T) {
	for text, want := range map[string]bool{`{"a": 1, "a": 1}`: true, `{"a": {"a": "a"}}`: false, `[{"a": 1}, {"a": 1}]`: false, `{"a": ["b", "b"], "b": "a"}`: false,
		`[{"x": [], "y": {"z": 1, "\u007a": 2}}]`: true, `"a"`: false, `[`: false, `{"a": "a", "b": "a"}`: false, `{"a": {}, "b": {}, "a": {}}`: true} {
		if got := RepeatsKey([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
