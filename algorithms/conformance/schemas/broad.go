package schemas

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Broad makes a schema of any keywords, in any draft, from a seed: as many kinds of constraint as
// there are, side by side and one in another, where Random has the few that are hard for lexers. It
// comes without instances. Some are contradictory, or beyond what the compiler supports.
func Broad(seed uint64) Schema {
	d := broad{dice: dice{rand.New(rand.NewPCG(seed, 6))}}
	d.draft = []int{2020, 2020, 2019, 7, 7, 6, 4}[d.IntN(7)]
	members := []string{}
	if d.draft != 2020 || d.IntN(2) == 0 {
		members = append(members, `"$schema":`+drafts[d.draft])
	}
	members = append(members, d.members(2+d.IntN(2))...)
	if d.defined {
		members = append(members, d.definition())
	}
	return Schema{ID: fmt.Sprintf("broad-%d", seed), Text: []byte("{" + strings.Join(members, ",") + "}")}
}

// drafts are what $schema says.
var drafts = map[int]string{
	4: `"http://json-schema.org/draft-04/schema#"`, 6: `"http://json-schema.org/draft-06/schema#"`, 7: `"http://json-schema.org/draft-07/schema#"`,
	2019: `"https://json-schema.org/draft/2019-09/schema"`, 2020: `"https://json-schema.org/draft/2020-12/schema"`,
}

// A broad writes a schema.
type broad struct {
	dice
	draft   int
	defined bool // something refers to the definition
}

// schema is a schema whose parts are nested so deep.
func (d *broad) schema(depth int) string {
	if d.draft > 4 && d.IntN(20) == 0 {
		return "true"
	}
	if depth > 0 && d.IntN(10) == 0 { // a reference stands alone: before 2019-09 nothing counts beside it
		d.defined = true
		if d.draft >= 2019 {
			return d.pick(`{"$ref":"#/$defs/d"}`, `{"$ref":"#d"}`)
		}
		return `{"$ref":"#/definitions/d"}`
	}
	return "{" + strings.Join(d.members(depth), ",") + "}"
}

// definition is a schema that references name.
func (d *broad) definition() string {
	s := strings.Join(d.members(0), ",") + "}}"
	if d.draft >= 2019 {
		return `"$defs":{"d":{"$anchor":"d",` + s
	}
	return `"definitions":{"d":{` + s
}

// members are the keywords of a schema of some type, or of alternatives.
func (d *broad) members(depth int) []string {
	kinds := []func(depth int) []string{d.text, d.text, d.number, d.value, d.array, d.object, d.object, d.combination}
	if depth == 0 {
		kinds = kinds[:4]
	}
	list := kinds[d.IntN(len(kinds))](depth - 1)
	if d.IntN(12) == 0 {
		list = append(list, d.pick(`"title":"t"`, `"description":"d"`, `"default":null`))
	}
	return list
}

// sometimes is a member, or nothing.
func (d *broad) sometimes(list []string, oneOf int, format string, args ...any) []string {
	if d.IntN(oneOf) > 0 {
		return list
	}
	return append(list, fmt.Sprintf(format, args...))
}

func (d *broad) text(int) []string {
	list := []string{`"type":` + d.pick(`"string"`, `"string"`, `["string","null"]`)}
	lo := d.IntN(4)
	list = d.sometimes(list, 4, `"minLength":%d`, lo)
	list = d.sometimes(list, 4, `"maxLength":%d`, lo+d.IntN(40))
	list = d.sometimes(list, 3, `"pattern":%s`, d.pick(`"^a"`, `"b$"`, `"^[a-z]+$"`, `"^\\d{2,4}(-\\d+)?$"`, `"[A-Z]"`, `"^\\w+@\\w+$"`, `"^(?!a)"`, `"^\\S+( \\S+)*$"`, `"\\bx\\b"`, `"^.{1,5}$"`))
	list = d.sometimes(list, 4, `"format":%s`, d.pick(`"date"`, `"time"`, `"date-time"`, `"duration"`, `"email"`, `"hostname"`, `"ipv4"`, `"ipv6"`, `"uri"`,
		`"uri-reference"`, `"uri-template"`, `"uuid"`, `"json-pointer"`, `"relative-json-pointer"`, `"phone"`))
	return d.sometimes(list, 8, `"not":{%s}`, d.pick(`"pattern":"a"`, `"maxLength":1`, `"enum":["a","b",""]`, `"minLength":9`))
}

func (d *broad) number(int) []string {
	list := []string{`"type":` + d.pick(`"integer"`, `"number"`, `["number","boolean"]`)}
	lo, far := d.IntN(40)-20, 1+d.IntN(50)
	list = d.sometimes(list, 5, `"multipleOf":%s`, d.pick("2", "5", "0.5", "0.01", "3"))
	switch exclusive := d.IntN(3) == 0; {
	case exclusive && d.draft == 4:
		return append(list, fmt.Sprintf(`"minimum":%d,"exclusiveMinimum":true,"maximum":%d,"exclusiveMaximum":%v`, lo, lo+far+6, d.IntN(2) == 0))
	case exclusive:
		list = append(list, fmt.Sprintf(`"exclusiveMinimum":%d`, lo))
		return d.sometimes(list, 2, `"exclusiveMaximum":%d.5`, lo+far+5)
	}
	list = d.sometimes(list, 2, `"minimum":%d`, lo)
	return d.sometimes(list, 2, `"maximum":%d`, lo+far+5)
}

