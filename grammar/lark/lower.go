package lark

import (
	"slices"
	"strings"

	"gcdbench/internal/intern"
)

// Lowering proper. Which of the rules and terminals end up in the grammar is decided last, on the
// productions: a rule that only unused rules use is unused as well, and so on. Nothing before that
// may depend on it, since Lark refuses mistakes in unused rules too, and counts them when it
// numbers.

// A rule is a production that lowering made.
type rule struct {
	lhs      symbolID
	rhs      []symbolID
	alias    string
	priority int
	at       place
}

// A lowering turns definitions into productions and terminals, in Lark's steps and order: for each
// rule, literals get names, templates are instantiated, repeats get helpers; then all is written
// out, duplicates are refused, and what is not used is dropped.
type lowering struct {
	b      *builder
	terms  *terminals
	repeat *repeater
	expand *expander
	// defs are the rules, and then the templates' instances.
	defs      []*definition
	instances map[string]bool
	copied    int
	nodes     []*node // scratch of bottomUp
	rules     []rule
}

// stopped is the error of the context once it has ended.
func (l *lowering) stopped() error { return l.b.loader.files.stopped() }

// lower lowers everything that b defines.
func lower(b *builder, start string) (*lowering, error) {
	terms, err := namedTerminals(&b.defs, b.loader.files.stopped)
	if err != nil {
		return nil, err
	}
	f := newForest()
	l := &lowering{
		b: b, terms: terms, instances: map[string]bool{},
		repeat: &repeater{forest: f, terms: terms, byKey: map[helperKey]treeID{}},
		expand: &expander{forest: f, stopped: b.loader.files.stopped},
	}
	for _, d := range b.defs.order {
		if !d.isTerminal {
			l.defs = append(l.defs, d)
		}
	}
	if err := l.rewrite(); err != nil {
		return nil, err
	}
	if err := l.writeOut(); err != nil {
		return nil, err
	}
	if err := l.merge(); err != nil {
		return nil, err
	}
	l.prune(f.rule(start))
	return l, l.checkUndefined()
}

// rewrite replaces literals, templates and repeats in all rules.
func (l *lowering) rewrite() error {
	for i := 0; i < len(l.defs); i++ { // templates' instances are added on the way
		if err := l.stopped(); err != nil {
			return err
		}
		d := l.defs[i]
		if len(d.params) > 0 {
			continue
		}
		l.nodes = d.body.bottomUp(l.nodes)
		if err := l.terms.name(d, l.nodes); err != nil {
			return err
		}
		if err := l.instantiate(d); err != nil {
			return err
		}
		if l.b.file.src.dialect {
			l.allowEmpty(d.body)
		}
		l.nodes = d.body.bottomUp(l.nodes)
		if err := l.repeat.rule(d, l.nodes); err != nil {
			return err
		}
	}
	return nil
}

// allowEmpty makes the terminals that match the empty text optional where a rule names them.
func (l *lowering) allowEmpty(n *node) {
	for i, kid := range n.kids {
		switch {
		case kid.kind != nRef || !kid.terminal:
			l.allowEmpty(kid)
		case !l.terms.meant(kid).mayBeEmpty():
		case n.kind == nRepeat && n.op == '+':
			n.op = '*'
		case n.kind != nRepeat && n.kind != nMaybe || n.op == '~':
			n.kids[i] = &node{kind: nRepeat, op: '?', kids: []*node{kid}, at: kid.at}
		}
	}
}

// writeOut makes the productions of all rules, and then of all helpers.
func (l *lowering) writeOut() error {
	l.expand.done = make([][][]symbolID, l.expand.trees.Len())
	for _, d := range l.defs {
		if len(d.params) > 0 {
			continue
		}
		if err := l.writeRule(d); err != nil {
			return err
		}
	}
	for _, h := range l.repeat.helpers {
		l.expand.at, l.expand.rule = h.at, h.name
		alts, err := l.expand.tree(h.tree)
		if err != nil {
			return err
		}
		lhs := l.expand.forest.rule(h.name)
		for _, alt := range alts {
			l.rules = append(l.rules, rule{lhs: lhs, rhs: alt, at: h.at})
		}
	}
	return nil
}

