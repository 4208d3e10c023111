package schemas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// The judge of TestGenerate has readings of its own of some formats: it parses URIs with net/url,
// which refuses escaped ASCII in a host (https://ke%30wnwe), takes templates for URIs, and bounds
// an address in all where RFC 5321 bounds its parts. A generated text may meet any of that, so
// these formats are not left to the judge; nor are they left out: where a schema has one, the judge
// is given a pattern, the productions of the RFC.
var readings = func() map[string]string {
	const (
		alnum   = `0-9A-Za-z`
		escaped = `%[0-9A-Fa-f]{2}`
		marks   = `!$&'()*+,;=` // sub-delims
		octet   = `(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])`
		ipv4    = octet + `(?:\.` + octet + `){3}`
		label   = `(?!-)[-` + alnum + `]{1,63}(?<!-)`
		host    = label + `(?:\.` + label + `)*`
		atom    = "[-" + alnum + "!#$%&'*+/=?^_`{|}~]+"
		varname = `(?:[_` + alnum + `]|` + escaped + `)+(?:\.(?:[_` + alnum + `]|` + escaped + `)+)*`
		varspec = varname + `(?:\*|:[1-9][0-9]{0,3})?`
	)
	chars := func(more string) string { return `(?:[-._~` + alnum + marks + more + `]|` + escaped + `)` }
	ipv6 := ipv6Pattern(ipv4)
	future := `[vV][0-9A-Fa-f]+\.[-._~` + alnum + marks + `:]+`
	authority := `//(?:` + chars(":") + `*@)?(?:\[(?:` + ipv6 + `|` + future + `)\]|` + chars("") + `*)(?::[0-9]*)?`
	segments := `(?:/` + chars(":@") + `*)*`
	ending := `(?:\?` + chars(":@/?") + `*)?(?:#` + chars(":@/?") + `*)?`
	path := func(first string) string { // what a URI is behind its scheme, and a reference from its beginning on
		return `(?:` + authority + segments + `|/(?:` + chars(":@") + `+` + segments + `)?|` + first + `+` + segments + `|)` + ending
	}
	uri := `[A-Za-z][-+.` + alnum + `]*:` + path(chars(":@"))
	list := map[string]string{
		"uri":           uri,                                                                                                                      // RFC 3986, appendix A
		"uri-reference": uri + `|` + path(chars("@")),                                                                                             // the same
		"uri-template":  "(?:[^\\u0000- \"%<>\\\\^`{|}\\u007f-\\u009f]|" + escaped + `|\{[+#./;?&=,!@|]?` + varspec + `(?:,` + varspec + `)*\})*`, // RFC 6570, and the apostrophe, which an erratum adds to its literals
		"email": `(?![\s\S]{65,}@[^@]*$)(?:` + atom + `(?:\.` + atom + `)*|"(?:[ !#-\[\]-~]|\\[ -~])*")` + // RFC 5321, section 4.1.2
			`@(?:` + host + `|\[` + ipv4 + `\]|\[IPv6:` + ipv6 + `\])`,
	}
	for name, pattern := range list {
		list[name] = `^(?:` + pattern + `)(?![\s\S])`
	}
	return list
}()

// ipv6Pattern is an address of eight groups, or of up to seven around the :: that stands for the
// others. An IPv4 address may stand for the last two.
func ipv6Pattern(ipv4 string) string {
	const group = `[0-9A-Fa-f]{1,4}`
	last := `(?:` + group + `:` + group + `|` + ipv4 + `)`
	list := []string{`(?:` + group + `:){6}` + last, upTo(7, group) + `::`, upTo(6, group) + `::` + group}
	for behind := 2; behind <= 7; behind++ {
		list = append(list, fmt.Sprintf(`%s::(?:%s:){%d}%s`, upTo(7-behind, group), group, behind-2, last))
	}
	return `(?:` + strings.Join(list, "|") + `)`
}

// upTo is at most n groups with a : between them.
func upTo(n int, group string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(`(?:%s(?::%s){0,%d})?`, group, group, n-1)
}

