package judging

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gcdbench/internal/jsontext"
)

// Spellings of a JSON value: white space, escapes in strings, ways to write a number, the order of
// keys. Every function takes and returns valid JSON and changes one property only. A text that is
// not JSON stays as it is.

// spaced writes a text with other white space: after each comma and colon, and with an indent,
// before each member and item.
func spaced(text []byte, comma, colon, indent string) []byte {
	if !json.Valid(text) {
		return text
	}
	if indent != "" {
		var b bytes.Buffer
		if json.Indent(&b, bytes.TrimSpace(text), "", indent) != nil {
			return text
		}
		return b.Bytes()
	}
	var out []byte
	for _, p := range jsontext.Pieces(text) {
		switch {
		case p.IsSpace():
		case p[0] == ',':
			out = append(out, comma...)
		case p[0] == ':':
			out = append(out, colon...)
		default:
			out = append(out, p...)
		}
	}
	return out
}

// spaces are the common ways to write white space: none, Python's, a space after colons or commas
// only, and indented lines.
var spaces = []func([]byte) []byte{
	func(t []byte) []byte { return spaced(t, ",", ":", "") },
	func(t []byte) []byte { return spaced(t, ", ", ": ", "") },
	func(t []byte) []byte { return spaced(t, ",", ": ", "") },
	func(t []byte) []byte { return spaced(t, ", ", ":", "") },
	func(t []byte) []byte { return spaced(t, "", "", "  ") },
	func(t []byte) []byte { return spaced(t, "", "", "    ") },
}

// behind restricts a way to the text after its first n bytes. The way must keep the number of
// pieces that are no white space. A string that crosses the limit changes after it only; a number
// changes as a whole.
func behind(n int, way func([]byte) []byte) func([]byte) []byte {
	return func(text []byte) []byte {
		if !json.Valid(text) {
			return text
		}
		head, begun := text[:min(n, len(text))], 0
		at := 0
		for _, p := range jsontext.Pieces(text) {
			if at >= n {
				break
			}
			if !p.IsSpace() {
				begun++
				if at+len(p) > n {
					head = slices.Concat(text[:at], splitPiece(p, n-at, way))
				}
			}
			at += len(p)
		}
		rest := way(text)
		for _, p := range jsontext.Pieces(rest) {
			if begun == 0 {
				break
			}
			if rest = rest[len(p):]; !p.IsSpace() {
				begun--
			}
		}
		written := head[len(bytes.TrimRight(head, jsonSpace)):]
		space := rest[:len(rest)-len(bytes.TrimLeft(rest, jsonSpace))]
		return slices.Concat(head, bytes.TrimPrefix(space, space[:shared(space, written)]), rest[len(space):])
	}
}

const jsonSpace = " \t\r\n"

// shared is how many bytes of white space are already written: all, if another kind was begun.
func shared(space, written []byte) int {
	if len(written) == 0 || bytes.HasPrefix(space, written) {
		return len(written)
	}
	return len(space)
}

// splitPiece changes a string after its first n bytes, and any other piece as a whole. A character
// or an escape that begins before n and ends after it changes, too.
func splitPiece(p jsontext.Piece, n int, way func([]byte) []byte) []byte {
	if !p.IsString() {
		return way(p)
	}
	at := 1
	for {
		size := 1
		switch {
		case p[at] == '\\' && p[at+1] == 'u':
			size = len(`\u0000`)
			if next := p[at+size:]; bytes.HasPrefix(next, []byte(`\u`)) && len(next) > size {
				if high, err := strconv.ParseUint(string(p[at+2:at+size]), 16, 16); err == nil && high>>10 == 0xD800>>10 {
					size *= 2 // the other half of the character
				}
			}
		case p[at] == '\\':
			size = 2
		default:
			_, size = utf8.DecodeRune(p[at:])
		}
		if at+size > n || at+size >= len(p) {
			break
		}
		at += size
	}
	return slices.Concat(p[:at], way(slices.Concat([]byte{'"'}, p[at:]))[1:])
}

// rewritten changes pieces of a text one by one.
func rewritten(text []byte, change func(p jsontext.Piece) []byte) []byte {
	if !json.Valid(text) {
		return text
	}
	var out []byte
	for _, p := range jsontext.Pieces(text) {
		out = append(out, change(p)...)
	}
	return out
}

// plainStrings writes strings with only the escapes that JSON demands.
func plainStrings(text []byte) []byte {
	return rewritten(text, func(p jsontext.Piece) []byte {
		return respell(p, func(b *strings.Builder, r rune) { b.WriteRune(r) })
	})
}

// asciiStrings writes strings with escapes for all characters but printable ASCII.
func asciiStrings(text []byte) []byte {
	return rewritten(text, func(p jsontext.Piece) []byte {
		return respell(p, func(b *strings.Builder, r rune) {
			if r >= ' ' && r <= '~' {
				b.WriteRune(r)
				return
			}
			if r > 0xFFFF {
				high, low := utf16.EncodeRune(r)
				b.WriteString(unicodeEscape(high) + unicodeEscape(low))
				return
			}
			b.WriteString(unicodeEscape(r))
		})
	})
}

// unicodeEscape is \uXXXX.
func unicodeEscape(r rune) string {
	hex := strconv.FormatUint(uint64(r), 16)
	return `\u` + strings.Repeat("0", 4-len(hex)) + hex
}

// shortEscapes are the escapes of one letter.
var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// respell writes a string anew. Other pieces, and strings with half a character, stay as they are.
func respell(p jsontext.Piece, plain func(b *strings.Builder, r rune)) []byte {
	if !p.IsString() {
		return p
	}
	var value string
	if json.Unmarshal(p, &value) != nil || strings.ContainsRune(value, utf8.RuneError) {
		return p // a lone surrogate has no other spelling
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		short, escaped := shortEscapes[r]
		switch {
		case escaped:
			b.WriteString(short)
		case r < ' ':
			b.WriteString(unicodeEscape(r))
		default:
			plain(&b, r)
		}
	}
	b.WriteByte('"')
	return []byte(b.String())
}

// longestNumber bounds the length of a number without an exponent.
const longestNumber = 40

// plainNumbers writes numbers without an exponent and without redundant zeros, and zero without a
// sign.
func plainNumbers(text []byte) []byte {
	return rewritten(text, func(p jsontext.Piece) []byte {
		if !p.IsNumber() {
			return p
		}
		return plainNumber(p)
	})
}

// plainNumber writes one number.
func plainNumber(p jsontext.Piece) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(p)), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point := len(whole)
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > longestNumber || e < -longestNumber {
			return p
		}
		point += e
	}
	digits := whole + fraction
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, fraction = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	out := whole
	if out == "" {
		out = "0"
	}
	if fraction != "" {
		out += "." + fraction
	}
	if negative && out != "0" {
		out = "-" + out
	}
	if len(out) > longestNumber+len(p) {
		return p
	}
	return []byte(out)
}
