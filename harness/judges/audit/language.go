package audit

import (
	"regexp"
	"strings"
)

// A Language says how texts of a language are found and cut.
//
// The cutting is for mutants and for examples only, and need not be right: whatever comes of it is
// judged. It shares no code with the grammar, so that a text is cut alike before and after a
// grammar changes.
type Language struct {
	Name string
	// Extension is that of its files.
	Extension string
	// Classes are those that Class knows, in the order of the rows; one empty class without Class.
	Classes []string
	// Class is the class of a text, each a row of its own; "" if the grammar does not cover it. It is
	// nil where a corpus is one row.
	Class func(text []byte) string
	// split cuts a file into texts; nil where a file is one.
	split func(text []byte) [][]byte
	// dated is what has the versions that grammar and judge are compared by; "" for none.
	dated string
	// lexeme matches white space and comments, or, as its first group, a lexeme.
	lexeme *regexp.Regexp
}

// Parts of the expressions below, in Go's syntax. They are tried in order.
const (
	cComment  = `//[^\n]*|/\*(?s:.*?)\*/`
	cString   = `"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
	name      = `[\pL_$][\pL\pN\pM_$]*`
	number    = `\.?[0-9](?:[eEpP][+-]|[\pL0-9_.])*`
	operator3 = `>>>=|<<=|>>=|&\^=|\.\.\.|>>>|\*\*=|//=`
	operator2 = `:=|<-|->|\+\+|--|&&|\|\||::|<<|>>|\*\*|//|&\^|[-+*/%&|^<>=!@:]=|<>|!!`
	any       = `(?s:.)`
)

// expression puts alternatives together: what is skipped, and lexemes.
func expression(skipped string, lexemes ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?:` + skipped + `)|(` + strings.Join(lexemes, `|`) + `|` + any + `)`)
}

// languages are those with a judge.
var languages = []Language{
	{Name: "go", dated: "Go", Extension: ".go", lexeme: expression(`[ \t\r]+|`+cComment, "`[^`]*`", cString, name, number, operator3, operator2)},
	{Name: "java", dated: "Java", Extension: ".java", lexeme: expression(`\s+|`+cComment, `"""(?s:(?:\\.|.)*?)"""`, cString, `@interface`, `non-sealed`, name, number, operator3, operator2)},
	{Name: "json", Extension: ".json", lexeme: expression(`[ \t\r\n]+`, `"(?:\\.|[^"\\])*"`, `-?[0-9][0-9.eE+-]*`, name)},
	{Name: "python", dated: "Python", Extension: ".py", lexeme: expression(`[ \t\r\f]+|#[^\n]*|\\\n`,
		`(?i:[rbuft]{0,2})(?:"""(?s:(?:\\.|.)*?)"""|'''(?s:(?:\\.|.)*?)'''|"(?:\\(?s:.)|[^"\\\n])*"|'(?:\\(?s:.)|[^'\\\n])*')`,
		name, number, operator3, operator2)},
	{Name: "sql", dated: "PostgreSQL", Extension: ".sql", Class: sqlClass, Classes: sqlClasses, split: sqlStatements, lexeme: sqlLexeme},
}

// LanguageOf is the language of a name; ok is whether there is one. Any other grammar is cut as Go,
// whose lexemes are most like those of others.
func LanguageOf(name string) (l *Language, ok bool) {
	for i := range languages {
		if languages[i].Name == name {
			l, ok = &languages[i], true
		}
	}
	if !ok {
		l = &Language{Name: name, Extension: "", lexeme: languages[0].lexeme}
	}
	if l.Classes == nil {
		l.Classes = []string{""}
	}
	return l, ok
}

// span is a lexeme in a text, from one byte up to another.
type span struct{ from, to int }

// lexemes cuts a text.
func (l *Language) lexemes(text []byte) []span {
	var list []span
	for _, m := range l.lexeme.FindAllSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			list = append(list, span{m[2], m[3]})
		}
	}
	return list
}
