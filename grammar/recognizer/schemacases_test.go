package recognizer_test

import (
	"errors"
	"os"
	"testing"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
)

// A schemaCase is a real schema with the instances it must accept.
type schemaCase struct {
	id      string
	grammar *grammar.Grammar
	valid   [][]byte
}

// schemaCases compiles every step-th schema of the development corpus, or the one that MASKBENCH_ID
// names; those that do not compile are left out.
func schemaCases(tb testing.TB, step int) []*schemaCase {
	only := os.Getenv("MASKBENCH_ID")
	if only != "" {
		step = 1
	}
	list, err := schemas.Development(tb.Context(), "../..", step)
	if errors.Is(err, schemas.ErrUnavailable) {
		tb.Skip(err)
	}
	must.OK(tb, err)
	var all []*schemaCase
	for _, s := range list {
		if only != "" && s.ID != only {
			continue
		}
		result, err := jsonschema.Compile(tb.Context(), s.Text, jsonschema.Options{Name: s.ID})
		if err != nil {
			continue
		}
		c := &schemaCase{id: s.ID, grammar: result.Grammar}
		for _, in := range s.Instances {
			if in.Valid {
				c.valid = append(c.valid, in.Text)
			}
		}
		all = append(all, c)
	}
	return all
}
