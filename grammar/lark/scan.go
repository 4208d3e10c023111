package lark

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is the kind of a token of the grammar language.
type kind uint8

const (
	kEnd       kind = iota // end of file
	kNewline               // one or more line breaks and the white space after them
	kOr                    // "|", with the line breaks before it
	kRule                  // a name in lower case
	kTerminal              // a name in upper case
	kString                // "..." or "..."i
	kRegexp                // /.../flags
	kSpecial               // <name> or <[id]>
	kNumber                // digits, with a sign or none
	kOperator              // ? * +
	kModifiers             // ! ? !? ?! directly before a rule's name
	kDirective             // %name
	kArrow                 // ->
	kDotDot                // ..
	kTilde                 // ~
	kAnd                   // &
	kColon
	kComma
	kDot
	kEquals // only in directives that Lark does not have
	kOpen   // (
	kClose
	kOpenBracket
	kCloseBracket
	kOpenBrace
	kCloseBrace
)

// kindNames are how messages call the kinds.
var kindNames = map[kind]string{
	kEnd: "the end of the file", kNewline: "the end of the line", kOr: `"|"`, kRule: "a rule name",
	kTerminal: "a terminal name", kString: "a string", kRegexp: "a regexp", kSpecial: "a special token", kNumber: "a number",
	kOperator: "an operator", kModifiers: "rule modifiers", kDirective: "a directive", kArrow: `"->"`,
	kDotDot: `".."`, kTilde: `"~"`, kAnd: `"&"`, kColon: `":"`, kComma: `","`, kDot: `"."`, kEquals: `"="`,
	kOpen: `"("`, kClose: `")"`, kOpenBracket: `"["`, kCloseBracket: `"]"`, kOpenBrace: `"{"`, kCloseBrace: `"}"`,
}

// punctuation are the tokens of one character that start no other token.
var punctuation = map[byte]kind{
	'~': kTilde, '&': kAnd, ':': kColon, ',': kComma, '=': kEquals, '|': kOr,
	'(': kOpen, ')': kClose, '[': kOpenBracket, ']': kCloseBracket, '{': kOpenBrace, '}': kCloseBrace,
}

// A token is a piece of a grammar file.
type token struct {
	kind     kind
	off, end int
}

// A scanner cuts a grammar file into tokens. Line breaks are tokens, because a definition ends at
// one unless the next line starts with "|".
//
// Where tokens overlap, Lark's choice is by a lexer of regular expressions, and its effects are
// part of the language: "x?y" does not read as "x? y" (the "?" is taken for a modifier of y), "Ab"
// is the terminal A and then the rule b, and a comment takes the line breaks before it with it, so
// that an alternative may follow on the line after a comment.
type scanner struct {
	src *source
	off int
}

// next returns the next token.
func (s *scanner) next() (token, error) {
	if err := s.skipBlanks(); err != nil {
		return token{}, err
	}
	text, start := s.src.text, s.off
	if start == len(text) {
		return token{kEnd, start, start}, nil
	}
	tok := func(k kind, n int) (token, error) {
		s.off = start + n
		return token{k, start, s.off}, nil
	}
	c, rest := text[start], text[start:]
	// The order of what follows is that of Lark: the longest kind of token first, so that "+1" is a
	// number, "->" an arrow and "?a" a modifier rather than an operator.
	if bytes.HasPrefix(rest, []byte("::")) {
		return token{}, s.src.at(start).errorf(foreign["::"][1], "parameters of rules (::) are %s alone", foreign["::"][0])
	}
	if k, ok := punctuation[c]; ok {
		return tok(k, 1)
	}
	switch {
	case lineBreak(rest) > 0:
		n := pythonSpace(rest)
		if n < len(rest) && rest[n] == '|' {
			return tok(kOr, n+1)
		}
		return tok(kNewline, n)
	case c == '"':
		return s.quoted()
	case c == '/':
		return s.regexp()
	case c == '<':
		return s.special()
	case c == '%':
		n := 1 + spanOf(rest[1:], isWordByte)
		return tok(kDirective, n)
	case c == '@' && nameLength(rest[1:], isLowerByte) > 0:
		return tok(kDirective, 1+nameLength(rest[1:], isLowerByte))
	case c == '-' && bytes.HasPrefix(rest, []byte("->")):
		return tok(kArrow, 2)
	case c == '.':
		if bytes.HasPrefix(rest, []byte("..")) {
			return tok(kDotDot, 2)
		}
		return tok(kDot, 1)
	}
	if n := nameLength(rest, isLowerByte); n > 0 {
		return tok(kRule, n)
	}
	if n := nameLength(rest, isUpperByte); n > 0 {
		return tok(kTerminal, n)
	}
	if n := numberLength(rest); n > 0 {
		return tok(kNumber, n)
	}
	if n := modifiersLength(rest); n > 0 {
		return tok(kModifiers, n)
	}
	if c == '?' || c == '*' || c == '+' {
		return tok(kOperator, 1)
	}
	return token{}, s.unexpected()
}

// skipBlanks skips spaces, tabs, comments and continued line ends. A comment takes the white space
// before it with it, line breaks included; a line break that ends a comment stays.
func (s *scanner) skipBlanks() error {
	text := s.src.text
	for s.off < len(text) {
		rest := text[s.off:]
		n := pythonSpace(rest)
		after := rest[n:]
		if bytes.HasPrefix(after, []byte("//")) || bytes.HasPrefix(after, []byte("#")) {
			s.off += n + bytes.IndexByte(after, '\n')
			continue
		}
		if blanks := spanOf(rest, isBlankByte); blanks > 0 {
			s.off += blanks
			continue
		}
		if rest[0] != '\\' {
			return nil
		}
		n = 1 + spanOf(rest[1:], func(c byte) bool { return c == ' ' })
		br := lineBreak(rest[n:])
		if br == 0 {
			return s.src.at(s.off).errorf(`a "\" continues a line, and only spaces may follow it`, `"\" in the middle of a line`)
		}
		s.off += n + br
	}
	return nil
}

