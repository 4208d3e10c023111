package lark

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gcdbench/grammar"
	"gcdbench/internal/words"
)

// Imports. A file that is imported is read like any other, with definitions of its own, and then
// what was asked for is taken over together with the rules and terminals that it needs. What is
// asked for gets the name that the import gives; what comes along gets a name that its path is part
// of, so that it clashes with nothing and can still be overridden from outside:
//
//	%import .a.b.value -> v      value is v, its helper item is a__b__item, _x is _a__b__x
//
// Files below are renamed twice: first by what their importer imports, then by its own renaming.

// A loader is shared by the builders of all files that one grammar is made of.
type loader struct {
	files *files
	// stack are the files being imported, outermost first.
	stack []*file
	// copied counts the syntax nodes that imports and templates copied.
	copied int
	// missing has, for names imported from files that lack them, a hint that says so. Lark takes such
	// an import, and fails where the name is used.
	missing map[string]string
	// scopes are the lexers of grammars that stand in rules, and ignored what these ignore.
	scopes  []grammar.LexerMode
	ignored []ignored
}

// An importGroup is all that one file imports from another. Lark imports a file once, where it is
// first mentioned, with all names that any import wants from it.
type importGroup struct {
	st    *statement // the first one
	names []imported
}

// imports adds the definitions of all imported files. They come first, wherever the imports stand.
func (b *builder) imports() error {
	var order []string
	groups := map[string]*importGroup{}
	for _, st := range b.file.statements {
		if st.kind != sImport {
			continue
		}
		key := strings.Join(st.path, ".")
		g := groups[key]
		if g == nil {
			g = &importGroup{st: st}
			groups[key] = g
			order = append(order, key)
		} else if g.st.relative != st.relative {
			hint := fmt.Sprintf("%s is imported at %s; write both with the leading dot or both without", key, g.st.at.position())
			return st.at.errorf(hint, "%s is imported from beside this file and as a library", key)
		}
		g.names = append(g.names, st.names...)
	}
	for _, key := range order {
		if err := b.importGroup(groups[key]); err != nil {
			return err
		}
	}
	return nil
}

// importGroup adds what is imported from one file, and what that depends on. Definitions keep the
// order in which the file has them.
func (b *builder) importGroup(g *importGroup) error {
	f, err := b.findImport(g.st)
	if err != nil {
		return err
	}
	final := map[string]string{}
	for _, n := range g.names {
		if isTerminalName(n.name) != isTerminalName(n.as) {
			hint := "names of terminals are upper case, names of rules lower case"
			return n.at.errorf(hint, "%s cannot be imported as %s", n.name, n.as)
		}
		final[n.name] = n.as
	}
	sub := &builder{loader: b.loader, file: f, anchor: b.anchorOf(g.st.at), rename: renamer(g.st.path, final, b.rename), scope: b.scope}
	b.loader.stack = append(b.loader.stack, f)
	if err := sub.define(); err != nil {
		return err
	}
	b.loader.stack = b.loader.stack[:len(b.loader.stack)-1]
	b.noteMissing(sub, g.names)
	for _, d := range sub.reachable(g.names) {
		if old := b.defs.byName[d.name]; old != nil {
			return g.st.at.errorf("import one of them under another name: -> NAME", "%s %s is imported twice: from %s and from %s",
				d.kind(), d.name, old.at.position(), d.at.position())
		}
		b.defs.add(d)
	}
	return nil
}

// findImport finds the file of an import.
func (b *builder) findImport(st *statement) (*file, error) {
	l := b.loader
	f, tried, err := l.files.find(st.path, st.relative, b.file.dir)
	if err != nil {
		if f == nil && len(tried) > 0 {
			return nil, st.at.errorf("", "cannot read %s: %v", strings.Join(st.path, "."), err)
		}
		return nil, err
	}
	if f == nil {
		return nil, notFound(st, tried)
	}
	if i := slices.Index(l.stack, f); i >= 0 {
		var names []string
		for _, g := range append(l.stack[i:], f) {
			names = append(names, g.path)
		}
		return nil, st.at.errorf("move what both need into a third file", "files import each other: %s", strings.Join(names, " imports "))
	}
	if l.files.imports++; l.files.imports > maxFiles {
		return nil, st.at.errorf("import each file from one place only", "more than %d imports of files", maxFiles)
	}
	return f, nil
}

// notFound is the error for an import of which there is no file.
func notFound(st *statement, tried []string) error {
	name := strings.Join(st.path, ".")
	hint := "there is no " + strings.Join(tried, ", nor ")
	if !st.relative {
		hint = fmt.Sprintf("the libraries are %s; a file beside this one is imported with a leading dot: %%import .%s", libraryNames(), name)
	}
	hint += "; other folders are named by --import-path, or import_paths: in a configuration"
	return st.at.errorf(hint, "cannot find the grammar %s", name)
}

// renamer gives names of an imported file their final form: what is imported is called as the
// import says, all else is prefixed with the path, after a leading underscore.
func renamer(path []string, final map[string]string, outer func(string) string) func(string) string {
	prefix := strings.Join(path, "__") + "__"
	return func(s string) string {
		if as, ok := final[s]; ok {
			s = as
		} else if s[0] == '_' {
			s = "_" + prefix + s[1:]
		} else {
			s = prefix + s
		}
		if outer != nil {
			s = outer(s)
		}
		return s
	}
}

// noteMissing remembers the names that the imported file does not define, for the message in case
// that they are used.
func (b *builder) noteMissing(sub *builder, names []imported) {
	for _, n := range names {
		name := sub.rename(n.name)
		if sub.defs.byName[name] != nil {
			continue
		}
		hint := fmt.Sprintf("it is imported at %s, but %s does not define %s", n.at.position(), sub.file.path, n.name)
		var all []string
		for _, st := range sub.file.statements {
			if st.kind == sRule || st.kind == sTerminal {
				all = append(all, st.name)
			}
		}
		if s, ok := words.Closest(n.name, all); ok {
			hint += "; did you mean " + s + "?"
		}
		b.loader.missing[name] = hint
	}
}

// reachable lists the definitions that the imported names need, in order of definition. What a
// terminal is built of is part of it already.
func (b *builder) reachable(names []imported) []*definition {
	used, scopes := map[string]bool{}, map[int]bool{}
	var queue []string
	use := func(name string) {
		if !used[name] {
			used[name] = true
			queue = append(queue, name)
		}
	}
	for _, n := range names {
		use(b.rename(n.name))
	}
	for len(queue) > 0 {
		d := b.defs.byName[queue[0]]
		queue = queue[1:]
		if d != nil && d.scope > 0 {
			scopes[d.scope] = true
		}
		if d == nil || d.isTerminal || d.body == nil {
			continue
		}
		d.body.walk(func(n *node) {
			if (n.kind == nRef || n.kind == nUse || n.kind == nEmbedded && n.name != "") && !slices.Contains(d.params, n.name) {
				use(n.name)
			}
		})
	}
	for _, ig := range b.loader.ignored { // what a grammar in a rule ignores comes along with it
		used[ig.name] = used[ig.name] || scopes[ig.scope]
	}
	var list []*definition
	for _, d := range b.defs.order {
		if used[d.name] {
			list = append(list, d)
		}
	}
	return list
}

// isTerminalName tells the name of a terminal from that of a rule.
func isTerminalName(name string) bool {
	return unicode.IsUpper(rune(strings.TrimLeft(name, "_")[0]))
}
