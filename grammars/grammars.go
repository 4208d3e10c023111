// Package grammars holds the grammars that come with the program, written in Lark's language and
// embedded. Each file begins with a sentence about what it covers (Covers), and says where it
// accepts more than its language.
package grammars

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar"
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

// Source is the text of the embedded grammar of that name.
func Source(name string) (text []byte, ok bool) {
	text, err := files.ReadFile(name + ".lark")
	return text, err == nil
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

// Load parses the embedded grammar of that name, or, if there is none, the grammar file at that
// path. It ends within some 100 ms when ctx does, with its error.
func Load(ctx context.Context, nameOrPath string) (*grammar.Grammar, error) {
	text, ok := Source(nameOrPath)
	if !ok {
		if !strings.ContainsAny(nameOrPath, "./\\") {
			return nil, fmt.Errorf("there is no grammar %q; there are: %s (a file's name must end in .lark, or in .json if it is a JSON schema)",
				nameOrPath, strings.Join(Names(), ", "))
		}
		return lark.Load(nameOrPath, lark.Options{Context: ctx})
	}
	g, err := lark.Parse(text, lark.Options{File: nameOrPath + ".lark", Context: ctx})
	if err != nil {
		return nil, err
	}
	g.Name = nameOrPath
	return g, nil
}
