package audit

import "testing"

// TestOlder: versions are compared as numbers.
func TestOlder(t *testing.T) {
	for _, c := range []struct {
		version, covers, name string
		want                  bool
	}{
		{"3.9.1", "Python 3.11", "Python", true}, {"3.11.7", "Python 3.11", "Python", false}, {"3.14.0", "Python 3.11", "Python", false},
		{"17.0.15", "Java 25, as in the JLS", "Java", true}, {"25", "Java 25", "Java", false}, {"go1.26.8", "Go, from its specification (Go 1.26)", "Go", false},
		{"go1.25", "Go, from its specification (Go 1.26)", "Go", true}, {"17.5", "SQL of PostgreSQL 18 (queries)", "PostgreSQL", true}, {"18.6", "SQL of PostgreSQL 18", "PostgreSQL", false},
		{"18.6", "SQL as PostgreSQL speaks it", "PostgreSQL", false}, {"", "Java 25", "Java", false}, {"1", "", "Java", false}, {"go1.26", "JSON, as in RFC 8259", "", false},
	} {
		if got := older(c.version, c.covers, c.name); got != c.want {
			t.Errorf("%s before %s: %v, want %v", c.version, c.covers, got, c.want)
		}
	}
}

// TestRunOlder: a judge of an older version than the grammar's language is told.
func TestRunOlder(t *testing.T) {
	for covers, want := range map[string]bool{"": false, "sums 1": false, "sums 2": true} {
		opt := sumOptions(t, 1, textsOf("a", "1+2"))
		language := *opt.Language
		language.dated = "sums"
		opt.Covers, opt.Language = covers, &language
		if r, err := Run(t.Context(), opt); err != nil || r.Older != want {
			t.Errorf("%q: %+v, %v, want %v", covers, r, err, want)
		}
	}
}
