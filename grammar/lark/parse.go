package lark

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A parser reads the statements of one file by recursive descent, with one token of lookahead.
type parser struct {
	scanner
	tok   token
	depth int // of open brackets
}

// parseFile reads a grammar file.
func parseFile(src *source) ([]*statement, error) {
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
		st, err := p.statement()
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

func (p *parser) advance() (err error) {
	p.tok, err = p.next()
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
	case kRule, kTerminal, kString, kRegexp, kNumber, kDirective, kOperator, kModifiers:
		return strconv.Quote(p.text())
	}
	return kindNames[p.tok.kind]
}

// expected is the error for a token that does not fit.
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

// endOfLine reads the end of a statement.
func (p *parser) endOfLine() error {
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

// definition reads a rule, a template or a terminal.
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
	if p.tok.kind != kColon {
		return p.missingColon(st)
	}
	if err := p.advance(); err != nil {
		return err
	}
	st.body, err = p.alternatives(true)
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

// number reads a whole number.
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

// alternatives reads what may stand between brackets, or after a ":" (top).
func (p *parser) alternatives(top bool) (*node, error) {
	all := &node{kind: nAlternatives, at: p.at()}
	for {
		alt, err := p.sequence()
		if err != nil {
			return nil, err
		}
		if p.tok.kind == kArrow {
			if alt, err = p.alias(alt, top); err != nil {
				return nil, err
			}
		}
		all.kids = append(all.kids, alt)
		if ok, err := p.accept(kOr); !ok || err != nil {
			return all, err
		}
	}
}

// alias reads the -> name that ends an alternative.
func (p *parser) alias(alt *node, top bool) (*node, error) {
	at := p.at()
	if !top {
		return nil, at.errorf("an alias names a whole alternative of a rule; make the group a rule of its own", "an alias inside brackets")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	name, err := p.take(kRule, "the alias, a name in lower case")
	return &node{kind: nAlias, name: name, kids: []*node{alt}, at: at}, err
}

// sequence reads the items of one alternative, of which there may be none.
func (p *parser) sequence() (*node, error) {
	seq := &node{kind: nSequence, at: p.at()}
	for {
		switch p.tok.kind {
		case kOpen, kOpenBracket, kRule, kTerminal, kString, kRegexp:
		case kOperator, kTilde:
			return nil, p.at().errorf("an operator follows the one item it applies to; group with ( ) to apply two",
				"misplaced %q", p.text())
		case kModifiers, kNumber, kDirective, kDot, kDotDot, kComma, kEquals, kOpenBrace:
			return nil, p.expected("an item of a rule")
		default:
			return seq, nil
		}
		item, err := p.item()
		if err != nil {
			return nil, err
		}
		seq.kids = append(seq.kids, item)
	}
}

// item reads an atom with its operator.
func (p *parser) item() (*node, error) {
	at := p.at()
	atom, err := p.atom()
	if err != nil {
		return nil, err
	}
	switch p.tok.kind {
	case kOperator:
		op := p.text()[0]
		return &node{kind: nRepeat, op: op, kids: []*node{atom}, at: at}, p.advance()
	case kTilde:
		return p.counted(atom, at)
	}
	return atom, nil
}

// counted reads the ~n or ~n..m after an atom.
func (p *parser) counted(atom *node, at place) (*node, error) {
	tilde := p.at()
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.number("how often to repeat, a whole number")
	if err != nil {
		return nil, err
	}
	rep := &node{kind: nRepeat, op: '~', min: n, max: n, kids: []*node{atom}, at: at}
	if ok, err := p.accept(kDotDot); err != nil {
		return nil, err
	} else if ok {
		if rep.max, err = p.number("the largest number of repeats"); err != nil {
			return nil, err
		}
	}
	if rep.min < 0 || rep.max < rep.min {
		hint := "counts are not negative, and the smaller one comes first"
		return nil, tilde.errorf(hint, "nothing can be repeated %d to %d times", rep.min, rep.max)
	}
	return rep, nil
}

// atom reads a group, an optional group, or a value.
func (p *parser) atom() (*node, error) {
	at, open := p.at(), p.tok.kind
	if open != kOpen && open != kOpenBracket {
		return p.value()
	}
	if p.depth++; p.depth > maxDepth {
		return nil, at.errorf("make the inner parts rules of their own", "more than %d nested brackets", maxDepth)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	body, err := p.alternatives(false)
	if err != nil {
		return nil, err
	}
	closing := map[kind]kind{kOpen: kClose, kOpenBracket: kCloseBracket}[open]
	if p.tok.kind != closing {
		e := p.expected(kindNames[closing] + fmt.Sprintf(" for the %s of line %d", kindNames[open], at.position().Line))
		return nil, e
	}
	p.depth--
	if open == kOpenBracket {
		body = &node{kind: nMaybe, kids: []*node{body}, at: at}
	}
	return body, p.advance()
}

// value reads a name, a template's use, a literal, a regexp or a range.
func (p *parser) value() (*node, error) {
	at, tok := p.at(), p.tok
	switch tok.kind {
	case kRule, kTerminal:
		n := &node{kind: nRef, name: p.text(), terminal: tok.kind == kTerminal, at: at}
		n.dropped = n.terminal && n.name[0] == '_'
		if err := p.advance(); err != nil || p.tok.kind != kOpenBrace {
			return n, err
		}
		if n.terminal {
			return nil, p.at().errorf("only rules can be templates", "terminal %s cannot have arguments", n.name)
		}
		return p.arguments(n)
	case kString, kRegexp:
		return p.literal()
	}
	return nil, p.expected("a name, a string or a regexp")
}

// arguments reads the {a, b} of a template's use.
func (p *parser) arguments(n *node) (*node, error) {
	n.kind = nUse
	if p.depth++; p.depth > maxDepth {
		return nil, n.at.errorf("make the inner parts rules of their own", "more than %d nested brackets", maxDepth)
	}
	for {
		if err := p.advance(); err != nil { // "{" or ","
			return nil, err
		}
		arg, err := p.value()
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, arg)
		switch p.tok.kind {
		case kComma:
		case kCloseBrace:
			p.depth--
			return n, p.advance()
		case kOperator, kTilde, kOpen, kOpenBracket:
			return nil, p.at().errorf("make it a rule of its own and pass its name", "an argument is one name or literal")
		default:
			return nil, p.expected(`"," or "}"`)
		}
	}
}

// literal reads a string, a range of two strings, or a regexp.
func (p *parser) literal() (*node, error) {
	at, first := p.at(), p.tok
	if err := p.advance(); err != nil {
		return nil, err
	}
	n := &node{kind: nPattern, at: at, literal: &literal{src: p.src, first: first, last: first}}
	if first.kind != kString || p.tok.kind != kDotDot {
		return n, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n.literal.last = p.tok
	_, err := p.take(kString, "the string that ends the range")
	return n, err
}

// directives are the names that may follow a "%".
var directives = []string{"%import", "%ignore", "%declare", "%override", "%extend", "%lexer", "%conflicts", "%layout"}

// directive reads a statement that starts with "%".
func (p *parser) directive(st *statement) error {
	name := p.text()
	if !slices.Contains(directives, name) {
		hint := "there are " + strings.Join(directives, " ")
		if close, ok := closest(name, directives); ok {
			hint = "did you mean " + close + "?"
		}
		return p.at().errorf(hint, "unknown directive %s", name)
	}
	if err := p.advance(); err != nil {
		return err
	}
	switch name {
	case "%import":
		return p.importing(st)
	case "%ignore":
		st.kind = sIgnore
		var err error
		st.body, err = p.alternatives(true)
		return err
	case "%declare":
		return p.declaring(st)
	case "%override", "%extend":
		st.verb = name[1:]
		if p.tok.kind != kModifiers && p.tok.kind != kRule && p.tok.kind != kTerminal {
			return p.expected("a definition after " + name)
		}
		return p.definition(st)
	}
	return p.configuring(st, name)
}
