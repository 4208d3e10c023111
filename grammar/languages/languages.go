// Package languages holds the grammars that come with the program, written in Lark's language and
// embedded. Each file begins with a sentence about what it covers (Covers), and says where it
// accepts more than its language. Grammars of Python packages are fetched into the cache (Packages)
// and read by name as well.
package languages

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/gbnf"
	"gcdbench/grammar/lark"
)

//go:embed *.lark
var files embed.FS

// Names lists the embedded grammars in order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the embedded file system always has a root
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".lark"))
	}
	slices.Sort(names)
	return names
}

// Known lists the grammars that have a name: the embedded ones, and those of Packages, which need
// not be in the cache.
func Known() []string {
	names := Names()
	for _, p := range packages {
		names = append(names, p.Grammars()...)
	}
	return names
}

// Source is the text of the embedded grammar of that name.
func Source(name string) (text []byte, ok bool) {
	text, err := files.ReadFile(name + ".lark")
	return text, err == nil
}

// Text is the text of the grammar of that name, embedded or fetched; ok is false if there is none,
// or if it is not in the cache.
func Text(name string) (text []byte, ok bool) {
	if text, ok = Source(name); ok {
		return text, true
	}
	text, found, err := fetchedText(name)
	return text, found && err == nil
}

// Options say how a grammar is read. The zero value reads it from its rule start, with imports
// found beside its file.
type Options struct {
	// Start is the start rule; if empty, "start", or "root" in the notation of llama.cpp.
	Start string
	// ImportPaths are folders that imports of a grammar file are searched in first, in this order.
	ImportPaths []string
	// Lexer is the lexer, one of Lexers; "" for the one that the grammar asks for.
	Lexer string
}

// Lexers are the lexers that a grammar may be read with, as Lark calls them.
var Lexers = []string{"basic", "contextual", "dynamic"}

// mode is the lexer in the form of package lark; nil for the one that the grammar asks for.
func (o Options) mode() (*grammar.LexerMode, error) {
	switch o.Lexer {
	case "":
		return nil, nil
	case "basic":
		return new(grammar.LexFirst), nil
	case "contextual":
		return new(grammar.LexContextual), nil
	case "dynamic":
		return new(grammar.LexDynamic), nil
	}
	return nil, fmt.Errorf("there is no lexer %q; there are: %s", o.Lexer, strings.Join(Lexers, ", "))
}

// Keys of Options in a map.
const (
	startKey   = "start"
	lexerKey   = "lexer"
	importsKey = "import_paths"
)

// Map is o as the options of an algorithms.Source; nil for the zero value. Folders are separated as
// in the variable PATH.
func (o Options) Map() map[string]string {
	m := map[string]string{}
	if o.Start != "" {
		m[startKey] = o.Start
	}
	if len(o.ImportPaths) > 0 {
		m[importsKey] = strings.Join(o.ImportPaths, string(filepath.ListSeparator))
	}
	if o.Lexer != "" {
		m[lexerKey] = o.Lexer
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// OptionsOf are the options of a map that Options.Map made.
func OptionsOf(m map[string]string) Options {
	return Options{Start: m[startKey], ImportPaths: filepath.SplitList(m[importsKey]), Lexer: m[lexerKey]}
}

// Covers is what the embedded grammar of that name covers, language and version, as the first
// sentence of its file has it; "" if there is no such grammar.
func Covers(name string) string {
	text, _ := Source(name)
	first, _, _ := strings.Cut(string(text), "\n")
	first = strings.TrimPrefix(first, "// ")
	for _, end := range []string{", for an LALR(1) parser", ":", ". "} {
		first, _, _ = strings.Cut(first, end)
	}
	return strings.TrimSuffix(first, ".")
}

// IsFile tells the name of a grammar file from a grammar's name.
func IsFile(name string) bool { return strings.HasSuffix(name, ".lark") || gbnf.Is(name) }

// loadGBNF reads a file in the notation of llama.cpp and XGrammar.
func loadGBNF(ctx context.Context, name string, o Options) (*grammar.Grammar, error) {
	switch {
	case o.Lexer != "" && o.Lexer != grammar.LexDynamic.String():
		return nil, fmt.Errorf("%s: grammars in this notation have no lexer: leave the lexer %s out", name, o.Lexer)
	case len(o.ImportPaths) > 0:
		return nil, fmt.Errorf("%s: grammars in this notation import nothing: leave the import paths out", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the grammar: %w", err)
	}
	return gbnf.Parse(ctx, name, text, o.Start)
}

// Load is LoadWith without options.
func Load(ctx context.Context, nameOrPath string) (*grammar.Grammar, error) {
	return LoadWith(ctx, nameOrPath, Options{})
}

// LoadWith parses the grammar of that name, embedded or fetched, or, if there is none, the grammar
// file at that path. A grammar that has not been fetched is an error that says how. It ends within
// some 100 ms when ctx does, with its error.
func LoadWith(ctx context.Context, nameOrPath string, o Options) (*grammar.Grammar, error) {
	mode, err := o.mode()
	if err != nil {
		return nil, err
	}
	text, ok := Source(nameOrPath)
	for _, folder := range o.ImportPaths {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the import path %q is no folder", folder)
		}
	}
	if !ok {
		if text, ok, err = fetchedText(nameOrPath); err != nil {
			return nil, err
		}
	}
	if !ok {
		if !strings.ContainsAny(nameOrPath, "./\\") {
			return nil, fmt.Errorf("there is no grammar %q; there are: %s (a file's name must end in .lark, .gbnf or .ebnf, or in .json if it is a JSON schema)",
				nameOrPath, strings.Join(Names(), ", "))
		}
		if gbnf.Is(nameOrPath) {
			return loadGBNF(ctx, nameOrPath, o)
		}
		return lark.Load(nameOrPath, lark.Options{Start: o.Start, ImportPaths: o.ImportPaths, Lexer: mode, Context: ctx})
	}
	g, err := lark.Parse(text, lark.Options{File: nameOrPath + ".lark", Start: o.Start, Lexer: mode, Context: ctx})
	if err != nil {
		return nil, err
	}
	g.Name = nameOrPath
	return g, nil
}
