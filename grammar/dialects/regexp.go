package dialects

import (
	"fmt"
	"strings"

	"gcdbench/grammar/automata"
)

// Regular expressions, in what Python's re, Rust's regex and the engines' own have in common: a
// character is itself, an escaped one, or a number in \x, \u or \U; classes are ranges; groups are
// (?:...).
//
// Lark evaluates \n, \x and their kin before the regular expression is read. It is the same for
// characters without a meaning of their own, and those that have one are escaped with a backslash,
// which Lark leaves alone.

// regexps is the notation of regular expressions.
func regexps() *notation {
	return &notation{
		literal: regexpLiteral,
		class: func(ranges []automata.RuneRange) string {
			return writeClass(ranges, `[\s\S]`, func(r rune) string { return regexpChar(r, `\^[]-/&~`) })
		},
		open: "(?:", bar: "|",
	}
}

// regexpLiteral writes a text. A quote after a backslash is written by its number, since Lark
// would take the backslash away.
func regexpLiteral(text string) string {
	last := rune(0)
	return mapRunes(text, func(r rune) string {
		behind := last
		last = r
		if r == '"' && behind == '\\' {
			return `\u0022`
		}
		return regexpChar(r, `\^$.|?*+()[]{}/`)
	})
}

// regexpChar escapes a character if it is one of special: those with a meaning at its place, and
// the slash that would end the expression. In a class, Rust has operators in doubled & - and ~.
func regexpChar(r rune, special string) string {
	if strings.ContainsRune(special, r) {
		return `\` + string(r)
	}
	return escapeUnseen(r)
}

// escapeUnseen writes printable ASCII as it is and anything else by its number.
func escapeUnseen(r rune) string {
	switch {
	case ' ' <= r && r <= '~':
		return string(r)
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

func mapRunes(text string, write func(rune) string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(write(r))
	}
	return b.String()
}
