package jsonschema

import "testing"

// A row is a schema with its instances, and texts that are none. Keys are in the order of the
// schema.
type row struct {
	name, schema string
	in, out      []string
}

// holds compares rows with the compiler, with keys in the order of the schema and in any order, and
// with the other validator.
func holds(t *testing.T, rows []row) {
	t.Helper()
	for _, c := range rows {
		valid, err := judge(c.schema)
		if err != nil {
			t.Errorf("%s: the other validator: %v", c.name, err)
			continue
		}
		for name, accepts := range acceptances(t, c) {
			for text, want := range c.texts() {
				if got := accepts(text); got != want {
					t.Errorf("%s, %s: %s is accepted: %v", c.name, name, text, got)
				}
			}
		}
		for text, want := range c.texts() {
			if got := valid(text); got != want {
				t.Errorf("%s: %s is valid to the other validator: %v", c.name, text, got)
			}
		}
	}
}

// acceptances compiles the schema of a row in two ways.
func acceptances(t *testing.T, c row) map[string]func(string) bool {
	t.Helper()
	all := map[string]func(string) bool{}
	for name, o := range map[string]Options{"in order": {}, "in any order": {AnyOrder: true}} {
		accepts, _, err := acceptance(c.schema, o)
		if err != nil {
			t.Errorf("%s, %s: %v", c.name, name, err)
			continue
		}
		all[name] = accepts
	}
	return all
}

// texts are the instances of a row, which are true, and the other texts.
func (c row) texts() map[string]bool {
	all := map[string]bool{}
	for _, text := range c.in {
		all[text] = true
	}
	for _, text := range c.out {
		all[text] = false
	}
	return all
}
