// Package words makes words for messages to people: numbers in sentences ("1 terminal", "2
// terminals"), and texts of strangers with hidden characters made visible.
package words

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Count is a number of things. The plural is regular: what gets an s.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// LineColumn is the place of a byte in a text, both from 1, columns in characters.
func LineColumn(text []byte, at int) (line, column int) {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	return 1 + bytes.Count(text[:at], []byte{'\n'}), 1 + utf8.RuneCount(text[begin:at])
}

// plain is a word that a shell takes as it stands.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Shell is a text as one word of a command line: in quotes unless it is plain.
func Shell(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Thousands puts commas into the whole part of a decimal number.
func Thousands(s string) string {
	whole, fraction, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var parts []string
	for len(whole) > 3 {
		parts = append([]string{whole[len(whole)-3:]}, parts...)
		whole = whole[:len(whole)-3]
	}
	out := sign + strings.Join(append([]string{whole}, parts...), ",")
	if fraction != "" {
		out += "." + fraction
	}
	return out
}
