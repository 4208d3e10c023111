package jsonschema

import (
	"bytes"
	"slices"
	"strconv"

	"gcdbench/internal/jsontext"
)

// A request brings a thousand schemas, of which a text uses two. So a schema among others (OpenAll)
// is looked over once without being read: where its text shows that nothing in it is refused
// (foreseeable), and that it has an instance, it is read when a text reaches it. Most schemas of
// functions are so plain; every other one is read at once.

// Plain is how many bytes of a text, which may go on, are a schema as plain as that; 0 if they are
// none.
func (g *Glance) Plain(text []byte) int {
	g.Scanner = jsontext.NewScanner(text)
	if g.Peek() == '{' && g.schema() && g.sure {
		return g.At()
	}
	return 0
}

// isPlain tells whether a text is such a schema and nothing else.
func (g *Glance) isPlain(text []byte) bool {
	n := g.Plain(text)
	return n > 0 && len(bytes.TrimSpace(text[n:])) == 0
}

// A Glance looks over one text after the other. Its methods are false where something may be
// refused.
type Glance struct {
	*jsontext.Scanner
	sure bool    // the schema looked over last surely has an instance
	room []*seen // for schemas to come
}

// seen is what the keywords of one schema have said so far.
type seen struct {
	keys                  [][]byte // that constrain
	types, declared, must [][]byte
	unsure                [][]byte // declared keys whose values may have no instance
	closed                bool     // so may all other keys
	perhaps               bool     // a keyword may leave no instance
}

// schema looks over a schema.
func (g *Glance) schema() bool {
	if g.Peek() != '{' {
		if g.sure = g.Word("true"); g.sure {
			return true
		}
		return g.Word("false")
	}
	s := g.begin()
	ok := g.Object(func(key []byte) bool {
		name := string(key)
		if w := table.byName[name]; w == nil && name != "id" && (name == "$schema" || !bytes.ContainsAny(key, `$\`)) {
			return g.Value() // an annotation
		}
		if has(s.keys, key) {
			return false
		}
		s.keys = append(s.keys, key)
		return g.keyword(s, name)
	})
	g.sure = s.surely()
	g.room = append(g.room, s)
	return ok
}

// begin is a seen of nothing.
func (g *Glance) begin() *seen {
	if len(g.room) == 0 {
		return &seen{}
	}
	s := g.room[len(g.room)-1]
	g.room = g.room[:len(g.room)-1]
	*s = seen{keys: s.keys[:0], types: s.types[:0], declared: s.declared[:0], must: s.must[:0], unsure: s.unsure[:0]}
	return s
}

// has tells whether a key is in a list.
func has(list [][]byte, key []byte) bool {
	return slices.ContainsFunc(list, func(x []byte) bool { return bytes.Equal(x, key) })
}

// keyword looks over the value of a keyword.
func (g *Glance) keyword(s *seen, key string) (ok bool) {
	switch key {
	case "type":
		if g.Peek() == '"' {
			return g.oneType(s)
		}
		return g.Array(func() bool { return g.oneType(s) }) && len(s.types) > 0
	case "properties":
		return g.Object(func(key []byte) bool {
			ok := g.schema()
			if s.declared = append(s.declared, key); !g.sure {
				s.unsure = append(s.unsure, key)
			}
			return ok
		})
	case "required":
		return g.strings(&s.must)
	case "enum":
		var values [][]byte
		return g.strings(&values) && len(values) > 0 && len(values) < maxEnumerated
	case "items":
		return g.schema()
	case "additionalProperties":
		ok = g.schema()
		s.closed = !g.sure
		return ok
	case "minimum", "maximum":
		digits, isNumber := g.Number()
		return isNumber && len(digits) <= 20
	case "minLength", "minItems", "maxLength", "maxItems":
		s.perhaps = true
		digits, isNumber := g.Number()
		n, err := strconv.Atoi(string(digits))
		return isNumber && err == nil && n >= 0 && n <= maxForeseen
	case "format":
		_, ok = g.String()
	case "anyOf", "allOf", "oneOf":
		s.perhaps = true
		some := false
		return g.Array(func() bool { some = true; return g.schema() }) && some
	}
	return ok
}

// oneType looks over the name of a type.
func (g *Glance) oneType(s *seen) bool {
	name, ok := g.String()
	s.types = append(s.types, name)
	return ok && isType(string(name))
}

// strings looks over an array of strings.
func (g *Glance) strings(list *[][]byte) bool {
	return g.Array(func() bool {
		text, ok := g.String()
		*list = append(*list, text)
		return ok
	})
}

// surely tells whether some value satisfies all of the keywords.
func (s *seen) surely() bool {
	key := func(name string) bool { return has(s.keys, []byte(name)) }
	switch {
	case s.perhaps, key("minimum") && key("maximum"):
		return false
	case key("enum") && (key("format") || len(s.types) > 1 || len(s.types) == 1 && string(s.types[0]) != "string"):
		return false
	}
	return !slices.ContainsFunc(s.must, func(key []byte) bool { return has(s.unsure, key) || s.closed && !has(s.declared, key) })
}
