package check

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/engines"
	"gcdbench/engines/process"
	"gcdbench/engines/serve"
	"gcdbench/engines/wire"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// wrongEnv makes of the child an engine that gives wrong masks in a certain way.
const wrongEnv = "GCDBENCH_TEST_WRONG"

// proxyEnv has one request of the protocol answered wrongly.
const proxyEnv = "GCDBENCH_TEST_PROXY"

// TestMain makes a child of the test program.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "engines" && os.Args[2] == "serve" {
		a, err := algorithms.Lookup(os.Args[3])
		if err == nil {
			if how := os.Getenv(wrongEnv); how != "" {
				a = wrong{a, how}
			}
			if request := os.Getenv(proxyEnv); request != "" {
				err = answerWrongly(a, request)
			} else {
				err = serve.Serve(a, os.Stdin, os.Stdout)
			}
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// checked runs an engine through everything.
func checked(t *testing.T, c process.Command, declared ...string) (results map[string]Result, failed int) {
	t.Helper()
	results = map[string]Result{}
	failed = must.Get(Run(t.Context(), c, Options{Declared: declared}, func(r Result) { results[r.Case] = r }))(t)
	return results, failed
}

// child is the command of an algorithm of this module.
func child(t *testing.T, algorithm string, env ...string) process.Command {
	t.Helper()
	program := must.Get(os.Executable())(t)
	return process.Command{Name: algorithm, Args: []string{program, "engines", "serve", algorithm}, Env: env}
}

// TestOurs: the algorithms of this module pass all cases but those they declare. The test of the
// command has trie.
func TestOurs(t *testing.T) {
	for _, name := range []string{"psc", "greatgramma", "naive"}[:seed.Rounds(1, 2, 3)] {
		results, failed := checked(t, child(t, name))
		if failed > 0 || len(results) < 25 {
			t.Errorf("%s: %d of %d failed: %v", name, failed, len(results), results)
		}
		for id, r := range results {
			if r.Result == Declared && !strings.HasPrefix(id, "convention/") {
				t.Errorf("%s declares %s: %s", name, id, r.Detail)
			}
		}
	}
}

// wrong is an algorithm whose masks are wrong.
type wrong struct {
	algorithms.Algorithm
	how string
}

// TestWrongEngines: each kind of mistake fails the case that is about it, and is named. A
// difference that is declared is no failure, whoever declares it.
func TestWrongEngines(t *testing.T) {
	seed.Usual(t)
	const declared = "schema/integer"
	cases := map[string][2]string{
		"special":   {"protocol/never-legal", "token 290, which is special"},
		"one-eos":   {"protocol/never-legal", "one of the two tokens that end a text"},
		"no-eos":    {declared, `document "0": at position 1 the mask leaves token 299 out, but Commit takes it`},
		"all":       {"schema/object", "is accepted"},
		"forgetful": {"protocol/walk-twice", "the second walk has another mask"},
		"lenient":   {"protocol/refused-in-walk", "but Commit takes it"},
	}
	for _, how := range seed.Some(t, slices.Sorted(maps.Keys(cases)), 3, 1, 1) {
		want := cases[how]
		results, failed := checked(t, child(t, "trie", wrongEnv+"="+how), declared)
		counted, said := 0, false
		for _, r := range results {
			counted += stats.Truth(r.Result == Failed)
			said = said || r.Result == Failed && strings.Contains(r.Detail, want[1])
		}
		r, result := results[want[0]], Failed
		if want[0] == declared {
			result, said = Declared, strings.Contains(r.Detail, want[1])
		}
		if failed == 0 || failed != counted || r.Result != result && how != "special" && how != "one-eos" || !said {
			t.Errorf("%s: %d failed, %+v, no case says %q: %v", how, failed, r, want[1], results)
		}
	}
}

// TestWrongRequests: requests whose answers alone are wrong are found out, and named: two in a run,
// each by a check of its own.
func TestWrongRequests(t *testing.T) {
	seed.Usual(t)
	for how, want := range map[string][2]string{
		"next,begin-takes": {"next has another mask at position 1", "begin takes token"},
		"begin,next-takes": {"has another mask at position", "next takes token"},
	} {
		results, _ := checked(t, child(t, "trie", proxyEnv+"="+how))
		for i, id := range []string{"protocol/step-by-step", "protocol/refused-commit"} {
			if r := results[id]; r.Result != Failed || !strings.Contains(r.Detail, want[i]) {
				t.Errorf("%s: %s: %+v", how, id, r)
			}
		}
	}
}

// TestDeadEngine: an engine that cannot be asked anything is an error.
func TestDeadEngine(t *testing.T) {
	_, err := Run(t.Context(), child(t, "no-such-algorithm"), Options{}, func(Result) {})
	if err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Error(err)
	}
}

// TestCases: ids are unique, texts of tokens are tokens, and every kind that is translated to has
// cases.
func TestCases(t *testing.T) {
	v := must.Get(vocabulary(pairs))(t)
	kinds := slices.DeleteFunc(slices.Clone(wire.Kinds), func(k string) bool {
		return k == wire.KindGcdbench // the kinds of our own, which have tests of theirs
	})
	cases := must.Get(Cases(kinds))(t)
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.ID] || c.About == "" || c.Text == "" || len(c.Valid) == 0 {
			t.Errorf("case %+v", c)
		}
		seen[c.ID] = true
		for _, p := range c.Positions {
			for _, token := range slices.Concat(p.Allow, p.Forbid) {
				if len(tokenOf(v, token)) == 0 {
					t.Errorf("%s: %q is no token", c.ID, token)
				}
			}
		}
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == c.Kind })
	}
	if len(kinds) > 0 {
		t.Errorf("no cases of %v", kinds)
	}
	for i := range engines.Catalogue {
		for _, id := range engines.Catalogue[i].Differs {
			if !seen[id] {
				t.Errorf("%s declares %q, which is no case", engines.Catalogue[i].Name, id)
			}
		}
	}
}

// TestKindsAreDocumented: the page for authors has every kind of text.
func TestKindsAreDocumented(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "engines.md")))(t)
	_, takes, _ := strings.Cut(string(page), "`takes` lists the kinds")
	takes, _, _ = strings.Cut(takes, "`can` lists")
	for _, kind := range wire.Kinds {
		if !strings.Contains(takes, "`"+kind+"`") {
			t.Errorf("docs/engines.md does not have the kind %s", kind)
		}
	}
}

// TestEncode: the longest tokens, and bytes by their value.
func TestEncode(t *testing.T) {
	v := must.Get(vocabulary(pairs))(t)
	if got := fmt.Sprint(encode(v, "true<C3><A9>é<FF>")); got != fmt.Sprint([]int32{256, 257, 266, 266, 255, eosID}) {
		t.Error(got)
	}
}

// TestC builds the example in C, which is an engine that passes.
func TestC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	program := filepath.Join(t.TempDir(), "range_engine")
	if out, err := exec.Command(cc, "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, "../examples/c/range_engine.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := must.Get(engines.CommandOf(program))(t)
	results, failed := checked(t, c)
	if failed > 0 || results["regex/range"].Result != OK || results["regex/sums"].Result != Unsupported {
		t.Errorf("%d failed: %v", failed, results)
	}
}
