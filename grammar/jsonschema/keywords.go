package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gcdbench/automata"
)

// From keywords to formulas. A schema says something else to each kind of value: minLength is nothing to a number,
// and type excludes whole kinds. So it is read once for each kind that is asked for, and only the keywords about
// that kind are looked at; that is also how the specification puts it: a keyword about strings holds for
// all that is no string (2020-12 validation, section 6).
//
// Where a keyword has a value that the specification does not allow (a negative minLength, say), the schema is
// refused as a whole: validators differ in what they make of it, and whoever wrote it should know.

// formulaOf is what n says about values of kind k.
func (c *compiler) formulaOf(n *node, k jsonKind) (*formula, error) {
	if n.v.kind == kindBool {
		return truth(n.v.truth), nil
	}
	r := &reader{c: c, n: n, k: k, all: and()}
	if n.draft <= draft7 && n.get("$ref") != nil {
		return r.finish(r.reference("$ref"))
	}
	return r.finish(r.read())
}

// A reader turns the keywords of one schema into a conjunction for one kind.
type reader struct {
	c   *compiler
	n   *node
	k   jsonKind
	all *formula
}

func (r *reader) finish(err error) (*formula, error) { return r.all, err }

func (r *reader) add(f *formula)                    { r.all.subs = append(r.all.subs, f) }
func (r *reader) literal(keyword string, l literal) { r.add(r.from(keyword, l)) }

// from notes where a literal comes from.
func (r *reader) from(keyword string, l literal) *formula {
	l.node, l.keyword = r.n, keyword
	return lit(l)
}

// leaveOut is what becomes of a keyword that is not supported.
func (r *reader) leaveOut(keyword string, refused *UnsupportedError) error {
	err := r.c.unsupported(r.n, keyword, refused)
	if err == nil {
		r.add(unknown)
	}
	return err
}

func (r *reader) bad(keyword, format string, args ...any) error {
	return &SchemaError{r.n.ptr + "/" + escapePointer(keyword), fmt.Sprintf(format, args...)}
}

