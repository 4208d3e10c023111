package judging

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gcdbench/internal/jsontext"
)

// Spellings of a JSON value: white space, escapes in strings, ways to write a number, the order of
// keys. All functions take and return valid JSON and change one thing only; what is not JSON is
// returned as it is.

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

// spaces are the ways to write white space that programs have: none, Python's, one after commas or
// colons only, and lines.
var spaces = []func([]byte) []byte{
	func(t []byte) []byte { return spaced(t, ",", ":", "") },
	func(t []byte) []byte { return spaced(t, ", ", ": ", "") },
	func(t []byte) []byte { return spaced(t, ",", ": ", "") },
	func(t []byte) []byte { return spaced(t, ", ", ":", "") },
	func(t []byte) []byte { return spaced(t, "", "", "  ") },
	func(t []byte) []byte { return spaced(t, "", "", "    ") },
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

// plainStrings writes strings with those escapes alone that JSON demands.
func plainStrings(text []byte) []byte {
	return rewritten(text, func(p jsontext.Piece) []byte {
		return respell(p, func(b *strings.Builder, r rune) { b.WriteRune(r) })
	})
}

// asciiStrings writes strings with what is not printable ASCII as escapes.
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

// respell writes a string anew; other pieces, and strings with half a character, stay as they are.
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

// longestNumber is how many digits a number written out may have: more is clearer with an exponent.
const longestNumber = 40

// plainNumbers writes numbers without exponent, without zeros that say nothing, and zero without a
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
