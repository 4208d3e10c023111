// Package schemasuite finds the JSON Schema Test Suite for tests of the two readers of schemas: the
// compiler of grammars and the validator that judges labels. The suite is no part of this project;
// an environment variable names a copy.
//
// Source: https://github.com/json-schema-org/JSON-Schema-Test-Suite.
package schemasuite

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets"
)

// Variable is the environment variable that names the folder of a copy.
const Variable = "GCDBENCH_TEST_SUITE"

// Need reads the suite, all instances of it: it skips if there is no copy here, and fails if the
// copy cannot be read.
func Need(t testing.TB) *datasets.Dataset {
	t.Helper()
	path := os.Getenv(Variable)
	if path == "" {
		t.Skip("needs a copy of the JSON Schema Test Suite, and " + Variable + " to name its folder")
	}
	src, err := datasets.Open("json-schema-test-suite", path, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Load(t.Context(), src, datasets.Query{Negatives: -1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Remotes are the schemas that tests of the suite refer to, by URI.
func Remotes(t testing.TB) map[string][]byte {
	t.Helper()
	all, root := map[string][]byte{}, filepath.Join(os.Getenv(Variable), "remotes")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "draft3") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		all["http://localhost:1234/"+filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Exceptions are the points in which the project differs from the suite on purpose.
type Exceptions []Exception

// An Exception is a part of the ids of samples, and why the project differs there.
type Exception struct{ Part, Why string }

// Has tells whether an id, or a message with one, is among the exceptions.
func (list Exceptions) Has(id string) bool {
	for _, e := range list {
		if strings.Contains(id, e.Part) {
			return true
		}
	}
	return false
}

// Apart are the exceptions that follow from what the project means by a schema, and hold for
// everything in it.
func Apart() Exceptions {
	return Exceptions{
		{"/content/", "contentEncoding and contentMediaType are annotations, as since draft 2019-09"},
		{"/vocabulary/", "a draft of one's own is read as 2020-12, whatever vocabularies it lists"},
	}
}

// A Tally counts the required tests of each draft, and those that are passed.
type Tally map[string]*[2]int

// Count adds a test by its id. Optional tests do not count.
func (t *Tally) Count(id string, passed bool) {
	draft, rest, _ := strings.Cut(id, "/")
	if strings.HasPrefix(rest, "optional/") || strings.HasPrefix(rest, "format/") || strings.HasPrefix(rest, "proposals/") {
		return
	}
	if *t == nil {
		*t = Tally{}
	}
	if (*t)[draft] == nil {
		(*t)[draft] = new([2]int)
	}
	(*t)[draft][1]++
	if passed {
		(*t)[draft][0]++
	}
}

// String is the counts, draft by draft.
func (t Tally) String() string {
	var list []string
	for _, draft := range slices.Sorted(maps.Keys(t)) {
		list = append(list, fmt.Sprintf("%s %d of %d", draft, t[draft][0], t[draft][1]))
	}
	return "required tests passed: " + strings.Join(list, ", ")
}
