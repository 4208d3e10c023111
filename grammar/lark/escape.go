package lark

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escapes. Lark hands the inside of a literal to Python's string evaluation after doubling those
// backslashes that are not to be evaluated. What that amounts to:
//
//   - \n \r \t \f \xHH \uHHHH \UHHHHHHHH become the character, in strings and in regexps alike. So
//     a regexp /\x2b/ is "+", the operator, and /a \n/x ignores its line break.
//   - \" becomes ". In a regexp this happens to the last of several backslashes too: /\\"/ is /\"/.
//   - any other backslash stays, and so does the character after it: a regexp engine sees /\d/
//     and /\//, a string "\d" has two characters.
//   - \\ stays double in a regexp and becomes one backslash in a string.
//   - a carriage return, alone or before a line feed, becomes a line feed.

// A decoded text is the value of a literal, with where its bytes come from.
type decoded struct {
	text []byte
	// from has, per byte of a regexp's text, the offset in the literal's inside.
	from     []int32
	isString bool
}

func (d *decoded) add(s string, from int) {
	d.text = append(d.text, s...)
	for range len(s) {
		if !d.isString {
			d.from = append(d.from, int32(from))
		}
	}
}

// An escapeError says where in a literal an escape is wrong.
type escapeError struct {
	off     int
	message string
}

// evaluated are the letters of the escapes that Python evaluates.
const evaluated = "nrtfxuU"

// decode evaluates the escapes of a literal's inside. A string's double backslashes become single.
func decode(s string, isString bool) (*decoded, *escapeError) {
	d := &decoded{text: make([]byte, 0, len(s)), isString: isString}
	for i := 0; i < len(s); {
		switch {
		case s[i] == 0:
			return nil, &escapeError{i, "a NUL byte in a literal; write it as \\x00"}
		case s[i] == '\r':
			d.add("\n", i)
			i++
			if i < len(s) && s[i] == '\n' {
				i++
			}
		case s[i] != '\\':
			d.add(s[i:i+1], i)
			i++
		default:
			n, err := d.escape(s, i)
			if err != nil {
				return nil, err
			}
			i += n
		}
	}
	return d, nil
}

// escape evaluates the escape at s[i] and returns its length. A backslash that stays has length 1:
// what follows it is an ordinary character, and no other backslash, which is a case of its own.
func (d *decoded) escape(s string, i int) (int, *escapeError) {
	if i+1 == len(s) {
		return 0, &escapeError{i, "the literal ends in a backslash"}
	}
	c := s[i+1]
	switch {
	case c == '\\':
		return d.backslashes(s, i), nil
	case c == '"':
		d.add(`"`, i)
		return 2, nil
	case strings.IndexByte(evaluated, c) < 0:
		d.add(`\`, i)
		return 1, nil
	}
	return d.character(s, i)
}

// backslashes evaluates the double backslash at s[i]. In a regexp the second one is lost before a
// quote.
func (d *decoded) backslashes(s string, i int) int {
	if d.isString {
		d.add(`\`, i)
		return 2
	}
	d.add(`\`, i)
	if i+2 < len(s) && s[i+2] == '"' {
		d.add(`"`, i+1)
		return 3
	}
	d.add(`\`, i+1)
	return 2
}

// character evaluates an escape that stands for one character.
func (d *decoded) character(s string, i int) (int, *escapeError) {
	simple := map[byte]string{'n': "\n", 'r': "\r", 't': "\t", 'f': "\f"}
	if text, ok := simple[s[i+1]]; ok {
		d.add(text, i)
		return 2, nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i+1]]
	end := i + 2 + digits
	if end > len(s) || strings.Trim(s[i+2:end], "0123456789abcdefABCDEF") != "" {
		return 0, &escapeError{i, fmt.Sprintf(`\%c needs %d hexadecimal digits after it`, s[i+1], digits)}
	}
	code, _ := strconv.ParseUint(s[i+2:end], 16, 32)
	switch {
	case code > utf8.MaxRune:
		return 0, &escapeError{i, fmt.Sprintf("%s is beyond Unicode's last character, U+10FFFF", s[i:end])}
	case utf8.ValidRune(rune(code)):
		d.add(string(rune(code)), i)
	case d.isString:
		return 0, &escapeError{i, fmt.Sprintf("%s is half a surrogate pair, which no UTF-8 text contains; write the whole character", s[i:end])}
	default:
		d.add(fmt.Sprintf(`\u%04x`, code), i) // a regexp may name it, in a class that excludes surrogates
	}
	return end - i, nil
}