// quoted reads a string literal with its flag.
func (s *scanner) quoted() (token, error) {
	text, start := s.src.text, s.off
	// The text ends in a line break, so that there is always a next byte to look at.
	for i := start + 1; text[i] != '\n'; i++ {
		switch {
		case text[i] == '\\' && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
		case text[i] == '"':
			i++
			if text[i] == 'i' {
				i++
			}
			s.off = i
			return token{kString, start, i}, nil
		}
	}
	hint := `a string ends on its line; write a line break as \n`
	return token{}, s.src.at(start).errorf(hint, "the string is not closed")
}

// special reads the name of a special token, in angle brackets.
func (s *scanner) special() (token, error) {
	text, start := s.src.text, s.off
	n := 1 + spanOf(text[start+1:], func(c byte) bool { return c != '<' && c != '>' && pythonSpace([]byte{c}) == 0 })
	if n == 1 || text[start+n] != '>' {
		hint := `a special token is written <name> or <[id]>, without a space; quote "<" to mean the character`
		return token{}, s.src.at(start).errorf(hint, "the name of the special token is not closed")
	}
	s.off = start + n + 1
	return token{kSpecial, start, s.off}, nil
}

// regexpFlags are the letters that may follow a regexp, in the order in which they are written out.
const regexpFlags = "imslux"

// regexp reads a regular expression with its flags. It may span lines only with the x flag.
func (s *scanner) regexp() (token, error) {
	text, start := s.src.text, s.off
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '\\'):
			i++
		case text[i] == '/':
			end := i + 1 + spanOf(text[i+1:], func(c byte) bool { return strings.IndexByte(regexpFlags, c) >= 0 })
			if bytes.IndexByte(text[start:i], '\n') >= 0 && bytes.IndexByte(text[i:end], 'x') < 0 {
				hint := `write "/" inside a regexp as \/; only one with the x flag may span lines`
				return token{}, s.src.at(start).errorf(hint, "the regexp does not end on its line")
			}
			s.off = end
			return token{kRegexp, start, end}, nil
		}
	}
	return token{}, s.src.at(start).errorf(`it ends at the next "/" that no backslash precedes`, "the regexp is not closed")
}

// unexpected is the error for a character that starts no token. Most are habits from other
// notations.
func (s *scanner) unexpected() error {
	p := s.src.at(s.off)
	r, _ := utf8.DecodeRune(s.src.text[s.off:])
	switch {
	case r == '\'':
		return p.errorf(`quote strings with "`, "unexpected '")
	case r == '!':
		return p.errorf("the modifiers ! and ? stand directly before the name of a rule that is being defined", "misplaced !")
	case r == '_':
		hint := "a name has at most one underscore before its first letter; names with two are Lark's own"
		return p.errorf(hint, "a name cannot start like this")
	case r == '-' || r == '$' || r == '@' || unicode.IsLetter(r):
		return p.errorf("names have the letters a to z (rules) or A to Z (terminals), digits and underscores", "unexpected %q", r)
	}
	return p.errorf("", "unexpected %q", r)
}

func isBlankByte(c byte) bool { return c == ' ' || c == '\t' }
func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }
func isLowerByte(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpperByte(c byte) bool { return 'A' <= c && c <= 'Z' }
func isWordByte(c byte) bool  { return isLowerByte(c) || c == '_' }

// spanOf counts the bytes at the start of b for which f holds.
func spanOf(b []byte, f func(byte) bool) int {
	for i, c := range b {
		if !f(c) {
			return i
		}
	}
	return len(b)
}

// lineBreak is the length of the line break that b starts with, or 0. A lone carriage return is
// none.
func lineBreak(b []byte) int {
	if bytes.HasPrefix(b, []byte("\r\n")) {
		return 2
	}
	if bytes.HasPrefix(b, []byte("\n")) {
		return 1
	}
	return 0
}

// pythonSpace is the length of the white space that b starts with, as Python's \s has it:
// Unicode's, and the four ASCII separators.
func pythonSpace(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) {
			break
		}
		n += size
	}
	return n
}

// nameLength is the length of the name that b starts with, or 0. A name is never the start of a
// longer one: "AbC" is three of them: an underscore or none, a letter, then letters of the same
// case, digits and underscores, and hyphens between them, which Lark does not have.
func nameLength(b []byte, letter func(byte) bool) int {
	n := 0
	if b[0] == '_' {
		n = 1
	}
	if n == len(b) || !letter(b[n]) {
		return 0
	}
	in := func(c byte) bool { return letter(c) || isDigitByte(c) || c == '_' }
	for n += spanOf(b[n:], in); n+1 < len(b) && b[n] == '-' && in(b[n+1]); {
		n += 1 + spanOf(b[n+1:], in)
	}
	return n
}

// numberLength is the length of the number that b starts with, or 0.
func numberLength(b []byte) int {
	n := 0
	if b[0] == '+' || b[0] == '-' {
		n = 1
	}
	digits := spanOf(b[n:], isDigitByte)
	if digits == 0 {
		return 0
	}
	return n + digits
}

// modifiersLength is the length of the modifiers that b starts with: "!" and "?", each at most
// once, directly before a rule's name.
func modifiersLength(b []byte) int {
	n := 0
	for n < 2 && (b[n] == '!' || b[n] == '?') && (n == 0 || b[n] != b[0]) {
		n++
	}
	if n == 0 || b[n] != '_' && !isLowerByte(b[n]) {
		return 0
	}
	return n
}
