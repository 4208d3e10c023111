package labels

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Regular expressions as ECMA-262 of 2025 has them with the flag u, section 22.2.1. What schemas
// give as a pattern is read by another engine, which knows more; the format regex asks for the
// language itself.

// expressionFormat asserts the format, which cannot be replaced as others are.
var expressionFormat = &jsonschema.Vocabulary{
	URL: "memory:///format/regex",
	Compile: func(_ *jsonschema.CompilerContext, schema map[string]any) (jsonschema.SchemaExt, error) {
		if schema["format"] != "regex" {
			return nil, nil
		}
		return expressionExt{}, nil
	},
}

type expressionExt struct{}

// Validate reports strings that are no expressions.
func (expressionExt) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if text, ok := v.(string); ok {
		if err := expression262(text); err != nil {
			ctx.AddError(&kind.Format{Got: v, Want: "regex", Err: err})
		}
	}
}

// expression262 checks that a text is an expression.
func expression262(text string) error {
	p := &expressionReader{rest: text}
	names, err := p.disjunction(0)
	switch {
	case err != nil:
		return err
	case p.rest != "":
		return fmt.Errorf("the end of a group, or what begins none: %q", p.rest)
	case p.reference > p.groups:
		return fmt.Errorf("there is no group %d", p.reference)
	}
	for _, name := range p.referred {
		if !names[name] {
			return fmt.Errorf("there is no group %q", name)
		}
	}
	return nil
}

type expressionReader struct {
	rest      string
	groups    int      // groups that capture
	reference int      // the highest number of a group that is referred to
	referred  []string // the names of those
}

// maxGroups bounds how deep groups are nested.
const maxGroups = 1000

// take reads a text, if it comes next.
func (p *expressionReader) take(text string) bool {
	rest, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = rest
	}
	return ok
}

// takeAny reads one of some characters, if one comes next; 0 if none does.
func (p *expressionReader) takeAny(chars string) byte {
	if p.rest == "" || strings.IndexByte(chars, p.rest[0]) < 0 {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// run reads characters of a kind.
func (p *expressionReader) run(is func(rune) bool) string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !is(r) })
	if end < 0 {
		end = len(p.rest)
	}
	text := p.rest[:end]
	p.rest = p.rest[end:]
	return text
}

// disjunction reads alternatives, and says the names of their groups. Two groups have one name only
// in different alternatives.
func (p *expressionReader) disjunction(depth int) (map[string]bool, error) {
	if depth > maxGroups {
		return nil, fmt.Errorf("groups are nested more than %d deep", maxGroups)
	}
	all, here := map[string]bool{}, map[string]bool{}
	for {
		switch {
		case p.rest == "" || p.rest[0] == ')':
			maps.Copy(all, here)
			return all, nil
		case p.take("|"):
			maps.Copy(all, here)
			here = map[string]bool{}
			continue
		}
		names, quantified, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		for name := range names {
			if here[name] {
				return nil, fmt.Errorf("two groups have the name %q", name)
			}
			here[name] = true
		}
		if quantified {
			if err := p.quantifier(); err != nil {
				return nil, err
			}
		}
	}
}