// writeRule makes the productions of one rule. Each knows the alternative that it comes from, for
// messages of the LALR tables, so that the alternatives are written out one by one.
func (l *lowering) writeRule(d *definition) error {
	lhs := l.expand.forest.rule(d.name)
	tops := topAlternatives(d.body, make([]*node, 0, len(d.body.kids)))
	l.rules = slices.Grow(l.rules, len(tops))
	var seen intern.Lists[symbolID] // behind their aliases, since Lark tells those with different ones apart
	var key []symbolID
	for _, n := range tops {
		alias := ""
		if n.kind == nAlias {
			alias = n.name
			if d.name[0] == '_' {
				return n.at.errorf("drop the underscore of the rule's name, or the alias", "rule %s has an alias, but rules with an underscore are always inlined", d.name)
			}
		}
		l.expand.at, l.expand.rule = n.at, d.name
		alts, err := l.expand.tree(n.lowered)
		if err != nil {
			return err
		}
		for _, alt := range alts {
			key = append(append(key[:0], l.expand.forest.rule(alias)), alt...)
			if _, isNew := seen.ID(key); isNew {
				l.rules = append(l.rules, rule{lhs, alt, alias, d.priority, n.at})
			}
		}
		if err := l.expand.check(seen.Len()); err != nil {
			return err
		}
	}
	return nil
}

// topAlternatives lists the alternatives of a rule's body in order. %extend nests them, the new
// ones in front of the old ones.
func topAlternatives(body *node, list []*node) []*node {
	for _, kid := range body.kids {
		if kid.kind == nAlternatives {
			list = topAlternatives(kid, list)
		} else {
			list = append(list, kid)
		}
	}
	return list
}

// merge removes the holes, and then of the empty productions of a rule all but one. Any other
// production that a rule has twice is an error.
func (l *lowering) merge() error {
	kept := l.rules[:0]
	var seen intern.Lists[symbolID] // both sides of those that are kept
	var key []symbolID
	for i, r := range l.rules {
		if i%stoppedEvery == 0 {
			if err := l.stopped(); err != nil {
				return err
			}
		}
		if slices.Contains(r.rhs, hole) { // what was expanded is shared
			r.rhs = slices.DeleteFunc(slices.Clone(r.rhs), func(s symbolID) bool { return s == hole })
		}
		key = append(append(key[:0], r.lhs), r.rhs...)
		if first, isNew := seen.ID(key); isNew {
			kept = append(kept, r)
		} else if len(r.rhs) > 0 {
			return l.duplicate(kept[first], r)
		}
	}
	l.rules = kept
	return nil
}

// duplicate is the error for two equal productions.
func (l *lowering) duplicate(first, second rule) error {
	where := "both come from this alternative, by optional parts that are left out in different ways; " +
		"[x] [x] is one, for which x? x? or [x [x]] can be written"
	if first.at != second.at {
		where = "the other one is at " + first.at.position().String()
		if first.alias != second.alias {
			where += ", under another alias"
		}
	}
	return second.at.errorf(where, "rule %s has the alternative twice: %s", l.expand.symbols[second.lhs].name, l.show(second.rhs))
}

// show is a right-hand side for messages.
func (l *lowering) show(rhs []symbolID) string {
	names := make([]string, len(rhs))
	for i, s := range rhs {
		names[i] = l.expand.symbols[s].name
	}
	return shorten(strings.Join(names, " "))
}

// prune drops the rules that no other rule uses, again and again, the start rule excepted. It keeps
// rules out of reach that use each other, and the terminals in them: Lark does, and the lexer knows
// their terminals therefore.
func (l *lowering) prune(start symbolID) {
	byLHS := make([][]int, len(l.expand.symbols))
	uses := make([]int, len(l.expand.symbols))
	for i, r := range l.rules {
		byLHS[r.lhs] = append(byLHS[r.lhs], i)
		for _, s := range r.rhs {
			if s != r.lhs {
				uses[s]++
			}
		}
	}
	uses[start]++ // so that it never becomes 0
	dropped := make([]bool, len(l.expand.symbols))
	var queue []symbolID
	for lhs, rules := range byLHS {
		if uses[lhs] == 0 && rules != nil {
			queue = append(queue, symbolID(lhs))
		}
	}
	for len(queue) > 0 {
		lhs := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		dropped[lhs] = true
		for _, i := range byLHS[lhs] {
			for _, s := range l.rules[i].rhs {
				if s == lhs {
					continue
				}
				if uses[s]--; uses[s] == 0 && len(byLHS[s]) > 0 {
					queue = append(queue, s)
				}
			}
		}
	}
	l.rules = slices.DeleteFunc(l.rules, func(r rule) bool { return dropped[r.lhs] })
}

// checkUndefined refuses rules that are used and have no productions: templates without arguments.
func (l *lowering) checkUndefined() error {
	defined := make([]bool, len(l.expand.symbols))
	for _, r := range l.rules {
		defined[r.lhs] = true
	}
	for _, r := range l.rules {
		for _, s := range r.rhs {
			used := l.expand.symbols[s]
			if used.terminal != nil || defined[s] {
				continue
			}
			hint := ""
			if d := l.b.defs.byName[used.name]; d != nil {
				hint = signature(d)
			}
			return r.at.errorf(hint, "template %s is used without arguments in rule %s", used.name, l.expand.symbols[r.lhs].name)
		}
	}
	return nil
}
