package jsonschema

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// acceptance compiles a schema, and returns what its grammar says of texts.
func acceptance(schema string, opt Options) (accepts func(text string) bool, result *Result, err error) {
	if result, err = Compile(context.Background(), []byte(schema), opt); err != nil {
		return nil, result, err
	}
	r, err := recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil, result, err
	}
	for _, terminal := range result.Grammar.Terminals { // one that matches nothing is a dead end
		if d, err := automata.Compile(terminal.Expr, automata.Limits{}); err != nil || d.IsEmpty() {
			return nil, result, fmt.Errorf("the terminal %s matches nothing (%v)", terminal.Name, err)
		}
	}
	return func(text string) bool { return r.Check([]byte(text)) == nil }, result, nil
}

// TestNarrowProvesNothing: that what is enforced narrowly has no value in common with a branch of
// oneOf does not tell the two apart, since a value that is left out may satisfy both.
func TestNarrowProvesNothing(t *testing.T) {
	const longHost = "aaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbbbb.cccccccccccccccccc.dddddd.com" // 5 labels, over 63 characters
	long := strings.Repeat("a", 1500)
	for _, c := range []struct{ name, one, other, both string }{
		{"a host name and a constant", `{"format": "hostname"}`, fmt.Sprintf(`{"const": %q}`, longHost), longHost},
		{"host names and a pattern", `{"format": "hostname"}`, `{"pattern": "^([a-z]{6,30}[.]){4}com$"}`, longHost},
		{"a leap second", `{"format": "time"}`, `{"const": "01:14:60+01:15"}`, "01:14:60+01:15"},
		{"a long text and a constant", `{"maxLength": 5000, "pattern": "a"}`, fmt.Sprintf(`{"const": %q}`, long), long},
		{"a long text and a pattern", `{"maxLength": 5000, "pattern": "a$"}`, `{"pattern": "^` + long + `$"}`, long},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, branches := range []string{c.one + ", " + c.other, c.other + ", " + c.one} {
				schema := `{"type": "string", "oneOf": [` + branches + `]}`
				valid, err := judge(schema)
				must.OK(t, err)
				text := fmt.Sprintf("%q", c.both)
				if valid(text) {
					t.Fatalf("the other validator takes %s to satisfy one of %s", text, branches)
				}
				accepts, _, err := acceptance(schema, Options{})
				if err != nil {
					t.Logf("refused: %v", err)
				} else if accepts(text) {
					t.Errorf("%s accepts %.80s, which satisfies both branches", schema, text)
				}
			}
		})
	}
}

// TestInexactNegationsProveNothing: the negations that no literals express have no clauses, which
// must not be taken for having no instance.
func TestInexactNegationsProveNothing(t *testing.T) {
	for _, c := range []struct{ schema, invalid string }{
		{`{"type": "array", "oneOf": [{"not": {"uniqueItems": true, "items": {"enum": [1, 2]}}}, {"minItems": 1}]}`, `[1, 1]`},
		{`{"type": "array", "oneOf": [{"not": {"uniqueItems": true}}, {"minItems": 1}]}`, `[1, 1]`},
		{`{"type": "string", "oneOf": [{"not": {"format": "hostname"}}, {"minLength": 1}]}`, `"-"`},
	} {
		valid, err := judge(c.schema)
		must.OK(t, err)
		if valid(c.invalid) {
			t.Errorf("the other validator accepts %s by %s", c.invalid, c.schema)
		}
		accepts, _, err := acceptance(c.schema, Options{})
		if err != nil {
			t.Logf("%s: %v", c.schema, err)
		} else if accepts(c.invalid) {
			t.Errorf("%s accepts %s", c.schema, c.invalid)
		}
	}
}
