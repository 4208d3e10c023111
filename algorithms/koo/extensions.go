package koo

import (
	"fmt"

	"gcdbench/grammar/automata"
)

// The extensions of table 1 for text. (IMAGE, an image made by a multi-modal model, has no
// meaning for a vocabulary of text.) The paper gives each a name and a line on its purpose; the
// comments here fix the rest.

const (
	// quotedText is a double-quoted string with backslash escapes, on one line.
	quotedText = `"(?:[^"\\\r\n]|\\[^\r\n])*"`
	// unquotedText is a plain scalar of YAML on one line: words with blanks between them. A word does
	// not end with a colon, and none but the first may begin with "#"; the first begins with no
	// indicator, or with one of - ? : if it is longer than that.
	unquotedText = `(?:` + yamlFirst + `|` + yamlFirst + yamlAny + `*` + yamlLast + `|[\-?:]` + yamlAny + `*` + yamlLast + `)` +
		`(?:[ \t]+(?:[^ \t\r\n#:]|[^ \t\r\n#]` + yamlAny + `*` + yamlLast + `))*`
	yamlAny   = `[^ \t\r\n]`
	yamlLast  = `[^ \t\r\n:]`
	yamlFirst = "[^ \\t\\r\\n\\-?:,\\[\\]{}#&*!|>'\"%@`]"
)

// extension builds the expression of an extension whose name was just read.
func extension(g *automata.Group) (*automata.Expr, error) {
	switch g.Name {
	case "TEXT_TOKEN":
		return fixed(g, automata.Literal(string([]byte{byte(textToken)}), 0))
	case "PARAGRAPH_TOKEN":
		return fixed(g, automata.Literal(string([]byte{byte(paragraphToken)}), 0))
	case "QUOTED_TEXT":
		return fixed(g, automata.FromDFA(automata.MustCompile(quotedText, 0)))
	case "UNQUOTED_TEXT":
		return fixed(g, automata.FromDFA(automata.MustCompile(unquotedText, 0)))
	case "TEXT_UNTIL", "SUBSTRING_OF", "JSON_VALUE":
		text, err := g.Text()
		if err != nil {
			return nil, err
		}
		return ofText(g, text)
	case "DELIMITED_LIST", "DELIMITED_SUBSEQUENCE_OF":
		return delimited(g)
	}
	return nil, g.Errorf("unknown extension %s; there are QUOTED_TEXT, UNQUOTED_TEXT, TEXT_TOKEN, PARAGRAPH_TOKEN, TEXT_UNTIL, "+
		"SUBSTRING_OF, DELIMITED_LIST, DELIMITED_SUBSEQUENCE_OF and JSON_VALUE (a group's own name should have a small letter)", g.Name)
}

// fixed is an extension without a body.
func fixed(g *automata.Group, e *automata.Expr) (*automata.Expr, error) {
	text, err := g.Text()
	if err == nil && text != "" {
		err = g.Errorf("%s has nothing inside: write (?P<%s>)", g.Name, g.Name)
	}
	return e, err
}

// ofText builds the extensions whose body is a text.
func ofText(g *automata.Group, text string) (*automata.Expr, error) {
	switch {
	case g.Name == "JSON_VALUE":
		var objects, arrays int
		if n, err := fmt.Sscanf(text, "%d,%d", &objects, &arrays); n != 2 || err != nil {
			return nil, g.Errorf("JSON_VALUE wants two depths, of objects and of arrays: (?P<JSON_VALUE>2,2)")
		}
		pattern, err := JSONPattern(objects, arrays)
		if err != nil {
			return nil, g.Errorf("%v", err)
		}
		return automata.Parse(pattern, 0)
	case text == "":
		return nil, g.Errorf("%s wants a text: (?P<%s>text)", g.Name, g.Name)
	case g.Name == "SUBSTRING_OF":
		d, err := substrings(text)
		if err != nil {
			return nil, err
		}
		return automata.FromDFA(d), nil
	}
	d, err := until(text)
	if err != nil {
		return nil, err
	}
	return automata.FromDFA(d), nil
}

// until accepts text that ends with the first occurrence of a stop phrase: any text and the phrase,
// cut to the shortest matches.
func until(stop string) (*automata.DFA, error) {
	d, err := automata.Compile(automata.Concat(automata.FromDFA(automata.AnyText()), automata.Literal(stop, 0)), automata.Limits{})
	if err != nil {
		return nil, err
	}
	return d.Lazy(), nil
}

// substrings accepts every substring of a text, the empty one too, cut between characters. The
// states are sets of places in the text (a suffix automaton): at most two for each byte, where a
// regular expression would be quadratic.
func substrings(text string) (*automata.DFA, error) {
	m := newSuffixes()
	for i := range len(text) {
		m.extend(text[i])
	}
	return m.dfa()
}

// delimited parses the body of a list: alternatives, of which the first is the delimiter.
func delimited(g *automata.Group) (*automata.Expr, error) {
	parts, err := g.Branches()
	if err != nil {
		return nil, err
	}
	if len(parts) < 2 {
		return nil, g.Errorf("%s wants a delimiter and an item: (?P<%s>, |item)", g.Name, g.Name)
	}
	delimiter, items := parts[0], parts[1:]
	if g.Name == "DELIMITED_LIST" {
		if len(items) > 1 {
			return nil, g.Errorf("DELIMITED_LIST has one kind of item; put alternatives in a group: (?P<DELIMITED_LIST>, |(?:a|b))")
		}
		return automata.Concat(items[0], automata.Repeat(automata.Concat(delimiter, items[0]), 0, -1)), nil
	}
	return subsequence(delimiter, items), nil
}

// subsequence matches some of the items, at least one, in their order, with delimiters between
// them.
func subsequence(delimiter *automata.Expr, items []*automata.Expr) *automata.Expr {
	// rest is what may follow the item before i: built from the last to the first.
	rest := automata.Literal("", 0)
	var firsts []*automata.Expr
	for i := len(items) - 1; i >= 0; i-- {
		firsts = append(firsts, automata.Concat(items[i], rest))
		rest = automata.Concat(automata.Repeat(automata.Concat(delimiter, items[i]), 0, 1), rest)
	}
	return automata.Alternate(firsts...)
}
