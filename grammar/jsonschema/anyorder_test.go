package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// objectOf is an object with properties p<n>: value, in this order.
func objectOf(keys []int, value func(i int) string) string {
	members := make([]string, len(keys))
	for i, k := range keys {
		members[i] = fmt.Sprintf(`"p%d": %s`, k, value(i))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// TestAnyOrder compares random objects of five declared keys, with what is demanded of them, with
// the other validator. Where each key comes once, texts are accepted if and only if they are valid;
// where keys repeat, only if every choice of one of equal keys is valid.
func TestAnyOrder(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(seed.New(t), 21))}
	counts := map[string]int{}
	rounds := seed.Rounds(75, 250, 250)
	for range rounds {
		schema := d.keyed()
		valid, err := judge(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		accepts, result, err := acceptance(schema, Options{AnyOrder: true})
		var unsupported *UnsupportedError
		switch {
		case errors.Is(err, ErrContradiction):
			accepts = func(string) bool { return false }
		case errors.As(err, &unsupported):
			counts["unsupported"]++
			continue
		case err != nil:
			t.Fatalf("%s: %v", schema, err)
		}
		for _, c := range result.Coverage {
			if strings.Contains(c.Reason, "order") {
				t.Errorf("%s: %s: %s", schema, c.Pointer, c.Reason)
			}
		}
		for range 150 {
			d.compareObject(t, schema, accepts, valid, counts)
		}
		if t.Failed() {
			return
		}
	}
	t.Log(counts)
	if counts["valid"] < 4*rounds || counts["repeated, accepted"] < rounds*2/5 || counts["unsupported"] > rounds/5 {
		t.Error("the test tests too little")
	}
}

// compareObject compares one random object.
func (d dice) compareObject(t *testing.T, schema string, accepts, valid func(string) bool, counts map[string]int) {
	t.Helper()
	values := []string{"1", `"x"`, "null"}
	var keys, chosen []int
	for range d.IntN(7) {
		keys = append(keys, d.IntN(6)) // p5 is declared by no schema
		chosen = append(chosen, d.IntN(len(values)))
	}
	if other := slices.Index(keys, 5); other >= 0 && slices.Contains(keys[other+1:], 5) {
		return // other keys are taken to occur once
	}
	text := objectOf(keys, func(i int) string { return values[chosen[i]] })
	got := accepts(text)
	readings := readingsOf(keys)
	all := true
	for _, r := range readings {
		kept := make([]int, len(r))
		for i, at := range r {
			kept[i] = keys[at]
		}
		all = all && valid(objectOf(kept, func(i int) string { return values[chosen[r[i]]] }))
	}
	switch repeated := len(readings) > 1; {
	case repeated && got && !all:
		t.Errorf("%s accepts %s, of which not every reading is valid", schema, text)
	case repeated && got:
		counts["repeated, accepted"]++
	case !repeated && got != all:
		t.Errorf("%s\n%s: valid is %v, accepted is %v", schema, text, all, got)
	case got:
		counts["valid"]++
	default:
		counts["invalid"]++
	}
}

// readingsOf are the ways to keep one of each of equal keys, as lists of places.
func readingsOf(keys []int) [][]int {
	readings := [][]int{nil}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			continue
		}
		var longer [][]int
		for _, r := range readings {
			for j := range keys {
				if keys[j] == k {
					longer = append(longer, append(slices.Clone(r), j))
				}
			}
		}
		readings = longer
	}
	return readings
}

// keyed is a random schema of objects with the keys p0 to p4.
func (d dice) keyed() string {
	value := func() string {
		return d.pick("{}", `{"type": "integer"}`, `{"type": ["string", "null"]}`, `{"enum": [1, "x"]}`)
	}
	property := func() string { return fmt.Sprintf(`"p%d": %s`, d.IntN(5), value()) }
	keywords := []string{`"type": "object"`, `"properties": {` + someKeys(5, "%q: "+value()) + `}`, d.demanding(2)}
	if d.IntN(2) == 0 {
		keywords[1] = fmt.Sprintf(`"properties": {"p0": %s, "p1": %s, "p2": %s, "p3": %s, "p4": %s}`, value(), value(), value(), value(), value())
	}
	if d.IntN(3) == 0 {
		keywords = append(keywords, `"additionalProperties": `+d.pick("false", `{"type": "null"}`))
	}
	branch := func() string { return `{"properties": {` + property() + `}, ` + d.demanding(0) + `}` }
	inner := d.pick(
		`"minProperties": 3`, `"maxProperties": 3`, `"minProperties": 2, "maxProperties": 4`,
		`"patternProperties": {"^p[012]$": `+value()+`}`,
		`"not": {"patternProperties": {"^p[0-3]$": `+value()+`}}`,
		`"not": {"additionalProperties": {"type": "null"}, "properties": {"p1": {}, "p5": {}}}`,
		`"anyOf": `+d.list(2, 4, branch), `"oneOf": `+d.list(2, 3, branch), `"if": `+branch()+`, "then": `+branch())
	return "{" + strings.Join(append(keywords, `"allOf": [{`+inner+`}]`), ", ") + "}"
}

