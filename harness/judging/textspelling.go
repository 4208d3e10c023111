package judging

import (
	"bytes"
	"strings"

	"gcdbench/lexer"
	"gcdbench/recognizer"
)

// Spellings of a program: only ignored lexemes may change. An ignored lexeme with more than white
// space is a comment.

// rewriteIgnored replaces the ignored lexemes of a text that end after its first n bytes. A text
// that the grammar refuses stays as it is.
func rewriteIgnored(r *recognizer.Recognizer, text []byte, n int, change func(begin, end int) []byte) []byte {
	if r.Check(text) != nil {
		return text
	}
	var out []byte
	s, begin := r.Start(), 0
	emit := func(end int) {
		lexeme := text[begin:end]
		if set := r.Lexer.Accept(s.Lexer); end > n && set != lexer.NoSet && r.Lexer.Ignored(set) {
			lexeme = change(begin, end)
		}
		out = append(out, lexeme...)
		begin = end
	}
	for i, b := range text {
		if s.Pending() && r.Lexer.Next(s.Lexer, b) == lexer.None {
			emit(i)
		}
		s, _ = r.Step(s, b)
	}
	if len(text) > 0 {
		emit(len(text))
	}
	return out
}

// withoutEnds drops white space at both ends.
func withoutEnds(r *recognizer.Recognizer, n int) func([]byte) []byte {
	return func(text []byte) []byte {
		return rewriteIgnored(r, text, n, func(begin, end int) []byte {
			if isSpace(text[begin:end]) && (begin == 0 || end == len(text)) {
				return nil
			}
			return text[begin:end]
		})
	}
}

// withSpaces makes each run of white space one space, or one line break where it has one, and drops
// it at both ends.
func withSpaces(r *recognizer.Recognizer, n int) func([]byte) []byte {
	return func(text []byte) []byte {
		return rewriteIgnored(r, text, n, func(begin, end int) []byte {
			switch lexeme := text[begin:end]; {
			case !isSpace(lexeme):
				return lexeme
			case begin == 0, end == len(text):
				return nil
			case bytes.ContainsAny(lexeme, "\r\n"):
				return []byte("\n")
			}
			return []byte(" ")
		})
	}
}

// withLeastSpaces drops white space at both ends, and beside brackets, commas and semicolons.
func withLeastSpaces(r *recognizer.Recognizer, n int) func([]byte) []byte {
	const alone = "()[]{},;"
	return func(text []byte) []byte {
		return rewriteIgnored(r, text, n, func(begin, end int) []byte {
			if isSpace(text[begin:end]) && (begin == 0 || end == len(text) || strings.IndexByte(alone, text[begin-1]) >= 0 || strings.IndexByte(alone, text[end]) >= 0) {
				return nil
			}
			return text[begin:end]
		})
	}
}

// withoutComments makes comments white space.
func withoutComments(r *recognizer.Recognizer, n int) func([]byte) []byte {
	return func(text []byte) []byte {
		return rewriteIgnored(r, text, n, func(begin, end int) []byte {
			switch lexeme := text[begin:end]; {
			case isSpace(lexeme):
				return lexeme
			case begin == 0, end == len(text):
				return nil
			}
			return []byte(" ")
		})
	}
}

func isSpace(lexeme []byte) bool { return len(bytes.TrimSpace(lexeme)) == 0 }