// value is values written out, or any of a type.
func (d *broad) value(int) []string {
	one := func() string {
		return d.pick(`"a"`, `"ab"`, `"é"`, `""`, "0", "1", "-2.5", "1e2", "true", "null", `[]`, `["a",1]`, `{}`, `{"a":1,"b":[null]}`)
	}
	switch d.IntN(4) {
	case 0:
		if d.draft > 4 {
			return []string{`"const":` + one()}
		}
		fallthrough
	case 1, 2:
		return []string{`"enum":[` + strings.Join(d.some(1, 5, one), ",") + "]"}
	}
	return []string{`"type":` + d.pick(`"null"`, `"boolean"`, `["boolean","null"]`, `["integer","array"]`)}
}

func (d *broad) array(depth int) []string {
	list := []string{`"type":"array"`}
	lo := d.IntN(3)
	if d.IntN(6) == 0 { // what can be told apart
		list = append(list, fmt.Sprintf(`"items":{"enum":["a","b",1,null]},"uniqueItems":true,"maxItems":%d`, 1+d.IntN(3)))
		return d.sometimes(list, 2, `"minItems":1`)
	}
	switch n := d.IntN(4); {
	case n == 0 && d.draft == 2020:
		list = append(list, fmt.Sprintf(`"prefixItems":[%s,%s],"items":%s`, d.schema(depth), d.schema(depth), d.schema(depth)))
	case n == 0:
		list = append(list, fmt.Sprintf(`"items":[%s,%s],"additionalItems":%s`, d.schema(depth), d.schema(depth), d.schema(depth)))
	case n == 1 && d.draft > 4:
		list = append(list, `"contains":`+d.schema(0))
		if d.draft >= 2019 {
			list = d.sometimes(list, 2, `"minContains":%d,"maxContains":2`, d.IntN(2))
		}
	default:
		list = append(list, `"items":`+d.schema(depth))
	}
	list = d.sometimes(list, 3, `"minItems":%d`, lo)
	list = d.sometimes(list, 3, `"maxItems":%d`, lo+1+d.IntN(4))
	list = d.sometimes(list, 4, `"uniqueItems":true`)
	if d.draft >= 2019 {
		list = d.sometimes(list, 8, `"unevaluatedItems":false`)
	}
	return list
}

func (d *broad) object(depth int) []string {
	list := []string{`"type":"object"`, fmt.Sprintf(`"properties":{"a":%s,"b":%s,"key \"c\"":%s}`, d.schema(depth), d.schema(depth), d.pick(`{"$ref":"#"}`, d.schema(depth)))}
	list = d.sometimes(list, 2, `"required":[%s]`, d.pick(`"a"`, `"b"`, `"a","b"`, `"z"`))
	list = d.sometimes(list, 4, `"patternProperties":{%s:%s}`, d.pick(`"^x-"`, `"b"`, `"^[c-f]$"`), d.schema(depth))
	list = d.sometimes(list, 3, `"additionalProperties":%s`, d.pick("false", "false", d.schema(0)))
	list = d.sometimes(list, 8, `"minProperties":%d`, d.IntN(3))
	list = d.sometimes(list, 8, `"maxProperties":%d`, 2+d.IntN(3))
	if d.draft > 4 {
		list = d.sometimes(list, 8, `"propertyNames":{%s}`, d.pick(`"pattern":"^[a-z]"`, `"maxLength":7`, `"enum":["a","b","x-1"]`))
	}
	if d.draft >= 2019 {
		list = d.sometimes(list, 6, `"dependentRequired":{"a":["b"]}`)
		list = d.sometimes(list, 6, `"dependentSchemas":{"b":{"required":["a"]}}`)
		return d.sometimes(list, 8, `"unevaluatedProperties":%s`, d.pick("false", `{"type":"null"}`))
	}
	return d.sometimes(list, 4, `"dependencies":{"a":["b"],"b":{"required":["a"]}}`)
}

// combination is alternatives and conditions.
func (d *broad) combination(depth int) []string {
	sub := func() string { return d.schema(depth) }
	switch n := d.IntN(6); {
	case n == 0 && d.draft >= 7:
		return []string{`"type":"object","properties":{"a":{"enum":["x","y"]},"b":true}`, `"if":{"properties":{"a":{"enum":["x"]}},"required":["a"]}`,
			`"then":{"required":["b"],"properties":{"b":` + sub() + `}}`, `"else":{"properties":{"b":` + sub() + `}}`}
	case n == 1:
		return []string{`"type":"string"`, fmt.Sprintf(`"allOf":[{"pattern":"^[ab]"},{"maxLength":%d},{"not":{"enum":["a"]}}]`, 1+d.IntN(9))}
	case n == 2:
		return []string{fmt.Sprintf(`"oneOf":[{"type":"object","properties":{"k":{"enum":["p"]},"v":%s},"required":["k"]},{"type":"object","properties":{"k":{"enum":["q"]},"v":%s},"required":["k"]}]`, sub(), sub())}
	case n == 3:
		return []string{`"oneOf":[` + strings.Join(d.some(1, 3, func() string { return d.schema(0) }), ",") + "]"}
	}
	return []string{`"anyOf":[` + strings.Join(d.some(1, 3, sub), ",") + "]"}
}
