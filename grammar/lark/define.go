package lark

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/internal/words"
)

// Definitions. A file's statements take effect in order, after everything it imports: a name can be
// defined once, and from then on replaced (%override) or added to (%extend). The two differ in whom
// they reach. Rules refer to each other by name until the end, so both reach all of them. Terminals
// are bound to what they are built of when their file is complete (check.go): an overridden
// terminal is a new one for the files above, while those that were built of the old one keep it; an
// extended terminal is changed in place, for everybody.
//
// Names are final from the start: in an imported file every name is renamed while its statements
// are taken over, and so are the names in copies of their bodies. Nothing after this stage knows
// about files, except for the places in messages.

// A definition is a rule, a template or a terminal under its final name.
type definition struct {
	name       string
	isTerminal bool
	params     []string // of a template
	keepAll    bool
	priority   int
	body       *node // nil: only declared
	at         place
	// anchor is where the main file defines or imports it: the order of terminals goes by that.
	anchor int32
	// extended counts the %extend of it.
	extended int
	scope    int // the grammar that it belongs to: 0, or the number of one that stands in a rule
}

// kind is how messages call what d defines.
func (d *definition) kind() string {
	switch {
	case d.isTerminal:
		return "terminal"
	case len(d.params) > 0:
		return "template"
	}
	return "rule"
}

// title is how messages call d.
func (d *definition) title() string {
	if strings.HasPrefix(d.name, "__") {
		return "%ignore"
	}
	name := &node{name: d.name, at: d.at}
	return d.kind() + " " + name.written()
}

// definitions is a table in order of definition.
type definitions struct {
	byName map[string]*definition
	order  []*definition
}

func (ds *definitions) add(d *definition) {
	if ds.byName == nil {
		ds.byName = map[string]*definition{}
	}
	ds.byName[d.name] = d
	ds.order = append(ds.order, d)
}

// replace puts d in the place of the definition of its name.
func (ds *definitions) replace(d *definition) {
	ds.order[slices.Index(ds.order, ds.byName[d.name])] = d
	ds.byName[d.name] = d
}

// names lists the names that could be meant by a misspelt one.
func (ds *definitions) names(terminals bool) []string {
	var names []string
	for _, d := range ds.order {
		if d.isTerminal == terminals && !strings.HasPrefix(d.name, "__") {
			names = append(names, d.name)
		}
	}
	return names
}

// An ignored name is one that %ignore takes out of the parser's input.
type ignored struct {
	name  string
	at    place
	scope int
}

// A builder collects the definitions of one file and of its imports.
type builder struct {
	loader *loader
	file   *file
	// rename gives the final name of a name in this file; nil in the main file.
	rename func(string) string
	// anchor is the place of the main file's import that led here.
	anchor  int32
	defs    definitions
	ignored []ignored
	config  config
	scope   int
}

// define adds the statements of the file, in order, after its imports.
func (b *builder) define() error {
	if err := b.imports(); err != nil {
		return err
	}
	for _, st := range b.file.statements {
		if err := b.loader.files.stopped(); err != nil {
			return err
		}
		if err := b.statement(st); err != nil {
			return err
		}
	}
	return bindTerminals(b)
}

func (b *builder) statement(st *statement) error {
	switch st.kind {
	case sRule, sTerminal:
		if err := b.inRule(st); err != nil {
			return err
		}
		d, err := b.definition(st)
		if err != nil {
			return err
		}
		return b.put(st, d)
	case sDeclare:
		for _, n := range st.declared {
			d := &definition{name: b.renamed(n.name), isTerminal: n.terminal, at: n.at, anchor: b.anchorOf(n.at), scope: b.scope}
			if err := b.put(st, d); err != nil {
				return err
			}
		}
	case sIgnore:
		if b.isWhole() { // what an imported grammar ignores is its own affair
			b.ignore(st)
		}
	case sLexer, sConflicts, sLayout, sMode, sItems, sOptions:
		if b.isWhole() {
			return b.config.set(b.file.src, st)
		}
	}
	return nil
}

// isWhole tells whether the file is a grammar of its own: the main file, or what stands in a rule.
func (b *builder) isWhole() bool { return b.rename == nil || b.file.inRule }

// renamed is the final name of a name in this file.
func (b *builder) renamed(name string) string {
	if b.rename == nil {
		return name
	}
	return b.rename(name)
}

// anchorOf is the anchor of a definition that stands at p.
func (b *builder) anchorOf(p place) int32 {
	if b.rename == nil {
		return p.off
	}
	return b.anchor
}

