package tables

import (
	"testing"
)

// TestRightTexts: an engine is named once, and each workload once unless vocabularies differ in it.
func TestRightTexts(t *testing.T) {
	parts := []rightOf{
		{"e", "java", "accepted 0 of 2 positives of java", []string{"a"}},
		{"e 1.2", "java", "accepted 2 of 2 positives of java", []string{"b"}},
		{"e 1.2", "java", "accepted 2 of 2 positives of java", []string{"c"}},
		{"e 1.2", "go", "accepted 2 of 2 positives of go", []string{"a"}},
		{"e 1.2", "go", "accepted 2 of 2 positives of go", []string{"b"}},
	}
	want := "e 1.2 accepted 0 of 2 positives of java with a, 2 of 2 positives of java with b and c, 2 of 2 positives of go"
	if got := rightTexts(parts); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
