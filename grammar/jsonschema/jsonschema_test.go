package jsonschema

import (
	"context"
	"testing"

	"gcdbench/grammar/recognizer"
)

// compiled compiles a schema and its grammar.
func compiled(t *testing.T, schema string, opt Options) *recognizer.Recognizer {
	t.Helper()
	result, err := Compile(context.Background(), []byte(schema), opt)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	r, err := recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return r
}

// TestCases holds the compiler to the table of cases.
func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := compiled(t, c.schema, Options{})
			for _, text := range c.valid {
				if err := r.Check([]byte(text)); err != nil {
					t.Errorf("%s refuses %s: %v", c.schema, text, err)
				}
			}
			for _, text := range c.invalid {
				if r.Check([]byte(text)) == nil {
					t.Errorf("%s accepts %s", c.schema, text)
				}
			}
		})
	}
}
