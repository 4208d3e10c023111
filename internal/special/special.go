// Package special has the text that stands for a special token where texts are bytes.
//
// A special token has no bytes. What works on bytes (terminals, the prefix tree of a vocabulary,
// texts of a corpus) still has to speak of it, so it has a text that nothing else has: two bytes
// that occur in no UTF-8 stand around its name. A grammar that names tokens has a literal terminal
// for each; its vocabulary gives these ids that text (tokenizers.Vocabulary.Naming) and no other
// token a byte of the two. So a special token is read as any other token is: the pending lexeme
// cannot go on with its first byte and ends there, and nothing else can be written before its last
// byte.
package special

import (
	"bytes"
	"slices"
	"strings"
)

// Begin is the first byte of the text of a special token, and end the last.
const (
	Begin = 0xFF
	end   = 0xFE
)

// Text is what stands for the token that a grammar calls by a name in angle brackets.
func Text(name string) string { return string([]byte{Begin}) + name + string([]byte{end}) }

// Is tells whether the bytes of a token are what stands for a special token.
func Is(token []byte) bool {
	return len(token) > 2 && token[0] == Begin && bytes.IndexByte(token, end) == len(token)-1
}

// In tells whether a byte of a special token's text is among the bytes of another token.
func In(token []byte) bool {
	return bytes.IndexByte(token, Begin) >= 0 || bytes.IndexByte(token, end) >= 0
}

// Shown is a text for people: special tokens by their names.
func Shown(text []byte) []byte {
	if !In(text) {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{Begin}, nil), []byte{end}, nil)
}

// NameAt is the name of the special token whose text begins at a place of a text; "" if none does.
func NameAt(text []byte, at int) string {
	if text[at] != Begin {
		return ""
	}
	name, _, whole := bytes.Cut(text[at+1:], []byte{end})
	if !whole {
		return ""
	}
	return string(name)
}

// Read is a text from outside, for a grammar that names some tokens. No bytes of it stand for one.
// If it is to be split, the names in it are meant as tokens: each is replaced by what stands for
// its token, from left to right, at each place the longest.
func Read(text []byte, names []string, split bool) []byte {
	if len(names) == 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte{Begin}, []byte{end}) // which begins nothing either
	if !split {
		return text
	}
	byLength := slices.SortedFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, name := range byLength {
		pairs = append(pairs, name, Text(name))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
}
