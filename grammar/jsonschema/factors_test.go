package jsonschema

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// opened is a schema's grammar with its rules on demand.
func opened(t *testing.T, schema string, opt Options) *recognizer.Recognizer {
	t.Helper()
	result, err := Open(context.Background(), []byte(schema), opt)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	r, err := recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return r
}

// independent makes a schema of n conditions on different keys: of each kind that multiplies.
func independent(n int) string {
	var keys, conditions []string
	for i := range n {
		for _, name := range []string{"k", "x", "y"} {
			keys = append(keys, fmt.Sprintf(`"%s%d": {"enum": ["a", "b", "c"]}`, name, i))
		}
		switch i % 3 {
		case 0:
			conditions = append(conditions, fmt.Sprintf(`{"if": {"properties": {"k%d": {"const": "a"}}, "required": ["k%d"]}, "then": {"required": ["x%d"]}}`, i, i, i))
		case 1:
			conditions = append(conditions, fmt.Sprintf(`{"anyOf": [{"required": ["k%d"]}, {"required": ["x%d"]}, {"required": ["y%d"]}]}`, i, i, i))
		case 2:
			conditions = append(conditions, fmt.Sprintf(`{"if": {"properties": {"k%d": {"const": "b"}}, "required": ["k%d"]}, "then": {"properties": {"x%d": {"const": "c"}}}, "else": {"required": ["y%d"]}}`, i, i, i, i))
		}
	}
	return `{"type": "object", "properties": {` + strings.Join(keys, ", ") + `}, "additionalProperties": false, "allOf": [` + strings.Join(conditions, ", ") + `]}`
}

// TestFactors: of many independent conditions no combination is lost, and none is invented, in the
// order of the schema and in any.
func TestFactors(t *testing.T) {
	const n = 30
	schema := independent(n)
	v := must.Get(labels.New([]byte(schema)))(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, opt := range []Options{{}, {AnyOrder: true}} {
		r := opened(t, schema, opt)
		valid := 0
		for range 20 {
			text := instanceOf(rng, n, opt.AnyOrder)
			want := must.Get(v.Valid([]byte(text)))(t)
			valid += btoi(want)
			if got := r.Check([]byte(text)); (got == nil) != want {
				t.Fatalf("any order %v: %s: valid %v, grammar says %v", opt.AnyOrder, text, want, got)
			}
		}
		if valid < 3 || valid > 18 {
			t.Errorf("%d of 20 instances are valid", valid)
		}
	}
}

// instanceOf is an object that meets nearly all conditions of independent.
func instanceOf(rng *rand.Rand, n int, shuffled bool) string {
	var members []string
	add := func(key string, i int, values string) {
		members = append(members, fmt.Sprintf(`"%s%d": "%c"`, key, i, values[rng.IntN(len(values))]))
	}
	for i := range n {
		met := rng.IntN(4*n) > 0
		k := "abc"[rng.IntN(3)]
		if i%3 != 1 && rng.IntN(4) > 0 || i%3 == 1 && rng.IntN(2) > 0 {
			add("k", i, string(k))
		}
		present := len(members) > 0 && strings.HasPrefix(members[len(members)-1], fmt.Sprintf(`"k%d"`, i))
		switch {
		case i%3 == 0 && (present && k == 'a') == met, i%3 == 1 && met && !present:
			add("x", i, "abc")
		case i%3 == 2 && present && k == 'b':
			add("x", i, map[bool]string{true: "c", false: "ab"}[met])
		case i%3 == 2 && met:
			add("y", i, "abc")
		}
	}
	if shuffled {
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return "{" + strings.Join(slices.Compact(members), ", ") + "}"
}

// TestJointFactors: where conditions have keys in common, so that one way to satisfy each excludes
// another, all sets of keys have the validator's verdict, in the order of the schema and in any.
func TestJointFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 7))
	valid, all := 0, 0
	for range seed.Rounds(20, 60, 5000) {
		schema := joint(rng, 6, 7)
		v := must.Get(labels.New([]byte(schema)))(t)
		for _, opt := range []Options{{}, {AnyOrder: true}} {
			opt.maxClauses, opt.keptClauses = 3, 2
			result, err := Open(t.Context(), []byte(schema), opt)
			var accepts func(text []byte) error
			if err == nil {
				accepts = must.Get(recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true}))(t).Check
			}
			for set := range 1 << 6 {
				text := []byte(jointInstance(rng, set, 6, opt.AnyOrder))
				want := must.Get(v.Valid(text))(t)
				if all++; want {
					valid++
				}
				if got := err == nil && accepts(text) == nil; got != want {
					t.Fatalf("any order %v: %s\n%s: valid %v, the grammar says %v (%v)", opt.AnyOrder, schema, text, want, got, err)
				}
			}
		}
	}
	t.Logf("%d of %d instances are valid", valid, all)
}