// newJudge is the validator of a schema, with the readings in place of those formats.
func newJudge(text []byte) (*labels.Validator, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var schema any
	if err := in.Decode(&schema); err != nil {
		return nil, err
	}
	text, err := json.Marshal(readAs(schema))
	if err != nil {
		return nil, err
	}
	return labels.New(text)
}

// readAs puts a pattern in place of each format that has a reading, in a schema and all below it
// but what is data. The pattern goes to the end of allOf, where it disturbs neither another pattern
// nor a pointer.
func readAs(schema any) any {
	switch schema := schema.(type) {
	case []any:
		for i := range schema {
			schema[i] = readAs(schema[i])
		}
	case map[string]any:
		for key, value := range schema {
			switch key {
			case "enum", "const", "default", "examples":
			default:
				schema[key] = readAs(value)
			}
		}
		name, _ := schema["format"].(string)
		if pattern, ok := readings[name]; ok {
			list, _ := schema["allOf"].([]any)
			schema["allOf"] = append(list, map[string]any{"pattern": pattern})
			delete(schema, "format")
		}
	}
	return schema
}

// TestReadings has the readings tell texts apart on which they and the judge differ, and others, as
// the compiler does.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		format         string
		valid, invalid []string
	}{
		{"uri", []string{"https://ke%30wnwe#", "a:", "a:b", "a:/", "a:/b//", "a://", "a://u:p@h:1/?#", "a://[::1]:80", "a://[1:2:3:4:5:6:7:8]", "a://[v1.x:]", "a:b:c", "a://h:", "urn:x?y/?"},
			[]string{"", "a", "//h", "1a:", "a:b c", "a:%3", "a:%3g", "a:[", "a://[::1", "a://[1:2]", "a://[1::2::3]", "a:#a#b", "a://h:x", "a:\\", "a:é", "a:b\n"}},
		{"uri-reference", []string{"", "a", "//h", "/", "/a:b", "?", "#", "a:b", "./a:b", "%41", "@"}, []string{":", "1:a", "a b", "%", "#a#b", "[a]", "//[", "\\", "a\n"}},
		{"uri-template", []string{"", "{a}", "a{?b*,c:3}d", "{+a.b}", "{%41}", "é", "{/x}{#y}", "[x]", "'"}, []string{"{", "}", "{}", "{a", "{a:0}", "{a:12345}", "{ }", "{a**}", "%", "a b", "{a}\n"}},
		{"email", []string{"a@b", "a.b@c.d", `"a b"@c`, `"\""@c`, "a@[1.2.3.4]", "a@[IPv6:::1]", strings.Repeat("a", 64) + "@b", "'@b"},
			[]string{"a", "@b", "a@", ".a@b", "a.@b", "a..b@c", "a@-b", "a@b-", "a@b..c", `"@b`, "a@[1.2.3]", "a@[::1]", strings.Repeat("a", 65) + "@b", "a b@c", "a@" + strings.Repeat("b", 64), "a@b\n"}},
	} {
		schema := []byte(`{"type":"string","format":"` + c.format + `"}`)
		judge := must.Get(newJudge(schema))(t)
		accepts := accepting(t, schemas.Schema{Text: schema}, jsonschema.Options{})
		for i, text := range append(c.valid, c.invalid...) {
			want := i < len(c.valid)
			quoted, _ := json.Marshal(text)
			if got, err := judge.Valid(quoted); err != nil || got != want {
				t.Errorf("%s %q: the reading says %v, %v", c.format, text, got, err)
			}
			if got := accepts(quoted); got != want {
				t.Errorf("%s %q: the compiler says %v", c.format, text, got)
			}
		}
	}
}

// accepting compiles a schema to a test of whole texts.
func accepting(t *testing.T, s schemas.Schema, o jsonschema.Options) func(text []byte) bool {
	t.Helper()
	result := must.Get(jsonschema.Compile(t.Context(), s.Text, o))(t)
	r := must.Get(recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
	return func(text []byte) bool { return r.Check(text) == nil }
}
