package koo

import (
	"strings"

	"gcdbench/grammar/automata"
)

// A label is a symbol of pattern automata that stands for one whole token of a kind (section 2.5.1:
// "token IDs disjoint from V that map to pre-computed masks"). Labels are written as bytes that
// occur in no UTF-8, so that the byte automata and all their operations serve for them too.
type label byte

const (
	textToken      label = 0xF8 // any token that is text
	paragraphToken label = 0xF9 // any token that is text without a line break
	// maxTextByte is the last byte that is no label.
	maxTextByte byte = 0xF7
)

// labels are all labels.
var labels = []label{textToken, paragraphToken}

// ParsePattern parses a regular expression, in Python's syntax as package automata takes it, in
// which named groups may be extensions (see extensions.go for what each means):
//
//	(?P<QUOTED_TEXT>)  (?P<UNQUOTED_TEXT>)  (?P<TEXT_TOKEN>)  (?P<PARAGRAPH_TOKEN>)
//	(?P<TEXT_UNTIL>stop phrase)  (?P<SUBSTRING_OF>text)
//	(?P<DELIMITED_LIST>delimiter|item)  (?P<DELIMITED_SUBSEQUENCE_OF>delimiter|item|item...)
//	(?P<JSON_VALUE>objects,arrays)
//
// Names in capitals that are no extension are errors; other named groups are plain groups. The
// result is for this package's Compile: its automaton reads labels beside bytes. Errors are
// *automata.SyntaxError or *automata.LimitError.
func ParsePattern(pattern string) (*automata.Expr, error) {
	return automata.ParseExtended(pattern, 0, func(g *automata.Group) (*automata.Expr, error) {
		// All capitals and underscores: it is an extension, or is meant to be.
		if len(g.Name) < 2 || strings.Trim(g.Name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			return nil, nil
		}
		if g.InAssertion() {
			return nil, g.Errorf("an extension cannot stand inside of this kind of group; use (...), (?:...) or a named one")
		}
		return extension(g)
	})
}
