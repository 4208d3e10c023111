package jsonschema_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/datasets/schemasuite"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// apart is where the suite asks for something else than this package does.
var apart = schemasuite.Apart()

// TestSuite compares with the JSON Schema Test Suite, if there is a copy of it. What
// compiles must have its verdicts; the causes of the rest are counted.
func TestSuite(t *testing.T) {
	d := schemasuite.Need(t)
	var files []jsonschema.File
	for uri, text := range schemasuite.Remotes(t) {
		files = append(files, jsonschema.File{URI: uri, Name: uri, Text: text})
	}
	library := must.Get(jsonschema.NewLibrary(files))(t)
	checks, causes := map[*datasets.Schema]func([]byte) bool{}, map[string]int{}
	narrow := map[*datasets.Schema]bool{} // that have a format which is enforced for a part of its strings
	for _, s := range d.Schemas {
		check, coverage, err := acceptsWith(t, s.Text, jsonschema.Options{AnyOrder: true, WhiteSpace: jsonschema.AnySpace, Library: library})
		if err != nil {
			causes[causeOf(t, s, err)]++
			continue
		}
		checks[s] = check
		narrow[s] = slices.ContainsFunc(coverage, func(c jsonschema.Coverage) bool {
			return c.Keyword == "format" && c.Status == jsonschema.Narrower
		})
	}
	agree, excused := 0, 0
	var required schemasuite.Tally
	for i := range d.Samples {
		s := &d.Samples[i]
		check := checks[s.Schema]
		required.Count(s.ID, check != nil && check(s.Content) == !s.Negative)
		if check == nil {
			continue
		}
		got := check(s.Content)
		switch want := !s.Negative; {
		case got == want:
			agree++
		case apart.Has(s.ID), want && narrow[s.Schema]:
			excused++
		default:
			t.Errorf("%s: valid is %v, accepted is %v: %s under %s", s.ID, want, got, s.Content, s.Schema.Text)
		}
	}
	t.Logf("%d schemas, %d compiled; %d verdicts agree, %d differ for the reasons known", len(d.Schemas), len(checks), agree, excused)
	t.Log(required)
	for _, cause := range slices.SortedFunc(maps.Keys(causes), func(a, b string) int { return causes[b] - causes[a] }) {
		t.Logf("%4d %s", causes[cause], cause)
	}
}

// acceptsWith compiles a schema; one without instances accepts nothing.
func acceptsWith(t *testing.T, schema []byte, options jsonschema.Options) (func([]byte) bool, []jsonschema.Coverage, error) {
	result, err := jsonschema.Compile(t.Context(), schema, options)
	if errors.Is(err, jsonschema.ErrContradiction) {
		return func([]byte) bool { return false }, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	r, err := recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil, nil, err
	}
	return func(text []byte) bool { return r.Check(text) == nil }, result.Coverage, nil
}

// causeOf is why a schema has no grammar, in few words.
func causeOf(t *testing.T, s *datasets.Schema, err error) string {
	var bad *jsonschema.SchemaError
	if errors.As(err, &bad) && strings.Contains(err.Error(), "not a regular expression") {
		return "no regular expression: " + bad.Message
	}
	t.Errorf("%s: %v", s.ID, err)
	return "another error"
}
