package seed

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestChoose: a name has one seed, two names have two, and the environment has the last word.
func TestChoose(t *testing.T) {
	const name = "TestGenerate"
	own, err := choose(name, "", false)
	if err != nil || own == 0 {
		t.Fatal(own, err)
	}
	for _, c := range []struct {
		test, wanted string
		full         bool
		same         bool
	}{
		{name, "", false, true},
		{name + "/a", "", false, false},
		{"TestRandom", "", false, false},
		{name, fmt.Sprint(own), true, true},
		{name, "7", false, false},
	} {
		if got, err := choose(c.test, c.wanted, c.full); err != nil || (got == own) != c.same {
			t.Errorf("%+v: %d, %v; that of %s is %d", c, got, err, name, own)
		}
	}
	if got, err := choose(name, "9223372036854775807", true); err != nil || got != 1<<63-1 {
		t.Error(got, err)
	}
	for _, wanted := range []string{"x", "-1", "1.5", "randomly", "9223372036854775808", " 1"} {
		if got, err := choose(name, wanted, false); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%q: %d, %v", wanted, got, err)
		}
	}
}

// TestDraws: where chance is asked for, seeds differ, and one may count on from any of them.
func TestDraws(t *testing.T) {
	for _, wanted := range []string{Random, ""} {
		drawn := map[uint64]bool{}
		for range 20 {
			n, err := choose("Test", wanted, true)
			if err != nil || n >= 1<<32 {
				t.Fatal(n, err)
			}
			drawn[n] = true
		}
		if len(drawn) < 18 { // two are equal in one of 20 million runs
			t.Errorf("%q draws %d seeds of 20", wanted, len(drawn))
		}
	}
}

// TestAgain: what is logged repeats the test, and that one alone.
func TestAgain(t *testing.T) {
	for name, want := range map[string]string{
		"TestA":          `^TestA$`,
		"TestA/b c":      `^TestA$/^b c$`,
		"TestA/b(c)|d/e": `^TestA$/^b\(c\)\|d$/^e$`,
	} {
		if got := pattern(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if last := name[strings.LastIndexByte(name, '/')+1:]; !regexp.MustCompile(pattern(last)).MatchString(last) {
			t.Errorf("%s does not match itself", last)
		}
	}
	t.Setenv(full, "")
	if got, want := again("TestA", 7), `GCDBENCH_SEED=7 go test -run '^TestA$' gcdbench/internal/seed`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	t.Setenv(full, "1")
	if got, want := again("TestA", 7), `GCDBENCH_FULL=1 GCDBENCH_SEED=7 go test -run '^TestA$' gcdbench/internal/seed`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNew: the seed is that of the environment, one test has one seed, and draws another when it
// runs again.
func TestNew(t *testing.T) {
	t.Setenv(full, "")
	t.Setenv(Variable, "")
	if a, b := New(t), New(t); a != b {
		t.Errorf("%d, then %d", a, b)
	}
	drawn := map[uint64]bool{}
	for range 5 {
		t.Run("drawn", func(t *testing.T) {
			t.Setenv(Variable, Random)
			a, b := New(t), New(t)
			if a != b {
				t.Errorf("%d, then %d", a, b)
			}
			drawn[a] = true
		})
	}
	if len(drawn) < 2 {
		t.Errorf("drawn: %v", drawn)
	}
	t.Run("set", func(t *testing.T) {
		t.Setenv(Variable, "12345")
		if got := New(t); got != 12345 {
			t.Errorf("%d, want 12345", got)
		}
	})
}

// TestEach: rounds have different seeds, and the seed of one begins with it.
func TestEach(t *testing.T) {
	t.Setenv(Variable, "7")
	if got := slices.Collect(Each(t, 3)); !slices.Equal(got, []uint64{7, 8, 9}) {
		t.Error(got)
	}
	for n := range Each(t, 3) {
		if n == 8 {
			break
		}
	}
	if got := slices.Collect(Each(t, 0)); len(got) > 0 {
		t.Error(got)
	}
}

// ownRule finds what a test with a rule of its own does: it draws from the source that all share,
// takes the time, or reads another variable.
var ownRule = regexp.MustCompile(`\brand\.(Int|Uint|Float|NormF|ExpF|Perm|Shuffle|N\()|UnixNano|[A-Z]_SEED`)

// TestOneRule: no file of the module has a rule of its own.
func TestOneRule(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "seed" || strings.HasPrefix(name, ".") && path != root):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if ownRule.MatchString(line) {
				t.Errorf("%s:%d: a seed that does not come from this package: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}
