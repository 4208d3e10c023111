package lark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
)

// What rules may have that Lark's may not: texts of another grammar, and free text up to a trigger.
//
//	arguments: %json {"type": "object"}
//	arguments: %json_file "arguments.json"
//	talk: %until ("<tool_call>" | "<think>")
//	talk: %until ("<tool_call>") %before ("<think>")
//	talk: %without ("<tool_call>" | "<think>")
//
// Each becomes a terminal. That of an embedded grammar is one that no lexeme matches (package
// recognizer puts the other grammar in its place); those of free text are regular.

// inRules are the directives that stand in rules.
var inRules = []string{"%json", "%json_file", "%until", "%without"}

// An embedded is what follows one of the directives in rules.
type embedded struct {
	kind   string
	schema []byte   // of %json and %json_file
	file   string   // of %json_file
	ends   []string // of %until and %without
	others []string // of %before
}

// embed reads what a directive in a rule says. The scanner stands behind its name.
func (p *parser) embed() (*node, error) {
	n := &node{kind: nEmbedded, at: p.at(), embedded: &embedded{kind: p.text()}}
	e := n.embedded
	if !slices.Contains(inRules, e.kind) {
		return nil, p.expected("an item of a rule")
	}
	if e.kind == "%json" {
		return n, p.inlineSchema(e)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if e.kind == "%json_file" {
		tok := p.tok
		if _, err := p.take(kString, "the name of a file, in quotes"); err != nil {
			return nil, err
		}
		name, err := newPattern(p.src, tok)
		if err != nil {
			return nil, err
		}
		e.file = name.value
		return n, nil
	}
	var err error
	if e.ends, err = p.triggers(); err != nil || e.kind != "%until" || p.tok.kind != kDirective || p.text() != "%before" {
		return n, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	e.others, err = p.triggers()
	return n, err
}

// inlineSchema reads the JSON value that the scanner stands before.
func (p *parser) inlineSchema(e *embedded) error {
	d := json.NewDecoder(bytes.NewReader(p.src.text[p.off:]))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		at := p.off + int(d.InputOffset())
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = p.off + max(0, int(syntax.Offset)-1)
		}
		return p.src.at(min(at, len(p.src.text)-1)).errorf(`behind %json stands a schema, such as {"type": "object"}`, "the schema of %%json is no JSON: %v", err)
	}
	e.schema = raw
	p.off += int(d.InputOffset())
	return p.advance()
}

// triggers reads a string, or strings in brackets with | between them.
func (p *parser) triggers() (list []string, err error) {
	open, err := p.accept(kOpen)
	if err != nil {
		return nil, err
	}
	for {
		tok := p.tok
		if _, err := p.take(kString, "a trigger, which is a string"); err != nil {
			return nil, err
		}
		t, err := newPattern(p.src, tok)
		if err != nil {
			return nil, err
		}
		if t.flags != "" {
			return nil, p.src.at(tok.off).errorf("leave the flag out", "a trigger has no flags")
		}
		list = append(list, t.value)
		if !open {
			return list, nil
		}
		if ok, err := p.accept(kOr); err != nil {
			return nil, err
		} else if !ok {
			_, err := p.take(kClose, `"|" or ")"`)
			return list, err
		}
	}
}

// name is what is written, in one way for all that say the same.
func (e *embedded) name() string {
	quoted := func(list []string) string {
		all := make([]string, len(list))
		for i, s := range list {
			all[i] = fmt.Sprintf("%q", s)
		}
		return "(" + strings.Join(all, " | ") + ")"
	}
	switch {
	case e.schema != nil:
		return "%json " + string(e.schema)
	case e.others != nil:
		return e.kind + " " + quoted(e.ends) + " %before " + quoted(e.others)
	}
	return e.kind + " " + quoted(e.ends)
}

// embedded is the terminal that a node stands for; those that say the same are one.
func (ts *terminals) embedded(n *node, anchor int32) *terminal {
	name := n.embedded.name()
	if t := ts.byName[name]; t != nil {
		return t
	}
	t := &terminal{name: name, at: n.at, anchor: anchor, anonymous: true, embedded: n.embedded}
	ts.list = append(ts.list, t)
	ts.byName[name] = t
	return t
}

// readSchemas reads the files of %json_file below a node. Their folder is that of the grammar file.
func (f_ *files) readSchemas(n *node, dir string) (err error) {
	n.walk(func(n *node) {
		e := n.embedded
		if err != nil || e == nil || e.file == "" || e.schema != nil {
			return
		}
		text, failed := f_.read(f_.join(dir, e.file))
		switch {
		case errors.Is(failed, fs.ErrNotExist):
			err = n.at.errorf("it is looked for in the folder of the grammar", "there is no file %s", e.file)
		case failed != nil:
			err = n.at.errorf("", "cannot read %s: %v", e.file, failed)
		case len(text) > maxSource:
			err = n.at.errorf("", "%s is larger than %d bytes", e.file, maxSource)
		default:
			e.schema = text
			f_.hash.Write(text)
		}
	})
	return err
}

// freeText is the automaton of a terminal of free text, as an expression.
func (e *embedded) freeText(limits automata.Limits) (*automata.Expr, error) {
	any, err := automata.Parse("(?s:.)*", 0)
	if err != nil {
		return nil, err
	}
	with := func(list []string) *automata.Expr { // what ends in one of them
		all := make([]*automata.Expr, len(list))
		for i, s := range list {
			all[i] = automata.Literal(s, 0)
		}
		return automata.Concat(any, automata.Alternate(all...))
	}
	if e.kind == "%without" {
		anything, err := automata.Compile(automata.Concat(any, automata.Range(0, 0x10ffff)), limits)
		if err != nil {
			return nil, err
		}
		bad, err := automata.Compile(automata.Concat(with(e.ends), any), limits)
		if err != nil {
			return nil, err
		}
		d, err := anything.Difference(bad, limits)
		if err != nil {
			return nil, err
		}
		return automata.FromDFA(d), nil
	}
	all := slices.Concat(e.ends, e.others)
	first, err := automata.Compile(with(all), limits)
	if err != nil {
		return nil, err
	}
	d := first.Lazy()
	// Of triggers that end at the same byte the longest counts.
	for _, other := range e.others {
		longer, err := automata.Compile(with([]string{other}), limits)
		if err != nil {
			return nil, err
		}
		for _, end := range e.ends {
			if len(end) <= len(other) || !strings.HasSuffix(end, other) {
				continue
			}
			kept, err := automata.Compile(with([]string{end}), limits)
			if err != nil {
				return nil, err
			}
			if longer, err = longer.Difference(kept, limits); err != nil {
				return nil, err
			}
		}
		if d, err = d.Difference(longer, limits); err != nil {
			return nil, err
		}
	}
	return automata.FromDFA(d), nil
}

// embedSchemas opens the schemas that terminals stand for.
func (l *lowering) embedSchemas(g *grammar.Grammar, schemas []*terminal) error {
	if len(schemas) == 0 {
		return nil
	}
	files := make([]jsonschema.File, len(schemas))
	for i, t := range schemas {
		name := t.at.position().String()
		if t.embedded.file != "" {
			name = t.embedded.file
		}
		files[i] = jsonschema.File{URI: fmt.Sprintf("embedded:///%d", i), Name: name, Text: t.embedded.schema}
	}
	var err error
	g.Embedded, err = jsonschema.OpenAll(l.b.loader.files.ctx, files, jsonschema.Options{Name: g.Name})
	return err
}
