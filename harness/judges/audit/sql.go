package audit

import (
	"bytes"
	"regexp"
)

// SQL files are scripts, many of them for psql, PostgreSQL's terminal. A grammar of SQL is about
// statements, so each statement is a text of its own.

// sqlLexeme cuts SQL. A dollar quote with a tag is cut at its tags, since an expression cannot
// compare them; sqlStatements can.
var sqlLexeme = expression(`\s+|--[^\n]*|/\*(?s:.*?)\*/`,
	`(?i:e)'(?:\\(?s:.)|''|[^'\\])*'`, `(?i:[bxn]|u&)?'(?:''|[^'])*'`, `(?i:u&)?"(?:""|[^"])*"`, `\$\$(?s:.*?)\$\$`,
	`[\pL_][\pL\pN_$]*`, `\$[0-9]+`, number, `::|:=|=>|\.\.`, `[-+*/<>=~!@#%^&|?]+`)

// The classes of statements that the embedded grammar covers.
const (
	sqlQuery  = "queries"
	sqlChange = "changes of data"
	sqlCreate = "tables and views"
)

var sqlClasses = []string{sqlQuery, sqlChange, sqlCreate}

// sqlBegins finds the class of a statement by the words that it begins with.
var sqlBegins = []struct {
	class string
	words *regexp.Regexp
}{
	{sqlQuery, regexp.MustCompile(`^(?:\( )*(?i:select|values|table|with)\b`)},
	{sqlChange, regexp.MustCompile(`^(?i:insert|update|delete|merge|replace)\b`)},
	{sqlCreate, regexp.MustCompile(`^(?i:create (?:or replace )?(?:(?:local|global) )?(?:temp |temporary |unlogged )?(?:(?:recursive |materialized )?view|table))\b`)},
}

// sqlClass is the class of a statement, or "" for one that the grammar does not cover.
func sqlClass(text []byte) string {
	const words = 8 // as many as an expression above reads
	var begin []byte
	for i, m := range sqlLexeme.FindAllSubmatch(text, 4*words) {
		if i > 0 && len(m[1]) > 0 {
			begin = append(begin, ' ')
		}
		begin = append(begin, m[1]...)
	}
	begin = bytes.TrimSpace(begin)
	for _, b := range sqlBegins {
		if b.words.Match(begin) {
			return b.class
		}
	}
	return ""
}

// sqlStatements cuts a script at its semicolons, each statement with its own, and leaves out what
// is psql's: commands, which begin with a backslash and end with their line, and the data behind
// COPY ... FROM STDIN. A command that ends a statement, such as \gset, stands for its semicolon.
func sqlStatements(text []byte) (list [][]byte) {
	s := sqlScript{text: text}
	for s.at < len(text) {
		s.next()
	}
	s.end(len(text), "")
	return s.list
}

// sqlScript is a script that is cut.
type sqlScript struct {
	text []byte
	at   int // read up to here
	from int // where the statement begins
	list [][]byte
	// empty is whether the statement has no lexeme yet; atomic is the depth of BEGIN ATOMIC ... END
	// and CASE ... END in the body of a function, where semicolons belong to it.
	some   bool
	atomic int
	depth  int // of parentheses, where rules have several statements
	last   string
}

// next reads a lexeme.
func (s *sqlScript) next() {
	rest := s.text[s.at:]
	m := sqlLexeme.FindSubmatchIndex(rest)
	lexeme := rest[m[0]:m[1]]
	begin := s.at
	s.at += m[1]
	if m[2] < 0 {
		return
	}
	word := string(bytes.ToLower(lexeme))
	switch {
	case word == `\`:
		s.at = begin + lineEnd(rest)
		s.end(begin, ";")
		s.from = s.at
	case word == ";" && s.atomic == 0 && s.depth == 0:
		s.end(s.at, "")
	case word == "$":
		s.quoted(begin)
		s.some = true
	default:
		s.some = true
		s.nest(word)
	}
	s.last = word
}

// nest counts what semicolons may stand inside of.
func (s *sqlScript) nest(word string) {
	switch {
	case word == "(":
		s.depth++
	case word == ")" && s.depth > 0:
		s.depth--
	case word == "atomic" && s.last == "begin", word == "case" && s.atomic > 0:
		s.atomic++
	case word == "end" && s.atomic > 0:
		s.atomic--
	}
}

// dollarTag is the beginning of a dollar quote with a tag.
var dollarTag = regexp.MustCompile(`^\$[\pL_][\pL\pN_]*\$`)

// quoted reads on to the end of a dollar quote.
func (s *sqlScript) quoted(begin int) {
	tag := dollarTag.Find(s.text[begin:])
	if tag == nil {
		return
	}
	s.at = begin + len(tag)
	if n := bytes.Index(s.text[s.at:], tag); n >= 0 {
		s.at += n + len(tag)
	} else {
		s.at = len(s.text)
	}
}

// copyData is a statement that data follow.
var copyData = regexp.MustCompile(`(?is)^\s*copy\b.*\bfrom\s+stdin\b`)

// end ends a statement before a place and begins the next one there.
func (s *sqlScript) end(at int, semicolon string) {
	statement := bytes.TrimSpace(s.text[s.from:at])
	if s.some {
		s.list = append(s.list, append(bytes.Clone(statement), semicolon...))
	}
	s.from, s.some, s.atomic, s.depth = at, false, 0, 0
	if !copyData.Match(statement) || at >= len(s.text) {
		return
	}
	if n := bytes.Index(s.text[at:], []byte("\n\\.")); n >= 0 {
		s.at = at + n + len("\n\\.")
	} else {
		s.at = len(s.text)
	}
	s.from = s.at
}

// lineEnd is the length of the line that a text begins with, its end included.
func lineEnd(text []byte) int {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return len(text)
}
