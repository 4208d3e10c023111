package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
)

// normalizerOf has a schema document, and nothing more.
func normalizerOf(t *testing.T, schema string) (*normalizer, ref) {
	t.Helper()
	root := must.Get(jsontext.Parse("schema", []byte(schema)))(t)
	doc := must.Get(newDocument(root, Options{}))(t)
	c := newEmitter(t.Context(), doc, Options{Kept: NewKept(), maxClauses: maxClauses, keptClauses: keptClauses})
	return c.normalizer, doc.simple(doc.byValue[root])
}

// said is a clause as text, a word for each literal.
func said(x clause) string {
	var words []string
	for _, l := range x {
		word := map[op]string{opRequired: "has", opLength: "length", opPattern: "pattern", opStrings: "strings", opNumbers: "numbers", opCompare: "compares", opMultiple: "multiple", opProps: "props", opExists: "exists", opTruth: "truth", opItems: "items", opContains: "contains", opUnique: "unique", opNames: "names", opWhole: "whole"}[l.op]
		switch {
		case l.op == opProps && forbids(l):
			word = "lacks:" + l.props.keys[0]
		case l.op == opRequired:
			word += ":" + l.strs[0]
		case len(l.strs) > 0:
			word += ":" + strings.Join(l.strs, ",")
		}
		if l.not {
			word = "not-" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestNormalForms is a table of schemas, and their clauses for one kind of value.
func TestNormalForms(t *testing.T) {
	for _, c := range []struct {
		schema string
		kind   jsontext.Kind
		want   []string // clauses; "" is one that says nothing
	}{
		{`{}`, jsontext.String, []string{""}},
		{`{"minLength": 1}`, jsontext.Number, []string{""}},
		{`{"type": "null"}`, jsontext.String, nil},
		{`{"minLength": 1, "maxLength": 2, "pattern": "a"}`, jsontext.String, []string{"length length pattern"}},
		{`{"minLength": 3, "maxLength": 2}`, jsontext.String, nil},
		{`{"enum": ["a", "b", 1]}`, jsontext.String, []string{"strings:a,b"}},
		{`{"enum": ["a", "bb"], "minLength": 3}`, jsontext.String, nil},
		{`{"anyOf": [{"const": "a"}, {"const": "b"}]}`, jsontext.String, []string{"strings:a,b"}},
		{`{"anyOf": [{"const": "a"}, {"minLength": 3}]}`, jsontext.String, []string{"strings:a", "length"}},
		{`{"anyOf": [{"minLength": 3}, {"minLength": 3, "pattern": "a"}]}`, jsontext.String, []string{"length"}}, // absorbed
		{`{"anyOf": [{"minLength": 3}, {}]}`, jsontext.String, []string{""}},
		{`{"not": {"enum": ["a"]}, "minLength": 1}`, jsontext.String, []string{"length not-strings:a"}},
		{`{"not": {"minLength": 1, "pattern": "a"}}`, jsontext.String, []string{"length", "not-pattern"}},
		{`{"anyOf": [{"minimum": 1}, {"maximum": 0}], "multipleOf": 2}`, jsontext.Number, []string{"multiple compares", "multiple compares"}},
		{`{"required": ["a", "b"], "minProperties": 1}`, jsontext.Object, []string{"length has:a has:b"}},
		{`{"not": {"required": ["a", "b"]}}`, jsontext.Object, []string{"lacks:a", "lacks:b"}},
		{`{"required": ["a"], "not": {"required": ["a"]}}`, jsontext.Object, nil},
		{`{"required": ["a"], "properties": {"a": false}}`, jsontext.Object, nil},
		{`{"dependentRequired": {"a": ["b"]}}`, jsontext.Object, []string{"lacks:a", "has:a has:b"}},
		{`{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, jsontext.Object, []string{"has:a has:b", "lacks:a"}},
		{`{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`, jsontext.Object, []string{"has:a lacks:b", "has:b lacks:a"}},
		{`{"uniqueItems": true, "contains": {"const": 1}, "items": {"type": "number"}}`, jsontext.Array, []string{"items contains unique"}},
		{`{"const": true}`, jsontext.Bool, []string{"truth"}},
		{`{"allOf": [{"const": true}, {"const": false}]}`, jsontext.Bool, nil},
		{`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"minLength": 1}}}`, jsontext.String, []string{"length"}},
	} {
		n, r := normalizerOf(t, c.schema)
		form, err := n.cases(r, outermost(c.kind))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		var got []string
		for _, x := range form.clauses {
			got = append(got, said(x))
		}
		if !slices.Equal(got, c.want) || form.partial {
			t.Errorf("%s for a %s: %q, want %q; partial: %v", c.schema, c.kind, got, c.want, form.partial)
		}
	}
}

// TestPartial: a normal form says whether cases are left out, and so does each that is made of it.
func TestPartial(t *testing.T) {
	const inexact = `{"not": {"format": "regex"}}`
	for _, c := range []struct {
		schema  string
		partial bool
	}{
		{inexact, true},
		{`{"allOf": [` + inexact + `, {"minLength": 1}]}`, true},
		{`{"anyOf": [{"minLength": 1}, ` + inexact + `]}`, true},
		{`{"$ref": "#/$defs/a", "$defs": {"a": ` + inexact + `}}`, true},
		{`{"items": ` + inexact + `}`, false}, // a part has a normal form of its own
		{`{"format": "regex"}`, false},
		{`{"not": {"not": {"format": "regex"}}}`, false},
	} {
		n, r := normalizerOf(t, c.schema)
		for range 2 { // computed, and found
			form, err := n.cases(r, outermost(jsontext.String))
			if err != nil || form.partial != c.partial {
				t.Errorf("%s: partial is %v (%v)", c.schema, form.partial, err)
			}
		}
	}
	n, r := normalizerOf(t, `{"anyOf": [`+requiring("abcdefghi")+`], "allOf": [{"anyOf": [`+requiring("jklmnopqr")+`]}]}`)
	n.opt.maxClauses, n.opt.keptClauses = 9, 2
	form, err := n.cases(r, outermost(jsontext.Object))
	if err != nil || !form.partial || len(form.clauses) != 2 || !n.dropped {
		t.Errorf("of too many cases %d are kept, partial: %v (%v)", len(form.clauses), form.partial, err)
	}
}

// requiring are schemas that each require a key of one letter.
func requiring(letters string) string {
	var list []string
	for _, key := range letters {
		list = append(list, fmt.Sprintf(`{"required": [%q]}`, string(key)))
	}
	return strings.Join(list, ", ")
}

// TestFreePairs: the next goal finds what a schema is made of, unless that took many pairs.
func TestFreePairs(t *testing.T) {
	for _, c := range []struct {
		branches string
		made     int
	}{{requiring("abc"), 0}, {requiring("abcdefghi"), 1}} {
		n, r := normalizerOf(t, `{"oneOf": [`+c.branches+`]}`)
		n.begin()
		must.Get(n.cases(r, outermost(jsontext.Object)))(t)
		before := n.runs
		n.begin()
		must.Get(n.cases(r, outermost(jsontext.Object)))(t)
		if n.runs-before != c.made {
			t.Errorf("%s: the next goal makes %d normal forms, not %d", c.branches, n.runs-before, c.made)
		}
	}
}

// TestScopes: what is required beside a schema is assumed of its values, if they are objects.
func TestScopes(t *testing.T) {
	has := func(keys ...string) (x clause) {
		for _, key := range keys {
			l := origin{}.requires(key)
			x = append(x, &l)
		}
		return x
	}
	b := has("b")[0]
	for _, c := range []struct {
		s    scope
		all  []clause
		want string
	}{
		{outermost(jsontext.Object), nil, ""},
		{outermost(jsontext.Object), []clause{nil}, ""},
		{outermost(jsontext.Object), []clause{has("b", "a")}, "a b"},
		{outermost(jsontext.Object), []clause{{has("a")[0], b}, {b}}, "b"},
		{outermost(jsontext.Object), []clause{{b}, nil}, ""},
		{scope{kind: jsontext.Object, given: []string{"c"}}, []clause{has("a", "c")}, "a c"},
		{scope{kind: jsontext.Object, given: []string{"c"}}.part(jsontext.Object), []clause{has("a")}, "a"},
		{outermost(jsontext.Array), []clause{has("a")}, ""},
		{outermost(jsontext.Object), []clause{has(strings.Split(listed(65, "k%d"), ", ")...)}, ""}, // too many
	} {
		if got := strings.Join(c.s.beside(c.all).given, " "); got != c.want {
			t.Errorf("beside %v: %s is assumed, want %s", c.all, got, c.want)
		}
	}
	n, r := normalizerOf(t, `{"anyOf": [{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"$ref": "#/$defs/loop"}], "properties": {"x": {"minLength": 1}}, "$defs": {"loop": {"allOf": [{"$ref": "#/$defs/loop"}]}}}`)
	given := outermost(jsontext.Object).beside([]clause{has("a")})
	if n.caseKey(r, given) == n.caseKey(r, outermost(jsontext.Object)) {
		t.Error("what is assumed does not matter to a schema with oneOf")
	}
	for _, ptr := range []string{"/properties/x", "/$defs/loop"} {
		at := slices.IndexFunc(n.doc.nodes, func(x *node) bool { return x.ptr == ptr })
		if r := n.doc.nodes[at].ref(); n.caseKey(r, given) != n.caseKey(r, outermost(jsontext.Object)) {
			t.Errorf("what is assumed matters to %s", ptr)
		}
	}
}

// TestLists is about lists of clauses: which are dropped, and which are joined.
func TestLists(t *testing.T) {
	lit := func(o op, words ...string) *literal { return &literal{op: o, strs: words} }
	a, b, c := lit(opRequired, "a"), lit(opRequired, "b"), lit(opRequired, "c")
	for i, l := range []*literal{a, b, c} {
		l.id = i + 1
	}
	for _, x := range []struct {
		list []clause
		want string
	}{
		{nil, ""},
		{[]clause{{a}, {b}}, "has:a, has:b"},
		{[]clause{{a, b}, {b, a}, {c}}, "has:a has:b, has:c"},
		{[]clause{{a, b}, {b}, {b, c}}, "has:b"},
		{[]clause{{a}, nil, {b}}, ""},
	} {
		var got []string
		for _, x := range distinct(x.list) {
			got = append(got, said(x))
		}
		if strings.Join(got, ", ") != x.want {
			t.Errorf("%v: %q, want %s", x.list, got, x.want)
		}
	}
	merged := mergeFinite([]clause{{lit(opStrings, "a")}, {lit(opPattern)}, {lit(opStrings, "b", "c")}, {lit(opStrings, "d"), lit(opLength)}}, jsontext.String)
	if len(merged) != 3 || said(merged[0]) != "strings:a,b,c" {
		t.Errorf("merged: %d clauses, the first is %s", len(merged), said(merged[0]))
	}
	numbers := mergeFinite([]clause{{{op: opNumbers, nums: []number.Decimal{number.One}}}, {{op: opNumbers, nums: []number.Decimal{{}}}}}, jsontext.Number)
	if len(numbers) != 1 || len(numbers[0][0].nums) != 2 {
		t.Errorf("merged numbers: %v", numbers)
	}
}

// TestSharing: which branches have a value of a key in common.
func TestSharing(t *testing.T) {
	branch := func(list ...string) map[string]values {
		set := values{}
		for _, v := range list {
			set[v] = true
		}
		return map[string]values{"t": set}
	}
	sharing, ok := sharingBy([]map[string]values{branch("a", "b"), branch("b"), branch("c"), nil, branch("a")}, "t")
	slices.Sort(sharing[0])
	if got := fmt.Sprint(sharing); !ok || got != "[[1 4] [0] [] [] [0]]" {
		t.Errorf("%v %s", ok, got)
	}
	if _, ok := sharingBy([]map[string]values{branch("a"), branch("a"), branch("a"), branch("a"), branch("a")}, "t"); ok {
		t.Error("a value in many branches tells them apart")
	}
	groups := groupValues([]condition{{values: values{"sa": true, "sb": true}}, {values: values{"sb": true, "sc": true}}, {values: values{"sc": true}}})
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprint(g.values, g.holds))
	}
	if want := "map[sa:true] map[0:true]; map[sb:true] map[0:true 1:true]; map[sc:true] map[1:true 2:true]"; strings.Join(got, "; ") != want {
		t.Errorf("groups are %s", strings.Join(got, "; "))
	}
}
