package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/yamltext"
)

// A shape is what one node of a configuration may be.
type shape interface {
	// expected completes "expected ...".
	expected() string
	// fits says whether the node is of the right kind, so that either() can
	// choose; it does not look inside.
	fits(n *yaml.Node) bool
	// check reports every mistake in n.
	check(c *checker, n *yaml.Node)
}

// scalar is a single value. Its test returns what is wrong with the text, or "".
type scalar struct {
	want string
	tags []string // accepted YAML tags
	test func(string) string
	json map[string]any // the JSON Schema
}

// expected is what the scalar was made with.
func (s scalar) expected() string { return s.want }

// fits looks at the YAML tag, which says how a reader takes the text: 10 is a
// number, "10" a string, yes a string in YAML 1.2.
func (s scalar) fits(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && slices.Contains(s.tags, n.ShortTag())
}

// check tests the kind first: a wrong type gets the shorter message.
func (s scalar) check(c *checker, n *yaml.Node) {
	if !s.fits(n) {
		c.errorf(n, "expected %s, found %s", s.want, yamltext.KindOf(n))
		return
	}
	if s.test == nil {
		return
	}
	if wrong := s.test(n.Value); wrong != "" {
		c.errorf(n, "%s: expected %s", wrong, s.want)
	}
}

// text is any non-empty string. Numbers and truth values are not taken for
// strings: `name: 1.10` would silently be "1.1" in other YAML readers.
func text(want string) scalar {
	return scalar{want: want, tags: []string{"!!str"},
		test: func(v string) string {
			if strings.TrimSpace(v) == "" {
				return "empty text"
			}
			return ""
		},
		json: map[string]any{"type": "string", "minLength": 1}}
}

// pattern is text that matches a regular expression valid in Go and in ECMAScript.
func pattern(want, expr string) scalar {
	re := regexp.MustCompile(expr)
	return scalar{want: want, tags: []string{"!!str"},
		test: func(v string) string {
			if !re.MatchString(v) {
				return fmt.Sprintf("bad value %q", yamltext.Clip(v))
			}
			return ""
		},
		json: map[string]any{"type": "string", "pattern": expr}}
}

// octal matches numbers that two readers of YAML take for different ones. 0o10 is octal to all.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]`)

// integer is a whole number within bounds; math.MaxInt64 means no upper bound.
func integer(min, max int64) scalar {
	want := fmt.Sprintf("a whole number from %d to %d", min, max)
	limits := map[string]any{"type": "integer", "minimum": min, "maximum": max}
	if max == math.MaxInt64 {
		want = fmt.Sprintf("a whole number from %d", min)
		delete(limits, "maximum") // JSON readers with 53-bit numbers would misread it
	}
	return scalar{want: want, tags: []string{"!!int"}, json: limits,
		test: func(v string) string {
			if octal.MatchString(v) {
				return yamltext.Clip(v) + " begins with a zero, which YAML 1.1 reads as octal and 1.2 does not"
			}
			i, err := parseInt(v)
			if err != nil || i < min || i > max {
				return fmt.Sprintf("%s is out of range", yamltext.Clip(v))
			}
			return ""
		}}
}

// parseInt reads an integer the way YAML 1.2 writes them, with _ between digits.
func parseInt(v string) (int64, error) {
	return strconv.ParseInt(v, 0, 64)
}

// word is one of a closed list.
func word(list ...string) scalar {
	return scalar{want: "one of " + strings.Join(list, ", "), tags: []string{"!!str"},
		json: map[string]any{"enum": list},
		test: func(v string) string {
			if slices.Contains(list, v) {
				return ""
			}
			return fmt.Sprintf("unknown value %q%s", yamltext.Clip(v), didYouMean(v, list))
		}}
}

// quantity is a number with a unit, such as 10m or 8GiB.
func quantity(want, expr string, parse func(string) error) scalar {
	return scalar{want: want, tags: []string{"!!str", "!!int"},
		json: map[string]any{"type": "string", "pattern": expr},
		test: func(v string) string {
			if err := parse(v); err != nil {
				return err.Error()
			}
			return ""
		}}
}

// truth is true or false.
func truth() scalar {
	return scalar{want: "true or false", tags: []string{"!!bool"}, json: map[string]any{"type": "boolean"}}
}

// anyScalar is a string, number or truth value: the value of an algorithm's option.
func anyScalar(want string) scalar {
	return scalar{want: want, tags: []string{"!!str", "!!int", "!!float", "!!bool"},
		json: map[string]any{"type": []string{"string", "number", "boolean"}}}
}

