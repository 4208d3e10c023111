package grammars_test

import (
	"strings"
	"testing"

	"gcdbench/grammars"
)

// TestCovers: each grammar says in its first sentence what it covers, in a form that fits a list.
func TestCovers(t *testing.T) {
	for _, name := range grammars.Names() {
		c := grammars.Covers(name)
		if c == "" || strings.ContainsAny(c, ":/") || len(c) > 120 || !strings.EqualFold(c[:len(name)], name) {
			t.Errorf("%s: %q", name, c)
		}
		t.Logf("%s: %s", name, c)
	}
	if c := grammars.Covers("cobol"); c != "" {
		t.Errorf("%q of a grammar that there is not", c)
	}
}