// TestManyRequired: in any order, a grammar with all of its rules has the order of the schema alone
// for objects that require more than 12 keys, and says so.
func TestManyRequired(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(seed.New(t), 22))}
	for _, n := range []int{10, 12, 13, 20, 64, 65, 100} {
		schema := `{"properties": {` + someKeys(n+3, `%q: {"type": ["boolean", "null"]}`) + `}, "additionalProperties": false, "required": [` + someKeys(n, "%q") + `]}`
		accepts, result, err := acceptance(schema, Options{AnyOrder: true})
		must.OK(t, err)
		if cut := n > 12; result.Cut != cut || (status(result, "/required") == Narrower) != cut {
			t.Errorf("%d keys: cut %v, %s", n, result.Cut, status(result, "/required"))
		}
		value := func(int) string { return d.pick("true", "null") }
		keys := d.Perm(n)
		if got := accepts(objectOf(keys, value)); got != (n <= 12) {
			t.Errorf("%d keys, shuffled: accepted is %v", n, got)
		}
		slices.Sort(keys)
		if !accepts(objectOf(keys, value)) || accepts(objectOf(keys[1:], value)) {
			t.Errorf("%d keys: the order of the schema is refused, or a key is missing", n)
		}
	}
}

// TestManyOptional: keys that nothing depends on cost no states, however many there are.
func TestManyOptional(t *testing.T) {
	for _, others := range []string{`"additionalProperties": false`, `"additionalProperties": {"type": "null"}`, `"patternProperties": {"^q": {"type": "null"}}`} {
		schema := `{"type": "object", "properties": {` + someKeys(1000, `%q: {"type": "integer"}`) + `}, "required": ["p500", "p7"], ` + others + `}`
		result := must.Get(Compile(context.Background(), []byte(schema), Options{AnyOrder: true}))(t)
		r := must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
		if n := len(result.Grammar.Rules); n > 1100 || r.Tables.NumStates() > 3300 || !r.Tables.Deterministic() {
			t.Errorf("%s: %d rules, %d states, deterministic: %v", others, n, r.Tables.NumStates(), r.Tables.Deterministic())
		}
		for text, want := range map[string]bool{
			`{"p999": 1, "p7": 1, "p998": 1, "p500": 1, "p0": 1}`: true,
			`{"p500": 1, "p7": 1, "p7": 1}`:                       false,
			`{"p999": 1, "p7": 1, "p998": 1, "p0": 1}`:            false,
			`{"p500": 1, "p7": 1, "p3": null}`:                    false,
			`{"p500": 1, "p3": 1, "p3": 2, "p7": 1}`:              true,
		} {
			if got := r.Check([]byte(text)) == nil; got != want {
				t.Errorf("%s: %s: accepted is %v", others, text, got)
			}
		}
	}
}

// TestCasesSideBySide: cases that share properties are told apart without conflicts, in any order.
func TestCasesSideBySide(t *testing.T) {
	branch := `{"properties": {%q: {"const": 1}}, "required": [%[1]q]}`
	schema := `{"type": "object", "properties": {` + someKeys(8, `%q: {"type": "integer"}`) + `}, "additionalProperties": false, "anyOf": [` + someKeys(4, branch) + `]}`
	r := compiled(t, schema, Options{AnyOrder: true})
	for text, want := range map[string]bool{
		`{"p7": 5, "p2": 1}`:          true,
		`{"p3": 1, "p2": 2, "p7": 5}`: true,
		`{"p3": 2, "p2": 2}`:          false,
		`{"p7": 1}`:                   false,
		`{}`:                          false,
	} {
		if got := r.Check([]byte(text)) == nil; got != want {
			t.Errorf("%s: accepted is %v", text, got)
		}
	}
}

// TestManyObjects: objects beyond the budget of a grammar still come in any order if they are
// small.
func TestManyObjects(t *testing.T) {
	named := func(text, name string) string { return strings.ReplaceAll(text, `"p`, `"`+name) } // equal parts are reported together
	object := func(name string, n int) string {
		return `"` + name + `": {"type": "object", ` + named(`"required": [`+someKeys(n, "%q")+`]`, name) + `, "additionalProperties": {"type": "null"}}`
	}
	schema := `{"properties": {` + object("a", 12) + `, ` + object("b", 12) + `, ` + object("c", 7) + `}}`
	accepts, result, err := acceptance(schema, Options{AnyOrder: true})
	must.OK(t, err)
	for _, c := range []struct {
		name string
		keys int
		all  bool
	}{{"a", 12, true}, {"b", 12, false}, {"c", 7, true}} {
		if got := status(result, "/properties/"+c.name+"/required"); (got == Enforced) != c.all {
			t.Errorf("%s: required is %s", c.name, got)
		}
		backwards := make([]int, c.keys)
		for i := range backwards {
			backwards[i] = c.keys - 1 - i
		}
		text := named(objectOf(backwards, func(int) string { return "null" }), c.name)
		if got := accepts(`{"` + c.name + `": ` + text + `}`); got != c.all {
			t.Errorf("%s: %s is accepted: %v", c.name, text, got)
		}
	}
}
