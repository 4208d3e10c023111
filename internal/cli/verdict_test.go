package cli

import (
	"testing"

	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
)

// TestBecause: why an instance is refused, from what is known of it. Where nobody knows whether it
// is valid, nothing more is claimed.
func TestBecause(t *testing.T) {
	const schema = `{"type": "object", "properties": {"a": {"type": "integer"}, "b": true}, "required": ["b"]}`
	yes, no := true, false
	for _, c := range []struct {
		name, instance string
		label          *bool
		deaf           bool // without a validator
		want           string
	}{
		{"invalid", `{"a": 1}`, nil, false, "invalid"},
		{"order", `{"b": 1, "a": 1}`, nil, false, "order of keys"},
		{"order, after the validator failed", `{"b": 1, "a": 1}`, nil, true, "order of keys"},
		{"white space", `{"a":  1, "b": 1}`, nil, false, "white space"},
		{"both", `{ "b": 1, "a": 1}`, nil, false, "order of keys and white space"},
		{"narrower", `{"a": 100000e-5, "b": 1}`, nil, false, "narrower"},
		{"narrower, says the label", `{"a": 100000e-5, "b": 1}`, &yes, true, "narrower"},
		{"invalid, says the label", `{"a": 1}`, &no, true, "invalid"},
		{"nobody knows", `{"a": 100000e-5, "b": 1}`, nil, true, "invalid or narrower"},
		{"twice", `{"a": 1, "a": 1, "b": 1}`, nil, false, "a key twice"},
		{"not JSON", `{"a" 1}`, nil, false, "not JSON"},
		{"the validator counts more than the label", `{"a": 1}`, &yes, false, "invalid"},
	} {
		check, err := newInstanceChecker(t.Context(), []byte(schema), jsonschema.Options{}, 0)
		must.OK(t, err)
		if c.deaf {
			check.validatorErr = &timeoutError{}
		}
		r, err := check.check("x", []byte(c.instance), c.label)
		if err != nil || r.OK || r.Because != c.want {
			t.Errorf("%s: %+v, %v, want %q", c.name, r, err, c.want)
		}
		if c.deaf != (r.Valid == nil && r.ValidatorError != "") && c.want != "not JSON" {
			t.Errorf("%s: the validator: %v, %q", c.name, r.Valid, r.ValidatorError)
		}
	}
}

// TestCheckTotals adds verdicts up; a label counts more than the validator.
func TestCheckTotals(t *testing.T) {
	yes, no := true, false
	totals := &checkTotals{ValidRefused: map[string]int{}}
	for _, r := range []instanceResult{
		{OK: true, Label: &yes, Valid: &yes},
		{OK: true, Label: &no, Valid: &yes},                       // wrong, and the label disputed
		{OK: false, Label: &no, Valid: &no, Because: "invalid"},   //
		{OK: false, Label: &yes, Because: "order of keys"},        // wrong
		{OK: false, Valid: &yes, Because: "narrower"},             // wrong: not labelled as invalid
		{OK: false, Because: "invalid or narrower"},               // wrong, and nobody knows
		{OK: true, Valid: &no},                                    // accepted, and the validator says otherwise
		{OK: false, Label: &yes, Valid: &no, Because: "narrower"}, // wrong, disputed
	} {
		totals.add(&r)
	}
	want := "3 of 8 instances accepted; 2 invalid accepted, 3 valid refused, 1 for the order of keys, 2 for narrowing; the validator disagrees with 2 labels"
	if got := totals.String(); got != want || totals.Wrong != 5 {
		t.Errorf("%d wrong; got\n%s\nwant\n%s", totals.Wrong, got, want)
	}
	if got := (&checkTotals{Instances: 1, Accepted: 1}).String(); got != "1 of 1 instance accepted; 0 invalid accepted, 0 valid refused" {
		t.Errorf("%s", got)
	}
}

func TestWithoutLineEnd(t *testing.T) {
	for in, want := range map[string]string{"": "", "1": "1", "1\n": "1", "1\r\n": "1", "1\n\n": "1\n", "\n": "", "1 ": "1 "} {
		if got := string(withoutLineEnd([]byte(in))); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
