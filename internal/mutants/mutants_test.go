package mutants

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestPlaces: which places a file has, and what becomes of them.
func TestPlaces(t *testing.T) {
	list := must.Get(mutantsOf("a.go", []byte("package a\n\nconst most = 1 + 2\n\nfunc f(x []int) bool { return len(x) < 3 && x[0] == x[1] || x[1:] != nil }\n")))(t)
	got := map[string]bool{}
	for _, m := range list {
		got[m.old+" "+m.new] = true
	}
	for _, want := range []string{"|| &&", "&& ||", "< <=", "3 4", "== !=", "0 1", "1 2", "!= =="} {
		if !got[want] {
			t.Errorf("no %s among %v", want, list)
		}
		delete(got, want)
	}
	if len(got) > 0 {
		t.Errorf("more: %v", got)
	}
}

// TestHunt: a mutant that the tests find, one that they do not, and one that does not compile, in a
// module of its own, which stays as it is.
func TestHunt(t *testing.T) {
	seed.Usual(t)
	t.Chdir(t.TempDir())
	code := "package a\n\nfunc Max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Word(s string) string { return s + \"!\" }\n"
	for name, text := range map[string]string{
		"go.mod": "module example\n\ngo 1.21\n", "a/a.go": code,
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 || Max(1, 2) != 2 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		os.Mkdir("a", 0o755)
		must.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	var out strings.Builder
	h := &hunt{timeout: time.Minute}
	must.OK(t, h.run(t.Context(), []string{"a"}, draw{2, 0, 3}, &out))
	for _, want := range []string{
		fmt.Sprintf("%-16s a/a.go:4:7: > becomes >=", survived), // the greater of two that are equal
		fmt.Sprintf("%-16s a/a.go:10:35: + becomes -  ./a TestSum", found), "1 of 2 mutants found, 0 without a verdict, of 3 places; seed 3",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if text, err := os.ReadFile("a/a.go"); err != nil || string(text) != code {
		t.Errorf("the file was changed: %v", err)
	}
	for text, want := range map[string]string{"panic: test timed out after 1m": unclear, "*** Test killed: ran too long": unclear, "--- FAIL: TestSum (0.00s)": found, "panic: x": found} {
		if result, _ := finder([]byte(text)); result != want {
			t.Errorf("%s: %s", text, result)
		}
	}
	if Main([]string{"-n", "none"}, &out, &out) != 2 || Main([]string{"-dirs", "nowhere"}, &out, &out) != 1 {
		t.Error("bad usage is not told")
	}
}