// definition makes the definition of a statement, under its final names.
func (b *builder) definition(st *statement) (*definition, error) {
	d := &definition{
		name: b.renamed(st.name), isTerminal: st.kind == sTerminal, params: st.params,
		keepAll: st.keepAll, priority: st.priority, body: st.body,
		at: st.nameAt, anchor: b.anchorOf(st.nameAt), scope: b.scope,
	}
	if b.rename == nil {
		return d, nil
	}
	d.params = nil
	for _, p := range st.params {
		d.params = append(d.params, b.rename(p))
	}
	d.body = st.body.copy(b.rename, &b.loader.copied)
	if b.loader.copied > maxCopied {
		return nil, st.at.errorf("import fewer grammars, or each from one place only", "imports copy more than %d syntax nodes", maxCopied)
	}
	return d, nil
}

// put adds a definition, replaces one (%override) or extends one (%extend).
func (b *builder) put(st *statement, d *definition) error {
	old := b.defs.byName[d.name]
	// The order of the checks decides which of several mistakes in one line is reported.
	switch {
	case st.verb == "extend":
		return b.extend(st, d, old)
	case st.verb == "override" && old == nil:
		return d.at.errorf(b.similar(d.name, d.isTerminal), "%%override of %s %s, which is not defined before this line", d.kind(), d.name)
	case st.verb == "" && old != nil:
		hint := "to replace it, write %override; to add to it, write %extend; to drop one, remove or rename it"
		return d.at.errorf(hint, "%s %s is already defined at %s", old.kind(), d.name, old.at.position())
	case strings.HasPrefix(d.name, "__"):
		return d.at.errorf("rename it", "the name %s is reserved: it starts with two underscores", d.name)
	case old != nil:
		d.anchor = old.anchor // a terminal keeps its place in the order
		b.defs.replace(d)
		return nil
	}
	b.defs.add(d)
	return nil
}

// extend puts the alternatives of d before those of the definition it extends.
func (b *builder) extend(st *statement, d, old *definition) error {
	switch {
	case old == nil:
		return d.at.errorf(b.similar(d.name, d.isTerminal), "%%extend of %s %s, which is not defined before this line", d.kind(), d.name)
	case !slices.Equal(d.params, old.params):
		return d.at.errorf("write the same names in the same order", "%%extend of %s %s has other parameters than its definition", old.kind(), d.name)
	case old.body == nil:
		return d.at.errorf("define it instead, and drop the %declare", "%%extend of %s %s, which is only declared", d.kind(), d.name)
	}
	if old.extended++; old.extended > maxExtended {
		return d.at.errorf("write the alternatives in one %extend", "%s %s is extended more than %d times", old.kind(), d.name, maxExtended)
	}
	old.body.kids = append([]*node{d.body}, old.body.kids...)
	return nil
}

// ignore adds a terminal to the ignored ones; anything but a terminal's name becomes one. It is
// called __IGNORE_ and a number, which no user can have taken, and a literal in a rule that equals
// it is the same terminal: the parser never sees it.
func (b *builder) ignore(st *statement) {
	if n := soleItem(st.body); n != nil && n.kind == nRef && n.terminal {
		b.ignored = append(b.ignored, ignored{b.renamed(n.name), n.at, b.scope})
		return
	}
	name := fmt.Sprintf("__IGNORE_%d", len(b.ignored))
	body := st.body
	if b.rename != nil {
		name = fmt.Sprintf("__IGNORE_%d_%d", b.scope, len(b.ignored))
		body = body.copy(b.rename, &b.loader.copied)
	}
	b.ignored = append(b.ignored, ignored{name, st.at, b.scope})
	b.defs.add(&definition{name: name, isTerminal: true, body: body, at: st.body.at, anchor: b.anchorOf(st.at), scope: b.scope})
}

// soleItem is the only item of a body with one alternative, or nil.
func soleItem(body *node) *node {
	if len(body.kids) != 1 || body.kids[0].kind != nSequence || len(body.kids[0].kids) != 1 {
		return nil
	}
	return body.kids[0].kids[0]
}

// similar is a hint that names what a misspelt name may mean.
func (b *builder) similar(name string, terminal bool) string {
	if from, ok := b.loader.missing[name]; ok {
		return from
	}
	if s, ok := words.Closest(name, b.defs.names(terminal)); ok {
		return "did you mean " + s + "?"
	}
	for _, other := range []string{strings.ToUpper(name), strings.ToLower(name)} {
		if d := b.defs.byName[other]; d != nil {
			return "did you mean the " + d.kind() + " " + other + "?"
		}
	}
	return ""
}
