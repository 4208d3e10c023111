package lark

import (
	"slices"
	"strings"
)

// Names. Two passes check that all of them stand for something: one over the terminals of each file
// when it is complete, which also binds them, and one over everything when the main file is. The
// order has a consequence that users see: a mistake in the terminals of an imported file is found
// although nothing uses them, one in its rules is not.

// bindTerminals points the names inside terminals at what they stand for, once all definitions of a
// file are known.
func bindTerminals(b *builder) error {
	for _, d := range b.defs.order {
		if d.body == nil {
			continue
		}
		if err := b.loader.files.stopped(); err != nil {
			return err
		}
		parts := []*node{d.body}
		if d.isTerminal {
			d.body.name = d.name
		} else {
			parts = d.body.lazies()
		}
		var err error
		for _, part := range parts {
			part.walk(func(n *node) {
				if err == nil {
					err = b.bind(d, n)
				}
			})
		}
		if err != nil {
			return err
		}
	}
	return findCycle(b)
}

// bind points one node of terminal d at its definition.
func (b *builder) bind(d *definition, n *node) error {
	switch {
	case n.kind == nAlias:
		return n.at.errorf("aliases name the alternatives of rules", "%s has an alias", d.title())
	case n.kind == nUse:
		return n.at.errorf("templates make rules, not terminals", "%s uses template %s", d.title(), n.written())
	case n.kind != nRef || n.target != nil:
		return nil
	case !n.terminal:
		hint := "terminals are built of strings, regexps and other terminals only"
		if flags, ok := afterRegexp(n.at); ok {
			hint = "directly after a regexp stand its flags, which are the letters " + regexpFlags + "; " + flags + " is read as a rule's name"
		}
		return n.at.errorf(hint, "%s uses rule %s", d.title(), n.written())
	}
	other := b.defs.byName[n.name]
	if other == nil {
		return n.at.errorf(b.similar(n.name, true), "terminal %s is not defined (used in %s)", n.written(), d.title())
	}
	if other.body == nil {
		return n.at.errorf("give it a definition", "terminal %s is only declared, and cannot be a part of %s", n.written(), d.title())
	}
	n.target = other.body
	return nil
}

// afterRegexp tells whether a name stands directly after a regexp, and returns that text.
func afterRegexp(p place) (string, bool) {
	if p.off == 0 || p.src.text[p.off-1] != '/' && strings.IndexByte(regexpFlags, p.src.text[p.off-1]) < 0 {
		return "", false
	}
	text := p.src.text[p.off:]
	before := strings.TrimRight(string(p.src.text[:p.off]), regexpFlags)
	return string(text[:nameLength(text, isLowerByte)]), strings.HasSuffix(before, "/")
}

// findCycle refuses terminals that are part of themselves, by a depth-first walk through what they
// are bound to. The walk starts at all terminals of the file, but also follows those below it,
// which an %extend may have led back up here.
func findCycle(b *builder) error {
	const open, closed = 1, 2
	state := map[*node]int{}
	var trail []*node // the terminals that are open
	var visit func(*node) error
	visit = func(n *node) error {
		if n.target == nil {
			for _, kid := range n.kids {
				if err := visit(kid); err != nil {
					return err
				}
			}
			return nil
		}
		switch state[n.target] {
		case closed:
			return nil
		case open:
			return cycleError(n, trail)
		}
		if len(trail) == maxChain {
			return n.at.errorf("make a rule of one of them, or put it in the place of its name", "terminals are built of each other more than %d levels deep", maxChain)
		}
		state[n.target] = open
		trail = append(trail, n.target)
		err := visit(n.target)
		trail = trail[:len(trail)-1]
		state[n.target] = closed
		return err
	}
	for _, d := range b.defs.order {
		if d.isTerminal && d.body != nil {
			if err := visit(&node{target: d.body}); err != nil {
				return err
			}
		}
	}
	return nil
}

// cycleError names the terminals from one to itself; n closes the cycle.
func cycleError(n *node, trail []*node) error {
	var names []string
	for _, t := range trail[slices.Index(trail, n.target):] {
		names = append(names, t.name)
	}
	names = append(names, n.target.name)
	return n.at.errorf("only rules may be recursive; make it a rule", "terminal %s is part of itself: %s", n.target.name, strings.Join(names, " -> "))
}

// validate checks names and templates, when everything is defined.
func (b *builder) validate() error {
	for _, d := range b.defs.order {
		if err := b.loader.files.stopped(); err != nil {
			return err
		}
		if err := b.validateParams(d); err != nil {
			return err
		}
		if d.body == nil {
			if !d.isTerminal {
				return d.at.errorf("only terminals may be left to others to produce", "rule %s is declared but not defined", d.name)
			}
			continue
		}
		if k := d.body.kids; d.isTerminal && len(k) == 1 && k[0].kind == nSequence && len(k[0].kids) == 0 {
			return d.at.errorf("every lexeme has at least one character", "terminal %s is empty", d.name)
		}
		var err error
		d.body.walk(func(n *node) {
			if err == nil {
				err = b.validateName(d, n)
			}
		})
		if err != nil {
			return err
		}
	}
	for _, ig := range b.ignored {
		if b.defs.byName[ig.name] == nil {
			return ig.at.errorf(b.similar(ig.name, true), "terminal %s is not defined (used in %%ignore)", ig.name)
		}
	}
	return nil
}

func (b *builder) validateParams(d *definition) error {
	for i, p := range d.params {
		if other := b.defs.byName[p]; other != nil {
			return d.at.errorf("rename the parameter", "parameter %s of template %s is also the name of the %s at %s",
				p, d.name, other.kind(), other.at.position())
		}
		if slices.Contains(d.params[:i], p) {
			return d.at.errorf("rename one of them", "template %s has two parameters %s", d.name, p)
		}
	}
	return nil
}

// validateName checks a name in the body of d.
func (b *builder) validateName(d *definition, n *node) error {
	if n.kind != nRef && n.kind != nUse || n.target != nil || slices.Contains(d.params, n.name) {
		return nil
	}
	used := b.defs.byName[n.name]
	switch {
	case used == nil && n.kind == nUse:
		return n.at.errorf(b.similar(n.name, false), "template %s is not defined (used in %s)", n.written(), d.title())
	case used == nil:
		return b.undefined(d, n)
	case n.kind == nUse && len(n.kids) != len(used.params):
		return n.at.errorf(signature(used), "%s %s takes %s, not %d", used.kind(), n.name, count(len(used.params), "argument"), len(n.kids))
	}
	return nil
}

// undefined is the error for a name that nothing defines. Apart from misspellings, two causes are
// common: a flag that does not exist, and a name of mixed case. Each is read as several names.
func (b *builder) undefined(d *definition, n *node) error {
	what := "rule"
	if n.terminal {
		what = "terminal"
	}
	hint := b.similar(n.name, n.terminal)
	text := n.at.src.text
	end := int(n.at.off) + len(n.written())
	if flags, ok := afterRegexp(n.at); ok && !n.terminal {
		hint = "directly after a regexp stand its flags, which are the letters " + regexpFlags + "; " + flags + " is read as a rule's name"
	} else if hint == "" && end < len(text) && (isLowerByte(text[end]) || isUpperByte(text[end])) {
		hint = "names are all upper or all lower case; where that changes, a new name starts"
	}
	return n.at.errorf(hint, "%s %s is not defined (used in %s)", what, n.written(), d.title())
}

// signature shows how a template is used.
func signature(d *definition) string {
	if len(d.params) == 0 {
		return "it is no template; write " + d.name
	}
	return "write " + d.name + "{" + strings.Join(d.params, ", ") + "}"
}
