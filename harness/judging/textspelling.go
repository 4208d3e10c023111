package judging

import (
	"bytes"
	"slices"
	"strings"

	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// Spellings of a program: only ignored lexemes may change. An ignored lexeme with more than white
// space is a comment.

// An ignoredRule is the spelling of the ignored lexeme of a text that begins and ends at two bytes.
type ignoredRule func(text []byte, begin, end int) []byte

// rewriteIgnored is a way to write a text: the rule replaces the ignored lexemes that end after the
// first n bytes. A text that the grammar refuses stays as it is.
func rewriteIgnored(r *recognizer.Recognizer, n int, rule ignoredRule) func([]byte) []byte {
	return func(text []byte) []byte {
		if r.Check(text) != nil {
			return text
		}
		var out []byte
		s, begin := r.Start(), 0
		emit := func(end int) {
			lexeme := text[begin:end]
			ends := r.Lexer.Ends(s.Lexer)
			if end > n && slices.ContainsFunc(ends, func(e lexer.End) bool { return r.Lexer.Ignored(e.Set) }) {
				lexeme = rule(text, begin, end)
			}
			out = append(out, lexeme...)
			begin = end
		}
		for i, b := range text {
			if r.Pending(s) && r.Lexer.Next(s.Lexer, b) == lexer.None {
				emit(i)
			}
			s, _ = r.Step(s, b)
		}
		if len(text) > 0 {
			emit(len(text))
		}
		return out
	}
}

// withoutEnds drops white space at both ends.
func withoutEnds(text []byte, begin, end int) []byte {
	if isSpace(text[begin:end]) && (begin == 0 || end == len(text)) {
		return nil
	}
	return text[begin:end]
}

// withSpaces makes each run of white space one space, or one line break where it has one, and drops
// it at both ends.
func withSpaces(text []byte, begin, end int) []byte {
	switch lexeme := text[begin:end]; {
	case !isSpace(lexeme):
		return lexeme
	case begin == 0, end == len(text):
		return nil
	case bytes.ContainsAny(lexeme, "\r\n"):
		return []byte("\n")
	}
	return []byte(" ")
}

// withLeastSpaces drops white space at both ends, and beside brackets, commas and semicolons.
func withLeastSpaces(text []byte, begin, end int) []byte {
	const alone = "()[]{},;"
	if isSpace(text[begin:end]) && (begin == 0 || end == len(text) || strings.IndexByte(alone, text[begin-1]) >= 0 || strings.IndexByte(alone, text[end]) >= 0) {
		return nil
	}
	return text[begin:end]
}

// withoutComments makes comments white space.
func withoutComments(text []byte, begin, end int) []byte {
	switch lexeme := text[begin:end]; {
	case isSpace(lexeme):
		return lexeme
	case begin == 0, end == len(text):
		return nil
	}
	return []byte(" ")
}

func isSpace(lexeme []byte) bool { return len(bytes.TrimSpace(lexeme)) == 0 }
