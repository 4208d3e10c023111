package automata

import "strings"

// Groups: everything that starts with a parenthesis.

// group parses what follows a "(" at start.
func (p *parser) group(start int, first bool) (*Expr, error) {
	if !p.take("?") {
		return p.body(start, p.flags)
	}
	switch {
	case p.take(":"):
		return p.body(start, p.flags)
	case p.take("="):
		return p.lookaround(start, lookaround{})
	case p.take("!"):
		return p.lookaround(start, lookaround{negative: true})
	case p.take("<="):
		return p.lookaround(start, lookaround{behind: true})
	case p.take("<!"):
		return p.lookaround(start, lookaround{behind: true, negative: true})
	case p.take("#"):
		return nil, p.comment(start)
	case p.take("P"):
		return p.named(start)
	case p.take(">"):
		return nil, p.errorf(start, "atomic group (?>...) is not supported, since it depends on the order of attempts; write (?:...), and make its alternatives exclude each other")
	case p.take("("):
		return nil, p.errorf(start, "conditional (?(group)...) is not regular; write both cases as alternatives")
	case p.take("<"):
		return nil, p.errorf(start, "unknown extension (?<; a named group is (?P<name>...), a lookbehind (?<=...) or (?<!...)")
	case !p.more():
		return nil, p.errorf(start, "unexpected end of pattern after (?")
	}
	return p.flagGroup(start, first)
}

// body parses the rest of a group, whose flags are its own.
func (p *parser) body(start int, flags Flags) (*Expr, error) {
	branches, err := p.bodyBranches(start, flags)
	return Alternate(branches...), err
}

// bodyBranches is the alternatives of a body.
func (p *parser) bodyBranches(start int, flags Flags) ([]*Expr, error) {
	outer := p.flags
	p.flags = flags
	p.depth++
	if p.depth > maxDepth {
		return nil, p.errorf(start, "groups are nested more than %d deep; flatten them", maxDepth)
	}
	branches, err := p.branches(false)
	if err != nil {
		return nil, err
	}
	p.depth--
	if err := p.close(start); err != nil {
		return nil, err
	}
	p.flags = outer
	return branches, nil
}

// close takes the parenthesis that ends a group.
func (p *parser) close(start int) error {
	if !p.take(")") {
		return p.errorf(start, `missing ), unterminated group; write \( for a literal parenthesis`)
	}
	return nil
}

// comment skips the rest of a (?#...).
func (p *parser) comment(start int) error {
	found, err := p.skipTo(')')
	if err == nil && !found {
		err = p.errorf(start, "missing ), unterminated comment")
	}
	return err
}

// named parses the rest of a (?P...).
func (p *parser) named(start int) (*Expr, error) {
	switch {
	case p.take("<"):
		end := strings.IndexByte(p.src[p.pos:], '>')
		if end < 0 {
			return nil, p.errorf(start, "missing >, unterminated group name")
		}
		name := p.src[p.pos : p.pos+end]
		if !isIdentifier(name) {
			return nil, p.errorf(p.pos, "bad group name %q; a name is letters, digits and underscores and starts with no digit", name)
		}
		p.pos += end + 1
		if p.extension != nil {
			if e, err := p.extension(&Group{name, start, p}); e != nil || err != nil {
				return e, err
			}
		}
		return p.body(start, p.flags)
	case p.take("="):
		return nil, p.errorf(start, "backreference (?P=...) is not regular; write out what it may repeat")
	case p.take(">"):
		return nil, p.errorf(start, "recursion (?P>...) is not regular; write a rule of the grammar instead")
	}
	return nil, p.errorf(start, "unknown extension (?P; a named group is (?P<name>...)")
}

// isIdentifier reports whether s can name a group.
func isIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case r == '_' || wordSet().contains(r) && !digitSet().contains(r):
		case i > 0 && digitSet().contains(r):
		default:
			return false
		}
	}
	return s != ""
}

