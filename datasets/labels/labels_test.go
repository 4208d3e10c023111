package labels_test

import (
	"strings"
	"sync"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func compile(t *testing.T, schema string) *labels.Validator {
	t.Helper()
	v := must.Get(labels.New([]byte(schema)))(t)
	return v
}

// TestVerdicts asks what the package says it does with drafts, formats, patterns and numbers.
func TestVerdicts(t *testing.T) {
	cases := []struct{ name, schema, valid, invalid string }{ // instances are split at |
		{"true", `true`, `1|null`, ``},
		{"false", `false`, ``, `1|null`},
		{"type", `{"type": "integer"}`, `1|1.0|1e2|-0`, `1.5|"1"|null`},
		{"draft 2020-12 without $schema", `{"prefixItems": [{"type": "string"}]}`, `["a"]|[]`, `[1]`},
		{"draft 7", `{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": false}`, `["a"]`, `[1]|["a", 1]`},
		{"draft 7 without #", `{"$schema": "https://json-schema.org/draft-07/schema", "items": [true], "additionalItems": false}`, `[1]`, `[1, 2]`},
		{"draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true}`, `2`, `1`},
		{"integers of draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "items": {"type": ["integer", "null"]}}`, `[1, -0, null]`, `[1.0]|[1e2]|[1.5]|["1"]`},
		{"numbers of draft 4", `{"$schema": "http://json-schema.org/draft-04/schema", "type": ["integer", "number"], "enum": [1]}`, `1.0|1`, `2`},
		{"no integer of draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "not": {"type": "integer"}}`, `1.0|"x"`, `1`},
		{"draft 3 is read as 4", `{"$schema": "http://json-schema.org/draft-03/schema#", "minimum": 1, "exclusiveMinimum": true}`, `2`, `1`},
		{"draft 6", `{"$schema": "http://json-schema.org/draft-06/schema#", "const": 1, "if": false}`, `1`, `2`},
		{"draft 2019-09", `{"$schema": "https://json-schema.org/draft/2019-09/schema", "dependentRequired": {"a": ["b"]}}`, `{"a": 1, "b": 1}`, `{"a": 1}`},
		{"unknown draft is 2020-12", `{"$schema": "http://example.com/mine", "prefixItems": [false]}`, `[]`, `[1]`},
		{"siblings of $ref count since 2019-09", `{"$ref": "#/$defs/a", "minimum": 2, "$defs": {"a": true}}`, `2`, `1`},
		{"siblings of $ref do not count before", `{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "minimum": 2, "definitions": {"a": true}}`, `1`, ``},
		{"recursion", `{"properties": {"a": {"$ref": "#"}}, "additionalProperties": false}`, `{"a": {"a": {}}}`, `{"a": {"b": 1}}`},
		{"format in any draft", `{"format": "date"}`, `"2024-02-29"|1`, `"2023-02-29"`},
		{"format of draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "format": "ipv4"}`, `"1.2.3.4"`, `"1.2.3"`},
		{"unknown format", `{"format": "colour"}`, `"x"`, ``},
		{"format regex", `{"format": "regex"}`, `"(?=a)"|"a{2}"|1`, `"("`},
		{"format uri", `{"format": "uri"}`, `"http://a/b?c#d"|"urn:a:b"|"http://[::1]/"|"mailto:a@b"|1|"https://ke%30wnwe"|"http://u:p@[v1.a:]:80?/?"|"http://a:"|"a:"|"a://"|"x-y+z.1:/a//b;c=d"`, `"http://a:b"|"http://[::1]x"|"http://[::1"|"http://[::1%25eth]"|"http://[1.2.3.4]"|"1a:b"|":a"|"http://a@b@c"|"http://a\nb"|"a:b#c[d"|"a b"|"/a"|"http://a/[b]"|"http://a/%zz"|"http://a/é"|"a:#b#c"|""|"http://::1/"`},
		{"format uri-reference", `{"format": "uri-reference"}`, `""|"#"|"../a"|"?q"|"//h/p"|"a/b:c"|"//"|"a:b"|"//ke%30wnwe"`, `"1a:b"|"%:a"|"//a:b"|"a%4"|"a b"|"<"|"a%"|"!not a reference!"`},
		{"format iri", `{"format": "iri"}`, `"http://é.fr/ü?ö=\ue000#ß"|"a:b"|"http://[::1]/é"|"x:\ud800\udc00"|1`, `"é"|"é:a"|"http://[é]"|"a:\ue000"|"a:?\ufffe"|"a:?\ufdd0"|"a:#\ue000"|"a:\u0080"|"a:\ufff0"|"a:b é"|"a:?\udb40\udc00"|"a://h:é"`},
		{"format iri-reference", `{"format": "iri-reference"}`, `"é"|""|"#é"|"//ü:80/"|"a%c3b"`, `"é:a"|"\\é"|"é%"|"\u009f"`},
		{"format time", `{"format": "time"}`, `"23:59:60z"|"01:00:60+01:01"|"00:29:60-23:30"|"12:34:56.7Z"|1`, `"+1:00:00Z"|"22:59:60Z"|"01:00:60+01:02"|"24:00:00Z"|"12:00:00"|"12:00:00.Z"|"12:00:00+24:00"`},
		{"format date-time", `{"format": "date-time"}`, `"2024-02-29t12:00:00z"|"2016-12-31T23:59:60Z"`, `"2023-02-29T12:00:00Z"|"2024-02-28 12:00:00Z"|"2024-02-28"|"2024-02-28T-1:00:00Z"`},
		{"format duration", `{"format": "duration"}`, `"P1Y2M3DT4H5M6S"|"P2W"|"PT0S"|"P1DT1S"|"P1M1D"`, `"P"|"PT"|"P1YT"|"P1Y1D"|"PT1H1S"|"P1W1D"|"PW"|"P1"|"P1D1M"|"1D"`},
		{"format hostname", `{"format": "hostname"}`, `"a.b"|"xn--bcher-kva.DE"|"1"|"a--b"|"xn--ll-0ea"`, `"xn--a"|"xn--"|"xn--a-"|"xn--bcher-kvb9999"|"XN--al-0ea"|"a."|".a"|"a_b"|"-a"|"a-"|""|"é"`},
		{"format idn-hostname", `{"format": "idn-hostname"}`, `"bücher.de"|"a.b"|"xn--bcher-kva"|"faß"|"نامه\u200cای"|"ゼ・"`, `"Bücher"|"a..b"|"u\u0308"|"\u0301a"|"אa1"|"・"|"a·b"|"---é"|"é--"|"xn--é"`},
		{"format idn-email", `{"format": "idn-email"}`, `"é@b.ü"|"a@b"|"é@[1.2.3.4]"`, `"é"|"é b@c"|"a@Ü"|".é@b"`},
		{"format regex", `{"format": "regex"}`, `"(?<a>x)\\k<a>"|"[]"|"[^]"|"(?<a>x)\u007c(?<a>y)"|"(?i-m:x)"|"(?<=a+)b"|"\\u{1f600}"|"(a)\\1"|"[\\d-]"|"\\p{L}"|"x{2}?"|"[a-\\u{61}]"`, `"(?i)a"|"(?#c)a"|"\\a"|"(?P<n>x)"|"(?<a>x)(?<a>y)"|"\\k<a>"|"\\1"|"{"|"a{2,1}"|"[b-a]"|"[\\d-a]"|"(?=a)*"|"\\01"|"(?-:x)"|"a**"|"("|"a)"|"[a"|"\\p{Foo}"`},
		{"format ipv4", `{"format": "ipv4"}`, `"1.2.3.4"`, `"+1.2.3.4"|"1.2.3"|"01.2.3.4"|"::1"`},
		{"format email", `{"format": "email"}`, `"a.b@c"|"\"a b\\\"@\"@c.d"|"a@[1.2.3.4]"|"a@[ipv6:::1]"`, `"a"|"@a"|"a.@b"|"a@b."|"a@[1.2.3]"|"a@[::1]"|"a@[IPv6:1.2.3.4]"|"\"a@b"|"\"é\"@b"|"a b@c"|"a@[1.2.3.4"`},
		{"format uri-template", `{"format": "uri-template"}`, `"{a}"|"http://a/{+b.c,d*}x{?e:3}"|"é%41[]#?"|"'"|""`, `"{"|"}"|"{a"|"{}"|"{a:0}"|"{a,}"|"%4"|"a b"|"\ufdd0"|"{a..b}"`},
		{"large maximum", `{"maxLength": 9223372036854775808, "maxItems": 1e400, "maxProperties": 18446744073709551616}`, `"a"|[1]|{"a": 1}`, ``},
		{"large minimum", `{"items": {"minLength": 18446744073709551616, "contains": {}, "minContains": 9.223372036854775808e18}}`, `[1]`, `["a"]|[[1]]`},
		{"large counts that are values", `{"enum": [{"maxLength": 1e20}, 1]}`, `{"maxLength": 1e20}`, `{"maxLength": 9223372036854775807}`},
		{"pattern is not anchored", `{"pattern": "b"}`, `"abc"`, `"ac"`},
		{"pattern with a look-ahead", `{"pattern": "^(?!x)"}`, `"y"|""`, `"x"`},
		{"$ is the end only", `{"pattern": "^a$"}`, `"a"`, `"a\n"`},
		{"classes are those of ECMAScript", `{"pattern": "^\\d\\s\\w$"}`, `"1\u00a0a"`, `"١ a"|"1 é"`},
		{"a dot is no end of a line", `{"pattern": "^.[.]$"}`, `"a."|"\u0085."|"é."`, `"\u2028."|"\u2029."|"\n."|"\r."|"ab"`},
		{"words are of ASCII letters", `{"pattern": "^[a-z]\\b.$"}`, `"aé"|"a쥻"|"a-"`, `"ab"|"a_"|"a1"`},
		{"inside of words too", `{"pattern": "^[a-z]\\B.\\Bé$"}`, ``, `"abé"|"a-é"`},
		{"\\B beside other letters", `{"pattern": "^é\\B[é.\\b]\\\\b$"}`, `"éé\\b"|"é.\\b"|"é\b\\b"`, `"éa\\b"`},
		{"characters outside the first plane", `{"pattern": "^\\ud83d\\ude00.$"}`, `"😀😀"`, `"😀"`},
		{"a backslash before what looks like one", `{"pattern": "^\\\\ud83d$"}`, `"\\ud83d"`, `"x"`},
		{"Unicode properties", `{"pattern": "^\\p{L}\\p{Script=Greek}\\P{Letter}$"}`, `"éα1"`, `"éa1"|"éαb"`},
		{"exact numbers", `{"multipleOf": 0.01}`, `0.07|4.35|1e-2|12345678901234567890.12`, `0.075|12345678901234567890.123`},
		{"numbers beyond floats", `{"const": 9007199254740993}`, `9007199254740993|9007199254740993.0`, `9007199254740992`},
		{"length in characters", `{"maxLength": 1}`, `"😀"|"\ud83d\ude00"`, `"ab"`},
		{"unique by value", `{"uniqueItems": true}`, `[1, "1", true]`, `[1, 1.0]|[{"a": 1, "b": 2}, {"b": 2, "a": 1}]`},
		{"conditions", `{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"maxProperties": 0}}`, `{}|{"a": 1, "b": 1}`, `{"a": 1}|{"c": 1}`},
		{"the last of two members counts", `{"properties": {"a": {"const": 2}}}`, `{"a": 1, "a": 2}`, `{"a": 2, "a": 1}`},
		{"the draft's own schema is known", `{"$ref": "http://json-schema.org/draft-07/schema#"}`, `{"type": "string"}`, `{"type": 1}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := compile(t, c.schema)
			for verdict, list := range map[bool]string{true: c.valid, false: c.invalid} {
				for _, instance := range strings.FieldsFunc(list, func(r rune) bool { return r == '|' }) {
					if got, err := v.Valid([]byte(instance)); got != verdict || err != nil {
						t.Errorf("%s: %v, %v; want %v", instance, got, err, verdict)
					}
				}
			}
		})
	}
}

func TestExplain(t *testing.T) {
	v := compile(t, `{"properties": {"a/b": {"items": {"anyOf": [{"type": "string"}, {"minimum": 5}]}}}, "required": ["c"]}`)
	cases := []struct{ instance, want string }{
		{`{"c": 1, "a/b": [7]}`, ``},
		{`{}`, `at "": missing property 'c'`},
		{`{"c": 1, "a/b": ["", 1]}`, `at "/a~1b/1": got number, want string (and 1 more)`},
	}
	for _, c := range cases {
		if why, err := v.Explain([]byte(c.instance)); why != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.instance, why, err, c.want)
		}
	}
}

func TestBadSchemas(t *testing.T) {
	cases := []struct{ name, schema, want string }{
		{"empty", ``, `the schema: 1:1: not JSON: the document ends where a JSON value is expected`},
		{"not JSON", "{\n  \"type\": string}", `the schema: 2:11: not JSON: no JSON value can begin with 's'`},
		{"two values", `{} {}`, `the schema: 1:4: not JSON: there is more text after the JSON value`},
		{"not UTF-8", "{\"\xff\": 1}", `the schema: 1:3: the text is not UTF-8`},
		{"an array", `[]`, `the schema: not a valid schema: at "": got array, want boolean or object`},
		{"a wrong type", `{"properties": {"a": {"type": "text"}}}`, `the schema: not a valid schema: at "/properties/a/type": `},
		{"boolean in draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "not": true}`, `the schema: not a valid schema: at "/not": got boolean, want object`},
		{"no such reference", `{"$ref": "#/$defs/x"}`, `the schema: json-pointer in "#/$defs/x" not found`},
		{"no such anchor", `{"$ref": "#x"}`, `x" not found`},
		{"another file", `{"$ref": "other.json"}`, `the schema: failing loading "memory:///other.json": it is not part of the schema, and nothing is loaded`},
		{"this machine", `{"$ref": "file:///etc/hostname"}`, `nothing is loaded`},
		{"the network", `{"$ref": "http://localhost:1234/integer.json"}`, `nothing is loaded`},
		{"a pattern that is none", `{"pattern": "("}`, `the schema: not a valid schema: at "/pattern": `},
		{"a pattern of properties that is none", `{"patternProperties": {"[": true}}`, `the schema: `},
		{"deep", strings.Repeat(`{"not": `, 1001) + "1" + strings.Repeat("}", 1001), `the schema: nested deeper than 1000 levels`},
		{"very deep", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), `the schema: `},
		{"a large number", `{"maximum": 1e1000000000}`, `the schema: the number 1e1000000000... has more than 10000 digits`},
		{"a long number", `{"maximum": 1` + strings.Repeat("0", 10_000) + `}`, `a number has more than 10000 characters`},
		{"a small number", `{"multipleOf": 1e-99999999999999999999}`, `has more than 10000 digits`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, err := labels.New([]byte(c.schema))
			if v != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestBadInstances(t *testing.T) {
	seed.Usual(t)
	v := compile(t, `{"multipleOf": 3, "pattern": "^(a+)+$"}`)
	cases := []struct{ name, instance, want string }{
		{"empty", ` `, `the instance: 1:2: not JSON: the document ends where a JSON value is expected`},
		{"not JSON", "[1,\n 01]", `the instance: 2:3: not JSON: expected , or ] in an array`},
		{"not UTF-8", "\"\xc3\"", `the instance: 1:2: the text is not UTF-8`},
		{"a long number", strings.Repeat("9", 10_001), `a number has more than 10000 characters`},
		{"deep", strings.Repeat("[", 1002) + strings.Repeat("]", 1002), `the instance: nested deeper than 1000 levels`},
		{"a slow pattern", `"` + strings.Repeat("a", 60) + `b"`, `the pattern "^(a+)+$" takes longer than 1s on one string`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			valid, err := v.Valid([]byte(c.instance))
			if valid || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, error %v, want %s", valid, err, c.want)
			}
		})
	}
}

// TestLimitsAreJudged has what lies just within the limits.
func TestLimitsAreJudged(t *testing.T) {
	cases := []struct{ name, schema, instance string }{
		{"depth", `{"additionalProperties": {"$ref": "#"}, "items": {"$ref": "#"}}`, strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
		{"depth of wrong ones", `{"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]}`,
			strings.Repeat("[", 999) + `""` + strings.Repeat("]", 999)},
		{"digits", `{"multipleOf": 2}`, `2e9999`},
		{"small", `{"minimum": 0}`, `1e-9999`},
		{"larger than any bound", `{"minimum": 1e9990, "multipleOf": 6, "type": "integer"}`, `12e9999999999999999999999`},
		{"smaller than any bound", `{"exclusiveMinimum": 0, "exclusiveMaximum": 1e-9990, "not": {"anyOf": [{"type": "integer"}, {"multipleOf": 1e-9990}]}}`, `100e-999999999999`},
		{"no multiple", `{"not": {"multipleOf": 3}}`, `-2.5E+77777`},
		{"a zero", `{"const": 0}`, `-0.00e999999999999`},
		{"unique", `{"uniqueItems": true}`, `[1e77777, 1e77778, 1e-77777, 1e50001, 2e77777]`},
		{"not unique", `{"not": {"uniqueItems": true}}`, `[1e77777, 0.10e77778]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if valid, err := compile(t, c.schema).Valid([]byte(c.instance)); !valid || err != nil {
				t.Errorf("%v, %v", valid, err)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	v := compile(t, `{"properties": {"a": {"pattern": "^x", "format": "uri-reference"}}}`)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			instance, want := `{"a": "xy"}`, true
			if i%2 == 0 {
				instance, want = `{"a": "yx"}`, false
			}
			for range 100 {
				if got, err := v.Valid([]byte(instance)); got != want || err != nil {
					t.Errorf("%s: %v, %v", instance, got, err)
				}
			}
		})
	}
	all.Wait()
}

// FuzzNew holds that no schema and no instance makes the validator panic or fail to answer.
func FuzzNew(f *testing.F) {
	f.Add([]byte(`{"type": ["object", "null"], "properties": {"a": {"$ref": "#"}}}`), []byte(`{"a": null}`))
	f.Add([]byte(`{"$id": "x:y", "$defs": {"a": {"$anchor": "b"}}, "$ref": "#b", "unevaluatedItems": false}`), []byte(`[1, 2.50]`))
	f.Add([]byte(`{"pattern": "^\\p{L}*$", "maxLength": 3, "enum": ["a", 1e3]}`), []byte(`"a"`))
	f.Fuzz(func(t *testing.T, schema, instance []byte) {
		v, err := labels.New(schema)
		if err != nil {
			return
		}
		valid, err := v.Valid(instance)
		if again, _ := v.Valid(instance); again != valid {
			t.Errorf("%s of %s is %v, then %v (%v)", instance, schema, valid, again, err)
		}
	})
}
