package lark

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
)

// Options say where a grammar comes from and how to read it. The zero value reads a text whose
// start rule is called start and whose imports are relative to the current folder.
type Options struct {
	// File is the name of the text in messages; its folder is where relative imports start.
	File string
	// Name is the grammar's name; without one it is File without folder and extension.
	Name string
	// Start is the start rule; "start" if empty.
	Start string
	// FS has the imported files, under slash-separated paths; nil is the operating system's.
	FS fs.FS
	// Dir is the folder of relative imports, if it is not that of File.
	Dir string
	// ImportPaths are searched for imports first, in this order.
	ImportPaths []string
	// Lexer and Conflicts, where not nil, win over the directives in the grammar.
	Lexer     *grammar.LexerMode
	Conflicts *grammar.ConflictMode
	// Kept is what the embedded schemas, and the free texts beside them, have in common with those of
	// other grammars; nil if there are none (jsonschema.Options.Kept).
	Kept *jsonschema.Kept
	// Context ends reading early, within some 100 ms, with its error; nil never does.
	Context context.Context
}

// defaultStart is the start rule of a grammar if nobody names another.
const defaultStart = "start"

// Parse reads a grammar in Lark's language. An error about the grammar is a *grammar.Error, one of
// the context is wrapped.
func Parse(src []byte, opt Options) (*grammar.Grammar, error) {
	if opt.Start == "" {
		opt.Start = defaultStart
	}
	l := &loader{files: newFiles(opt), missing: map[string]string{}}
	l.files.hashStart(opt.Start)
	dir := opt.Dir
	if dir == "" {
		dir = l.files.dirOf(opt.File)
	}
	f, err := l.files.parse(opt.File, dir, src)
	if err != nil {
		return nil, err
	}
	l.files.parsed[opt.File] = f // so that a file that imports itself is found out
	l.stack = []*file{f}
	b := &builder{loader: l, file: f}
	if err := b.define(); err != nil {
		return nil, err
	}
	b.config.lexer = b.lexer()
	if opt.Lexer != nil && *opt.Lexer != b.config.lexer {
		b.config.lexer = *opt.Lexer
		l.files.hashLexer(*opt.Lexer)
	}
	if opt.Conflicts != nil {
		b.config.conflicts = *opt.Conflicts
	}
	if b.config.lexer == grammar.LexDynamic {
		b.config.conflicts = grammar.KeepConflicts // of the characters, and so of the rules
	}
	if err := b.validate(); err != nil {
		return nil, err
	}
	if err := b.validateStart(opt.Start); err != nil {
		return nil, err
	}
	low, err := lower(b, opt.Start)
	if err != nil {
		return nil, err
	}
	if err := l.files.stopped(); err != nil {
		return nil, err
	}
	return low.assemble(grammarName(opt), opt.Start)
}

// Load reads a grammar file, from opt.FS if that is set. Relative imports start in its folder.
func Load(name string, opt Options) (*grammar.Grammar, error) {
	text, err := newFiles(opt).read(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no grammar file %s: %w", name, err)
		}
		return nil, fmt.Errorf("cannot read the grammar: %w", err)
	}
	if opt.Dir == "" {
		opt.Dir = newFiles(opt).dirOf(name)
	}
	if opt.File == "" {
		opt.File = name
	}
	return Parse(text, opt)
}

// grammarName is the name of a grammar that has none of its own.
func grammarName(opt Options) string {
	if opt.Name != "" {
		return opt.Name
	}
	base := path.Base(filepath.ToSlash(opt.File))
	if base = strings.TrimSuffix(base, path.Ext(base)); base == "" || base == "." {
		return "grammar"
	}
	return base
}

// validateStart checks that the start rule is there, which is the first thing that goes wrong with
// a grammar written for something else.
func (b *builder) validateStart(start string) error {
	d := b.defs.byName[start]
	at := b.file.src.at(0)
	switch {
	case d == nil:
		hint := b.similar(start, false)
		if roots := b.roots(); hint == "" && len(roots) > 0 {
			hint = grammar.StartHint(roots)
		}
		return at.errorf(hint, "the grammar does not define its start rule, %s", start)
	case d.isTerminal:
		return d.at.errorf("make a rule of it: start: "+start, "the start rule %s is a terminal", start)
	case len(d.params) > 0:
		return d.at.errorf("make a rule that uses it", "the start rule %s is a template", start)
	}
	return nil
}

// roots lists the rules that no other rule names, any of which may be meant to be the start, or
// else the first rule.
func (b *builder) roots() []string {
	named := map[string]bool{}
	for _, d := range b.defs.order {
		if d.body != nil && !d.isTerminal {
			d.body.walk(func(n *node) { named[n.name] = named[n.name] || n.name != d.name })
		}
	}
	rules := b.defs.names(false)
	roots := slices.DeleteFunc(slices.Clone(rules), func(name string) bool { return named[name] || len(b.defs.byName[name].params) > 0 })
	if len(roots) == 0 {
		return rules[:min(1, len(rules))]
	}
	return roots
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
