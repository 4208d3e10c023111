package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The bytes of a token are what its string stands for in decoded text. A tokenizer.json says
// this in its decoder, which works on strings; what matters here is what the decoder does to
// one token in the middle of a text:
//
//   - ByteLevel: each character stands for a byte, by GPT-2's table.
//   - ByteFallback: "<0x0A>" is the byte 0A.
//   - Replace, Metaspace: the mark "▁" is a space.
//   - WordPiece, BPEDecoder: a prefix or suffix says whether a space goes before or after.
//   - Strip, Fuse: concern the ends of the text, not a token.

// decoder turns a token's string into its bytes.
type decoder struct {
	byteLevel    bool
	byteFallback bool
	replaces     [][2]string
	prefix       string // WordPiece: tokens with it continue a word; others begin with a space
	suffix       string // BPEDecoder: stands for a space
}

type decoderSpec struct {
	Type        string
	Decoders    []json.RawMessage
	Pattern     pattern
	Content     string
	Replacement string
	Prefix      string
	Suffix      string
}

// parseDecoder adds what raw says to d. An unknown type is an *UnsupportedError.
func parseDecoder(raw json.RawMessage, d *decoder) error {
	if isNull(raw) {
		return nil
	}
	var s decoderSpec
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("decoder: %w", err)
	}
	switch s.Type {
	case "Sequence":
		for _, r := range s.Decoders {
			if err := parseDecoder(r, d); err != nil {
				return err
			}
		}
	case "ByteLevel":
		d.byteLevel = true
	case "ByteFallback":
		d.byteFallback = true
	case "Replace":
		if s.Pattern.String == nil {
			return &UnsupportedError{Feature: "decoder Replace with a pattern", Value: deref(s.Pattern.Regex)}
		}
		d.replaces = append(d.replaces, [2]string{*s.Pattern.String, s.Content})
	case "Metaspace":
		if s.Replacement == "" {
			s.Replacement = "▁"
		}
		d.replaces = append(d.replaces, [2]string{s.Replacement, " "})
	case "WordPiece":
		d.prefix = s.Prefix
	case "BPEDecoder":
		d.suffix = s.Suffix
	case "Fuse", "Strip":
	default:
		return &UnsupportedError{Feature: "decoder", Value: s.Type}
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// appendBytes appends the bytes that token stands for to dst.
func (d *decoder) appendBytes(dst, token []byte) []byte {
	if d.byteLevel {
		return appendByteLevel(dst, token)
	}
	if d.byteFallback {
		if b, ok := byteToken(token); ok {
			return append(dst, b)
		}
	}
	for _, r := range d.replaces {
		if bytes.Contains(token, []byte(r[0])) {
			token = bytes.ReplaceAll(token, []byte(r[0]), []byte(r[1]))
		}
	}
	if d.prefix != "" {
		if rest, ok := bytes.CutPrefix(token, []byte(d.prefix)); ok {
			return append(dst, rest...)
		}
		dst = append(dst, ' ')
	}
	if d.suffix != "" {
		if rest, ok := bytes.CutSuffix(token, []byte(d.suffix)); ok {
			return append(append(dst, rest...), ' ')
		}
	}
	return append(dst, token...)
}

// byteToken reads "<0xNN>".
func byteToken(token []byte) (byte, bool) {
	if len(token) != 6 || token[0] != '<' || token[1] != '0' || token[2] != 'x' || token[5] != '>' {
		return 0, false
	}
	hi, lo := hexDigit(token[3]), hexDigit(token[4])
	return hi<<4 | lo, hi < 16 && lo < 16
}

// hexDigit returns a digit's value, 255 if it is none.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// byteChars is GPT-2's table of one printable character for each byte: printable Latin-1
// characters stand for themselves, the other 68 bytes, in order, for U+0100 and up. byteOf is
// its inverse, -1 elsewhere.
var byteChars, byteOf = func() (chars [256]rune, bytes [256 + 68]int16) {
	for i := range bytes {
		bytes[i] = -1
	}
	next := rune(256)
	for b := range chars {
		switch {
		case '!' <= b && b <= '~', 0xA1 <= b && b <= 0xAC, 0xAE <= b && b <= 0xFF:
			chars[b] = rune(b)
		default:
			chars[b] = next
			next++
		}
		bytes[chars[b]] = int16(b)
	}
	return chars, bytes
}()

// appendByteLevel appends the bytes that the characters of token stand for. A token with a
// character that stands for none is text, not bytes, and is appended as it is.
func appendByteLevel(dst, token []byte) []byte {
	n := len(dst)
	for i := 0; i < len(token); {
		r, size := utf8.DecodeRune(token[i:])
		if int(r) >= len(byteOf) || byteOf[r] < 0 {
			return append(dst[:n], token...)
		}
		dst = append(dst, byte(byteOf[r]))
		i += size
	}
	return dst
}
