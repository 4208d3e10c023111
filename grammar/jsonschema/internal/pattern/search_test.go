package pattern

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
)

// TestForbidden: a pattern of millions of states is refused nothing but the text that a lookahead
// forbids, and finding out that nothing follows such text takes no look at those states.
func TestForbidden(t *testing.T) {
	const text = `^(?!.*;;)(?=.{1,200}$)((.{1,40};){1,90}(?!\d*$)[a-z\d]+)$`
	d := must.Get(Compile(text))(t)
	last := regexp.MustCompile(`^[a-z\d]*[a-z][a-z\d]*$`)
	matches := func(in string) bool {
		parts := strings.Split(in, ";")
		n := len(parts) - 1
		wrong := slices.ContainsFunc(parts[:n], func(part string) bool { return len(part) == 0 || len(part) > 40 })
		return n > 0 && n <= 90 && !wrong && last.MatchString(parts[n]) && len(in) <= 200
	}
	began := time.Now()
	for _, in := range []string{"", "a", "a;b", "a;1", "ab;cd;e1", "a;;b", "a;b;;", "a;;", strings.Repeat("x", 40) + ";y", strings.Repeat("x", 41) + ";y", "ab;cd;ef;g", strings.Repeat("x", 198) + ";y"} {
		if got := d.MatchString(in); got != matches(in) {
			t.Errorf("%s matches %q: %v", text, in, got)
		}
	}
	if err := d.Failed(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}