// flagGroup parses the rest of (?flags) or (?flags:...). Flags without a body
// hold for the whole pattern and may only stand at its start.
func (p *parser) flagGroup(start int, first bool) (*Expr, error) {
	var on, off Flags
	target := &on
	for {
		at := p.pos
		if !p.more() {
			return nil, p.errorf(start, "missing ) or : after the flags of (?")
		}
		switch c := p.next(); c {
		case ')':
			if target == &on && on == 0 {
				return nil, p.errorf(start, "unknown extension (?); a group that is not captured is (?:...)")
			}
			if target == &off {
				return nil, p.errorf(start, "flags can only be switched off for a group: (?-%s:...)", off)
			}
			if !first {
				return nil, p.errorf(start, "global flags are not at the start of the pattern; move %s there, or write (?%s:...)", p.src[start:p.pos], on)
			}
			return nil, p.setFlags(start, on)
		case ':':
			if target == &off && off == 0 {
				return nil, p.errorf(at, "missing flag after -")
			}
			return p.scoped(start, on, off)
		case '-':
			if target == &off {
				return nil, p.errorf(at, "a second - among the flags of a group")
			}
			target = &off
		default:
			f, err := flagOf(c)
			if err != nil {
				return nil, p.errorf(at, "%v; a group that is not captured is (?:...)", err)
			}
			*target |= f
		}
	}
}

// setFlags adds global flags.
func (p *parser) setFlags(start int, on Flags) error {
	p.flags |= on
	if p.flags&Unicode != 0 && p.flags&ASCII != 0 {
		return p.errorf(start, "%v", errUnicodeASCII)
	}
	return nil
}

// scoped parses the body of a group with flags of its own.
func (p *parser) scoped(start int, on, off Flags) (*Expr, error) {
	const types = Unicode | ASCII
	switch {
	case on&off != 0:
		return nil, p.errorf(start, "flag %s is switched both on and off", on&off)
	case off&types != 0:
		return nil, p.errorf(start, "flags a and u cannot be switched off; switch the other one on")
	case on&types == types:
		return nil, p.errorf(start, "%v", errUnicodeASCII)
	}
	flags := p.flags
	if on&types != 0 {
		flags &^= types
	}
	return p.body(start, flags&^off|on)
}

// lookaround parses the body of an assertion.
func (p *parser) lookaround(start int, look lookaround) (*Expr, error) {
	if p.inBehind {
		return nil, p.errorf(start, "a lookaround inside of a lookbehind is not supported; move it out")
	}
	outer := p.inLook
	p.inLook, p.inBehind = true, look.behind
	body, err := p.body(start, p.flags)
	p.inLook, p.inBehind = outer, false
	if err != nil {
		return nil, err
	}
	look.pattern, look.offset, look.text = p.src, start, p.src[start:p.pos]
	return look.expr(body), nil
}

// A Group is a named group of which the name has been read, for ParseExtended. One of Text and
// Branches reads the rest of it.
type Group struct {
	Name  string
	start int
	*parser
}

// Errorf is a *SyntaxError about the group.
func (g *Group) Errorf(format string, args ...any) error { return g.errorf(g.start, format, args...) }

// InAssertion is whether the group stands in an assertion, which is matched apart from the rest.
func (g *Group) InAssertion() bool { return g.inLook }

// Text reads the body as plain text. A backslash makes the next character plain, so \) and \\ stand
// for themselves; \n is a line break, \t a tab.
func (g *Group) Text() (string, error) {
	var b strings.Builder
	for g.more() && !g.peek(")") {
		c := g.next()
		if c == '\\' && g.more() {
			switch c = g.next(); c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			}
		}
		b.WriteRune(c)
	}
	return b.String(), g.close(g.start)
}

// Branches reads the body as alternatives.
func (g *Group) Branches() ([]*Expr, error) { return g.bodyBranches(g.start, g.flags) }