// list is a sequence of at least min equal shapes.
type list struct {
	of  shape
	min int
}

// expected names the entries; fits takes any list, also one whose entries are wrong, so that those
// are what is reported.

func (l list) expected() string       { return "a list, each entry " + l.of.expected() }
func (l list) fits(n *yaml.Node) bool { return n.Kind == yaml.SequenceNode }

// check goes into every entry, so that each mistake is reported where it stands.
func (l list) check(c *checker, n *yaml.Node) {
	if !l.fits(n) {
		c.errorf(n, "expected %s; found %s", l.expected(), yamltext.KindOf(n))
		return
	}
	if len(n.Content) < l.min {
		c.errorf(n, "the list is empty: expected at least %d entry, %s", l.min, l.of.expected())
	}
	for _, e := range n.Content {
		l.of.check(c, e)
	}
}

// table is a mapping with free keys, such as an algorithm's options.
type table struct {
	want string
	of   shape
}

// expected is given with the table; fits takes any mapping.

func (t table) expected() string       { return t.want }
func (t table) fits(n *yaml.Node) bool { return n.Kind == yaml.MappingNode }

// check looks at the values only; which keys are right depends on a neighbour.
func (t table) check(c *checker, n *yaml.Node) {
	if !t.fits(n) {
		c.errorf(n, "expected %s; found %s", t.want, yamltext.KindOf(n))
		return
	}
	eachKey(c, n, func(_, value *yaml.Node) { t.of.check(c, value) })
}

// field is one key of an object.
type field struct {
	key      string
	doc      string // one sentence, shown by editors
	required bool
	shape    shape
}

// object is a mapping with known keys.
type object struct {
	what   string // "a workload"
	fields []field
}

// expected names the object and the keys that it may have.
func (o object) expected() string {
	return o.what + " (a mapping with " + strings.Join(o.keys(), ", ") + ")"
}

// fits takes any mapping: a key too many is a mistake in an object, not another kind of value.
func (o object) fits(n *yaml.Node) bool { return n.Kind == yaml.MappingNode }

// keys lists the known keys in the order of the table, which is that of importance.
func (o object) keys() []string {
	keys := make([]string, len(o.fields))
	for i, f := range o.fields {
		keys[i] = f.key
	}
	return keys
}

// field finds a key; nil if it is unknown.
func (o object) field(key string) *field {
	if i := slices.IndexFunc(o.fields, func(f field) bool { return f.key == key }); i >= 0 {
		return &o.fields[i]
	}
	return nil
}

// check reports unknown keys at the key, missing ones at the beginning of the
// mapping, and goes into the known ones.
func (o object) check(c *checker, n *yaml.Node) {
	if !o.fits(n) {
		c.errorf(n, "expected %s; found %s", o.expected(), yamltext.KindOf(n))
		return
	}
	eachKey(c, n, func(key, value *yaml.Node) {
		if f := o.field(key.Value); f != nil {
			f.shape.check(c, value)
			return
		}
		c.errorf(key, "unknown key %q in %s%s; known are %s", yamltext.Clip(key.Value), o.what,
			didYouMean(key.Value, o.keys()), strings.Join(o.keys(), ", "))
	})
	for _, f := range o.fields {
		if f.required && member(n, f.key) == nil {
			c.errorf(n, "%s lacks the key %q: %s", o.what, f.key, f.shape.expected())
		}
	}
}

// eachKey visits the pairs of a mapping, and collects what is wrong with its keys.
func eachKey(c *checker, n *yaml.Node, visit func(key, value *yaml.Node)) {
	yamltext.EachKey(n, func(key *yaml.Node, why string) { c.errorf(key, "%s", why) }, visit)
}

// either is the first of its shapes that fits.
type either []shape

// expected joins the alternatives.
func (e either) expected() string {
	words := make([]string, len(e))
	for i, s := range e {
		words[i] = s.expected()
	}
	return strings.Join(words, ", or ")
}

// fits if one alternative does.
func (e either) fits(n *yaml.Node) bool {
	return slices.ContainsFunc(e, func(s shape) bool { return s.fits(n) })
}

// check hands the node to the first alternative of its kind: the messages are then
// about what the writer probably meant, and not about all alternatives.
func (e either) check(c *checker, n *yaml.Node) {
	if i := slices.IndexFunc(e, func(s shape) bool { return s.fits(n) }); i >= 0 {
		e[i].check(c, n)
		return
	}
	c.errorf(n, "expected %s; found %s", e.expected(), yamltext.KindOf(n))
}
