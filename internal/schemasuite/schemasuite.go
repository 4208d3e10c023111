// Package schemasuite finds the JSON Schema Test Suite for tests of the two readers of schemas: the
// compiler of grammars and the validator that judges labels. The suite is no part of this project;
// an environment variable names a copy.
//
// Source: https://github.com/json-schema-org/JSON-Schema-Test-Suite.
package schemasuite

import (
	"os"
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
		{"/format/idn-", "idn-email and idn-hostname are enforced for few letters, and the validator does not know them"},
		{"/content/", "contentEncoding and contentMediaType are annotations, as since draft 2019-09"},
		{"/vocabulary/", "a draft of one's own is read as 2020-12, whatever vocabularies it lists"},
	}
}
