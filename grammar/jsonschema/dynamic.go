package jsonschema

import (
	"maps"
	"slices"

	"gcdbench/internal/jsontext"
)

// Dynamic references (2020-12 core, section 8.2.3.2; 2019-09, 8.2.4.2.2). What one refers to
// depends on the resources through which the evaluation came to it, its dynamic scope: the first
// of them with an anchor of the name has it. Of a path of resources only that first one counts for
// each name, so there are finitely many scopes, and a schema is another node in each of them. A
// document without dynamic anchors has one scope, the empty one.

// recursiveAnchor is the name of the anchor that $recursiveAnchor makes, which has none.
const recursiveAnchor = ""

// A dynamicScope has, by name, the schemas that dynamic references lead to.
type dynamicScope map[string]*node

// within is a schema in the dynamic scope that it has when it is reached from another scope.
func (d *document) within(n *node, scope int) *node {
	if n == nil || len(d.dynamic) == 0 {
		return n
	}
	if n.outside != nil {
		n = n.outside
	}
	if scope = d.enter(scope, withoutFragment(n.base)); scope == 0 {
		return n
	}
	inside := n.inside[scope]
	if inside == nil {
		copied := *n
		inside = &copied
		inside.id, inside.scope, inside.outside, inside.inside, inside.first = len(d.nodes), scope, n, nil, nil
		d.nodes = append(d.nodes, inside)
		if n.inside == nil {
			n.inside = map[int]*node{}
		}
		n.inside[scope] = inside
	}
	return inside
}

// enter is the number of a dynamic scope with a resource added to it.
func (d *document) enter(scope int, resource string) int {
	anchors := d.dynamic[resource]
	var more dynamicScope
	for name, n := range anchors {
		if d.scopes[scope][name] == nil {
			if more == nil {
				more = maps.Clone(d.scopes[scope])
			}
			more[name] = n
		}
	}
	if more == nil {
		return scope
	}
	i := slices.IndexFunc(d.scopes, func(s dynamicScope) bool { return maps.Equal(s, more) })
	if i < 0 {
		i = len(d.scopes)
		d.scopes = append(d.scopes, more)
	}
	return i
}

// addDynamic notes a dynamic anchor of the resource that n is in.
func (d *document) addDynamic(name string, n *node) {
	resource := withoutFragment(n.base)
	if d.dynamic[resource] == nil {
		d.dynamic[resource] = dynamicScope{}
	}
	d.dynamic[resource][name] = n
}

// overridden is what a dynamic reference in n leads to whose target is another schema at first.
func (d *document) overridden(n *node, keyword, fragment string, target *node) *node {
	name := fragment
	switch keyword {
	case "$recursiveRef":
		name = recursiveAnchor
	case "$dynamicRef":
	default:
		return target
	}
	if target != nil && d.dynamic[withoutFragment(target.base)][name] != target {
		return target // no dynamic anchor: a reference like any other
	}
	if first := d.scopes[n.scope][name]; first != nil {
		return first
	}
	return target
}

// child is the schema at a value inside n; nil if there is none.
func (d *document) child(n *node, v *jsontext.Value) *node { return d.within(d.byValue[v], n.scope) }

// everywhere is a schema in all of its dynamic scopes.
func (n *node) everywhere() []*node {
	list := []*node{n}
	for _, scope := range slices.Sorted(maps.Keys(n.inside)) {
		list = append(list, n.inside[scope])
	}
	return list
}
