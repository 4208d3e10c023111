// Package gbnf reads grammars in the notations of llama.cpp (GBNF) and XGrammar (EBNF), which are
// one family: rules of characters, without a lexer.
//
// # What it reads
//
// A rule is name ::= body, and the text from root is the language. A body has alternatives with |,
// literals in double quotes, classes of characters such as [a-z] and [^"], . for any character,
// names of rules, groups, and repeats by *, +, ?, {m}, {m,} and {m,n}. Escapes in literals and
// classes are \n \r \t \0 \a \b \e \f \v, signs that stand for themselves behind a backslash, and
// \uNNNN and \UNNNNNNNN for code points. Behind \x stand two digits in a .gbnf file, as in
// llama.cpp, and any number of them in an .ebnf file, as in XGrammar. A comment goes from # to the
// end of its line. A rule ends where the next one begins; line breaks mean nothing.
//
// Tokens of llama.cpp in angle brackets, <name> and <[id]>, are special tokens
// (grammar.TerminalDef), and !<name>* and !<name>+ are texts, which no special token and no named
// one is part of. One token but some (!<name>) is an error.
//
// In an .ebnf file a dot is a letter of a name. name[temperature=0.7, capture="x"] ::= body is the
// same without what is in the brackets, and name[lazy] ::= body has the shortest texts of a body
// that is regular. (= body) at the end of a sequence says what follows, and means nothing. Macros
// are Regex, Substring, TagDispatch, Token and TokenTagDispatch (macros.go); ExcludeToken and the
// options max_tokens and max_chars are errors.
//
// # What it makes
//
// A grammar.Grammar that is read without a lexer (grammar.LexDynamic). Literals and classes are its
// terminals, repeats become rules of their own, recursive on the left, and counted ones on the
// right. Recursion of any kind is taken, on the left too, which llama.cpp refuses.
//
// # What bounds it
//
// A file of a mebibyte, groups nested a thousand deep, and some 65,000 symbols once counted repeats
// are written out. Everything is linear in these.
package gbnf

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// Limits; beyond them a grammar is refused.
const (
	maxSource  = 1 << 20
	maxNesting = 1000
	maxSymbols = 1 << 16
)

// DefaultStart is the start rule of a grammar if nobody names another.
const DefaultStart = "root"

// Suffixes are the ends of the names of files in this notation.
var Suffixes = []string{".gbnf", ".ebnf"}

// Is tells a file in this notation by its name.
func Is(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == Suffixes[0] || ext == Suffixes[1]
}

// Parse reads a grammar; file is its name in messages, and start its start rule, DefaultStart if
// empty. An error about the grammar is a *grammar.Error with its place.
func Parse(ctx context.Context, file string, text []byte, start string) (*grammar.Grammar, error) {
	p := &parser{file: file, text: strings.TrimPrefix(string(text), "\ufeff"), rules: map[string]*rule{}, terminals: map[string]grammar.Terminal{}, limits: automata.Limits{Context: ctx}}
	if len(text) > maxSource {
		return nil, &grammar.Error{Pos: grammar.Position{File: file}, Message: fmt.Sprintf("the file is too large; the limit is %d bytes", maxSource)}
	}
	for off, r := range p.text {
		if r == utf8.RuneError && !strings.HasPrefix(p.text[off:], "\ufffd") {
			return nil, p.errorf(off, "save the file as UTF-8", "byte 0x%02x is not UTF-8", p.text[off])
		}
	}
	p.xgrammar = strings.EqualFold(filepath.Ext(file), Suffixes[1])
	base := filepath.Base(file)
	p.g = &grammar.Grammar{Name: strings.TrimSuffix(base, filepath.Ext(base)), Lexer: grammar.LexDynamic, Conflicts: grammar.KeepConflicts}
	if start == "" {
		start = DefaultStart
	}
	h := sha256.New()
	h.Write(text)
	if start != DefaultStart {
		h.Write([]byte("\x00start " + start))
	}
	h.Sum(p.g.SHA256[:0])
	if err := p.all(); err != nil {
		return nil, err
	}
	if err := p.finish(start); err != nil {
		return nil, err
	}
	if err := p.shorten(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.g, p.g.Validate()
}

// A rule is a name that was met.
type rule struct {
	id      grammar.Nonterminal
	defined bool
	named   bool // by another rule
	lazy    bool // its shortest texts are meant
	at      int  // where it is defined, or else where it was first used
}

// A parser reads a text, and writes the grammar as it goes.
type parser struct {
	file, text string
	at         int // the offset of what is read next
	g          *grammar.Grammar
	rules      map[string]*rule
	order      []string // the names, as they were met
	terminals  map[string]grammar.Terminal
	limits     automata.Limits
	symbols    int
	depth      int
	name       string // of the rule that is read
	xgrammar   bool   // the notation is XGrammar's, where the two differ
}

// errorf is an error at an offset.
func (p *parser) errorf(off int, hint, format string, args ...any) error {
	pos := p.position(off)
	line := p.text[strings.LastIndexByte(p.text[:off], '\n')+1:]
	line, _, _ = strings.Cut(line, "\n")
	return &grammar.Error{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint, Line: line}
}

// position is an offset as line and column.
func (p *parser) position(off int) grammar.Position {
	begin := strings.LastIndexByte(p.text[:off], '\n') + 1
	return grammar.Position{File: p.file, Line: 1 + strings.Count(p.text[:off], "\n"), Column: 1 + utf8.RuneCountInString(p.text[begin:off])}
}

// finish checks that all rules are there, and finds the start.
func (p *parser) finish(start string) error {
	for _, name := range p.order {
		if r := p.rules[name]; !r.defined {
			return p.errorf(r.at, p.hint(name), "there is no rule %s", name)
		}
	}
	r, ok := p.rules[start]
	if !ok {
		hint := ""
		roots := slices.DeleteFunc(slices.Clone(p.order), func(name string) bool { return p.rules[name].named })
		if len(roots) == 0 {
			roots = p.order[:min(1, len(p.order))]
		}
		if len(roots) > 0 {
			hint = grammar.StartHint(roots)
		}
		return p.errorf(0, hint, "the grammar does not define its start rule, %s", start)
	}
	p.g.Start = r.id
	return nil
}

// hint says what may have been meant by the name of a rule that is not there.
func (p *parser) hint(name string) string {
	for _, other := range p.order {
		if p.rules[other].defined && strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(other), strings.NewReplacer("_", "", "-", "").Replace(name)) {
			return "did you mean " + other + "?"
		}
	}
	return "define it by " + name + " ::= ..."
}
