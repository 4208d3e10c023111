package lark

import (
	"strconv"
	"strings"

	"gcdbench/grammar/jsonschema"
)

// A parser reads the statements of one file by recursive descent, with one token of lookahead.
type parser struct {
	scanner
	tok     token
	depth   int // of open brackets
	inner   int // of grammars in rules
	schemas int // bytes of schemas
	glance  jsonschema.Glance
}

// Statements. A file is a list of them, each on lines of its own. What a name may be followed by is
// decided by one token, so there is no backtracking, and the first error is the only one reported:
// after it, the rest of a definition cannot be told from the next.

// parseFile reads a grammar file. stopped is asked between statements whether to go on.
func parseFile(src *source, stopped func() error) ([]*statement, error) {
	p := &parser{scanner: scanner{src: src}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var list []*statement
	for p.tok.kind != kEnd {
		if p.tok.kind == kNewline {
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		if err := stopped(); err != nil {
			return nil, err
		}
		st, err := p.statement()
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

func (p *parser) advance() (err error) {
	if p.tok, err = p.next(); err == nil && p.off-p.schemas > maxSource {
		err = p.src.tooLarge(maxSource)
	}
	return err
}

// at is the place of the current token.
func (p *parser) at() place { return p.src.at(p.tok.off) }

// text is the current token's text.
func (p *parser) text() string { return p.textOf(p.tok) }

func (p *parser) textOf(t token) string { return string(p.src.text[t.off:t.end]) }

// take reads the current token, which must be of kind k, and returns its text.
func (p *parser) take(k kind, what string) (string, error) {
	if p.tok.kind != k {
		return "", p.expected(what)
	}
	s := p.text()
	return s, p.advance()
}

// accept reads the current token if it is of kind k.
func (p *parser) accept(k kind) (bool, error) {
	if p.tok.kind != k {
		return false, nil
	}
	return true, p.advance()
}

// found is how a message calls the current token.
func (p *parser) found() string {
	switch p.tok.kind {
	// Tokens that are written in different ways are quoted as they are, all others have a name.
	case kRule, kTerminal, kString, kRegexp, kNumber, kDirective, kOperator, kModifiers:
		return strconv.Quote(p.text())
	}
	return kindNames[p.tok.kind]
}

// expected is the error for a token that does not fit. Some tokens hint at a misunderstanding,
// whatever was expected instead.
func (p *parser) expected(what string) error {
	hint := ""
	switch p.tok.kind {
	case kModifiers:
		hint = `directly before a name, ? and ! are modifiers of a rule; write "x? y" with a space`
	case kOperator:
		hint = "an operator follows the one item it applies to; group with ( ) to apply two"
	case kNewline:
		if p.depth > 0 {
			hint = `brackets may only go on in the next line if that starts with "|"; a "\" continues any line`
		}
	case kEquals:
		hint = `a definition has ":" after its name`
	}
	return p.at().errorf(hint, "expected %s, found %s", what, p.found())
}

// statement reads one statement with the end of its line.
func (p *parser) statement() (*statement, error) {
	st := &statement{at: p.at()}
	var err error
	switch p.tok.kind {
	case kDirective:
		err = p.directive(st)
	case kModifiers, kRule, kTerminal:
		err = p.definition(st)
	default:
		err = p.expected("a definition or a directive")
	}
	if err != nil {
		return nil, err
	}
	return st, p.endOfLine()
}

// endOfLine reads the end of a statement. What stands there instead is usually the rest of
// something that was meant to belong to it.
func (p *parser) endOfLine() error {
	if p.inner > 0 && p.tok.kind == kCloseBrace {
		return nil
	}
	switch p.tok.kind {
	case kColon:
		return p.at().errorf(`a definition starts on a new line; inside one, write a colon as ":"`, `unexpected ":"`)
	case kClose, kCloseBracket, kCloseBrace:
		return p.at().errorf("", "%s closes nothing", kindNames[p.tok.kind])
	case kOr:
		return p.at().errorf("", `a "|" does not belong here`)
	}
	_, err := p.take(kNewline, "the end of the line")
	return err
}

// definition reads a rule, a template or a terminal:
//
//	?name{x, y}.2: alternatives
//	name[lazy]: alternatives
//	NAME.-1: alternatives
func (p *parser) definition(st *statement) (err error) {
	if p.tok.kind == kModifiers {
		mods := p.text()
		st.keepAll, st.expandOnce = strings.Contains(mods, "!"), strings.Contains(mods, "?")
		if err := p.advance(); err != nil {
			return err
		}
	}
	st.nameAt, st.name = p.at(), p.text()
	switch {
	case p.tok.kind == kRule:
		st.kind = sRule
	case p.tok.kind == kTerminal && !st.keepAll && !st.expandOnce:
		st.kind = sTerminal
	default:
		return p.expected("a name to define")
	}
	if err := p.advance(); err != nil {
		return err
	}
	if st.expandOnce && st.name[0] == '_' {
		return st.nameAt.errorf("remove one of them", "a rule with an underscore is always inlined and cannot have the modifier ?")
	}
	if p.tok.kind == kOpenBrace {
		if st.params, err = p.parameters(st); err != nil {
			return err
		}
	}
	if st.priority, err = p.priority(); err != nil {
		return err
	}
	if p.tok.kind == kOpenBracket {
		if err := p.attributes(st); err != nil {
			return err
		}
	}
	if p.tok.kind != kColon {
		return p.missingColon(st)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if st.body, err = p.alternatives(true); err == nil && st.lazy {
		st.body = st.asLazy(st.body)
	}
	return err
}

// missingColon explains what may have been meant by a name that is not followed by ":".
func (p *parser) missingColon(st *statement) error {
	hint := "a definition is name: what it stands for"
	if p.tok.kind == kRule && st.kind == sTerminal || p.tok.kind == kTerminal && st.kind == sRule {
		hint = "names are all lower case (rules) or all upper case (terminals)"
	}
	return p.at().errorf(hint, "expected \":\" after %s, found %s", st.name, p.found())
}

// parameters reads the {x, y} of a template's definition.
func (p *parser) parameters(st *statement) ([]string, error) {
	if st.kind == sTerminal {
		return nil, p.at().errorf("only rules can be templates", "terminal %s cannot have parameters", st.name)
	}
	var params []string
	for {
		if err := p.advance(); err != nil { // "{" or ","
			return nil, err
		}
		name, err := p.take(kRule, "a parameter's name, in lower case")
		if err != nil {
			return nil, err
		}
		if params = append(params, name); len(params) > maxParams {
			return nil, st.nameAt.errorf("", "template %s has more than %d parameters", st.name, maxParams)
		}
		switch p.tok.kind {
		case kComma:
		case kCloseBrace:
			return params, p.advance()
		default:
			return nil, p.expected(`"," or "}"`)
		}
	}
}

// priority reads the .n of a definition; without one it is 0.
func (p *parser) priority() (int, error) {
	ok, err := p.accept(kDot)
	if !ok || err != nil {
		return 0, err
	}
	return p.number("a priority, which is a whole number")
}

// number reads a whole number. Priorities are compared and counts are multiplied, and neither has a
// use beyond 32 bits; Python, and so Lark, has no limit.
func (p *parser) number(what string) (int, error) {
	at := p.at()
	text, err := p.take(kNumber, what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, at.errorf("numbers have 32 bits", "the number %s is too large", text)
	}
	return int(n), nil
}
