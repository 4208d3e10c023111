package datasets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// The schemas of samples/schema are data that other tests and the first run of a new user trust.
// What they promise is checked here: the form of the files, that together they use every keyword
// that the compiler enforces (schema_cover_test.go), that the labels are right in the eyes of a
// validator that shares no code with this project, and that the compiled grammars agree with every
// label.

// A schemaSample is one file: a schema and its instances.
type schemaSample struct {
	name        string
	Description string           `json:"description"`
	Group       string           `json:"group"`
	Schema      json.RawMessage  `json:"schema"`
	Tests       []schemaInstance `json:"tests"`
}

// A schemaInstance is an instance and its label; the description of an invalid one says what the
// only thing wrong with it is.
type schemaInstance struct {
	Description string          `json:"description"`
	Valid       bool            `json:"valid"`
	Data        json.RawMessage `json:"data"`
}

// text is the instance on one line, as Python's json.dumps writes it; strings and numbers stay as
// they are.
func (i schemaInstance) text(t *testing.T) string {
	t.Helper()
	var compact bytes.Buffer
	must.OK(t, json.Compact(&compact, i.Data))
	var line []byte
	quoted := false
	for j, c := range compact.Bytes() {
		line = append(line, c)
		switch {
		case c == '"' && !escaped(compact.Bytes()[:j]):
			quoted = !quoted
		case !quoted && (c == ',' || c == ':'):
			line = append(line, ' ')
		}
	}
	return string(line)
}

// escaped tells whether an odd number of backslashes ends the text.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// schemaSamples reads the files.
func schemaSamples(t *testing.T) []schemaSample {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join("samples", "schema", "*.json")))(t)
	var list []schemaSample
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		s := schemaSample{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		in := json.NewDecoder(bytes.NewReader(text))
		in.DisallowUnknownFields()
		if err := in.Decode(&s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, s)
	}
	return list
}

// TestSchemaSamplesForm holds the files to their number, groups and kinds of instances.
func TestSchemaSamplesForm(t *testing.T) {
	list := schemaSamples(t)
	if len(list) != 60 {
		t.Errorf("%d schemas, want 60", len(list))
	}
	groups := map[string]int{}
	for _, s := range list {
		groups[s.Group]++
		if s.Description == "" {
			t.Errorf("%s: no description", s.name)
		}
		valid, said := 0, map[string]bool{}
		for _, i := range s.Tests {
			if i.Description == "" || said[i.Description] {
				t.Errorf("%s: the description %q is empty, or another instance's too", s.name, i.Description)
			}
			said[i.Description] = true
			if i.text(t) != string(i.Data) {
				t.Errorf("%s: %s: the instance is not on one line, with a space after each comma and colon", s.name, i.Description)
			}
			if i.Valid {
				valid++
			}
		}
		if invalid := len(s.Tests) - valid; valid < 2 || invalid < 3 {
			t.Errorf("%s: %d valid and %d invalid instances, want 2 and 3 at least", s.name, valid, invalid)
		}
	}
	for _, group := range []string{"api", "tool-call", "configuration", "event"} {
		if groups[group] < 13 || groups[group] > 17 {
			t.Errorf("%d schemas in group %s, want about 15", groups[group], group)
		}
		delete(groups, group)
	}
	if len(groups) > 0 {
		t.Errorf("unknown groups: %v", groups)
	}
}

// judgeOf compiles a schema with a validator that shares no code with this project, formats
// asserted.
func judgeOf(schema []byte) (*validator.Schema, error) {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := validator.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://example.com/schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("https://example.com/schema.json")
}

// TestSchemaSamplesLabels judges every label by another validator.
func TestSchemaSamplesLabels(t *testing.T) {
	for _, s := range schemaSamples(t) {
		t.Run(s.name, func(t *testing.T) {
			judge := must.Get(judgeOf(s.Schema))(t)
			for _, i := range s.Tests {
				v, err := validator.UnmarshalJSON(bytes.NewReader(i.Data))
				must.OK(t, err)
				err = judge.Validate(v)
				if (err == nil) != i.Valid {
					t.Errorf("%s: labelled %v, the other validator says: %v\n%s", i.Description, i.Valid, err, i.text(t))
				}
				if n := reasons(err); n > 1 {
					t.Errorf("%s: wrong for %d reasons: %v\n%s", i.Description, n, err, i.text(t))
				}
			}
		})
	}
}

// reasons counts what is wrong with an instance. Alternatives that all fail are one reason, and so
// are items none of which is what an array must contain.
func reasons(err error) int {
	var e *validator.ValidationError
	if !errors.As(err, &e) {
		return 0
	}
	whole := func(keyword string) bool { return slices.Contains([]string{"anyOf", "oneOf", "contains"}, keyword) }
	if len(e.Causes) == 0 || slices.ContainsFunc(e.ErrorKind.KeywordPath(), whole) {
		return 1
	}
	n := 0
	for _, cause := range e.Causes {
		n += reasons(cause)
	}
	return n
}

// TestSchemaSamplesCompiled holds the compiled grammars to every label.
func TestSchemaSamplesCompiled(t *testing.T) {
	for _, s := range schemaSamples(t) {
		t.Run(s.name, func(t *testing.T) {
			result := must.Get(jsonschema.Compile(context.Background(), s.Schema, jsonschema.Options{Name: s.name}))(t)
			r := must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
			for _, i := range s.Tests {
				text := i.text(t)
				switch err := r.Check([]byte(text)); {
				case i.Valid && err != nil:
					t.Errorf("refuses what is valid (%s): %v\n%s", i.Description, err, text)
				case !i.Valid && err == nil:
					t.Errorf("accepts what is invalid (%s)\n%s", i.Description, text)
				}
			}
		})
	}
}
