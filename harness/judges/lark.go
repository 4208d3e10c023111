package judges

import (
	"cmp"
	_ "embed"
	"regexp"
	"strings"

	"gcdbench/grammar/gbnf"
)

//go:embed larkjudge.py
var larkProgram string

// directive finds the directives that Lark does not have (package grammar/lark lists them), each a
// line.
var directive = regexp.MustCompile(`(?m)^[ \t]*%(lexer|conflicts|layout)\b[ \t]*(.*)$`)

// larkName names the judge with the lexer by which it decides (LexersDiffer).
func larkName(lexer string) string { return "Lark with the " + lexer + " lexer" }

// larkSetup is what the child has to know.
type larkSetup struct {
	Grammar string   `json:"grammar"`
	Path    string   `json:"path"` // of a file that may import others
	Parser  string   `json:"parser"`
	Lexer   string   `json:"lexer"`
	Start   string   `json:"start"`
	Imports []string `json:"import_paths"`
	Differ  string   `json:"lexers_differ"` // LexersDiffer
}

// OfLark judges by Lark, which reads the grammar itself, as long as the grammar is in Lark's
// language; the error is a *MissingError. Of the directives Lark does not have, those that say
// what Lark does anyway are left out, and %lexer contextual and dynamic are asked of Lark; a
// grammar that keeps its conflicts goes to Lark's Earley parser, which follows all ways.
func OfLark(l Language, opt Options) (Judge, error) {
	if gbnf.Is(l.Name) {
		return nil, &MissingError{Judge: "Lark", Why: "the grammar is not in Lark's language"}
	}
	setup := larkSetup{Grammar: string(l.Text), Parser: "lalr", Lexer: cmp.Or(l.Reading.Lexer, "basic"), Start: cmp.Or(l.Reading.Start, "start"), Imports: l.Reading.ImportPaths, Differ: LexersDiffer}
	found := directive.FindAllStringSubmatch(setup.Grammar, -1)
	for _, d := range found {
		value, _, _ := strings.Cut(d[2], "//")
		switch value = strings.TrimSpace(value); {
		case d[1] == "lexer" && value == "contextual" && l.Reading.Lexer == "":
			setup.Lexer = value
		case d[1] == "lexer" && value == "dynamic" && l.Reading.Lexer == "":
			setup.Lexer = "dynamic"
		case d[1] == "layout", d[1] == "lexer" && value == "all":
			return nil, &MissingError{Judge: larkName(setup.Lexer), Why: "it has no %" + d[1]}
		case d[1] == "conflicts" && value == "keep":
			setup.Parser = "earley"
		}
	}
	if len(found) == 0 && strings.ContainsAny(l.Name, `./\`) {
		setup.Path = l.Name
	}
	setup.Grammar = directive.ReplaceAllString(setup.Grammar, "")
	switch {
	case setup.Lexer == "dynamic":
		setup.Parser, setup.Lexer = "earley", "dynamic_complete"
	case setup.Lexer != "basic" && setup.Parser != "lalr":
		return nil, &MissingError{Judge: larkName("basic"), Why: "it has no contextual lexer for a grammar that keeps its conflicts"}
	}
	return pythonChild(larkName(setup.Lexer), opt, larkProgram, setup), nil
}
