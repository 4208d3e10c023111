package judging

import "bytes"

// Bytes that are likely to end a text.

// Bytes that are tried after those that close something: in a string, and elsewhere.
const (
	inString = `"0a1-A:.T@/Z +_`
	anywhere = `":}],0t1-ruelsnfa23456789bcdghijkmopqvwxyz.[{ ` + "\n"
)

// wishes are bytes in the order in which they are likely to end a text. open is nil for what is no
// JSON.
func (h *comparison) wishes(text []byte, open *jsonOpen) []byte {
	if open == nil {
		return programWishes(text)
	}
	return withoutRuns(text, open.wishes(h.order))
}

// open is what is open in a text; nil if it is not JSON.
func (h *comparison) open(text []byte) *jsonOpen {
	if h.order == nil {
		return nil
	}
	return readOpen(text)
}

// withoutRuns drops white space from wishes after white space.
func withoutRuns(text, wishes []byte) []byte {
	if len(text) == 0 || !isSpace(text[len(text)-1:]) {
		return wishes
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(wishes, []byte("\n"), nil), []byte(" "), nil)
}

// Bytes that are tried in a program: operands where one may be missing, punctuation after one.
const (
	operands    = `a0"'({[`
	punctuation = ")]};:=,(.{[<>+-*/&|!"
	inWords     = "ruelsntifbcdghjkmopqvwxyz123456789_"
)

// programWishes closes the innermost bracket, or a string, and ends statements, in any language.
func programWishes(text []byte) []byte {
	var open []byte
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && (c == quote || c == '\n' && quote != '`'):
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(':
			open = append(open, ')')
		case c == '[' || c == '{':
			open = append(open, c+2)
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if quote != 0 {
		return []byte{quote, 'a', '0'}
	}
	var wishes []byte
	if len(open) > 0 {
		wishes = append(wishes, open[len(open)-1])
	}
	wishes = append(wishes, ";\n"...)
	last := byte(' ')
	if len(text) > 0 {
		last = text[len(text)-1]
	}
	if bytes.IndexByte([]byte(")]}\"'`_"), last) >= 0 || classOf(last) == classLetter || classOf(last) == classDigit || last == '0' {
		wishes = append(append(append(wishes, punctuation...), ' '), operands...)
	} else {
		wishes = append(append(wishes, operands...), punctuation...)
	}
	return withoutRuns(text, append(wishes, inWords...))
}
