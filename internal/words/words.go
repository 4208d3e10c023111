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

// Clip is the beginning of a text, of at most so many characters, with three dots where it goes on.
func Clip(text string, longest int) string {
	if r := []rune(text); len(r) > longest {
		return string(r[:longest]) + "..."
	}
	return text
}

// Closest is the word of a list that a misspelt one most likely means, if any is alike but for case
// and one change in three characters, two at most. A hint is worth its line only if it is nearly
// always right.
func Closest(misspelt string, list []string) (word string, ok bool) {
	if misspelt == "" {
		return "", false
	}
	limit := min(2, max(1, len(misspelt)/3)) + 1
	for _, w := range list {
		if d := distance(strings.ToLower(misspelt), strings.ToLower(w), limit); d < limit {
			word, limit, ok = w, d, true
		}
	}
	return word, ok
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours that make
// b of a; limit or more if it is at least limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