// joint makes a schema of conditions, each of three keys that may be there, missing, or have a
// value.
func joint(rng *rand.Rand, keys, conditions int) string {
	var list, props []string
	for k := range keys {
		props = append(props, fmt.Sprintf(`"k%d": {"enum": ["a", "b"]}`, k))
	}
	for range conditions {
		var branches []string
		for range 3 {
			form := []string{`{"required": ["k%d"]}`, `{"not": {"required": ["k%d"]}}`, `{"required": ["k%[1]d"], "properties": {"k%[1]d": {"const": "a"}}}`}[rng.IntN(3)]
			branches = append(branches, fmt.Sprintf(form, rng.IntN(keys)))
		}
		list = append(list, `{"anyOf": [`+strings.Join(branches, ", ")+`]}`)
	}
	return `{"type": "object", "properties": {` + strings.Join(props, ", ") + `}, "additionalProperties": false, "allOf": [` + strings.Join(list, ", ") + `]}`
}

// jointInstance is an object with a set of keys.
func jointInstance(rng *rand.Rand, set, keys int, shuffled bool) string {
	var members []string
	for k := range keys {
		if set&(1<<k) != 0 {
			members = append(members, fmt.Sprintf(`"k%d": "%c"`, k, "ab"[rng.IntN(2)]))
		}
	}
	if shuffled {
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// TestAllOrders: many required keys come in all orders, each once, where rules are written on
// demand.
func TestAllOrders(t *testing.T) {
	n := seed.Rounds(30, 70, 70)
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"k%d": 1`, i))
	}
	all := strings.Join(members, ", ")
	r := opened(t, `{"type": "object", "properties": {`+strings.ReplaceAll(all, ": 1", `: {"type": "integer"}`)+`}, "required": [`+strings.ReplaceAll(all, ": 1", "")+`]}`, Options{AnyOrder: true})
	accepts := func(members ...string) bool { return r.Check([]byte("{"+strings.Join(members, ", ")+"}")) == nil }
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		rng.Shuffle(n, func(i, j int) { members[i], members[j] = members[j], members[i] })
		if !accepts(members...) || !accepts(append([]string{`"x": null`}, members...)...) {
			t.Errorf("%v is refused", members)
		}
		if accepts(members[1:]...) || accepts(append(members[:n:n], members[0])...) {
			t.Errorf("%v is accepted with a key twice, or without one", members)
		}
	}
}

// BenchmarkFactors is the time until a schema of 30 conditions can be asked.
func BenchmarkFactors(b *testing.B) {
	schema := []byte(independent(30))
	for _, order := range []bool{false, true} {
		b.Run(fmt.Sprint(order), func(b *testing.B) {
			for range b.N {
				result := must.Get(Open(b.Context(), schema, Options{AnyOrder: order}))(b)
				must.Get(recognizer.New(b.Context(), result.Grammar, recognizer.Options{OnDemand: true}))(b)
			}
		})
	}
}

// TestSplits: branches of oneOf that are too many cases together are told apart one by one, the
// nested ones too, in the order of the schema.
func TestSplits(t *testing.T) {
	keys, branches := seed.Rounds(4, 5, 6), seed.Rounds(5, 6, 7) // each more is four times the work
	var list []string
	for b := range branches {
		var properties []string
		for k := range keys {
			properties = append(properties, fmt.Sprintf(`"k%d": {"enum": [%d, %d]}`, k, b%(k+2), (b+1)%3))
		}
		list = append(list, `{"properties": {`+strings.Join(properties, ", ")+`}, "additionalProperties": false}`)
	}
	nested := `{"oneOf": [` + strings.Join(list[:4], ", ") + `]}`
	schema := `{"type": "object", "oneOf": [` + nested + ", " + strings.Join(list[4:], ", ") + `]}`
	v := must.Get(labels.New([]byte(schema)))(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, opt := range []Options{{}, {maxClauses: 20, keptClauses: 5}} {
		r := opened(t, schema, opt)
		accepted := 0
		for range 60 {
			var members []string
			for k := range keys {
				if rng.IntN(2) == 0 {
					members = append(members, fmt.Sprintf(`"k%d": %d`, k, rng.IntN(4)))
				}
			}
			text := []byte("{" + strings.Join(members, ", ") + "}")
			got, want := r.Check(text) == nil, must.Get(v.Valid(text))(t)
			if got && !want || want && !got {
				t.Fatalf("%+v: %s: accepted %v, valid %v", opt, text, got, want)
			}
			accepted += btoi(got)
		}
		if accepted < 5 {
			t.Errorf("%+v: only %d are accepted", opt, accepted)
		}
	}
}

// TestCasesEndAlone: twenty keys with a wrong value each are ways not to be of a schema. One more
// is none, since its value cannot be wrong. Which of them a text has taken is no matter for whether
// one of them is left: sets of twenty are not gone through.
func TestCasesEndAlone(t *testing.T) {
	schema := `{"oneOf": [{"properties": {"v": {"oneOf": [{"properties": {` + listed(20, `"k%d": {"type": "string"}`) + `, "any": {"items": {}}}},
		{"patternProperties": {"^r$": {"type": "string"}}}]}}}, {}]}`
	v := must.Get(labels.New([]byte(schema)))(t)
	for _, opt := range []Options{{}, {AnyOrder: true}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := opened(t, schema, opt)
		for _, text := range []string{`{"v": {"k1": 1, "r": 2}}`, `{"v": {"k1": 1, "k2": 1, "r": "a"}}`, `{"v": {"any": 1, "k1": "a"}}`, `{"v": {"k3": 0, "any": 1, "k9": "a"}}`, `{"v": {"r": 1}}`} {
			want := must.Get(v.Valid([]byte(text)))(t)
			if got := r.Check([]byte(text)); (got == nil) != want && (opt.AnyOrder || !want) {
				t.Errorf("any order %v: %s: valid %v, grammar says %v", opt.AnyOrder, text, want, got)
			}
		}
		runtime.ReadMemStats(&after)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 50 {
			t.Errorf("any order %v: %d MiB were allocated", opt.AnyOrder, mib)
		}
	}
}

// TestExcluded: a branch of oneOf is no alternative where another one holds whenever it does, and
// of the negations of others the cases go that the branch itself excludes.
func TestExcluded(t *testing.T) {
	const branches, keys = 9, 5
	list := []string{`{"allOf": [{"$ref": "#/$defs/all"}, {"properties": {"kind": {"const": "other"}}}]}`}
	for b := range branches {
		properties := []string{fmt.Sprintf(`"kind": {"const": %d}`, b)}
		for k := range keys {
			properties = append(properties, fmt.Sprintf(`"k%d": {"enum": [%d, "%d"]}`, (b+k)%branches, b, k))
		}
		list = append(list, `{"allOf": [{"$ref": "#/$defs/all"}, {"properties": {`+strings.Join(properties, ", ")+`}}]}`)
	}
	schema := []byte(`{"type": "object", "$defs": {"all": {"properties": {"on": {"type": "boolean"}, "name": {"type": "string"}}}}, "oneOf": [` + strings.Join(list, ", ") + `]}`)
	opt := Options{}.withDefaults()
	c := newEmitter(t.Context(), must.Get(newDocument(must.Get(parseSchema(opt, schema))(t), opt))(t), opt)
	newOnDemand(c)
	s := outermost(jsontext.Object)
	s.pairs = latePairs
	q := must.Get(c.factorsOf([]ref{c.doc.start()}, s))(t)
	alternatives := must.Get(q.alternatives())(t)
	if want := branches + 2; len(alternatives) != want { // with a kind each, and the first without one
		t.Errorf("%d alternatives, and %d have instances", len(alternatives), want)
	}
	for _, one := range alternatives {
		for _, form := range one.factors()[1:] {
			for _, x := range form.clauses {
				if l := literalsOf(x, opRequired)[0]; l.strs[0] == "on" || l.strs[0] == "name" {
					t.Errorf("a case asks for a wrong %q", l.strs[0])
				}
			}
		}
	}
	v, r := must.Get(labels.New(schema))(t), opened(t, string(schema), Options{})
	rng := rand.New(rand.NewPCG(5, 6))
	accepted := 0
	for range 60 {
		b := rng.IntN(branches)
		text := []byte(fmt.Sprintf(`{"on": %s, "kind": %d, "k%d": %d}`, []string{"true", "1"}[rng.IntN(5)/4], rng.IntN(branches), b, rng.IntN(3)))
		if rng.IntN(3) == 0 {
			text = []byte(fmt.Sprintf(`{"k%d": %d, "k%d": "%d"}`, b, rng.IntN(branches), b+1, rng.IntN(keys)))
		}
		got, want := r.Check(text) == nil, must.Get(v.Valid(text))(t)
		if got != want {
			t.Fatalf("%s: accepted %v, valid %v", text, got, want)
		}
		accepted += btoi(got)
	}
	if accepted < 5 {
		t.Errorf("only %d are accepted", accepted)
	}
}