func (r *reader) read() error {
	steps := []func() error{r.types, r.values}
	switch r.k {
	case kindNumber:
		steps = append(steps, r.numbers)
	case kindString:
		steps = append(steps, r.strings)
	case kindArray:
		steps = append(steps, r.arrays)
	case kindObject:
		steps = append(steps, r.objects, r.dependencies)
	}
	steps = append(steps, r.references, r.logic)
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// types reads type. "integer" is a number whose value is one, whether it is written 1 or 1.0
// (2020-12 validation, section 6.1.1); in draft 4 it is one that is written without fraction and
// exponent (core, section 3.5). "any" is draft 3's, which people still write, for everything.
func (r *reader) types() error {
	t := r.n.get("type")
	if t == nil {
		return nil
	}
	names := []*value{t}
	if t.kind == kindArray {
		names = t.items
		if len(names) == 0 {
			return r.bad("type", "must have at least one type")
		}
	}
	allowed, integer := false, false
	for _, name := range names {
		switch {
		case name.kind == kindObject && r.n.draft == draft4:
			// draft 3 allowed schemas here; draft 4 and later do not
			return r.bad("type", "a schema is no type")
		case name.kind != kindString || !slices.Contains([]string{"null", "boolean", "number", "string", "array", "object", "integer", "any"}, name.text):
			return r.bad("type", "there is no such type; use null, boolean, integer, number, string, array or object")
		case name.text == r.k.String() || name.text == "any":
			allowed = true
		case name.text == "integer" && r.k == kindNumber:
			integer = true
		}
	}
	r.c.cover(r.n, "type", Enforced, "")
	switch {
	case allowed:
	case integer && r.n.draft == draft4:
		r.literal("type", literal{op: opWhole})
	case integer:
		r.literal("type", literal{op: opMultiple, num: parseDecimal("1")})
	default:
		r.add(never)
	}
	return nil
}

// values reads enum and const.
func (r *reader) values() error {
	if e := r.n.get("enum"); e != nil {
		if e.kind != kindArray {
			return r.bad("enum", "must be an array")
		}
		r.c.cover(r.n, "enum", Enforced, "")
		r.oneOfValues("enum", e.items)
	}
	if v := r.n.get("const"); v != nil && r.n.draft >= draft6 {
		r.c.cover(r.n, "const", Enforced, "")
		r.oneOfValues("const", []*value{v})
	}
	return nil
}

// oneOfValues reads the values of this kind among those of enum or const. Scalars are listed in one literal;
// an array or object is a schema of its own that has it as its only instance, so that its parts meet what other
// keywords say of them.
func (r *reader) oneOfValues(keyword string, list []*value) {
	list = slices.DeleteFunc(slices.Clone(list), func(v *value) bool { return v.kind != r.k })
	l := literal{op: opStrings}
	any := or()
	for _, v := range list {
		switch r.k {
		case kindNull:
			any.subs = append(any.subs, always)
		case kindBool:
			any.subs = append(any.subs, r.from(keyword, literal{op: opTruth, n: btoi(v.truth)}))
		case kindNumber:
			l.op, l.nums = opNumbers, append(l.nums, parseDecimal(v.text))
		case kindString:
			l.strs = append(l.strs, v.text)
		default:
			any.subs = append(any.subs, schema(r.c.constant(v, r.n, keyword)))
		}
	}
	if len(list) > 0 && (r.k == kindNumber || r.k == kindString) {
		any = r.from(keyword, l)
	}
	r.add(any)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *reader) number(keyword string) (decimal, bool, error) {
	v := r.n.get(keyword)
	if v == nil {
		return decimal{}, false, nil
	}
	if v.kind != kindNumber {
		return decimal{}, false, r.bad(keyword, "must be a number")
	}
	d := parseDecimal(v.text)
	if len(d.digits) > 0 && (d.exp == maxExponent || d.exp == -maxExponent) {
		return decimal{}, false, r.bad(keyword, "has an exponent beyond %d, which no double has", maxExponent)
	}
	if len(d.digits) > maxDigits {
		return decimal{}, false, r.bad(keyword, "has more than %d digits", maxDigits)
	}
	return d, true, nil
}

// maxDigits bounds the digits of bounds: some more than the exact value of any double has (767). The
// automaton of a bound has a few states for each.
const maxDigits = 1000

// numbers reads the bounds, and multipleOf. A bound and its exclusive form are independent since draft 6; in draft
// 4 the latter is a boolean that says how to read the former.
func (r *reader) numbers() error {
	bounds := []struct {
		keyword, exclusive string
		open, closed       relation
	}{{"minimum", "exclusiveMinimum", greater, greaterEqual}, {"maximum", "exclusiveMaximum", less, lessEqual}}
	for _, b := range bounds {
		strict := r.n.get(b.exclusive)
		old := strict != nil && strict.kind == kindBool // draft 4: a modifier of the bound
		if d, ok, err := r.number(b.keyword); err != nil {
			return err
		} else if ok {
			rel := b.closed
			if old && strict.truth {
				rel = b.open
			}
			r.c.cover(r.n, b.keyword, Enforced, "")
			r.literal(b.keyword, literal{op: opCompare, rel: rel, num: d})
		}
		if old {
			r.c.cover(r.n, b.exclusive, Enforced, "")
		} else if d, ok, err := r.number(b.exclusive); err != nil {
			return err
		} else if ok {
			r.c.cover(r.n, b.exclusive, Enforced, "")
			r.literal(b.exclusive, literal{op: opCompare, rel: b.open, num: d})
		}
	}
	d, ok, err := r.number("multipleOf")
	if err != nil || !ok {
		return err
	}
	if d.sign() <= 0 {
		return r.bad("multipleOf", "must be greater than 0")
	}
	r.c.cover(r.n, "multipleOf", Enforced, "")
	r.literal("multipleOf", literal{op: opMultiple, num: d})
	return nil
}

// count reads a keyword that is a number of things; -1 if it is absent.
func (r *reader) count(keyword string) (int, error) {
	v := r.n.get(keyword)
	if v == nil {
		return -1, nil
	}
	if v.kind != kindNumber {
		return 0, r.bad(keyword, "must be an integer that is not negative")
	}
	d := parseDecimal(v.text)
	if d.sign() < 0 || !d.multiple(parseDecimal("1")) {
		return 0, r.bad(keyword, "must be an integer that is not negative")
	}
	r.c.cover(r.n, keyword, Enforced, "")
	whole, _ := d.parts()
	n, err := strconv.Atoi(whole)
	if err != nil || n > 1<<30 {
		n = 1 << 30
	}
	return n, nil
}

// counts adds a literal for a pair of keywords.
func (r *reader) counts(least, most string) error {
	n, err := r.count(least)
	if err != nil {
		return err
	}
	m, err := r.count(most)
	if err != nil {
		return err
	}
	if n > 0 {
		r.literal(least, literal{op: opLength, n: n, m: -1})
	}
	if m >= 0 {
		r.literal(most, literal{op: opLength, m: m})
	}
	return nil
}

// strings reads the keywords about strings. Formats are asserted: the specification leaves that to the
// implementation (2020-12 validation, section 7.2), and whoever generates from a schema wants dates to be dates.
func (r *reader) strings() error {
	if err := r.counts("minLength", "maxLength"); err != nil {
		return err
	}
	if p := r.n.get("pattern"); p != nil {
		l, err := r.pattern("pattern", p)
		if err != nil {
			return err
		}
		if l == nil {
			r.add(unknown)
		} else {
			r.c.cover(r.n, "pattern", Enforced, "")
			r.literal("pattern", literal{op: opPattern, lang: l})
		}
	}
	f := r.n.get("format")
	if f == nil || f.kind != kindString {
		return nil
	}
	known, ok := formats[f.text]
	if !ok {
		r.c.cover(r.n, "format", Annotation, "the format is not one that is checked")
		return nil
	}
	status := Enforced
	if known.narrower != "" {
		status = Narrower
	}
	r.c.cover(r.n, "format", status, known.narrower)
	r.literal("format", literal{op: opPattern, lang: r.c.formatLanguage(f.text, known)})
	return nil
}

// maxPattern bounds the bytes of a pattern: ten times the longest met in practice. Parsing one takes
// some 100 bytes of memory for each.
const maxPattern = 100_000

// pattern is the language of a regular expression; nil if it is left out.
func (r *reader) pattern(keyword string, p *value) (*language, error) {
	if p.kind != kindString {
		return nil, r.bad(keyword, "must be a string")
	}
	if len(p.text) > maxPattern {
		return nil, r.c.unsupported(r.n, keyword, refusal("the pattern is too long", "it has more than %d bytes", maxPattern))
	}
	l := r.c.patternLanguage(p.text)
	_, err := l.automaton()
	if err == nil {
		return l, nil
	}
	var limit *automata.LimitError
	var lacking *patternUnsupported
	if errors.As(err, &limit) || errors.As(err, &lacking) {
		return nil, r.c.unsupported(r.n, keyword, refusalOf(err))
	}
	return nil, r.bad(keyword, "%v", err)
}
