package dialects

import (
	"regexp"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		separator string
		private   bool
		in        []string // rules
		want      []string
	}{
		{"_", true, []string{"value", "_list", "__list_star_0", "__list_star_0", "Value", "größe", "2nd", "__", "é"},
			[]string{"value", "_list", "_list_star_0", "_list_star_0_2", "value_2", "gr_e", "r_2nd", "_r", "r"}},
		{"-", false, []string{"_list", "list", "list-2", "a__b", "KEY.a-"}, []string{"list", "list-2", "list-2-2", "a-b", "key-a"}},
	} {
		n := newNamer(c.separator, c.private)
		for i, name := range c.in {
			if got := n.rule(name); got != c.want[i] {
				t.Errorf("%q: got %q, want %q", name, got, c.want[i])
			}
		}
	}
	n := newNamer("_", true)
	if got := n.terminal("__ANON_0"); got != "_ANON_0" {
		t.Errorf("got %s", got)
	}
	if got := n.terminal("0x"); got != "T_0X" {
		t.Errorf("got %s", got)
	}
}

// No two symbols share a name, whatever they were called, and every name is one that the dialect
// takes.
func TestNamesAreOneToOne(t *testing.T) {
	names := []string{"a", "A", "_a", "__a", "a_2", "a_2_2", "ä", "ö", "", "_", "-", "a-b", "a_b", "a b", "1", "r_1", "R", "start", "Start"}
	for _, c := range []struct {
		separator string
		private   bool
		allowed   string
	}{{"_", true, `^_?[A-Za-z][A-Za-z0-9_]*$`}, {"-", false, `^[A-Za-z][A-Za-z0-9-]*$`}} {
		n := newNamer(c.separator, c.private)
		seen := map[string]string{}
		for _, name := range names {
			for _, got := range []string{n.rule(name), n.terminal(name)} {
				if before, ok := seen[got]; ok {
					t.Errorf("%q and %q are both called %s", before, name, got)
				}
				seen[got] = name
				if !regexp.MustCompile(c.allowed).MatchString(got) {
					t.Errorf("%q is called %q", name, got)
				}
			}
		}
	}
}
