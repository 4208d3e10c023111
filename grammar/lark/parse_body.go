package lark

import (
	"fmt"
	"strings"
)

// Right-hand sides. Brackets nest by recursion, so that their depth is limited; it is also the only
// recursion of the parser.

// alternatives reads what may stand between brackets, or after a ":" (top). There is always at
// least one alternative, if only an empty one: "a: | b" has two.
func (p *parser) alternatives(top bool) (*node, error) {
	all := &node{kind: nAlternatives, at: p.at()}
	for {
		alt, err := p.conjunction()
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

// conjunction reads sequences with & between them, which is mostly one.
func (p *parser) conjunction() (*node, error) {
	first, err := p.sequence()
	if err != nil || p.tok.kind != kAnd {
		return first, err
	}
	both := &node{kind: nBoth, kids: []*node{first}, at: p.at()}
	for p.tok.kind == kAnd {
		p.src.dialect = true
		if err := p.advance(); err != nil {
			return nil, err
		}
		next, err := p.sequence()
		if err != nil {
			return nil, err
		}
		both.kids = append(both.kids, next)
	}
	return both, nil
}

// alias reads the -> name that ends an alternative. Lark's syntax has it inside brackets too, and
// its later stages fail there.
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

// sequence reads the items of one alternative, of which there may be none. Tokens that could not
// follow an alternative either are refused here, where the message can say what is wrong with them;
// all others are left to the caller.
func (p *parser) sequence() (*node, error) {
	seq := &node{kind: nSequence, at: p.at()}
	for {
		switch p.tok.kind {
		case kOpen, kOpenBracket, kRule, kTerminal, kString, kRegexp, kDirective, kSpecial, kTilde:
		case kOperator:
			return nil, p.at().errorf("an operator follows the one item it applies to; group with ( ) to apply two",
				"misplaced %q", p.text())
		case kModifiers, kNumber, kDot, kDotDot, kComma, kEquals, kOpenBrace:
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
		if c := p.follows(); !isWordByte(c) && !isUpperByte(c) && strings.IndexByte(`("[/~%`, c) < 0 { // else it is that of the next item
			return p.counted(atom, at)
		}
	case kOpenBrace:
		if p.bracesFollow() {
			return p.braces(atom, at)
		}
	}
	return atom, nil
}

// follows is the byte with which the token behind the current one begins.
func (p *parser) follows() byte { return p.src.text[p.off+spanOf(p.src.text[p.off:], isBlankByte)] }

// bracesFollow tells whether the open brace is that of a repeat, not of arguments.
func (p *parser) bracesFollow() bool { return isDigitByte(p.follows()) || p.follows() == ',' }

// braces reads the {n}, {n,m}, {n,} or {,m} after an atom, as llguidance and XGrammar write
// repeats.
func (p *parser) braces(atom *node, at place) (rep *node, err error) {
	rep = &node{kind: nRepeat, op: '~', kids: []*node{atom}, at: at}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == kNumber {
		if rep.min, err = p.number("how often to repeat"); err != nil {
			return nil, err
		}
	}
	rep.max = rep.min
	open, err := p.accept(kComma)
	if err != nil {
		return nil, err
	}
	if open && p.tok.kind == kNumber {
		open = false
		if rep.max, err = p.number("the largest number of repeats"); err != nil {
			return nil, err
		}
	}
	if _, err := p.take(kCloseBrace, `"}" after the number of repeats`); err != nil || !open {
		return rep, err
	}
	more := &node{kind: nRepeat, op: '*', kids: []*node{atom.copy(func(s string) string { return s }, new(int))}, at: at}
	if rep.min == 0 {
		return more, nil
	}
	return &node{kind: nAlternatives, kids: []*node{{kind: nSequence, kids: []*node{rep, more}, at: at}}, at: at}, nil
}

// counted reads the ~n or ~n..m after an atom. Whether the counts make sense is checked where
// they are used.
func (p *parser) counted(atom *node, at place) (*node, error) {
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
	return rep, nil
}

// atom reads a group, an optional group, a complement, or a value.
func (p *parser) atom() (*node, error) {
	at, open := p.at(), p.tok.kind
	if open != kOpen && open != kOpenBracket && open != kTilde {
		return p.value()
	}
	if p.depth++; p.depth > maxDepth {
		return nil, at.errorf("make the inner parts rules of their own", "more than %d nested brackets", maxDepth)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if open == kTilde {
		p.src.dialect = true
		of, err := p.atom()
		p.depth--
		return &node{kind: nNot, kids: []*node{of}, at: at}, err
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
		if err := p.advance(); err != nil || p.tok.kind != kOpenBrace || p.bracesFollow() {
			return n, err
		}
		if n.terminal {
			return nil, p.at().errorf("only rules can be templates", "terminal %s cannot have arguments", n.name)
		}
		return p.arguments(n)
	case kString, kRegexp, kSpecial:
		return p.literal()
	case kDirective:
		return p.embed()
	}
	return nil, p.expected("a name, a string or a regexp")
}

// arguments reads the {a, b} of a template's use. An argument is a value, which includes the use of
// another template, but nothing that has alternatives: it has to be one symbol in the end.
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

// literal reads a string, a range of two strings, or a regexp. A range may have blanks around its
// dots.
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
