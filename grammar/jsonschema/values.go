package jsonschema

import (
	"errors"
	"slices"
	"strconv"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/format"
	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/grammar/jsonschema/internal/pattern"
	"gcdbench/internal/jsontext"
)

// Keywords about all values, and about numbers and strings (2020-12 validation, sections 6.1 to
// 6.3).

// types reads type. "integer" is a number whose value is one, whether it is written 1 or 1.0
// (2020-12 validation, section 6.1.1); in draft 4 it is one that is written without fraction and
// exponent (core, section 3.5). "any" is draft 3's, which people still write, for everything.
func (r *reader) types(keyword string, t *jsontext.Value) error {
	names := []*jsontext.Value{t}
	if t.Kind == jsontext.Array {
		names = t.Items
		if len(names) == 0 {
			return r.bad(keyword, "must have at least one type")
		}
	}
	allowed, integer := false, false
	for _, name := range names {
		switch {
		case name.Kind == jsontext.Object && r.n.draft == draft4: // draft 3 allowed schemas here
			return r.bad(keyword, "a schema is no type")
		case name.Kind != jsontext.String || !slices.Contains([]string{"null", "boolean", "number", "string", "array", "object", "integer", "any"}, name.Text):
			return r.bad(keyword, "there is no such type; use null, boolean, integer, number, string, array or object")
		case name.Text == r.s.kind.String() || name.Text == "any":
			allowed = true
		case name.Text == "integer" && r.s.kind == jsontext.Number:
			integer = true
		}
	}
	r.enforced(keyword)
	switch {
	case allowed:
	case integer && r.n.draft == draft4:
		r.literal(keyword, literal{op: opWhole})
	case integer:
		r.literal(keyword, literal{op: opMultiple, num: number.One})
	default:
		r.add(never)
	}
	return nil
}

func (r *reader) enum(keyword string, v *jsontext.Value) error {
	if v.Kind != jsontext.Array {
		return r.bad(keyword, "must be an array")
	}
	r.enforced(keyword)
	return r.oneOfValues(keyword, v.Items)
}

func (r *reader) constant(keyword string, v *jsontext.Value) error {
	r.enforced(keyword)
	return r.oneOfValues(keyword, []*jsontext.Value{v})
}

// oneOfValues reads the values of this kind among those of enum or const. Scalars are listed in one
// literal. An array or object is a schema of its own that has it as its only instance, so that its
// parts meet what other keywords say of them.
func (r *reader) oneOfValues(keyword string, list []*jsontext.Value) error {
	list = slices.DeleteFunc(slices.Clone(list), func(v *jsontext.Value) bool { return v.Kind != r.s.kind || !v.HasText() })
	l := literal{op: opStrings}
	any := or()
	for _, v := range list {
		if err := r.exponents(keyword, v); err != nil {
			return err
		}
		switch r.s.kind {
		case jsontext.Null:
			any.subs = append(any.subs, always)
		case jsontext.Bool:
			any.subs = append(any.subs, r.from(keyword, literal{op: opTruth, n: btoi(v.Truth)}))
		case jsontext.Number:
			l.op, l.nums = opNumbers, append(l.nums, number.Parse(v.Text))
		case jsontext.String:
			l.strs = append(l.strs, v.Text)
		default:
			any.subs = append(any.subs, schema(r.c.doc.constant(v, origin{r.n, keyword})))
		}
	}
	if len(list) > 0 && (r.s.kind == jsontext.Number || r.s.kind == jsontext.String) {
		any = r.from(keyword, l)
	}
	r.add(any)
	return nil
}

// reasonLone is why keywords that name a character which no text has are not supported. Values with
// it are in no enumeration.
const reasonLone = "a lone surrogate is no character"

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxDigits bounds the digits of bounds: some more than the exact value of any double has (767).
// The automaton of a bound has a few states for each.
const maxDigits = 1000

// number reads the value of a keyword that is a number.
func (r *reader) number(keyword string, v *jsontext.Value) (number.Decimal, error) {
	if v.Kind != jsontext.Number {
		return number.Decimal{}, r.bad(keyword, "must be a number")
	}
	d := number.Parse(v.Text)
	if len(d.Digits) > maxDigits {
		return d, r.bad(keyword, "has more than %d digits", maxDigits)
	}
	return d, r.exponents(keyword, v)
}

// exponents finds numbers in a value whose exponents saturate, so that different ones are equal.
func (r *reader) exponents(keyword string, v *jsontext.Value) (err error) {
	if v.Kind == jsontext.Number {
		if d := number.Parse(v.Text); d.Sign() != 0 && (d.Exp == number.MaxExponent || d.Exp == -number.MaxExponent) {
			return r.bad(keyword, "has an exponent beyond %d, which no double has", number.MaxExponent)
		}
	}
	for i := 0; i < len(v.Items) && err == nil; i++ {
		err = r.exponents(keyword, v.Items[i])
	}
	return err
}

