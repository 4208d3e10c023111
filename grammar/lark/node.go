package lark

import "slices"

// A nodeKind is the kind of a syntax node.
type nodeKind uint8

const (
	// nAlternatives is what stands between ":" and the end of a definition, or between brackets:
	// its kids are nSequence, nAlias, or nAlternatives that %extend put in front.
	nAlternatives nodeKind = iota
	nSequence              // one alternative: its kids in a row
	nAlias                 // kid -> name
	nRepeat                // kid ? * + ~
	nMaybe                 // [ kid ]
	nPattern               // a literal, a regexp or a range
	nUse                   // name{kids}: the use of a template
	nRef                   // a name
	nEmbedded              // a directive in a rule (embedded.go)
	nBoth                  // what all kids match
	nNot                   // what the kid does not match
	nLazy                  // in a rule: the terminal that ends where the kid first matches
)

// A node is a node of the syntax tree of a definition's right-hand side. Lowering rewrites it in
// place: a pattern and a template's use become references to the terminal and rule they stand for.
type node struct {
	kind nodeKind
	// name of an nRef, nUse or nAlias.
	name string
	// terminal tells, of an nRef, that it names a terminal.
	terminal bool
	// means is that terminal, where its name does not say which.
	means *terminal
	// dropped tells, of an nRef, that Lark would leave the symbol out of its parse tree. That has
	// an effect on the language too, see repeats.go on [ ].
	dropped bool
	// op of an nRepeat, with the counts of a '~'.
	op       byte
	min, max int
	literal  *literal  // of an nPattern
	embedded *embedded // of an nEmbedded
	kids     []*node
	// target is the definition that a reference inside a terminal stands for. It is bound when the
	// file is complete and not by name later: %override replaces a terminal for the references of
	// later files only, and %extend changes it for all.
	target *node
	at     place

	// What lowering made of the node (repeats.go).
	lowered treeID
	size    int
}

// ref makes n a reference to a symbol. What n was before is gone: lowering has no use for it, and
// the stages after it see symbols only.
func (n *node) ref(name string, means *terminal, dropped bool) {
	n.kind, n.name, n.terminal, n.means, n.dropped = nRef, name, means != nil, means, dropped
	n.literal, n.embedded, n.kids = nil, nil, nil
}

// written is the name of n as its file has it, without the prefix that imports give.
func (n *node) written() string {
	if n.at.src == nil {
		return n.name
	}
	text := n.at.src.text[n.at.off:]
	length := max(nameLength(text, isLowerByte), nameLength(text, isUpperByte))
	return string(text[:length])
}

// checkCounts checks the counts of a repeat that is used.
func (n *node) checkCounts() error {
	if n.kind != nRepeat || n.min >= 0 && n.min <= n.max {
		return nil
	}
	hint := "counts are not negative, and the smaller one comes first"
	return n.at.errorf(hint, "nothing can be repeated %d to %d times", n.min, n.max)
}

// bottomUp lists the inner nodes below and including n: the deepest level first, each level from
// left to right. It is the order in which Lark rewrites its trees, and so the order in which it
// numbers the terminals and rules that it has to invent names for. What an nLazy is made of is no
// part of a rule. The list is made in the room of another one.
func (n *node) bottomUp(room []*node) []*node {
	list := append(room[:0], n)
	for i := 0; i < len(list); i++ {
		for k := len(list[i].kids) - 1; k >= 0 && list[i].kind != nLazy; k-- {
			if kid := list[i].kids[k]; kid.kind != nRef {
				list = append(list, kid)
			}
		}
	}
	slices.Reverse(list)
	return list
}

// walk calls f for n and everything below it.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, kid := range n.kids {
		kid.walk(f)
	}
}

// lazies are what the terminals below n are made of that end as early as they can.
func (n *node) lazies() (list []*node) {
	n.walk(func(n *node) {
		if n.kind == nLazy {
			list = append(list, n.kids...)
		}
	})
	return list
}

// copy is a deep copy of n with each name replaced by what rename gives. References inside
// terminals are not followed. It reports how many nodes it copied to count.
func (n *node) copy(rename func(string) string, count *int) *node {
	c := *n
	*count++
	if n.kind == nRef || n.kind == nUse || n.kind == nAlias || n.kind == nEmbedded && n.name != "" {
		c.name = rename(n.name)
	}
	c.kids = make([]*node, len(n.kids))
	for i, kid := range n.kids {
		c.kids[i] = kid.copy(rename, count)
	}
	return &c
}

// A statementKind is the kind of a statement of a grammar file.
type statementKind uint8

const (
	sRule statementKind = iota
	sTerminal
	sImport
	sIgnore
	sDeclare
	sLexer
	sConflicts
	sLayout
	sMode
	sItems
	sOptions
)

// A statement is a definition or a directive.
type statement struct {
	kind statementKind
	at   place
	// verb is "", "override" or "extend", of a definition.
	verb string
	// A definition: name, parameters (of a template), modifiers, priority, right-hand side.
	// %ignore has only the body.
	name                string
	nameAt              place
	params              []string
	keepAll, expandOnce bool
	priority            int
	body                *node
	// Of a rule with attributes: its body is a terminal that ends as early as it can, with what may be
	// a suffix.
	lazy   bool
	suffix *node
	// An import: the dotted path, whether it is relative to the file, and what is taken from it.
	path     []string
	relative bool
	names    []imported
	// The names of a %declare, as nRef.
	declared []*node
	// The settings of a %lexer, %conflicts, %layout, %items or %mode, which has a name too.
	settings []setting
	// The options of a %llguidance or %grammar_options.
	options map[string]any
}

// An imported name is one that an import takes from another file.
type imported struct {
	name, as string
	at       place
}

// A setting is key=values of a %layout, %items or %mode; the only value of a %lexer or %conflicts
// has no key.
type setting struct {
	key    string
	values []token
	at     place
}
