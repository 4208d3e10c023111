package dialects

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/words"
)

// A Translation is a grammar in a dialect.
type Translation struct {
	// Text is the grammar; the start rule comes first, and the same grammar gives the same text.
	Text string
	// Notes say, one sentence each, where the text means more than the grammar, and what its reader
	// must do.
	Notes []string
	// EndMark is not empty in a dialect whose engine stops at the first text that the grammar
	// accepts: every text of the translation ends with it. Whoever runs the engine gives the EOS
	// token these bytes, and no other token.
	EndMark string
}

// An UnsupportedError says that a grammar has a feature which a dialect cannot express.
type UnsupportedError struct {
	Grammar, Dialect string
	Feature          string           // a noun phrase, such as "layout (indentation)"
	Pos              grammar.Position // where the grammar asks for it; may be nowhere
}

// Error names the grammar, the dialect and the feature.
func (e *UnsupportedError) Error() string {
	where := ""
	if e.Pos.IsValid() {
		where = e.Pos.String() + ": "
	}
	return fmt.Sprintf("%sgrammar %s cannot be written in %s, which has no %s", where, e.Grammar, e.Dialect, e.Feature)
}

// A dialect is one way to write a grammar.
type dialect struct {
	name, reader string
	write        func(*source) (*Translation, error)
}

func all() []dialect {
	return []dialect{
		{"lark", "Lark 1.3, and what reads its files", writeLark},
		{"llguidance-lark", "llguidance 1.9", writeLLGuidance},
		{"glrmask-lark", "glrmask 0.5", writeGLRMask},
		{"ebnf", "xgrammar 0.2", writeEBNF},
		{"gbnf", "llama.cpp", writeGBNF},
		{"kbnf", "kbnf 0.4", writeKBNF},
	}
}

// Names lists the dialects.
func Names() []string {
	var names []string
	for _, d := range all() {
		names = append(names, d.name)
	}
	return names
}

// Reader says which program reads a dialect, and which version of it the translation is tested
// with.
func Reader(name string) string {
	for _, d := range all() {
		if d.name == name {
			return d.reader
		}
	}
	return ""
}

// Translate writes g in a dialect. It fails with an *UnsupportedError if the dialect lacks what g
// needs, with the errors of package automata if a terminal is too large for it, and with ctx's
// error soon after ctx ends.
func Translate(ctx context.Context, g *grammar.Grammar, name string) (*Translation, error) {
	for _, d := range all() {
		if d.name != name {
			continue
		}
		s, err := newSource(ctx, g, name)
		if err != nil {
			return nil, err
		}
		for i := range g.Terminals {
			if t := &g.Terminals[i]; t.Special != "" {
				return nil, s.unsupported(t.Pos, "translation here of special tokens such as %s", t.Special)
			}
		}
		t, err := d.write(s)
		if err == nil && g.Lexer == grammar.LexDynamic { // these say what a grammar with a lexer loses
			t.Notes = slices.DeleteFunc(t.Notes, func(note string) bool { return note == noteMunch || note == notePriority })
		}
		return t, err
	}
	return nil, fmt.Errorf("there is no dialect %q; there are: %s", name, strings.Join(Names(), ", "))
}

// unsupported makes the error for a feature.
func (s *source) unsupported(at grammar.Position, format string, args ...any) error {
	return &UnsupportedError{Grammar: s.g.Name, Dialect: s.dialect, Feature: fmt.Sprintf(format, args...), Pos: at}
}

// Notes that several dialects share.
const (
	noteContextual = "a lexeme is looked for among the terminals that may stand at its place, not among all: " +
		"where no identifier may begin, `intx` can be `int` and `x`"
	notePriority = "terminals have no priority: a keyword passes as an identifier"
	noteMunch    = "there is no lexer, so that a terminal may end before its longest match: `intx` passes as `int` and `x`, " +
		"and one identifier as two where two may stand side by side"
)

// noteConflicts notes that engines follow both ways of LALR conflicts that the grammar has
// resolved.
func (s *source) noteConflicts() (notes []string, err error) {
	if s.g.Conflicts == grammar.KeepConflicts {
		return nil, nil
	}
	tables, err := lr.Build(s.ctx, s.g, lr.Options{})
	if err != nil {
		return nil, err
	}
	shift, reduce := tables.CountConflicts()
	if shift+reduce == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("every reading of the rules is followed, where the grammar has %s resolved in favour of one",
		words.Count(shift+reduce, "LALR conflict"))}, nil
}