// bound reads a bound and its exclusive form. These are independent since draft 6; in draft 4 the
// latter is a boolean that says how to read the former.
func bound(exclusive string, open, closed number.Relation) func(*reader, string, *jsontext.Value) error {
	return func(r *reader, keyword string, v *jsontext.Value) error {
		strict := r.n.get(exclusive)
		old := strict != nil && strict.Kind == jsontext.Bool
		compare := func(keyword string, v *jsontext.Value, rel number.Relation) error {
			d, err := r.number(keyword, v)
			if err == nil {
				r.enforced(keyword)
				r.literal(keyword, literal{op: opCompare, rel: rel, num: d})
			}
			return err
		}
		if v != nil {
			rel := closed
			if old && strict.Truth {
				rel = open
			}
			if err := compare(keyword, v, rel); err != nil {
				return err
			}
		}
		switch {
		case old:
			r.enforced(exclusive)
		case strict != nil:
			return compare(exclusive, strict, open)
		}
		return nil
	}
}

func (r *reader) multipleOf(keyword string, v *jsontext.Value) error {
	d, err := r.number(keyword, v)
	if err != nil {
		return err
	}
	if d.Sign() <= 0 {
		return r.bad(keyword, "must be greater than 0")
	}
	r.enforced(keyword)
	r.literal(keyword, literal{op: opMultiple, num: d})
	return nil
}

// mostThings is what a larger count is taken for.
const mostThings = 1 << 30

// count reads a keyword that is a number of things; -1 if it is absent.
func (r *reader) count(keyword string) (int, error) {
	v := r.n.get(keyword)
	if v == nil {
		return -1, nil
	}
	d := number.Decimal{Neg: true, Digits: "1"}
	if v.Kind == jsontext.Number {
		d = number.Parse(v.Text)
	}
	if d.Sign() < 0 || !d.Multiple(number.One) {
		return 0, r.bad(keyword, "must be an integer that is not negative")
	}
	r.enforced(keyword)
	whole, _ := d.Parts()
	n, err := strconv.Atoi(whole)
	if err != nil || n > mostThings {
		n = mostThings
	}
	return n, nil
}

// counts reads a minimum of things and the maximum that goes with it.
func counts(maximum string) func(*reader, string, *jsontext.Value) error {
	return func(r *reader, minimum string, _ *jsontext.Value) error {
		n, err := r.count(minimum)
		if err != nil {
			return err
		}
		m, err := r.count(maximum)
		if err != nil {
			return err
		}
		if n > 0 {
			r.literal(minimum, literal{op: opLength, n: n, m: -1})
		}
		if m >= 0 {
			r.literal(maximum, literal{op: opLength, m: m})
		}
		return nil
	}
}

func (r *reader) pattern(keyword string, v *jsontext.Value) error {
	l, err := r.patternLanguage(keyword, v)
	switch {
	case err != nil:
		return err
	case l == nil:
		r.add(unknown)
	default:
		r.enforced(keyword)
		r.literal(keyword, literal{op: opPattern, lang: l})
	}
	return nil
}

// format reads format. Formats are asserted: the specification leaves that to the implementation
// (2020-12 validation, section 7.2), and whoever generates from a schema wants dates to be dates.
func (r *reader) format(keyword string, v *jsontext.Value) error {
	if v.Kind != jsontext.String {
		return nil
	}
	f, known := format.All[v.Text]
	if !known {
		r.c.cover(r.n, keyword, Annotation, "the format is not one that is checked")
		return nil
	}
	status := Enforced
	if f.Narrower != "" {
		status = Narrower
	}
	r.c.cover(r.n, keyword, status, f.Narrower)
	r.literal(keyword, literal{op: opPattern, lang: r.c.formatLanguage(v.Text, f)})
	return nil
}

// maxPattern bounds the bytes of a pattern: ten times the longest met in practice. Parsing one
// takes some 100 bytes of memory for each.
const maxPattern = 100_000

// patternLanguage is the language of a regular expression; nil if it is left out.
func (r *reader) patternLanguage(keyword string, v *jsontext.Value) (*language, error) {
	if v.Kind != jsontext.String {
		return nil, r.bad(keyword, "must be a string")
	}
	if len(v.Text) > maxPattern {
		return nil, r.c.unsupported(r.n, keyword, refusal("the pattern is too long", "it has more than %d bytes", maxPattern))
	}
	if v.Lone {
		return nil, r.c.unsupported(r.n, keyword, refusal(reasonLone, "the pattern has one"))
	}
	l := r.c.patternLanguage(v.Text)
	if r.c.late && plainPattern(v.Text) != nil {
		return l, nil // its automaton is made where a rule needs it
	}
	_, err := l.automaton()
	if err == nil {
		return l, nil
	}
	var limit *automata.LimitError
	var lacking *pattern.Unsupported
	if errors.As(err, &limit) || errors.As(err, &lacking) {
		return nil, r.c.unsupported(r.n, keyword, refusalOf(err))
	}
	return nil, r.bad(keyword, "%v", err)
}
