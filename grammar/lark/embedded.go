package lark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/jsontext"
)

// What rules may have that Lark's may not: texts of another grammar, and free text up to a trigger.
//
//	arguments: %json {"type": "object"}
//	arguments: %json_file "arguments.json"
//	sum: %lark { start: INT ("+" INT)*
//	             %import common.INT }
//	call: "f" @arguments
//	talk: %until ("<tool_call>" | "<think>")
//	talk: %until ("<tool_call>") %before ("<think>")
//	talk: %without ("<tool_call>" | "<think>")
//
// A schema becomes a terminal that no lexeme matches (package recognizer puts the schema's grammar
// in its place); those of free text are regular. A grammar of %lark is taken over as an import is,
// with names of its own, and a lexer and ignored terminals of its own (grammar.Grammar.Scopes).
// @name is the grammar file name.lark beside the grammar, or the schema name.json.

// inRules are the directives that stand in rules.
var inRules = []string{"%json", "%json_file", "%lark", "%until", "%without"}

// An embedded is the text after one of the directives in rules.
type embedded struct {
	kind   string
	schema []byte   // of %json and %json_file
	plain  bool     // whether it is known to be plain (jsonschema.Glance)
	file   string   // of %json_file
	ends   []string // of %until and %without
	others []string // of %before

	statements []*statement // of %lark
	grammar    *file        // of %lark and @name
}

// embed reads what a directive in a rule says. The scanner stands behind its name.
func (p *parser) embed() (*node, error) {
	n := &node{kind: nEmbedded, at: p.at(), embedded: &embedded{kind: p.text()}}
	e := n.embedded
	if whose, ok := foreign[e.kind]; ok {
		return nil, n.at.errorf(whose[1], "%s is %s alone", e.kind, whose[0])
	}
	if e.kind == "%regex" {
		return p.substring(n.at)
	}
	if e.kind == "%json" {
		return n, p.inlineSchema(e)
	}
	if e.kind[0] != '@' && !slices.Contains(inRules, e.kind) {
		return nil, p.expected("an item of a rule")
	}
	if err := p.advance(); err != nil || e.kind[0] == '@' {
		return n, err
	}
	if e.kind == "%lark" {
		at := n.at.position()
		n.name = fmt.Sprintf("lark_%d_%d__start", at.Line, at.Column)
		return n, p.inlineGrammar(e)
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

// inlineSchema reads the schema behind %json. Most are so plain that to look them over is to read
// them.
func (p *parser) inlineSchema(e *embedded) (err error) {
	if n := p.glance.Plain(p.src.text[p.off:]); n > 0 {
		e.plain = true
		e.schema = p.taken(n)
		return p.advance()
	}
	e.schema, err = p.json("%json", `{"type": "object"}`)
	return err
}

// taken is the text of the next n bytes, a JSON value, which the scanner goes past.
func (p *parser) taken(n int) []byte {
	text := bytes.TrimSpace(p.src.text[p.off : p.off+n])
	p.off, p.schemas = p.off+n, p.schemas+n
	return text
}

// json reads the JSON value behind a directive, which the scanner stands before.
func (p *parser) json(directive, example string) ([]byte, error) {
	if scan := jsontext.NewScanner(p.src.text[p.off:]); scan.Value() {
		text := p.taken(scan.At())
		return text, p.advance()
	}
	d := json.NewDecoder(bytes.NewReader(p.src.text[p.off:])) // which says why
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		at := p.off + int(d.InputOffset())
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = p.off + max(0, int(syntax.Offset)-1)
		}
		return nil, p.src.at(min(at, len(p.src.text)-1)).errorf("behind "+directive+" stands a JSON value, such as "+example, "what stands behind %s is no JSON: %v", directive, err)
	}
	p.off += int(d.InputOffset())
	return raw, p.advance()
}

