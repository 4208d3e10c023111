package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// judge compiles a schema with another validator, which shares no code with this package.
func judge(schema string) (func(text string) bool, error) {
	v, err := labels.New([]byte(schema))
	if err != nil {
		return nil, err
	}
	return func(text string) bool {
		valid, err := v.Valid([]byte(text))
		return err == nil && valid
	}, nil
}

// TestCasesAgree judges the table of cases by the other validator.
func TestCasesAgree(t *testing.T) {
	for _, c := range cases {
		if c.other != "" {
			t.Logf("%s: not compared: %s", c.name, c.other)
			continue
		}
		valid, err := judge(c.schema)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, text := range c.valid {
			if !valid(text) {
				t.Errorf("%s: the other validator refuses %s", c.name, text)
			}
		}
		for _, text := range c.invalid {
			if valid(text) {
				t.Errorf("%s: the other validator accepts %s", c.name, text)
			}
		}
	}
}

// A dice makes random schemas and instances over a small universe, so that they meet.
type dice struct{ *rand.Rand }

func (d dice) pick(list ...string) string { return list[d.IntN(len(list))] }

func (d dice) number() string {
	return d.pick("0", "1", "2", "3", "-1", "1.5", "2.0", "0.5", "10", "1e1", "0.2e1", "-0", "0E+2", "15e-1", "1.50e0", "-1.0", "100", "0.01", "12345")
}
func (d dice) text() string {
	return d.pick(`""`, `"a"`, `"b"`, `"ab"`, `"ba"`, `"aab"`, `"é"`, `"\n"`, `"\u0061"`, `"1.2.3.4"`, `"2024-02-29"`,
		`"\u00E9"`, `"\ud83d\ude00"`, `"😀a"`, `"\/"`, `"\u000a"`, `"\u0000"`, `"A1_"`, `"a b"`, `"\u2028"`, `"\u007f"`)
}
func (d dice) key() string { return d.pick(`"a"`, `"b"`, `"ab"`, `"c"`) }

