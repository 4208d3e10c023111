package jsonschema

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// someKeys lists keys p0, p1 and so on, each written by format.
func someKeys(n int, format string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, fmt.Sprintf("p%d", i))
	}
	return strings.Join(list, ", ")
}

// TestDemands: cases that differ in the keys that they ask for take rules in proportion to the
// keys, and no conflicts.
func TestDemands(t *testing.T) {
	const n = 40
	properties := `"type": "object", "properties": {` + someKeys(n, `%q: {"type": "integer"}`) + `}, "additionalProperties": false`
	for _, c := range []struct {
		keyword        string
		valid, invalid []string
	}{
		{`"anyOf": [` + someKeys(n, `{"required": [%q]}`) + `]`, []string{`{"p0": 1}`, `{"p39": 1}`, `{"p3": 1, "p8": 2}`}, []string{`{}`, `{"q": 1}`}},
		{`"oneOf": [` + someKeys(n, `{"required": [%q]}`) + `]`, []string{`{"p0": 1}`, `{"p39": 1}`}, []string{`{}`, `{"p3": 1, "p8": 2}`}},
		{`"not": {"anyOf": [` + someKeys(n, `{"required": [%q]}`) + `]}`, []string{`{}`}, []string{`{"p0": 1}`, `{"p39": 1}`}},
		{`"anyOf": [{"required": ["p0", "p20"]}, {"required": ["p1", "p20"]}, {"required": ["p20", "p30"]}]`, []string{`{"p0": 1, "p20": 1}`, `{"p20": 1, "p30": 1}`, `{"p1": 1, "p2": 1, "p20": 1}`}, []string{`{"p20": 1}`, `{"p0": 1, "p1": 1, "p30": 1}`}},
		{`"anyOf": [{"required": ["p0"]}, {"required": ["p0", "p1"]}, {"required": ["p2"], "not": {"required": ["p0"]}}]`, []string{`{"p0": 1}`, `{"p2": 1}`, `{"p0": 1, "p2": 1}`}, []string{`{}`, `{"p1": 1}`}},
	} {
		schema := "{" + properties + ", " + c.keyword + "}"
		accepts, result, err := acceptance(schema, Options{})
		if err != nil {
			t.Errorf("%.60s: %v", c.keyword, err)
			continue
		}
		if rules := len(result.Grammar.Rules); rules > 20*n {
			t.Errorf("%.60s: %d rules", c.keyword, rules)
		}
		if r, err := recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true}); err != nil || !r.Tables.Deterministic() {
			t.Errorf("%.60s: the tables have conflicts (%v)", c.keyword, err)
		}
		for _, text := range c.valid {
			if !accepts(text) {
				t.Errorf("%.60s refuses %s", c.keyword, text)
			}
		}
		for _, text := range c.invalid {
			if accepts(text) {
				t.Errorf("%.60s accepts %s", c.keyword, text)
			}
		}
	}
}

// TestRandomDemands compares random conjunctions of what is required and what is not, on all
// objects of five keys, with the other validator.
func TestRandomDemands(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(seed.New(t), 11))}
	for range 60 {
		schema := `{"type": "object", "properties": {` + someKeys(5, `%q: {}`) + `}, ` + d.demanding(2) + `}`
		valid, err := judge(schema)
		must.OK(t, err)
		accepts, _, err := acceptance(schema, Options{})
		if err != nil {
			accepts = func(string) bool { return false }
		}
		for set := range 64 {
			var members []string
			for i := range 5 {
				if set&(1<<i) != 0 {
					members = append(members, fmt.Sprintf(`"p%d": 1`, i))
				}
			}
			if set&32 != 0 {
				members = append(members, `"other": 1`)
			}
			text := "{" + strings.Join(members, ", ") + "}"
			if accepts(text) != valid(text) {
				t.Errorf("%s, %s: valid is %v", schema, text, valid(text))
			}
		}
	}
}

// demanding is a random keyword about which keys are there.
func (d dice) demanding(depth int) string {
	key := func() string { return d.pick(`"p0"`, `"p1"`, `"p2"`, `"p3"`, `"p4"`) }
	if depth == 0 || d.IntN(4) == 0 {
		return d.pick(`"required": [`+key()+`]`, `"dependentRequired": {`+key()+`: [`+key()+`]}`, `"minProperties": 2`)
	}
	sub := func() string { return "{" + d.demanding(depth-1) + "}" }
	if d.IntN(5) == 0 {
		return `"not": ` + sub()
	}
	return fmt.Sprintf("%q: %s", d.pick("anyOf", "oneOf", "allOf"), d.list(2, 4, sub))
}