// inlineGrammar reads the statements between braces.
func (p *parser) inlineGrammar(e *embedded) error {
	if p.tok.kind != kOpenBrace {
		return p.expected(`"{" and a grammar`)
	}
	if p.depth++; p.depth > maxDepth {
		return p.at().errorf("make the inner parts files of their own", "more than %d nested brackets", maxDepth)
	}
	p.inner++
	if err := p.advance(); err != nil {
		return err
	}
	for p.tok.kind != kCloseBrace {
		if p.tok.kind == kNewline {
			if err := p.advance(); err != nil {
				return err
			}
			continue
		}
		if p.tok.kind == kEnd {
			return p.expected(`"}" after the grammar`)
		}
		st, err := p.statement()
		if err != nil {
			return err
		}
		e.statements = append(e.statements, st)
	}
	p.inner--
	p.depth--
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

// name is what is written for free text, in one way for all that say the same.
func (e *embedded) name() string {
	quoted := func(list []string) string {
		all := make([]string, len(list))
		for i, s := range list {
			all[i] = fmt.Sprintf("%q", s)
		}
		return "(" + strings.Join(all, " | ") + ")"
	}
	if e.others != nil {
		return e.kind + " " + quoted(e.ends) + " %before " + quoted(e.others)
	}
	return e.kind + " " + quoted(e.ends)
}

// embedded is the terminal that a node stands for; those that say the same are one.
func (ts *terminals) embedded(n *node, anchor int32, scope int) *terminal {
	t := &terminal{at: n.at, anchor: anchor, anonymous: true, scope: scope, embedded: n.embedded}
	if t.embedded.schema == nil {
		t.name = t.embedded.name()
		if same := ts.byName[t.name]; same != nil {
			return same
		}
		ts.list, ts.byName[t.name] = append(ts.list, t), t
		return t
	}
	i, hash := ts.find(t)
	if i >= 0 {
		return ts.byNumber[i]
	}
	t.name = "%json " + strconv.Itoa(ts.schemas)
	ts.schemas++
	ts.add(t, hash)
	return t
}

// inRule reads what the directives in a rule name, and defines the grammars that stand there.
func (b *builder) inRule(st *statement) (err error) {
	st.body.walk(func(n *node) {
		if err != nil || n.kind != nEmbedded {
			return
		}
		e := n.embedded
		if e.kind[0] == '@' {
			err = b.named(n, e.kind[1:])
		}
		if err == nil && e.file != "" && e.schema == nil {
			err = b.readSchema(n, b.file.dir)
		}
		if err == nil && (e.statements != nil || e.grammar != nil) {
			err = b.defineInner(n)
		}
	})
	return err
}

// named finds what @name is: a grammar file, or a schema.
func (b *builder) named(n *node, name string) error {
	e := n.embedded
	if e.grammar != nil || e.schema != nil {
		return nil
	}
	f, tried, err := b.loader.files.find([]string{name}, true, b.file.dir)
	if err != nil {
		return err
	}
	if f != nil {
		if slices.Contains(b.loader.stack, f) {
			return n.at.errorf("", "grammar %s embeds itself", f.path)
		}
		e.grammar = f
		return nil
	}
	for _, grammarFile := range tried {
		e.file = strings.TrimSuffix(grammarFile, extension) + ".json"
		if e.schema, err = b.loader.files.read(e.file); err == nil {
			b.loader.files.hash.Write(e.schema)
			return nil
		}
	}
	return n.at.errorf("there is no "+strings.Join(tried, ", nor ")+", nor the same with .json", "there is nothing called @%s", name)
}

// readSchema reads the file of a %json_file.
func (b *builder) readSchema(n *node, dir string) (err error) {
	files, e := b.loader.files, n.embedded
	text, err := files.read(files.join(dir, e.file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n.at.errorf("it is looked for in the folder of the grammar", "there is no file %s", e.file)
	case err != nil:
		return n.at.errorf("", "cannot read %s: %v", e.file, err)
	case len(text) > maxSource:
		return n.at.errorf("", "%s is larger than %d bytes", e.file, maxSource)
	}
	e.schema = text
	files.hash.Write(text)
	return nil
}

// defineInner takes over the definitions of a grammar that stands in a rule, under names of its
// own.
func (b *builder) defineInner(n *node) error {
	e, l := n.embedded, b.loader
	at := n.at.position()
	prefix := fmt.Sprintf("lark_%d_%d", at.Line, at.Column)
	n.name = prefix + "__" + defaultStart
	f := e.grammar
	if f == nil {
		f = &file{path: b.file.path, dir: b.file.dir, src: b.file.src, statements: e.statements}
	}
	inner := *f
	inner.inRule = true
	e.grammar = f
	l.scopes = append(l.scopes, grammar.LexFirst)
	sub := &builder{loader: l, file: &inner, anchor: b.anchorOf(n.at), rename: renamer([]string{prefix}, nil, b.rename), scope: len(l.scopes)}
	l.stack = append(l.stack, f)
	if err := sub.define(); err != nil {
		return err
	}
	l.stack = l.stack[:len(l.stack)-1]
	c := &sub.config
	c.lexer = sub.lexer()
	if c.layout != nil || c.modes != nil || c.lexer == grammar.LexAll || c.conflicts != grammar.ResolveConflicts {
		return n.at.errorf("make it the main grammar", "a grammar in a rule has neither %%layout, %%mode nor %%conflicts, and its lexer is basic or contextual")
	}
	l.scopes[sub.scope-1] = c.lexer
	l.ignored = append(l.ignored, sub.ignored...)
	if sub.defs.byName[sub.rename(defaultStart)] == nil {
		return n.at.errorf("", "the grammar in this rule has no rule %s", defaultStart)
	}
	for _, d := range sub.defs.order {
		b.defs.add(d)
	}
	return nil
}

// freeText is the automaton of a terminal of free text.
func (e *embedded) freeText(f *automata.FreeText, kept *jsonschema.Kept) (*automata.DFA, error) {
	return kept.FreeText(e.name(), func() (*automata.DFA, error) {
		if e.kind == "%without" {
			return f.Lacking(e.ends)
		}
		return f.Until(e.ends, e.others)
	})
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
		files[i] = jsonschema.File{URI: fmt.Sprintf("embedded:///%d", i), Name: name, Text: t.embedded.schema, Plain: t.embedded.plain}
	}
	var err error
	g.Embedded, err = jsonschema.OpenAll(l.b.loader.files.ctx, files, jsonschema.Options{Name: g.Name, Kept: l.b.loader.files.kept})
	return err
}