// term reads what a quantifier may follow, or an assertion, which takes none.
func (p *expressionReader) term(depth int) (names map[string]bool, quantified bool, err error) {
	switch {
	case p.takeAny("^$") != 0, p.take(`\b`), p.take(`\B`):
		return nil, false, nil
	case p.take("(?="), p.take("(?!"), p.take("(?<="), p.take("(?<!"):
		names, err = p.group(depth, nil)
		return names, false, err
	case p.take("(?<"):
		name, err := p.name()
		if err != nil {
			return nil, false, err
		}
		p.groups++
		names, err = p.group(depth, []string{name})
		return names, true, err
	case p.take("(?"):
		if err := p.modifiers(); err != nil {
			return nil, false, err
		}
		names, err = p.group(depth, nil)
		return names, true, err
	case p.take("("):
		p.groups++
		names, err = p.group(depth, nil)
		return names, true, err
	case p.take("["):
		return nil, true, p.class()
	case p.take(`\`):
		_, err = p.escape(false)
		return nil, true, err
	case p.takeAny("*+?{}])|") != 0:
		return nil, false, errors.New("a quantifier of nothing, or a bracket that is alone")
	}
	_, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	return nil, true, nil
}

// group reads the rest of a group, which may have a name itself.
func (p *expressionReader) group(depth int, own []string) (map[string]bool, error) {
	names, err := p.disjunction(depth + 1)
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, errors.New("a group does not end")
	}
	for _, name := range own {
		if names[name] {
			return nil, fmt.Errorf("two groups have the name %q", name)
		}
		names[name] = true
	}
	return names, nil
}

// modifiers reads flags that a group sets and unsets, up to the colon: each at most once.
func (p *expressionReader) modifiers() error {
	flags := p.run(func(r rune) bool { return strings.ContainsRune("ims-", r) })
	for _, flag := range "ims-" {
		if strings.Count(flags, string(flag)) > 1 {
			return errors.New("a group says the same flag twice")
		}
	}
	if flags == "-" || !p.take(":") {
		return errors.New("a group begins with ?, but in no way that there is")
	}
	return nil
}

// name reads the name of a group, up to the bracket.
func (p *expressionReader) name() (string, error) {
	name := p.run(func(r rune) bool {
		return r == '$' || r == '_' || r == '\u200c' || r == '\u200d' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
	})
	first, _ := utf8.DecodeRuneInString(name)
	if name == "" || first != '$' && first != '_' && !unicode.IsLetter(first) && !unicode.Is(unicode.Nl, first) || !p.take(">") {
		return "", errors.New("a group has no right name")
	}
	return name, nil
}

// quantifier reads one, if there is one.
func (p *expressionReader) quantifier() error {
	if p.takeAny("*+?") == 0 {
		if !p.take("{") {
			return nil
		}
		least := p.run(isDigit)
		most, bounded := least, true
		if p.take(",") {
			most = p.run(isDigit)
			bounded = most != ""
		}
		if least == "" || !p.take("}") {
			return errors.New("a brace that is no count")
		}
		least, most = strings.TrimLeft(least, "0"), strings.TrimLeft(most, "0")
		if bounded && (len(least) > len(most) || len(least) == len(most) && least > most) {
			return errors.New("a count of at least more than at most")
		}
	}
	p.take("?")
	return nil
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// class reads the rest of a class in brackets.
func (p *expressionReader) class() error {
	p.take("^")
	for {
		if p.take("]") {
			return nil
		}
		low, err := p.classAtom()
		if err != nil {
			return err
		}
		if len(p.rest) < 2 || p.rest[0] != '-' || p.rest[1] == ']' {
			continue
		}
		p.rest = p.rest[1:]
		high, err := p.classAtom()
		if err != nil {
			return err
		}
		if low < 0 || high < low {
			return errors.New("a range that is out of order, or of no character")
		}
	}
}

// classAtom reads a character of a class; -1 for an escape of several.
func (p *expressionReader) classAtom() (rune, error) {
	if p.take(`\`) {
		return p.escape(true)
	}
	r, size := utf8.DecodeRuneInString(p.rest)
	if size == 0 {
		return 0, errors.New("a class does not end")
	}
	p.rest = p.rest[size:]
	return r, nil
}

// escape reads what follows a backslash: a character, or -1 for several, or a reference to a group.
func (p *expressionReader) escape(class bool) (rune, error) {
	const none = -1
	switch c := p.takeAny("dDwWsSpPkcxu0123456789tnvfrb-^$\\.*+?()[]{}|/"); c {
	case 'd', 'D', 'w', 'W', 's', 'S':
		return none, nil
	case 'p', 'P':
		property := p.run(func(r rune) bool { return r != '}' })
		if !strings.HasPrefix(property, "{") || !p.take("}") {
			return none, errors.New("no property of characters")
		}
		_, err := compilePattern(`\p` + property + "}")
		return none, err
	case 'k':
		if class || !p.take("<") {
			return none, errors.New("a reference to no group")
		}
		name, err := p.name()
		p.referred = append(p.referred, name)
		return none, err
	case 'c':
		letter := p.takeAny(alphanumeric[:52])
		if letter == 0 {
			return none, errors.New("no control character")
		}
		return rune(letter % 32), nil
	case 'x':
		return p.hex(2)
	case 'u':
		return p.unicodeEscape()
	case '0':
		if p.rest != "" && isDigit(rune(p.rest[0])) {
			return none, errors.New("an octal escape")
		}
		return 0, nil
	case 'b':
		if !class {
			return none, errors.New("an assertion where none can be")
		}
		return '\b', nil
	case '-':
		if !class {
			return none, errors.New("no such escape: \\-")
		}
		return '-', nil
	case 0:
		return none, errors.New("no such escape")
	default:
		if at := strings.IndexByte("tnvfr", c); at >= 0 {
			return rune("\t\n\v\f\r"[at]), nil
		}
		if !isDigit(rune(c)) {
			return rune(c), nil
		}
		number, err := strconv.Atoi(string(c) + p.run(isDigit))
		if class || err != nil {
			return none, errors.New("a reference to a group where none can be")
		}
		p.reference = max(p.reference, number)
		return none, nil
	}
}

// hex reads hexadecimal digits.
func (p *expressionReader) hex(digits int) (rune, error) {
	if len(p.rest) < digits {
		return 0, errors.New("too few hexadecimal digits")
	}
	n, err := strconv.ParseUint(p.rest[:digits], 16, 32)
	p.rest = p.rest[digits:]
	return rune(n), err
}

// unicodeEscape reads the rest of a character by its number: in braces, or by its surrogates.
func (p *expressionReader) unicodeEscape() (rune, error) {
	if !p.take("{") {
		high, err := p.hex(4)
		if err != nil || high < 0xd800 || high > 0xdbff || len(p.rest) < 6 || p.rest[:2] != `\u` {
			return high, err
		}
		after := *p
		after.rest = p.rest[2:]
		if low, err := after.hex(4); err == nil && low >= 0xdc00 && low <= 0xdfff {
			p.rest = after.rest
			return (high-0xd800)<<10 + (low - 0xdc00) + 0x10000, nil
		}
		return high, nil
	}
	digits := p.run(func(r rune) bool { return r < utf8.RuneSelf && isHex(byte(r)) })
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > unicode.MaxRune || !p.take("}") {
		return 0, errors.New("no number of a character")
	}
	return rune(n), nil
}
