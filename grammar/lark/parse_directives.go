package lark

import (
	"slices"
	"strings"

	"gcdbench/internal/words"
)

// directives are the names that may follow a "%".
var directives = []string{"%import", "%ignore", "%declare", "%override", "%extend", "%lexer", "%conflicts", "%layout", "%mode", "%items", "%llguidance", "%grammar_options"}

// directive reads a statement that starts with "%". An unknown directive is refused, since it might
// change the language.
func (p *parser) directive(st *statement) error {
	name := p.text()
	if !slices.Contains(directives, name) {
		hint := "there are " + strings.Join(directives, " ")
		if close, ok := words.Closest(name, directives); ok {
			hint = "did you mean " + close + "?"
		}
		return p.at().errorf(hint, "unknown directive %s", name)
	}
	if name == "%llguidance" || name == "%grammar_options" {
		return p.options(st, name)
	}
	if err := p.advance(); err != nil {
		return err
	}
	switch name {
	case "%import":
		return p.importing(st)
	case "%ignore":
		st.kind = sIgnore
		var err error
		st.body, err = p.alternatives(true)
		return err
	case "%declare":
		return p.declaring(st)
	case "%override", "%extend":
		st.verb = name[1:]
		if p.tok.kind != kModifiers && p.tok.kind != kRule && p.tok.kind != kTerminal {
			return p.expected("a definition after " + name)
		}
		return p.definition(st)
	}
	return p.configuring(st, name)
}

// importing reads what follows %import: a dotted path, then nothing, an alias or a list of names.
//
//	%import common.INT
//	%import common.INT -> NUMBER
//	%import .types (name, NUMBER)
func (p *parser) importing(st *statement) (err error) {
	st.kind = sImport
	if st.relative, err = p.accept(kDot); err != nil {
		return err
	}
	var last place
	for {
		last = p.at()
		name, err := p.name("the name of a grammar")
		if err != nil {
			return err
		}
		st.path = append(st.path, name)
		if ok, err := p.accept(kDot); err != nil {
			return err
		} else if !ok {
			break
		}
	}
	if p.tok.kind == kOpen {
		return p.importList(st)
	}
	n := len(st.path) - 1
	if n == 0 {
		hint := "name what to import: %import " + st.path[0] + ".NAME or %import " + st.path[0] + " (NAME, name)"
		return last.errorf(hint, "nothing is imported from %s", st.path[0])
	}
	name := imported{name: st.path[n], as: st.path[n], at: last}
	st.path = st.path[:n]
	if ok, err := p.accept(kArrow); err != nil {
		return err
	} else if ok {
		if name.as, err = p.name("the name to import it as"); err != nil {
			return err
		}
	}
	st.names = []imported{name}
	return nil
}

// importList reads the (A, b) of an import. Then all of the path names the file.
func (p *parser) importList(st *statement) error {
	for {
		if err := p.advance(); err != nil { // "(" or ","
			return err
		}
		at := p.at()
		name, err := p.name("a name to import")
		if err != nil {
			return err
		}
		st.names = append(st.names, imported{name, name, at})
		switch p.tok.kind {
		case kComma:
		case kClose:
			return p.advance()
		case kArrow:
			return p.at().errorf("import it in a line of its own", "a name in a list of imports cannot have an alias")
		default:
			return p.expected(`"," or ")"`)
		}
	}
}

// name reads the name of a rule or terminal.
func (p *parser) name(what string) (string, error) {
	if p.tok.kind != kRule && p.tok.kind != kTerminal {
		return "", p.expected(what)
	}
	s := p.text()
	return s, p.advance()
}

// declaring reads the names after %declare, at least one.
func (p *parser) declaring(st *statement) error {
	st.kind = sDeclare
	for {
		n := &node{kind: nRef, terminal: p.tok.kind == kTerminal, at: p.at()}
		var err error
		if n.name, err = p.name("a name to declare"); err != nil {
			return err
		}
		st.declared = append(st.declared, n)
		if p.tok.kind == kNewline {
			return nil
		}
	}
}

// configuring reads the settings of the directives that Lark does not have.
func (p *parser) configuring(st *statement, name string) error {
	switch name {
	case "%lexer":
		st.kind = sLexer
	case "%conflicts":
		st.kind = sConflicts
	case "%layout":
		st.kind = sLayout
		return p.settings(st)
	case "%items":
		st.kind = sItems
		return p.settings(st)
	default:
		st.kind, st.nameAt = sMode, p.at()
		var err error
		if st.name, err = p.take(kRule, "a mode's name"); err != nil {
			return err
		}
		return p.settings(st)
	}
	st.settings = []setting{{values: []token{p.tok}, at: p.at()}}
	_, err := p.take(kRule, "a mode")
	return err
}

// settings reads key=values up to the end of the line.
func (p *parser) settings(st *statement) error {
	for p.tok.kind != kNewline {
		if err := p.setting(st); err != nil {
			return err
		}
	}
	return nil
}

// setting reads one key=value,value.
func (p *parser) setting(st *statement) error {
	set := setting{at: p.at()}
	var err error
	if set.key, err = p.take(kRule, "key=value"); err != nil {
		return err
	}
	if _, err := p.take(kEquals, `"=" after `+set.key); err != nil {
		return err
	}
	for {
		switch p.tok.kind {
		case kTerminal, kString, kSpecial, kNumber:
			set.values = append(set.values, p.tok)
		default:
			return p.expected("a terminal's name, a string, a special token or a number")
		}
		if err := p.advance(); err != nil {
			return err
		}
		if ok, err := p.accept(kComma); err != nil {
			return err
		} else if !ok {
			st.settings = append(st.settings, set)
			return nil
		}
	}
}
