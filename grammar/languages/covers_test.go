package languages_test

import (
	"strings"
	"testing"

	"gcdbench/grammar/languages"
)

// TestCovers: each grammar says in its first sentence what it covers, in a form that fits a list.
func TestCovers(t *testing.T) {
	for _, name := range languages.Names() {
		c := languages.Covers(name)
		if c == "" || strings.ContainsAny(c, ":/") || len(c) > 120 || !strings.EqualFold(c[:len(name)], name) {
			t.Errorf("%s: %q", name, c)
		}
		t.Logf("%s: %s", name, c)
	}
	if c := languages.Covers("cobol"); c != "" {
		t.Errorf("%q of a grammar that there is not", c)
	}
}