// instance is a random JSON text; the keys of an object are distinct.
func (d dice) instance(depth int) string {
	n := d.IntN(8)
	switch {
	case n < 2 || depth == 0 && n > 5:
		return d.pick("null", "true", "false")
	case n < 4:
		return d.number()
	case n < 6 && (depth == 0 || n == 4):
		return d.text()
	case n < 6:
		items := make([]string, d.IntN(4))
		for i := range items {
			if items[i] = d.instance(depth - 1); i > 0 && d.IntN(3) == 0 {
				items[i] = items[d.IntN(i)]
			}
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	var members []string
	for _, key := range []string{`"a"`, `"b"`, `"ab"`, `"c"`, `"zz"`} {
		if d.IntN(5) < 2 {
			members = append(members, key+": "+d.instance(depth-1))
		}
	}
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ", ") + "}"
}

// schema is a random schema.
func (d dice) schema(depth int) string {
	if d.IntN(12) == 0 {
		return d.pick("true", "false", "{}")
	}
	var keywords []string
	used := map[string]bool{}
	add := func(keyword, value string) {
		if !used[keyword] {
			used[keyword] = true
			keywords = append(keywords, fmt.Sprintf("%q: %s", keyword, value))
		}
	}
	seen := map[int]bool{}
	for range 1 + d.IntN(3) {
		n := d.IntN(numDiceKeywords)
		if depth == 0 {
			n = d.IntN(10)
		}
		if !seen[n] {
			seen[n] = true
			d.keyword(n, depth, add)
		}
	}
	return "{" + strings.Join(keywords, ", ") + "}"
}

func (d dice) list(least, most int, item func() string) string {
	items := make([]string, least+d.IntN(most-least+1))
	for i := range items {
		items[i] = item()
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (d dice) keyword(n, depth int, add func(keyword, value string)) {
	sub := func() string { return d.schema(depth - 1) }
	count := func() string { return strconv.Itoa(d.IntN(3)) }
	switch n {
	case 0:
		add("type", d.pick(`"string"`, `"number"`, `"integer"`, `["string", "null"]`, `"array"`, `"object"`, `["integer", "array"]`, `["object", "boolean"]`))
	case 1:
		add("enum", "["+d.number()+`, `+d.text()+`, null, `+d.instance(1)+"]")
	case 2:
		add("const", d.instance(1))
	case 3:
		add("minimum", d.number())
	case 4:
		add("exclusiveMaximum", d.number())
	case 5:
		add("multipleOf", d.pick("1", "2", "0.5", "3"))
	case 6:
		add("minLength", count())
	case 7:
		add("maxLength", count())
	case 8:
		add("pattern", d.pick(`"a"`, `"^a"`, `"b$"`, `"^a*$"`, `"^[ab]{1,2}$"`, `"\\s|é"`, `"^\\S*$"`, `"\\d"`, `"^.$"`, `"^(?!a)"`, `"^[^\\n]+$"`,
			`"\\w$"`, `"(?<=a)b"`, `"^\\p{L}*$"`, `"[^\\W_]"`, `"^$"`, `"\\u{1f600}|\\ud83d\\ude00"`, `"^[\\s\\S]{1,2}$"`, `"(a|b)\\B"`))
	case 9:
		add("required", "["+d.key()+"]")
	case 10:
		add("properties", "{"+`"a": `+sub()+`, `+d.pick(`"b"`, `"c"`)+": "+sub()+"}")
	case 11:
		add("additionalProperties", sub())
	case 12:
		add("patternProperties", `{"a": `+sub()+d.pick("", `, "^b": `+sub())+"}")
	case 13:
		add("propertyNames", d.pick(`{"maxLength": 1}`, `{"pattern": "a|b"}`, `{"not": {"const": "a"}}`, `{"enum": ["a", "b"]}`))
	case 14:
		add("minProperties", count())
	case 15:
		add("maxProperties", count())
	case 16:
		add("items", sub())
	case 17:
		add("prefixItems", "["+sub()+", "+sub()+"]")
	case 18:
		add("contains", sub())
		add("maxContains", strconv.Itoa(1+d.IntN(2)))
	case 19:
		add("minItems", count())
		add("maxItems", strconv.Itoa(2+d.IntN(2)))
	case 20:
		add(d.pick("allOf", "anyOf"), d.list(1, 3, sub))
	case 21:
		add("oneOf", d.list(1, 3, sub))
	case 22:
		add("not", sub())
	case 23:
		add("if", sub())
		add("then", sub())
		add("else", sub())
	case 24:
		add("dependentRequired", "{"+d.key()+": ["+d.key()+"]}")
	case 25:
		add("dependentSchemas", "{"+d.key()+": "+sub()+"}")
	case 26:
		add("items", d.pick(`{"enum": [`+d.number()+", "+d.text()+", null]}", sub()))
		add("uniqueItems", "true")
	case 27:
		add("additionalProperties", `{"$ref": "#/$defs/d"}`)
	case 28:
		add(d.pick("items", "contains"), `{"$ref": "#/$defs/d"}`)
	default:
		d.rarer(n, sub, count, add)
	}
}

// numDiceKeywords is how many cases keyword and rarer have.
const numDiceKeywords = 50

// rarer has the keywords, and the ways to write schemas, that were added when what came before
// held.
func (d dice) rarer(n int, sub, count func() string, add func(keyword, value string)) {
	branch := func() string { // an object that lists its keys
		return `{"properties": {` + d.key() + ": " + d.pick("true", `{"type": "null"}`, `{"const": 1}`) + d.pick("", `, "zz": true`) + `}` + d.pick("", `, "additionalProperties": false`, `, "required": [`+d.key()+`]`) + `}`
	}
	switch n {
	case 29:
		add("format", d.pick(`"iri-reference"`, `"uri"`, `"json-pointer"`, `"regex"`, `"duration"`, `"date"`, `"ipv4"`, `"date-time"`, `"hostname"`, `"time"`, `"unheard"`))
	case 30:
		add("uniqueItems", d.pick("true", "false"))
		add("items", d.pick(`{"type": "boolean"}`, `{"type": "integer", "minimum": 0, "maximum": 3}`, `{"enum": ["a", [], null, {}]}`, `{"pattern": "^[ab]$", "type": "string"}`, `{"type": ["null", "boolean"]}`))
	case 31:
		add("prefixItems", "["+d.pick(`{"type": "string"}`, `{"enum": [1, null]}`)+`, {"enum": [1, 2]}]`)
		add("items", d.pick("false", `{"type": "boolean"}`))
		add("uniqueItems", "true")
	case 32:
		add("oneOf", d.list(2, 4, branch))
	case 33:
		add("anyOf", d.list(2, 6, func() string { return `{"required": [` + d.pick(d.key(), `"a", "c"`, `"b", "zz"`) + `]}` }))
	case 34:
		add("oneOf", d.list(5, 7, func() string {
			return `{"properties": {"a": ` + d.pick(`{"const": 1}`, `{"enum": ["a", "b"]}`, `{"const": null}`, `{"const": "ab"}`, `{"const": 0}`) + d.pick("", `, "b": `+d.pick("true", `{"type": "null"}`)) + `}}`
		}))
		add("required", d.pick(`["a"]`, `[]`, `["a", "b"]`))
	case 35:
		add("propertyNames", d.pick(sub(), `{"enum": ["a", "b", "c"]}`, `{"const": "a"}`))
		add("minProperties", count())
	case 36:
		add("contains", sub())
		add("minContains", count())
	case 37:
		add("if", `{"properties": {"a": `+d.pick(`{"const": 1}`, `{"type": "null"}`, "true")+`}, "required": ["a"]}`)
		add(d.pick("then", "else"), sub())
	case 38:
		add("dependentRequired", `{"a": ["b"], "b": [`+d.key()+`]}`)
	case 39:
		add("pattern", d.pick(`"\\bab"`, `"a|b|é"`, `"^(a|b){0,2}$|^c"`, `"b{1,3}"`, `"(^a|b$)"`, `"a\\b|^b"`, `"^.{0,2}$"`, `"[^a]"`))
	case 40:
		add("unevaluatedProperties", d.pick("false", `{"type": "null"}`))
	case 41:
		add("not", branch())
	case 42:
		add("allOf", d.list(2, 5, func() string { return d.conditionOn(sub) }))
	case 43:
		add(d.pick("not", "then"), `{"allOf": `+d.list(2, 4, func() string { return d.conditionOn(sub) })+`}`)
		add("if", `{"type": "object"}`)
	default:
		d.evaluating(n, sub, branch, add)
	}
}

// evaluating has the unevaluated keywords beside others that hold in some cases.
func (d dice) evaluating(n int, sub, branch func() string, add func(keyword, value string)) {
	items := func() string {
		return d.pick(`{"prefixItems": [`+d.pick("true", `{"type": "null"}`, `{"type": "integer"}`)+`]}`, `{"prefixItems": [true, `+sub()+`]}`, `{"items": `+sub()+`}`, `{"contains": {"type": "null"}}`, sub())
	}
	keys := func() string {
		return d.pick(branch(), branch(), `{"patternProperties": {"^a": `+d.pick("true", `{"type": "null"}`)+`}}`, `{"dependentSchemas": {"a": `+branch()+`}}`, `{"if": `+branch()+`, "then": `+branch()+`}`, sub())
	}
	some, keyword := keys, "unevaluatedProperties"
	if n%2 == 0 {
		some, keyword = items, "unevaluatedItems"
	}
	add(keyword, d.pick("false", "false", `{"type": "null"}`, sub()))
	switch n {
	case 44, 45:
		add(d.pick("anyOf", "anyOf", "oneOf", "allOf"), d.list(1, 3, some))
	case 46, 47:
		add("if", some())
		add(d.pick("then", "else"), some())
		add("else", some())
	case 48:
		add("contains", d.pick(`{"type": "null"}`, sub()))
		add("anyOf", d.list(1, 2, some))
	case 49:
		add("dependentSchemas", "{"+d.key()+": "+some()+"}")
	}
}

// conditionOn is a conditional on the values of a key, or something like it.
func (d dice) conditionOn(sub func() string) string {
	values := d.pick(`{"const": 1}`, `{"const": "a"}`, `{"enum": ["a", "b"]}`, `{"enum": [1, "ab", 2]}`, `{"const": "b", "type": "string"}`, `{"type": "null"}`, `{"enum": ["1.2.3.4", "b"], "format": "hostname"}`)
	condition := `{"properties": {` + d.pick(`"a"`, `"a"`, `"b"`) + ": " + values + "}" + d.pick("", `, "required": ["a"]`, `, "type": "object"`) + "}"
	return `{"if": ` + condition + d.pick(`, "then": `+sub(), `, "else": `+sub(), `, "then": `+sub()+`, "else": {"required": ["c"]}`) + "}"
}

// document is a random schema with another that it, and that one itself, may refer to.
func (d dice) document() string {
	s := d.schema(2)
	if !strings.HasPrefix(s, "{") || s == "{}" {
		return s
	}
	ref := ""
	if d.IntN(4) == 0 {
		ref = `"$ref": "#/$defs/d", `
	}
	return `{"$defs": {"d": ` + d.schema(1) + `}, ` + ref + s[1:]
}

// TestDifferential compares random schemas, on random instances, with the other validator: texts
// that it refuses must be refused, and texts that it accepts accepted, since the universe holds
// nothing that is only enforced narrowly.
func TestDifferential(t *testing.T) {
	rounds := seed.Rounds(50, 150, 5000)
	d := dice{rand.New(rand.NewPCG(seed.New(t), 1))}
	outcomes := map[string]int{}
	for range rounds {
		schema := d.document()
		outcomes[differ(t, d, schema)]++
		if t.Failed() {
			return
		}
	}
	t.Log(outcomes)
}

// differ compares one schema and says how it went.
func differ(t *testing.T, d dice, schema string) string {
	t.Helper()
	valid, err := judge(schema)
	if err != nil {
		t.Errorf("%s: the other validator: %v", schema, err)
		return "error"
	}
	accepts := func(string) bool { return false }
	outcome := "compared"
	result, err := Compile(context.Background(), []byte(schema), Options{AnyOrder: true})
	var unsupported *UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return "unsupported"
	case errors.Is(err, ErrContradiction):
		outcome = "contradictory"
	case err != nil:
		t.Errorf("%s: %v", schema, err)
		return "error"
	default:
		r, err := recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true})
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			return "error"
		}
		accepts = func(text string) bool { return r.Check([]byte(text)) == nil }
	}
	spelled := result != nil && slices.ContainsFunc(result.Coverage, func(c Coverage) bool {
		return strings.Contains(c.Reason, "ASCII must be written") || c.Keyword == "format" && c.Status == Narrower
	})
	for range 40 {
		text := d.instance(2)
		escaped := strings.Contains(text, `\u0061`) && spelled // the automaton of host names is large
		if want, got := valid(text), accepts(text); want != got && !(want && escaped) {
			t.Errorf("schema %s\ninstance %s: valid is %v, accepted is %v", schema, text, want, got)
		}
	}
	return outcome
}

// TestLeftOut compares with limits so small that combinations of alternatives are left out all the
// time: whatever is accepted must still be valid.
func TestLeftOut(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(seed.New(t), 8))}
	leftOut, accepted := 0, 0
	for range seed.Rounds(125, 500, 500) {
		schema := d.document()
		valid, err := judge(schema)
		must.OK(t, err)
		result, err := Compile(context.Background(), []byte(schema), Options{AnyOrder: true, maxClauses: 3, keptClauses: 2})
		if err != nil {
			leftOut++
			continue
		}
		r := must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
		for range 40 {
			text := d.instance(2)
			ok, want := r.Check([]byte(text)) == nil, valid(text)
			if ok && !want {
				t.Errorf("schema %s accepts %s", schema, text)
			}
			accepted += btoi(ok)
			leftOut += btoi(want && !ok)
		}
	}
	if accepted == 0 || leftOut == 0 {
		t.Errorf("%d accepted, %d left out: the test tests nothing", accepted, leftOut)
	}
	t.Logf("%d accepted, %d left out", accepted, leftOut)
}
