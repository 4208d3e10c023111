package lark

import (
	"strings"
)

// Templates. A use name{a, b} becomes the rule of that name, with braces and all, which is made
// when it is first needed: a copy of the template's body with the arguments in the place of the
// parameters. By then arguments are names, since literals have become terminals and inner uses have
// become rules. An argument may stand where a template is used, so that templates can be passed on.
//
// The number of arguments of most uses is checked before (check.go); where a parameter is used as a
// template, it is known only here.

// instantiate turns the uses of templates in the body of d into references to rules, and adds the
// rules that do not exist yet to the definitions. Those are lowered when their turn comes, so that
// a template may use itself.
func (l *lowering) instantiate(d *definition) error {
	l.nodes = d.body.bottomUp(l.nodes)
	for _, n := range l.nodes {
		if n.kind != nUse {
			continue
		}
		name, err := l.instance(n)
		if err != nil {
			return err
		}
		n.ref(name, nil, false)
	}
	return nil
}

// instance is the name of the rule for a template's use.
func (l *lowering) instance(n *node) (string, error) {
	args := make([]string, len(n.kids))
	for i, kid := range n.kids {
		args[i] = kid.name
	}
	name := n.name + "{" + strings.Join(args, ",") + "}"
	if l.instances[name] {
		return name, nil
	}
	t := l.b.defs.byName[n.name]
	switch {
	case t == nil || t.isTerminal || t.body == nil:
		return "", n.at.errorf("pass the name of a template", "%s is used as a template, but is none", n.name)
	case len(t.params) != len(args):
		return "", n.at.errorf(signature(t), "%s %s takes %s, not %d", t.kind(), n.name, count(len(t.params), "argument"), len(args))
	case len(l.instances) == maxInstances || len(name) > maxInstanceName:
		hint := "does it use itself with arguments that grow each time? The last one is " + shorten(name)
		return "", t.at.errorf(hint, "the templates of this grammar do not come to an end")
	}
	l.instances[name] = true
	body := t.body.copy(func(s string) string { return s }, &l.copied)
	if l.copied > maxCopied {
		return "", n.at.errorf("use rules where no parameter is needed", "templates copy more than %d syntax nodes", maxCopied)
	}
	substitute(body, t.params, n.kids)
	l.defs = append(l.defs, &definition{
		name: name, body: body, at: t.at, anchor: t.anchor, keepAll: t.keepAll, priority: t.priority,
	})
	return name, nil
}

// substitute puts a template's arguments, which are references, in the place of its parameters.
func substitute(body *node, params []string, args []*node) {
	body.walk(func(n *node) {
		if n.kind != nRef && n.kind != nUse {
			return
		}
		for i, p := range params {
			if n.name != p {
				continue
			}
			n.name = args[i].name
			if n.kind == nRef {
				n.terminal, n.dropped, n.means = args[i].terminal, args[i].dropped, args[i].means
			}
			return
		}
	})
}
